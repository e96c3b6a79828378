"""The commands. Each imports what it needs when it runs, so that all of them start quickly."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Final

import typer

from referee import __version__
from referee.cli import complete

# Plain help: rendering it with rich would take longer than everything else.
app: Final = typer.Typer(
    no_args_is_help=True,
    help="A digital table that knows the rules of role-playing games.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
rules: Final = typer.Typer(no_args_is_help=True, help="The rulebook.", rich_markup_mode=None)
sheet: Final = typer.Typer(no_args_is_help=True, help="Characters.", rich_markup_mode=None)
app.add_typer(rules, name="rules")
app.add_typer(sheet, name="sheet")

# Words are used as typed: parameters are texts, several texts or flags; only `serve` has a number and a folder.
SystemName = Annotated[str, typer.Argument(help="The rule system.", autocompletion=complete.systems)]
What = Annotated[str, typer.Argument(help="A short form such as 2d6+3, or an action.", autocompletion=complete.actions)]
Arguments = Annotated[
    list[str] | None,
    typer.Argument(help="Arguments of the action: skill=Climbing.", autocompletion=complete.arguments),
]
SceneName = Annotated[
    str, typer.Option(help="A sample scene of the system, or a scene file.", autocompletion=complete.scenes)
]
Decide = Annotated[list[str] | None, typer.Option(help="A decision: push=yes.", autocompletion=complete.decisions)]
Seed = Annotated[str, typer.Option(help="A seed, for the same dice again.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"Referee {__version__}")
        raise typer.Exit


@app.callback()
def referee(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version, and exit.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """A digital table that knows the rules of role-playing games."""


@app.command()
def play(
    system: SystemName = "",
    scene: SceneName = "",
    log: Annotated[str, typer.Option(help="The log file; an existing one is resumed.")] = "",
    seed: Seed = "",
    auto: Annotated[list[str] | None, typer.Option(help="Let a policy play someone: raider=aggressive.")] = None,
) -> None:
    """Play a scene as game master of all sides, or against policies."""
    from referee.cli.play import play as play_scene

    play_scene(system, scene, log, seed, auto or ())


@app.command()
def serve(
    config: Annotated[str, typer.Option(help="A TOML file with settings; environment variables take precedence.")] = "",
    lan: Annotated[bool, typer.Option("--lan", help="Let phones and other computers on this network in.")] = False,
    port: Annotated[int | None, typer.Option(help="The port to listen at; 0 chooses a free one.")] = None,
    host: Annotated[str | None, typer.Option(help="The address to listen at.")] = None,
    data: Annotated[Path | None, typer.Option(help="The folder of the database and its backups.")] = None,
) -> None:
    """Start the server: the table in a browser, and the HTTP API. Flags take precedence over all other settings."""
    from referee.cli.serve import serve as serve_table

    given = {"port": port, "host": host, "data": data}
    serve_table(config, lan=lan, **{name: value for name, value in given.items() if value is not None})


@app.command()
def roll(
    system: SystemName,
    what: What,
    arguments: Arguments = None,
    scene: SceneName = "",
    decide: Decide = None,
    seed: Seed = "",
    as_json: AsJson = False,
) -> None:
    """Take an action once, and show the dice."""
    from referee.cli.roll import asked
    from referee.cli.roll import roll as roll_once

    roll_once(asked(system, what, arguments or (), scene, decide or ()), seed, as_json=as_json)


@app.command()
def odds(
    system: SystemName,
    what: What,
    arguments: Arguments = None,
    scene: SceneName = "",
    decide: Decide = None,
    along: Annotated[str, typer.Option(help="A curve along an argument or a field: mods=-3..3, level=0..5.")] = "",
    against: Annotated[str, typer.Option(help="Another short form, to compare with.")] = "",
    picture: Annotated[str, typer.Option(help="Write the curve to this file, as SVG.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show the exact odds of an action: its outcomes, what each decision changes, and what is best."""
    from referee.cli.odds import show_curve, show_odds
    from referee.cli.roll import asked

    one = asked(system, what, arguments or (), scene, decide or ())
    if along:
        other = asked(system, against, (), "", ()) if against else None
        show_curve(one, along, other, picture, as_json=as_json)
    else:
        show_odds(one, as_json=as_json)


