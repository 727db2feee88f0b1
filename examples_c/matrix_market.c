/* Reads Matrix Market files; the format is described at https://math.nist.gov/MatrixMarket/formats.html */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "example.h"
#include "matrix.h"

enum { BAD_INPUT = 2 };

typedef struct {
    const char *path;
    FILE *stream;
    pid_t gzip; /* the process that unpacks, or 0 */
    char *text; /* the current line */
    size_t capacity;
    long line; /* its number, from 1 */
} source;

/* The text of a gzip file, through `gzip -dc`. */
static FILE *unpack(const char *path, int file, pid_t *child) {
    int ends[2];
    if (pipe(ends) != 0 || (*child = fork()) < 0)
        example_die(BAD_INPUT, "%s: cannot start gzip: %s", path, strerror(errno));
    if (*child == 0) {
        dup2(file, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        execlp("gzip", "gzip", "-dcq", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return fdopen(ends[0], "r");
}

static source source_open(const char *path) {
    source s = {path, NULL, 0, NULL, 0, 0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    unsigned char magic[2] = {0, 0};
    if (file < 0) example_die(BAD_INPUT, "%s: %s", path, strerror(errno));
    if (read(file, magic, 2) < 0) example_die(BAD_INPUT, "%s: %s", path, strerror(errno));
    lseek(file, 0, SEEK_SET);
    if (magic[0] == 0x1f && magic[1] == 0x8b) {
        s.stream = unpack(path, file, &s.gzip);
        close(file);
    } else {
        s.stream = fdopen(file, "r");
    }
    if (!s.stream) example_die(BAD_INPUT, "%s: %s", path, strerror(errno));
    return s;
}

/* Ends the program if gzip met damaged data; to be called at the end of the text. */
static void source_check_gzip(source *s) {
    int status = 0;
    if (s->gzip && (waitpid(s->gzip, &status, 0) < 0 || status != 0))
        example_die(BAD_INPUT, "%s:%ld: gzip cannot unpack what follows", s->path, s->line);
    s->gzip = 0;
}

static int next_line(source *s) {
    if (getline(&s->text, &s->capacity, s->stream) < 0) {
        source_check_gzip(s);
        return 0;
    }
    s->line++;
    return 1;
}

static int is_blank(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    return *text == '\0';
}

/* Reads an integer and moves the cursor behind it. */
static int take_integer(char **cursor, long long *value) {
    char *end;
    errno = 0;
    *value = strtoll(*cursor, &end, 10);
    int good = end != *cursor && errno == 0 && (isspace((unsigned char)*end) || *end == '\0');
    *cursor = end;
    return good;
}

static int take_real(char **cursor, double *value) {
    char *end;
    *value = strtod(*cursor, &end);
    int good = end != *cursor && (isspace((unsigned char)*end) || *end == '\0');
    *cursor = end;
    return good;
}

typedef struct {
    int pattern, symmetric;
} header;

static header read_header(source *s) {
    char object[16] = "", format[16] = "", field[16] = "", symmetry[16] = "", magic[16] = "";
    if (!next_line(s)) example_die(BAD_INPUT, "%s: the file is empty", s->path);
    sscanf(s->text, "%15s %15s %15s %15s %15s", magic, object, format, field, symmetry);
    if (strcasecmp(magic, "%%MatrixMarket") || strcasecmp(object, "matrix"))
        example_die(BAD_INPUT, "%s:1: not a Matrix Market file: it does not begin with '%%%%MatrixMarket matrix'",
                    s->path);
    if (strcasecmp(format, "coordinate"))
        example_die(BAD_INPUT, "%s:1: the format is '%s'; this program reads 'coordinate'", s->path, format);
    header h = {!strcasecmp(field, "pattern"), !strcasecmp(symmetry, "symmetric")};
    if (!h.pattern && strcasecmp(field, "real") && strcasecmp(field, "integer"))
        example_die(BAD_INPUT, "%s:1: the values are '%s'; this program reads real, integer and pattern", s->path,
                    field);
    if (!h.symmetric && strcasecmp(symmetry, "general"))
        example_die(BAD_INPUT, "%s:1: the symmetry is '%s'; this program reads general and symmetric", s->path,
                    symmetry);
    return h;
}

static void read_size(source *s, int *n, long long *count) {
    long long rows, columns;
    char *cursor;
    do {
        if (!next_line(s)) example_die(BAD_INPUT, "%s:%ld: the file ends before its size line", s->path, s->line);
    } while (s->text[0] == '%' || is_blank(s->text));
    cursor = s->text;
    if (!take_integer(&cursor, &rows) || !take_integer(&cursor, &columns) || !take_integer(&cursor, count) ||
        !is_blank(cursor) || rows < 0 || columns < 0 || *count < 0)
        example_die(BAD_INPUT, "%s:%ld: a size line has three numbers: rows, columns, entries", s->path, s->line);
    if (rows != columns)
        example_die(BAD_INPUT, "%s:%ld: the matrix is %lld x %lld, not square", s->path, s->line, rows, columns);
    if (rows == 0) example_die(BAD_INPUT, "%s:%ld: the matrix has no rows", s->path, s->line);
    /* Symmetric entries count twice, and each row may need a diagonal: all offsets must fit an int. */
    if (rows >= INT_MAX || *count > (INT_MAX - rows) / 2)
        example_die(BAD_INPUT, "%s:%ld: the matrix is too large for 32-bit offsets", s->path, s->line);
    *n = (int)rows;
}

static entry read_entry(source *s, header h, int n) {
    long long row, col;
    double val = 1.0;
    char *cursor = s->text;
    if (!take_integer(&cursor, &row) || !take_integer(&cursor, &col) || (!h.pattern && !take_real(&cursor, &val)) ||
        !is_blank(cursor))
        example_die(BAD_INPUT, "%s:%ld: an entry has a row, a column%s", s->path, s->line,
                    h.pattern ? " and nothing else" : " and a value");
    if (row < 1 || row > n || col < 1 || col > n)
        example_die(BAD_INPUT, "%s:%ld: entry (%lld, %lld) is outside of the %d x %d matrix", s->path, s->line, row,
                    col, n, n);
    if (!isfinite(val)) example_die(BAD_INPUT, "%s:%ld: the value is not a finite number", s->path, s->line);
    entry e = {(int)row - 1, (int)col - 1, val};
    return e;
}

/* The stated values of a matrix that brings none: -1 beside the diagonal, row length + 1 on it. */
static void make_values(matrix *a) {
    for (int i = 0; i < a->n; i++)
        for (int k = a->ptr[i]; k < a->ptr[i + 1]; k++)
            a->val[k] = a->ind[k] == i ? a->ptr[i + 1] - a->ptr[i] + 1.0 : -1.0;
}

matrix matrix_read(const char *path) {
    source s = source_open(path);
    header h = read_header(&s);
    int n, added, all_zero = 1;
    long long expected, read = 0, count = 0;
    read_size(&s, &n, &expected);

    entry *entries = malloc((size_t)(2 * expected + 1) * sizeof *entries);
    if (!entries) example_die(1, "out of memory: %lld entries", expected);
    while (next_line(&s)) {
        if (s.text[0] == '%' || is_blank(s.text)) continue;
        if (read == expected) example_die(BAD_INPUT, "%s:%ld: more than %lld entries", path, s.line, expected);
        entry e = read_entry(&s, h, n);
        entries[count++] = e;
        if (h.symmetric && e.row != e.col) {
            entry mirrored = {e.col, e.row, e.val};
            entries[count++] = mirrored;
        }
        if (e.val != 0.0) all_zero = 0;
        read++;
    }
    if (read != expected)
        example_die(BAD_INPUT, "%s:%ld: the file ends after %lld of %lld entries", path, s.line, read, expected);
    fclose(s.stream);
    free(s.text);

    matrix a = matrix_from_entries(n, count, entries, &added);
    free(entries);
    if (h.pattern || all_zero) {
        make_values(&a);
        printf("            no values in the file: -1 beside the diagonal, row length + 1 on it\n");
    } else if (added) {
        printf("            %d rows have no diagonal entry: a zero is stored there\n", added);
    }
    return a;
}
