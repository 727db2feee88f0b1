/*
 * What factorisations, sweeps and pairs cost: median times of ILU(0), IC(0), an L solve, a sweep, an L and a U solve in two calls and in
 * one, and the latter with permutations, on grids, each system in one run; and of cuSPARSE's csrilu02 and SpMV where libcusparse.so.12 is
 * found.
 *
 *     factor_cost [REPETITIONS [SIDE]]
 *
 * On the GPU where one works, else on the host executor. A SIDE takes the place of the sides of all grids.
 */
#include <dlfcn.h>

#include "problem.h"

/* Grids of nx * ny * nz points with some unknowns each. A point has 26 neighbours if `wide`, else 6, or 4 in a plane. */
static const struct {
  int nx, ny, nz, unknowns, wide;
} SYSTEMS[] = {{100, 100, 100, 1, 0}, {128, 128, 128, 1, 0}, {1000, 1000, 1, 1, 0}, {300, 300, 1, 1, 0},
               {64, 64, 64, 1, 1},    {40, 40, 40, 3, 1},    {70, 70, 70, 3, 1},    {30, 30, 30, 5, 1},
               {64, 64, 64, 3, 0}};

enum { MOST = 100 };

typedef struct {
  int n, nnz, *ptr, *ind;
  double *val;
} Grid;

static Grid make_grid(int nx, int ny, int nz, int unknowns, int wide) {
  Grid g = {.n = nx * ny * nz * unknowns};
  size_t most = (size_t)g.n * (wide ? 27 : 7) * (size_t)unknowns;
  g.ptr = malloc(((size_t)g.n + 1) * sizeof(int)), g.ind = malloc(most * sizeof(int)), g.val = malloc(most * sizeof(double));
  if (!g.ptr || !g.ind || !g.val) fatal("malloc", "out of memory");
  for (int row = 0; row < g.n; row++) {
    int p = row / unknowns, x = p % nx, y = p / nx % ny, z = p / nx / ny, own = 0;
    double sum = 1;
    g.ptr[row] = g.nnz;
    for (int d = 0; d < 27; d++) {
      int dx = d % 3 - 1, dy = d / 3 % 3 - 1, dz = d / 9 - 1;
      if (!wide && abs(dx) + abs(dy) + abs(dz) > 1) continue;
      if (x + dx < 0 || x + dx >= nx || y + dy < 0 || y + dy >= ny || z + dz < 0 || z + dz >= nz) continue;
      for (int u = 0; u < unknowns; u++) {
        int column = (p + dx + nx * (dy + ny * dz)) * unknowns + u;
        double v = -(double)uniform();
        if (column == row) own = g.nnz;
        g.ind[g.nnz] = column, g.val[g.nnz++] = v;
        sum -= v;
      }
    }
    g.val[own] = sum;
  }
  g.ptr[g.n] = g.nnz;
  return g;
}

/* The system in the executor's memory, with an info for each purpose. */
typedef struct {
  const Grid *g;
  int *ptr, *ind;
  double *val, *factor, *b, *x, *between;
  int *order; /* that a permutation reads */
  sptrsvMatDescr_t unit, whole, upper;
  sptrsvInfo_t factors, sweeps, uppers;
  void *buffer;
  /* cuSPARSE's */
  void *handle, *descr, *info, *scratch, *matrix, *vectors[2];
} Bench;

static struct {
  void *library;
  int (*Create)(void **), (*CreateMatDescr)(void **), (*CreateInfo)(void **);
  int (*BufferSize)(void *, int, int, void *, double *, const int *, const int *, void *, int *);
  int (*Analysis)(void *, int, int, void *, const double *, const int *, const int *, void *, int, void *);
  int (*Ilu0)(void *, int, int, void *, double *, const int *, const int *, void *, int, void *);
  int (*CreateCsr)(void **, int64_t, int64_t, int64_t, void *, void *, void *, int, int, int, int);
  int (*CreateDnVec)(void **, int64_t, void *, int);
  int (*SpmvSize)(void *, int, const void *, void *, void *, const void *, void *, int, int, size_t *);
  int (*Spmv)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);
} cu;

