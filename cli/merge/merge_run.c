/** @file
 * See merge_run.h. */
#include "cli/merge/merge_run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/session_json.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

const char *
pp_merge_file_name(enum pp_merge_file file)
{
    static const char *const name[PP_MERGE_FILES] = {"frames.csv", "passes.csv", "draws.csv"};
    return name[file];
}

size_t
pp_merge_column_of(const struct pp_merge_table *table, const char *name)
{
    size_t at = 0;
    while (at < table->columns && strcmp(table->column[at], name) != 0)
        at++;
    return at < table->columns ? at : SIZE_MAX;
}

/* Read the header of a file. */
static int
read_header(struct pp_merge_table *table)
{
    int rc = pp_csv_file_next(table->file, &table->row);
    if (rc < 0)
        return rc;
    table->column = calloc(table->row.cells + 1, sizeof(*table->column));
    table->columns = 0;
    for (size_t i = 0; table->column && i < table->row.cells; i++) {
        char *name = strdup(table->row.cell[i].text);
        if (!name)
            return -ENOMEM;
        table->column[table->columns++] = name;
    }
    table->first = table->row.end;
    return table->column ? 0 : -ENOMEM;
}

/* Open a file and index it. */
static int
open_table(struct pp_merge_table *ret, int dir_fd, enum pp_merge_file file)
{
    static const char *const id[PP_MERGE_FILES] = {"frame", "pass_id", "draw_id"};
    const char *name = file == PP_MERGE_FRAMES ? pp_saved_frames_file(dir_fd) : pp_merge_file_name(file);
    const struct pp_csv_reader as_it_is = {.keeps_blanks = true};
    int rc = pp_csv_file_open(dir_fd, name, &as_it_is, &ret->file);
    rc = rc ? rc : read_header(ret);
    if (rc)
        return rc;
    ret->there = true;
    ret->frame_at = pp_merge_column_of(ret, "frame");
    ret->id_at = pp_merge_column_of(ret, id[file]);
    ret->pass_at = pp_merge_column_of(ret, "pass");
    ret->surface_at = file == PP_MERGE_FRAMES ? pp_merge_column_of(ret, "surface") : SIZE_MAX;
    if (ret->frame_at == SIZE_MAX || ret->id_at == SIZE_MAX)
        return -EINVAL;
    return pp_frame_places_read(ret->file, ret->frame_at, ret->surface_at, &ret->places);
}

int
pp_merge_run_open(struct pp_merge_run *ret, int dir_fd)
{
    char why[256];
    bool missing = false;
    *ret = (struct pp_merge_run){.dir_fd = dir_fd};
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        for (unsigned d = 0; d < PP_MERGE_DIFFERENCES; d++)
            ret->differing[f][d] =
                (struct pp_merge_differing){.frame = UINT64_MAX, .pass = UINT64_MAX, .draw = UINT64_MAX};
    }
    ret->json = dir_fd < 0 ? NULL : pp_saved_load_json(dir_fd, why, sizeof(why), &missing);
    if (!json_is_object(ret->json)) {
        ret->left_out = PP_TEXT_MERGE_NO_JSON;
        return 0;
    }
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        int rc = open_table(&ret->table[f], dir_fd, (enum pp_merge_file)f);
        if (rc == -ENOMEM)
            return rc;
        if (rc && !(rc == -ENOENT && f != PP_MERGE_FRAMES))
            ret->left_out = PP_TEXT_MERGE_UNREADABLE;
    }
    if (!ret->left_out && ret->table[PP_MERGE_FRAMES].places.len == 0)
        ret->left_out = PP_TEXT_MERGE_NO_FRAMES;
    return 0;
}

/* Are these members of two objects equal? Missing ones are, too. */
static bool
same_member(const json_t *a, const json_t *b, const char *name)
{
    const json_t *x = json_object_get(a, name);
    const json_t *y = json_object_get(b, name);
    return x == y || (x && y && json_equal(x, y));
}

/* Are the devices of two sessions the same ones? */
static bool
same_devices(const json_t *a, const json_t *b)
{
    const json_t *x = json_object_get(a, "devices");
    const json_t *y = json_object_get(b, "devices");
    bool same = json_array_size(x) == json_array_size(y);
    for (size_t i = 0; i < json_array_size(x) && same; i++) {
        const json_t *one = json_array_get(x, i);
        const json_t *other = json_array_get(y, i);
        same = same_member(one, other, "api") && same_member(one, other, "name") &&
               same_member(one, other, "driver");
    }
    return same;
}

static bool
has_dropped(const struct pp_merge_run *run)
{
    const json_t *dropped = json_object_get(run->json, "dropped");
    return json_number_value(json_object_get(dropped, "frames")) > 0;
}

