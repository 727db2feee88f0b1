/*
 * The differential test of csrilu02 and csric02: cuSPARSE's own functions and ours get the same calls on the same kinds of handles,
 * descriptors and arrays, and must give the same statuses and zero pivots, and right values.
 *
 *     diff_ilu02 LIBCUSPARSE LIBSPTRSV_SPSV [--table]
 *
 * Handles and descriptors come from the first library, and the reference is that library's own functions. With --table one line for
 * every observation is printed: name, reference and ours, with tabs between. Where ours may differ, the reason is printed.
 *
 * An observation is what one side says to all calls of a probe. Of values it says how many are wrong, by a factorisation of its own.
 * Values behind a zero pivot stand in brackets and need not agree. A hash of all bits stands in braces: how many agree is printed.
 *
 * Every side's probes run in child processes, because some calls may crash or hang a library, or leave a GPU's context of no use. A
 * child that dies has died of the first probe that it has no line for, and another child goes on behind it:
 *
 *     diff_ilu02 LIBCUSPARSE LIBSPTRSV_SPSV --probe SIDE FROM TO
 */

#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diff_ilu02.h"

/* The groups here are no functions, which is what harness.h's RUN runs. */
__attribute__((unused)) static void run(const char *name, void (*test)(void));
#include "harness.h"

enum { PROBE_SECONDS = 20, SHARDS = 4, MAX_PROBES = 8192, NO_HANDLE = 77 };
enum { REFERENCE, OURS };

Base base;
Handle handle;
int on_gpu;

static char **arguments; /* this program, LIBCUSPARSE, LIBSPTRSV_SPSV */
static int table, probe_count;

typedef struct {
    const char *(*name)(int number);
    void (*run)(int number, const Factors *f, char *out);
    int count;
} Probes;
static Probes kinds_of_probes[] = {{case_name, run_case, 0}, {story_name, run_story, 0}, {argument_name, run_argument, 0}};
enum { KINDS_OF_PROBES = sizeof kinds_of_probes / sizeof *kinds_of_probes };

/* The kind of a probe, whose number becomes that among its kind. */
static const Probes *locate(int *number)
{
    const Probes *kind = kinds_of_probes;
    for (; *number >= kind->count; kind++)
        *number -= kind->count;
    return kind;
}

static const char *probe_name(int number)
{
    const Probes *kind = locate(&number);
    return kind->name(number);
}

/* ---- children ---- */

static int child(int side, int from, int to)
{
    static Factors sides[2];
    FILE *report = fdopen(3, "w");
    if (report == NULL)
        report = stdout;
    on_gpu = memory_open();
    void *reference = open_library(arguments[1]);
    load_base(reference);
    load_factors(&sides[REFERENCE], reference);
    load_factors(&sides[OURS], open_library(arguments[2]));
    if (base.create(&handle) != 0)
        return NO_HANDLE;
    if (from == to) {
        int version = 0;
        base.version(handle, &version);
        fprintf(report, "executor %s (%s), cuSPARSE %d\n", on_gpu ? "CUDA" : "host", memory_device_name(), version);
    }
    for (int number = from; number < to; number++) {
        char outcome[TEXT] = "";
        alarm(PROBE_SECONDS);
        int at = number;
        const Probes *kind = locate(&at);
        kind->run(at, &sides[side], outcome);
        fprintf(report, "%s\n", outcome);
        fflush(report);
    }
    return 0;
}

/* ---- starting them ---- */

typedef struct {
    pid_t pid;
    FILE *out;
    int status, side, from, to;
} Job;

static void start(Job *job)
{
    char numbers[3][16];
    job->out = tmpfile();
    fflush(NULL);
    job->pid = job->out == NULL ? -1 : fork();
    if (job->pid < 0) {
        perror("diff_ilu02");
        exit(1);
    }
    if (job->pid > 0)
        return;
    int quiet = open("/dev/null", O_WRONLY);
    dup2(quiet, 1);
    if (getenv("DIFF_ILU02_LOUD") == NULL)
        dup2(quiet, 2);
    dup2(fileno(job->out), 3);
    snprintf(numbers[0], 16, "%d", job->side), snprintf(numbers[1], 16, "%d", job->from), snprintf(numbers[2], 16, "%d", job->to);
    execv("/proc/self/exe",
          (char *[]){arguments[0], arguments[1], arguments[2], "--probe", numbers[0], numbers[1], numbers[2], NULL});
    _exit(127);
}

