"""The examples, as programs of their own, and what they print."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def output(name, *arguments):
    command = [sys.executable, "-W", "error", EXAMPLES / name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_tested():
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == ["01_solve.py", "02_ilu_cg.py"]


def test_solve():
    assert output("01_solve.py") == "x = [1. 2. 3.]\nhalf of it: [0.5 1.  1.5]\n"


def test_ilu_cg():
    text = output("02_ilu_cg.py", "60")
    plain, preconditioned = map(int, re.search(r"3600 unknowns: (\d+) iterations without, (\d+) with", text).groups())
    assert 0 < 4 * preconditioned < plain
    assert float(re.search(r"residual (\S+)", text)[1]) < 1e-7
    assert int(re.search(r"(\d+) levels", text)[1]) > 60
