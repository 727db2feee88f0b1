"""Algebraic multigrid of pyamg on the GPU: conjugate gradients with one V-cycle as preconditioner, and four smoothers.

Symmetric Gauss-Seidel makes exact sweeps by this library, in the order of the serial loop; and once more with the unknowns
ordered by colours, where most of a sweep is parallel. Jacobi and Chebyshev, which codes for GPUs mostly take, stand beside
it. All of them read a matrix equally often. The work is done by CuPy on a GPU, else by SciPy on CPU threads.

    python 05_amg.py [--grid N]                                N x N x N points, and problems of as many unknowns
    python 05_amg.py --grid 100 --save-hierarchy amg.npz       on a machine with pyamg: build only
    python 05_amg.py --hierarchy amg.npz --plot amg.svg        on a machine with a GPU: solve, and draw
"""

import argparse
import sys
import time

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigvalsh_tridiagonal

import sptrsv

TOLERANCE, MOST_ITERATIONS = 1e-8, 500
TITLES = {"poisson": "Poisson, 3-D", "anisotropic": "Anisotropic, 2-D", "elasticity": "Elasticity, 2-D"}
# Colour-blind eyes can tell them apart.
COLOURS = {
    "symmetric Gauss-Seidel": "#0072b2",
    "the same by colours": "#cc79a7",
    "Jacobi": "#d55e00",
    "Chebyshev": "#009e73",
}

# --------------------------------------------------------------------------------------------------------- hierarchies


def problem(name, grid):
    """A matrix of pyamg's gallery, the near-kernel of its operator, and options of the hierarchy."""
    from pyamg.gallery import diffusion_stencil_2d, linear_elasticity, poisson, stencil_grid

    if name == "poisson":
        return poisson((grid,) * 3, format="csr"), None, {}
    if name == "anisotropic":
        # One direction, 30 degrees off the grid, conducts a hundred times as well as the other.
        side = round(grid**1.5)
        stencil = diffusion_stencil_2d(epsilon=0.01, theta=np.pi / 6, type="FE")
        return stencil_grid(stencil, (side, side), format="csr"), None, {"strength": "evolution"}
    side = round((grid**3 / 2) ** 0.5)
    return *linear_elasticity((side, side), format="bsr"), {}


def build(name, grid, classical):
    """The matrices of all levels, and the prolongations between them."""
    try:
        import pyamg
    except ImportError:
        sys.exit("pyamg is missing: install it (pip install pyamg), or name a file with --hierarchy")
    A, kernel, options = problem(name, grid)
    begin = time.perf_counter()
    if classical and kernel is None:
        levels = pyamg.ruge_stuben_solver(A, max_coarse=100).levels
    else:
        levels = pyamg.smoothed_aggregation_solver(A, B=kernel, max_coarse=100, **options).levels
    print(f"{name}: pyamg took {time.perf_counter() - begin:.2f} s for {len(levels)} levels on the CPU", flush=True)
    return [ordered(level.A) for level in levels], [ordered(level.P) for level in levels[:-1]]


def ordered(A):
    """In CSR, each row with ascending columns."""
    A = sp.csr_array(A)
    A.sum_duplicates()
    return A


def save(file, hierarchies):
    """Stores the finest matrices and the prolongations: they give the other matrices. Steps between the columns of
    successive entries repeat themselves on grids, so they take less room than the columns do."""
    arrays = {}
    for name, (matrices, prolongations) in hierarchies.items():
        for k, A in enumerate([matrices[0], *prolongations]):
            rows = np.diff(A.indptr)
            arrays[f"{name} {k} rows"] = rows.astype(np.min_scalar_type(rows.max()))
            arrays[f"{name} {k} steps"] = np.diff(A.indices, prepend=0).astype(np.int32)
            arrays[f"{name} {k} values"] = A.data
            arrays[f"{name} {k} columns"] = A.shape[1]
    np.savez_compressed(file, **arrays)


def load(file):
    """What `save` has stored, with the matrices of the coarser levels."""
    hierarchies = {}
    with np.load(file) as arrays:
        for name in dict.fromkeys(key.split()[0] for key in arrays):
            parts = []
            while f"{name} {len(parts)} rows" in arrays:
                words = ("rows", "steps", "values", "columns")
                rows, steps, values, columns = (arrays[f"{name} {len(parts)} {word}"] for word in words)
                offsets = np.concatenate([[0], np.cumsum(rows, dtype=np.int32)]).astype(np.int32)
                indices = np.cumsum(steps, dtype=np.int32)
                parts.append(sp.csr_array((values, indices, offsets), shape=(len(rows), int(columns))))
            matrices = [parts[0]]
            for P in parts[1:]:
                matrices.append(ordered(P.T @ matrices[-1] @ P))
            hierarchies[name] = matrices, parts[1:]
    return hierarchies


