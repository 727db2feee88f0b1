/*
 * The differential test of SpSV and SpSM: cuSPARSE's own functions and ours get the same calls on the same handles,
 * descriptors and arrays, and must give the same statuses and the same solutions.
 *
 *     diff_spsv LIBCUSPARSE LIBSPTRSV_SPSV [--table] [--part K/N]
 *
 * With --part, the K-th of N parts is run, K from 1 on; together the parts are the whole test. Each death of a real cuSPARSE costs
 * the start of another process, so that the whole takes many minutes on a GPU.
 *
 * Handles and descriptors come from the first library, and the reference is that library's own twelve functions. With
 * --table one line for every observation is printed: name, reference and ours, with tabs between. Where ours is kinder by
 * intention, both outcomes are listed.
 *
 * Everything runs in child processes of this program, because some calls crash or hang cuSPARSE, or leave a GPU's context
 * of no use:
 *
 *     diff_spsv LIBCUSPARSE LIBSPTRSV_SPSV --cases GROUP        both sides, one group of systematic cases
 *     diff_spsv LIBCUSPARSE LIBSPTRSV_SPSV --probe SIDE FROM TO  one side (0: reference, 1: ours), a range of probes
 *
 * A child writes to descriptor 3: its standard output is cuSPARSE's, which prints there what it refuses. A probe's child
 * that dies has died of the first probe that it has no line for.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diff_spsv.h"

/* The groups here are no functions, which is what harness.h's RUN runs. */
__attribute__((unused)) static void run(const char *name, void (*test)(void));
#include "harness.h"

enum { PROBE_SECONDS = 20, CASES_SECONDS = 240, SHARDS = 8, CHILDREN = 16, NO_HANDLE = 77 };

Cusparse cusparse;
Solver sides[2];
cusparseHandle_t handle;
int on_gpu;

static char **arguments; /* this program, LIBCUSPARSE, LIBSPTRSV_SPSV */
static int table, part = 1, parts = 1;

void say(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + length, TEXT - length, format, list);
    va_end(list);
}

const char *solved_system(const System *s, const Matrix *a)
{
    static char text[64];
    const char *verdict = system_verdict(s, a);
    if (strcmp(verdict, "wrong") != 0)
        return verdict;
    for (int k = 0; k < 12; k++) {
        int op = k % 3, fill = k / 3 % 2, diag = k / 6;
        if (system_error(s, a, op, fill, diag) <= ERROR_LIMIT) {
            snprintf(text, sizeof text, "%c %s %s", "NTH"[op], fill ? "upper" : "lower", diag ? "unit" : "non-unit");
            return text;
        }
    }
    /* Three digits tell two wrong solutions apart. */
    Value *x = calloc((size_t)s->m * (size_t)s->columns + 1, sizeof *x);
    double sum = 0;
    system_result(s, x);
    for (int i = 0; i < s->m * s->columns; i++)
        sum += cabs(x[i]);
    free(x);
    snprintf(text, sizeof text, "wrong (%.3g)", sum);
    return text;
}

/* ------------------------------------------------------------------------------------------- children */

static FILE *report;

static void *open_library(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "cannot load %s: %s\n", path, dlerror());
        exit(2);
    }
    return library;
}

static void open_child(void)
{
    report = fdopen(3, "w");
    if (report == NULL)
        report = stdout;
    on_gpu = memory_open();
    void *reference = open_library(arguments[1]);
    load_cusparse(&cusparse, reference);
    load_solver(&sides[REFERENCE], reference);
    load_solver(&sides[OURS], open_library(arguments[2]));
    if (cusparse.Create(&handle) != 0)
        exit(NO_HANDLE);
}

static void report_case(const Observation *seen)
{
    fprintf(report, "%s\t%s\t%s\t%d\n", seen->name, seen->outcome[REFERENCE], seen->outcome[OURS], seen->agrees);
    fflush(report);
}

static const char *probe_name(int number, int *arguments_end)
{
    static int end = -1;
    while (end < 0 || argument_name(end) != NULL)
        end++;
    *arguments_end = end;
    return number < end ? argument_name(number) : story_name(number - end);
}

static void probe_child(int side, int from, int to)
{
    for (int number = from; number < to; number++) {
        char outcome[TEXT] = "";
        int end;
        alarm(PROBE_SECONDS);
        probe_name(number, &end);
        if (number < end)
            argument_probe(number, &sides[side], outcome);
        else
            story_probe(number - end, &sides[side], outcome);
        fprintf(report, "%s\n", outcome);
        fflush(report);
    }
}

