/* Rows of a matrix over processes, and the parts that one process puts together. */
#include "partition.h"

#include <limits.h>
#include <stdlib.h>

#include "example.h"

static void *allocate(size_t count, size_t size) {
    void *array = calloc(count ? count : 1, size);
    if (!array) example_die(1, "out of memory: %zu bytes", count * size);
    return array;
}

/* Where part k of `parts` begins in a range of n; the part that holds place i. */
static long long start_of(long long n, int parts, int k) { return n * k / parts; }

static int part_of(long long n, int parts, long long i) { return (int)(((i + 1) * parts - 1) / n); }

/* The box of a process, from x to z: where it begins, and its lengths. */
static void box_of(const partition *p, int process, int from[3], int length[3]) {
    for (int d = 0; d < 3; d++) {
        int k = process % p->parts[d];
        process /= p->parts[d];
        from[d] = (int)start_of(p->grid, p->parts[d], k);
        length[d] = (int)start_of(p->grid, p->parts[d], k + 1) - from[d];
    }
}

partition partition_grid(int grid, const int parts[3]) {
    partition p = {.processes = parts[0] * parts[1] * parts[2], .widest = 7, .grid = grid,
                   .parts = {parts[0], parts[1], parts[2]}};
    p.first = allocate((size_t)p.processes + 1, sizeof(long long));
    for (int k = 0; k < p.processes; k++) {
        int from[3], length[3];
        box_of(&p, k, from, length);
        p.first[k + 1] = p.first[k] + (long long)length[0] * length[1] * length[2];
    }
    return p;
}

partition partition_matrix(const matrix *a, int processes) {
    partition p = {.processes = processes, .file = a};
    p.first = allocate((size_t)processes + 1, sizeof(long long));
    for (int k = 0; k < processes; k++) p.first[k + 1] = start_of(a->n, processes, k + 1);
    for (int i = 0; i < a->n; i++)
        if (a->ptr[i + 1] - a->ptr[i] > p.widest) p.widest = a->ptr[i + 1] - a->ptr[i];
    return p;
}

void partition_free(partition *p) { free(p->first); }

int partition_owner(const partition *p, long long row) {
    int low = 0, high = p->processes;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (p->first[middle] <= row) low = middle;
        else high = middle;
    }
    return low;
}

/* A row's point of the grid, and a point's row. */
static void point_of(const partition *p, long long row, int at[3]) {
    int process = partition_owner(p, row), from[3], length[3];
    long long local = row - p->first[process];
    box_of(p, process, from, length);
    for (int d = 0; d < 3; d++) {
        at[d] = from[d] + (int)(local % length[d]);
        local /= length[d];
    }
}

static long long row_at(const partition *p, const int at[3]) {
    int process = 0;
    long long local = 0;
    for (int d = 2; d >= 0; d--) {
        int k = part_of(p->grid, p->parts[d], at[d]);
        long long from = start_of(p->grid, p->parts[d], k), to = start_of(p->grid, p->parts[d], k + 1);
        process = process * p->parts[d] + k;
        local = local * (to - from) + (at[d] - from);
    }
    return p->first[process] + local;
}

long long partition_original(const partition *p, long long row) {
    if (p->file) return row;
    int at[3];
    point_of(p, row, at);
    return ((long long)at[2] * p->grid + at[1]) * p->grid + at[0];
}

/* The entries of a row, by ascending columns; how many. */
static int read_row(const partition *p, long long row, long long *col, double *val) {
    int count = 0;
    if (p->file) {
        for (int k = p->file->ptr[row]; k < p->file->ptr[row + 1]; k++) {
            col[count] = p->file->ind[k];
            val[count++] = p->file->val[k];
        }
        return count;
    }
    int at[3];
    point_of(p, row, at);
    col[count] = row;
    val[count++] = 6.0;
    for (int d = 0; d < 3; d++)
        for (int step = -1; step <= 1; step += 2) {
            int next[3] = {at[0], at[1], at[2]}, k;
            next[d] += step;
            if (next[d] < 0 || next[d] >= p->grid) continue;
            long long column = row_at(p, next);
            for (k = count++; k > 0 && col[k - 1] > column; k--) {
                col[k] = col[k - 1];
                val[k] = val[k - 1];
            }
            col[k] = column;
            val[k] = -1.0;
        }
    return count;
}

