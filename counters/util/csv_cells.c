/** @file
 * Reading CSV text in place; see csv_cells.h. */
#include "counters/util/csv_cells.h"
#include "pp_texts.h"

#include <errno.h>
#include <string.h>

void
pp_csv_cells_init(struct pp_csv_cells *csv, char *bytes, size_t size)
{
    *csv =
        (struct pp_csv_cells){.next = bytes, .end = bytes + size, .line = 1, .column = 1, .row_done = true};
    *csv->end = '\0';
    if (size >= 3 && !memcmp(bytes, "\xEF\xBB\xBF", 3))
        csv->next += 3;
}

static void
step(struct pp_csv_cells *csv)
{
    if (*csv->next++ == '\n') {
        csv->line++;
        csv->column = 1;
    } else {
        csv->column++;
    }
}

static bool
at_line_end(const struct pp_csv_cells *csv)
{
    return csv->next == csv->end || *csv->next == '\n' ||
           (*csv->next == '\r' && csv->next + 1 < csv->end && csv->next[1] == '\n');
}

static void
skip_lines(struct pp_csv_cells *csv)
{
    while (csv->next < csv->end && (at_line_end(csv) || *csv->next == '#')) {
        while (csv->next < csv->end && *csv->next != '\n')
            step(csv);
        if (csv->next < csv->end)
            step(csv);
    }
}

static int
mistake(const struct pp_csv_cells *csv, struct pp_csv_cell *ret_cell, const char **ret_why, const char *why)
{
    ret_cell->line = csv->line;
    ret_cell->column = csv->column;
    *ret_why = why;
    return -EINVAL;
}

/* Read a quoted cell up to its closing quote; doubled quotes become one. @return The end of its text; NULL:
 * the quote is not closed. */
static char *
unquote(struct pp_csv_cells *csv)
{
    char *out = csv->next;
    while (csv->next < csv->end && *csv->next) {
        char c = *csv->next;
        step(csv);
        if (c == '"') {
            if (csv->next == csv->end || *csv->next != '"')
                return out;
            step(csv);
        }
        *out++ = c;
    }
    return NULL;
}

int
pp_csv_cells_next(struct pp_csv_cells *csv, struct pp_csv_cell *ret_cell, const char **ret_why)
{
    if (csv->row_done)
        skip_lines(csv);
    if (csv->row_done && csv->next == csv->end)
        return -ENODATA;
    struct pp_csv_cell cell = {.line = csv->line, .column = csv->column};
    char *end;
    if (csv->next < csv->end && *csv->next == '"') {
        step(csv);
        cell.text = csv->next;
        end = unquote(csv);
        if (!end) {
            csv->line = cell.line;
            csv->column = cell.column;
            return mistake(csv, ret_cell, ret_why, PP_TEXT_CSV_QUOTE);
        }
        if (!at_line_end(csv) && *csv->next != ',')
            return mistake(csv, ret_cell, ret_why, PP_TEXT_CSV_AFTER_QUOTE);
    } else {
        cell.text = csv->next;
        while (!at_line_end(csv) && *csv->next != ',') {
            if (!*csv->next || *csv->next == '"')
                return mistake(csv, ret_cell, ret_why, *csv->next ? PP_TEXT_CSV_INSIDE : PP_TEXT_CSV_NUL);
            step(csv);
        }
        end = csv->next;
    }
    csv->row_done = at_line_end(csv);
    if (csv->next < csv->end && *csv->next == '\r')
        step(csv);
    if (csv->next < csv->end)
        step(csv);
    *end = '\0';
    *ret_cell = cell;
    return 0;
}
