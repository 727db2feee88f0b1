"""What an analysis found and what it cost."""

from __future__ import annotations

from ctypes import byref, c_void_p, sizeof
from dataclasses import dataclass
from typing import Any

from ._errors import check
from ._library import Algorithm, Setup, StatsStruct, library


@dataclass(frozen=True)
class Stats:
    """What an analysis found and what it cost: the fields of ``sptrsvStats_t`` under their names."""

    levels: int
    """Levels of the dependency graph; 0 where the algorithm needs none and none were computed."""
    widest_level: int
    """Rows in the widest level."""
    rows: int
    """Rows of the matrix."""
    entries_used: int
    """Entries of the triangle beside its diagonal, and one more for each row."""
    algorithm: str
    """The algorithm in use."""
    setup: str
    """Where the analysis was done."""
    setup_ms: float
    """Wall-clock time of the whole analysis, in milliseconds."""
    bytes_held: int
    """Bytes that the analysis holds, in memory of the GPU or of the host."""
    predicted_ms: float
    """Predicted time of one solve in milliseconds; 0 where nothing predicts it."""
    mat_d2h_ms: float
    """Copying the pattern to the host, in milliseconds."""
    trans_ms: float
    """Validating and transposing the pattern, in milliseconds."""
    dep_ms: float
    """Counting dependencies, in milliseconds."""
    lev_ms: float
    """Computing levels, in milliseconds."""
    lev_h2d_ms: float
    """Copying the schedule to the GPU, in milliseconds."""
    missing_diagonal: int | None
    """The smallest row without an entry on its diagonal; None where there is none, or the diagonal is unit."""
    pattern_was_known: bool
    """Whether the analysis has kept the schedule of the one before, whose pattern was the same."""
    tuned_ms: float
    """Time of one solve in milliseconds as a tuning has measured it; 0 where there was none."""


def _name(kind: type[Algorithm] | type[Setup], number: int) -> str:
    try:
        return kind(number).name.lower()
    except ValueError:
        return str(number)


def read_stats(info: c_void_p) -> Stats:
    raw = StatsStruct(struct_size=sizeof(StatsStruct))
    check(library.sptrsvGetStats(info, byref(raw)))
    fields: dict[str, Any] = {name: getattr(raw, name) for name in Stats.__dataclass_fields__}
    fields["algorithm"] = _name(Algorithm, raw.algorithm)
    fields["setup"] = _name(Setup, raw.setup)
    fields["pattern_was_known"] = bool(raw.pattern_was_known)
    fields["missing_diagonal"] = None if raw.missing_diagonal < 0 else raw.missing_diagonal
    return Stats(**fields)
