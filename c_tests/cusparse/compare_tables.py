#!/usr/bin/env python3
"""How many times as fast SpSV is in one report of `sptrsv bench` as in another: geometric mean and least, by operation.

    compare_tables.py docs/results/h200/spsv-real.md docs/results/h200/spsv-door.md
"""
import math
import sys


def read(path):
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in open(path) if line.startswith("| ")]
    solve, analysis = rows[0].index("SpSV"), rows[0].index("SpSV ana.")
    return {tuple(row[:2]): (float(row[solve]), float(row[analysis])) for row in rows[1:]}


slow, fast = read(sys.argv[1]), read(sys.argv[2])
for system in sorted({key[1] for key in slow}):
    both = [(slow[key], fast[key], key[0]) for key in slow if key[1] == system and key in fast]
    kinds = {
        "solve": lambda t: t[0],
        "analysis": lambda t: t[1],
        "analysis and one solve": sum,
        "analysis and 100 solves": lambda t: t[1] + 100 * t[0],
    }
    for what, time in kinds.items():
        ratios = [(time(a) / time(b), name) for a, b, name in both]
        mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
        print(f"{system}: {what}: {mean:.2f}, least {min(ratios)[0]:.2f} ({min(ratios)[1]}), {len(ratios)} systems")
