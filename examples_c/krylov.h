/*
 * Preconditioned iterative methods for A x = b. All vectors are in the executor's memory. In a parallel program each
 * process has n elements of each vector, and every process calls the method.
 */
#ifndef KRYLOV_H
#define KRYLOV_H

typedef struct {
    int n;
    const double *b;
    void (*multiply)(void *context, const double *x, double *y); /* y = A x */
    void (*apply)(void *context, const double *r, double *z);    /* z = M r, where M is close to the inverse of A */
    double (*dot)(void *context, const double *x, const double *y); /* x' y, the same for every process */
    /* Called before each product with A: how many there were, and the norm of the residual. */
    void (*watch)(void *context, int products, double error);
    void *context; /* of the four functions */
    double target; /* stop when the norm of the residual is at most this */
    int limit;     /* or after so many products with A, over all calls */
    int products;  /* products with A so far */
} problem;

/*
 * Conjugate gradients, for a symmetric and definite A; goes on from the x given. Returns 0 when A or M
 * turned out not to be definite (x is then the best so far), otherwise 1.
 */
int conjugate_gradients(problem *p, double *x);

/*
 * BiCGSTAB, preconditioned from the right, for any A; goes on from the x given. It returns early where it breaks down:
 * call it again, for it then starts anew.
 */
void bicgstab(problem *p, double *x);

/* GMRES, restarted and preconditioned from the right, for any A; goes on from the x given. */
void gmres(problem *p, double *x);

#endif