static void find_cusparse(void) {
  const struct {
    void *place;
    const char *name;
  } entries[] = {{&cu.Create, "cusparseCreate"},
                 {&cu.CreateMatDescr, "cusparseCreateMatDescr"},
                 {&cu.CreateInfo, "cusparseCreateCsrilu02Info"},
                 {&cu.BufferSize, "cusparseDcsrilu02_bufferSize"},
                 {&cu.Analysis, "cusparseDcsrilu02_analysis"},
                 {&cu.Ilu0, "cusparseDcsrilu02"},
                 {&cu.CreateCsr, "cusparseCreateCsr"},
                 {&cu.CreateDnVec, "cusparseCreateDnVec"},
                 {&cu.SpmvSize, "cusparseSpMV_bufferSize"},
                 {&cu.Spmv, "cusparseSpMV"}};
  cu.library = T.on_gpu ? dlopen("libcusparse.so.12", RTLD_NOW) : NULL;
  for (int i = 0; cu.library && i < COUNT(entries); i++) {
    void *entry = dlsym(cu.library, entries[i].name);
    memcpy(entries[i].place, &entry, sizeof entry);
    if (!entry) cu.library = NULL;
  }
  if (T.on_gpu && !cu.library) printf("factor_cost: there is no libcusparse.so.12 to compare with\n");
}

enum { R_64F = 1, INDEX_32I = 2, CSR_ALG1 = 2 }; /* cuSPARSE's numbers */
static const double one = 1, minus_one = -1;

/* Whether cuSPARSE takes part. */
static int open_peer(Bench *s) {
  const Grid *g = s->g;
  int bytes = 0, n = g->n, nnz = g->nnz;
  size_t of_product = 0;
  if (!cu.library) return 0;
  int bad = cu.Create(&s->handle) || cu.CreateMatDescr(&s->descr) || cu.CreateInfo(&s->info) ||
            cu.BufferSize(s->handle, n, nnz, s->descr, s->factor, s->ptr, s->ind, s->info, &bytes) ||
            cu.CreateCsr(&s->matrix, n, n, nnz, s->ptr, s->ind, s->val, INDEX_32I, INDEX_32I, 0, R_64F) ||
            cu.CreateDnVec(&s->vectors[0], n, s->x, R_64F) || cu.CreateDnVec(&s->vectors[1], n, s->b, R_64F) ||
            cu.SpmvSize(s->handle, 0, &minus_one, s->matrix, s->vectors[0], &one, s->vectors[1], R_64F, CSR_ALG1, &of_product);
  s->scratch = mem_new((size_t)bytes > of_product ? (size_t)bytes : of_product + 1);
  return CHECK(!bad && !cu.Analysis(s->handle, n, nnz, s->descr, s->factor, s->ptr, s->ind, s->info, 1, s->scratch));
}

static sptrsvInfo_t analysed(Bench *s, sptrsvMatDescr_t d, size_t *bytes) {
  const Grid *g = s->g;
  sptrsvInfo_t info;
  size_t needed = 0;
  CHECK_OK(sptrsvCreateInfo(&info));
  if (d == s->whole) CHECK_OK(sptrsvSetSweeps(info, SPTRSV_SWEEPS_GAUSS_SEIDEL));
  if (d == s->unit) CHECK_OK(sptrsvSetFactorization(info, 1));
  CHECK_OK(sptrsvBufferSize(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, g->n, g->nnz, d, SPTRSV_R_64F, NULL, NULL, NULL, info, &needed));
  if (needed > *bytes) mem_free(s->buffer), s->buffer = mem_new(*bytes = needed);
  CHECK_OK(sptrsvAnalysis(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, g->n, g->nnz, d, SPTRSV_R_64F, NULL, s->ptr, s->ind, info,
                          SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer));
  return info;
}

enum Work { ILU0, SOLVE, TWO, PAIR, PERMUTED, IC0, SWEEP, PEER_ILU0, PRODUCT, COPY, WORKS };

static void solve_by(Bench *s, sptrsvMatDescr_t d, sptrsvInfo_t info, const double *f, double *x) {
  CHECK_OK(sptrsvSolve(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, s->g->n, s->g->nnz, &one, d, SPTRSV_R_64F, s->factor, s->ptr, s->ind, info, f, x,
                       SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer));
}

