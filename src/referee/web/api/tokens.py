"""Tokens: what programs show to be let in."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from referee.table.access import digest
from referee.web.api.seats import SHORT, ShortId
from referee.web.errors import RESPONSES, not_found
from referee.web.limits import CheckedRoute
from referee.web.sign_in import Looking, Table, secrets_of, set_cookie
from referee.web.state import served
from referee.wire import replies, requests

router = APIRouter(
    prefix="/campaigns/{campaign}/tokens", tags=["tokens"], route_class=CheckedRoute, responses=RESPONSES
)
PROGRAM: Final = "program: "


@router.post("", status_code=201, summary="A token for a program")
def new_token(here: Table, sent: requests.NewToken, request: Request) -> replies.TokenSecret:
    """A program that shows it may do what your seat may do. It is told this once."""

    def make() -> replies.TokenSecret:
        secret = here.hub.give_token(here.campaign, here.seat, PROGRAM + sent.name)
        return replies.TokenSecret(id=digest(secret)[:SHORT], token=secret)

    return here.once(served(request).repeats, make)


@router.get("", summary="The tokens of your seat")
def tokens(here: Looking) -> replies.Tokens:
    this = digest(here.secret)
    found = [
        {
            "id": each.digest[:SHORT],
            "name": each.kind.removeprefix(PROGRAM),
            "created": each.created,
            "expires": each.expires,
            "this": each.digest == this,
        }
        for each in here.hub.store.tokens(here.campaign)
        if each.seat == here.seat
    ]
    return replies.Tokens.model_validate({"tokens": found})


@router.delete("/{token}", status_code=204, summary="Revoke a token")
def revoke(here: Table, token: ShortId, request: Request) -> Response:
    """One of your seat's; with the one you show, this browser forgets the seat."""
    for each in here.hub.store.tokens(here.campaign):
        if each.seat == here.seat and each.digest[:SHORT] == token:
            here.hub.store.revoke_token(each.digest)
            response = Response(status_code=204)
            secrets, by_cookie = secrets_of(request)
            if by_cookie:
                set_cookie(request, response, [secret for secret in secrets if digest(secret) != each.digest])
            return response
    raise not_found("your seat has no such token", where="token")
