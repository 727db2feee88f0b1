/*
 * Each call of the CUDA driver in turn fails, in each call of each door: csrsv2, csrsm2, SpSV, SpSM and csrilu02. The driver is the stand-in
 * of ../standin/libcuda.c and the cuSPARSE behind the doors the one of standin/, so this runs on every machine. The call gives a
 * status, works when it is made again, and so does all after it; nothing stays allocated. Kernels of this library do nothing here, but what it
 * passes on to cuSPARSE is solved, and is compared.
 */

#define _GNU_SOURCE
#include <cusparse.h>
#include <dlfcn.h>

#include "sptrsv_cusparse.h"

#include "harness.h"
#include "standin/standin.h"

enum { ROWS = 40, ENTRIES = 2 * ROWS - 1, COLUMNS = 3 };
enum { OUT_OF_MEMORY = 2, LAUNCH_FAILED = 719 }; /* of the driver */

static struct {
    void (*fail_at)(int call, int error);
    int (*count)(void), (*allocated)(void);
    const char *(*failed_entry)(void);
    void (*leave_current)(void), (*use)(int device);
    void (*capture)(int all), (*capture_elsewhere)(int on);
    int (*broken_captures)(void);
} driver;

static cusparseHandle_t handle;
static int *ptr, *ind;
static double *val, *b, *c, solution[ROWS * COLUMNS];
static long faults, passed_on_solves;
static int has_context; /* the thread, of its own */
static char entry[80]; /* of the driver, that failed */

/* The memory of the stand-in's GPUs is the host's. */
static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes);
    memcpy(to, from, bytes);
    return to;
}

/* A bidiagonal matrix and right-hand sides. */
static void make_arrays(void)
{
    int offsets[ROWS + 1] = {0}, columns[ENTRIES];
    double values[ENTRIES], right[ROWS * COLUMNS];
    for (int i = 0, k = 0; i < ROWS; i++) {
        if (i > 0)
            columns[k] = i - 1, values[k++] = -0.5;
        columns[k] = i, values[k++] = 2;
        offsets[i + 1] = k;
    }
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        right[i] = 1 + i % 7;
        solution[i] = (right[i] + (i % ROWS ? 0.5 * solution[i - 1] : 0)) / 2;
    }
    ptr = copy(offsets, sizeof offsets);
    ind = copy(columns, sizeof columns);
    val = copy(values, sizeof values);
    b = copy(right, sizeof right);
    c = copy(right, sizeof right);
}

/* What is done through a door, in this order. */
typedef enum { SIZE, ANALYSIS, SOLVE, UPDATE, SOLVE_AGAIN, PIVOT, DESTROY, STEPS } Step;
static const char *const STEP_NAMES[] = {"buffer size", "analysis",  "solve",  "update of values",
                                         "second solve", "zero pivot", "destroy"};

static const double ALPHA = 1;
static const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;
static const cusparseSolvePolicy_t POLICY = CUSPARSE_SOLVE_POLICY_USE_LEVEL;
static void *buffer;

/* ---- csrsv2 and csrsm2 ---- */

static cusparseMatDescr_t descr;
static csrsv2Info_t sv;
static csrsm2Info_t sm;

static int make_csrsv2(void) { return cusparseCreateMatDescr(&descr) || cusparseCreateCsrsv2Info(&sv); }
static int make_csrsm2(void) { return cusparseCreateMatDescr(&descr) || cusparseCreateCsrsm2Info(&sm); }

/* In place of the one from before: a call that goes on by cuSPARSE itself may want another size. */
static int get_buffer(size_t bytes)
{
    free(buffer);
    buffer = malloc(bytes);
    return 0;
}

/* Kernels do nothing here, so a zero pivot may seem to be there. */
static int without_pivot(int status) { return status == CUSPARSE_STATUS_ZERO_PIVOT ? 0 : status; }

