// Solves the system of poisson.h by hypre's conjugate gradients on the GPU. The preconditioner is ILU(0), or BoomerAMG with hybrid
// Gauss-Seidel as smoother, whose sweeps are triangular solves.
//
//     hypre_poisson ilu0|amg [SIDE [REPETITIONS]]        default: 128 and 3
//
// A solution is right if hypre reports no error and the residual is below 1e-7; the tolerance is 1e-8.
#include <HYPRE.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "poisson.h"

namespace {

// One process, without MPI.
const MPI_Comm alone = static_cast<MPI_Comm>(0);

void check(HYPRE_Int error, const char *what) {
    if (error != 0) {
        char text[1024];
        HYPRE_DescribeError(error, text);
        throw std::runtime_error(std::string(what) + ": " + text);
    }
}
#define CHECK(call) check(call, #call)

template <class T>
T *copy_to_gpu(const std::vector<T> &from) {
    void *there = nullptr;
    const std::size_t bytes = from.size() * sizeof(T);
    check_cuda(cudaMalloc(&there, bytes), "cudaMalloc");
    check_cuda(cudaMemcpy(there, from.data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    return static_cast<T *>(there);
}

HYPRE_IJMatrix create_matrix(const Grid &grid) {
    const int n = grid_rows(&grid);
    std::vector<HYPRE_Int> counts;
    std::vector<HYPRE_BigInt> rows, columns;
    std::vector<double> values;
    for (int row = 0; row < n; row++) {
        int found[STENCIL];
        double entries[STENCIL];
        const int count = grid_row(&grid, row, found, entries);
        counts.push_back(count);
        rows.push_back(row);
        columns.insert(columns.end(), found, found + count);
        values.insert(values.end(), entries, entries + count);
    }
    HYPRE_Int *d_counts = copy_to_gpu(counts);
    HYPRE_BigInt *d_rows = copy_to_gpu(rows), *d_columns = copy_to_gpu(columns);
    double *d_values = copy_to_gpu(values);
    HYPRE_IJMatrix matrix;
    CHECK(HYPRE_IJMatrixCreate(alone, 0, n - 1, 0, n - 1, &matrix));
    CHECK(HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR));
    CHECK(HYPRE_IJMatrixInitialize_v2(matrix, HYPRE_MEMORY_DEVICE));
    CHECK(HYPRE_IJMatrixSetValues(matrix, n, d_counts, d_rows, d_columns, d_values));
    CHECK(HYPRE_IJMatrixAssemble(matrix));
    for (void *array : {static_cast<void *>(d_counts), static_cast<void *>(d_rows), static_cast<void *>(d_columns),
                        static_cast<void *>(d_values)})
        check_cuda(cudaFree(array), "cudaFree");
    return matrix;
}

// A vector of `n` elements on the GPU, all of them `value`.
HYPRE_IJVector create_vector(int n, double value) {
    HYPRE_IJVector vector;
    CHECK(HYPRE_IJVectorCreate(alone, 0, n - 1, &vector));
    CHECK(HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR));
    CHECK(HYPRE_IJVectorInitialize_v2(vector, HYPRE_MEMORY_DEVICE));
    CHECK(HYPRE_IJVectorAssemble(vector));
    void *object;
    CHECK(HYPRE_IJVectorGetObject(vector, &object));
    CHECK(HYPRE_ParVectorSetConstantValues(static_cast<HYPRE_ParVector>(object), value));
    return vector;
}

std::vector<double> copy_from_gpu(HYPRE_IJVector vector, int n) {
    std::vector<double> values(n);
    double *there = copy_to_gpu(values);
    CHECK(HYPRE_IJVectorGetValues(vector, n, nullptr, there));
    check_cuda(cudaMemcpy(values.data(), there, n * sizeof(double), cudaMemcpyDeviceToHost), "cudaMemcpy");
    check_cuda(cudaFree(there), "cudaFree");
    return values;
}

// Both are applied once in each iteration, from zero.
HYPRE_Solver create_ilu0() {
    HYPRE_Solver ilu;
    CHECK(HYPRE_ILUCreate(&ilu));
    CHECK(HYPRE_ILUSetType(ilu, 0));  // of the rows of a process
    CHECK(HYPRE_ILUSetLevelOfFill(ilu, 0));
    CHECK(HYPRE_ILUSetLocalReordering(ilu, 0));
    CHECK(HYPRE_ILUSetTriSolve(ilu, 1));  // exact triangular solves
    CHECK(HYPRE_ILUSetMaxIter(ilu, 1));
    CHECK(HYPRE_ILUSetTol(ilu, 0.0));
    CHECK(HYPRE_ILUSetPrintLevel(ilu, 0));
    return ilu;
}

HYPRE_Solver create_amg() {
    HYPRE_Solver amg;
    CHECK(HYPRE_BoomerAMGCreate(&amg));
    CHECK(HYPRE_BoomerAMGSetCoarsenType(amg, 8));  // PMIS
    CHECK(HYPRE_BoomerAMGSetInterpType(amg, 6));   // extended+i
    CHECK(HYPRE_BoomerAMGSetPMaxElmts(amg, 4));
    CHECK(HYPRE_BoomerAMGSetRelaxType(amg, 6));  // symmetric hybrid Gauss-Seidel
    CHECK(HYPRE_BoomerAMGSetNumSweeps(amg, 1));
    CHECK(HYPRE_BoomerAMGSetMaxIter(amg, 1));
    CHECK(HYPRE_BoomerAMGSetTol(amg, 0.0));
    CHECK(HYPRE_BoomerAMGSetPrintLevel(amg, 0));
    return amg;
}

HYPRE_Solver create_cg(bool with_amg, HYPRE_Solver preconditioner) {
    HYPRE_Solver cg;
    CHECK(HYPRE_ParCSRPCGCreate(alone, &cg));
    CHECK(HYPRE_PCGSetMaxIter(cg, 2000));
    CHECK(HYPRE_PCGSetTol(cg, 1e-8));
    CHECK(HYPRE_PCGSetTwoNorm(cg, 1));
    CHECK(HYPRE_PCGSetPrintLevel(cg, 0));
    const auto solve = with_amg ? HYPRE_BoomerAMGSolve : HYPRE_ILUSolve;
    const auto setup = with_amg ? HYPRE_BoomerAMGSetup : HYPRE_ILUSetup;
    CHECK(HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(solve), reinterpret_cast<HYPRE_PtrToSolverFcn>(setup),
                              preconditioner));
    return cg;
}