static const char *end_of(int status)
{
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "hang" : "crash";
    return WEXITSTATUS(status) == 1 ? "context lost" : WEXITSTATUS(status) == NO_HANDLE ? "no handle" : "no start";
}

static char *outcomes[2][MAX_PROBES];

/* Takes an ended child's lines; 1 where another must go on with what is left. */
static int collect(Job *job)
{
    char line[TEXT + 2];
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

static void run_all(void)
{
    Job jobs[2 * SHARDS];
    int running = 0;
    for (int k = 0; k < 2 * SHARDS; k++) {
        int share = k / 2;
        jobs[k] = (Job){.side = k % 2, .from = probe_count * share / SHARDS, .to = probe_count * (share + 1) / SHARDS};
        start(&jobs[k]), running++;
    }
    while (running > 0) {
        int status, at = 0;
        pid_t pid = wait(&status);
        while (at < 2 * SHARDS && jobs[at].pid != pid)
            at++;
        if (at == 2 * SHARDS)
            continue;
        jobs[at].status = status;
        if (collect(&jobs[at]))
            start(&jobs[at]);
        else
            jobs[at].pid = 0, running--;
    }
}

/* ---- judging ---- */

static int has(const char *text, const char *part) { return strstr(text, part) != NULL; }

static int died(const char *outcome)
{
    return strcmp(outcome, "hang") == 0 || strcmp(outcome, "crash") == 0 || strcmp(outcome, "context lost") == 0;
}

/* The text without what stands between these two. */
static char *without(const char *text, char open, char close)
{
    static char texts[4][TEXT];
    static int next;
    char *to = texts[next++ % 4], *end = to;
    for (int depth = 0; *text; text++) {
        depth += *text == open;
        if (depth == 0)
            *end++ = *text;
        depth -= *text == close;
    }
    *end = '\0';
    return to;
}

static const char BEHIND[] = "values behind a zero pivot";

/* Where ours may differ from the reference, and why; NULL where it may not. */
static const char *expected_difference(const char *name, const char *reference, const char *own)
{
    if (died(own))
        return NULL;
    if (died(reference))
        return "the reference does not survive it";
    if (strcmp(without(reference, '[', ']'), without(own, '[', ']')) == 0)
        return BEHIND;
    if (has(name, "an infinite pivot") && has(reference, "wrong") && !has(own, "wrong"))
        return "the reference divides wrongly by a complex infinity";
    if (has(name, "index out of range") || has(name, "offsets that fall"))
        return "senseless input: a status in ours";
    if (has(name, "other size at the factorisation") || has(name, "other type at the factorisation") || has(name, "other kind of info"))
        return "another matrix than the analysed one is refused by ours";
    return NULL;
}

typedef struct {
    const char *reason;
    char outcome[2][TEXT], first[TEXT];
    int cases;
} Difference;

static Difference differences[256];
static int difference_count;

/* Whether two outcomes differ in nothing but the numbers of rows and values. */
static int is_alike(const char *a, const char *b)
{
    for (; *a && *b; a++, b++) {
        if (*a != *b && !(isdigit((unsigned char)*a) && isdigit((unsigned char)*b)))
            return 0;
        while (isdigit((unsigned char)a[0]) && isdigit((unsigned char)a[1]))
            a++;
        while (isdigit((unsigned char)b[0]) && isdigit((unsigned char)b[1]))
            b++;
    }
    return *a == *b;
}

static int is_same(const Difference *d, const char *reference, const char *own)
{
    return is_alike(d->outcome[REFERENCE], reference) && is_alike(d->outcome[OURS], own);
}

static void note_difference(const char *reason, const char *name, const char *reference, const char *own)
{
    int at = 0, room = (int)(sizeof differences / sizeof *differences);
    while (at < difference_count && !(differences[at].reason == reason && (reason == BEHIND || is_same(&differences[at], reference, own))))
        at++;
    if (at == room)
        at--; /* the last one stands for the rest */
    Difference *d = &differences[at];
    if (at == difference_count) {
        difference_count++;
        *d = (Difference){.reason = reason};
        say(d->first, "%s", name);
        say(d->outcome[REFERENCE], "%s", reference), say(d->outcome[OURS], "%s", own);
    }
    d->cases++;
    tally.complaints += reason == NULL;
}

static int is_of_group(const char *name, const char *group)
{
    return strncmp(name, group, strlen(group)) == 0 && name[strlen(group)] == ':';
}

static void judge_group(const char *group)
{
    int cases = 0, same_bits = 0;
    tally.test = group;
    tally.complaints = difference_count = 0;
    for (int number = 0; number < probe_count; number++) {
        const char *name = probe_name(number), *reference = outcomes[REFERENCE][number], *own = outcomes[OURS][number];
        if (!is_of_group(name, group) || strcmp(reference, NO_PROBE) == 0)
            continue;
        if (table)
            printf("%s\t%s\t%s\n", name, reference, own);
        cases++;
        same_bits += strcmp(reference, own) == 0;
        const char *shown[] = {without(reference, '{', '}'), without(own, '{', '}')};
        if (strcmp(shown[REFERENCE], shown[OURS]) != 0)
            note_difference(expected_difference(name, shown[REFERENCE], shown[OURS]), name, shown[REFERENCE], shown[OURS]);
        /* Agreement on something wrong is no agreement. */
        if (number < kinds_of_probes[0].count && has(own, "wrong") && !has(reference, "wrong"))
            complain(__LINE__, "%s: %s", name, own);
    }
    for (int i = 0; i < difference_count; i++)
        printf("  %s%s, %d cases, the first: %s\n    %s\n    ours: %s\n", differences[i].reason ? "expected difference: " : "DIFFERENCE",
               differences[i].reason ? differences[i].reason : "", differences[i].cases, differences[i].first,
               differences[i].outcome[REFERENCE], differences[i].outcome[OURS]);
    if (tally.complaints)
        tally.failed++;
    else
        tally.passed++;
    printf("%s %s (%d cases, %d of them with the same bits)\n", tally.complaints ? "FAILED " : "ok     ", group, cases, same_bits);
    fflush(stdout);
}

/* -1, or the exit code where the libraries cannot be used. */
static int greet(void)
{
    Job job = {0};
    char line[TEXT] = "";
    start(&job);
    waitpid(job.pid, &job.status, 0);
    rewind(job.out);
    if (fgets(line, sizeof line, job.out) != NULL) {
        printf("diff_ilu02: %s", line);
        return -1;
    }
    const char *required = getenv("SPTRSV_REQUIRE_GPU");
    int host = WIFEXITED(job.status) && WEXITSTATUS(job.status) == NO_HANDLE && access("/dev/nvidiactl", F_OK) != 0 &&
               !(required && strcmp(required, "1") == 0);
    printf("%s\ndiff_ilu02: 0 passed, %d failed, %d skipped\n",
           host ? "SKIPPED all: the reference needs a GPU" : "the libraries cannot be used: see DIFF_ILU02_LOUD=1", !host, host);
    return !host;
}

int main(int count, char **words)
{
    static const char *const groups[] = {"Scsrilu02",         "Dcsrilu02",          "Ccsrilu02",           "Zcsrilu02",
                                         "Scsric02",          "Dcsric02",           "Ccsric02",            "Zcsric02",
                                         "stories of csrilu02", "stories of csric02", "arguments of csrilu02", "arguments of csric02"};
    arguments = words;
    for (Probes *kind = kinds_of_probes; kind < kinds_of_probes + KINDS_OF_PROBES; probe_count += kind->count, kind++)
        while (kind->name(kind->count) != NULL)
            kind->count++;
    if (count == 7 && strcmp(words[3], "--probe") == 0)
        return child(atoi(words[4]), atoi(words[5]), atoi(words[6]));
    if (count < 3 || count > 4 || (count == 4 && strcmp(words[3], "--table") != 0)) {
        fprintf(stderr, "usage: %s LIBCUSPARSE LIBSPTRSV_SPSV [--table]\n", words[0]);
        return 2;
    }
    table = count == 4;
    setenv("SPTRSV_SPSV_FACTORISATIONS", "on", 1);
    int greeted = greet();
    if (greeted >= 0)
        return greeted;
    run_all();
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        judge_group(groups[g]);
    return close_tally("diff_ilu02");
}
