"""What a server tells whoever runs it, and nobody else."""

from __future__ import annotations

import httpx
import pytest

from referee.table.hub import Hub
from referee.web.metrics import RequestCounts
from referee.web.server import Background
from referee.web.settings import ServerSettings


@pytest.mark.parametrize("is_on", [True, False])
def test_metrics_count_requests_without_names(hub: Hub, is_on: bool) -> None:
    with Background(hub, ServerSettings(port=0, metrics=is_on, odds_workers=0)) as server:
        httpx.get(f"{server.address}/join/SECRET-CODE")
        found = httpx.get(f"{server.address}/metrics")
        assert httpx.get(f"{server.address}/ready").json() == {"ready": True}
    if not is_on:
        assert found.status_code == 404
        return
    assert found.headers["content-type"].startswith("text/plain")
    assert "SECRET" not in found.text
    assert 'referee_requests_total{method="GET",path="/join/{code}",status="200"}' in found.text
    assert "referee_campaigns_in_memory 0" in found.text


def test_times_add_up_from_bucket_to_bucket() -> None:
    counts = RequestCounts()
    for seconds in (0.004, 0.02, 0.02, 30.0):
        counts.add("GET", "/", 200, seconds)
    lines = list(counts.lines())
    assert 'referee_requests_total{method="GET",path="/",status="200"} 4' in lines
    assert 'referee_request_seconds_bucket{path="/",le="0.005"} 1' in lines
    assert 'referee_request_seconds_bucket{path="/",le="0.025"} 3' in lines
    assert 'referee_request_seconds_bucket{path="/",le="10.0"} 3' in lines
    assert 'referee_request_seconds_bucket{path="/",le="+Inf"} 4' in lines
    assert 'referee_request_seconds_sum{path="/"} 30.044000' in lines