bool run_case(bool with_amg, const Grid &grid, int repetitions) {
    const int n = grid_rows(&grid);
    HYPRE_IJMatrix matrix = create_matrix(grid);
    HYPRE_IJVector right_side = create_vector(n, 1.0), solution = create_vector(n, 0.0);
    void *a, *b, *x;
    CHECK(HYPRE_IJMatrixGetObject(matrix, &a));
    CHECK(HYPRE_IJVectorGetObject(right_side, &b));
    CHECK(HYPRE_IJVectorGetObject(solution, &x));
    const auto system = static_cast<HYPRE_ParCSRMatrix>(a);
    const auto b_vector = static_cast<HYPRE_ParVector>(b), x_vector = static_cast<HYPRE_ParVector>(x);

    HYPRE_Solver preconditioner = with_amg ? create_amg() : create_ilu0();
    HYPRE_Solver cg = create_cg(with_amg, preconditioner);
    Times times = {};
    double begin = finished_at();
    CHECK(HYPRE_ParCSRPCGSetup(cg, system, b_vector, x_vector));
    times.setup = finished_at() - begin;
    for (int r = 0; r <= repetitions; r++) {
        CHECK(HYPRE_ParVectorSetConstantValues(x_vector, 0.0));
        begin = finished_at();
        CHECK(HYPRE_ParCSRPCGSolve(cg, system, b_vector, x_vector));
        add_time(&times, r, finished_at() - begin);
    }
    HYPRE_Int iterations;
    CHECK(HYPRE_PCGGetNumIterations(cg, &iterations));
    const double residual = grid_residual(&grid, copy_from_gpu(solution, n).data());
    const char *name = with_amg ? "hypre-boomeramg-cg" : "hypre-ilu0-cg";
    const bool solved = print_case(name, n, iterations, residual, times, residual < 1e-7);

    HYPRE_ParCSRPCGDestroy(cg);
    with_amg ? HYPRE_BoomerAMGDestroy(preconditioner) : HYPRE_ILUDestroy(preconditioner);
    HYPRE_IJMatrixDestroy(matrix);
    HYPRE_IJVectorDestroy(right_side);
    HYPRE_IJVectorDestroy(solution);
    return solved;
}

}  // namespace

int main(int count, char **words) try {
    const std::string preconditioner = count > 1 ? words[1] : "";
    const int side = count > 2 ? std::atoi(words[2]) : 128;
    const int repetitions = count > 3 ? std::atoi(words[3]) : 3;
    if ((preconditioner != "ilu0" && preconditioner != "amg") || side < 1 || side > 600 || repetitions < 1) {
        std::fprintf(stderr, "usage: hypre_poisson ilu0|amg [SIDE (1 to 600) [REPETITIONS]]\n");
        return 2;
    }
    require_gpu();
    CHECK(HYPRE_Initialize());
    CHECK(HYPRE_DeviceInitialize());
    CHECK(HYPRE_SetMemoryLocation(HYPRE_MEMORY_DEVICE));
    CHECK(HYPRE_SetExecutionPolicy(HYPRE_EXEC_DEVICE));
    CHECK(HYPRE_SetSpGemmUseVendor(0));
    const bool solved = run_case(preconditioner == "amg", Grid{side, 0.0, 0.0}, repetitions);
    CHECK(HYPRE_Finalize());
    return solved ? 0 : 1;
} catch (const std::exception &e) {
    std::fprintf(stderr, "hypre_poisson: %s\n", e.what());
    return 2;
}
