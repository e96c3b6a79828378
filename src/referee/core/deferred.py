"""Results that wait until everyone who acts at the same time has acted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.core.plain import Plain, frozen, read
from referee.core.rules import Call, rule_named


@frozen
class Deferred:
    """Who caused it, and the rule that then runs, with any arguments."""

    by: str
    call: Call[Any]

    @classmethod
    def from_plain(cls, plain: Plain) -> Deferred:
        """`{by: ana, rule: an id, arguments: {who: bo, wp: 2}}`."""
        if isinstance(plain, Deferred):
            return plain
        fields: dict[str, Any] = read(dict[str, Any], plain)
        run = rule_named(read(str, fields.get("rule"), "rule"))
        given = fields.get("arguments") or {}
        arguments = run.arguments(given if isinstance(given, Mapping) else dict(given))
        return cls(read(str, fields.get("by"), "by"), run(*arguments))

    def to_plain(self) -> Plain:
        return {"by": self.by, "rule": self.call.rule.id, "arguments": self.call.plain()}
