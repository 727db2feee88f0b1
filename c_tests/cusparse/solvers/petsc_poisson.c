/*
 * Solves the system of poisson.h by PETSc on the GPU. All else is chosen by options of PETSc.
 *
 *     petsc_poisson -name NAME [-side 128] [-convection 0] [-repetitions 3] [-refactor 0] -ksp_type cg -pc_type icc ...
 *
 * -refactor K: K times new values on the diagonal, each with a numeric factorisation and the solves. The line of a case says
 * petsc-NAME, then petsc-NAME-1, petsc-NAME-2, ... A solution is right if PETSc says that it converged and the residual is below
 * 1e-5. The tolerance of 1e-8 is one for the preconditioned residual.
 */
#include <petscksp.h>

#include "poisson.h"

static char help[] = "The 7-point system on a grid, solved as the options say.\n";

typedef struct {
    Grid grid;
    Mat matrix;
    Vec right_side, solution;
    KSP solver;
} Problem;

typedef struct {
    char name[64];
    PetscInt side, repetitions, refactor;
    PetscReal convection;
} Options;

static PetscErrorCode read_options(Options *options)
{
    PetscFunctionBeginUser;
    *options = (Options){.name = "poisson", .side = 128, .repetitions = 3};
    PetscCall(PetscOptionsGetString(NULL, NULL, "-name", options->name, sizeof options->name, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-side", &options->side, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-repetitions", &options->repetitions, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-refactor", &options->refactor, NULL));
    PetscCall(PetscOptionsGetReal(NULL, NULL, "-convection", &options->convection, NULL));
    PetscCheck(options->side > 0 && options->side <= 600, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-side is 1 to 600");
    PetscCheck(options->repetitions > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-repetitions is at least 1");
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Puts the values of the grid into the matrix: the first time the pattern too, later into the same places. */
static PetscErrorCode fill_matrix(Problem *problem)
{
    PetscFunctionBeginUser;
    for (PetscInt row = 0; row < grid_rows(&problem->grid); row++) {
        int columns[STENCIL];
        PetscInt indices[STENCIL];
        PetscScalar values[STENCIL];
        const int count = grid_row(&problem->grid, (int)row, columns, values);
        for (int e = 0; e < count; e++)
            indices[e] = columns[e];
        PetscCall(MatSetValues(problem->matrix, 1, &row, count, indices, values, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(problem->matrix, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(problem->matrix, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_problem(Problem *problem, const Options *options)
{
    PetscFunctionBeginUser;
    problem->grid = (Grid){.side = (int)options->side, .convection = options->convection};
    const PetscInt rows = grid_rows(&problem->grid);
    PetscCall(MatCreate(PETSC_COMM_SELF, &problem->matrix));
    PetscCall(MatSetSizes(problem->matrix, rows, rows, rows, rows));
    PetscCall(MatSetType(problem->matrix, MATSEQAIJCUSPARSE));
    PetscCall(MatSeqAIJSetPreallocation(problem->matrix, STENCIL, NULL));
    PetscCall(fill_matrix(problem));
    if (options->convection == 0)
        PetscCall(MatSetOption(problem->matrix, MAT_SPD, PETSC_TRUE));
    PetscCall(MatCreateVecs(problem->matrix, &problem->solution, &problem->right_side));
    PetscCall(VecSet(problem->right_side, 1.0));
    PetscCall(KSPCreate(PETSC_COMM_SELF, &problem->solver));
    PetscCall(KSPSetOperators(problem->solver, problem->matrix, problem->matrix));
    PetscCall(KSPSetTolerances(problem->solver, 1e-8, 1e-50, 1e10, 2000));
    PetscCall(KSPSetFromOptions(problem->solver));
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_problem(Problem *problem)
{
    PetscFunctionBeginUser;
    PetscCall(KSPDestroy(&problem->solver));
    PetscCall(VecDestroy(&problem->solution));
    PetscCall(VecDestroy(&problem->right_side));
    PetscCall(MatDestroy(&problem->matrix));
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the preconditioner up, and solves once and `repetitions` times more. */
static PetscErrorCode solve(Problem *problem, PetscInt repetitions, Times *times)
{
    PetscFunctionBeginUser;
    double begin = finished_at();
    PetscCall(KSPSetUp(problem->solver));
    PetscCall(KSPSetUpOnBlocks(problem->solver));
    times->setup = finished_at() - begin;
    for (int r = 0; r <= repetitions; r++) {
        PetscCall(VecSet(problem->solution, 0.0));
        begin = finished_at();
        PetscCall(KSPSolve(problem->solver, problem->right_side, problem->solution));
        add_time(times, r, finished_at() - begin);
    }
    PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report(Problem *problem, const char *name, Times times, PetscBool *solved)
{
    PetscInt iterations;
    KSPConvergedReason reason;
    const PetscScalar *x;

    PetscFunctionBeginUser;
    PetscCall(KSPGetIterationNumber(problem->solver, &iterations));
    PetscCall(KSPGetConvergedReason(problem->solver, &reason));
    PetscCall(VecGetArrayRead(problem->solution, &x));
    const double residual = grid_residual(&problem->grid, x);
    PetscCall(VecRestoreArrayRead(problem->solution, &x));
    *solved = (PetscBool)(reason > 0 && residual < 1e-5);
    print_case(name, grid_rows(&problem->grid), (int)iterations, residual, times, *solved);
    PetscFunctionReturn(PETSC_SUCCESS);
}

/* Solves with the values of a round: those of the grid in round 0, later others on the diagonal. */
static PetscErrorCode run_round(Problem *problem, const Options *options, int round, PetscBool *solved)
{
    char name[sizeof options->name + 32];
    Times times = {0};

    PetscFunctionBeginUser;
    if (round == 0) {
        PetscCall(PetscSNPrintf(name, sizeof name, "petsc-%s", options->name));
    } else {
        PetscCall(PetscSNPrintf(name, sizeof name, "petsc-%s-%d", options->name, round));
        problem->grid.shift = 0.05 * round;
        PetscCall(fill_matrix(problem));
        PetscCall(KSPSetOperators(problem->solver, problem->matrix, problem->matrix));
    }
    PetscCall(solve(problem, options->repetitions, &times));
    PetscCall(report(problem, name, times, solved));
    PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int count, char **words)
{
    Options options;
    Problem problem;
    PetscBool all = PETSC_TRUE;

    require_gpu();
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&count, &words, NULL, help));
    PetscCall(read_options(&options));
    PetscCall(create_problem(&problem, &options));
    for (int round = 0; round <= options.refactor; round++) {
        PetscBool solved = PETSC_FALSE;
        PetscCall(run_round(&problem, &options, round, &solved));
        all = (PetscBool)(all && solved);
    }
    PetscCall(destroy_problem(&problem));
    PetscCall(PetscFinalize());
    return all ? 0 : 1;
}