static int hello_child(void)
{
    int version = 0;
    cusparse.GetVersion(handle, &version);
    fprintf(report, "executor %s (%s), cuSPARSE %d\n", on_gpu ? "CUDA" : "host", memory_device_name(), version);
    return 0;
}

static int child(int count, char **words)
{
    open_child();
    if (strcmp(words[3], "--hello") == 0)
        return hello_child();
    if (strcmp(words[3], "--cases") == 0 && count == 5)
        alarm(CASES_SECONDS), run_cases(words[4], report_case);
    else if (strcmp(words[3], "--probe") == 0 && count == 7)
        probe_child(atoi(words[4]), atoi(words[5]), atoi(words[6]));
    else
        return 2;
    return 0;
}

/* --------------------------------------------------------------------------------------- starting them */

typedef struct {
    pid_t pid;
    FILE *out;
    int status;
    int side, from, to; /* of probes */
    const char *group;  /* of cases */
} Job;

static void start(Job *job, char *const *words)
{
    job->out = tmpfile();
    fflush(NULL);
    job->pid = job->out == NULL ? -1 : fork();
    if (job->pid < 0) {
        perror("diff_spsv");
        exit(1);
    }
    if (job->pid == 0) {
        int quiet = open("/dev/null", O_WRONLY);
        dup2(quiet, 1);
        if (getenv("DIFF_SPSV_LOUD") == NULL)
            dup2(quiet, 2);
        dup2(fileno(job->out), 3);
        execv("/proc/self/exe", words);
        _exit(127);
    }
}

static void start_probe(Job *job)
{
    char side[16], from[16], to[16];
    snprintf(side, sizeof side, "%d", job->side);
    snprintf(from, sizeof from, "%d", job->from);
    snprintf(to, sizeof to, "%d", job->to);
    start(job, (char *[]){arguments[0], arguments[1], arguments[2], "--probe", side, from, to, NULL});
}

static void start_cases(Job *job)
{
    start(job, (char *[]){arguments[0], arguments[1], arguments[2], "--cases", (char *)job->group, NULL});
}

/* How a child ended, in words. */
static const char *end_of(int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "hang" : "crash";
    return WEXITSTATUS(status) == 1 ? "context lost" : WEXITSTATUS(status) == NO_HANDLE ? "no handle" : "no start";
}

/* ------------------------------------------------------------------------------------------- judging */

static int begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static int has(const char *text, const char *part) { return strstr(text, part) != NULL; }

static int died(const char *outcome)
{
    return begins(outcome, "hang") || begins(outcome, "crash") || begins(outcome, "context lost");
}

/* Whether all is right in ours, and something is not in the reference. */
static int is_better(const char *reference, const char *own)
{
    static const char *const bad[] = {"wrong", "not finite", "not analysed", "0 untouched"};
    int is_bad = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        is_bad = is_bad || has(reference, bad[i]);
    return is_bad && has(own, "right") && !has(own, "wrong") && !has(own, "not finite");
}

