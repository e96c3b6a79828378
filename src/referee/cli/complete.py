"""Shell completion for Tab. Modules are imported only when it is pressed; what cannot be read offers nothing.

Typer itself filters by what has been typed so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from referee.core.rules import Rule
    from referee.core.system import System


def _quietly(offered: Callable[[typer.Context, str], Iterable[str]]) -> Callable[[typer.Context, str], list[str]]:
    """Offer nothing on an error: errors have no place to go while someone is typing."""

    @wraps(offered)
    def offer(ctx: typer.Context, incomplete: str) -> list[str]:
        from referee.core.errors import RefereeError

        try:
            return list(offered(ctx, incomplete))
        except (RefereeError, OSError):
            return []

    return offer


@_quietly
def systems(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    from referee import registry

    return registry.names()


@_quietly
def actions(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    return (action.key for action in _system(ctx).actions)


@_quietly
def arguments(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    given = {word.partition("=")[0] for word in ctx.params.get("arguments") or ()}
    return (f"{name}=" for name in _rule(ctx).parameters if name not in given)


@_quietly
def decisions(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    return (f"{prompt}=" for prompt in _rule(ctx).prompts)


@_quietly
def scenes(ctx: typer.Context, incomplete: str) -> Iterable[str]:
    from referee.cli.play import sample_files

    return (file.stem for file in sample_files(_system(ctx)))


@_quietly
def rules(ctx: typer.Context, incomplete: str) -> Iterator[str]:
    from referee import registry

    for name in registry.names():
        if f"{name}.".startswith(incomplete) or incomplete.startswith(f"{name}."):
            yield from registry.load(name).printed_book.ids


def _system(ctx: typer.Context) -> System:
    from referee import registry

    return registry.load(_typed(ctx, 0, "system") or registry.OURS[0])


def _rule(ctx: typer.Context) -> Rule[..., Any]:
    system, what = _system(ctx), _typed(ctx, 1, "what")
    short = system.shorthand(what)
    return system.action(short.action if short else what).rule


def _typed(ctx: typer.Context, at: int, name: str) -> str:
    """An argument typed earlier. While an option's value is being completed, Typer has not parsed any arguments."""
    return ctx.args[at] if at < len(ctx.args) else ctx.params.get(name) or ""
