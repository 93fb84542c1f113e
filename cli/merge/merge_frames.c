/** @file
 * See merge_run.h. */
#include "cli/merge/merge_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

/** The rows of one frame in one file of a run: where the next one is. */
struct pp_merge_rows {
    uint64_t frame;
    size_t place;    /**< in the index of the file; SIZE_MAX: there are no more rows */
    uint64_t next;   /**< offset of the next row */
    unsigned misses; /**< rows of the first run that were searched for without success */
};

/** What could be found of a row. */
struct pp_merge_found {
    bool found;
    bool skipped; /**< rows in front of it have no partner */
};

#define LOOK_AHEAD  64U
#define MOST_MISSES 1024U

/* Begin with the rows of a frame. */
static void
merge_rows_begin(struct pp_merge_rows *ret, const struct pp_merge_table *table, uint64_t frame)
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

/* Read the next row of the frame into table->row. @retval 1, 0: there are no more, -ENOMEM. A damaged file
 * has no more rows. */
static int
merge_rows_next(struct pp_merge_rows *rows, struct pp_merge_table *table)
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

/*
 * Find the row with an id after the last one that was found, and read it into table->row. Looks 64 rows
 * ahead, and gives up after 1,024 failed searches in a frame.
 *
 * @retval 0, -ENOMEM.
 */
