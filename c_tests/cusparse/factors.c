/*
 * csrilu02 and csric02 through libsptrsv_spsv.so: which calls libsptrsv serves and which go to cuSPARSE, what the log says of them,
 * and that without the option all go to cuSPARSE at once. What the calls answer is the matter of diff_ilu02.
 *
 *     factors                all
 *     factors --world NAME   one, in a process that was started for it
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diff_ilu02.h"
#include "harness.h"
#include "standin/standin.h"

Base base;
Handle handle;
int on_gpu;

static void *cusparse;
static Factors ours;
static char out[TEXT];
static int *counts; /* of the stand-in */

static Life open_here(int kind, int type, Matrix a)
{
    out[0] = '\0';
    return open_life(&ours, out, kind, type, 1, a);
}

static Life open_random(int kind, int type) { return open_here(kind, type, matrix_for(RANDOM, 60, 31)); }

/* What was said since the life began must have all of these parts. */
static void check_said(int line, const char *const *parts, int count)
{
    for (int k = 0; k < count; k++)
        if (strstr(out, parts[k]) == NULL)
            complain(line, "'%s' does not have '%s'", out, parts[k]);
}
#define SAID(...) check_said(__LINE__, (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

/* ---- who serves ---- */

static void forget_counts(void) { memset(counts, 0, STANDIN_CALLS * sizeof *counts); }

static int factor_calls(void)
{
    int sum = 0;
    for (int k = FACTOR_CREATE; k <= FACTOR_BOOST; k++)
        sum += counts[k];
    return sum;
}

/* How often the stand-in's functions were called. */
static void check_counts(int line, int create, int analysis, int factorise, int pivot_calls, int boosts)
{
    int got[] = {counts[FACTOR_CREATE], counts[FACTOR_ANALYSIS], counts[FACTORISE], counts[FACTOR_PIVOT], counts[FACTOR_BOOST]};
    int expected[] = {create, analysis, factorise, pivot_calls, boosts};
    if (memcmp(got, expected, sizeof got) != 0)
        complain(line, "cuSPARSE got %d %d %d %d %d calls, not %d %d %d %d %d", got[0], got[1], got[2], got[3], got[4], expected[0],
                 expected[1], expected[2], expected[3], expected[4]);
}
#define COUNTS(...) check_counts(__LINE__, __VA_ARGS__)

static void a_usual_life_never_comes_to_cusparse(void)
{
    for (int kind = ILU; kind <= IC; kind++)
        for (int type = S; type <= Z; type++)
            for (int shape = 0; shape < SHAPES; shape++) {
                forget_counts();
                Life l = open_here(kind, type, matrix_for(shape, 64, 3));
                Matrix good = copy_of(&l.a);
                if (kind == ILU)
                    boost(&l, 1, 1e-6, 1);
                whole_life(&l);
                renew_values(&l, &good);
                factorise(&l), pivot(&l);
                close_life(&l);
                SAID("size 0;", "analysis 0;", "factorise 0 right", "pivot 0 at -1", "destroy 0");
                CHECK(factor_calls() == 0);
                matrix_free(&good);
            }
}

static void unsorted_rows_go_to_cusparse(void)
{
    for (int kind = ILU; kind <= IC; kind++) {
        forget_counts();
        Matrix a = matrix_for(RANDOM, 60, 31);
        matrix_unsort(&a);
        Life l = open_here(kind, D, a);
        whole_life(&l);
        COUNTS(1, 1, 1, 2, 0);
        SAID("size 0;", "analysis 0;", "pivot 9 at ");
        close_life(&l);
        CHECK(counts[FACTOR_DESTROY] == 1);
    }
}

/* In the stand-in's memory the whole buffer that it asked for is written: ours has another size. */
static void a_structural_zero_is_reported_by_cusparse(void)
{
    for (int kind = ILU; kind <= IC; kind++) {
        forget_counts();
        Matrix a = matrix_for(RANDOM, 60, 31);
        matrix_drop_diagonal(&a, 41), matrix_drop_diagonal(&a, 17);
        Life l = open_here(kind, Z, a);
        size(&l), analyse(&l), pivot(&l);
        SAID("analysis 0; pivot 9 at 18;");
        COUNTS(1, 1, 0, 1, 0);
        factorise(&l), pivot(&l);
        COUNTS(1, 1, 1, 2, 0);
        /* A good matrix with the same info is ours again. */
        renew_matrix(&l, matrix_for(RANDOM, 60, 31));
        out[0] = '\0';
        whole_life(&l);
        SAID("factorise 0 right", "pivot 0 at -1;");
        COUNTS(1, 1, 1, 2, 0);
        CHECK(counts[FACTOR_DESTROY] == 1);
        close_life(&l);
    }
}

