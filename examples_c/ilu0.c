/* Incomplete LU factorisation without fill-in, row by row on the CPU (Saad, Iterative Methods, 10.3.2). */
#include "ilu0.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "example.h"

ilu0_report ilu0(const matrix *a, double *lu) {
    const int *ptr = a->ptr, *ind = a->ind;
    ilu0_report report = {0, -1};
    int *diagonal = malloc((size_t)a->n * sizeof(int));
    int *place = malloc((size_t)a->n * sizeof(int)); /* of each column in the current row, or -1 */
    if (!diagonal || !place) example_die(1, "out of memory: ILU(0) of %d rows", a->n);
    memcpy(lu, a->val, (size_t)ptr[a->n] * sizeof(double));
    for (int i = 0; i < a->n; i++) place[i] = -1;

    for (int i = 0; i < a->n; i++) {
        double largest = 0.0;
        for (int k = ptr[i]; k < ptr[i + 1]; k++) {
            place[ind[k]] = k;
            if (ind[k] == i) diagonal[i] = k;
            largest = fmax(largest, fabs(lu[k]));
        }
        for (int k = ptr[i]; k < diagonal[i]; k++) {
            int above = ind[k];
            lu[k] /= lu[diagonal[above]];
            for (int j = diagonal[above] + 1; j < ptr[above + 1]; j++)
                if (place[ind[j]] >= 0) lu[place[ind[j]]] -= lu[k] * lu[j];
        }
        for (int k = ptr[i]; k < ptr[i + 1]; k++) place[ind[k]] = -1;

        double *pivot = &lu[diagonal[i]];
        if (!(fabs(*pivot) > 1e-10 * largest)) {
            *pivot = largest > 0.0 ? largest : 1.0;
            if (report.replaced++ == 0) report.first_row = i;
        }
    }
    free(place);
    free(diagonal);
    return report;
}