@app.command()
def forecast(
    system: SystemName = "",
    scene: Annotated[str, typer.Argument(help="A sample scene with a fight, or a scene file.")] = "",
    campaign: Annotated[str, typer.Option(help="The fight of a campaign on this computer, by id or name.")] = "",
    encounter: Annotated[str, typer.Option(help="Which one, if several stand in the scene.")] = "",
    change: Annotated[
        list[str] | None, typer.Option("--with", help="policy=cautious, Ash=aggressive, Ash.wp=5, some.option=on.")
    ] = None,
    compare: Annotated[list[str] | None, typer.Option(help="A change, to compare without and with it.")] = None,
    fights: Annotated[str, typer.Option(help="How many fights are played, unless exact chances are found.")] = "10000",
    processes: Annotated[str, typer.Option(help="How many processes play them.")] = "1",
    seed: Annotated[str, typer.Option(help="A seed, for other fights.")] = "0",
    as_json: AsJson = False,
) -> None:
    """Play a fight many times: who wins, how long it takes, who is out, and what a change would do."""
    from referee.cli.forecast import forecast as forecast_fight

    forecast_fight(
        system,
        scene,
        campaign=campaign,
        encounter=encounter,
        changes=change or (),
        compare=compare or (),
        fights=fights,
        processes=processes,
        seed=seed,
        as_json=as_json,
    )


