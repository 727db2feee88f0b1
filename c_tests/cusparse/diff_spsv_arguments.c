/*
 * The differential test's wrong arguments: each wrong in bufferSize alone, in the analysis alone, in the solve alone, and
 * in all three. What the calls after a refused one do is part of the outcome.
 */

#include "diff_spsv.h"

#include <stdio.h>

enum { ROWS = 40, COLUMNS = 3, SCRATCH = 1 << 20 };

/* A right system, and parts to put into its calls. */
typedef struct {
    Matrix a, small;
    System s, single, complex_one, shorter;
    void *scratch;
} Bench;

static void open_bench(Bench *b, int dense, int type)
{
    Options o = {.type = type, .dense = dense, .columns = COLUMNS};
    b->a = matrix_random(ROWS, 5, 61);
    b->small = matrix_random(ROWS - 10, 5, 62);
    b->s = open_system(NULL, handle, &b->a, o);
    o.type = S;
    b->single = open_system(NULL, handle, &b->a, o);
    o.type = C;
    b->complex_one = open_system(NULL, handle, &b->a, o);
    o.type = type;
    b->shorter = open_system(NULL, handle, &b->small, o);
    b->scratch = memory_alloc(SCRATCH);
    memory_fill(b->scratch, 0, SCRATCH);
}

static void close_bench(Bench *b)
{
    close_system(&b->s);
    close_system(&b->single);
    close_system(&b->complex_one);
    close_system(&b->shorter);
    memory_free(b->scratch);
    matrix_free(&b->a);
    matrix_free(&b->small);
}

/* A vector or a matrix on scratch memory that is as large as anything here. */
static void *dense_on(Bench *b, int rows, int columns, int type, void *values)
{
    cusparseDnVecDescr_t vector = NULL;
    cusparseDnMatDescr_t matrix = NULL;
    if (b->s.o.dense)
        cusparse.CreateDnMat(&matrix, rows, columns, rows, values, (cudaDataType)type, CUSPARSE_ORDER_COL);
    else
        cusparse.CreateDnVec(&vector, rows, values, (cudaDataType)type);
    return b->s.o.dense ? (void *)matrix : (void *)vector;
}

static cusparseConstSpMatDescr_t in_width(Bench *b, int format, int width)
{
    return store_matrix(&b->a, b->s.o.type, format, width, 0, LOWER, NON_UNIT).mat;
}

static cusparseConstSpMatDescr_t with_attribute(Bench *b, cusparseSpMatAttribute_t attribute, int value)
{
    cusparseSpMatDescr_t mat = store_matrix(&b->a, b->s.o.type, CSR, 0, 0, LOWER, NON_UNIT).mat;
    cusparse.SpMatSetAttribute(mat, attribute, &value, sizeof value);
    return mat;
}

/* CSR of the system's arrays, as they are or declared to be something else. */
static cusparseSpMatDescr_t csr(Bench *b, int rows, int columns, int nnz, void *offsets, void *indices, void *values,
                                int type)
{
    cusparseSpMatDescr_t mat = NULL;
    cusparse.CreateCsr(&mat, rows, columns, nnz, offsets, indices, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                       CUSPARSE_INDEX_BASE_ZERO, (cudaDataType)type);
    (void)b;
    return mat;
}

static cusparseConstSpMatDescr_t bsr(Bench *b)
{
    cusparseSpMatDescr_t mat = NULL;
    cusparse.CreateBsr(&mat, 2, 2, 2, 20, 20, b->scratch, b->scratch, b->scratch, CUSPARSE_INDEX_32I,
                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, (cudaDataType)b->s.call.type, CUSPARSE_ORDER_COL);
    return mat;
}

/* The system's matrix in sliced ELLPACK: cuSPARSE solves with it, and this library passes it on. */
static cusparseConstSpMatDescr_t sliced_ell(Bench *b)
{
    Stored sliced = store_sliced(&b->a, b->s.o.type, b->s.o.base, b->s.o.fill, b->s.o.diag);
    return sliced.mat;
}

/* The descriptors that are made here are left to the end of the process.
 * The name of the change, or NULL where the number is past the last. */
