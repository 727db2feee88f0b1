/* Preconditioned iterative methods for A x = b; all vectors are in the executor's memory. */
#ifndef KRYLOV_H
#define KRYLOV_H

#include "matrix.h"

/* z = M r, where M is close to the inverse of A. */
typedef void (*preconditioner)(void *context, const double *r, double *z);

/* Called before each product with A: how many there were, and the norm of the residual. */
typedef void (*watcher)(void *context, int products, double error);

typedef struct {
    const matrix *a;
    const double *b;
    preconditioner apply;
    void *context; /* of both functions */
    watcher watch;
    double target; /* stop when the norm of the residual is at most this */
    int limit;     /* or after so many products with A, over all calls */
    int products;  /* products with A so far */
} problem;

/*
 * Conjugate gradients, for a symmetric and definite A; goes on from the x given. Returns 0 when A or M
 * turned out not to be definite (x is then the best so far), otherwise 1.
 */
int conjugate_gradients(problem *p, double *x);

/* GMRES, restarted and preconditioned from the right, for any A; goes on from the x given. */
void gmres(problem *p, double *x);

#endif
