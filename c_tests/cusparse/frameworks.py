#!/usr/bin/env python3
"""Triangular solves by CuPy and PyTorch, which call SpSV and SpSM: checked, and timed.

    frameworks.py                        this process: a line for each case
    frameworks.py COMMAND ...            the same three times, side by side: as it is, behind COMMAND (such as `sptrsv run
                                         --report --`), and there with SPTRSV_SPSV_KEEP=0, so that each call analyses anew;
                                         the last line counts the cases

A case is right if its error is at most 100 times the precision times the entries of the longest row. The error is the
component-wise backward error; for an incomplete factor, which solves another system, it is the largest difference to what
SciPy's `spsolve_triangular` makes of the same L and U, relative to the largest component.
Times are medians of calls with their analysis, as these functions make one in every call but for the factors, which keep it.
"""
import json
import os
import subprocess
import sys
import time

import numpy as np
import scipy.sparse as sp
import scipy.sparse.linalg as spla


def poisson(*sides):
    """The 5-point or 7-point matrix of a grid."""
    a = sp.csr_matrix((1, 1))
    for side in sides:
        line = sp.diags([-np.ones(side - 1), 2.0 * np.ones(side), -np.ones(side - 1)], [-1, 0, 1])
        a = sp.kronsum(a, line) if a.shape[0] > 1 else line
    return sp.csr_matrix(a)


def spread(n, seed=7):
    """A lower triangle whose dependencies lie anywhere before the row, in about 60 levels."""
    rng = np.random.default_rng(seed)
    rows = np.repeat(np.arange(n), 5)
    columns = (rows * rng.random(rows.size)).astype(np.int64)
    values = rng.uniform(-0.1, 0.1, rows.size)
    low = sp.csr_matrix((values, (rows, columns)), shape=(n, n))
    low.setdiag(rng.uniform(1, 2, n))
    low.sort_indices()
    return low


def backward_error(a, x, b):
    """The largest residual of a component, in units of the precision of the matrix times the entries of its longest row."""
    residual = np.abs(a @ x - b)
    bound = np.abs(a) @ np.abs(x) + np.abs(b)
    worst = np.max(residual / np.where(bound == 0, 1, bound))
    longest = np.diff(sp.csr_matrix(a).indptr).max()
    return float(worst / (np.finfo(a.dtype).eps * longest))


def difference_to_scipy(factors, x, b, transposed):
    """The largest difference of x to SciPy's solution by the same L, U and permutations, in the units of `backward_error`."""
    low, high = (sp.csr_matrix(part.get()) for part in (factors.L, factors.U))
    rows, columns = (
        np.arange(b.size) if order is None else order.get() for order in (factors.perm_r, factors.perm_c)
    )
    if transposed:
        low, high, rows, columns = high.T.tocsr(), low.T.tocsr(), columns, rows
    y = spla.spsolve_triangular(low, b[np.argsort(rows)], lower=True)
    y = spla.spsolve_triangular(high, y, lower=False)[columns]
    longest = max(np.diff(part.indptr).max() for part in (low, high))
    return float(np.max(np.abs(x - y)) / (np.max(np.abs(y)) * np.finfo(low.dtype).eps * longest))