void
pp_merge_run_check(struct pp_merge_run *run, const struct pp_merge_run *first)
{
    const json_t *options = json_object_get(run->json, "options");
    const json_t *wanted = json_object_get(first->json, "options");
    bool several = pp_frame_places_several(&run->table[PP_MERGE_FRAMES].places) ||
                   pp_frame_places_several(&first->table[PP_MERGE_FRAMES].places);
    if (run->left_out)
        return;
    if (!same_member(run->json, first->json, "schema") || !same_member(options, wanted, "level"))
        run->left_out = PP_TEXT_MERGE_OTHER_LEVEL;
    else if (!same_devices(run->json, first->json))
        run->left_out = PP_TEXT_MERGE_OTHER_DEVICE;
    else if (several && (has_dropped(run) || has_dropped(first)))
        run->left_out = PP_TEXT_MERGE_DROPPED;
}

void
pp_merge_run_finish(struct pp_merge_run *run)
{
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        struct pp_merge_table *table = &run->table[f];
        pp_csv_file_close(table->file);
        for (size_t i = 0; i < table->columns; i++)
            free(table->column[i]);
        free(table->column);
        pp_frame_places_finish(&table->places);
    }
    json_decref(run->json);
    run->json = NULL;
}

/* A hostile file may have a place for each of its rows. */
#define MOST_PLACES ((size_t)16 << 20)

bool
pp_frame_places_number(const struct pp_cell *cell, uint64_t *ret)
{
    uint64_t value = 0;
    if (!cell->present || cell->len == 0 || cell->len > 18)
        return false;
    for (size_t i = 0; i < cell->len; i++) {
        unsigned digit = (unsigned char)cell->text[i] - (unsigned)'0';
        if (digit > 9)
            return false;
        value = 10 * value + digit;
    }
    *ret = value;
    return true;
}

static int
compare(const void *a, const void *b)
{
    const struct pp_frame_place *x = a;
    const struct pp_frame_place *y = b;
    if (x->surface != y->surface)
        return x->surface < y->surface ? -1 : 1;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

static int
add(struct pp_frame_places *places, struct pp_frame_place place)
{
    const struct pp_frame_place *last = places->len ? &places->place[places->len - 1] : NULL;
    if (last && last->frame == place.frame && last->surface == place.surface)
        return 0;
    if (places->len == MOST_PLACES)
        return -EFBIG;
    int rc = pp_grow_array(&places->place, &places->cap, places->len + 1, sizeof(*places->place));
    if (rc || !places->place)
        return rc ? rc : -ENOMEM;
    places->place[places->len++] = place;
    return 0;
}

int
pp_frame_places_read(struct pp_csv_file *file, size_t frame_at, size_t surface_at,
                     struct pp_frame_places *ret)
{
    struct pp_csv_row row;
    int rc = 0;
    while ((rc = pp_csv_file_next(file, &row)) > 0) {
        struct pp_frame_place place = {.offset = row.begin};
        uint64_t surface = 0;
        ret->rows++;
        if (frame_at >= row.cells || !pp_frame_places_number(&row.cell[frame_at], &place.frame))
            continue;
        if (surface_at < row.cells && pp_frame_places_number(&row.cell[surface_at], &surface))
            place.surface = (uint32_t)surface;
        rc = add(ret, place);
        if (rc)
            return rc;
    }
    if (ret->len)
        qsort(ret->place, ret->len, sizeof(*ret->place), compare);
    return rc;
}

/* Index of the first place that is not before this one. */
static size_t
lower_bound(const struct pp_frame_places *places, uint32_t surface, uint64_t frame)
{
    const struct pp_frame_place wanted = {.frame = frame, .surface = surface};
    size_t low = 0;
    size_t high = places->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&places->place[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t
pp_frame_places_find(const struct pp_frame_places *places, uint32_t surface, uint64_t frame)
{
    size_t at = lower_bound(places, surface, frame);
    bool found = at < places->len && places->place[at].surface == surface && places->place[at].frame == frame;
    return found ? at : SIZE_MAX;
}

size_t
pp_frame_places_of_surface(const struct pp_frame_places *places, uint32_t surface)
{
    size_t at = lower_bound(places, surface, 0);
    return at < places->len && places->place[at].surface == surface ? at : SIZE_MAX;
}

bool
pp_frame_places_goes_on(const struct pp_frame_places *places, size_t at)
{
    return at + 1 < places->len && places->place[at + 1].surface == places->place[at].surface &&
           places->place[at + 1].frame == places->place[at].frame;
}

bool
pp_frame_places_several(const struct pp_frame_places *places)
{
    return places->len && places->place[0].surface != places->place[places->len - 1].surface;
}

void
pp_frame_places_finish(struct pp_frame_places *places)
{
    free(places->place);
    *places = (struct pp_frame_places){.len = 0};
}
