/** @file
 * See row_ids.h. */
#include "core/collect/rows/row_ids.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int
pp_row_ids_save(struct pp_row_ids *ids, const struct pp_frame_row *frame)
{
    size_t count = (size_t)frame->passes + frame->actions, at = 0;
    uint64_t *id = calloc(count + 1, sizeof(*id) + sizeof(*ids->by_place));
    if (!id)
        return -ENOMEM;
    uint8_t *by_place = (uint8_t *)(id + count);
    for (uint32_t i = 0; i < frame->passes; i++) {
        by_place[at] = frame->pass[i].by_place;
        id[at++] = frame->pass[i].id;
    }
    for (uint32_t i = 0; i < frame->actions; i++) {
        by_place[at] = frame->action[i].by_place;
        id[at++] = frame->action[i].id;
    }
    *ids = (struct pp_row_ids){id, by_place, count};
    return 0;
}

void
pp_row_ids_restore(const struct pp_row_ids *ids, struct pp_frame_row *frame)
{
    size_t at = 0;
    assert(ids->count == (size_t)frame->passes + frame->actions);
    for (uint32_t i = 0; i < frame->passes && at < ids->count; i++) {
        frame->pass[i].by_place = ids->by_place[at];
        frame->pass[i].id = ids->id[at++];
    }
    for (uint32_t i = 0; i < frame->actions && at < ids->count; i++) {
        frame->action[i].by_place = ids->by_place[at];
        frame->action[i].id = ids->id[at++];
    }
}

void
pp_row_ids_finish(struct pp_row_ids *ids)
{
    free(ids->id);
    *ids = (struct pp_row_ids){.count = 0};
}