static int
merge_rows_find(struct pp_merge_rows *rows, struct pp_merge_table *table, const struct pp_cell *id,
                struct pp_merge_found *ret)
{
    struct pp_merge_rows saved = *rows;
    int rc = 1;
    *ret = (struct pp_merge_found){.found = false};
    for (unsigned i = 0; i < LOOK_AHEAD && rows->misses < MOST_MISSES; i++) {
        rc = merge_rows_next(rows, table);
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

/* Note a row of the first run that is not merged with a run. @param row NULL: not known.
 * @param column The count that differs; NULL: none. */
static void
merge_rows_note(struct pp_merge_run *run, enum pp_merge_file file, enum pp_merge_difference why,
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

/* A hostile file may name any pass. */
#define MOST_PASSES ((size_t)1 << 20)
#define FLUSH_EVERY 256U /* frames */

/* The frame that is being merged. */
struct pp_merge_frame {
    uint64_t number[PP_MERGE_RUNS]; /* of the frame in each run */
    struct pp_run_set there;        /* runs that have it */
    struct pp_run_set bad;          /* runs that did other work in it */
    struct pp_run_set *pass_bad;    /* runs that did other work in a pass, by its number */
    size_t passes, pass_cap;
    struct pp_merge_rows rows[PP_MERGE_RUNS];
};

/* Find the frame of a run that corresponds to one of the first run: the one with its number, or with several
 * surfaces the one at its place in the surface's frames. */
static size_t
find_frame(const struct pp_frame_places *first, size_t at, const struct pp_frame_places *other)
{
    const struct pp_frame_place *place = &first->place[at];
    if (!pp_frame_places_several(first) && !pp_frame_places_several(other))
        return pp_frame_places_find(other, place->surface, place->frame);
    size_t from = pp_frame_places_of_surface(first, place->surface);
    size_t to = pp_frame_places_of_surface(other, place->surface);
    if (to == SIZE_MAX || at - from >= other->len - to)
        return SIZE_MAX;
    to += at - from;
    return other->place[to].surface == place->surface ? to : SIZE_MAX;
}

/* Read the rows of a frame in frames.csv of all runs. @retval 0, -ENOMEM. */
static int
begin_frame(struct pp_merge *merge, size_t at)
{
    struct pp_merge_frame *frame = merge->frame;
    const struct pp_merge_table *first = &merge->run[0].table[PP_MERGE_FRAMES];
    frame->there = frame->bad = (struct pp_run_set){.bit = {0}};
    if (frame->passes)
        memset(frame->pass_bad, 0, frame->passes * sizeof(*frame->pass_bad));
    frame->passes = 0;
    frame->number[0] = first->places.place[at].frame;
    for (size_t r = 1; r < merge->runs; r++) {
        struct pp_merge_table *table = &merge->run[r].table[PP_MERGE_FRAMES];
        size_t found = merge->run[r].left_out ? SIZE_MAX : find_frame(&first->places, at, &table->places);
        if (found == SIZE_MAX)
            continue;
        int rc = pp_csv_file_seek(table->file, table->places.place[found].offset);
        rc = rc ? rc : pp_csv_file_next(table->file, &table->row);
        if (rc == -ENOMEM)
            return rc;
        if (rc <= 0)
            continue;
        frame->number[r] = table->places.place[found].frame;
        pp_run_set_add(&frame->there, r);
    }
    return 0;
}

/* The set of runs that did other work in a pass. @return NULL: no memory, or no such pass. */
static struct pp_run_set *
pass_set(struct pp_merge_frame *frame, uint64_t pass)
{
    if (pass >= MOST_PASSES)
        return NULL;
    if (pp_grow_array(&frame->pass_bad, &frame->pass_cap, (size_t)pass + 1, sizeof(*frame->pass_bad)))
        return NULL;
    if (pass >= frame->passes)
        frame->passes = (size_t)pass + 1;
    return &frame->pass_bad[pass];
}

/* Number of the pass of the first run's row. */
static uint64_t
pass_of(const struct pp_merge_table *table)
{
    struct pp_cell cell = pp_merge_cell(&table->row, table->pass_at);
    uint64_t pass = UINT64_MAX;
    return pp_frame_places_number(&cell, &pass) ? pass : UINT64_MAX;
}

/* Note that a run did other work in a pass, or in the frame as a whole. */
static void
mark(struct pp_merge_frame *frame, enum pp_merge_file file, uint64_t pass, size_t run)
{
    struct pp_run_set *set = file == PP_MERGE_DRAWS ? pass_set(frame, pass) : NULL;
    pp_run_set_add(set ? set : &frame->bad, run);
}

/* Compare a run's row with that of the first run, once it is found. @return false: it is not merged. */
static bool
agrees(struct pp_merge *merge, enum pp_merge_file file, size_t r)
{
    struct pp_merge_run *run = &merge->run[r];
    const struct pp_merge_table *first = &merge->run[0].table[file];
    const struct pp_merge_compared *differs =
        pp_merge_columns_differ(&merge->columns[file], r, &first->row, &run->table[file].row);
    bool parts = false;
    if (file == PP_MERGE_FRAMES)
        parts = pp_run_set_has(&merge->frame->bad, r);
    if (file == PP_MERGE_PASSES) {
        const struct pp_run_set *set = pass_set(merge->frame, pass_of(first));
        parts = set && pp_run_set_has(set, r);
    }
    if (differs)
        merge_rows_note(run, file, PP_MERGE_COUNTS, first, differs->name);
    else if (parts)
        merge_rows_note(run, file, PP_MERGE_PARTS, first, NULL);
    return !differs && !parts;
}

/* Find the row of run @p r that corresponds to the first run's row. @param ret_agrees It is merged. */
static int
match(struct pp_merge *merge, enum pp_merge_file file, size_t r, uint64_t before, bool *ret_agrees)
{
    struct pp_merge_frame *frame = merge->frame;
    struct pp_merge_run *run = &merge->run[r];
    const struct pp_merge_table *first = &merge->run[0].table[file];
    struct pp_merge_found found;
    uint64_t pass = pass_of(first);
    *ret_agrees = false;
    if (!pp_run_set_has(&frame->there, r)) {
        merge_rows_note(run, file, PP_MERGE_NO_FRAME, first, NULL);
        return 0;
    }
    struct pp_cell id = pp_merge_cell(&first->row, first->id_at);
    int rc = merge_rows_find(&frame->rows[r], &run->table[file], &id, &found);
    if (rc)
        return rc;
    if (found.found)
        *ret_agrees = agrees(merge, file, r);
    else
        merge_rows_note(run, file, PP_MERGE_NO_ROW, first, NULL);
    if (!*ret_agrees || found.skipped)
        mark(frame, file, pass, r);
    if (found.skipped && before != UINT64_MAX)
        mark(frame, file, before, r);
    return 0;
}

/* Write the first run's row, merged with those of the runs that agree. */
static void
write_row(struct pp_merge *merge, enum pp_merge_file file, const struct pp_run_set *agree, size_t agreeing)
{
    size_t differ = merge->merged_runs - agreeing;
    merge->rows[file]++;
    merge->framed[file]++;
    merge->agree[file] += differ == 0;
    for (size_t r = 1; r < merge->runs; r++)
        merge->run[r].merged[file] += pp_run_set_has(agree, r);
    pp_merge_cells_row(merge->out[file], &merge->columns[file], merge->run, file, agree, (int)differ);
}

/* Merge the row that the first run's table holds. */
static int
merge_row(struct pp_merge *merge, enum pp_merge_file file, uint64_t before)
{
    struct pp_run_set agree = {.bit = {0}};
    size_t agreeing = 0;
    for (size_t r = 1; r < merge->runs; r++) {
        bool merged = false;
        int rc = merge->run[r].left_out ? 0 : match(merge, file, r, before, &merged);
        if (rc)
            return rc;
        if (merged)
            pp_run_set_add(&agree, r);
        agreeing += merged;
    }
    write_row(merge, file, &agree, agreeing);
    return 0;
}

/* Rows that only a run has, after the last row of the first run: its last pass, or the frame, is other work.
 */
static int
mark_rest(struct pp_merge *merge, enum pp_merge_file file, uint64_t last_pass)
{
    for (size_t r = 1; r < merge->runs; r++) {
        if (!pp_run_set_has(&merge->frame->there, r))
            continue;
        int rc = merge_rows_next(&merge->frame->rows[r], &merge->run[r].table[file]);
        if (rc < 0)
            return rc;
        if (rc > 0)
            mark(merge->frame, file, last_pass, r);
    }
    return 0;
}

/* Merge the rows that a frame has in passes.csv or draws.csv. */
static int
merge_rows(struct pp_merge *merge, enum pp_merge_file file)
{
    struct pp_merge_frame *frame = merge->frame;
    struct pp_merge_table *first = &merge->run[0].table[file];
    uint64_t before = UINT64_MAX;
    int rc = 0;
    if (!merge->out[file])
        return 0;
    merge_rows_begin(&frame->rows[0], first, frame->number[0]);
    size_t place = frame->rows[0].place;
    if (place != SIZE_MAX && first->places.place[place].done)
        return 0; /* a damaged frames.csv names the frame twice */
    if (place != SIZE_MAX)
        first->places.place[place].done = true;
    for (size_t r = 1; r < merge->runs; r++)
        if (pp_run_set_has(&frame->there, r))
            merge_rows_begin(&frame->rows[r], &merge->run[r].table[file], frame->number[r]);
    while ((rc = merge_rows_next(&frame->rows[0], first)) > 0) {
        rc = merge_row(merge, file, before);
        if (rc)
            return rc;
        before = pass_of(first);
    }
    return rc ? rc : mark_rest(merge, file, before);
}

/* Merge the row of frames.csv, whose other rows are written. */
static void
merge_frame_row(struct pp_merge *merge)
{
    struct pp_run_set agree = {.bit = {0}};
    size_t agreeing = 0;
    for (size_t r = 1; r < merge->runs; r++) {
        struct pp_merge_run *run = &merge->run[r];
        bool there = pp_run_set_has(&merge->frame->there, r);
        if (!there && !run->left_out)
            merge_rows_note(run, PP_MERGE_FRAMES, PP_MERGE_NO_FRAME, &merge->run[0].table[PP_MERGE_FRAMES],
                            NULL);
        if (!there || !agrees(merge, PP_MERGE_FRAMES, r))
            continue;
        pp_run_set_add(&agree, r);
        agreeing++;
    }
    write_row(merge, PP_MERGE_FRAMES, &agree, agreeing);
}

/* Merge a frame, whose row the table of the first run holds. */
static int
merge_frame(struct pp_merge *merge, uint64_t number)
{
    const struct pp_merge_table *first = &merge->run[0].table[PP_MERGE_FRAMES];
    struct pp_cell cell = pp_merge_cell(&first->row, first->surface_at);
    uint64_t surface = 0;
    if (!pp_frame_places_number(&cell, &surface))
        surface = 0;
    size_t at = pp_frame_places_find(&first->places, (uint32_t)surface, number);
    if (at == SIZE_MAX)
        return 0;
    int rc = begin_frame(merge, at);
    rc = rc ? rc : merge_rows(merge, PP_MERGE_DRAWS);
    rc = rc ? rc : merge_rows(merge, PP_MERGE_PASSES);
    if (rc == 0)
        merge_frame_row(merge);
    return rc;
}

/* Write the first run's rows without a frame. */
static int
copy_unframed(struct pp_merge *merge, enum pp_merge_file file)
{
    struct pp_merge_table *first = &merge->run[0].table[file];
    const struct pp_run_set none = {.bit = {0}};
    if (!merge->out[file])
        return 0;
    int rc = pp_csv_file_seek(first->file, first->first);
    while (rc >= 0 && (rc = pp_csv_file_next(first->file, &first->row)) > 0) {
        struct pp_cell cell = pp_merge_cell(&first->row, first->frame_at);
        if (cell.present)
            continue;
        merge->rows[file]++;
        pp_merge_cells_row(merge->out[file], &merge->columns[file], merge->run, file, &none, -1);
    }
    return rc == -ENOMEM ? rc : 0;
}

/* Write what is in memory; frames last. */
static int
flush(struct pp_merge *merge)
{
    for (unsigned f = PP_MERGE_FILES; f-- > 0;) {
        errno = EIO;
        if (merge->out[f] && (fflush(merge->out[f]) || ferror(merge->out[f])))
            return -errno;
    }
    return 0;
}

int
pp_merge_frames(struct pp_merge *merge)
{
    struct pp_merge_table *first = &merge->run[0].table[PP_MERGE_FRAMES];
    struct pp_merge_frame *frame = calloc(1, sizeof(*frame));
    int rc = frame ? 1 : -ENOMEM;
    merge->frame = frame;
    if (rc > 0 && pp_csv_file_seek(first->file, first->first))
        rc = 0;
    for (size_t i = 0; rc > 0; i++) {
        uint64_t number = 0;
        rc = pp_csv_file_next(first->file, &first->row);
        if (rc == -EMSGSIZE)
            rc = 0; /* the rest of a damaged file */
        struct pp_cell cell = pp_merge_cell(&first->row, first->frame_at);
        if (rc > 0 && pp_frame_places_number(&cell, &number)) {
            int err = merge_frame(merge, number);
            err = err || i % FLUSH_EVERY ? err : flush(merge);
            rc = err ? err : rc;
        }
    }
    for (unsigned f = PP_MERGE_PASSES; f < PP_MERGE_FILES && rc == 0; f++)
        rc = copy_unframed(merge, (enum pp_merge_file)f);
    if (frame)
        free(frame->pass_bad);
    free(frame);
    merge->frame = NULL;
    return rc ? rc : flush(merge);
}
