/*
 * What the parts of the differential test of csrilu02 and csric02 share: the functions of both sides, and one factorisation on its
 * way.
 */

#ifndef DIFF_ILU02_H
#define DIFF_ILU02_H

#include "matrix.h"
#include "memory.h"

typedef struct OpaqueHandle *Handle;
typedef struct OpaqueDescr *Descr;
typedef struct OpaqueInfo *Info;

/* Kinds, as tables number them. */
enum { ILU, IC };
enum { NO_LEVEL, USE_LEVEL };
enum { TEXT = 1024 };

/* From cuSPARSE on both sides. */
typedef struct {
    int (*create)(Handle *), (*destroy)(Handle), (*version)(Handle, int *);
    int (*set_stream)(Handle, void *), (*set_pointer_mode)(Handle, int);
    int (*create_descr)(Descr *), (*destroy_descr)(Descr);
    int (*set_type)(Descr, int), (*set_fill)(Descr, int), (*set_diag)(Descr, int), (*set_base)(Descr, int);
} Base;

/* What is tested, by kind and by type. */
typedef struct {
    int (*create[2])(Info *), (*destroy[2])(Info), (*pivot[2])(Handle, Info, int *);
    int (*size[2][4])(Handle, int, int, Descr, void *, const int *, const int *, Info, int *);
    int (*analysis[2][4])(Handle, int, int, Descr, const void *, const int *, const int *, Info, int, void *);
    int (*factorise[2][4])(Handle, int, int, Descr, void *, const int *, const int *, Info, int, void *);
    int (*boost[4])(Handle, Info, int, double *, void *);
} Factors;

extern Base base;
extern Handle handle;
extern int on_gpu;

/* A matrix on the executor, an info, and all that the calls are told. */
typedef struct {
    const Factors *f;
    char *out;     /* where `say` writes */
    int kind, type, index_base;
    Matrix a;      /* what the values on the executor were before the last factorisation */
    int *ptr, *ind;
    void *val;
    Handle handle;
    int m, nnz;
    Descr descr;
    Info info;
    int policy, device_pointers;
    void *buffer;
    int bytes;
    /* As they should count in the next factorisation. */
    int boosts;
    double tolerance;
    Value boost;
} Life;

/* Ends the process where there is no such library, or a function is missing. */
void *open_library(const char *path);
void load_base(void *library);
void load_factors(Factors *f, void *library);

void say(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes the matrix over. Everything up to bufferSize is left to the probe. */
Life open_life(const Factors *f, char *out, int kind, int type, int index_base, Matrix a);
void close_life(Life *l);

/* The calls; each says its status, and what it has told. A buffer is allocated where there is none. */
void size(Life *l);
void analyse(Life *l);
void factorise(Life *l);
void pivot(Life *l);
void boost(Life *l, int enable, double tolerance, Value value);
/* What has become of the values since they were last written. */
void tell_values(const Life *l);
/* size, analyse, pivot, factorise and pivot. */
void whole_life(Life *l);

/* One of the three calls as it is, with its last argument: the buffer, or where the size goes. Its status. */
enum { IN_SIZE, IN_ANALYSIS, IN_FACTORISE, PLACES };
int call(Life *l, int place, void *last);

/* Writes values on the executor anew: those of `a`, which has the pattern of the life's matrix. */
void renew_values(Life *l, const Matrix *a);
/* Another matrix for the life's info, which it takes over. */
void renew_matrix(Life *l, Matrix a);

/* The name of a probe, or NULL where the number is past the last. */
const char *case_name(int number);
void run_case(int number, const Factors *f, char *out);
/* The outcome of a story that there is not, of a boost of csric02. */
#define NO_PROBE "no such story"
const char *story_name(int number);
void run_story(int number, const Factors *f, char *out);
const char *argument_name(int number);
void run_argument(int number, const Factors *f, char *out);

/* ---- matrices, whose factorisations exist for both kinds ---- */

Matrix matrix_for(int shape, int m, unsigned seed);
enum { RANDOM, GRID_2D, GRID_3D, TRIDIAGONAL, NODES, DENSE, LOWER_ONLY, SHAPES };
extern const char *const shape_names[SHAPES];
/* Makes the pivot of a row exactly this. */
void set_pivot(Matrix *a, int row, Value pivot);
Matrix copy_of(const Matrix *a);

#endif
