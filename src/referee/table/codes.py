"""Codes that can be read out loud: four words and a number, `amber-river-piano-tiger-47`."""

from __future__ import annotations

import re
from secrets import choice, randbelow
from typing import Final

WORDS: Final = tuple(
    """
    acorn album amber angel ankle apple apron arrow atlas autumn bacon badge baker bamboo banjo basket beach bean
    bear beetle bell berry bird biscuit bishop blanket boat bonfire book boot bottle bowl branch bread brick bridge
    brook broom brush bucket button cabin cactus camel candle canyon captain carpet castle cellar chalk cherry
    chess chimney circus clock cloud clover cobra coffee comet copper coral cotton cousin cradle crane crayon
    cricket crow crown daisy dancer desert diamond dinner doctor dolphin donkey dragon drum eagle earth echo elbow
    ember engine fable falcon farmer feather fiddle finger flag flame flute forest fossil fountain fox garden
    garlic gate giant ginger glacier globe glove goat goose grape grass guitar hammer harbor harp hawk hazel hedge
    helmet honey horse hotel igloo island ivory jacket jaguar jelly jungle kettle king kitchen kite kitten ladder
    lagoon lake lamp lantern lemon leopard letter lily lion lizard lobster magnet maple marble market meadow melon
    mirror monkey moon motor mountain mushroom music napkin needle nest oak ocean olive onion orange orchard otter
    oven owl paddle palace panda paper parrot peach peanut pearl pebble pencil penguin pepper piano picnic pigeon
    pillow pilot pine pirate planet plum pocket pony potato pumpkin puzzle queen rabbit radio rain raven ribbon
    river robin rocket rose saddle sailor salad salmon sandal school shadow sheep shell ship silver singer sister
    slipper snow soup spider spoon squirrel star stone storm sugar summer sunset swan table temple thunder tiger
    tomato tower trumpet tulip tunnel turtle velvet village violin walnut water whale wheel willow window winter
    wizard zebra
    """.split()  # noqa: SIM905  # 256 texts in quotation marks are harder to read
)
"""256 short words that differ when spoken."""
MANY: Final = 4


def new_code() -> str:
    """A code nobody guesses in the week it is valid: one of 387 thousand million, and attempts are limited."""
    return "-".join((*(choice(WORDS) for _ in range(MANY)), str(10 + randbelow(90))))


def as_written(code: str) -> str:
    """A code as it was made, from what somebody typed: in capitals, with spaces, commas or full stops between words."""
    return "-".join(re.findall(r"[a-z]+|[0-9]+", code.casefold()))
