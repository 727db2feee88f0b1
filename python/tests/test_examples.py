"""The examples, as programs of their own, and what they print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

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
        "05_amg.py",
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


def iterations(text):
    """Of the multigrid example, by problem and smoother."""
    line = r"^(poisson|anisotropic|elasticity) +\d+ +(\d+)  (\S+(?: \S+)*) +(\d+) +\S+ +\S+ +\S+$"
    found = re.findall(line, text, re.MULTILINE)
    assert all(int(levels) > 1 for _, levels, _, _ in found)
    return {(problem, smoother.strip()): int(count) for problem, _, smoother, count in found}


def test_amg(tmp_path):
    pytest.importorskip("pyamg")
    pytest.importorskip("matplotlib")
    small = ("--grid", "12", "--repeats", "1")
    text = output("05_amg.py", *small, "--plot", tmp_path / "amg.svg")
    assert os.environ.get("SPTRSV_REQUIRE_GPU") != "1" or "on the CPU" not in text
    steps = iterations(text)
    smoothers = ["symmetric Gauss-Seidel", "the same by colours", "Jacobi", "Chebyshev"]
    assert list(steps) == [(p, s) for p in ("poisson", "anisotropic", "elasticity") for s in smoothers]
    for problem in ("poisson", "anisotropic", "elasticity"):
        gauss_seidel, by_colours, jacobi, chebyshev = (steps[problem, smoother] for smoother in smoothers)
        assert 0 < gauss_seidel <= min(jacobi, chebyshev) < 30
        assert abs(by_colours - gauss_seidel) <= 4
    picture = (tmp_path / "amg.svg").read_text()
    assert all(smoother in picture for smoother in smoothers) and picture.count("unknowns") == 3
    # From a file, which needs no pyamg.
    stored = tmp_path / "amg.npz"
    assert "Jacobi" not in output("05_amg.py", *small, "--classical", "--save-hierarchy", stored)
    fewer = iterations(output("05_amg.py", "--host", "--repeats", "1", "--hierarchy", stored, "--problems", "poisson"))
    again = iterations(output("05_amg.py", *small, "--classical", "--problems", "poisson"))
    assert len(fewer) == 4 and all(abs(fewer[key] - count) <= 1 for key, count in again.items())
    assert 0 < fewer["poisson", smoothers[0]] < steps["poisson", smoothers[0]]
