"""Puts what cargo has built into the wheel, stripped, and names the platform that these files need.

SPTRSV_BUILT is the folder that cargo builds into, target/release.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = "libsptrsv.so"
# They need the library, and find it beside them by its SONAME.
DOORS = ["libsptrsv_cusparse.so", "libsptrsv_spsv.so"]
PROGRAM = "sptrsv"


def readelf(option: str, file: Path) -> str:
    return subprocess.run(["readelf", option, "--wide", file], check=True, capture_output=True, text=True).stdout


def soname_of(file: Path) -> str:
    return re.findall(r"\(SONAME\).*\[(.*)\]", readelf("--dynamic", file))[0]


def glibc_of(file: Path) -> tuple[int, int]:
    """The newest version of glibc that a file asks for."""
    found = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf("--version-info", file))
    if not found:
        raise RuntimeError(f"readelf names no version of glibc for {file}")
    return max((int(major), int(minor)) for major, minor in found)


def machine_of(file: Path) -> str:
    """The processor that a file is for, by its ELF header."""
    names = {62: "x86_64", 183: "aarch64"}
    number = int.from_bytes(file.read_bytes()[18:20], "little")
    return names[number]


class Readme(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        metadata["readme"] = {"text": text, "content-type": "text/markdown"}


class BuiltFiles(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            raise RuntimeError("there is no editable install: the libraries are built by `make wheel`")
        built = Path(os.environ.get("SPTRSV_BUILT", ROOT / "target" / "release"))
        self.stage = tempfile.TemporaryDirectory()
        stage = Path(self.stage.name)
        places = {PROGRAM: f"bin/{PROGRAM}", LIBRARY: f"lib/{soname_of(built / LIBRARY)}"}
        places.update({name: f"lib/{name}" for name in DOORS})
        for name, place in places.items():
            subprocess.run(["strip", "--strip-unneeded", "-o", stage / name, built / name], check=True)
            (stage / name).chmod(0o755)
            build_data["force_include"][str(stage / name)] = f"sptrsv/{place}"
        files = [stage / name for name in places]
        for header in sorted((ROOT / "include").glob("*.h")):
            build_data["force_include"][str(header)] = f"sptrsv/include/{header.name}"
        for text in [*sorted(ROOT.glob("LICENSE-*")), ROOT / "packaging" / "THIRD-PARTY-NOTICES.txt"]:
            build_data["force_include"][str(text)] = f"sptrsv/{text.name}"
        major, minor = max(map(glibc_of, files))
        # Nothing of it depends on the version of Python.
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_{major}_{minor}_{machine_of(files[0])}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.stage.cleanup()
