/*
 * The stories of the differential test: one matrix, one descriptor, and something that happens between the calls. The
 * outcome says whose solution it was in the end: of the old values, or of the new ones.
 */

#ifndef DIFF_SPSV_STORIES_H
#define DIFF_SPSV_STORIES_H

#include "diff_spsv.h"

enum { ROWS = 60 };

/* A system of `old` that has a descriptor but, at the beginning of a story, no analysis. `fresh` has the same pattern and
 * other values. */
typedef struct {
    const Solver *solver;
    Matrix old, fresh;
    System s;
    char *out;
} Teller;

/* bufferSize and analysis; only what fails is said. */
void analyse(Teller *t);
void solve(Teller *t);
/* Solves another system with the teller's descriptor. */
void solve_other(Teller *t, System *other, const Matrix *a);
void update(Teller *t, const Matrix *a, int part);
/* Whose solution the system holds. */
const char *whose(Teller *t);

/* What a descriptor keeps, and updates of it: diff_spsv_kept.c. */
#define KEPT_STORIES(F)                                                                                      \
    F(values_overwritten) F(pattern_overwritten) F(arrays_freed) F(other_values_at_solve)                    \
    F(no_values_at_solve) F(other_fill_at_solve) F(other_diagonal_at_solve) F(other_pattern_at_solve)        \
    F(attributes_changed_after_analysis) F(other_op_at_solve) F(update_general) F(update_diagonal)           \
    F(update_of_a_missing_diagonal) F(updates_of_a_unit_diagonal) F(update_before_analysis)                  \
    F(diagonal_before_analysis) F(update_and_solve_without_analysis) F(analysis_after_update)                \
    F(wrong_updates)

/* What happens between the calls: diff_spsv_lives.c. */
#define LIFE_STORIES(F)                                                                                      \
    F(solve_without_anything) F(solve_after_size) F(analysis_without_size) F(solve_after_null_buffer)        \
    F(analysis_after_null_buffer) F(failed_analysis_after_a_good_one) F(size_after_analysis)                 \
    F(buffer_overwritten) F(buffer_freed) F(buffer_misaligned) F(one_buffer_for_two)                         \
    F(another_matrix_analysed) F(other_vectors) F(same_memory) F(same_descriptor) F(another_handle)          \
    F(another_stream) F(destroyed_after_solve) F(destroyed_twice) F(solved_after_destroy)                    \
    F(null_descriptors) F(other_alpha_at_solve) F(alpha_zero) F(ten_runs) F(index_out_of_range)              \
    F(offsets_that_decrease) F(duplicate_diagonal) F(capture_solve) F(capture_update) F(capture_size)        \
    F(capture_analysis)

/* Of SpSV alone, then of SpSM alone: likewise. */
void other_alg_at_solve(Teller *t);
void other_columns(Teller *t);
void other_layouts(Teller *t);

#define STORY_IS_THERE(name) void name(Teller *);
KEPT_STORIES(STORY_IS_THERE)
LIFE_STORIES(STORY_IS_THERE)

#endif
