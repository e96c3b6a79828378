"""A Firefox of the system's, driven through WebDriver BiDi: enough to open a page and to run a script on it."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import socket
import struct
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

WHERE: Final = shutil.which("firefox") or shutil.which("firefox-esr")
PATIENCE: Final = 60.0


class Firefox:
    """A headless Firefox with one tab."""

    def __init__(self, profile: Path) -> None:
        assert WHERE
        command = [WHERE, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
        assert self._process.stderr
        address = next(
            found[1] for line in self._process.stderr if (found := re.search(r"BiDi listening on (ws\S+)", line))
        )
        at = urlsplit(address)
        self._socket = socket.create_connection((at.hostname, at.port), PATIENCE)
        self._stream = self._socket.makefile("rb")
        self._count = 0
        self._shake_hands(f"{at.hostname}:{at.port}")
        self.send("session.new", capabilities={})
        self._tab = self.send("browsingContext.create", type="tab")["context"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, why: BaseException | None, where: TracebackType | None
    ) -> None:
        self._stream.close()
        self._socket.close()
        self._process.terminate()
        self._process.communicate(timeout=20)

    def cookie(self, name: str, value: str, domain: str) -> None:
        self.send(
            "storage.setCookie", cookie={"name": name, "value": {"type": "string", "value": value}, "domain": domain}
        )

    def resize(self, width: int, height: int) -> None:
        self.send("browsingContext.setViewport", context=self._tab, viewport={"width": width, "height": height})

    def open(self, address: str) -> None:
        self.send("browsingContext.navigate", context=self._tab, url=address, wait="complete")

    def run(self, script: str) -> Any:
        """The value of an expression on the page."""
        found = self.send(
            "script.evaluate",
            expression=f"JSON.stringify({script}) ?? 'null'",
            target={"context": self._tab},
            awaitPromise=True,
        )
        assert found["type"] == "success", found
        return json.loads(found["result"]["value"])

    def send(self, method: str, **params: Any) -> Any:
        self._count += 1
        self._write(json.dumps({"id": self._count, "method": method, "params": params}).encode())
        while True:
            reply = json.loads(self._read())
            if reply.get("id") == self._count:
                assert reply["type"] == "success", reply
                return reply["result"]

    # A web socket, as far as it is needed here: texts, in one frame each when sent.

    def _shake_hands(self, host: str) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = ["GET /session HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self._socket.sendall("\r\n".join(lines).encode())
        assert b"101" in self._stream.readline()
        while self._stream.readline().strip():
            pass

    def _write(self, text: bytes) -> None:
        mask = os.urandom(4)
        size = len(text)
        head = struct.pack("!BB", 0x81, 0x80 | size) if size < 126 else struct.pack("!BBH", 0x81, 0x80 | 126, size)
        self._socket.sendall(head + mask + bytes(each ^ mask[at % 4] for at, each in enumerate(text)))

    def _read(self) -> bytes:
        text, is_last = b"", False
        while not is_last:
            first, size = self._stream.read(2)
            is_last, size = bool(first & 0x80), size & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._stream.read(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._stream.read(8))
            text += self._stream.read(size)
        return text
