/*
 * SpSV and SpSM where something is wrong: with the arguments, or with the libraries of the process. Every call that is not
 * served gives a status and says one sentence on standard error, and none crashes.
 *
 *     spsv_hostile                  all
 *     spsv_hostile --world NAME     one, in a process that was started for it
 *
 * SPSV_HOSTILE_LOUD=1 in the environment shows all that the libraries say.
 *
 * Libraries are loaded here and not linked: the stand-ins of cuSPARSE in the folders beside this program, all on the host.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "generic.h"

/* Worlds are no functions of no arguments, which is what harness.h's RUN runs. */
__attribute__((unused)) static void run(const char *name, void (*test)(void));
#include "harness.h"
#include "standin/standin.h"

enum { ROWS = 40, BUFFER = 1 << 16 };

Cusparse cusparse;
static Solver solver;
static cusparseHandle_t handle;
static char folder[PATH_MAX]; /* of this program */
static char nobodys[4096];    /* what no library has made */

/* ---- libraries ---- */

/* A path in a few buffers that are used in turn. */
static const char *in(const char *place, const char *file)
{
    static char paths[4][2 * PATH_MAX];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", place, file);
    return path;
}

static void *must_open(const char *path, int flags)
{
    void *library = dlopen(path, RTLD_NOW | flags);
    if (library == NULL) {
        printf("cannot load %s: %s\n", path, dlerror());
        exit(1);
    }
    return library;
}

static void *ours(void) { return must_open("libsptrsv_spsv.so", RTLD_LOCAL); }

static const char *path_of(void *library, const char *symbol)
{
    Dl_info info = {0};
    dladdr(dlsym(library, symbol), &info);
    return info.dli_fname;
}

static int is_same_library(void *a, void *b)
{
    Dl_info first = {0}, second = {0};
    return dladdr(a, &first) && dladdr(b, &second) && first.dli_fbase == second.dli_fbase;
}

/* How often a stand-in has solved by its own SpSV and SpSM. */
static int solves_of(void *standin)
{
    int *calls = dlsym(standin, "cusparse_standin_calls");
    return calls[SPSV_SOLVE] + calls[SPSM_SOLVE];
}

static void take(const Cusparse *descriptors, const Solver *functions)
{
    cusparse = *descriptors;
    solver = *functions;
    STATUS(0, cusparse.Create(&handle));
}

/* A library that was linked to cuSPARSE: its handles, and what it calls as SpSV and SpSM. */
static void take_plugin(const char *file)
{
    void *plugin = must_open(in(folder, file), RTLD_LOCAL);
    take(dlsym(plugin, "plugin_cusparse"), dlsym(plugin, "plugin_solver"));
}

/* Handles and descriptors of a cuSPARSE, and our SpSV and SpSM. */
static void take_both(void *standin)
{
    Cusparse descriptors;
    Solver functions;
    load_cusparse(&descriptors, standin);
    load_solver(&functions, ours());
    take(&descriptors, &functions);
}

/* ---- what is said on standard error ---- */

static int standard_error = -1;
static FILE *heard;

static void listen_to_it(void)
{
    heard = tmpfile();
    standard_error = dup(2);
    dup2(fileno(heard), 2);
}

/* The number of lines, and the last one. */
static int stop_listening(char *last, size_t size)
{
    char line[512];
    int lines = 0;
    dup2(standard_error, 2);
    close(standard_error);
    rewind(heard);
    last[0] = '\0';
    for (; fgets(line, sizeof line, heard); lines++)
        snprintf(last, size, "%.*s", (int)strcspn(line, "\n"), line);
    fclose(heard);
    return lines;
}

static void check_sentence(int line, const char *call, int status, int expected, const char *words)
{
    char last[512];
    int lines = stop_listening(last, sizeof last);
    if (status != expected || lines != 1 || strncmp(last, "sptrsv: ", 8) != 0 || strstr(last, words) == NULL)
        complain(line, "%s: status %d, not %d; %d lines, the last: '%s', which should have '%s'", call, status, expected, lines,
                 last, words);
}

