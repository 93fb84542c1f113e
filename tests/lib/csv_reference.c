/** @file
 * See csv_reference.h. */
#include "tests/lib/csv_reference.h"

#include <assert.h>
#include <csv.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/csv_read.h"

/* Rows as bytes: each cell has a letter, its length and its text; each row ends with a letter. */
struct rows {
    char *text;
    size_t len, cap;
};

/* What libcsv reads. */
struct reference {
    struct rows rows, row; /* all rows, and the cells of the one that is read */
    size_t cells, header;
    uint64_t count, damaged;
    bool nul;
    int error;
};

static void
put(struct rows *rows, const void *bytes, size_t len)
{
    if (rows->len + len > rows->cap) {
        rows->cap = 2 * (rows->len + len) + 64;
        rows->text = realloc(rows->text, rows->cap);
        assert(rows->text);
    }
    if (len)
        memcpy(rows->text + rows->len, bytes, len);
    rows->len += len;
}

static void
put_cell(struct rows *rows, const char *text, size_t len, bool present)
{
    put(rows, present ? "+" : "-", 1);
    put(rows, &len, sizeof(len));
    put(rows, text, len);
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct rows *rows = data;
    for (size_t i = 0; i < cells; i++) {
        assert(cell[i].text[cell[i].len] == '\0');
        put_cell(rows, cell[i].text, cell[i].len, cell[i].present);
    }
    put(rows, "R", 1);
    return true;
}

static void
on_libcsv_cell(void *bytes, size_t len, void *data)
{
    struct reference *r = data;
    if (r->header && r->cells >= r->header)
        return;
    r->cells++;
    r->nul = r->nul || (bytes && memchr(bytes, '\0', len));
    put_cell(&r->row, bytes ? bytes : "", bytes ? len : 0, bytes != NULL);
}

static void
on_libcsv_row(int terminator, void *data)
{
    struct reference *r = data;
    (void)terminator;
    if (r->error)
        return;
    if (!r->header && r->nul)
        r->error = -EINVAL;
    r->count += r->header > 0;
    r->damaged += r->header && r->nul;
    for (; r->cells < r->header; r->cells++)
        put_cell(&r->row, "", 0, false);
    r->header = r->cells;
    put(&r->row, "R", 1);
    if (!r->nul)
        put(&r->rows, r->row.text, r->row.len);
    r->row.len = r->cells = 0;
    r->nul = false;
}

const char *
pp_csv_reference_differs(const char *text, size_t len)
{
    struct rows rows = {.len = 0};
    struct reference r = {.header = 0};
    struct csv_parser parser;
    uint64_t count = 0, damaged = 0;
    const struct pp_csv_reader reader = {
        .header = on_row, .row = on_row, .data = &rows, .damaged = &damaged, .rows = &count};
    int rc = pp_csv_read_text(text, len, &reader);
    csv_init(&parser, CSV_EMPTY_IS_NULL);
    (void)!csv_parse(&parser, text, len, on_libcsv_cell, on_libcsv_row, &r);
    csv_free(&parser);
    int want = r.error ? r.error : r.header ? 0 : -ENODATA;
    bool same = rows.len == r.rows.len && (!rows.len || memcmp(rows.text, r.rows.text, rows.len) == 0);
    free(rows.text);
    free(r.rows.text);
    free(r.row.text);
    return rc != want                                 ? "result"
           : !same                                    ? "rows"
           : count != r.count || damaged != r.damaged ? "counts"
                                                      : NULL;
}
