/*
 * Systems for the tests of SpSV and SpSM: one matrix in any format on the executor, right-hand sides in any layout, the
 * descriptors of both, and the calls of either function family on them.
 *
 * All calls go through tables of functions, because the differential test drives two libraries.
 */

#ifndef GENERIC_H
#define GENERIC_H

#include <cusparse.h>

#include "matrix.h"
#include "memory.h"

enum { N, T, H };
enum { LOWER, UPPER };
enum { NON_UNIT, UNIT };
enum { GENERAL, DIAGONAL };
/* cuSPARSE numbers formats and orders from 1; a zero in Options is CSR and column order. */
enum { CSR = 1, CSC, COO };
enum { COL = 1, ROW };

/* ---- the functions ---- */

/* These come from cuSPARSE on both sides of the differential test. */
#define OF_CUSPARSE(F)                                                                                       \
    F(Create) F(Destroy) F(SetStream) F(SetPointerMode) F(GetVersion) F(CreateCsr) F(CreateCsc) F(CreateCoo) \
    F(CreateBsr) F(CreateSlicedEll) F(DestroySpMat) F(SpMatSetValues) F(SpMatSetAttribute) F(CreateDnVec)    \
    F(DestroyDnVec) F(DnVecSetValues) F(CreateDnMat) F(DestroyDnMat) F(DnMatSetValues)

/* These are what is tested. */
#define OF_SOLVER(F)                                                                                         \
    F(SpSV_createDescr) F(SpSV_destroyDescr) F(SpSV_bufferSize) F(SpSV_analysis) F(SpSV_solve)               \
    F(SpSV_updateMatrix) F(SpSM_createDescr) F(SpSM_destroyDescr) F(SpSM_bufferSize) F(SpSM_analysis)        \
    F(SpSM_solve) F(SpSM_updateMatrix)

#define MEMBER_OF_TABLE(name) __typeof__(cusparse##name) *name;
typedef struct { OF_CUSPARSE(MEMBER_OF_TABLE) } Cusparse;
typedef struct { OF_SOLVER(MEMBER_OF_TABLE) } Solver;

/* The tables' initialisers in a program that is linked to the libraries. */
#define LINKED_FUNCTION(name) .name = cusparse##name,
#define LINKED_CUSPARSE { OF_CUSPARSE(LINKED_FUNCTION) }
#define LINKED_SOLVER { OF_SOLVER(LINKED_FUNCTION) }

/* The same in a program that loads them. A function that is not there ends it. */
void load_cusparse(Cusparse *table, void *library);
void load_solver(Solver *table, void *library);

/* Every program defines it. */
extern Cusparse cusparse;

/* ---- one call ---- */

typedef struct {
    int dense; /* SpSM, else SpSV */
    cusparseHandle_t handle;
    int op, op_b;
    const void *alpha;
    cusparseConstSpMatDescr_t mat;
    void *x, *y; /* descriptors: vectors of SpSV, matrices of SpSM */
    int type, alg;
    void *descr;
} Call;

int create_descr(const Solver *solver, int dense, void **descr);
int destroy_descr(const Solver *solver, int dense, void *descr);
int call_size(const Solver *solver, const Call *call, size_t *bytes);
int call_analysis(const Solver *solver, const Call *call, void *buffer);
int call_solve(const Solver *solver, const Call *call);
int call_update(const Solver *solver, const Call *call, void *values, int part);

/* cudaDataType of S, D, C and Z. */
int cuda_type(int type);

/* ---- arrays ---- */

void *values_to_device(int type, const Value *values, size_t count);
void values_to_host(int type, const void *device, size_t count, Value *values);
/* 16-, 32- or 64-bit indices. */
void *indices_to_device(int index_type, const int *from, size_t count, int base);
/* Values that `type` holds exactly. */
void random_values(int type, size_t count, unsigned seed, Value *values);

/* ---- systems ---- */

