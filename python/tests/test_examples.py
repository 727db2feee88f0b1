"""The examples, as programs of their own, and what they print."""

from __future__ import annotations

import os
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
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == [
        "01_solve.py",
        "02_ilu_cg.py",
        "03_gpu.py",
        "04_preconditioners.py",
    ]


def test_solve():
    assert output("01_solve.py") == "x = [1. 2. 3.]\nhalf of it: [0.5 1.  1.5]\n"


def test_ilu_cg():
    text = output("02_ilu_cg.py", "60")
    plain, preconditioned = map(int, re.search(r"3600 unknowns: (\d+) iterations without, (\d+) with", text).groups())
    assert 0 < 4 * preconditioned < plain
    assert float(re.search(r"residual (\S+)", text)[1]) < 1e-7
    assert int(re.search(r"(\d+) levels", text)[1]) > 60


def test_gpu():
    """On a GPU where there is one and a library for it."""
    text = output("03_gpu.py", "100")
    place = "cuda:0" if os.environ.get("SPTRSV_REQUIRE_GPU") == "1" else "(host|cuda:0)"
    assert re.search(rf"10000 unknowns on {place}: \d+ levels, algorithm \w+", text), text
    assert float(re.search(r"residual (\S+)", text)[1]) < 1e-14


def test_preconditioners():
    text = output("04_preconditioners.py", "60")
    steps = {name.strip(): int(count) for name, count in re.findall(r"(.*): +(\d+) iterations", text)}
    assert list(steps) == ["none", "IC(0)", "symmetric Gauss-Seidel"]
    assert 0 < steps["IC(0)"] < steps["symmetric Gauss-Seidel"] < steps["none"] / 1.5