static const char *change(int number, Bench *b, Call *c)
{
    const Stored *a = b ? &b->s.a : NULL;
    int at = 0, type = b ? b->s.call.type : 0;
#define WRONG(name, code)                                                                                    \
    if (number == at++) {                                                                                    \
        if (b) {                                                                                             \
            code;                                                                                            \
        }                                                                                                    \
        return name;                                                                                         \
    }
    WRONG("nothing wrong", (void)0)
    WRONG("handle NULL", c->handle = NULL)
    WRONG("op 3", c->op = 3)
    WRONG("op -1", c->op = -1)
    WRONG("op H", c->op = H)
    WRONG("op T", c->op = T)
    WRONG("alpha NULL", c->alpha = NULL)
    WRONG("descriptor NULL", c->descr = NULL)
    WRONG("compute type R_32F", c->type = CUDA_R_32F)
    WRONG("compute type R_64F", c->type = CUDA_R_64F)
    WRONG("compute type C_32F", c->type = CUDA_C_32F)
    WRONG("compute type C_64F", c->type = CUDA_C_64F)
    WRONG("compute type R_16F", c->type = CUDA_R_16F)
    WRONG("compute type R_8I", c->type = CUDA_R_8I)
    WRONG("compute type 99", c->type = 99)
    WRONG("compute type -1", c->type = -1)
    WRONG("alg 1", c->alg = 1)
    WRONG("alg 2", c->alg = 2)
    WRONG("alg 3", c->alg = 3)
    WRONG("alg -1", c->alg = -1)
    WRONG("matrix NULL", c->mat = NULL)
    WRONG("matrix R_32F", c->mat = b->single.a.mat)
    WRONG("matrix C_32F", c->mat = b->complex_one.a.mat)
    WRONG("matrix R_16F", c->mat = csr(b, ROWS, ROWS, a->host.nnz, a->offsets, a->indices, b->scratch, CUDA_R_16F))
    WRONG("matrix smaller", c->mat = b->shorter.a.mat)
    WRONG("matrix with more columns",
          c->mat = csr(b, ROWS, ROWS + 10, a->host.nnz, a->offsets, a->indices, a->values, type))
    WRONG("matrix with more rows", c->mat = csr(b, ROWS + 1, ROWS, a->host.nnz, b->scratch, a->indices, a->values, type))
    WRONG("matrix without offsets", c->mat = csr(b, ROWS, ROWS, a->host.nnz, NULL, a->indices, a->values, type))
    WRONG("matrix without columns", c->mat = csr(b, ROWS, ROWS, a->host.nnz, a->offsets, NULL, a->values, type))
    WRONG("matrix without values", c->mat = csr(b, ROWS, ROWS, a->host.nnz, a->offsets, a->indices, NULL, type))
    WRONG("matrix of no entries", c->mat = csr(b, ROWS, ROWS, 0, b->scratch, b->scratch, b->scratch, type))
    WRONG("matrix of no entries and no arrays", c->mat = csr(b, ROWS, ROWS, 0, NULL, NULL, NULL, type))
    WRONG("matrix of no rows", c->mat = csr(b, 0, 0, 0, b->scratch, b->scratch, b->scratch, type))
    WRONG("matrix CSC", c->mat = in_width(b, CSC, 0))
    WRONG("matrix COO", c->mat = in_width(b, COO, 0))
    WRONG("matrix BSR", c->mat = bsr(b))
    WRONG("matrix sliced ELL", c->mat = sliced_ell(b))
    WRONG("matrix with 64-bit indices", c->mat = in_width(b, CSR, 1))
    WRONG("matrix with 64-bit offsets and 32-bit columns", c->mat = in_width(b, CSR, 2))
    WRONG("matrix with 32-bit offsets and 64-bit columns", c->mat = in_width(b, CSR, 3))
    WRONG("matrix with 16-bit indices", c->mat = in_width(b, CSR, 4))
    WRONG("matrix COO with 16-bit indices", c->mat = in_width(b, COO, 4))
    WRONG("fill mode 2", c->mat = with_attribute(b, CUSPARSE_SPMAT_FILL_MODE, 2))
    WRONG("fill mode -1", c->mat = with_attribute(b, CUSPARSE_SPMAT_FILL_MODE, -1))
    WRONG("diagonal type 2", c->mat = with_attribute(b, CUSPARSE_SPMAT_DIAG_TYPE, 2))
    WRONG("storage lower", c->mat = with_attribute(b, CUSPARSE_SPMAT_STORAGE, 1))
    WRONG("symmetric", c->mat = with_attribute(b, CUSPARSE_SPMAT_SYMMETRY_TYPE, 1))
    WRONG("no attributes set", c->mat = csr(b, ROWS, ROWS, a->host.nnz, a->offsets, a->indices, a->values, type))
    WRONG("X NULL", c->x = NULL)
    WRONG("Y NULL", c->y = NULL)
    WRONG("X and Y NULL", c->x = c->y = NULL)
    WRONG("X without values", c->x = dense_on(b, ROWS, COLUMNS, type, NULL))
    WRONG("Y without values", c->y = dense_on(b, ROWS, COLUMNS, type, NULL))
    WRONG("X R_32F", c->x = b->single.call.x)
    WRONG("Y R_32F", c->y = b->single.call.y)
    WRONG("X C_32F", c->x = b->complex_one.call.x)
    WRONG("Y C_32F", c->y = b->complex_one.call.y)
    WRONG("X R_16F", c->x = dense_on(b, ROWS, COLUMNS, CUDA_R_16F, b->scratch))
    WRONG("X shorter", c->x = dense_on(b, ROWS - 1, COLUMNS, type, b->scratch))
    WRONG("Y shorter", c->y = dense_on(b, ROWS - 1, COLUMNS, type, b->scratch))
    WRONG("X longer", c->x = dense_on(b, ROWS + 1, COLUMNS, type, b->scratch))
    WRONG("Y longer", c->y = dense_on(b, ROWS + 1, COLUMNS, type, b->scratch))
    WRONG("X and Y longer", (c->x = dense_on(b, ROWS + 1, COLUMNS, type, b->scratch),
                             c->y = dense_on(b, ROWS + 1, COLUMNS, type, b->scratch)))
    WRONG("opB T", c->op_b = T)
    WRONG("opB H", c->op_b = H)
    WRONG("opB 3", c->op_b = 3)
    WRONG("opB -1", c->op_b = -1)
    WRONG("B of more columns", c->x = dense_on(b, ROWS, COLUMNS + 1, type, b->scratch))
    WRONG("C of more columns", c->y = dense_on(b, ROWS, COLUMNS + 1, type, b->scratch))
    WRONG("B transposed", c->x = dense_on(b, COLUMNS, ROWS, type, b->scratch))
    WRONG("C transposed", c->y = dense_on(b, COLUMNS, ROWS, type, b->scratch))
    WRONG("B and C of no columns",
          (c->x = dense_on(b, ROWS, 0, type, b->scratch), c->y = dense_on(b, ROWS, 0, type, b->scratch)))
    WRONG("buffer or size NULL", (void)0)
#undef WRONG
    return NULL;
}