static int csrsv2(Step step)
{
    size_t bytes = 0;
    int position, status;
    switch (step) {
    case SIZE:
        status = cusparseDcsrsv2_bufferSizeExt(handle, N, ROWS, ENTRIES, descr, val, ptr, ind, sv, &bytes);
        return status ? status : get_buffer(bytes);
    case ANALYSIS: return cusparseDcsrsv2_analysis(handle, N, ROWS, ENTRIES, descr, val, ptr, ind, sv, POLICY, buffer);
    case SOLVE:
    case SOLVE_AGAIN:
        return cusparseDcsrsv2_solve(handle, N, ROWS, ENTRIES, &ALPHA, descr, val, ptr, ind, sv, b, c, POLICY, buffer);
    case PIVOT: return without_pivot(cusparseXcsrsv2_zeroPivot(handle, sv, &position));
    case DESTROY: return cusparseDestroyCsrsv2Info(sv);
    default: return 0;
    }
}

static int csrsm2(Step step)
{
    size_t bytes = 0;
    int position, status;
    switch (step) {
    case SIZE:
        status = cusparseDcsrsm2_bufferSizeExt(handle, 0, N, N, ROWS, COLUMNS, ENTRIES, &ALPHA, descr, val, ptr, ind, b, ROWS, sm,
                                               POLICY, &bytes);
        return status ? status : get_buffer(bytes);
    case ANALYSIS:
        return cusparseDcsrsm2_analysis(handle, 0, N, N, ROWS, COLUMNS, ENTRIES, &ALPHA, descr, val, ptr, ind, b, ROWS, sm, POLICY,
                                        buffer);
    case SOLVE:
    case SOLVE_AGAIN:
        return cusparseDcsrsm2_solve(handle, 0, N, N, ROWS, COLUMNS, ENTRIES, &ALPHA, descr, val, ptr, ind, b, ROWS, sm, POLICY, buffer);
    case PIVOT: return without_pivot(cusparseXcsrsm2_zeroPivot(handle, sm, &position));
    case DESTROY: return cusparseDestroyCsrsm2Info(sm);
    default: return 0;
    }
}

static void drop_descr(void) { STATUS(0, cusparseDestroyMatDescr(descr)); }

/* ---- SpSV and SpSM ---- */

static cusparseSpMatDescr_t mat;
static cusparseDnVecDescr_t vec_b, vec_c;
static cusparseDnMatDescr_t mat_b, mat_c;
static cusparseSpSVDescr_t spsv_descr;
static cusparseSpSMDescr_t spsm_descr;

static int make_matrices(void)
{
    return cusparseCreateCsr(&mat, ROWS, ROWS, ENTRIES, ptr, ind, val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                             CUDA_R_64F) ||
           cusparseCreateDnVec(&vec_b, ROWS, b, CUDA_R_64F) || cusparseCreateDnVec(&vec_c, ROWS, c, CUDA_R_64F) ||
           cusparseCreateDnMat(&mat_b, ROWS, COLUMNS, ROWS, b, CUDA_R_64F, CUSPARSE_ORDER_COL) ||
           cusparseCreateDnMat(&mat_c, ROWS, COLUMNS, ROWS, c, CUDA_R_64F, CUSPARSE_ORDER_COL);
}
static int make_spsv(void) { return make_matrices() || cusparseSpSV_createDescr(&spsv_descr); }
static int make_spsm(void) { return make_matrices() || cusparseSpSM_createDescr(&spsm_descr); }
static void drop_matrices(void)
{
    STATUS(0, cusparseDestroySpMat(mat));
    STATUS(0, cusparseDestroyDnVec(vec_b));
    STATUS(0, cusparseDestroyDnVec(vec_c));
    STATUS(0, cusparseDestroyDnMat(mat_b));
    STATUS(0, cusparseDestroyDnMat(mat_c));
}

#define SPSV handle, N, &ALPHA, mat, vec_b, vec_c, CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, spsv_descr
static int spsv(Step step)
{
    size_t bytes = 0;
    int status;
    switch (step) {
    case SIZE: status = cusparseSpSV_bufferSize(SPSV, &bytes); return status ? status : get_buffer(bytes);
    case ANALYSIS: return cusparseSpSV_analysis(SPSV, buffer);
    case SOLVE:
    case SOLVE_AGAIN: return cusparseSpSV_solve(SPSV);
    case UPDATE: return cusparseSpSV_updateMatrix(handle, spsv_descr, val, CUSPARSE_SPSV_UPDATE_GENERAL);
    case DESTROY: return cusparseSpSV_destroyDescr(spsv_descr);
    default: return 0;
    }
}

