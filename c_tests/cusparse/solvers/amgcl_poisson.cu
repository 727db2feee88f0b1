// Solves the system of poisson.h by AMGCL's CUDA backend with CG and with BiCGStab. The preconditioner is ILU(0), or smoothed
// aggregation with ILU(0) as smoother.
//
//     amgcl_poisson ilu0|amg [SIDE [REPETITIONS]]        default: 128 and 3
//
// A solution is right if its residual is below 1e-7; the tolerance is 1e-8.
#include <amgcl/adapter/zero_copy.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/cuda.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/as_preconditioner.hpp>
#include <amgcl/relaxation/cusparse_ilu0.hpp>
#include <amgcl/solver/bicgstab.hpp>
#include <amgcl/solver/cg.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "poisson.h"

namespace {

using Backend = amgcl::backend::cuda<double>;
using Ilu0 = amgcl::relaxation::as_preconditioner<Backend, amgcl::relaxation::ilu0>;
using Multigrid = amgcl::amg<Backend, amgcl::coarsening::smoothed_aggregation, amgcl::relaxation::ilu0>;
using Cg = amgcl::solver::cg<Backend>;
using BiCgStab = amgcl::solver::bicgstab<Backend>;

struct Matrix {
    std::vector<std::ptrdiff_t> ptr{0}, columns;
    std::vector<double> values;

    explicit Matrix(const Grid &grid) {
        for (int row = 0; row < grid_rows(&grid); row++) {
            int found[STENCIL];
            double entries[STENCIL];
            const int count = grid_row(&grid, row, found, entries);
            columns.insert(columns.end(), found, found + count);
            values.insert(values.end(), entries, entries + count);
            ptr.push_back(static_cast<std::ptrdiff_t>(columns.size()));
        }
    }
};

cusparseHandle_t create_handle() {
    cusparseHandle_t handle;
    const cusparseStatus_t status = cusparseCreate(&handle);
    if (status != CUSPARSE_STATUS_SUCCESS)
        throw std::runtime_error(std::string("cusparseCreate: ") + cusparseGetErrorString(status));
    return handle;
}

template <class Preconditioner, class Iteration>
bool run_case(const char *name, const Grid &grid, cusparseHandle_t handle, int repetitions) {
    using std::get;  // the result is a tuple of std, or of Boost in early versions of AMGCL
    using Solver = amgcl::make_solver<Preconditioner, Iteration>;
    const int rows = grid_rows(&grid);
    const Matrix a(grid);
    typename Solver::params parameters;
    parameters.solver.tol = 1e-8;
    parameters.solver.maxiter = 2000;

    Times times = {};
    double begin = finished_at();
    Solver solver(amgcl::adapter::zero_copy(rows, a.ptr.data(), a.columns.data(), a.values.data()), parameters,
                  Backend::params(handle));
    times.setup = finished_at() - begin;

    thrust::device_vector<double> right_side(rows, 1.0), solution(rows);
    int iterations = 0;
    for (int r = 0; r <= repetitions; r++) {
        thrust::fill(solution.begin(), solution.end(), 0.0);
        begin = finished_at();
        const auto result = solver(right_side, solution);
        add_time(&times, r, finished_at() - begin);
        iterations = static_cast<int>(get<0>(result));
    }
    std::vector<double> x(rows);
    thrust::copy(solution.begin(), solution.end(), x.begin());
    const double residual = grid_residual(&grid, x.data());
    return print_case(name, rows, iterations, residual, times, residual < 1e-7);
}

bool run_both(const std::string &preconditioner, const Grid &grid, int repetitions) {
    const cusparseHandle_t handle = create_handle();
    bool solved;
    if (preconditioner == "ilu0") {
        solved = run_case<Ilu0, Cg>("amgcl-ilu0-cg", grid, handle, repetitions);
        solved &= run_case<Ilu0, BiCgStab>("amgcl-ilu0-bicgstab", grid, handle, repetitions);
    } else {
        solved = run_case<Multigrid, Cg>("amgcl-amg-cg", grid, handle, repetitions);
        solved &= run_case<Multigrid, BiCgStab>("amgcl-amg-bicgstab", grid, handle, repetitions);
    }
    cusparseDestroy(handle);
    return solved;
}

}  // namespace

int main(int count, char **words) try {
    const std::string preconditioner = count > 1 ? words[1] : "";
    const int side = count > 2 ? std::atoi(words[2]) : 128;
    const int repetitions = count > 3 ? std::atoi(words[3]) : 3;
    if ((preconditioner != "ilu0" && preconditioner != "amg") || side < 1 || side > 600 || repetitions < 1) {
        std::fprintf(stderr, "usage: amgcl_poisson ilu0|amg [SIDE (1 to 600) [REPETITIONS]]\n");
        return 2;
    }
    require_gpu();
    return run_both(preconditioner, Grid{side, 0.0, 0.0}, repetitions) ? 0 : 1;
} catch (const std::exception &e) {
    std::fprintf(stderr, "amgcl_poisson: %s\n", e.what());
    return 2;
}
