/** @file
 * Elements of an array by their key, and rows by their frame: what distinguishes the rows of a session's
 * files. See row_reader.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/row_reader.h"

static size_t
hash_of(struct pp_saved_key key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ key.number; /* FNV-1a */
    for (const char *text = key.text; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    for (const char *text = key.more ? key.more : ""; *text; text++)
        hash = (hash ^ (unsigned char)*text ^ 0x100U) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ (hash >> 32));
}

static bool
same_key(struct pp_saved_key a, struct pp_saved_key b)
{
    return a.number == b.number && strcmp(a.text, b.text) == 0 &&
           strcmp(a.more ? a.more : "", b.more ? b.more : "") == 0;
}

uint32_t *
pp_row_index_find(const struct pp_row_index *places, const void *array, struct pp_saved_key wanted)
{
    for (size_t slot = hash_of(wanted) % places->slots;; slot = (slot + 1) % places->slots) {
        if (!places->at[slot] || same_key(places->key(array, places->at[slot] - 1), wanted))
            return &places->at[slot];
    }
}

int
pp_row_index_reserve(struct pp_row_index *places, const void *array, size_t len)
{
    struct pp_row_index grown = {.key = places->key, .slots = places->slots ? 2 * places->slots : 256};
    if (2 * len < places->slots)
        return 0;
    grown.at = calloc(grown.slots, sizeof(*grown.at));
    if (!grown.at)
        return -ENOMEM;
    for (size_t i = 0; i < len; i++)
        *pp_row_index_find(&grown, array, places->key(array, i)) = (uint32_t)i + 1;
    free(places->at);
    *places = grown;
    return 0;
}

/* Find the surface of a row's frame. This is quick if the previous row has the same frame. */
static void
set_frame(struct pp_row_reader *r, double frame)
{
    if (r->begun && r->last >= frame && r->last <= frame)
        return;
    r->begun = true;
    r->last = frame;
    r->last_surface = pp_saved_surface_of(r->rec, frame);
    r->last_level = r->last_surface == PP_SAVED_NO_SURFACE
                        ? PP_SAVED_FRAME
                        : r->rec->frame[pp_saved_place_of(r->rec, frame)].level;
    r->last_first = pp_saved_is_first(r->rec, frame);
}

bool
pp_row_frame(const struct pp_cell *cell, double *ret)
{
    double frame = 0;
    if (!pp_cell_number(cell, &frame) || !(frame >= 0 && frame < 9e15))
        return false;
    *ret = frame;
    return true;
}

bool
pp_row_reader_frame(struct pp_row_reader *r, const struct pp_cell *cell, double *ret_frame)
{
    struct pp_saved_session *rec = r->rec;
    *ret_frame = -1;
    const struct pp_cell *frame = pp_row_reader_cell(r, cell, COL_FRAME);
    if (frame->present && !pp_row_frame(frame, ret_frame)) {
        rec->bad_rows++;
        return false;
    }
    set_frame(r, *ret_frame);
    if (r->blocks && frame->present && pp_row_blocks_add(r->blocks, *ret_frame)) {
        pp_row_blocks_finish(r->blocks); /* no memory: rows will be searched for in the whole file */
        r->blocks = NULL;
    }
    if (rec->window.any && (!frame->present || pp_saved_is_outside(rec, *ret_frame)))
        return false; /* work of no frame has no place in time */
    bool known = frame->present && r->last_surface != PP_SAVED_NO_SURFACE;
    r->framed += known;
    if (!frame->present || !rec->frames || known)
        return true;
    rec->early_rows++;
    return false;
}

bool
pp_row_reader_other_level(const struct pp_row_reader *r)
{
    return r->last_level != PP_SAVED_FRAME && r->last_level != r->rec->surface[r->last_surface].pass_level;
}

uint64_t
pp_row_place(const struct pp_cell *cell)
{
    double place = 0;
    return pp_cell_number(cell, &place) && place >= 0 && place < 1e15 ? (uint64_t)place : 0;
}
