"""Every scenario file is a test: `pytest tests/scenarios/alien/push.yaml`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.testing.scenarios import check_file


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    return ScenarioFile.from_parent(parent, path=file_path) if file_path.suffix == ".yaml" else None


class ScenarioFile(pytest.File):
    """A file of scenarios; it is read when it is played."""

    def collect(self) -> Iterator[pytest.Item]:
        yield ScenarioItem.from_parent(self, name="plays as it says")


class ScenarioItem(pytest.Item):
    """The scenarios of one file, played one after another."""

    def runtest(self) -> None:
        reports = check_file(self.path)
        found = [f"{report.title}, line {d.line}: {d}" for report in reports for d in report.differences]
        if found or not any(report.steps for report in reports):
            pytest.fail("\n".join(found) or "nothing is played", pytrace=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.path.parent.name}/{self.path.stem}"
