"""What the wheel holds, and that its name says what it needs. SPTRSV_WHEEL is the wheel."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import subprocess
import zipfile

import pytest

WHEEL = os.environ.get("SPTRSV_WHEEL")

if not WHEEL:
    pytest.skip("SPTRSV_WHEEL names no wheel", allow_module_level=True)


@pytest.fixture(scope="module")
def wheel():
    with zipfile.ZipFile(WHEEL) as file:
        yield file


def names(wheel, folder):
    return sorted(name for name in wheel.namelist() if name.startswith(folder))


def test_files(wheel):
    assert names(wheel, "sptrsv/bin/") == ["sptrsv/bin/sptrsv"]
    assert names(wheel, "sptrsv/include/") == ["sptrsv/include/sptrsv.h", "sptrsv/include/sptrsv_cusparse.h"]
    libraries = [re.sub(r"\.so[.0-9]*$", ".so", name) for name in names(wheel, "sptrsv/lib/")]
    assert libraries == ["sptrsv/lib/libsptrsv.so", "sptrsv/lib/libsptrsv_cusparse.so", "sptrsv/lib/libsptrsv_spsv.so"]
    assert {"sptrsv/py.typed", "sptrsv/LICENSE-MIT", "sptrsv/LICENSE-APACHE"} <= set(wheel.namelist())
    assert not [name for name in wheel.namelist() if "__pycache__" in name]


def test_size():
    assert os.path.getsize(WHEEL) <= 25_000_000


def test_the_program_may_be_run(wheel):
    assert wheel.getinfo("sptrsv/bin/sptrsv").external_attr >> 16 & 0o777 == 0o755


def test_the_record(wheel):
    record = next(name for name in wheel.namelist() if name.endswith(".dist-info/RECORD"))
    rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
    assert {row[0] for row in rows} == set(wheel.namelist())
    for name, digest, size in rows:
        if name != record:
            data = wheel.read(name)
            expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={expected}", len(data)), name


def needs(path, option):
    return subprocess.run(["objdump", option, path], check=True, capture_output=True, text=True).stdout


def test_the_tag_and_what_the_files_need(wheel, tmp_path):
    """By objdump, where the build goes by readelf."""
    name = os.path.basename(WHEEL)
    tag = re.fullmatch(r"sptrsv-[^-]+-py3-none-manylinux_(\d+)_(\d+)_(x86_64|aarch64)\.whl", name)
    assert tag, name
    newest = (0, 0)
    allowed = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d|ld-linux-[-\w]+\.so\.\d|libsptrsv\.so[.\d]*")
    inside = {os.path.basename(file) for file in names(wheel, "sptrsv/lib/")}
    for file in [*names(wheel, "sptrsv/lib/"), *names(wheel, "sptrsv/bin/")]:
        path = wheel.extract(file, tmp_path)
        versions = re.findall(r"\(?GLIBC_(\d+)\.(\d+)", needs(path, "-T"))
        assert versions, file
        newest = max([newest, *((int(a), int(b)) for a, b in versions)])
        headers = needs(path, "-p")
        needed = re.findall(r"NEEDED\s+(\S+)", headers)
        assert needed and all(allowed.fullmatch(library) for library in needed), (file, needed)
        assert all(library in inside for library in needed if library.startswith("libsptrsv")), (file, needed)
        assert "no symbols" in needs(path, "-t"), f"{file} is not stripped"
        assert re.search(rf"architecture: .*{tag[3].replace('_', '.')}", needs(path, "-f")), file
    assert newest == (int(tag[1]), int(tag[2]))
    text = wheel.read(next(name for name in wheel.namelist() if name.endswith(".dist-info/WHEEL"))).decode()
    assert f"Tag: py3-none-manylinux_{tag[1]}_{tag[2]}_{tag[3]}\n" in text
    assert "Root-Is-Purelib: false\n" in text


def test_metadata(wheel):
    text = wheel.read(next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))).decode()
    needed = re.findall(r"^Requires-Dist: (\w+)", text, re.MULTILINE)
    assert needed == ["numpy"]
    assert "License-Expression: MIT OR Apache-2.0\n" in text
