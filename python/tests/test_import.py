"""What an import takes, and what it says where it fails."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sptrsv

PACKAGE = Path(sptrsv.__file__).parent
FILES = PACKAGE / "lib"


def run(script, **environment):
    command = [sys.executable, "-c", script]
    return subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=60)


def test_an_import_takes_numpy_only():
    done = run("import sys, sptrsv; print([m for m in ('scipy', 'cupy', 'torch') if m in sys.modules])")
    assert done.stdout == "[]\n", done.stderr


def test_another_libsptrsv_on_the_machine_is_not_taken(tmp_path):
    (tmp_path / "libsptrsv.so").write_text("not a library")
    done = run("import sptrsv; print(sptrsv.__version__)", LD_LIBRARY_PATH=str(tmp_path))
    assert done.stdout == f"{sptrsv.__version__}\n", done.stderr


@pytest.fixture
def copy(tmp_path):
    """The package without its libraries."""
    shutil.copytree(PACKAGE, tmp_path / "sptrsv", ignore=shutil.ignore_patterns("lib", "bin", "__pycache__"))
    return tmp_path


def last_line(done):
    assert done.returncode == 1
    return done.stderr.splitlines()[-1]


def test_without_a_library(copy):
    line = last_line(run("import sptrsv", PYTHONPATH=str(copy)))
    assert line == (
        f"ImportError: {copy}/sptrsv/lib must hold one libsptrsv.so, but it holds 0: install the wheel anew"
    )


def test_a_library_that_cannot_be_loaded(copy):
    """As one that needs a newer glibc: the loader's sentence names what is wrong."""
    (copy / "sptrsv" / "lib").mkdir()
    (copy / "sptrsv" / "lib" / "libsptrsv.so").write_text("not a library")
    line = last_line(run("import sptrsv", PYTHONPATH=str(copy)))
    assert line.startswith(f"ImportError: libsptrsv.so cannot be loaded here: {copy}/sptrsv/lib/libsptrsv.so: ")


@pytest.mark.parametrize("name", sorted(file.name for file in FILES.iterdir()))
def test_every_library_loads(name):
    """They find one another where pip puts them."""
    done = run(f"import ctypes; ctypes.CDLL({str(FILES / name)!r})", LD_LIBRARY_PATH="")
    assert done.returncode == 0, done.stderr
