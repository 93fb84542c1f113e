/** @file
 * See pass_counters.h. */
#include "cli/analysis/pass_counters.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"

struct counters_reading {
    struct pp_row_reader r;
    struct pp_pass_counters *counters;
    struct pp_row_index places;
    size_t at[PP_PASS_COUNTERS]; /* column of the file */
};

static struct pp_saved_key
counted_key(const void *array, size_t i)
{
    const struct pp_saved_pass *pass = array;
    return (struct pp_saved_key){pass[i].pass_id, pass[i].name, pass[i].surface};
}

/* Columns of counters have a ':'; those named id: and estimate: say how a row was made. */
static bool
is_counter(const struct pp_cell *cell)
{
    return strchr(cell->text, ':') && strncmp(cell->text, "id:", 3) != 0 &&
           strncmp(cell->text, "estimate:", strlen("estimate:")) != 0;
}

static bool
counters_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct counters_reading *c = data;
    struct pp_pass_counters *counters = c->counters;
    pp_row_reader_columns(&c->r, cell, cells);
    for (size_t i = 0; i < cells && counters->len < PP_PASS_COUNTERS; i++) {
        if (!is_counter(&cell[i]))
            continue;
        counters->name[counters->len] = strdup(cell[i].text);
        if (!counters->name[counters->len]) {
            c->r.error = -ENOMEM;
            return false;
        }
        c->at[counters->len++] = i;
    }
    return counters->len > 0;
}

static bool
counters_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct counters_reading *c = data;
    const struct pp_saved_session *rec = c->r.rec;
    double frame = 0;
    (void)cells;
    bool framed = pp_cell_number(pp_row_reader_cell(&c->r, cell, COL_FRAME), &frame);
    if (framed && (pp_saved_is_outside(rec, frame) || pp_saved_is_first(rec, frame)))
        return true;
    size_t surface = framed ? pp_saved_surface_of(rec, frame) : PP_SAVED_NO_SURFACE;
    struct pp_saved_key key = {pp_row_reader_cell(&c->r, cell, COL_PASS_ID)->text,
                               pp_row_reader_cell(&c->r, cell, COL_NAME)->text, surface};
    uint32_t place = *pp_row_index_find(&c->places, rec->pass, key);
    for (size_t i = 0; place && i < c->counters->len; i++)
        pp_saved_sum_add(&c->counters->sum[(place - 1) * (size_t)PP_PASS_COUNTERS + i], &cell[c->at[i]]);
    return true;
}

int
pp_pass_counters_read(const struct pp_saved_session *rec, size_t most, struct pp_pass_counters *ret)
{
    /* the reader's functions for rows only look at the session */
    struct counters_reading c = {
        .r.rec = (struct pp_saved_session *)(uintptr_t)rec, .counters = ret, .places.key = counted_key};
    const struct pp_csv_reader reader = {.header = counters_header, .row = counters_row, .data = &c};
    ret->passes = rec->passes < most ? rec->passes : most;
    ret->sum = calloc(ret->passes * PP_PASS_COUNTERS + 1, sizeof(*ret->sum));
    int rc = ret->sum ? pp_row_index_reserve(&c.places, rec->pass, 0) : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < ret->passes; i++) {
        rc = pp_row_index_reserve(&c.places, rec->pass, i);
        if (rc == 0)
            *pp_row_index_find(&c.places, rec->pass, counted_key(rec->pass, i)) = (uint32_t)i + 1;
    }
    if (rc == 0 && ret->passes)
        rc = pp_csv_read(rec->dir_fd, "passes.csv", &reader);
    free(c.places.at);
    rc = rc == -ENOENT ? 0 : rc;
    return rc ? rc : c.r.error;
}

void
pp_pass_counters_finish(struct pp_pass_counters *counters)
{
    for (size_t i = 0; i < counters->len; i++)
        free(counters->name[i]);
    free(counters->sum);
    *counters = (struct pp_pass_counters){.len = 0};
}
