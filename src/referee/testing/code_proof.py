"""`make code-proof`: change one comparison, operator or condition of a system's code at a time, and list those whose
change no test noticed.

The scenarios that come to the changed place are played first; pytest runs only for the changes that none of them
noticed. Every change is tried in a process of its own, which ends with it. What no play can tell from the code as it
is, `tests/equivalent_changes.yaml` lists with the reason; those changes are not tried.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import gc
import json
import os
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from types import CodeType, FunctionType
from typing import Final, NoReturn, TypeAlias, TypeVar, final

from referee import registry
from referee.core.files import load_all_yaml, load_yaml_file
from referee.core.plain import Plain
from referee.core.rulebook import PROOF
from referee.core.trace import note, watching
from referee.testing.proof import FAILED, FEW, PASSED, SCENARIOS, Noticed, differs, run_pytest
from referee.testing.scenarios import check

T = TypeVar("T")

SECONDS: Final = 120
"""CPU seconds after which a change counts as noticed: a loop it has made endless ends no test."""
SCENARIO_SECONDS: Final = 30
"""The same where only scenarios are played, all of which take less in any system."""
NOT_MADE: Final = 70
PROVES_NOTHING: Final = (4, 5, NOT_MADE)
"""Exit codes of a change that was not tried: pytest knows no such test, or has run none; the code was not changed."""
MARK: Final = "__came_to__"
EQUIVALENT: Final = Path("tests/equivalent_changes.yaml")
SWAPS: Final[dict[type[ast.AST], type[ast.AST]]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
"""What stands in for an operator. A condition is turned around; `not` is left out."""
BESIDE: Final = ("tests/forecast/test_turn_rows.py", "tests/systems/test_catalogues.py")
"""Tests beside those of a system that play its code."""
Site: TypeAlias = tuple[int, int]
"""Which node of a module, counted in the order of `ast.walk`, and which of its operators."""


@final
@dataclass(frozen=True)
class CodeChange:
    """One expression of a module, and a different one for it."""

    file: Path
    function: str
    line: int
    site: Site
    was: str
    now: str

    @property
    def place(self) -> str:
        """Which expression it is; two changes may be made to the same one."""
        return f"{self.file}#{self.site[0]}"

    @property
    def module(self) -> str:
        return self.file.as_posix().rpartition("systems/")[2]

    @property
    def key(self) -> tuple[str, str, str]:
        """What still names it when lines move: module, function and both expressions."""
        return self.module, self.function, f"{self.was} -> {self.now}"

    def __str__(self) -> str:
        return f"{self.module}:{self.line} ({self.function}): {self.was} -> {self.now}"


def equivalent_changes(file: Path = EQUIVALENT) -> dict[tuple[str, str, str], str]:
    """The changes that no play can notice, by their keys, and why not."""
    return {
        (module, function, change): reason
        for module, functions in load_yaml_file(file).items()
        for function, reasons in functions.items()
        for change, reason in reasons.items()
    }


def code_changes(file: Path) -> Iterator[CodeChange]:
    """Every comparison, operator and condition in the functions of a module, changed."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    functions = dict(_inside_functions(tree, ""))
    conditions = {id(test) for node in ast.walk(tree) for test in _conditions(node)}
    for at, node in enumerate(ast.walk(tree)):
        if id(node) in functions and isinstance(node, ast.expr):
            for which, changed in enumerate(_changed(node, is_condition=id(node) in conditions)):
                was, now = ast.unparse(node), ast.unparse(changed)
                yield CodeChange(file, functions[id(node)], node.lineno, (at, which), was, now)


def _inside_functions(node: ast.AST, function: str) -> Iterator[tuple[int, str]]:
    """What runs when a function is called, with the function's name; annotations and defaults do not."""
    for name, value in ast.iter_fields(node):
        inner = function
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            own = "lambda" if isinstance(node, ast.Lambda) else node.name
            inner = f"{function}.{own}".lstrip(".") if name == "body" else function
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                if inner:
                    yield id(child), inner
                yield from _inside_functions(child, inner)


def _conditions(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.comprehension):
        return node.ifs
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return [node.test]
    return [node.guard] if isinstance(node, ast.match_case) and node.guard else []


