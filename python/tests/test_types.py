"""The annotations hold, and programs that use the package see them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

CONFIG = Path(__file__).parent.parent / "pyproject.toml"
PROGRAM = """
import sptrsv
solver = sptrsv.analyse(None, lower=True, trans="N")
reveal_type(solver.stats.levels)
reveal_type(solver.zero_pivot())
sptrsv.analyse(None, trans="C")
"""


def mypy(*arguments, folder):
    command = [sys.executable, "-m", "mypy", "--config-file", CONFIG, "--cache-dir", folder, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder)


def test_the_package(tmp_path):
    done = mypy("-p", "sptrsv", folder=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_program(tmp_path):
    done = mypy("-c", PROGRAM, folder=tmp_path)
    assert 'Revealed type is "int"' in done.stdout, done.stdout + done.stderr
    assert 'Revealed type is "int | None"' in done.stdout or "Union[int, None]" in done.stdout
    assert "incompatible type \"Literal['C']\"" in done.stdout
