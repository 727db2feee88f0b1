/* What the parts of the differential test of SpSV and SpSM share; see diff_spsv.c. */

#ifndef DIFF_SPSV_H
#define DIFF_SPSV_H

#include "generic.h"

enum { REFERENCE, OURS };

extern Solver sides[2];
extern cusparseHandle_t handle;
extern int on_gpu;

enum { TEXT = 256 };

/* ---- cases: systematic, solvable, both sides in one process (diff_spsv_cases.c) ---- */

/* What one case gave. */
typedef struct {
    char name[TEXT], outcome[2][TEXT];
    int agrees; /* the solutions of both sides, and what was written beside them */
} Observation;

typedef void Report(const Observation *);

extern const char *const case_groups[]; /* NULL at the end */
void run_cases(const char *group, Report *report);

/* ---- probes: one side in a process of its own, which may die (diff_spsv_arguments.c, diff_spsv_stories.c) ---- */

/* Wrong arguments, one at a time. NULL at the end of the numbers. */
const char *argument_name(int number);
void argument_probe(int number, const Solver *solver, char *outcome);

/* What a descriptor keeps, and what may happen between the calls. */
const char *story_name(int number);
void story_probe(int number, const Solver *solver, char *outcome);

/* Appends to a text of TEXT bytes. */
__attribute__((format(printf, 2, 3))) void say(char *text, const char *format, ...);

/* system_verdict, but where the solution is that of another operation, triangle or diagonal: which. Else three digits of
 * it. */
const char *solved_system(const System *s, const Matrix *a);

#endif