static void solve_pair(Bench *s, const int *order) {
  const Grid *g = s->g;
  CHECK_OK(sptrsvSolvePair(T.h, SPTRSV_OPERATION_NON_TRANSPOSE, g->n, 1, &one, SPTRSV_R_64F, s->unit, g->nnz, s->factor, s->ptr, s->ind,
                           s->factors, s->upper, g->nnz, s->factor, s->ptr, s->ind, s->uppers, order, order, s->b, g->n, s->x, g->n,
                           s->between, SPTRSV_SOLVE_POLICY_USE_LEVEL, s->buffer));
}

static void work(Bench *s, enum Work what) {
  const Grid *g = s->g;
  switch (what) {
    case ILU0:
      CHECK_OK(sptrsvIlu0(T.h, g->n, g->nnz, s->unit, SPTRSV_R_64F, s->factor, s->ptr, s->ind, s->factors, s->buffer));
      break;
    case IC0:
      CHECK_OK(sptrsvIc0(T.h, g->n, g->nnz, s->unit, SPTRSV_R_64F, s->factor, s->ptr, s->ind, s->factors, s->buffer));
      break;
    case SOLVE: solve_by(s, s->unit, s->factors, s->b, s->x); break;
    case TWO:
      solve_by(s, s->unit, s->factors, s->b, s->x);
      solve_by(s, s->upper, s->uppers, s->x, s->x);
      break;
    case PAIR: solve_pair(s, NULL); break;
    case PERMUTED: solve_pair(s, s->order); break;
    case SWEEP:
      CHECK_OK(sptrsvSweep(T.h, g->n, g->nnz, 1, 0, s->whole, SPTRSV_R_64F, s->val, s->ptr, s->ind, s->sweeps, s->b, s->x, s->buffer));
      break;
    case PEER_ILU0:
      CHECK(!cu.Ilu0(s->handle, g->n, g->nnz, s->descr, s->factor, s->ptr, s->ind, s->info, 1, s->scratch));
      break;
    case PRODUCT:
      CHECK(!cu.Spmv(s->handle, 0, &minus_one, s->matrix, s->vectors[0], &one, s->vectors[1], R_64F, CSR_ALG1, s->scratch));
      break;
    default: CUDA(cudaMemcpyAsync(s->x, s->b, (size_t)g->n * sizeof(double), cudaMemcpyDeviceToDevice, NULL));
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Median milliseconds. A factorisation begins with the values of the matrix each time. */
static double median(Bench *s, enum Work what, int repetitions, cudaEvent_t event[2]) {
  static double times[MOST];
  int factorises = what == ILU0 || what == IC0 || what == PEER_ILU0;
  for (int r = 0; r < repetitions; r++) {
    float ms = 0;
    if (factorises) mem_put(s->factor, s->g->val, (size_t)s->g->nnz * sizeof(double));
    double start = seconds();
    if (T.on_gpu) CUDA(cudaEventRecord(event[0], NULL));
    work(s, what);
    times[r] = 1e3 * (seconds() - start);
    if (!T.on_gpu) continue;
    CUDA(cudaEventRecord(event[1], NULL));
    CUDA(cudaEventSynchronize(event[1]));
    CUDA(cudaEventElapsedTime(&ms, event[0], event[1]));
    times[r] = ms;
  }
  qsort(times, (size_t)repetitions, sizeof *times, by_size);
  return times[repetitions / 2];
}

static void measure(const Grid *g, int repetitions, cudaEvent_t event[2]) {
  size_t rows = (size_t)g->n, entries = (size_t)g->nnz, bytes = 0;
  double t[WORKS];
  Bench s = {.g = g};
  s.ptr = mem_copy(g->ptr, (rows + 1) * sizeof(int)), s.ind = mem_copy(g->ind, entries * sizeof(int));
  s.val = mem_copy(g->val, entries * sizeof(double)), s.factor = mem_copy(g->val, entries * sizeof(double));
  s.b = mem_new(rows * sizeof(double)), s.x = mem_new(rows * sizeof(double));
  s.between = mem_new(rows * sizeof(double));
  mem_fill(s.b, 0, rows * sizeof(double)), mem_fill(s.x, 0, rows * sizeof(double));
  int *order = malloc(rows * sizeof *order);
  if (!order) fatal("malloc", "out of memory");
  for (int i = 0; i < g->n; i++) order[i] = g->n - 1 - i;
  s.order = mem_copy(order, rows * sizeof *order);
  free(order);
  CHECK_OK(sptrsvCreateMatDescr(&s.unit));
  CHECK_OK(sptrsvCreateMatDescr(&s.whole));
  CHECK_OK(sptrsvCreateMatDescr(&s.upper));
  CHECK_OK(sptrsvSetMatDiagType(s.unit, SPTRSV_DIAG_TYPE_UNIT));
  CHECK_OK(sptrsvSetMatFillMode(s.upper, SPTRSV_FILL_MODE_UPPER));
  s.factors = analysed(&s, s.unit, &bytes), s.sweeps = analysed(&s, s.whole, &bytes), s.uppers = analysed(&s, s.upper, &bytes);
  int has_peer = open_peer(&s);
  for (int what = 0; what < (has_peer ? WORKS : PEER_ILU0); what++) t[what] = median(&s, (enum Work)what, repetitions, event);
  printf("ILU(0) %.4f ms (%.1f solves), IC(0) %.4f, solve %.4f, sweep %.4f", t[ILU0], t[ILU0] / t[SOLVE], t[IC0], t[SOLVE], t[SWEEP]);
  printf("; two solves %.4f, pair %.4f (%.3f times these), permuted %.4f (%.3f times the pair)", t[TWO], t[PAIR], t[PAIR] / t[TWO],
         t[PERMUTED], t[PERMUTED] / t[PAIR]);
  if (has_peer)
    printf("; csrilu02 %.4f (%.2f times ILU(0)), product %.4f, copy %.4f (sweep / (product + copy + solve) %.2f)", t[PEER_ILU0],
           t[PEER_ILU0] / t[ILU0], t[PRODUCT], t[COPY], t[SWEEP] / (t[PRODUCT] + t[COPY] + t[SOLVE]));
  printf("\n");
  fflush(stdout);
  mem_free(s.ptr), mem_free(s.ind), mem_free(s.val), mem_free(s.factor), mem_free(s.b), mem_free(s.x), mem_free(s.buffer);
  mem_free(s.between), mem_free(s.order);
  if (has_peer) mem_free(s.scratch);
  sptrsvDestroyInfo(s.factors), sptrsvDestroyInfo(s.sweeps), sptrsvDestroyMatDescr(s.unit), sptrsvDestroyMatDescr(s.whole);
  sptrsvDestroyInfo(s.uppers), sptrsvDestroyMatDescr(s.upper);
}

int main(int argc, char **argv) {
  int repetitions = argc > 1 ? atoi(argv[1]) : 11, side = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3 || repetitions < 1 || repetitions > MOST || side < 0) {
    fprintf(stderr, "usage: %s [REPETITIONS, at most %d [SIDE]]\n", argv[0], MOST);
    return 2;
  }
  check_begin("factor_cost", 1, argv);
  cudaEvent_t event[2] = {NULL, NULL};
  for (int k = 0; T.on_gpu && k < 2; k++) CUDA(cudaEventCreate(&event[k]));
  find_cusparse();
  for (int i = 0; i < COUNT(SYSTEMS); i++) {
    int nx = side ? side : SYSTEMS[i].nx, ny = side ? side : SYSTEMS[i].ny, nz = side && SYSTEMS[i].nz > 1 ? side : SYSTEMS[i].nz;
    Grid g = make_grid(nx, ny, nz, SYSTEMS[i].unknowns, SYSTEMS[i].wide);
    printf("factor_cost: %d x %d x %d, %s neighbours, %d unknowns a point: ", nx, ny, nz, SYSTEMS[i].wide ? "26" : nz > 1 ? "6" : "4",
           SYSTEMS[i].unknowns);
    measure(&g, repetitions, event);
    free(g.ptr), free(g.ind), free(g.val);
  }
  for (int k = 0; T.on_gpu && k < 2; k++) CUDA(cudaEventDestroy(event[k]));
  return check_end();
}