#define SPSM handle, N, N, &ALPHA, mat, mat_b, mat_c, CUDA_R_64F, CUSPARSE_SPSM_ALG_DEFAULT, spsm_descr
static int spsm(Step step)
{
    size_t bytes = 0;
    int status;
    switch (step) {
    case SIZE: status = cusparseSpSM_bufferSize(SPSM, &bytes); return status ? status : get_buffer(bytes);
    case ANALYSIS: return cusparseSpSM_analysis(SPSM, buffer);
    case SOLVE:
    case SOLVE_AGAIN: return cusparseSpSM_solve(SPSM);
    case UPDATE: return cusparseSpSM_updateMatrix(handle, spsm_descr, val, CUSPARSE_SPSM_UPDATE_GENERAL);
    case DESTROY: return cusparseSpSM_destroyDescr(spsm_descr);
    default: return 0;
    }
}

/* ---- csrilu02 ---- */

static csrilu02Info_t ilu;

static int make_csrilu02(void) { return cusparseCreateMatDescr(&descr) || cusparseCreateCsrilu02Info(&ilu); }

/* What the pointer mode is for lies in device memory. */
static int with_device_pointers(int (*call)(void))
{
    STATUS(0, cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_DEVICE));
    int status = call();
    STATUS(0, cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
    return status;
}

static int boost_csrilu02(void)
{
    static double tolerance = 1e-3, value = 1;
    return cusparseDcsrilu02_numericBoost(handle, ilu, 1, &tolerance, &value);
}

static int pivot_of_csrilu02(void)
{
    static int position;
    return without_pivot(cusparseXcsrilu02_zeroPivot(handle, ilu, &position));
}

#define CSRILU02 handle, ROWS, ENTRIES, descr, val, ptr, ind, ilu
static int csrilu02(Step step)
{
    int bytes = 0, status;
    switch (step) {
    case SIZE: status = cusparseDcsrilu02_bufferSize(CSRILU02, &bytes); return status ? status : get_buffer((size_t)bytes);
    case ANALYSIS: return cusparseDcsrilu02_analysis(CSRILU02, POLICY, buffer);
    case SOLVE:
    case SOLVE_AGAIN: return cusparseDcsrilu02(CSRILU02, POLICY, buffer);
    case UPDATE: return with_device_pointers(boost_csrilu02);
    case PIVOT: return with_device_pointers(pivot_of_csrilu02);
    case DESTROY: return cusparseDestroyCsrilu02Info(ilu);
    default: return 0;
    }
}

/* ---- other ways through the doors ---- */

static int csrsv2_sized_by_int(Step step)
{
    int bytes = 0, status;
    if (step != SIZE)
        return csrsv2(step);
    status = cusparseDcsrsv2_bufferSize(handle, N, ROWS, ENTRIES, descr, val, ptr, ind, sv, &bytes);
    return status ? status : get_buffer((size_t)bytes);
}

/* The right-hand sides make a diagonal too: there is no zero among them. */
static int spsv_of_diagonals(Step step)
{
    return step == UPDATE ? (int)cusparseSpSV_updateMatrix(handle, spsv_descr, b, CUSPARSE_SPSV_UPDATE_DIAGONAL) : spsv(step);
}

static int spsm_of_diagonals(Step step)
{
    return step == UPDATE ? (int)cusparseSpSM_updateMatrix(handle, spsm_descr, b, CUSPARSE_SPSM_UPDATE_DIAGONAL) : spsm(step);
}

static int make_spsm_by_rows(void)
{
    return make_spsm() || cusparseDestroyDnMat(mat_b) || cusparseDestroyDnMat(mat_c) ||
           cusparseCreateDnMat(&mat_b, ROWS, COLUMNS, COLUMNS, b, CUDA_R_64F, CUSPARSE_ORDER_ROW) ||
           cusparseCreateDnMat(&mat_c, ROWS, COLUMNS, COLUMNS, c, CUDA_R_64F, CUSPARSE_ORDER_ROW);
}

static csric02Info_t ic;

static int make_csric02(void) { return cusparseCreateMatDescr(&descr) || cusparseCreateCsric02Info(&ic); }

static int pivot_of_csric02(void)
{
    static int position;
    return without_pivot(cusparseXcsric02_zeroPivot(handle, ic, &position));
}

