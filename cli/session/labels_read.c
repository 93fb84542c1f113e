/** @file
 * labels.csv read back; see saved_session.h. Frames have been read before. */
#include "cli/session/passes_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"
#include "cli/text/format.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"

#define MAX_LABELS 65536U

struct labels_reading {
    struct pp_row_reader r;
    struct pp_row_index places;
};

static struct pp_saved_key
label_key(const void *array, size_t i)
{
    return (struct pp_saved_key){((const struct pp_saved_label *)array)[i].label, NULL, 0};
}

static bool
labels_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct labels_reading *l = data;
    pp_row_reader_columns(&l->r, cell, cells);
    if (l->r.at[COL_LABEL] == SIZE_MAX || l->r.at[COL_INCLUSIVE] == SIZE_MAX)
        l->r.error = -EINVAL;
    return l->r.error == 0;
}

/* The actions of a row in whose region no pass began: each has a bracket of its own, in a pass that several
 * regions share. */
static double
shared_actions(const struct pp_row_reader *r, const struct pp_cell *cell)
{
    static const enum pp_saved_column counts[] = {COL_DRAWS, COL_DISPATCHES, COL_COPIES};
    double sum = 0, count = 0;
    if (!pp_cell_number(pp_row_reader_cell(r, cell, COL_PASSES), &count) || count > 0)
        return 0;
    for (size_t i = 0; i < PP_ARRAY_SIZE(counts); i++)
        if (pp_cell_number(pp_row_reader_cell(r, cell, counts[i]), &count))
            sum += count;
    return sum;
}

static bool
labels_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct labels_reading *l = data;
    struct pp_saved_session *rec = l->r.rec;
    const char *text = pp_row_reader_cell(&l->r, cell, COL_LABEL)->text;
    double frame = -1;
    pp_row_reader_check(&l->r, cell, cells);
    if (!pp_row_reader_frame(&l->r, cell, &frame) || l->r.last_first || pp_row_reader_other_level(&l->r))
        return true;
    l->r.error = pp_row_index_reserve(&l->places, rec->label, rec->labels);
    if (l->r.error)
        return false;
    uint32_t *place = pp_row_index_find(&l->places, rec->label, (struct pp_saved_key){text, NULL, 0});
    if (!*place) {
        if (rec->labels == MAX_LABELS) {
            rec->labels_left_out++;
            return true;
        }
        l->r.error = pp_grow_array(&rec->label, &rec->label_cap, rec->labels + 1, sizeof(*rec->label));
        char *copy = l->r.error ? NULL : strdup(text);
        if (!copy) {
            l->r.error = l->r.error ? l->r.error : -ENOMEM;
            return false;
        }
        rec->label[rec->labels++].label = copy;
        *place = (uint32_t)rec->labels;
    }
    struct pp_saved_label *label = &rec->label[*place - 1];
    label->rows++;
    pp_saved_sum_add(&label->inclusive_ns, pp_row_reader_cell(&l->r, cell, COL_INCLUSIVE));
    pp_saved_sum_add(&label->exclusive_ns, pp_row_reader_cell(&l->r, cell, COL_EXCLUSIVE));
    pp_saved_sum_add(&label->passes, pp_row_reader_cell(&l->r, cell, COL_PASSES));
    label->shared_actions += shared_actions(&l->r, cell);
    pp_saved_sum_add(&label->draws, pp_row_reader_cell(&l->r, cell, COL_DRAWS));
    double time = (double)NAN;
    if (pp_cell_number(pp_row_reader_cell(&l->r, cell, COL_INCLUSIVE), &time))
        l->r.error = pp_series_add(&label->times, time, frame);
    return l->r.error == 0;
}

