/** @file
 * labels.csv read back; see recording.h. Frames have been read before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/recording_private.h"
#include "cli/text.h"

#define MAX_LABELS 65536U

struct labels_reading {
    struct pp_reading r;
    struct pp_rec_places places;
};

static struct pp_rec_key
label_key(const void *array, size_t i)
{
    return (struct pp_rec_key){((const struct pp_rec_label *)array)[i].label, NULL, 0};
}

static bool
labels_header(void *data, const struct pp_cell *cell, size_t cells)
{
    struct labels_reading *l = data;
    pp_reading_columns(&l->r, cell, cells);
    if (l->r.at[COL_LABEL] == SIZE_MAX || l->r.at[COL_INCLUSIVE] == SIZE_MAX)
        l->r.error = -EINVAL;
    return l->r.error == 0;
}

static bool
labels_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct labels_reading *l = data;
    struct pp_recording *rec = l->r.rec;
    const char *text = pp_reading_cell(&l->r, cell, COL_LABEL)->text;
    double frame = -1;
    (void)cells;
    if (!pp_reading_row_frame(&l->r, cell, &frame) || l->r.last_first)
        return true;
    l->r.error = pp_rec_places_reserve(&l->places, rec->label, rec->labels);
    if (l->r.error)
        return false;
    uint32_t *place = pp_rec_places_find(&l->places, rec->label, (struct pp_rec_key){text, NULL, 0});
    if (!*place) {
        if (rec->labels == MAX_LABELS) {
            rec->labels_left_out++;
            return true;
        }
        l->r.error = pp_rec_grow(&rec->label, rec->labels, &rec->label_cap, sizeof(*rec->label));
        char *copy = l->r.error ? NULL : strdup(text);
        if (!copy) {
            l->r.error = l->r.error ? l->r.error : -ENOMEM;
            return false;
        }
        rec->label[rec->labels++].label = copy;
        *place = (uint32_t)rec->labels;
    }
    struct pp_rec_label *label = &rec->label[*place - 1];
    label->rows++;
    pp_rec_sum_add(&label->inclusive_ns, pp_reading_cell(&l->r, cell, COL_INCLUSIVE));
    pp_rec_sum_add(&label->exclusive_ns, pp_reading_cell(&l->r, cell, COL_EXCLUSIVE));
    pp_rec_sum_add(&label->passes, pp_reading_cell(&l->r, cell, COL_PASSES));
    pp_rec_sum_add(&label->draws, pp_reading_cell(&l->r, cell, COL_DRAWS));
    return true;
}

/* Take each region's passes from those of the one around it. */
static int
tell_own_passes(struct labels_reading *l)
{
    struct pp_recording *rec = l->r.rec;
    for (size_t i = 0; i < rec->labels; i++)
        rec->label[i].own_passes += rec->label[i].passes.sum;
    for (size_t i = 0; i < rec->labels; i++) {
        char *path = strdup(rec->label[i].label);
        if (!path)
            return -ENOMEM;
        uint32_t *around = NULL;
        size_t last = (size_t)(pp_text_last_name(path) - path);
        if (last > 0) {
            path[last - 1] = '\0';
            around = pp_rec_places_find(&l->places, rec->label, (struct pp_rec_key){path, NULL, 0});
        }
        if (around && *around)
            rec->label[*around - 1].own_passes -= rec->label[i].passes.sum;
        free(path);
    }
    return 0;
}

static int
by_inclusive_descending(const void *a, const void *b)
{
    const struct pp_rec_label *x = a;
    const struct pp_rec_label *y = b;
    if (x->inclusive_ns.sum != y->inclusive_ns.sum)
        return x->inclusive_ns.sum < y->inclusive_ns.sum ? 1 : -1;
    return strcmp(x->label, y->label);
}

int
pp_recording_read_labels(struct pp_recording *rec, const char *path, const char *text, size_t len)
{
    struct labels_reading l = {.r.rec = rec, .places.key = label_key};
    const struct pp_csv_reader reader = {.header = labels_header, .row = labels_row, .data = &l};
    int rc = pp_rec_rows(path, text, len, &reader);
    int own = rc || l.r.error ? 0 : tell_own_passes(&l);
    free(l.places.at);
    if (rec->labels)
        qsort(rec->label, rec->labels, sizeof(*rec->label), by_inclusive_descending);
    rc = rc ? rc : l.r.error;
    return rc ? rc : own;
}