def independent_sets(A, seed=5):
    """The number of the set of each unknown. No two unknowns of a set are neighbours.

    Each unknown has a random number. A set holds those of the unknowns left whose neighbours left have lower numbers
    (Luby 1986, Jones and Plassmann 1993)."""
    n = A.shape[0]
    number, sets = np.random.default_rng(seed).permutation(n), np.full(n, -1)
    is_diagonal = A.indices == np.repeat(np.arange(n), np.diff(A.indptr))
    while (left := sets < 0).any():
        of_neighbours = np.where(is_diagonal, -1, np.where(left, number, -1)[A.indices])
        highest = np.maximum.reduceat(of_neighbours, A.indptr[:-1])
        sets[left & (number > highest)] = sets.max() + 1
    return sets


def by_colours(matrices, prolongations):
    """The same hierarchy with the unknowns of each level but the coarsest in an order by colours, and that of the finest."""
    orders = [np.argsort(independent_sets(A), kind="stable") for A in matrices[:-1]]
    orders.append(np.arange(matrices[-1].shape[0]))
    reordered = [ordered(A[order][:, order]) for A, order in zip(matrices, orders)]
    between = [ordered(P[fine][:, coarse]) for P, fine, coarse in zip(prolongations, orders, orders[1:])]
    return reordered, between, orders[0]


# ------------------------------------------------------------------------------------------------- on the GPU, or not


