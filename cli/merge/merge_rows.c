/** @file
 * See merge_rows.h. */
#include "cli/merge/merge_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LOOK_AHEAD  64U
#define MOST_MISSES 1024U

void
pp_merge_rows_begin(struct pp_merge_rows *ret, const struct pp_merge_table *table, uint64_t frame)
{
    *ret = (struct pp_merge_rows){.frame = frame};
    ret->place = table->there ? pp_frame_places_find(&table->places, 0, frame) : SIZE_MAX;
    if (ret->place != SIZE_MAX)
        ret->next = table->places.place[ret->place].offset;
}

/* Go to the next place of the frame, if there is one. */
static void
next_place(struct pp_merge_rows *rows, const struct pp_frame_places *places)
{
    rows->place = pp_frame_places_goes_on(places, rows->place) ? rows->place + 1 : SIZE_MAX;
    if (rows->place != SIZE_MAX)
        rows->next = places->place[rows->place].offset;
}

int
pp_merge_rows_next(struct pp_merge_rows *rows, struct pp_merge_table *table)
{
    while (rows->place != SIZE_MAX) {
        uint64_t frame = 0;
        int rc = pp_csv_file_seek(table->file, rows->next);
        rc = rc ? rc : pp_csv_file_next(table->file, &table->row);
        if (rc == -ENOMEM)
            return rc;
        struct pp_cell cell = pp_merge_cell(&table->row, table->frame_at);
        if (rc > 0 && pp_frame_places_number(&cell, &frame) && frame == rows->frame) {
            rows->next = table->row.end;
            return 1;
        }
        next_place(rows, &table->places);
    }
    return 0;
}

int
pp_merge_rows_find(struct pp_merge_rows *rows, struct pp_merge_table *table, const struct pp_cell *id,
                   struct pp_merge_found *ret)
{
    struct pp_merge_rows saved = *rows;
    int rc = 1;
    *ret = (struct pp_merge_found){.found = false};
    for (unsigned i = 0; i < LOOK_AHEAD && rows->misses < MOST_MISSES; i++) {
        rc = pp_merge_rows_next(rows, table);
        if (rc <= 0)
            break;
        struct pp_cell cell = pp_merge_cell(&table->row, table->id_at);
        if (cell.len == id->len && memcmp(cell.text, id->text, id->len) == 0) {
            *ret = (struct pp_merge_found){.found = true, .skipped = i > 0};
            return 0;
        }
    }
    *rows = saved;
    rows->misses++;
    return rc < 0 ? rc : 0;
}

/* Read a column of a row as a number. @return UINT64_MAX: it is none. */
static uint64_t
number_of(const struct pp_csv_row *row, size_t at)
{
    struct pp_cell cell = pp_merge_cell(row, at);
    uint64_t number = 0;
    return pp_frame_places_number(&cell, &number) ? number : UINT64_MAX;
}

void
pp_merge_rows_note(struct pp_merge_run *run, enum pp_merge_file file, enum pp_merge_difference why,
                   const struct pp_merge_table *first, const char *column)
{
    struct pp_merge_differing *differing = &run->differing[file][why];
    if (differing->rows++)
        return;
    differing->frame = number_of(&first->row, first->frame_at);
    differing->pass = number_of(&first->row, first->pass_at);
    differing->draw = number_of(&first->row, pp_merge_column_of(first, "draw"));
    snprintf(differing->column, sizeof(differing->column), "%s", column ? column : "");
}
