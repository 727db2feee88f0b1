"""The command line: ``python -m sptrsv run -- python app.py`` starts a program on the library."""

from __future__ import annotations

import os
import sys
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent / "bin" / "sptrsv"
# The exit code of the program itself where it fails.
OWN_FAILURE = 125


def main() -> None:
    """Replaces this process by the program ``sptrsv`` with the same arguments."""
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(PROGRAM, ["sptrsv", *sys.argv[1:]])
    except OSError as e:
        hint = f"; chmod +x '{PROGRAM}' may help" if isinstance(e, PermissionError) else ""
        print(f"sptrsv: {PROGRAM} cannot be run: {e.strerror}{hint}", file=sys.stderr)
        sys.exit(OWN_FAILURE)


if __name__ == "__main__":
    main()