class Host:
    """NumPy and SciPy, and the library's CPU threads."""

    name = "the CPU"
    empty_like, zeros, sqrt = staticmethod(np.empty_like), staticmethod(np.zeros), staticmethod(np.sqrt)

    def array(self, a):
        return a

    matrix = array

    def elementwise(self, arguments, expression):
        compute = eval(f"lambda {arguments}: {expression}")

        def call(*arrays, out=None):
            result = compute(*arrays)
            if out is not None:
                out[...] = result
            return result

        return call

    def dot(self, a, b):
        return a @ b

    def repeatable(self, work):
        return work

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def captured_products(cupy, csr_matrix):
    """CuPy's matrix with a product that can be captured into a graph, as CuPy's own, which calls cuSPARSE, cannot."""
    # Eight lanes take a row.
    multiply = cupy.RawKernel(
        r"""
        extern "C" __global__ void multiply(int n, const int *ptr, const int *ind, const double *val, const double *x, double *y) {
            int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
            double sum = 0;
            if (row < n)
                for (int k = ptr[row] + lane; k < ptr[row + 1]; k += 8) sum += val[k] * x[ind[k]];
            for (int by = 4; by > 0; by /= 2) sum += __shfl_down_sync(0xffffffffu, sum, by, 8);
            if (row < n && lane == 0) y[row] = sum;
        }""",
        "multiply",
    )

    class Matrix(csr_matrix):
        def __matmul__(self, x):
            n, y = self.shape[0], cupy.empty(self.shape[0])
            multiply((-(-n // 32),), (256,), (np.int32(n), self.indptr, self.indices, self.data, x, y))
            return y

    return Matrix


class Gpu:
    """CuPy, on a stream of its own."""

    def __init__(self, with_graphs):
        import cupy
        import cupyx.scipy.sparse

        self._cupy, self._csr = cupy, captured_products(cupy, cupyx.scipy.sparse.csr_matrix)
        self._with_graphs, self._stream = with_graphs, cupy.cuda.Stream(non_blocking=True)
        self.name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.empty_like, self.zeros, self.sqrt = cupy.empty_like, cupy.zeros, cupy.sqrt

    def array(self, a):
        return self._cupy.asarray(a)

    def matrix(self, A):
        return self._csr(sp.csr_matrix(A))

    def elementwise(self, arguments, expression):
        """One kernel for an expression that is the same in C and in Python."""
        typed = ", ".join(f"T {name.strip()}" for name in arguments.split(","))
        kernel = self._cupy.ElementwiseKernel(typed, "T result", f"result = {expression}", "elementwise_of_amg")
        return lambda *arrays, out=None: kernel(*arrays) if out is None else kernel(*arrays, out)

    def dot(self, a, b):
        return (a * b).sum()  # stays on the GPU

    def repeatable(self, work):
        """Captures work that waits for nothing into a CUDA graph. Its memory is of a pool that nothing else uses."""
        if not self._with_graphs:
            return work
        pool = self._cupy.cuda.MemoryPool()
        with self._cupy.cuda.using_allocator(pool.malloc):
            # Libraries and kernels load at their first use. The second time takes memory while the first one's results are
            # there, as the capture does, which must find all of it in the pool.
            for _ in range(2):
                work()
            self._stream.synchronize()
            graph = self._captured(work)
        if graph is None:
            return work

        def launch(keeps=pool):
            graph.launch(self._stream)

        return launch

    def _captured(self, work):
        """None where a library does something that cannot be captured."""
        self._stream.begin_capture()
        try:
            work()
        except Exception as e:
            print(f"no graph is used: {e}")
            try:
                self._stream.end_capture()
            except Exception:
                pass  # the capture has ended, and there is nothing in it
            return None
        return self._stream.end_capture()

    def __enter__(self):
        self._stream.__enter__()
        return self

    def __exit__(self, *error):
        self._stream.synchronize()
        self._stream.__exit__(*error)


def place(options):
    if not options.host:
        try:
            return Gpu(not options.no_graphs)
        except Exception as e:  # without CuPy an ImportError, without a GPU an error of CuPy's own
            print(f"no GPU is used: {e}")
    return Host()


# ----------------------------------------------------------------------------------------------------------- smoothers
#
# A smoother passes over a matrix `passes` times before the coarse correction, from x = 0, and as often after it, in the
# adjoint order, so that the cycle is symmetric as CG needs it.


class GaussSeidel:
    """Forward and backward sweeps by turns."""

    wants_colours = False

    def __init__(self, on, A, passes):
        both = [sptrsv.smoother(A), sptrsv.smoother(A, backward=True)]
        self._before = [both[k % 2] for k in range(passes)]
        self._after = [both[1 - k % 2] for k in reversed(range(passes))]

    def before(self, b):
        return self._sweeps(self._before, b, None)

    def after(self, b, x):
        return self._sweeps(self._after, b, x)

    @staticmethod
    def _sweeps(smoothers, b, x):
        for smoother in smoothers:
            x = smoother.sweep(b, x)
        return x


class GaussSeidelByColours(GaussSeidel):
    """For a hierarchy in an order by colours."""

    wants_colours = True


class Jacobi:
    """Steps with 4/3 over the largest eigenvalue as weight, as smoothed aggregation takes it."""

    wants_colours = False

    def __init__(self, on, A, passes):
        self._A, self._passes = A, passes
        diagonal = A.diagonal()
        self._scale = 4 / 3 / largest_eigenvalue(on, A, diagonal) / diagonal
        self._step = on.elementwise("x, s, b, q", "x + s * (b - q)")

    def before(self, b):
        return self._steps(b, self._scale * b, self._passes - 1)

    def after(self, b, x):
        return self._steps(b, x, self._passes)

    def _steps(self, b, x, count):
        for _ in range(count):
            x = self._step(x, self._scale, b, self._A @ x)
        return x


class Chebyshev:
    """A polynomial of D^-1 A that is small from a tenth to eleven tenths of the largest eigenvalue."""

    wants_colours = False

    def __init__(self, on, A, passes):
        self._A, self._passes = A, passes
        diagonal = A.diagonal()
        largest = largest_eigenvalue(on, A, diagonal)
        self._inverse, self._centre, self._radius = 1 / diagonal, 0.6 * largest, 0.5 * largest
        self._first = on.elementwise("s, b, q, w", "w * s * (b - q)")
        self._next = on.elementwise("d, v, s, b, q, w", "v * d + w * s * (b - q)")

    def before(self, b):
        d = self._inverse * b * (1 / self._centre)
        return self._steps(b, d.copy(), d)

    def after(self, b, x):
        d = self._first(self._inverse, b, self._A @ x, 1 / self._centre)
        return self._steps(b, x + d, d)

    def _steps(self, b, x, d):
        before = self._radius / self._centre
        for _ in range(self._passes - 1):
            now = 1 / (2 * self._centre / self._radius - before)
            d = self._next(d, now * before, self._inverse, b, self._A @ x, 2 * now / self._radius)
            x = x + d
            before = now
        return x


SMOOTHERS = {
    "symmetric Gauss-Seidel": GaussSeidel,
    "the same by colours": GaussSeidelByColours,
    "Jacobi": Jacobi,
    "Chebyshev": Chebyshev,
}


def largest_eigenvalue(on, A, diagonal, steps=15):
    """Of D^-1 A, to some percent: by Lanczos' iteration on the symmetric D^-1/2 A D^-1/2."""
    scale = on.sqrt(1 / diagonal)
    v = on.array(np.random.default_rng(3).standard_normal(A.shape[0]))
    v = v / on.sqrt(on.dot(v, v))
    last, beta, alphas, betas = on.zeros(A.shape[0]), 0.0, [], []
    for _ in range(min(steps, A.shape[0])):
        w = scale * (A @ (scale * v)) - beta * last
        alphas.append(float(on.dot(w, v)))
        w = w - alphas[-1] * v
        beta = float(on.sqrt(on.dot(w, w)))
        betas.append(beta)
        if beta < 1e-10:
            break
        last, v = v, w / beta
    return float(eigvalsh_tridiagonal(alphas, betas[:-1])[-1])


# ------------------------------------------------------------------------------------------------------- cycle and CG


class Hierarchy:
    """Matrices, prolongations and restrictions where the work is done, the inverse of the coarsest matrix, and the order of
    the finest unknowns."""

    def __init__(self, on, matrices, prolongations, order):
        self.order = order
        self.matrices = [on.matrix(A) for A in matrices[:-1]]
        self.up = [on.matrix(P) for P in prolongations]
        self.down = [on.matrix(ordered(P.T)) for P in prolongations]
        self.coarsest = on.matrix(sp.csr_array(np.linalg.pinv(matrices[-1].toarray(), hermitian=True)))

    def cycle(self, smoothers, b, level=0):
        """One V-cycle from zero."""
        if level == len(smoothers):
            return self.coarsest @ b
        x = smoothers[level].before(b)
        rest = b - self.matrices[level] @ x
        x = x + self.up[level] @ self.cycle(smoothers, self.down[level] @ rest, level + 1)
        return smoothers[level].after(b, x)


class ConjugateGradients:
    """With a preconditioner. All that an iteration needs stays where the matrix is."""

    def __init__(self, on, A, precondition, b):
        self._on, self._A, self._precondition, self._b = on, A, precondition, b
        self._x, self._r, self._p = (on.empty_like(b) for _ in range(3))
        self._rz, self._square = on.zeros(()), on.zeros(())
        self._add = on.elementwise("x, a, p", "x + a * p")
        self._subtract = on.elementwise("x, a, p", "x - a * p")
        self._start()
        self._again = on.repeatable(self._iterate)

    def _start(self):
        self._x[...] = 0
        self._r[...] = self._b
        self._p[...] = self._precondition(self._r)
        self._rz[...] = self._on.dot(self._r, self._p)

    def _iterate(self):
        on, q = self._on, self._A @ self._p
        alpha = self._rz / on.dot(self._p, q)
        self._add(self._x, alpha, self._p, out=self._x)
        self._subtract(self._r, alpha, q, out=self._r)
        z = self._precondition(self._r)
        rz = on.dot(self._r, z)
        self._add(z, rz / self._rz, self._p, out=self._p)
        self._rz[...] = rz
        self._square[...] = on.dot(self._r, self._r)

    def solve(self):
        """Returns seconds and relative residuals after each iteration, and the residual computed from the solution."""
        size = float(self._on.sqrt(self._on.dot(self._b, self._b)))
        begin = time.perf_counter()
        self._start()
        history = [(0.0, 1.0)]
        while history[-1][1] > TOLERANCE and len(history) <= MOST_ITERATIONS:
            self._again()
            residual = float(self._square) ** 0.5 / size  # the one place that waits
            history.append((time.perf_counter() - begin, residual))
        rest = self._b - self._A @ self._x
        return history, float(self._on.sqrt(self._on.dot(rest, rest))) / size


def measure(on, hierarchy, kind, passes, repeats):
    """Seconds of setup of the smoothers, and the history of the median of some solves."""
    for _ in range(2):  # the first time loads and compiles kernels
        begin = time.perf_counter()
        smoothers = [kind(on, A, passes) for A in hierarchy.matrices]
        setup = time.perf_counter() - begin
    A = hierarchy.matrices[0]
    right = on.array(np.random.default_rng(1).standard_normal(A.shape[0])[hierarchy.order])
    cg = ConjugateGradients(on, A, lambda r: hierarchy.cycle(smoothers, r), right)
    solves = sorted((cg.solve() for _ in range(repeats)), key=lambda solve: solve[0][-1][0])
    history, residual = solves[(repeats - 1) // 2]
    if not residual <= 10 * TOLERANCE:
        count = len(history) - 1
        sys.exit(f"no convergence with {kind.__name__}: the residual is {residual:.1e} after {count} iterations")
    return setup, history


# -------------------------------------------------------------------------------------------------------------- output


def report(on, name, matrices, prolongations, passes, repeats):
    """Prints the lines of one problem, and returns the histories by smoother."""
    rows, levels = matrices[0].shape[0], len(matrices)
    natural = Hierarchy(on, matrices, prolongations, np.arange(rows))
    coloured = Hierarchy(on, *by_colours(matrices, prolongations))
    histories = {}
    for smoother, kind in SMOOTHERS.items():
        hierarchy = coloured if kind.wants_colours else natural
        setup, histories[smoother] = measure(on, hierarchy, kind, passes, repeats)
        count, total = len(histories[smoother]) - 1, histories[smoother][-1][0]
        cells = f"{count:10} {1e3 * setup:9.1f} {1e3 * total:10.2f} {1e3 * total / count:12.3f}"
        print(f"{name:12} {rows:9} {levels:6}  {smoother:22} {cells}", flush=True)
    return histories


def draw(file, where, results):
    """The residuals against time."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    plt.rcParams.update({"font.family": "sans-serif", "font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "amg"})
    figure, axes = plt.subplots(1, len(results), figsize=(3.1 * len(results) + 0.4, 3.4), squeeze=False, sharey=True)
    for plot, (title, histories) in zip(axes[0], results.items()):
        for smoother, history in histories.items():
            times, residuals = zip(*history)
            plot.semilogy([1e3 * t for t in times], residuals, color=COLOURS[smoother], label=smoother, linewidth=1.6)
        plot.axhline(TOLERANCE, color="#999999", linewidth=0.8, linestyle="--")
        plot.grid(color="#dddddd", linewidth=0.6)
        plot.set_title(title, fontsize=9)
        plot.set_xlabel("ms")
        plot.set_xlim(left=0)
        plot.spines[["top", "right"]].set_visible(False)
    axes[0][0].set_ylabel("relative residual")
    figure.suptitle(f"CG with one V-cycle of multigrid, on {where}", fontsize=11, fontweight="bold")
    lines = axes[0][0].get_legend_handles_labels()
    figure.legend(*lines, frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, 0.95))
    figure.tight_layout(rect=(0, 0, 1, 0.93))
    figure.savefig(file, metadata={"Date": None, "Creator": None})


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--grid", type=int, default=30, metavar="N", help="N^3 unknowns, roughly, in each problem")
    parser.add_argument("--problems", nargs="+", choices=list(TITLES), default=list(TITLES), help="which ones")
    parser.add_argument("--classical", action="store_true", help="Ruge-Stuben hierarchies where they fit")
    parser.add_argument("--passes", type=int, default=2, help="of a smoother before, and after, each correction")
    parser.add_argument("--repeats", type=int, default=3, help="solves, of which the median counts")
    parser.add_argument("--host", action="store_true", help="leave a GPU alone")
    parser.add_argument("--no-graphs", action="store_true", help="launch each kernel by itself on a GPU")
    parser.add_argument("--save-hierarchy", metavar="FILE", help="store the hierarchies, and solve nothing")
    parser.add_argument("--hierarchy", metavar="FILE", help="take the hierarchies from a file; this needs no pyamg")
    parser.add_argument("--plot", metavar="FILE.svg", help="draw the residuals against time, by matplotlib")
    return parser.parse_args()


def main():
    options = arguments()
    if options.hierarchy:
        hierarchies = {name: parts for name, parts in load(options.hierarchy).items() if name in options.problems}
    else:
        hierarchies = {name: build(name, options.grid, options.classical) for name in options.problems}
    if options.save_hierarchy:
        save(options.save_hierarchy, hierarchies)
        return
    with place(options) as on:
        print(f"CG to {TOLERANCE:g} on {on.name}; times in ms; setup is that of the smoothers")
        numbers = f"{'iterations':>10} {'setup':>9} {'solve':>10} {'an iteration':>12}"
        print(f"{'problem':12} {'unknowns':>9} {'levels':>6}  {'smoother':22} {numbers}")
        results = {}
        for name, (matrices, prolongations) in hierarchies.items():
            title = f"{TITLES[name]}: {matrices[0].shape[0]:,} unknowns"
            results[title] = report(on, name, matrices, prolongations, options.passes, options.repeats)
    if options.plot:
        draw(options.plot, on.name, results)


if __name__ == "__main__":
    main()