/* Subtract each region's passes and actions from those of the region around it. */
static int
count_self_brackets(struct labels_reading *l)
{
    struct pp_saved_session *rec = l->r.rec;
    for (size_t i = 0; i < rec->labels; i++) {
        rec->label[i].self_passes += rec->label[i].passes.sum;
        rec->label[i].self_actions += rec->label[i].shared_actions;
    }
    for (size_t i = 0; i < rec->labels; i++) {
        char *path = strdup(rec->label[i].label);
        if (!path)
            return -ENOMEM;
        uint32_t *around = NULL;
        size_t last = (size_t)(pp_format_last_name(path) - path);
        if (last > 0) {
            path[last - 1] = '\0';
            around = pp_row_index_find(&l->places, rec->label, (struct pp_saved_key){path, NULL, 0});
        }
        if (around && *around) {
            rec->label[*around - 1].self_passes -= rec->label[i].passes.sum;
            rec->label[*around - 1].self_actions -= rec->label[i].shared_actions;
        }
        free(path);
    }
    return 0;
}

/* A label and what it looks like without escapes. */
struct look {
    const char *label;
    char *text; /* owned */
};

static int
by_text(const void *a, const void *b)
{
    return strcmp(((const struct look *)a)->text, ((const struct look *)b)->text);
}

static int
by_label(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int
fill_looks(const struct pp_saved_session *rec, struct look *look)
{
    for (size_t i = 0; i < rec->labels; i++) {
        size_t size = strlen(rec->label[i].label) + 1;
        look[i] = (struct look){rec->label[i].label, calloc(1, size)};
        if (!look[i].text)
            return -ENOMEM;
        pp_format_unescaped(look[i].text, size, rec->label[i].label);
    }
    return 0;
}

/* Find the labels with '\\' that look like no other label when the escapes are removed. */
static int
find_plain(struct pp_saved_session *rec)
{
    size_t escaped = 0;
    for (size_t i = 0; i < rec->labels; i++)
        escaped += strchr(rec->label[i].label, '\\') != NULL;
    if (!escaped)
        return 0;
    struct look *look = calloc(rec->labels, sizeof(*look));
    rec->plain = calloc(escaped, sizeof(*rec->plain));
    int rc = look && rec->plain ? fill_looks(rec, look) : -ENOMEM;
    if (rc == 0)
        qsort(look, rec->labels, sizeof(*look), by_text);
    for (size_t i = 0; rc == 0 && i < rec->labels; i++) {
        bool alike = (i > 0 && by_text(&look[i - 1], &look[i]) == 0) ||
                     (i + 1 < rec->labels && by_text(&look[i], &look[i + 1]) == 0);
        if (!alike && strchr(look[i].label, '\\'))
            rec->plain[rec->plains++] = look[i].label;
    }
    if (rec->plain && rec->plains)
        qsort(rec->plain, rec->plains, sizeof(*rec->plain), by_label);
    for (size_t i = 0; look && i < rec->labels; i++)
        free(look[i].text);
    free(look);
    return rc;
}

const char *
pp_saved_label_text(const struct pp_saved_session *rec, const char *path, const char *part, char *text,
                    size_t size)
{
    if (!rec->plains || !strchr(part, '\\') ||
        !bsearch(&path, rec->plain, rec->plains, sizeof(*rec->plain), by_label))
        return part;
    return pp_format_unescaped(text, size, part);
}

static int
by_inclusive_descending(const void *a, const void *b)
{
    const struct pp_saved_label *x = a;
    const struct pp_saved_label *y = b;
    if (x->inclusive_ns.sum != y->inclusive_ns.sum)
        return x->inclusive_ns.sum < y->inclusive_ns.sum ? 1 : -1;
    return strcmp(x->label, y->label);
}

int
pp_saved_read_labels(struct pp_saved_session *rec, const char *name, const char *text, size_t len)
{
    struct labels_reading l = {.r = {.rec = rec, .rows = &rec->labels_rows, .file = "labels.csv"},
                               .places.key = label_key};
    const struct pp_csv_reader reader = {.header = labels_header,
                                         .row = labels_row,
                                         .data = &l,
                                         .damaged = &rec->damaged_rows,
                                         .rows = &rec->labels_rows};
    int rc = pp_saved_rows(rec, name, text, len, &reader);
    int own = rc || l.r.error ? 0 : count_self_brackets(&l);
    own = own || rc || l.r.error ? own : find_plain(rec);
    free(l.places.at);
    if (rec->labels)
        qsort(rec->label, rec->labels, sizeof(*rec->label), by_inclusive_descending);
    rc = rc ? rc : l.r.error;
    return rc ? rc : own;
}