def median(call, synchronize, times=9):
    taken = []
    for k in range(times + 2):
        begin = time.perf_counter()
        call()
        synchronize()
        if k >= 2:
            taken.append(time.perf_counter() - begin)
    return 1e3 * sorted(taken)[len(taken) // 2]


def say(name, n, milliseconds, error):
    print(json.dumps({"case": name, "rows": n, "ms": milliseconds, "error": error}), flush=True)


def triangles():
    rng = np.random.default_rng(1)
    for name, a in (("5-pt 320x320", poisson(320, 320)), ("7-pt 100x100x100", poisson(100, 100, 100))):
        low, high = sp.csr_matrix(sp.tril(a)), sp.csr_matrix(sp.triu(a))
        yield name + " lower", low, True, rng
        yield name + " upper", high, False, rng
    yield "spread 1000000 lower", spread(1_000_000), True, rng


def cupy_cases():
    import cupy
    import cupyx.scipy.sparse as csp
    import cupyx.scipy.sparse.linalg as linalg

    wait = cupy.cuda.Device().synchronize
    for name, t, lower, rng in triangles():
        for type_ in (np.float64, np.float32, np.complex128):
            if type_ != np.float64 and "5-pt" not in name:
                continue
            a = t.astype(type_)
            for columns, order in ((0, "C"), (8, "C"), (8, "F")):
                shape = (a.shape[0], columns) if columns else a.shape[0]
                b = np.asarray(rng.standard_normal(shape), type_, order)
                ga, gb = csp.csr_matrix(a), cupy.asarray(b, order=order)
                solve = lambda: linalg.spsolve_triangular(ga, gb, lower=lower)
                error = backward_error(a, cupy.asnumpy(solve()), b)
                what = f"CuPy spsolve_triangular, {name}, {np.dtype(type_).name}, {columns or 1} columns {order}"
                say(what, a.shape[0], median(solve, wait), error)
    a = poisson(320, 320)
    # A symmetric matrix would have the same solution by the wrong operation.
    a = sp.csr_matrix(a @ sp.diags(np.linspace(1, 2, a.shape[0])))
    b = rng_vector(a.shape[0])
    ga, gb = csp.csr_matrix(a), cupy.asarray(b)
    for name, make in (("splu", linalg.splu), ("spilu", lambda m: linalg.spilu(m, fill_factor=1)),
                       ("factorized", linalg.factorized)):
        made = make(csp.csc_matrix(ga) if name == "splu" else ga)
        for transposed in (False,) if name == "factorized" else (False, True):
            solve = (lambda: made(gb)) if name == "factorized" else (lambda: made.solve(gb, trans="NT"[transposed]))
            x = cupy.asnumpy(solve())
            if name == "spilu":
                error = difference_to_scipy(made, x, b, transposed)
            else:
                error = backward_error(a.T if transposed else a, x, b) / 100
            say(f"CuPy {name}, 5-pt 320x320, solve{' T' * transposed}", a.shape[0], median(solve, wait), error)


def rng_vector(n):
    return np.random.default_rng(3).standard_normal(n)


def torch_cases():
    import torch

    wait = torch.cuda.synchronize
    for name, t, lower, rng in triangles():
        for type_ in (np.float64, np.float32):
            a = t.astype(type_)
            ga = torch.sparse_csr_tensor(
                torch.from_numpy(a.indptr), torch.from_numpy(a.indices), torch.from_numpy(a.data), a.shape
            ).cuda()
            for columns in (1, 8):
                b = np.asarray(rng.standard_normal((a.shape[0], columns)), type_)
                gb = torch.from_numpy(b).cuda()
                solve = lambda: torch.triangular_solve(gb, ga, upper=not lower)[0]
                error = backward_error(a, solve().cpu().numpy(), b)
                what = f"PyTorch triangular_solve, {name}, {np.dtype(type_).name}, {columns} columns"
                say(what, a.shape[0], median(solve, wait), error)


def run_all():
    for cases in (cupy_cases, torch_cases):
        try:
            cases()
        except ImportError as missing:
            print(json.dumps({"skipped": str(missing)}), flush=True)


def compare(command):
    """Runs this program without and with a command before it, and prints all results of each case."""
    results = []
    for before, keep in (([], {}), (command, {}), (command, {"SPTRSV_SPSV_KEEP": "0"})):
        environment = {**os.environ, **keep}
        done = subprocess.run(before + [sys.executable, __file__], stdout=subprocess.PIPE, text=True, env=environment)
        if done.returncode != 0:
            sys.exit(f"frameworks: the program ended with status {done.returncode}")
        results.append([json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")])
    passed = failed = skipped = 0
    print("| case | rows | without (ms) | with (ms) | ratio | analysed anew (ms) | ratio | error without | with |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    for plain, ours, anew in zip(*results):
        if "skipped" in ours:
            print("SKIPPED", ours["skipped"])
            skipped += 1
            continue
        fine = all(one["error"] <= 100 for one in (ours, anew))  # not where it is NaN
        passed, failed = passed + fine, failed + (not fine)
        with_ours = " | ".join(f"{one['ms']:.3f} | {plain['ms'] / one['ms']:.2f}" for one in (ours, anew))
        print(f"| {ours['case']} | {ours['rows']} | {plain['ms']:.3f} | {with_ours} | {plain['error']:.2g} | {ours['error']:.2g} |")
    print(f"frameworks: {passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    sys.exit(compare(sys.argv[1:]) if len(sys.argv) > 1 else run_all())
