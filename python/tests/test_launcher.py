"""`python -m sptrsv` and the script `sptrsv` are the command line of the library."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

import sptrsv
from sptrsv import __main__ as launcher

MODULE = [sys.executable, "-m", "sptrsv"]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def test_the_module_is_the_program():
    done = run(*MODULE, "--version")
    assert (done.returncode, done.stdout) == (0, f"sptrsv {sptrsv.__version__}\n")


def test_the_script_is_the_program():
    script = Path(sysconfig.get_path("scripts")) / "sptrsv"
    if not script.is_file():
        pytest.skip("the package is not installed, but unpacked: there is no script")
    assert run(script, "--version").stdout == f"sptrsv {sptrsv.__version__}\n"


def test_a_program_runs_with_its_own_exit_code_and_output():
    done = run(*MODULE, "run", "--", sys.executable, "-c", "print('hello'); raise SystemExit(7)")
    assert (done.returncode, done.stdout) == (7, "hello\n")


def test_what_cannot_be_taken_over_is_said():
    # The libraries of the wheel lie where the program looks for them: what is missing is a cuSPARSE.
    empty = {**os.environ, "PATH": "", "CUDA_PATH": "", "CUDA_HOME": ""}
    done = run(*MODULE, "run", "--report", "--", "/bin/true", env=empty)
    assert done.returncode == 0
    assert "there is no libsptrsv_spsv.so" not in done.stderr


def test_the_codes_of_the_program():
    assert run(*MODULE, "run", "--", "/no/such/program").returncode == 127
    assert run(*MODULE, "run", "--no-such-option").returncode == 125


def test_a_program_that_may_not_be_run(monkeypatch, capsys, tmp_path):
    for file, why in (
        (tmp_path / "none", "No such file or directory"),
        (tmp_path / "plain", "Permission denied; chmod"),
    ):
        if file.name == "plain":
            file.write_text("")
        monkeypatch.setattr(launcher, "PROGRAM", file)
        with pytest.raises(SystemExit) as caught:
            launcher.main()
        assert caught.value.code == launcher.OWN_FAILURE
        said = capsys.readouterr().err
        assert said.startswith(f"sptrsv: {file} cannot be run: {why}") and said.count("\n") == 1
