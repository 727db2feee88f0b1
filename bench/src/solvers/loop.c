/* The serial solve that everybody writes: rows, or for a transposed solve columns, in storage order. The matrix is a
   triangle in CSR with sorted rows, so that the diagonal is the last entry of a row (lower) or the first (upper). */

void sptrsv_loop(int n, int upper, int transposed, const int *ptr, const int *col, const double *val, const double *f,
                 double *x) {
    int backward = upper != transposed, front = upper, back = !upper;
    if (transposed)
        for (int i = 0; i < n; i++) x[i] = f[i];
    for (int k = 0; k < n; k++) {
        int i = backward ? n - 1 - k : k, begin = ptr[i] + front, end = ptr[i + 1] - back;
        double pivot = val[upper ? begin - 1 : end];
        if (transposed) {
            double solved = x[i] /= pivot;
            for (int e = begin; e < end; e++) x[col[e]] -= val[e] * solved;
        } else {
            double sum = f[i];
            for (int e = begin; e < end; e++) sum -= val[e] * x[col[e]];
            x[i] = sum / pivot;
        }
    }
}