#define CSRIC02 handle, ROWS, ENTRIES, descr, val, ptr, ind, ic
static int csric02(Step step)
{
    int bytes = 0, status;
    switch (step) {
    case SIZE: status = cusparseDcsric02_bufferSize(CSRIC02, &bytes); return status ? status : get_buffer((size_t)bytes);
    case ANALYSIS: return cusparseDcsric02_analysis(CSRIC02, POLICY, buffer);
    case SOLVE:
    case SOLVE_AGAIN: return cusparseDcsric02(CSRIC02, POLICY, buffer);
    case PIVOT: return with_device_pointers(pivot_of_csric02);
    case DESTROY: return cusparseDestroyCsric02Info(ic);
    default: return 0;
    }
}

/* ---- faults ---- */

typedef struct {
    int (*make)(void), (*take)(Step step);
    void (*drop)(void);
    int analyses, solves; /* of the stand-in's counts; 0 where no call is passed on */
    int columns;          /* that a solve writes to c */
} Door;

/* Whether cuSPARSE has made the last analysis. */
static int is_passed_on;

/* One step. A solve is for cuSPARSE exactly where the analysis was, and its result is right then. */
static int take(const Door *door, Step step)
{
    int analyses = cusparse_standin_calls[door->analyses], solves = cusparse_standin_calls[door->solves];
    memset(c, 0xFF, sizeof solution);
    int status = door->take(step);
    if (door->analyses == 0 || status != 0)
        return status;
    if (step == ANALYSIS)
        is_passed_on = cusparse_standin_calls[door->analyses] > analyses;
    if (step != SOLVE && step != SOLVE_AGAIN)
        return status;
    if (cusparse_standin_calls[door->solves] - solves != is_passed_on)
        complain(__LINE__, "cuSPARSE made %d solves after %d analyses", cusparse_standin_calls[door->solves] - solves, is_passed_on);
    passed_on_solves += is_passed_on;
    for (int i = 0; is_passed_on && i < ROWS * door->columns; i++)
        if (!(c[i] - solution[i] < 1e-14 && solution[i] - c[i] < 1e-14)) {
            complain(__LINE__, "unknown %d is %g, not %g", i, c[i], solution[i]);
            break;
        }
    return status;
}

/* What fails to free, or to make a context current in order to free, leaves something behind, and cannot but do so. */
static int may_leave_something(const char *entry)
{
    static const char *const ENTRIES[] = {"cuMemFree",  "cuMemPoolDestroy", "cuStreamDestroy",          "cuCtxGetCurrent",
                                          "cuCtxPushCurrent", "cuCtxGetId", "cuDevicePrimaryCtxRelease"};
    for (size_t i = 0; i < sizeof ENTRIES / sizeof *ENTRIES; i++)
        if (strncmp(entry, ENTRIES[i], strlen(ENTRIES[i])) == 0)
            return 1;
    return 0;
}

/* All steps, of which one has its driver call number `at` failing (none where that is 0): whether there is such a call. */
static int one_life(const Door *door, Step faulty, int at, int error)
{
    int is_there = 0;
    buffer = NULL;
    if (has_context)
        driver.use(0);
    else
        driver.leave_current();
    if (door->make())
        complain(__LINE__, "objects could not be made");
    for (Step step = SIZE; step < STEPS; step++) {
        if (step == faulty && at > 0) {
            driver.fail_at(at, error);
            int status = take(door, step);
            is_there = driver.count() >= at;
            snprintf(entry, sizeof entry, "%s", is_there ? driver.failed_entry() : "");
            /* The driver has refused to take back the context that the call had made current. */
            if (!strcmp(entry, "cuCtxSetCurrent") || !strcmp(entry, "cuCtxPopCurrent_v2"))
                driver.leave_current();
            driver.fail_at(0, 0);
            if (status != 0 && status != CUSPARSE_STATUS_ALLOC_FAILED && status != CUSPARSE_STATUS_EXECUTION_FAILED &&
                status != CUSPARSE_STATUS_NOT_INITIALIZED)
                complain(__LINE__, "%s with call %d (%s) failing with %d: status %d", STEP_NAMES[step], at, entry, error, status);
            if (step == DESTROY)
                continue;
            /* Before the analysis is made again, which may be by the other library. */
            for (Step next = SOLVE; step == ANALYSIS && status == 0 && next <= SOLVE_AGAIN; next++)
                STATUS(0, take(door, next));
        }
        int status = take(door, step);
        if (status != 0)
            complain(__LINE__, "%s after call %d of %s failed with %d: status %d", STEP_NAMES[step], at, STEP_NAMES[faulty], error, status);
    }
    door->drop();
    free(buffer);
    return is_there;
}

