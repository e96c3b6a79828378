"""The `referee` command. Each subcommand imports what it needs when it runs, so that all of them start quickly."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

# Plain help: drawing it with rich would take longer than everything else.
app = typer.Typer(
    no_args_is_help=True,
    help="A digital table that knows the rules of role-playing games.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
rules = typer.Typer(no_args_is_help=True, help="The rulebook.", rich_markup_mode=None)
sheet = typer.Typer(no_args_is_help=True, help="Characters.", rich_markup_mode=None)
app.add_typer(rules, name="rules")
app.add_typer(sheet, name="sheet")

AsJson = Annotated[bool, typer.Option("--json", help="Plain JSON, for programs.")]


@app.command()
def play(
    system: Annotated[str, typer.Argument(help="Which rules.")] = "alien",
    scene: Annotated[str, typer.Option(help="A sample of the system, or a file.")] = "",
    log: Annotated[
        Path | None, typer.Option(help="Where the evening is written down; an existing one is resumed.")
    ] = None,
    seed: Annotated[str, typer.Option(help="Dice that can be repeated.")] = "",
    auto: Annotated[list[str] | None, typer.Option(help="Who is played by a policy: raider=aggressive.")] = None,
) -> None:
    """Play a scene as game master of all sides, or against policies."""
    from referee.cli.play import play as play_scene

    play_scene(system, scene, log, seed, auto or ())


@app.command()
def roll(
    system: Annotated[str, typer.Argument(help="Which rules.")],
    what: Annotated[str, typer.Argument(help="A short form such as 5b3s or 2d6+3, or an action.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments of the action: skill=Piloting.")] = None,
    scene: Annotated[str, typer.Option(help="A sample of the system, or a file.")] = "",
    decide: Annotated[list[str] | None, typer.Option(help="A decision: push=yes.")] = None,
    seed: Annotated[str, typer.Option(help="Dice that can be repeated.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take an action once."""
    from referee.cli.roll import asked
    from referee.cli.roll import roll as roll_once

    roll_once(asked(system, what, arguments or (), scene, decide or ()), seed, as_json=as_json)


@app.command()
def odds(
    system: Annotated[str, typer.Argument(help="Which rules.")],
    what: Annotated[str, typer.Argument(help="A short form such as 5b3s or 2d6+3, or an action.")],
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments of the action: skill=Piloting.")] = None,
    scene: Annotated[str, typer.Option(help="A sample of the system, or a file.")] = "",
    decide: Annotated[list[str] | None, typer.Option(help="A decision: push=yes.")] = None,
    as_json: AsJson = False,
) -> None:
    """The exact odds of an action."""
    from referee.cli.roll import asked
    from referee.cli.roll import odds as odds_of

    odds_of(asked(system, what, arguments or (), scene, decide or ()), as_json=as_json)


@sheet.command("show")
def sheet_show(
    system: Annotated[str, typer.Argument(help="Which rules.")],
    name: Annotated[str, typer.Argument(help="Whose sheet.")],
    scene: Annotated[str, typer.Option(help="A sample of the system, or a file.")] = "",
    as_json: AsJson = False,
) -> None:
    """A sheet of a scene."""
    from referee.cli.sheet import show

    show(system, name, scene, as_json=as_json)


@sheet.command("validate")
def sheet_validate(file: Annotated[Path, typer.Argument(help="A scene file.", exists=True, dir_okay=False)]) -> None:
    """Whether every sheet of a scene file is lawful."""
    from referee.cli.sheet import validate

    validate(file)


@sheet.command("random")
def sheet_random(
    system: Annotated[str, typer.Argument(help="Which rules.")],
    seed: Annotated[str, typer.Option(help="The same somebody each time.")] = "",
    as_json: AsJson = False,
) -> None:
    """A lawful sheet by chance."""
    from referee.cli.sheet import at_random

    at_random(system, seed, as_json=as_json)


@app.command()
def check(
    files: Annotated[list[Path], typer.Argument(help="Scenario files.", exists=True, dir_okay=False)],
    explain: Annotated[bool, typer.Option(help="Print the run.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play scenario files, and say exactly where they differ from what they expect."""
    from referee.cli.check import check_files

    sys.exit(0 if check_files(files, explain=explain, as_json=as_json) else 1)


@rules.command("show")
def rules_show(
    rule: Annotated[str, typer.Argument(help="The id of a rule.")],
    as_json: AsJson = False,
) -> None:
    """A rule: its text, its figures, its arguments, and what it may ask."""
    from referee.cli.rules import show

    show(rule, as_json=as_json)


@rules.command("search")
def rules_search(
    words: Annotated[list[str], typer.Argument(help="What to look for; typing errors are forgiven.")],
    system: Annotated[str, typer.Option(help="Only these rules.")] = "",
    as_json: AsJson = False,
) -> None:
    """Find rules by words."""
    from referee.cli.rules import search

    search(" ".join(words), system, as_json=as_json)


def main() -> None:
    """Run the command; what Referee refuses is a sentence, not a traceback."""
    try:
        app()
    except Exception as problem:
        from referee.core.errors import RefereeError

        if not isinstance(problem, (RefereeError, OSError, UnicodeDecodeError)):
            raise
        print(f"referee: {problem}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
