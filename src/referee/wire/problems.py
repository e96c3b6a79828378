"""What is answered when something goes wrong: one shape for every error."""

from __future__ import annotations

from pydantic import BaseModel, Field


class ErrorReply(BaseModel):
    """What went wrong, in one shape for every error."""

    error: str = Field(description="What kind of error this is; programs go by it.", examples=["refused"])
    message: str = Field(description="A sentence for people.", examples=["push: a stress die shows 1"])
    rule: str | None = Field(default=None, description="The rule that says so.", examples=["alien.push.restrictions"])
    legal: list[str] = Field(default=[], description="What would be legal instead.")
    where: str | None = Field(default=None, description="The part of what was sent that does not fit.")