static int is_less(const void *a, const void *b) {
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

/* Room for the columns and values of one row. */
typedef struct {
    long long *col;
    double *val;
} row_room;

static row_room new_room(const partition *p) {
    row_room room = {allocate((size_t)p->widest, sizeof(long long)), allocate((size_t)p->widest, sizeof(double))};
    return room;
}

static void free_room(row_room *room) {
    free(room->col);
    free(room->val);
}

static int size_of(const region *r) { return r->n + r->ghosts; }

/* The row at a place of the region's vectors. */
static long long row_of(const region *r, int place) {
    if (place < r->below) return r->ghost[place];
    return place < r->below + r->n ? r->first + (place - r->below) : r->ghost[place - r->n];
}

/* The number of a ghost, or -1. */
static int ghost_number(const region *r, long long row) {
    const long long *found = r->ghosts ? bsearch(&row, r->ghost, (size_t)r->ghosts, sizeof row, is_less) : NULL;
    return found ? (int)(found - r->ghost) : -1;
}

static int is_owned(const region *r, long long row) { return row >= r->first && row < r->first + r->n; }

/* The place of a row in the region's vectors, or -1. */
static int place_of(const region *r, long long row) {
    if (is_owned(r, row)) return r->below + (int)(row - r->first);
    int ghost = ghost_number(r, row);
    return ghost < r->below ? ghost : ghost + r->n;
}

/* Adds the columns of all rows of a region to its ghosts. */
static void add_ghosts(const partition *p, region *r) {
    row_room room = new_room(p);
    size_t count = (size_t)r->ghosts, space = count + 1024;
    long long *ghost = allocate(space, sizeof(long long));
    for (size_t i = 0; i < count; i++) ghost[i] = r->ghost[i];
    for (int i = 0; i < size_of(r); i++) {
        int entries = read_row(p, row_of(r, i), room.col, room.val);
        for (int k = 0; k < entries; k++) {
            if (is_owned(r, room.col[k])) continue;
            if (count == space) {
                ghost = realloc(ghost, (space *= 2) * sizeof(long long));
                if (!ghost) example_die(1, "out of memory: %zu ghost rows", space);
            }
            ghost[count++] = room.col[k];
        }
    }
    qsort(ghost, count, sizeof(long long), is_less);
    free(r->ghost);
    r->ghost = ghost;
    r->ghosts = r->below = 0;
    for (size_t i = 0; i < count; i++) {
        if (r->ghosts && ghost[r->ghosts - 1] == ghost[i]) continue;
        ghost[r->ghosts++] = ghost[i];
    }
    while (r->below < r->ghosts && ghost[r->below] < r->first) r->below++;
    free_room(&room);
}

region region_around(const partition *p, int process, int levels) {
    long long n = p->first[process + 1] - p->first[process];
    if (n > INT_MAX / (p->widest + 1)) example_die(1, "%lld rows are too many for one process: take more", n);
    region r = {.first = p->first[process], .n = (int)n};
    for (int k = 0; k < levels; k++) add_ghosts(p, &r);
    return r;
}

void region_free(region *r) { free(r->ghost); }

/* The places of the matrix's columns in the part: of the region's vectors, or of its ghosts alone. */
typedef int (*column_place)(const region *r, long long row);

/* Makes a part's pattern, or sets its values. */
static void fill(const partition *p, const region *r, int from, int rows, column_place column, double sign, matrix *part) {
    row_room room = new_room(p);
    int nnz = 0;
    for (int i = 0; i < rows; i++) {
        int entries = read_row(p, row_of(r, from + i), room.col, room.val);
        for (int k = 0; k < entries; k++) {
            int place = column(r, room.col[k]);
            if (place < 0) continue;
            if (part->val) part->val[nnz] = sign * room.val[k];
            else part->ind[nnz] = place;
            nnz++;
        }
        part->ptr[i + 1] = nnz;
    }
    free_room(&room);
}

static matrix pattern(const partition *p, const region *r, int from, int rows, column_place column) {
    size_t room = (size_t)rows * (size_t)p->widest;
    if (room > INT_MAX) example_die(1, "%d rows are too many for one process: take more", rows);
    matrix part = {rows, allocate((size_t)rows + 1, sizeof(int)), allocate(room, sizeof(int)), NULL};
    fill(p, r, from, rows, column, 0.0, &part);
    return part;
}

static double *room_for_values(const matrix *part) { return allocate((size_t)part->ptr[part->n], sizeof(double)); }

matrix region_pattern(const partition *p, const region *r) { return pattern(p, r, 0, size_of(r), place_of); }

void region_values(const partition *p, const region *r, matrix *block) {
    block->val = room_for_values(block);
    fill(p, r, 0, size_of(r), place_of, 1.0, block);
}

matrix coupling_pattern(const partition *p, const region *r) { return pattern(p, r, r->below, r->n, ghost_number); }

void coupling_values(const partition *p, const region *r, matrix *coupling) {
    coupling->val = room_for_values(coupling);
    fill(p, r, r->below, r->n, ghost_number, -1.0, coupling);
}
