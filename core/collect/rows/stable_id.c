/** @file
 * Stable ids from content and alignment; see stable_id.h. */
#include "core/collect/rows/stable_id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/array.h"
#include "core/util/hash.h"

/* pp_stable_id_known.kind */
enum { KNOWN_NONE, KNOWN_PASS, KNOWN_ACTION };

static void
finish_series(struct pp_stable_id_series *series)
{
    pp_align_finish(&series->passes);
    pp_align_finish(&series->actions);
    memset(series, 0, sizeof(*series));
}

void
pp_stable_id_finish(struct pp_stable_ids *identity)
{
    for (uint32_t i = 0; i < PP_STABLE_ID_SERIES; i++)
        finish_series(&identity->series[i]);
    finish_series(&identity->rest);
    free(identity->item);
    free(identity->known);
    memset(identity, 0, sizeof(*identity));
}

/* Find the state of the frame's timeline, or a free one, or the one that was used longest ago. */
static struct pp_stable_id_series *
find_series(struct pp_stable_ids *identity, const struct pp_frame_row *frame)
{
    struct pp_stable_id_series *oldest = &identity->series[0];
    if (!frame->is_frame) {
        finish_series(&identity->rest);
        return &identity->rest;
    }
    for (uint32_t i = 0; i < PP_STABLE_ID_SERIES; i++) {
        struct pp_stable_id_series *series = &identity->series[i];
        if (series->used && series->timeline == frame->timeline) {
            series->used = ++identity->frames;
            return series;
        }
        if (series->used < oldest->used)
            oldest = series;
    }
    finish_series(oldest);
    oldest->timeline = frame->timeline;
    oldest->used = ++identity->frames;
    return oldest;
}

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    return pp_hash(hash, text, strlen(text) + 1);
}

static uint64_t
pass_key(struct pp_session *session, const struct pp_pass_row *row)
{
    const struct pp_render_target *render_target = pp_session_render_target_get(session, row->render_target);
    char path[2048];
    uint64_t hash = hash_text(PP_HASH_START, pp_pass_kind_name(row->kind));
    pp_session_label_path(session, row->label, path, sizeof(path));
    hash = hash_text(hash, path);
    if (path[0] || !render_target)
        return hash;
    hash = hash_text(hash, render_target->name);
    for (uint32_t i = 0; i < render_target->attachments && i < PP_MAX_ATTACHMENTS; i++) {
        hash = hash_text(hash, render_target->attachment[i].role);
        hash = hash_text(hash, render_target->attachment[i].format);
        hash = hash_text(hash, render_target->attachment[i].name);
    }
    return hash;
}

static uint64_t
action_key(struct pp_session *session, const struct pp_action_row *row, uint64_t pass_id)
{
    char path[2048];
    uint64_t hash = pp_hash(PP_HASH_START, &pass_id, sizeof(pass_id));
    pp_session_label_path(session, row->action->label, path, sizeof(path));
    hash = hash_text(hash, path);
    hash = hash_text(hash, pp_session_text(session, row->action->call));
    return hash_text(hash, pp_session_text(session, row->action->pipeline));
}

/* Where a key of these parts is kept. */
static struct pp_stable_id_known *
find_known(struct pp_stable_ids *identity, const struct pp_stable_id_known *like)
{
    uint64_t at = like->pass ^ ((uint64_t)like->part[0] << 20) ^ ((uint64_t)like->part[1] << 40) ^
                  like->part[2] ^ like->kind;
    at *= UINT64_C(0x9e3779b97f4a7c15);
    return &identity->known[at >> 32 & (PP_STABLE_ID_KNOWN - 1)];
}

static bool
is_known(const struct pp_stable_id_known *known, const struct pp_stable_id_known *like)
{
    return known->kind == like->kind && known->pass == like->pass && known->part[0] == like->part[0] &&
           known->part[1] == like->part[1] && known->part[2] == like->part[2];
}

