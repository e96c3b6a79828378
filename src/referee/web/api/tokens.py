"""Tokens: how programs sign in."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from referee.table.access import digest
from referee.web.api.seats import SHORT, ShortId
from referee.web.errors import RESPONSES, not_found
from referee.web.routes import CAMPAIGN, CheckedRoute
from referee.web.sign_in import ActingVisitor, CurrentVisitor, secrets_of, set_cookie
from referee.web.state import server_state
from referee.wire import replies, requests

router = APIRouter(prefix=f"{CAMPAIGN}/tokens", tags=["tokens"], route_class=CheckedRoute, responses=RESPONSES)
PROGRAM: Final = "program: "


@router.post("", status_code=201, summary="A token for a program")
def new_token(visitor: ActingVisitor, sent: requests.NewToken, request: Request) -> replies.TokenSecret:
    """A program with this token may do what your seat may do. It is shown only this once."""
    visitor.check_seated()

    def make() -> replies.TokenSecret:
        secret = visitor.hub.new_token(visitor.campaign, visitor.seat, PROGRAM + sent.name)
        return replies.TokenSecret(id=digest(secret)[:SHORT], token=secret)

    return visitor.once(server_state(request).idempotency, make)


@router.get("", summary="The tokens of your seat")
def tokens(visitor: CurrentVisitor) -> replies.Tokens:
    visitor.check_seated()
    this = digest(visitor.secret)
    found = [
        {
            "id": each.digest[:SHORT],
            "name": each.kind.removeprefix(PROGRAM),
            "created": each.created,
            "expires": each.expires,
            "this": each.digest == this,
        }
        for each in visitor.hub.store.tokens(visitor.campaign)
        if each.seat == visitor.seat
    ]
    return replies.Tokens.model_validate({"tokens": found})


@router.delete("/{token}", status_code=204, summary="Revoke a token")
def revoke(visitor: ActingVisitor, token: ShortId, request: Request) -> Response:
    """Revoke a token of your seat; if it is the one sent with this request, this browser forgets the seat."""
    visitor.check_seated()
    for each in visitor.hub.store.tokens(visitor.campaign):
        if each.seat == visitor.seat and each.digest[:SHORT] == token:
            visitor.hub.revoke_token(each.digest)
            response = Response(status_code=204)
            secrets, by_cookie = secrets_of(request)
            if by_cookie:
                set_cookie(request, response, [secret for secret in secrets if digest(secret) != each.digest])
            return response
    raise not_found("your seat has no such token", where="token")