/* ---- the numbering: which change, where, in which function family, for which type ---- */

enum { IN_SIZE = 1, IN_ANALYSIS = 2, IN_SOLVE = 4 };
static const int places[] = {IN_SIZE, IN_ANALYSIS, IN_SOLVE, IN_SIZE | IN_ANALYSIS | IN_SOLVE};
static const char *const place_names[] = {"bufferSize", "analysis", "solve", "all three"};
static const int types[] = {D, Z};

typedef struct {
    int change, place, dense, type;
} Place;

static Place locate(int number)
{
    return (Place){number / 16, number % 4, number / 4 % 2, types[number / 8 % 2]};
}

const char *argument_name(int number)
{
    static char text[TEXT];
    Place p = locate(number);
    const char *name = change(p.change, NULL, NULL);
    if (name == NULL)
        return NULL;
    text[0] = '\0';
    say(text, "%s arguments: %c, %s in %s", p.dense ? "SpSM" : "SpSV", "SDCZ"[p.type], name, place_names[p.place]);
    return text;
}

/* opB and numbers of columns are SpSM's. */
static int is_probed(Place p)
{
    const char *name = change(p.change, NULL, NULL);
    return p.dense || !(strncmp(name, "opB", 3) == 0 || strncmp(name, "B ", 2) == 0 || strncmp(name, "C ", 2) == 0);
}

void argument_probe(int number, const Solver *solver, char *outcome)
{
    Place p = locate(number);
    if (!is_probed(p)) {
        say(outcome, "not told");
        return;
    }
    Bench b;
    size_t bytes = 77;
    open_bench(&b, p.dense, p.type);
    system_create(&b.s, solver);
    Call right = *system_call(&b.s), wrong = right;
    int null_last = strcmp(change(p.change, &b, &wrong), "buffer or size NULL") == 0, where = places[p.place];
    if (wrong.mat == NULL && p.change > 0 && strstr(argument_name(number), "-bit") != NULL) {
        say(outcome, "no such matrix");
        system_forget(&b.s);
        close_bench(&b);
        return;
    }
    int status = call_size(solver, where & IN_SIZE ? &wrong : &right, null_last && where & IN_SIZE ? NULL : &bytes);
    say(outcome, "%d%s", status, status != 0 && bytes != 77 ? " (written)" : "");
    bytes = bytes < SCRATCH ? SCRATCH : bytes;
    void *buffer = memory_alloc(bytes);
    status = call_analysis(solver, where & IN_ANALYSIS ? &wrong : &right, null_last && where & IN_ANALYSIS ? NULL : buffer);
    memory_synchronize();
    say(outcome, " %d", status);
    system_reset(&b.s);
    status = call_solve(solver, where & IN_SOLVE ? &wrong : &right);
    memory_synchronize();
    say(outcome, " %d %s", status, solved_system(&b.s, &b.a));
    memory_free(buffer);
    system_forget(&b.s);
    close_bench(&b);
}