static uint64_t
known_pass_key(struct pp_stable_ids *identity, struct pp_session *session, const struct pp_pass_row *row)
{
    struct pp_stable_id_known like = {
        (uint64_t)row->kind, {pp_label_kept(row->label), row->render_target, 0}, KNOWN_PASS, 0};
    struct pp_stable_id_known *known = find_known(identity, &like);
    if (!is_known(known, &like)) {
        like.key = pass_key(session, row);
        *known = like;
    }
    return known->key;
}

static uint64_t
known_action_key(struct pp_stable_ids *identity, struct pp_session *session, const struct pp_action_row *row,
                 uint64_t pass_id)
{
    const struct pp_action *action = row->action;
    struct pp_stable_id_known like = {
        pass_id, {pp_label_kept(action->label), action->call, action->pipeline}, KNOWN_ACTION, 0};
    struct pp_stable_id_known *known = find_known(identity, &like);
    if (!is_known(known, &like)) {
        like.key = action_key(session, row, pass_id);
        *known = like;
    }
    return known->key;
}

static void
fill_keys(struct pp_align_item *item, uint64_t signature, uint64_t counts, uint64_t resource, uint64_t look)
{
    item->key[PP_ALIGN_SIGNATURE] = signature;
    item->key[PP_ALIGN_COUNTS] = counts;
    item->key[PP_ALIGN_RESOURCE] = pp_hash_mix(signature, resource);
    item->key[PP_ALIGN_LOOK] = pp_hash_mix(item->key[PP_ALIGN_RESOURCE], look);
    item->key[PP_ALIGN_EXACT] = pp_hash_mix(item->key[PP_ALIGN_LOOK], counts);
}

static int
assign_passes(struct pp_stable_ids *identity, struct pp_session *session, struct pp_frame_row *frame,
              struct pp_align *align)
{
    for (uint32_t i = 0; i < frame->passes; i++) {
        const struct pp_pass_row *row = &frame->pass[i];
        uint64_t signature = known_pass_key(identity, session, row);
        uint64_t counts = pp_hash_mix(pp_hash_mix(signature, row->draws), row->dispatches);
        fill_keys(&identity->item[i], signature, pp_hash_mix(counts, row->copies), row->render_target,
                  row->cleared | (uint64_t)row->program << 32);
    }
    int rc = pp_align_frame(align, identity->item, frame->passes);
    for (uint32_t i = 0; i < frame->passes && rc == 0; i++) {
        frame->pass[i].id = identity->item[i].id;
        frame->pass[i].by_place = identity->item[i].by_place;
    }
    return rc;
}

static int
assign_actions(struct pp_stable_ids *identity, struct pp_session *session, struct pp_frame_row *frame,
               struct pp_align *align)
{
    for (uint32_t i = 0; i < frame->actions; i++) {
        const struct pp_action_row *row = &frame->action[i];
        const struct pp_action *action = row->action;
        uint64_t signature = known_action_key(identity, session, row, frame->pass[row->pass].id);
        uint64_t counts = pp_hash_mix(pp_hash_mix(signature, action->vertices),
                                      action->instances | (uint64_t)action->indirect << 32);
        fill_keys(&identity->item[i], signature, pp_hash_mix(counts, action->groups), action->resource, 0);
    }
    int rc = pp_align_frame(align, identity->item, frame->actions);
    for (uint32_t i = 0; i < frame->actions && rc == 0; i++) {
        frame->action[i].id = identity->item[i].id;
        frame->action[i].by_place = identity->item[i].by_place || frame->pass[frame->action[i].pass].by_place;
    }
    return rc;
}

int
pp_stable_id_assign(struct pp_stable_ids *identity, struct pp_session *session, struct pp_frame_row *frame)
{
    uint32_t most = frame->passes > frame->actions ? frame->passes : frame->actions;
    struct pp_stable_id_series *series = find_series(identity, frame);
    int rc = pp_array_grow(&identity->item, &identity->item_cap, most, sizeof(*identity->item));
    if (!identity->known)
        identity->known = calloc(PP_STABLE_ID_KNOWN, sizeof(*identity->known));
    if (rc || !identity->known)
        return -ENOMEM;
    if (frame->passes)
        rc = assign_passes(identity, session, frame, &series->passes);
    if (rc == 0 && frame->actions)
        rc = assign_actions(identity, session, frame, &series->actions);
    return rc;
}