/* The call gives the status, and one sentence that has these words. */
#define SAYS(expected, words, call)                                                                          \
    do {                                                                                                     \
        listen_to_it();                                                                                      \
        int status_ = (int)(call);                                                                           \
        check_sentence(__LINE__, #call, status_, expected, words);                                           \
    } while (0)

/* ---- systems ---- */

static void solves(int dense)
{
    Matrix a = matrix_random(ROWS, 5, 3);
    System s = open_system(&solver, handle, &a, (Options){.type = D, .dense = dense, .columns = 3});
    STATUS(0, system_prepare(&s));
    STATUS(0, system_solve(&s));
    if (strcmp(system_verdict(&s, &a), "right") != 0)
        complain(__LINE__, "the solution is %s", system_verdict(&s, &a));
    close_system(&s);
    matrix_free(&a);
}

static void both_solve(void)
{
    for (int dense = 0; dense < 2; dense++)
        solves(dense);
}

/* ---- wrong arguments ---- */

static void say_nulls(System *s)
{
    static const char *const words = "goes to cuSPARSE: an argument is NULL";
    size_t bytes;
    for (int k = 0; k < 3; k++) {
        Call c = *system_call(s);
        if (k == 0)
            c.handle = NULL;
        else if (k == 1)
            c.alpha = NULL;
        else
            c.mat = NULL;
        SAYS(3, words, call_size(&solver, &c, &bytes));
        SAYS(3, words, call_analysis(&solver, &c, s->buffer));
    }
    SAYS(3, words, call_size(&solver, system_call(s), NULL));
    SAYS(3, "the buffer is NULL", call_analysis(&solver, system_call(s), NULL));
}

static void say_nulls_at_the_solve(System *s)
{
    for (int k = 0; k < 5; k++) {
        Call c = *system_call(s);
        if (k == 0)
            c.handle = NULL;
        else if (k == 1)
            c.alpha = NULL;
        else if (k == 2)
            c.mat = NULL;
        else if (k == 3)
            c.x = NULL;
        else
            c.y = NULL;
        SAYS(3, "gives status 3: an argument is NULL", call_solve(&solver, &c));
    }
    Call c = *system_call(s);
    SAYS(3, "the new values are NULL", call_update(&solver, &c, NULL, GENERAL));
    SAYS(3, "no such part", call_update(&solver, &c, s->a.values, 2));
    c.handle = NULL;
    SAYS(3, "the handle is NULL", call_update(&solver, &c, s->a.values, GENERAL));
}

/* All functions but createDescr, on a descriptor that is none. */
static void say_of_descriptor(System *s, void *descr, int expected, const char *words)
{
    Call c = *system_call(s);
    size_t bytes;
    c.descr = descr;
    SAYS(expected, words, call_size(&solver, &c, &bytes));
    SAYS(expected, words, call_analysis(&solver, &c, s->buffer));
    SAYS(expected, words, call_solve(&solver, &c));
    SAYS(expected, words, call_update(&solver, &c, s->a.values, GENERAL));
    if (descr != NULL)
        SAYS(expected, words, destroy_descr(&solver, s->o.dense, descr));
}

static void wrong_arguments_of(int dense)
{
    Matrix a = matrix_random(ROWS, 5, 3);
    System s = open_system(&solver, handle, &a, (Options){.type = D, .dense = dense, .columns = 3});
    void *gone, *others;
    s.buffer = memory_alloc(BUFFER);
    SAYS(3, "the pointer to the descriptor is NULL", create_descr(&solver, dense, NULL));
    STATUS(0, destroy_descr(&solver, dense, NULL));
    say_nulls(&s);
    SAYS(1, "nothing has been analysed", call_solve(&solver, system_call(&s)));
    STATUS(0, create_descr(&solver, dense, &gone));
    STATUS(0, destroy_descr(&solver, dense, gone));
    say_of_descriptor(&s, gone, 3, "has been destroyed");
    STATUS(0, create_descr(&solver, !dense, &others));
    say_of_descriptor(&s, others, 3, "of the other family");
    STATUS(0, destroy_descr(&solver, !dense, others));
    say_of_descriptor(&s, nobodys, 3, "none of libsptrsv's");
    say_of_descriptor(&s, NULL, 3, "none of libsptrsv's");
    STATUS(0, system_prepare(&s));
    STATUS(0, system_solve(&s));
    say_nulls_at_the_solve(&s);
    if (strcmp(system_verdict(&s, &a), "right") != 0)
        complain(__LINE__, "the solution was changed");
    close_system(&s);
    matrix_free(&a);
}

static void wrong_arguments(void)
{
    take_both(must_open(in(folder, "standin/libcusparse.so.12"), RTLD_LOCAL));
    for (int dense = 0; dense < 2; dense++)
        wrong_arguments_of(dense);
}

/* ---- a cuSPARSE that is not there ---- */

/* All twelve functions. Descriptors of ours are made and destroyed without any cuSPARSE. */
static void say_that_there_is_none(void)
{
    static const char *const words = "no libcusparse.so.12 is loaded, and none can be";
    load_solver(&solver, ours());
    for (int dense = 0; dense < 2; dense++) {
        double one = 1;
        size_t bytes;
        Call c = {.dense = dense, .handle = (cusparseHandle_t)nobodys, .alpha = &one, .mat = (cusparseConstSpMatDescr_t)nobodys,
                  .x = nobodys, .y = nobodys, .type = CUDA_R_64F};
        for (int k = 0; k < 3; k++) {
            void *descr = k == 0 ? nobodys : NULL;
            if (k == 2)
                STATUS(0, create_descr(&solver, dense, &descr));
            c.descr = descr;
            SAYS(1, words, call_size(&solver, &c, &bytes));
            SAYS(1, words, call_analysis(&solver, &c, nobodys));
            SAYS(1, words, call_solve(&solver, &c));
            if (k < 2)
                SAYS(1, words, call_update(&solver, &c, nobodys, GENERAL));
            if (k == 0)
                SAYS(1, words, destroy_descr(&solver, dense, descr));
            if (k == 2)
                STATUS(0, destroy_descr(&solver, dense, descr));
        }
    }
}

/* The same of csrsv2. */
static void say_that_there_is_none_for_csrsv2(void)
{
    int (*size)(void *, int, int, int, void *, void *, const int *, const int *, void *, int *);
    void *symbol = dlsym(must_open("libsptrsv_cusparse.so", RTLD_LOCAL), "cusparseDcsrsv2_bufferSize");
    int offsets[] = {0, 1}, column = 0, bytes = 77;
    double value = 1;
    memcpy(&size, &symbol, sizeof symbol);
    SAYS(1, "no libcusparse that can read the handle", size(nobodys, N, 1, 1, nobodys, &value, offsets, &column, nobodys, &bytes));
    CHECK(bytes == 0);
}

/* It is found once it is there. */
static void no_cusparse(void)
{
    say_that_there_is_none();
    say_that_there_is_none_for_csrsv2();
    void *standin = must_open(in(folder, "standin/libcusparse.so.12"), RTLD_LOCAL);
    take_both(standin);
    both_solve();
    STATUS(0, solves_of(standin));
}

static void cusparse_without_a_getter(void)
{
    void *standin = must_open(in(folder, "lacking/libcusparse.so.12"), RTLD_LOCAL);
    take_both(standin);
    for (int dense = 0; dense < 2; dense++) {
        Matrix a = matrix_random(ROWS, 5, 3);
        System s = open_system(&solver, handle, &a, (Options){.type = D, .dense = dense, .columns = 3});
        SAYS(0, "this libcusparse lacks a getter", system_size(&s));
        SAYS(0, "this libcusparse lacks a getter", system_analyse(&s));
        SAYS(0, "the real library has analysed the matrix", system_solve(&s));
        CHECK(strcmp(system_verdict(&s, &a), "right") == 0);
        close_system(&s);
        matrix_free(&a);
    }
    STATUS(2, solves_of(standin));
}

/* ---- several libraries ---- */

/* The first one with a name is what a plugin gets; the other's functions are found through its own handle. */
static void two_of_cuda_12(const char *first, const char *second)
{
    void *a = must_open(in(folder, first), RTLD_LOCAL), *b = must_open(in(folder, second), RTLD_LOCAL);
    Cusparse descriptors;
    Solver functions;
    CHECK(a != b);
    take_plugin("other/plugin_12.so");
    CHECK(is_same_library(cusparse.Create, dlsym(a, "cusparseCreate")));
    CHECK(is_same_library(solver.SpSV_solve, dlsym(ours(), "cusparseSpSV_solve")));
    both_solve();
    STATUS(0, solves_of(a));
    load_cusparse(&descriptors, b);
    load_solver(&functions, b);
    take(&descriptors, &functions);
    both_solve();
    STATUS(2, solves_of(b));
    STATUS(0, solves_of(a));
}

static void two_cusparse_12(void) { two_of_cuda_12("standin/libcusparse.so.12", "other/libcusparse.so.12"); }
static void two_cusparse_12_swapped(void) { two_of_cuda_12("other/libcusparse.so.12", "standin/libcusparse.so.12"); }

/* Calls to cuSPARSE 11 stay there, although libsptrsv_spsv.so is preloaded. */
static void cuda_11_beside(const char *first, const char *second)
{
    void *a = must_open(in(folder, first), RTLD_GLOBAL), *b = must_open(in(folder, second), RTLD_GLOBAL);
    void *eleven = strstr(first, ".11") ? a : b, *twelve = eleven == a ? b : a;
    take_plugin("other/plugin_11.so");
    CHECK(is_same_library(solver.SpSV_solve, dlsym(eleven, "cusparseSpSV_solve")));
    both_solve();
    STATUS(2, solves_of(eleven));
    take_plugin("other/plugin_12.so");
    CHECK(is_same_library(solver.SpSV_solve, dlsym(ours(), "cusparseSpSV_solve")));
    both_solve();
    STATUS(0, solves_of(twelve));
    STATUS(2, solves_of(eleven));
}

static void cusparse_11_and_12(void) { cuda_11_beside("other/libcusparse.so.11", "standin/libcusparse.so.12"); }
static void cusparse_12_and_11(void) { cuda_11_beside("standin/libcusparse.so.12", "other/libcusparse.so.11"); }

/* As stand-ins and hooks of others may be. */
static void no_versions(void)
{
    must_open(in(folder, "other/libcusparse.so.11"), RTLD_GLOBAL);
    void *standin = must_open(in(folder, "unversioned/libcusparse.so.12"), RTLD_GLOBAL);
    take_both(standin);
    both_solve();
    STATUS(0, solves_of(standin));
}

/* Whatever leads to this library under cuSPARSE's name is no cuSPARSE. */
static void our_own_library_as_cusparse(void)
{
    CHECK(dlsym(must_open("libcusparse.so.12", RTLD_GLOBAL), "cusparseSpSV_solve") == dlsym(ours(), "cusparseSpSV_solve"));
    no_cusparse();
}

/* Two copies are preloaded; the first one serves, and neither takes the other one for cuSPARSE. */
static void two_copies_of_our_library(void)
{
    void *standin = must_open(in(folder, "standin/libcusparse.so.12"), RTLD_LOCAL);
    take_plugin("other/plugin_12.so");
    CHECK(strstr(path_of(RTLD_DEFAULT, "cusparseSpSV_solve"), "copy") != NULL);
    both_solve();
    Solver functions;
    load_solver(&functions, ours());
    CHECK(functions.SpSV_solve != solver.SpSV_solve);
    solver = functions;
    both_solve();
    STATUS(0, solves_of(standin));
}

/* ---- worlds: processes with a search path and with something preloaded ---- */

enum { NO_PRELOAD, PRELOAD, PRELOAD_TWO };
/* What the name libcusparse.so.12 leads to on the search path. */
enum { NOTHING, OURSELVES };

typedef struct {
    const char *name;
    void (*live)(void);
    int preload, name_leads_to;
} World;

#define WORLD(name, preload, leads) {#name, name, preload, leads}
static const World worlds[] = {
    WORLD(wrong_arguments, NO_PRELOAD, NOTHING),
    WORLD(no_cusparse, NO_PRELOAD, NOTHING),
    WORLD(cusparse_without_a_getter, NO_PRELOAD, NOTHING),
    WORLD(two_cusparse_12, PRELOAD, NOTHING),
    WORLD(two_cusparse_12_swapped, PRELOAD, NOTHING),
    WORLD(cusparse_11_and_12, PRELOAD, NOTHING),
    WORLD(cusparse_12_and_11, PRELOAD, NOTHING),
    WORLD(no_versions, PRELOAD, NOTHING),
    WORLD(our_own_library_as_cusparse, NO_PRELOAD, OURSELVES),
    WORLD(two_copies_of_our_library, PRELOAD_TWO, NOTHING),
};
enum { WORLDS = sizeof worlds / sizeof *worlds };

static char scratch[] = "/tmp/spsv_hostile.XXXXXX";
static char library[PATH_MAX]; /* libsptrsv_spsv.so */

static void shell(const char *format, const char *a, const char *b)
{
    char command[8 * PATH_MAX];
    snprintf(command, sizeof command, format, a, b);
    if (system(command) != 0) {
        printf("failed: %s\n", command);
        exit(1);
    }
}

/* Files of no library end the loader's search, so that no cuSPARSE of the system is found. */
static void make_folders(void)
{
    if (mkdtemp(scratch) == NULL || realpath(path_of(ours(), "cusparseSpSV_solve"), library) == NULL)
        exit(1);
    shell("cd '%s' && mkdir nothing ourselves && : > nothing/libcusparse.so.12 && : > nothing/libcusparse.so && "
          "ln -s '%s' ourselves/libcusparse.so.12",
          scratch, library);
    shell("cd '%s' && ln -s libcusparse.so.12 ourselves/libcusparse.so && cp '%s' copy.so", scratch, library);
}

static void set_environment(const World *w)
{
    char path[4 * PATH_MAX], preload[4 * PATH_MAX], beside[PATH_MAX];
    snprintf(beside, sizeof beside, "%s", library);
    snprintf(path, sizeof path, "%s/%s:%s", scratch, w->name_leads_to == NOTHING ? "nothing" : "ourselves", dirname(beside));
    setenv("LD_LIBRARY_PATH", path, 1);
    snprintf(preload, sizeof preload, "%s%s%s", w->preload == PRELOAD_TWO ? scratch : "",
             w->preload == PRELOAD_TWO ? "/copy.so:" : "", library);
    if (w->preload != NO_PRELOAD)
        setenv("LD_PRELOAD", preload, 1);
    setenv("SPTRSV_LOG", "info", 1);
    setenv("SPTRSV_CUSPARSE_EXECUTOR", "host", 1);
    unsetenv("SPTRSV_SPSV");
    unsetenv("SPTRSV_SPSV_REPORT");
    unsetenv("CUSPARSE_STANDIN_VERSION");
}

static void start_world(const World *w)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        set_environment(w);
        if (getenv("SPSV_HOSTILE_LOUD") == NULL && freopen("/dev/null", "w", stderr) == NULL)
            _exit(127);
        execl("/proc/self/exe", "spsv_hostile", "--world", w->name, (char *)NULL);
        _exit(127);
    }
    waitpid(child, &status, 0);
    int is_fine = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFSIGNALED(status))
        printf("  %s: ended by signal %d\n", w->name, WTERMSIG(status));
    tally.passed += is_fine;
    tally.failed += !is_fine;
    printf("%s %s\n", is_fine ? "ok     " : "FAILED ", w->name);
}

static int live(const char *name)
{
    memory_open();
    for (int k = 0; k < WORLDS; k++)
        if (strcmp(worlds[k].name, name) == 0) {
            tally.test = name;
            worlds[k].live();
            return tally.complaints != 0;
        }
    return 2;
}

int main(int count, char **words)
{
    if (readlink("/proc/self/exe", folder, sizeof folder - 1) < 0)
        return 2;
    dirname(folder);
    if (count == 3 && strcmp(words[1], "--world") == 0)
        return live(words[2]);
    make_folders();
    for (int k = 0; k < WORLDS; k++)
        start_world(&worlds[k]);
    shell("rm -r '%s'%s", scratch, "");
    return close_tally("spsv_hostile");
}