/* Inputs that no program can want a solution of: here a status, or another wrong solution, is as good. */
static int is_senseless(const char *name)
{
    static const char *const inputs[] = {"out of range",
                                         "that decrease",
                                         "matrix R_32F in analysis",
                                         "matrix C_32F in analysis",
                                         "matrix with 64-bit indices in analysis",
                                         "matrix with 64-bit indices in solve",
                                         "matrix sliced ELL in solve",
                                         "matrix smaller in analysis"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (has(name, inputs[i]))
            return 1;
    return 0;
}

/* Whether ours solves with ones after a DIAGONAL update of a unit diagonal. Names of cases have "unit" or "non-unit". */
static int keeps_unit_diagonal(const char *name, const char *own)
{
    return (has(name, " unit ") && has(name, "DIAGONAL") && has(own, "still of a unit diagonal")) ||
           (has(name, "updates of a unit diagonal") && !has(own, "non-unit") && !has(own, "wrong"));
}

/* Where ours may differ from the reference, and why; NULL where it may not. */
static const char *expected_difference(const char *name, const char *reference, const char *own)
{
    if (died(own))
        return NULL;
    if (died(reference))
        return "the reference does not survive it";
    if (keeps_unit_diagonal(name, own))
        return "a diagonal of ones stays so in ours, as in cuSPARSE 12.9";
    if (is_better(reference, own))
        return "the reference's solution is wrong";
    if (is_senseless(name))
        return "senseless input";
    if (has(name, "one buffer for two") && has(own, "0 right; the other's: 0 right"))
        return "the reference needs a buffer for each";
    if (has(name, "CSC") && has(reference, "10") && has(own, "right"))
        return "the reference has no CSC";
    if (has(name, "no entries and no arrays") && has(own, "3"))
        return "the reference reads arrays that are not there";
    if (has(name, "duplicate diagonal") && has(own, "divided by the sum"))
        return "duplicates on the diagonal add up in ours";
    if (has(name, "alg 2") && has(name, "zero diagonal") && has(reference, "not finite") && has(own, "not finite"))
        return "numbers behind a division by zero";
    if (has(name, "SpSM") && has(name, "buffer freed"))
        return "ours works in the buffer of SpSM, which must stay";
    if (has(name, "no columns") && has(reference, " 7 ") && !has(own, "wrong"))
        return "no columns are an internal error of the reference";
    return NULL;
}

/* What differs in one way in a group; unexpected where there is no reason. */
typedef struct {
    const char *reason;
    char outcome[2][TEXT], first[TEXT];
    int agrees, cases;
} Difference;

static Difference differences[512];
static int difference_count;

static int is_same(const Difference *d, const char *reason, const char *reference, const char *own, int agrees)
{
    return d->reason == reason && d->agrees == agrees && strcmp(d->outcome[REFERENCE], reference) == 0 &&
           strcmp(d->outcome[OURS], own) == 0;
}

static void note_difference(const char *reason, const char *name, const char *reference, const char *own, int agrees)
{
    int at = 0, room = (int)(sizeof differences / sizeof *differences);
    while (at < difference_count && !is_same(&differences[at], reason, reference, own, agrees))
        at++;
    if (at == room)
        at--; /* the last one stands for the rest */
    Difference *d = &differences[at];
    if (at == difference_count) {
        difference_count++;
        *d = (Difference){.reason = reason, .agrees = agrees};
        say(d->first, "%s", name);
        say(d->outcome[REFERENCE], "%s", reference), say(d->outcome[OURS], "%s", own);
    }
    d->cases++;
    tally.complaints += reason == NULL;
}

static void judge(const char *name, const char *reference, const char *own, int agrees)
{
    if (table)
        printf("%s\t%s\t%s\n", name, reference, own);
    if (strcmp(reference, own) != 0 || !agrees)
        note_difference(expected_difference(name, reference, own), name, reference, own, agrees);
}

static void begin_group(const char *group)
{
    tally.test = group;
    tally.complaints = 0;
    difference_count = 0;
}

static void print_difference(const Difference *d)
{
    printf("  %s%s, %d cases, the first: %s\n    %s\n    ours: %s%s\n", d->reason ? "expected difference: " : "DIFFERENCE",
           d->reason ? d->reason : "", d->cases, d->first, d->outcome[REFERENCE], d->outcome[OURS],
           d->agrees ? "" : " (other numbers)");
}

static void end_group(int cases)
{
    for (int i = 0; i < difference_count; i++)
        print_difference(&differences[i]);
    if (tally.complaints)
        tally.failed++;
    else
        tally.passed++;
    printf("%s %s (%d cases)\n", tally.complaints ? "FAILED " : "ok     ", tally.test, cases);
    fflush(stdout);
}

/* ------------------------------------------------------------------------------------- all of the work */

enum { MAX_PROBES = 8192 };
static char *outcomes[2][MAX_PROBES];

/* Takes a dead child's lines; 1 when it must go on with what is left. */
static int collect_probes(Job *job)
{
    char line[TEXT];
    rewind(job->out);
    while (job->from < job->to && fgets(line, sizeof line, job->out)) {
        line[strcspn(line, "\n")] = '\0';
        outcomes[job->side][job->from++] = strdup(line);
    }
    fclose(job->out);
    if (job->from < job->to)
        outcomes[job->side][job->from++] = strdup(end_of(job->status));
    return job->from < job->to;
}

static void judge_cases(Job *job)
{
    char line[4 * TEXT];
    int cases = 0;
    begin_group(job->group);
    rewind(job->out);
    while (fgets(line, sizeof line, job->out)) {
        char *rest = line, *name = strsep(&rest, "\t"), *reference = strsep(&rest, "\t"), *own = strsep(&rest, "\t");
        judge(name, reference, own, rest && atoi(rest));
        cases++;
    }
    fclose(job->out);
    if (!WIFEXITED(job->status) || WEXITSTATUS(job->status) != 0)
        complain(__LINE__, "ended early: %s", end_of(job->status));
    end_group(cases);
}

/* Runs the jobs, some at a time; those of probes go on after a death. */
static void run_jobs(Job *jobs, int count)
{
    int next = 0, running = 0;
    while (next < count || running > 0) {
        while (next < count && running < CHILDREN) {
            if (jobs[next].group)
                start_cases(&jobs[next]);
            else
                start_probe(&jobs[next]);
            next++, running++;
        }
        int status, at = 0;
        pid_t pid = wait(&status);
        while (at < next && jobs[at].pid != pid)
            at++;
        if (at == next)
            continue;
        jobs[at].status = status;
        jobs[at].pid = 0;
        if (!jobs[at].group && collect_probes(&jobs[at]))
            start_probe(&jobs[at]);
        else
            running--;
    }
}

/* The part of a probe's name before the colon. */
static const char *group_of(const char *name)
{
    static char group[TEXT];
    snprintf(group, sizeof group, "%.*s", (int)strcspn(name, ":"), name);
    return group;
}

/* The numbering goes through SpSV and SpSM in turns: one pass for each group. */
static void judge_probes(int from, int to)
{
    static const char *const groups[] = {"SpSV arguments", "SpSM arguments", "SpSV stories", "SpSM stories"};
    for (int g = 0; g < 4; g++) {
        int cases = 0, end;
        begin_group(groups[g]);
        for (int number = from; number < to; number++) {
            const char *name = probe_name(number, &end), *reference = outcomes[REFERENCE][number],
                       *own = outcomes[OURS][number];
            if (strcmp(group_of(name), groups[g]) != 0 || strcmp(reference, "not told") == 0)
                continue;
            judge(name, reference, own, 1);
            cases++;
        }
        if (cases > 0)
            end_group(cases);
    }
}

static int greet(void)
{
    Job job = {0};
    char line[TEXT] = "";
    start(&job, (char *[]){arguments[0], arguments[1], arguments[2], "--hello", NULL});
    waitpid(job.pid, &job.status, 0);
    rewind(job.out);
    if (fgets(line, sizeof line, job.out) == NULL) {
        int host = !WIFSIGNALED(job.status) && WEXITSTATUS(job.status) == NO_HANDLE && access("/dev/nvidiactl", F_OK) != 0;
        const char *required = getenv("SPTRSV_REQUIRE_GPU");
        host = host && !(required && strcmp(required, "1") == 0);
        printf("%s\ndiff_spsv: 0 passed, %d failed, %d skipped\n",
               host ? "SKIPPED all: the reference needs a GPU" : "the libraries cannot be used: see DIFF_SPSV_LOUD=1", !host,
               host);
        return host ? 0 : 1;
    }
    fclose(job.out);
    printf("diff_spsv: %s", line);
    return -1;
}

/* Where a share of the numbers to `count` begins. */
static int begin_of(int share, int shares, int count) { return (int)((long)count * share / shares); }

/* The part that was asked for, of the cases and the probes. */
static int run_part(void)
{
    static Job jobs[2 * SHARDS + 16];
    int job_count = 0, probes = 0, end;
    while (probes < MAX_PROBES && probe_name(probes, &end) != NULL)
        probes++;
    int from = begin_of(part - 1, parts, probes), to = begin_of(part, parts, probes);
    for (int side = 0; side < 2; side++)
        for (int shard = 0; shard < SHARDS; shard++) {
            Job job = {.side = side, .from = from + begin_of(shard, SHARDS, to - from),
                       .to = from + begin_of(shard + 1, SHARDS, to - from)};
            if (job.from < job.to)
                jobs[job_count++] = job;
        }
    int first_cases = job_count;
    for (int g = 0; case_groups[g] != NULL; g++)
        if (g % parts == part - 1)
            jobs[job_count++] = (Job){.group = case_groups[g]};
    run_jobs(jobs, job_count);
    for (int j = first_cases; j < job_count; j++)
        judge_cases(&jobs[j]);
    judge_probes(from, to);
    return close_tally("diff_spsv");
}

/* 0 where the words behind the libraries are no options. */
static int read_options(int count, char **words)
{
    char rest;
    for (int k = 3; k < count; k++)
        if (strcmp(words[k], "--table") == 0)
            table = 1;
        else if (strcmp(words[k], "--part") != 0 || ++k == count || sscanf(words[k], "%d/%d%c", &part, &parts, &rest) != 2 ||
                 part < 1 || part > parts)
            return 0;
    return 1;
}

int main(int count, char **words)
{
    static const char *const of_children[] = {"--hello", "--cases", "--probe"};
    arguments = words;
    for (int k = 0; count > 3 && k < 3; k++)
        if (strcmp(words[3], of_children[k]) == 0)
            return child(count, words);
    if (count < 3 || !read_options(count, words)) {
        fprintf(stderr, "usage: %s LIBCUSPARSE LIBSPTRSV_SPSV [--table] [--part K/N]\n", words[0]);
        return 2;
    }
    int greeted = greet();
    return greeted >= 0 ? greeted : run_part();
}
