/** @file
 * See frame_places.h. */
#include "cli/merge/frame_places.h"

#include <errno.h>
#include <stdlib.h>

#include "counters/util/grow_array.h"

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
