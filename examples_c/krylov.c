/* Preconditioned conjugate gradients, BiCGSTAB and GMRES (Saad, Iterative Methods, algorithms 9.1, 7.7 and 9.5). */
#include "krylov.h"

#include <math.h>
#include <stdlib.h>

#include "example.h"
#include "vectors.h"

static double *new_vector(int n) { return example_alloc((size_t)n * sizeof(double)); }

static double dot_of(const problem *p, const double *x, const double *y) { return p->dot(p->context, x, y); }

static double norm(const problem *p, const double *x) { return sqrt(dot_of(p, x, x)); }

/* y = A M x with z = M x */
static void product(problem *p, const double *x, double *z, double *y) {
    p->apply(p->context, x, z);
    p->multiply(p->context, z, y);
    p->products++;
}

/* r = b - A x; its norm */
static double residual_of(const problem *p, const double *x, double *r) {
    p->multiply(p->context, x, r);
    axpby(p->n, 1.0, p->b, -1.0, r);
    return norm(p, r);
}

int conjugate_gradients(problem *p, double *x) {
    int n = p->n, definite = 1;
    double *r = new_vector(n), *z = new_vector(n), *d = new_vector(n), *q = new_vector(n);
    double rz = 0.0, sign = 0.0;

    double error = residual_of(p, x, r);
    for (int k = 0; p->products < p->limit && error > p->target; k++) {
        p->watch(p->context, p->products, error);
        p->apply(p->context, r, z);
        double before = rz;
        rz = dot_of(p, r, z);
        if (k == 0) sign = rz < 0.0 ? -1.0 : 1.0; /* -A with -M makes the same steps as A with M */
        if (!(definite = sign * rz > 0.0)) break;
        axpby(n, 1.0, z, k ? rz / before : 0.0, d);
        p->multiply(p->context, d, q);
        p->products++;
        double dq = dot_of(p, d, q);
        if (!(definite = sign * dq > 0.0)) break;
        axpby(n, rz / dq, d, 1.0, x);
        axpby(n, -rz / dq, q, 1.0, r);
        error = norm(p, r);
    }
    example_free(r);
    example_free(z);
    example_free(d);
    example_free(q);
    return definite;
}

void bicgstab(problem *p, double *x) {
    int n = p->n;
    double *r = new_vector(n), *first = new_vector(n), *d = new_vector(n), *z = new_vector(n), *v = new_vector(n),
           *t = new_vector(n);
    double rho = 1.0, alpha = 1.0, omega = 1.0;

    double error = residual_of(p, x, r);
    axpby(n, 1.0, r, 0.0, first);
    for (int k = 0; p->products < p->limit && error > p->target; k++) {
        double before = rho;
        p->watch(p->context, p->products, error);
        rho = dot_of(p, first, r);
        if (k) axpby(n, -omega, v, 1.0, d);
        axpby(n, 1.0, r, k ? rho / before * (alpha / omega) : 0.0, d);
        product(p, d, z, v);
        double slope = dot_of(p, first, v);
        if (rho == 0.0 || slope == 0.0) break;
        alpha = rho / slope;
        axpby(n, alpha, z, 1.0, x);
        axpby(n, -alpha, v, 1.0, r);
        error = norm(p, r);
        if (!(error > p->target) || p->products >= p->limit) break;

        p->watch(p->context, p->products, error);
        product(p, r, z, t);
        double length = dot_of(p, t, t);
        omega = length > 0.0 ? dot_of(p, t, r) / length : 0.0;
        axpby(n, omega, z, 1.0, x);
        axpby(n, -omega, t, 1.0, r);
        error = norm(p, r);
        if (omega == 0.0) break;
    }
    example_free(r);
    example_free(first);
    example_free(d);
    example_free(z);
    example_free(v);
    example_free(t);
}

enum { RESTART = 60 };

/* What GMRES keeps of its Hessenberg matrix: triangular by rotations, with the right-hand side beside it. */
typedef struct {
    double h[RESTART][RESTART + 1]; /* by columns */
    double c[RESTART], s[RESTART];
    double g[RESTART + 1];
} small_system;

/* Brings column j to triangular form; returns the norm of the residual. */
static double rotate(small_system *t, int j) {
    double *h = t->h[j];
    for (int i = 0; i < j; i++) {
        double upper = h[i], lower = h[i + 1];
        h[i] = t->c[i] * upper + t->s[i] * lower;
        h[i + 1] = -t->s[i] * upper + t->c[i] * lower;
    }
    double length = sqrt(h[j] * h[j] + h[j + 1] * h[j + 1]);
    t->c[j] = length > 0.0 ? h[j] / length : 1.0;
    t->s[j] = length > 0.0 ? h[j + 1] / length : 0.0;
    h[j] = length;
    t->g[j + 1] = -t->s[j] * t->g[j];
    t->g[j] *= t->c[j];
    return fabs(t->g[j + 1]);
}

/* Solves the triangular system of k columns in place of g; a singular one gets zeros. */
static void back_substitute(small_system *t, int k) {
    for (int i = k - 1; i >= 0; i--) {
        for (int j = i + 1; j < k; j++) t->g[i] -= t->h[j][i] * t->g[j];
        t->g[i] = t->h[i][i] != 0.0 ? t->g[i] / t->h[i][i] : 0.0;
    }
}

void gmres(problem *p, double *x) {
    int n = p->n, basis = 0;
    double *v[RESTART + 1], *z = new_vector(n), *w = new_vector(n);
    small_system *t = malloc(sizeof *t);
    if (!t) example_die(1, "out of memory: GMRES");

    for (;;) {
        if (basis == 0) v[basis++] = new_vector(n);
        double error = residual_of(p, x, v[0]);
        if (!(error > p->target) || p->products >= p->limit) break;
        axpby(n, 1.0 / error, v[0], 0.0, v[0]);
        t->g[0] = error;

        int k = 0;
        while (k < RESTART && error > p->target && p->products < p->limit) {
            p->watch(p->context, p->products, error);
            product(p, v[k], z, w);
            for (int i = 0; i <= k; i++) {
                t->h[k][i] = dot_of(p, w, v[i]);
                axpby(n, -t->h[k][i], v[i], 1.0, w);
            }
            double length = norm(p, w);
            t->h[k][k + 1] = length;
            if (basis == k + 1) v[basis++] = new_vector(n);
            axpby(n, length > 0.0 ? 1.0 / length : 0.0, w, 0.0, v[k + 1]);
            error = rotate(t, k++);
            if (!(length > 0.0)) break;
        }
        back_substitute(t, k);
        axpby(n, t->g[0], v[0], 0.0, w);
        for (int i = 1; i < k; i++) axpby(n, t->g[i], v[i], 1.0, w);
        p->apply(p->context, w, z);
        axpby(n, 1.0, z, 1.0, x);
    }
    for (int i = 0; i < basis; i++) example_free(v[i]);
    example_free(z);
    example_free(w);
    free(t);
}