typedef struct {
    int type, op, fill, diag, base, format, alg;
    /* 0: 32-bit indices; 1: 64-bit ones; 2: offsets of 64 and columns of 32 bits; 3: 32 and 64; 4: 16 and 16. */
    int width;
    int device_alpha;
    int in_place;           /* 1: X and Y are the same memory; 2: the same descriptor */
    int dense;              /* SpSM; what follows is for it alone */
    int columns, op_b, order_b, order_c, pad_b, pad_c;
    unsigned seed;          /* of the right-hand sides */
} Options;

/* A matrix on the executor. */
typedef struct {
    int format, width, base, type;
    Matrix host; /* in the order of the format: a CSC matrix's rows are columns */
    void *offsets, *indices, *values;
    cusparseSpMatDescr_t mat;
    int status; /* that the descriptor was made with: old versions refuse some widths */
} Stored;

Stored store_matrix(const Matrix *a, int type, int format, int width, int base, int fill, int diag);
/* The same in sliced ELLPACK, with 32-bit indices; its values have the order of that format. */
Stored store_sliced(const Matrix *a, int type, int base, int fill, int diag);
void discard_matrix(Stored *stored);
/* The values of `a` in the order of the format, on the executor. */
void *stored_values(const Stored *stored, const Matrix *a);

typedef struct {
    const Solver *solver;
    Options o;
    int m, columns;
    Stored a;
    Call call;
    Value alpha;
    char alpha_host[16];
    void *alpha_device;
    Value *f;               /* m x columns, column after column */
    size_t b_count, c_count; /* elements, padding included */
    void *b, *c;
    char *before;           /* the bytes of c before the solve */
    void *buffer;
    size_t bytes;
} System;

/* Everything up to bufferSize, which is left to the test; without a descriptor when the solver is NULL. A test may
 * change every field of s.call but alpha. */
System open_system(const Solver *solver, cusparseHandle_t handle, const Matrix *a, Options o);
void close_system(System *s);

/* Gives the system a descriptor of the solver; system_forget takes it away and returns destroyDescr's status. */
int system_create(System *s, const Solver *solver);
int system_forget(System *s);

/* The arguments, with alpha where the options say, and the handle's pointer mode set to it: every function below begins
 * with it. */
const Call *system_call(System *s);

int system_size(System *s);
/* Allocates the buffer when there is none. */
int system_analyse(System *s);
/* The first status of bufferSize and analysis that is not 0. */
int system_prepare(System *s);
/* Writes the right-hand sides anew and fills C with NaN; system_solve then solves. */
void system_reset(System *s);
int system_solve(System *s);
/* updateMatrix with the values of `a` or its diagonal; the array is overwritten and freed when the call is back. */
int system_update(System *s, const Matrix *a, int part);

/* The elements of the solution, m x columns, column after column. */
void system_result(const System *s, Value *x);
/* The largest backward error of a column, if the solved matrix was `a`. */
double system_error(const System *s, const Matrix *a, int op, int fill, int diag);
/* Whether no byte of C, or none outside its columns, has changed. */
int system_untouched(const System *s);
int system_padding_intact(const System *s);
/* "right", "untouched", "not finite", "wrong", "wrote outside" of `a` with the options of the system. */
const char *system_verdict(const System *s, const Matrix *a);

/* Other arrays and descriptors for X and Y, of the same sizes. */
void system_renew_vectors(System *s);

/* ---- matrices ---- */

Matrix matrix_copy(const Matrix *a);
/* The same pattern with other values. */
Matrix matrix_revalued(const Matrix *a, unsigned seed);
/* Where a diagonal entry is missing, SpSV and SpSM solve with a one. */
Matrix matrix_with_ones(const Matrix *a);
/* Every off-diagonal entry in two parts. */
Matrix matrix_with_duplicates(const Matrix *a);
/* The other triangle NaN. */
void matrix_poison(Matrix *a, int fill);

#endif
