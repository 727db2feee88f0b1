/* Preconditioned conjugate gradients and GMRES (Saad, Iterative Methods, algorithms 9.1 and 9.5). */
#include "krylov.h"

#include <math.h>
#include <stdlib.h>

#include "example.h"
#include "vectors.h"

static double *new_vector(int n) { return example_alloc((size_t)n * sizeof(double)); }

static double norm(int n, const double *x) { return sqrt(dot(n, x, x)); }

int conjugate_gradients(problem *p, double *x) {
    int n = p->a->n, definite = 1;
    double *r = new_vector(n), *z = new_vector(n), *d = new_vector(n), *q = new_vector(n);
    double rz = 0.0, sign = 0.0;

    residual(p->a, x, p->b, r);
    double error = norm(n, r);
    for (int k = 0; p->products < p->limit && error > p->target; k++) {
        p->watch(p->context, p->products, error);
        p->apply(p->context, r, z);
        double before = rz;
        rz = dot(n, r, z);
        if (k == 0) sign = rz < 0.0 ? -1.0 : 1.0; /* -A with -M makes the same steps as A with M */
        if (!(definite = sign * rz > 0.0)) break;
        axpby(n, 1.0, z, k ? rz / before : 0.0, d);
        spmv(p->a, d, q);
        p->products++;
        double dq = dot(n, d, q);
        if (!(definite = sign * dq > 0.0)) break;
        axpby(n, rz / dq, d, 1.0, x);
        axpby(n, -rz / dq, q, 1.0, r);
        error = norm(n, r);
    }
    example_free(r);
    example_free(z);
    example_free(d);
    example_free(q);
    return definite;
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
    int n = p->a->n, basis = 0;
    double *v[RESTART + 1], *z = new_vector(n), *w = new_vector(n);
    small_system *t = malloc(sizeof *t);
    if (!t) example_die(1, "out of memory: GMRES");

    for (;;) {
        if (basis == 0) v[basis++] = new_vector(n);
        residual(p->a, x, p->b, v[0]);
        double error = norm(n, v[0]);
        if (!(error > p->target) || p->products >= p->limit) break;
        axpby(n, 1.0 / error, v[0], 0.0, v[0]);
        t->g[0] = error;

        int k = 0;
        while (k < RESTART && error > p->target && p->products < p->limit) {
            p->watch(p->context, p->products, error);
            p->apply(p->context, v[k], z);
            spmv(p->a, z, w);
            p->products++;
            for (int i = 0; i <= k; i++) {
                t->h[k][i] = dot(n, w, v[i]);
                axpby(n, -t->h[k][i], v[i], 1.0, w);
            }
            double length = norm(n, w);
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