def _changed(node: ast.expr, *, is_condition: bool) -> Iterator[ast.expr]:
    """The expressions that may stand in for one."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
        return
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            other = copy.copy(node)
            other.ops = [*node.ops[:at], _swapped(op), *node.ops[at + 1 :]]
            yield other
    elif isinstance(node, ast.BinOp) and type(node.op) in SWAPS:
        yield ast.copy_location(ast.BinOp(node.left, _swapped(node.op), node.right), node)
    elif isinstance(node, ast.BoolOp):
        yield ast.copy_location(ast.BoolOp(_swapped(node.op), node.values), node)
    elif is_condition:
        yield ast.copy_location(ast.UnaryOp(ast.Not(), node), node)


def _swapped(op: T) -> T:
    found: object = SWAPS[type(op)]()  # type: ignore[index]  # operators only
    return found  # type: ignore[return-value]  # of the same family


@final
class _Replace(ast.NodeTransformer):
    """Replaces some expressions of a module, counted in the order of `ast.walk`."""

    def __init__(self, tree: ast.Module, sites: Mapping[int, Callable[[ast.expr], ast.expr]]) -> None:
        self._by_id = {id(node): sites[at] for at, node in enumerate(ast.walk(tree)) if at in sites}

    def visit(self, node: ast.AST) -> ast.AST:
        replaced = self._by_id.get(id(node))
        found = super().visit(node)
        return replaced(found) if replaced else found


def make(change: CodeChange) -> None:
    """Let the code run with a change, in this process."""
    at, which = change.site

    def changed(node: ast.expr) -> ast.expr:
        # What is listed as a condition is one; an operator yields the same either way.
        return list(_changed(node, is_condition=True))[which]

    _swap(change.file, {at: changed})


def mark(changes: Iterable[CodeChange]) -> None:
    """Let the code say, to whoever is watching, which of these places it comes to."""
    setattr(builtins, MARK, note)
    by_file: dict[Path, dict[int, Callable[[ast.expr], ast.expr]]] = {}
    for change in changes:
        by_file.setdefault(change.file, {})[change.site[0]] = _marking(change.place)
    for file, sites in by_file.items():
        _swap(file, sites)


def _marking(place: str) -> Callable[[ast.expr], ast.expr]:
    def marked(node: ast.expr) -> ast.expr:
        said = ast.Call(ast.Name(MARK, ast.Load()), [ast.Constant(place)], [])
        return ast.fix_missing_locations(ast.copy_location(ast.BoolOp(ast.Or(), [said, node]), node))

    return marked


def _swap(file: Path, sites: Mapping[int, Callable[[ast.expr], ast.expr]]) -> None:
    """Give the functions of a module that is loaded the code it would have with some expressions replaced."""
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    _Replace(tree, sites).visit(tree)
    pairs = zip(
        _codes(_compiled(ast.parse(text), file)), _codes(_compiled(ast.fix_missing_locations(tree), file)), strict=True
    )
    now = {was: code for was, code in pairs if was != code}
    path = str(file.resolve())
    gc.unfreeze()  # what a server in this process has put aside would not be listed
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == path and each.__code__ in now:
            each.__code__ = now[each.__code__]


def _compiled(tree: ast.Module, file: Path) -> CodeType:
    return compile(tree, str(file.resolve()), "exec", dont_inherit=True)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield each
            yield from _codes(each)


def spread(found: Sequence[T], most: int) -> list[T]:
    """At most so many of them, evenly spread and always the same ones."""
    count = min(most, len(found))
    return [found[at * len(found) // count] for at in range(count)]


def read_scenarios(files: Iterable[Path]) -> list[Plain]:
    texts = (file.read_text(encoding="utf-8") for file in files)
    return [plain for text in texts for plain, _ in load_all_yaml(text) if plain is not None]


def scenarios_coming_to(scenarios: Sequence[Plain], changes: Iterable[CodeChange]) -> dict[str, list[int]]:
    """Which scenarios come to each place, the fastest first; they are played in a process of their own."""

    def played() -> dict[str, list[int]]:
        mark(changes)
        found: list[tuple[float, int, set[str]]] = []
        for at, scenario in enumerate(scenarios):
            began = process_time()
            with watching(set()) as seen:
                if different := check(scenario).differences:
                    sys.exit(f"a scenario does not play as it says: {different[0]}")
            found.append((process_time() - began, at, seen))
        return _by_place((at, seen) for _, at, seen in sorted(found, key=lambda each: each[0]))

    return _apart(played)


def tests_coming_to(arguments: Sequence[str], changes: Iterable[CodeChange]) -> dict[str, list[str]]:
    """Which pytest tests come to each place, the fastest first."""

    def played() -> dict[str, list[str]]:
        mark(changes)
        os.environ[PROOF] = "{}"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "exercised.json"
            if run_pytest(["-n", "0", "--exercised", str(file), *arguments]) != PASSED:
                sys.exit(f"the tests do not pass: pytest {' '.join(arguments)}")
            return _by_place((test, seen) for test, seen in json.loads(file.read_text(encoding="utf-8")).items())

    return _apart(played)


def _by_place(played: Iterable[tuple[T, Iterable[str]]]) -> dict[str, list[T]]:
    cited: dict[str, list[T]] = {}
    for each, seen in played:
        for place in seen:
            cited.setdefault(place, []).append(each)
    return cited


def _apart(work: Callable[[], dict[str, list[T]]]) -> dict[str, list[T]]:
    """What a function returns, worked out in a process that ends with it."""
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        child = os.fork()
        if not child:
            code = 70
            try:
                file.write_text(json.dumps(work()), encoding="utf-8")
                code = 0
            except SystemExit as why:
                print(why, file=sys.stderr, flush=True)
            finally:
                os._exit(code)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
            sys.exit(1)
        found: dict[str, list[T]] = json.loads(file.read_text(encoding="utf-8"))
        return found


@final
class CodeProver:
    """Tries changes, several at once, each in its own child process, on what comes to their places."""

    def __init__(self, noticed: Noticed, at_once: int = os.cpu_count() or 1) -> None:
        self.noticed = noticed
        self.at_once = at_once

    def missed(
        self,
        changes: Iterable[CodeChange],
        coming: Mapping[str, Sequence[T]],
        play: Callable[[Sequence[T]], int],
        seconds: int = SECONDS,
    ) -> list[CodeChange]:
        """The changes that nothing noticed of what comes to their places; each has so many seconds of CPU time."""
        missed: list[CodeChange] = []
        running: dict[int, CodeChange] = {}
        for change in changes:
            running[_start(change, coming.get(change.place, ()), play, seconds)] = change
            while len(running) >= self.at_once:
                self._finish_one(running, missed)
        while running:
            self._finish_one(running, missed)
        return missed

    def _finish_one(self, running: dict[int, CodeChange], missed: list[CodeChange]) -> None:
        """A change is missed if all passed; failing, crashing and never ending are ways to notice it."""
        child, status = os.wait()
        change = running.pop(child)
        code = os.waitstatus_to_exitcode(status)
        if code in PROVES_NOTHING:
            sys.exit(f"{change} could not be tried: it ended with {code}")
        if code == PASSED:
            missed.append(change)
        else:
            self.noticed.add(change)
        print("." if change in self.noticed else "?", end="", flush=True)


def _start(change: CodeChange, coming: Sequence[T], play: Callable[[Sequence[T]], int], seconds: int) -> int:
    sys.stdout.flush()
    child = os.fork()
    return child or _tried(change, coming, play, seconds)


def _tried(change: CodeChange, coming: Sequence[T], play: Callable[[Sequence[T]], int], seconds: int) -> NoReturn:
    """Play the few fastest first, which notice most changes, then all others."""
    code = NOT_MADE
    with suppress(BaseException):
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        make(change)
        code = FAILED  # if playing it crashes
        code = next((found for batch in (coming[:FEW], coming[FEW:]) if batch and (found := play(batch))), PASSED)
    os._exit(code)


def main() -> None:
    """Try `--most` changes, spread over the modules of a system."""
    parser = argparse.ArgumentParser(prog="code-proof", description=__doc__)
    parser.add_argument("system", choices=registry.OURS)
    parser.add_argument("--most", type=int, default=sys.maxsize)
    parser.add_argument("--keep", type=Path, help="a file of the changes noticed so far, which are not tried again")
    parser.add_argument("--scenarios", action="store_true", help="play scenarios only, and list what they missed")
    given, tests = parser.parse_known_args()
    folder = registry.load(given.system).folder
    found = [change for file in sorted(folder.rglob("*.py")) for change in code_changes(file)]
    chosen, noticed, equivalent = spread(found, given.most), Noticed(given.keep), equivalent_changes()
    left = [change for change in chosen if change.key not in equivalent]
    print(f"equivalent: {len(chosen) - len(left)} of {len(chosen)} changes ({EQUIVALENT} says why)", flush=True)
    tried = len(left)
    left = [change for change in left if change not in noticed]
    prover = CodeProver(noticed)
    if left:
        scenarios = read_scenarios(sorted((SCENARIOS / given.system).glob("*.yaml")))

        def play(batch: Sequence[int]) -> int:
            return FAILED if any(differs(scenarios[at]) for at in batch) else PASSED

        left = prover.missed(left, scenarios_coming_to(scenarios, left), play, SCENARIO_SECONDS)
    print(f"\nscenarios or an earlier run noticed {tried - len(left)} of {tried} changes", flush=True)
    if left and not given.scenarios:
        os.environ[PROOF] = "{}"  # property tests try the same examples each time
        left = prover.missed(
            left, tests_coming_to(tests or [f"tests/systems/{given.system}", *BESIDE], left), run_pytest
        )
    for change in left:
        print(f"\nunnoticed: {change}", end="")
    print(f"\nplaces changed: {tried} of {len(found)}, unnoticed: {len(left)}")
    sys.exit(1 if left else 0)


if __name__ == "__main__":
    main()