/* Every call of every step fails once, with either error. */
static void every_call_in_this_thread(const Door *door)
{
    for (int warm = 0; warm < 2; warm++)
        one_life(door, SIZE, 0, 0);
    int kept = driver.allocated(); /* by the handles that the doors keep for their next call */
    for (Step step = SIZE; step < STEPS; step++)
        for (int k = 0; k < 2; k++)
            for (int at = 1;; at++) {
                int error = k ? LAUNCH_FAILED : OUT_OF_MEMORY;
                if (!one_life(door, step, at, error))
                    break;
                faults++;
                one_life(door, SIZE, 0, 0);
                int left = driver.allocated();
                if (left > kept && !may_leave_something(entry))
                    complain(__LINE__, "%s: %d allocations stay after call %d (%s) failed with %d", STEP_NAMES[step], left - kept, at, entry,
                             error);
                kept = left;
            }
}

static void every_call_of(const Door *door)
{
    long before = passed_on_solves;
    for (has_context = 0; has_context < 2; has_context++)
        every_call_in_this_thread(door);
    CHECK((passed_on_solves > before) == (door->analyses != 0));
}

static void faults_in_csrsv2(void) { every_call_of(&(Door){.make = make_csrsv2, .take = csrsv2, .drop = drop_descr}); }
static void faults_in_csrsm2(void) { every_call_of(&(Door){.make = make_csrsm2, .take = csrsm2, .drop = drop_descr}); }
static void faults_in_spsv(void) { every_call_of(&(Door){make_spsv, spsv, drop_matrices, SPSV_ANALYSIS, SPSV_SOLVE, 1}); }
static void faults_in_spsm(void) { every_call_of(&(Door){make_spsm, spsm, drop_matrices, SPSM_ANALYSIS, SPSM_SOLVE, COLUMNS}); }

static void faults_in_csrilu02(void) { every_call_of(&(Door){make_csrilu02, csrilu02, drop_descr, FACTOR_ANALYSIS, FACTORISE, 0}); }

static void faults_in_csrsv2_sized_by_int(void)
{
    every_call_of(&(Door){.make = make_csrsv2, .take = csrsv2_sized_by_int, .drop = drop_descr});
}
static void faults_in_diagonals_of_spsv(void)
{
    every_call_of(&(Door){.make = make_spsv, .take = spsv_of_diagonals, .drop = drop_matrices});
}
static void faults_in_diagonals_of_spsm(void)
{
    every_call_of(&(Door){.make = make_spsm, .take = spsm_of_diagonals, .drop = drop_matrices});
}
static void faults_in_spsm_by_rows(void)
{
    every_call_of(&(Door){.make = make_spsm_by_rows, .take = spsm, .drop = drop_matrices});
}
static void faults_in_csric02(void) { every_call_of(&(Door){.make = make_csric02, .take = csric02, .drop = drop_descr}); }

/* Another thread captures in global mode, the strictest: no call ends its capture. Work on the legacy stream is what that capture
 * forbids, so there only the calls are made that need none. */
static void another_thread_captures(void)
{
    static const Door doors[] = {{.make = make_csrsv2, .take = csrsv2, .drop = drop_descr},
                                 {.make = make_csrsm2, .take = csrsm2, .drop = drop_descr},
                                 {.make = make_spsv, .take = spsv, .drop = drop_matrices},
                                 {.make = make_spsm, .take = spsm, .drop = drop_matrices},
                                 {.make = make_csrilu02, .take = csrilu02, .drop = drop_descr},
                                 {.make = make_csric02, .take = csric02, .drop = drop_descr}};
    static int stream; /* something to point to */
    for (size_t i = 0; i < sizeof doors / sizeof *doors; i++)
        for (int on = 0; on < 2; on++) {
            int broken = driver.broken_captures();
            buffer = NULL;
            STATUS(0, doors[i].make());
            STATUS(0, cusparseSetStream(handle, on ? (cudaStream_t)(void *)&stream : NULL));
            for (Step step = SIZE; step < DESTROY; step++)
                STATUS(0, doors[i].take(step));
            driver.capture_elsewhere(1);
            for (Step step = SIZE; step < STEPS; step++)
                if (on || step == SIZE || step == DESTROY) {
                    int status = doors[i].take(step);
                    if (status != 0)
                        complain(__LINE__, "door %d, stream %d: %s: status %d", (int)i, on, STEP_NAMES[step], status);
                }
            driver.capture_elsewhere(0);
            if (driver.broken_captures() != broken)
                complain(__LINE__, "door %d, stream %d: %d calls would have ended the capture", (int)i, on, driver.broken_captures() - broken);
            doors[i].drop();
            free(buffer);
        }
    STATUS(0, cusparseSetStream(handle, NULL));
}