static void other_matrix_types_go_to_cusparse(void)
{
    for (int kind = ILU; kind <= IC; kind++) {
        forget_counts();
        Life l = open_random(kind, S);
        base.set_type(l.descr, 1);
        size(&l), analyse(&l);
        SAID("size 8", "analysis 8;");
        CHECK(counts[FACTOR_CREATE] == 1);
        base.set_type(l.descr, 0);
        out[0] = '\0';
        whole_life(&l);
        SAID("size 0;", "factorise 0 right");
        close_life(&l);
    }
}

static void an_analysis_without_a_size_goes_to_cusparse(void)
{
    forget_counts();
    Life l = open_random(ILU, D);
    analyse(&l), factorise(&l), pivot(&l);
    SAID("analysis 0;", "factorise 0 right", "pivot 0 at -1;");
    COUNTS(1, 1, 1, 1, 0);
    close_life(&l);
}

static void a_buffer_for_less_goes_to_cusparse(void)
{
    forget_counts();
    Life l = open_here(ILU, D, matrix_for(RANDOM, 20, 6));
    whole_life(&l);
    renew_matrix(&l, matrix_for(NODES, 90, 5));
    analyse(&l), factorise(&l), pivot(&l);
    SAID("analysis 0; factorise 0 right");
    COUNTS(1, 1, 1, 1, 0);
    close_life(&l);
}

/* A boost that was set before cuSPARSE had an info, in either pointer mode. The handle keeps its mode. */
static void a_boost_is_told_to_cusparse(void)
{
    for (int type = S; type <= Z; type++)
        for (int early = 0; early < 2; early++) {
            forget_counts();
            Matrix a = matrix_for(RANDOM, 60, 31);
            set_pivot(&a, 20, 0);
            Life l = open_here(ILU, type, a);
            l.device_pointers = early;
            if (early)
                boost(&l, 1, 1e-3, CMPLX(2, 1));
            /* Without a size before it. */
            analyse(&l);
            if (!early)
                boost(&l, 1, 1e-3, CMPLX(2, 1));
            factorise(&l), pivot(&l);
            SAID("boost 0;", "factorise 0 right", "pivot 0 at -1;");
            COUNTS(1, 1, 1, 1, 1);
            close_life(&l);
        }
}

/* Whose info it is decides: one of cuSPARSE's goes there whatever the option says. */
static void an_info_of_cusparse_goes_there(void)
{
    Factors theirs;
    load_factors(&theirs, cusparse);
    for (int kind = ILU; kind <= IC; kind++) {
        forget_counts();
        Life l = open_random(kind, D);
        Info own = l.info;
        STATUS(0, theirs.create[kind](&l.info));
        whole_life(&l);
        SAID("factorise 0 right", "pivot 0 at -1;");
        COUNTS(1, 1, 1, 2, 0);
        STATUS(0, ours.destroy[kind](l.info));
        l.info = own;
        close_life(&l);
    }
}

static void infos_that_are_gone_or_of_the_other_kind_are_refused(void)
{
    forget_counts();
    Life l = open_random(ILU, D);
    size(&l), analyse(&l);
    Info gone = l.info, other;
    STATUS(0, ours.destroy[ILU](l.info));
    STATUS(0, ours.create[IC](&other));
    for (int k = 0; k < 2; k++) {
        int row = -7;
        l.info = k ? other : gone;
        out[0] = '\0';
        size(&l), analyse(&l), factorise(&l);
        SAID("size 3", "analysis 3;", "factorise 3 untouched");
        STATUS(3, ours.pivot[ILU](handle, l.info, &row));
        CHECK(row == -7);
        STATUS(3, ours.destroy[ILU](l.info));
    }
    STATUS(0, ours.destroy[IC](other));
    CHECK(factor_calls() == 0);
    STATUS(0, ours.create[ILU](&l.info));
    close_life(&l);
}

/* ---- worlds: processes with other settings, whose standard error is read ---- */

