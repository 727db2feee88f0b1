/* What every consumer in C, C++ and CUDA does: solves a bidiagonal system on the host executor, by the default algorithm and by
 * one that works on several threads, and has a mistake explained. Exit status 0 where all is right. */
#include <sptrsv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 50000, ENTRIES = 2 * ROWS - 1 };
static int ptr[ROWS + 1], ind[ENTRIES];
static double val[ENTRIES], f[ROWS], x[ROWS];

static int check(sptrsvStatus_t status, const char *what) {
  if (status != SPTRSV_STATUS_SUCCESS) printf("%s: %s\n", what, sptrsvGetLastErrorString());
  return status != SPTRSV_STATUS_SUCCESS;
}

static int solve_by(sptrsvHandle_t h, sptrsvMatDescr_t descr, sptrsvAlgorithm_t algorithm) {
  const sptrsvOperation_t op = SPTRSV_OPERATION_NON_TRANSPOSE;
  const sptrsvSolvePolicy_t policy = SPTRSV_SOLVE_POLICY_USE_LEVEL;
  const double one = 1;
  sptrsvInfo_t info;
  size_t bytes = 0;
  void *buffer;
  int bad, i;
  if (check(sptrsvCreateInfo(&info), "info")) return 1;
  bad = check(sptrsvSetAlgorithm(info, algorithm), "algorithm") ||
        check(sptrsvBufferSize(h, op, ROWS, ENTRIES, descr, SPTRSV_R_64F, val, ptr, ind, info, &bytes), "buffer size");
  buffer = malloc(bytes);
  memset(x, 0, sizeof x);
  bad = bad ||
        check(sptrsvAnalysis(h, op, ROWS, ENTRIES, descr, SPTRSV_R_64F, val, ptr, ind, info, policy, buffer), "analysis") ||
        check(sptrsvSolve(h, op, ROWS, ENTRIES, &one, descr, SPTRSV_R_64F, val, ptr, ind, info, f, x, policy, buffer),
              "solve");
  for (i = 0; i < ROWS && !bad; i++) bad = x[i] != i % 7 + 1;
  free(buffer);
  return sptrsvDestroyInfo(info) != SPTRSV_STATUS_SUCCESS || bad;
}

static int solve(void) {
  sptrsvHandle_t h;
  sptrsvMatDescr_t descr;
  int bad, i, number = 0;
  for (i = 0; i < ROWS; i++) { /* 2 on the diagonal, 1 before it; x = 1 2 3 4 5 6 7 1 ... */
    if (i > 0) ind[number] = i - 1, val[number++] = 1;
    ind[number] = i, val[number++] = 2;
    ptr[i + 1] = number;
    f[i] = 2 * (i % 7 + 1) + (i > 0 ? (i - 1) % 7 + 1 : 0);
  }
  if (check(sptrsvCreateWithExecutor(&h, SPTRSV_EXECUTOR_HOST), "handle")) return 1;
  if (check(sptrsvCreateMatDescr(&descr), "descriptor")) return 1;
  bad = solve_by(h, descr, SPTRSV_ALG_AUTO) | solve_by(h, descr, SPTRSV_ALG_SLFR);
  bad |= sptrsvCreateInfo(NULL) != SPTRSV_STATUS_INVALID_VALUE || !strstr(sptrsvGetLastErrorString(), "NULL");
  bad |= sptrsvDestroyMatDescr(descr) != SPTRSV_STATUS_SUCCESS || sptrsvDestroy(h) != SPTRSV_STATUS_SUCCESS;
  puts(bad ? "wrong" : "solved");
  return bad;
}
