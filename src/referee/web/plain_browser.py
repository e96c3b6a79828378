"""A browser without scripts, for checks that walk through pages: it opens them and sends their forms as they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPResponse
from typing import Final, final
from urllib.parse import urlencode, urlsplit

PATIENCE: Final = 60.0
"""Seconds for one page."""
NOTHING: Final[Mapping[str, str]] = {}
ALERTS: Final = ("div", "p")
"""The elements in which a page says what it refuses."""
REDIRECTS: Final = (302, 303, 307)


class PageRefused(Exception):
    """The server answers with a page that says why it does not do what was sent."""

    def __init__(self, status: int, because: str) -> None:
        super().__init__(because)
        self.status = status


@final
@dataclass
class Button:
    """What sends a form."""

    name: str = ""
    value: str = ""
    action: str = ""
    """Where it sends the form, if not where the form goes."""
    words: str = ""


@final
@dataclass
class PageForm:
    """A form as it stands: what would be sent if nobody touched it."""

    action: str
    method: str = "get"
    id: str = ""
    fields: list[tuple[str, str]] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    """The fields that must be filled in and are empty."""
    choices: dict[str, list[str]] = field(default_factory=dict)
    """What may be picked where one of several is."""

    def one(self, name: str) -> str:
        return next((value for key, value in reversed(self.fields) if key == name), "")

    def set(self, name: str, value: str) -> None:
        self.fields = [(key, each) for key, each in self.fields if key != name] + [(name, value)]


@final
class Page(HTMLParser):
    """A page, read for its forms and for what it refuses."""

    def __init__(self, address: str, text: str) -> None:
        super().__init__()
        self.address = address
        self.text = text
        self.forms: list[PageForm] = []
        self.problem = ""
        """What stands where a page says that something was refused."""
        self._form: PageForm | None = None
        self._button: Button | None = None
        self._buttons: list[tuple[str, Button]] = []
        self._field, self._options, self._text = "", list[tuple[str, bool]](), list[str]()
        self._value: str | None = None
        self._alert_in = list[str]()
        """The element that says so, as often as it is open."""
        self._tag = ""
        self.feed(text)
        named = {each.id: each for each in self.forms if each.id}
        for where, button in self._buttons:
            if where in named:
                named[where].buttons.append(button)

    def to(self, end: str) -> list[PageForm]:
        """The forms that go to addresses with an end."""
        return [each for each in self.forms if urlsplit(each.action).path.endswith(end)]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._tag = tag
        is_alert = tag in ALERTS and "problem" in given.get("class", "").split()
        if tag in self._alert_in or (is_alert and not self._alert_in):
            self._alert_in.append(tag)
        if tag == "form":
            self._form = PageForm(given.get("action", self.address), given.get("method", "get"), given.get("id", ""))
            self.forms.append(self._form)
        elif tag == "button" and "disabled" not in given and given.get("type", "submit") == "submit":
            self._button = Button(given.get("name", ""), given.get("value", ""), given.get("formaction", ""))
            if "form" in given:
                self._buttons.append((given["form"], self._button))
            elif self._form is not None:
                self._form.buttons.append(self._button)
        elif self._form is not None and "disabled" not in given:
            self._handle_field(self._form, tag, given)

    def _handle_field(self, form: PageForm, tag: str, given: dict[str, str]) -> None:
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "input":
            kind = given.get("type", "text")
            value = given.get("value", "on" if kind in ("radio", "checkbox") else "")
            if kind == "radio":
                form.choices.setdefault(name, []).append(value)
            if kind in ("radio", "checkbox"):
                if "checked" in given:
                    form.fields.append((name, value))
            elif kind not in ("submit", "file") and name:
                form.fields.append((name, value))
            if "required" in given and not value and kind not in ("radio", "checkbox"):
                form.required.append(name)
        elif tag == "select":
            self._field, self._options = name, []
        elif tag == "option":
            self._text, self._value = [], given.get("value")
            self._options.append((self._value or "", "selected" in given))
        elif tag == "textarea":
            self._field, self._text = name, []

    def handle_data(self, data: str) -> None:
        self._text.append(data)
        if self._button is not None:
            self._button.words += data
        if self._alert_in and self._tag != "a":
            self.problem = " ".join(f"{self.problem} {data}".split())

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""
        if tag in self._alert_in:
            self._alert_in.pop()
        if tag == "form":
            self._form = None
        elif tag == "button":
            self._button = None
        elif self._form is not None:
            self._end_field(self._form, tag)

    def _end_field(self, form: PageForm, tag: str) -> None:
        if tag == "option" and self._value is None and self._options:
            self._options[-1] = ("".join(self._text).strip(), self._options[-1][1])
        elif tag == "select" and self._options:
            form.choices[self._field] = [value for value, _ in self._options]
            chosen = [value for value, is_chosen in self._options if is_chosen]
            form.fields.append((self._field, (chosen or form.choices[self._field])[0]))
            self._options = []
        elif tag == "textarea":
            form.fields.append((self._field, "".join(self._text).removeprefix("\n")))


@final
class PlainBrowser:
    """Opens pages of one server and sends their forms; it keeps the cookie of its seats."""

    def __init__(self, host: str, port: int) -> None:
        self.origin = f"http://{host}:{port}"
        self._connection = HTTPConnection(host, port, timeout=PATIENCE)
        self.cookies: dict[str, str] = {}

    def open(self, address: str) -> Page:
        return self._ask("GET", address)

    def send(self, form: PageForm, given: Mapping[str, str] = NOTHING, button: Button | None = None) -> Page:
        """Send a form as it stands but for what is given, by its own first button or another; the page it leads to."""
        pressed = button or next((each for each in form.buttons if not each.action), Button())
        said = {**given, **({pressed.name: pressed.value} if pressed.name else {})}
        fields = [(name, value) for name, value in form.fields if name not in said] + list(said.items())
        return self.post(pressed.action or form.action, fields)

    def post(self, address: str, fields: list[tuple[str, str]]) -> Page:
        return self._ask("POST", address, urlencode(fields))

    def close(self) -> None:
        self._connection.close()

    def _ask(self, method: str, address: str, body: str | None = None) -> Page:
        headers = dict(self._headers(method))
        self._connection.request(method, address, body, headers)
        answer = self._connection.getresponse()
        text = answer.read().decode()
        self._keep_cookies(answer)
        if answer.status in REDIRECTS:
            return self._ask("GET", answer.headers["Location"])
        page = Page(address, text)
        if answer.status >= 400:
            raise PageRefused(answer.status, page.problem or f"{answer.status} {answer.reason}")
        return page

    def _headers(self, method: str) -> Iterator[tuple[str, str]]:
        if self.cookies:
            yield "Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method == "POST":
            yield "Origin", self.origin
            yield "Content-Type", "application/x-www-form-urlencoded"

    def _keep_cookies(self, answer: HTTPResponse) -> None:
        for each in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = each.partition(";")[0].partition("=")
            self.cookies[name] = value
