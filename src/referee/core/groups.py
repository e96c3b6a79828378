"""Arguments that belong together: one value in the text of a rule, an argument each for people.

`at: Grouped[Aim] = Aim()` gives an action every field of `Aim` as an argument of its own, where `at` stands: in forms,
commands, scenario files, the API and the log. The rule gets the value; in Python it may be called with either.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, replace
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar, final, get_args

from referee.core.plain import hints

T = TypeVar("T")


@final
class Fields:
    """Marks an argument whose fields are arguments: all of them, some (`Fields("zone cover")`), or all `without` some.

    The others stay what they are by default.
    """

    def __init__(self, only: str = "", *, without: str = "") -> None:
        self.only, self.without = only.split(), without.split()

    def names(self, kind: Any) -> tuple[str, ...]:
        """Its fields that are arguments, in their order."""
        all_of = [each.name for each in fields(kind)]
        if unknown := {*self.only, *self.without}.difference(all_of):
            raise TypeError(f"{kind.__name__} has no field {', '.join(sorted(unknown))}")
        return tuple(each for each in all_of if each not in self.without and (each in self.only or not self.only))


Grouped: TypeAlias = Annotated[T, Fields()]
"""A group of all its fields."""


class _Slot(NamedTuple):
    """An argument of the rule: a value given as it is, or one made of several."""

    name: str
    kind: Any
    """The class of a group; None for what is given as it is."""
    usual: Any
    """What a group is when nothing of it is given, if that is said."""
    fields: tuple[str, ...]


@final
class Flattened:
    """The arguments of a rule as people give them, each group as its fields, and the way from those to the rule's."""

    def __init__(self, body: Callable[..., Any]) -> None:
        self.signature, known = inspect.signature(body), hints(body)
        self._slots: list[_Slot] = []
        flat: dict[str, inspect.Parameter] = {}
        for name, each in self.signature.parameters.items():
            taken = self._flattened(name, each, known.get(name, Any))
            if twice := flat.keys() & taken.keys():
                raise TypeError(f"{body.__qualname__}: {', '.join(sorted(twice))} would be an argument twice")
            flat |= taken
        self.has_groups: Final = any(each.kind for each in self._slots)
        if self.has_groups:
            self.signature = self.signature.replace(parameters=list(flat.values()))
        self.annotations = {name: each.annotation for name, each in flat.items()} | {"return": known.get("return", Any)}

    def _flattened(self, name: str, given: inspect.Parameter, hint: Any) -> dict[str, inspect.Parameter]:
        group = next((mark for mark in get_args(hint)[1:] if isinstance(mark, Fields)), None)
        if group is None:
            self._slots.append(_Slot(name, None, None, (name,)))
            return {name: given.replace(annotation=hint)}
        kind = get_args(hint)[0]
        usual = None if given.default is given.empty else given.default
        names, types = group.names(kind), hints(kind)
        self._slots.append(_Slot(name, kind, usual, names))
        return {
            each.name: inspect.Parameter(
                each.name, given.kind, default=_usual(each, usual), annotation=types[each.name]
            )
            for each in fields(kind)
            if each.name in names
        }

    def show_on(self, function: Any) -> None:
        """Let a function that takes the flat arguments say so."""
        function.__signature__, function.__annotations__ = self.signature, self.annotations

    def spread(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Each group that was given as a value, as its fields: `shoot(ana, bo, "gun", Aim(cover=25))`."""
        spread: list[Any] = []
        rest, slots = list(args), iter(self._slots[1:])  # the scene is not given
        for slot in slots:
            if not rest:
                break
            if slot.kind is not None and isinstance(rest[0], slot.kind):
                spread += _fields_of(slot, rest.pop(0)).values()
            else:
                spread += rest[: len(slot.fields)]
                del rest[: len(slot.fields)]
        named = dict(kwargs)
        for slot in self._slots:
            if slot.kind is not None and slot.name in named:
                named |= _fields_of(slot, named.pop(slot.name))
        return (*spread, *rest), named

    def together(self, args: tuple[Any, ...]) -> list[Any]:
        """What the rule takes, from its arguments as people give them, without the scene."""
        found, at = list[Any](), 0
        for slot in self._slots[1:]:
            given = args[at : at + len(slot.fields)]
            at += len(slot.fields)
            found.append(given[0] if slot.kind is None else _whole(slot, dict(zip(slot.fields, given, strict=True))))
        return found


def _fields_of(slot: _Slot, value: Any) -> dict[str, Any]:
    """The fields of a group that are arguments; an error if it says something that the action leaves out."""
    found = {name: getattr(value, name) for name in slot.fields}
    if _whole(slot, found) != value:
        raise TypeError(f"of {slot.name} only {', '.join(slot.fields)} may be given, not {value!r}")
    return found


def _whole(slot: _Slot, given: dict[str, Any]) -> Any:
    return slot.kind(**given) if slot.usual is None else replace(slot.usual, **given)


def _usual(each: Field[Any], whole: Any) -> Any:
    """What a field is by default: as in the default of its group, or as its class says."""
    if whole is not None:
        return getattr(whole, each.name)
    if each.default is not MISSING:
        return each.default
    return inspect.Parameter.empty if each.default_factory is MISSING else each.default_factory()
