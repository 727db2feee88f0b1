/* The stories of what a descriptor keeps, and of updates; see diff_spsv_stories.h. */

#include "diff_spsv_stories.h"

#include <stdio.h>

/* ---- what is kept ---- */

void values_overwritten(Teller *t)
{
    analyse(t);
    memory_fill(t->s.a.values, 0xFF, (size_t)t->old.nnz * value_bytes(t->s.o.type));
    solve(t);
}

void pattern_overwritten(Teller *t)
{
    analyse(t);
    memory_fill(t->s.a.indices, 0xFF, (size_t)t->old.nnz * 4);
    memory_fill(t->s.a.offsets, 0xFF, (ROWS + 1) * 4);
    solve(t);
}

void arrays_freed(Teller *t)
{
    analyse(t);
    memory_free(t->s.a.values);
    memory_free(t->s.a.indices);
    memory_free(t->s.a.offsets);
    t->s.a.values = t->s.a.indices = t->s.a.offsets = NULL;
    solve(t);
}

static void solve_with(Teller *t, const Matrix *a, int fill, int diag, int without_values)
{
    Stored other = store_matrix(a, t->s.o.type, CSR, 0, t->s.o.base, fill, diag);
    cusparseConstSpMatDescr_t own = t->s.call.mat;
    if (without_values)
        cusparse.SpMatSetValues(other.mat, NULL);
    t->s.call.mat = other.mat;
    solve(t);
    t->s.call.mat = own;
    discard_matrix(&other);
}

void other_values_at_solve(Teller *t) { analyse(t), solve_with(t, &t->fresh, t->s.o.fill, t->s.o.diag, 0); }
void no_values_at_solve(Teller *t) { analyse(t), solve_with(t, &t->fresh, t->s.o.fill, t->s.o.diag, 1); }
void other_fill_at_solve(Teller *t) { analyse(t), solve_with(t, &t->old, !t->s.o.fill, t->s.o.diag, 0); }
void other_diagonal_at_solve(Teller *t) { analyse(t), solve_with(t, &t->old, t->s.o.fill, !t->s.o.diag, 0); }

void other_pattern_at_solve(Teller *t)
{
    Matrix other = matrix_random(ROWS, 3, 77);
    analyse(t), solve_with(t, &other, t->s.o.fill, t->s.o.diag, 0);
    matrix_free(&other);
}

void attributes_changed_after_analysis(Teller *t)
{
    int fill = !t->s.o.fill, diag = !t->s.o.diag;
    analyse(t);
    cusparse.SpMatSetAttribute(t->s.a.mat, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
    cusparse.SpMatSetAttribute(t->s.a.mat, CUSPARSE_SPMAT_DIAG_TYPE, &diag, sizeof diag);
    solve(t);
}

void other_op_at_solve(Teller *t)
{
    analyse(t);
    for (int op = N; op <= H; op++) {
        t->s.call.op = op;
        say(t->out, "%c: ", "NTH"[op]);
        solve(t);
    }
}

void other_alg_at_solve(Teller *t)
{
    for (int analysed = 0; analysed < 3; analysed++)
        for (int solved = 0; solved < 3; solved++) {
            t->s.call.alg = analysed;
            memory_free(t->s.buffer);
            t->s.buffer = NULL;
            if (system_prepare(&t->s) != 0)
                continue;
            t->s.call.alg = solved;
            say(t->out, "%d then %d: ", analysed, solved);
            solve(t);
        }
}

/* ---- updates ---- */

void update_general(Teller *t) { analyse(t), update(t, &t->fresh, GENERAL), solve(t), solve(t); }

static Matrix with_fresh_diagonal(Teller *t)
{
    Matrix b = matrix_copy(&t->old);
    for (int i = 0; i < ROWS; i++)
        if (matrix_diagonal(&b, i) >= 0)
            b.val[matrix_diagonal(&b, i)] = t->fresh.val[matrix_diagonal(&b, i)];
    return b;
}

void update_diagonal(Teller *t)
{
    Matrix b = with_fresh_diagonal(t), kept = t->fresh;
    analyse(t);
    update(t, &b, DIAGONAL);
    t->fresh = b;
    solve(t);
    t->fresh = kept;
    matrix_free(&b);
}

/* What a diagonal that was none is after an update of it, and after one of all values. */
void updates_of_a_unit_diagonal(Teller *t)
{
    Options o = t->s.o;
    Matrix b = with_fresh_diagonal(t), kept = t->fresh;
    o.diag = UNIT;
    close_system(&t->s);
    t->s = open_system(t->solver, handle, &t->old, o);
    analyse(t), solve(t);
    update(t, &b, DIAGONAL);
    t->fresh = b;
    solve(t);
    t->fresh = kept;
    update(t, &t->fresh, GENERAL);
    solve(t);
    matrix_free(&b);
}

void update_of_a_missing_diagonal(Teller *t)
{
    Matrix a = matrix_random(ROWS, 5, 71), b = matrix_copy(&a);
    for (int i = 2; i < ROWS; i += 7)
        matrix_drop_diagonal(&a, i);
    close_system(&t->s);
    t->s = open_system(t->solver, handle, &a, t->s.o);
    matrix_free(&t->old), matrix_free(&t->fresh);
    t->old = a, t->fresh = b; /* new, where the update also gives the missing entries a value */
    analyse(t);
    update(t, &b, DIAGONAL);
    solve(t);
}

void update_before_analysis(Teller *t) { update(t, &t->fresh, GENERAL), analyse(t), solve(t); }
void diagonal_before_analysis(Teller *t) { update(t, &t->fresh, DIAGONAL), analyse(t), solve(t); }
void update_and_solve_without_analysis(Teller *t) { update(t, &t->fresh, GENERAL), solve(t); }

void analysis_after_update(Teller *t)
{
    analyse(t), update(t, &t->fresh, GENERAL);
    say(t->out, "analysis %d; ", system_analyse(&t->s));
    solve(t);
}

void wrong_updates(Teller *t)
{
    analyse(t);
    void *values = stored_values(&t->s.a, &t->fresh);
    Call c = *system_call(&t->s);
    say(t->out, "values NULL %d; ", call_update(t->solver, &c, NULL, GENERAL));
    solve(t);
    say(t->out, "part 2 %d; ", call_update(t->solver, &c, values, 2));
    say(t->out, "part -1 %d; ", call_update(t->solver, &c, values, -1));
    c.handle = NULL;
    say(t->out, "handle NULL %d; ", call_update(t->solver, &c, values, GENERAL));
    c = t->s.call, c.descr = NULL;
    say(t->out, "descriptor NULL %d; ", call_update(t->solver, &c, values, GENERAL));
    solve(t);
    memory_free(values);
}
