/* Incomplete LU factorisation without fill-in. */
#ifndef ILU0_H
#define ILU0_H

#include "matrix.h"

typedef struct {
    int replaced;  /* pivots that were too small and were replaced */
    int first_row; /* the first such row, from 0; -1 if none */
} ilu0_report;

/*
 * Writes L and U, A ~ L U, in the pattern of A: lu[k] belongs to a->ind[k]. L has a unit diagonal that
 * is not stored. Every row of A must store a diagonal entry. A pivot of less than 1e-10 times its row's
 * largest value in A is replaced by that value (by 1 in a row of zeros).
 */
ilu0_report ilu0(const matrix *a, double *lu);

#endif