static void usual_calls(void)
{
    Life l = open_random(ILU, D);
    boost(&l, 1, 1e-6, 1);
    whole_life(&l);
    SAID("boost 0;", "factorise 0 right", "pivot 0 at -1;");
    close_life(&l);
    l = open_random(IC, D);
    whole_life(&l);
    SAID("factorise 0 right", "pivot 0 at -1;");
    close_life(&l);
}

/* All to cuSPARSE at once, with infos of its own. */
static void world_untouched(void)
{
    Info info;
    STATUS(0, ours.create[ILU](&info));
    CHECK((size_t)info >> 48 == 0);
    STATUS(0, ours.destroy[ILU](info));
    forget_counts();
    usual_calls();
    COUNTS(2, 2, 2, 4, 1);
    CHECK(counts[FACTOR_DESTROY] == 2 && counts[FACTOR_SIZE] == 2);
}

static void world_off(void)
{
    usual_calls();
    COUNTS(2, 2, 2, 4, 1);
}

static void world_served(void)
{
    usual_calls();
    COUNTS(0, 0, 0, 0, 0);
}

/* A cuSPARSE without csric02. */
static void world_lacking(void)
{
    usual_calls();
    COUNTS(0, 0, 0, 0, 0);
    for (int kind = ILU; kind <= IC; kind++) {
        Matrix a = matrix_for(RANDOM, 60, 31);
        matrix_drop_diagonal(&a, 17);
        Life l = open_here(kind, D, a);
        size(&l), analyse(&l);
        SAID(kind == ILU ? "analysis 0;" : "analysis 10;");
        close_life(&l);
    }
}

static void world_lacking_untouched(void)
{
    Info info = NULL;
    STATUS(10, ours.create[IC](&info));
    CHECK(info == NULL);
    STATUS(0, ours.create[ILU](&info));
    STATUS(0, ours.destroy[ILU](info));
}

static void world_wrong(void)
{
    Life l = open_random(ILU, D);
    factorise(&l);
    size(&l), analyse(&l);
    l.nnz--;
    factorise(&l);
    l.nnz++;
    l.policy = 3;
    factorise(&l);
    l.policy = NO_LEVEL;
    analyse(&l);
    l.policy = USE_LEVEL;
    factorise(&l);
    close_life(&l);
    COUNTS(0, 0, 0, 0, 0);
}

typedef struct {
    const char *name;
    void (*run)(void);
    /* Variables, NULL where they are not set. */
    const char *factorisations, *off, *log, *report;
    /* What is said on standard error, in this order; NULL ends it. Nothing else may be said of these functions. */
    const char *says[10];
} World;

static const World worlds[] = {
    {"untouched", world_untouched, NULL, NULL, "trace", "all", {"no call of SpSV or SpSM was made"}},
    {"untouched by another value", world_untouched, "yes", NULL, "trace", "all", {"no call of SpSV or SpSM was made"}},
    {"off",
     world_off,
     "on",
     "off",
     NULL,
     "all",
     {"csrilu02 passed on to cuSPARSE 1 times: the real library has analysed the matrix",
      "csrilu02_analysis passed on to cuSPARSE 1 times: SPTRSV_SPSV=off", "csrilu02_bufferSize passed on to cuSPARSE 1 times: SPTRSV_SPSV=off",
      "csrilu02_zeroPivot passed on to cuSPARSE 2 times", "csric02 passed on to cuSPARSE 1 times",
      "csric02_analysis passed on to cuSPARSE 1 times", "csric02_bufferSize passed on to cuSPARSE 1 times",
      "csric02_zeroPivot passed on to cuSPARSE 2 times"}},
    {"served",
     world_served,
     "on",
     NULL,
     "trace",
     "all",
     {"analysis: csrilu02 d, 60 rows, ", "factorisation: csrilu02 d, 60 rows, ", "analysis: csric02 d, 60 rows, ",
      "factorisation: csric02 d, 60 rows, ", "  csrilu02 d, 60 rows, ", "  csric02 d, 60 rows, "}},
    {"wrong",
     world_wrong,
     "on",
     NULL,
     "error",
     NULL,
     {"csrilu02 gives status 7: nothing has been analysed with success", "csrilu02 gives status 3: the matrix is of another size",
      "csrilu02 gives status 3: there is no such policy", "csrilu02 gives status 7: levels were left out"}},
    {"lacking", world_lacking, "on", NULL, "error", NULL, {"csric02_analysis gives status 10: this libcusparse does not have it any more"}},
    {"lacking, untouched",
     world_lacking_untouched,
     NULL,
     NULL,
     "error",
     NULL,
     {"csric02_createInfo gives status 10: this libcusparse does not have it any more"}},
};

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