/* As cuSPARSE does: the capture goes on, and the analysis from before counts no more. */
static void a_captured_analysis_of_csrilu02_is_refused(void)
{
    for (int sized = 0; sized < 2; sized++)
        for (int analysed = 0; analysed <= sized; analysed++) {
            int position = -7, broken = driver.broken_captures();
            buffer = NULL;
            STATUS(0, make_csrilu02());
            if (sized)
                STATUS(0, csrilu02(SIZE));
            else
                get_buffer(1 << 12);
            if (analysed)
                STATUS(0, csrilu02(ANALYSIS));
            driver.capture(1);
            STATUS(CUSPARSE_STATUS_EXECUTION_FAILED, csrilu02(ANALYSIS));
            driver.capture(0);
            CHECK(driver.broken_captures() == broken);
            STATUS(CUSPARSE_STATUS_INTERNAL_ERROR, csrilu02(SOLVE));
            STATUS(CUSPARSE_STATUS_INVALID_VALUE, cusparseXcsrilu02_zeroPivot(handle, ilu, &position));
            CHECK(position == -7);
            STATUS(0, csrilu02(SIZE));
            for (Step step = ANALYSIS; step < STEPS; step++)
                STATUS(0, csrilu02(step));
            drop_descr();
            free(buffer);
        }
}

static void there_were_faults(void) { CHECK(faults >= 6000); }

int main(void)
{
    /* One analysis is kept of a descriptor that is destroyed, from the first life on. */
    setenv("SPTRSV_SPSV_KEEP", "1", 1);
    setenv("SPTRSV_SPSV_FACTORISATIONS", "on", 1);
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    struct {
        void *slot;
        const char *name;
    } wanted[] = {{&driver.fail_at, "standin_fail_at"},
                  {&driver.count, "standin_count"},
                  {&driver.allocated, "standin_allocated"},
                  {&driver.failed_entry, "standin_failed_entry"},
                  {&driver.leave_current, "standin_leave_current"},
                  {&driver.use, "standin_use"},
                  {&driver.capture, "standin_capture"},
                  {&driver.capture_elsewhere, "standin_capture_elsewhere"},
                  {&driver.broken_captures, "standin_broken_captures"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *symbol = library ? dlsym(library, wanted[i].name) : NULL;
        if (symbol == NULL) {
            printf("libcuda.so.1 is not the stand-in\nfaults: 0 passed, 1 failed, 0 skipped\n");
            return 1;
        }
        memcpy(wanted[i].slot, &symbol, sizeof symbol);
    }
    driver.use(0); /* it stays alive */
    if (cusparseCreate(&handle) != 0)
        return 1;
    make_arrays();
    RUN(faults_in_csrsv2);
    RUN(faults_in_csrsm2);
    RUN(faults_in_spsv);
    RUN(faults_in_spsm);
    RUN(faults_in_csrilu02);
    RUN(faults_in_csrsv2_sized_by_int);
    RUN(faults_in_diagonals_of_spsv);
    RUN(faults_in_diagonals_of_spsm);
    RUN(faults_in_spsm_by_rows);
    RUN(faults_in_csric02);
    RUN(another_thread_captures);
    RUN(a_captured_analysis_of_csrilu02_is_refused);
    RUN(there_were_faults);
    printf("faults: %ld faults of the driver injected through the doors; %ld solves passed on to cuSPARSE\n", faults, passed_on_solves);
    return close_tally("faults");
}