@app.command()
def create(
    system: SystemName,
    answers: Annotated[
        list[str] | None, typer.Argument(help="Answers: name=Ana levels.riding=2 trade=Smith,Baker.")
    ] = None,
    template: Annotated[str, typer.Option(help="Start from a template of the system.")] = "",
    file: Annotated[str, typer.Option("--from", help="Answers from a YAML file, such as a sheet built before.")] = "",
    by_chance: Annotated[bool, typer.Option("--random", help="Let chance answer the rest.")] = False,
    seed: Annotated[str, typer.Option(help="A seed, for the same character again.")] = "",
    count: Annotated[int, typer.Option(min=0, help="So many random characters, each checked; --json prints them.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Build a character: shows each step with what may be chosen, what it costs, what is missing or barred, and why."""
    from referee.cli.create import create as create_character
    from referee.cli.create import create_many

    if count:
        create_many(system, count, seed=seed, as_json=as_json)
        return
    create_character(
        system, answers or (), template=template, file=file, by_chance=by_chance, seed=seed, as_json=as_json
    )


@sheet.command("show")
def sheet_show(
    system: SystemName,
    name: Annotated[str, typer.Argument(help="The name of the character.")],
    scene: SceneName = "",
    as_json: AsJson = False,
) -> None:
    """Show a sheet of a scene."""
    from referee.cli.sheet import show

    show(system, name, scene, as_json=as_json)


@sheet.command("validate")
def sheet_validate(file: Annotated[str, typer.Argument(help="A scene file.")]) -> None:
    """Check that every sheet of a scene file is legal."""
    from referee.cli.sheet import validate

    validate(file)


@sheet.command("random")
def sheet_random(
    system: SystemName,
    seed: Annotated[str, typer.Option(help="A seed, for the same character again.")] = "",
    as_json: AsJson = False,
) -> None:
    """Make a random legal sheet."""
    from referee.cli.sheet import at_random

    at_random(system, seed, as_json=as_json)


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(help="Scenario files.")],
    explain: Annotated[bool, typer.Option(help="Print what happened, step by step.")] = False,
    rewrite: Annotated[
        bool, typer.Option("--rewrite", help="First replace keys that have been renamed, in the files themselves.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Play scenario files, and report exactly where play differs from what they expect."""
    from referee.cli.check import check_files

    sys.exit(0 if check_files(files, explain=explain, rewrite=rewrite, as_json=as_json) else 1)


@app.command("conform")
def conform(
    system: SystemName,
    walks: Annotated[int, typer.Option(min=1, help="Random walks, and scripts in two worlds, of each sample.")] = 10,
    moves: Annotated[int, typer.Option(min=1, help="Moves of each.")] = 30,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the first walk.")] = 0,
    minutes: Annotated[float, typer.Option(min=0, help="How long all of it may take.")] = 2.0,
    thorough: Annotated[bool, typer.Option("--thorough", help="All of it, however long it takes.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check a system: its texts, its rulebook, a table of one's own, random play, its odds, and its secrets."""
    from referee.cli.conform import conform_system
    from referee.testing.conform import Effort

    effort = Effort(walks, moves, seed, minutes=None if thorough else minutes)
    sys.exit(0 if conform_system(system, effort, as_json=as_json) else 1)


@rules.command("show")
def rules_show(
    rule: Annotated[str, typer.Argument(help="The id of a rule.", autocompletion=complete.rules)],
    as_json: AsJson = False,
) -> None:
    """Show a rule: its text, its figures, its arguments, and what it may ask."""
    from referee.cli.rules import show

    show(rule, as_json=as_json)


@rules.command("options")
def rules_options(system: SystemName, as_json: AsJson = False) -> None:
    """List what a campaign decides: optional rules, and rules with several choices."""
    from referee.cli.rules import options

    options(system, as_json=as_json)


@rules.command("actions")
def rules_actions(
    system: SystemName,
    words: Annotated[list[str], typer.Argument(help="What you want to do: climb the wall.")],
    as_json: AsJson = False,
) -> None:
    """Find what to do by words: the action, with what it is done, and how hard it is."""
    from referee.cli.rules import actions

    actions(system, " ".join(words), as_json=as_json)


@rules.command("search")
def rules_search(
    words: Annotated[list[str], typer.Argument(help="What to look for; typos are forgiven.")],
    system: Annotated[str, typer.Option(help="Only this system.", autocompletion=complete.systems)] = "",
    as_json: AsJson = False,
) -> None:
    """Find rules by words."""
    from referee.cli.rules import search

    search(" ".join(words), system, as_json=as_json)


# --- campaigns on this computer ---------------------------------------------------------------------------------------


@app.command()
def verify(
    file: Annotated[str, typer.Argument(help="An exported campaign, or a log of `referee play`.")],
    others: Annotated[
        list[str] | None,
        typer.Option("--with", help="Another file that reveals seeds, such as the campaign this is a fork of."),
    ] = None,
    seed: Annotated[list[str] | None, typer.Option(help="A revealed seed, in hexadecimal.")] = None,
    commitment: Annotated[
        list[str] | None,
        typer.Option(help="A commitment you wrote down (its first digits will do); several in their order."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute every throw and draw of a log, and report what does not match."""
    from referee.cli.verify import verify_file

    sys.exit(0 if verify_file(file, others or (), seed or (), commitment or (), as_json=as_json) else 1)


@app.command()
def campaigns(as_json: AsJson = False) -> None:
    """List the campaigns on this computer (in the folder REFEREE_DATA, or in REFEREE_DATABASE)."""
    from referee.cli.campaigns import list_campaigns

    list_campaigns(as_json=as_json)


@app.command()
def export(
    campaign: Annotated[str, typer.Argument(help="Its id, or its name.")],
    file: Annotated[str, typer.Argument(help="A new file.")],
    as_json: AsJson = False,
) -> None:
    """Export a campaign to one file, with the seeds that were revealed."""
    from referee.cli.campaigns import export as export_campaign

    export_campaign(campaign, file, as_json=as_json)


@app.command("import")
def import_file(
    file: Annotated[str, typer.Argument(help="An exported campaign.")],
    as_json: AsJson = False,
) -> None:
    """Import an exported campaign as a new one."""
    from referee.cli.campaigns import import_file as import_campaign

    import_campaign(file, as_json=as_json)


@app.command()
def backup(file: Annotated[str, typer.Argument(help="A new file.")], as_json: AsJson = False) -> None:
    """Back up everything to one file; play can continue meanwhile."""
    from referee.cli.campaigns import backup as copy_all

    copy_all(file, as_json=as_json)


@app.command("copy")
def copy_campaigns(
    source: Annotated[str, typer.Argument(help="A database file, or a PostgreSQL address.")],
    target: Annotated[str, typer.Argument(help="Another one; it is made if it is a file that does not exist.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be copied.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy every campaign to another database; those it has already are left alone."""
    from referee.cli.campaigns import copy_campaigns as copy_all

    copy_all(source, target, dry_run=dry_run, as_json=as_json)


@app.command()
def restore(
    file: Annotated[str, typer.Argument(help="A backup.")],
    despite: Annotated[
        bool, typer.Option("--ignore-problems", help="Restore even if part of the backup cannot be read.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Replace everything with a backup; the old data is kept, never deleted."""
    from referee.cli.campaigns import restore as put_back

    put_back(file, despite=despite, as_json=as_json)


@app.command()
def upgrade(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be done.")] = False,
    as_json: AsJson = False,
) -> None:
    """Upgrade the database of an older Referee; a copy is made first."""
    from referee.cli.campaigns import upgrade as climb

    climb(dry_run=dry_run, as_json=as_json)
