"""Work on a GPU up to the calls of the driver, on every machine with a C compiler.

The stand-in for the driver that the C tests have answers, and kernels do nothing. Each case of standin_cases.py is a
program of its own.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import standin_cases

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def standin(tmp_path_factory):
    compiler = shutil.which("cc") or shutil.which("gcc")
    source = HERE.parent.parent / "c_tests" / "standin" / "libcuda.c"
    if not compiler or not source.is_file():
        pytest.skip("there is no C compiler, or no stand-in for the driver, to build the tests of streams with")
    folder = tmp_path_factory.mktemp("standin")
    command = [compiler, "-std=c11", "-fPIC", "-shared", "-Wl,-soname,libcuda.so.1"]
    subprocess.run([*command, "-o", folder / "libcuda.so.1", HERE / "standin.c"], check=True)
    return folder


@pytest.mark.parametrize("case", standin_cases.CASES)
def test_on_the_standin(standin, case):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(standin)}
    done = subprocess.run(
        [sys.executable, HERE / "standin_cases.py", case], env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_a_driver(tmp_path):
    """One line that says what is missing, and that the host executor is there."""
    script = "import fakes, numpy as np, scipy.sparse as sp, sptrsv, sys\n" + (
        "array = lambda a: fakes.DlpackArray(a, (2, 0))\n"
        "try:\n"
        "    sptrsv.analyse(fakes.sparse(sp.csr_array(np.eye(3)), array))\n"
        "except sptrsv.NoGpuError as e:\n"
        "    print(e)\n"
    )
    # Whatever the machine has: an empty file hides its driver.
    (tmp_path / "libcuda.so.1").write_bytes(b"")
    environment = {**os.environ, "LD_LIBRARY_PATH": str(tmp_path), "PYTHONPATH": str(HERE)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ("no usable NVIDIA GPU: libcuda.so.1 was not found; the host executor works without one\n"), (
        done.stderr
    )