/* Starts this program in a world, and reads what it says there. */
static void check_world(const World *w)
{
    FILE *said = tmpfile();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        set("SPTRSV_SPSV_FACTORISATIONS", w->factorisations), set("SPTRSV_SPSV", w->off);
        set("SPTRSV_LOG", w->log), set("SPTRSV_SPSV_REPORT", w->report);
        dup2(fileno(said), 2);
        execl("/proc/self/exe", "factors", "--world", w->name, (char *)NULL);
        _exit(127);
    }
    int status = 0, next = 0;
    char line[1024];
    waitpid(pid, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        complain(__LINE__, "the world '%s' ends with %d", w->name, status);
    rewind(said);
    while (fgets(line, sizeof line, said)) {
        if (strstr(line, "csrilu02") == NULL && strstr(line, "csric02") == NULL && strstr(line, "no call") == NULL)
            continue;
        if (w->says[next] == NULL || strstr(line, w->says[next]) == NULL)
            complain(__LINE__, "the world '%s' says '%s', not '%s'", w->name, line, w->says[next] ? w->says[next] : "");
        next += w->says[next] != NULL;
    }
    if (w->says[next] != NULL)
        complain(__LINE__, "the world '%s' does not say '%s'", w->name, w->says[next]);
    fclose(said);
}

static void without_the_option_cusparse_is_called_at_once(void) { check_world(&worlds[0]), check_world(&worlds[1]); }
static void switched_off_all_goes_to_cusparse(void) { check_world(&worlds[2]); }
static void the_log_and_the_report_count_factorisations(void) { check_world(&worlds[3]); }
static void the_log_says_what_was_wrong(void) { check_world(&worlds[4]); }
static void a_cusparse_may_lack_them(void) { check_world(&worlds[5]), check_world(&worlds[6]); }

static int run_world(const char *name)
{
    for (size_t k = 0; k < sizeof worlds / sizeof *worlds; k++)
        if (strcmp(worlds[k].name, name) == 0) {
            tally.test = name;
            worlds[k].run();
        }
    return tally.test == NULL || tally.complaints > 0;
}

int main(int count, char **words)
{
    int is_world = count == 3 && strcmp(words[1], "--world") == 0;
    char path[PATH_MAX] = "", *end;
    if (!is_world)
        setenv("SPTRSV_SPSV_FACTORISATIONS", "on", 1);
    setenv("SPTRSV_CUSPARSE_EXECUTOR", "host", 1);
    on_gpu = memory_open();
    if (readlink("/proc/self/exe", path, sizeof path - 64) > 0 && (end = strrchr(path, '/')) != NULL)
        strcpy(end, is_world && strncmp(words[2], "lacking", 7) == 0 ? "/lacking/libcusparse.so.12" : "/standin/libcusparse.so.12");
    cusparse = open_library(path);
    load_base(cusparse);
    load_factors(&ours, open_library("libsptrsv_spsv.so"));
    counts = dlsym(cusparse, "cusparse_standin_calls");
    if (counts == NULL || base.create(&handle) != 0) {
        printf("%s is no stand-in\nfactors: 0 passed, 1 failed, 0 skipped\n", path);
        return 1;
    }
    if (is_world)
        return run_world(words[2]);
    RUN(a_usual_life_never_comes_to_cusparse);
    RUN(unsorted_rows_go_to_cusparse);
    RUN(a_structural_zero_is_reported_by_cusparse);
    RUN(other_matrix_types_go_to_cusparse);
    RUN(an_analysis_without_a_size_goes_to_cusparse);
    RUN(a_buffer_for_less_goes_to_cusparse);
    RUN(a_boost_is_told_to_cusparse);
    RUN(an_info_of_cusparse_goes_there);
    RUN(infos_that_are_gone_or_of_the_other_kind_are_refused);
    RUN(without_the_option_cusparse_is_called_at_once);
    RUN(switched_off_all_goes_to_cusparse);
    RUN(the_log_and_the_report_count_factorisations);
    RUN(the_log_says_what_was_wrong);
    RUN(a_cusparse_may_lack_them);
    return close_tally("factors");
}
