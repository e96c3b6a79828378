"""How a screen becomes a page: a typed context for each template, fragments that are blocks of it, and no inline code.

A context is a dataclass that names its template. Everything a template shows is in its context, which it calls `it`;
words come from one file through `say`; everything is escaped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, final

import jinja2
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.bccache import Bucket, BytecodeCache
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from referee.core.modifiers import unit_words
from referee.core.wording import capital, spaced
from referee.core.words import Words

HERE: Final = Path(__file__).parent
STATIC: Final = HERE / "static"
TEMPLATES_FOLDER: Final = HERE / "templates"
WORDS: Final = Words(HERE / "words")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
FOREVER: Final = "public, max-age=31536000, immutable"


class Screen(Protocol):
    """The context of a template."""

    template: ClassVar[str]


def show(screen: Screen, status: int = 200, headers: Mapping[str, str] | None = None) -> HTMLResponse:
    """A whole page."""
    text = TEMPLATES.get_template(screen.template).render(it=screen)
    return HTMLResponse(text, status, {**HEADERS, **(headers or {})})


def part(screen: Screen, block: str) -> str:
    """A fragment: a named block of the page."""
    template = TEMPLATES.get_template(screen.template)
    return "".join(template.blocks[block](template.new_context({"it": screen})))


def show_part(screen: Screen, block: str, status: int = 200) -> HTMLResponse:
    return HTMLResponse(part(screen, block), status, HEADERS)


@lru_cache(maxsize=64)
def asset(name: str) -> str:
    """The address of a static file; it changes with the file, so that browsers may cache it."""
    digest = blake2b((STATIC / name).read_bytes(), digest_size=6).hexdigest()
    return f"/static/{name}?v={digest}"


class StaticAssets(StaticFiles):
    """Our static files. A file requested by its digest never changes, nor does a font."""

    def file_response(self, *args: Any, **kwargs: Any) -> Any:
        response = super().file_response(*args, **kwargs)
        scope: Scope = kwargs.get("scope") or next(each for each in args if isinstance(each, dict))
        if b"v=" in scope.get("query_string", b"") or scope["path"].endswith(".woff2"):
            response.headers["Cache-Control"] = FOREVER
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response


def percent(chance: float, error: float = 0.0) -> str:
    """A chance as people read it: never 0 % for what can happen, nor 100 % for what can fail.

    An estimate, which has an error, never reads either.
    """
    if 0 < chance < 0.01 or (error and not chance):
        return WORDS.say("odds.hardly")
    if 0.99 < chance < 1 or (error and chance == 1):
        return WORDS.say("odds.nearly")
    return WORDS.say("odds.percent", number=round(chance * 100))


def minus(text: str) -> str:
    """A figure as people read it: with a minus sign, not a hyphen."""
    return f"\N{MINUS SIGN}{text[1:]}" if text.startswith("-") and text[1:].isdecimal() else text


def share(chance: float) -> str:
    """A small chance in words."""
    return WORDS.say("odds.one-in", number=f"{round(1 / chance):,}")


def signed(number: int) -> str:
    """A modifier with its sign; minus is a real minus sign."""
    return f"+{number}" if number >= 0 else f"\N{MINUS SIGN}{-number}"


def measured(amount: int, unit: str) -> str:
    """A modifier with its sign and what it is counted in: +2 dice."""
    return f"{signed(amount)} {unit_words(amount, unit)}".strip()


def whose(what: str) -> str:
    """Something hidden in words: `Rusk.tried` becomes Rusk: tried."""
    return spaced(what.replace(".", ": "))


FILTERS: Final[Mapping[str, Callable[..., str]]] = {
    "capital": capital,
    "minus": minus,
    "percent": percent,
    "share": share,
    "signed": signed,
    "measured": measured,
    "whose": whose,
}


@final
class CompiledTemplates(BytecodeCache):
    """Compiled templates, kept where Python keeps compiled modules.

    Not used is what was compiled from another text, by another Jinja, or with other filters, which run while compiling
    on what is constant.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        modules = sorted({str(sys.modules[each.__module__].__file__) for each in FILTERS.values()})
        made_by = jinja2.__version__.encode() + b"".join(Path(each).read_bytes() for each in modules)
        self._compiler = blake2b(made_by, digest_size=8).hexdigest()

    def load_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError), self._file(bucket).open("rb") as file:
            bucket.load_bytecode(file)

    def dump_bytecode(self, bucket: Bucket) -> None:
        if sys.dont_write_bytecode:
            return
        file = self._file(bucket)
        written = file.with_suffix(f".{os.getpid()}")
        with suppress(OSError):  # as with modules: who may not write compiles again
            file.parent.mkdir(parents=True, exist_ok=True)
            written.write_bytes(bucket.bytecode_to_string())
            written.replace(file)

    def _file(self, bucket: Bucket) -> Path:
        return Path(cache_from_source(str(self.folder / f"{bucket.key[:16]}-{self._compiler}.py")))


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(TEMPLATES_FOLDER),
        bytecode_cache=CompiledTemplates(TEMPLATES_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {"say": WORDS.say, "asset": asset}
    made.filters |= FILTERS
    made.globals["parts"] = made.get_template("parts.html").module
    return made


TEMPLATES: Final = _environment()
