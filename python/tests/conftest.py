"""Prints the line of counts that `make test` adds up."""

from __future__ import annotations

from typing import Any


def pytest_terminal_summary(terminalreporter: Any) -> None:
    def count(*outcomes: str) -> int:
        return sum(len(terminalreporter.stats.get(outcome, [])) for outcome in outcomes)

    failed = count("failed", "error", "xpassed")
    terminalreporter.write_line(
        f"python: {count('passed')} passed, {failed} failed, {count('skipped', 'xfailed')} skipped"
    )
