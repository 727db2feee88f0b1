"""Prints the line of counts that `make test` adds up, and turns skips for want of a GPU into failures where
SPTRSV_REQUIRE_GPU=1 asks for one."""

from __future__ import annotations

import os
from typing import Any

import pytest


def needs_gpu(reason: str) -> None:
    """Ends a test, or a file of tests, that has no GPU or no library for it."""
    if os.environ.get("SPTRSV_REQUIRE_GPU") == "1":
        pytest.fail(f"{reason}, but SPTRSV_REQUIRE_GPU=1", pytrace=False)
    pytest.skip(reason)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    def count(*outcomes: str) -> int:
        return sum(len(terminalreporter.stats.get(outcome, [])) for outcome in outcomes)

    failed = count("failed", "error", "xpassed")
    terminalreporter.write_line(
        f"python: {count('passed')} passed, {failed} failed, {count('skipped', 'xfailed')} skipped"
    )
