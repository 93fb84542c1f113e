/** @file
 * See stable_id.h. Stable ids from content and alignment;
 *
 * The alignment; It follows Heckel's algorithm ("A technique for isolating differences between
 * files", CACM 21, 1978), which is linear in time: items that occur once on both sides belong together, and
 * so do their equal neighbours. The steps, from the surest evidence to the weakest:
 *
 *   1. from both ends of the frame, as long as items are exactly equal
 *   2. exactly equal items that occur once, wherever they are; then their equal neighbours
 *   3. the remaining equal items, in their order
 *   4. items with the same look that occur once; then neighbours; then the same by resource
 *   5. neighbours with the same signature and counts
 *   6. items whose signature occurs once
 *
 * What is left is new. Steps prefer items of the last frame to those that it lacked. */
#include "core/collect/rows/stable_id.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/hash.h"
#include "core/util/heap.h"

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

#define NONE UINT32_MAX

/* How many items without a partner are kept beyond as many as the frame has. */
#define KEPT_MORE 1024U

/* Counts for a key; or for an id, see give_new_ids(). */
struct pp_align_slot {
    uint64_t key;
    uint32_t stamp;   /* pp_align.stamp, else the slot is free */
    uint32_t news;    /* items of the frame with the key */
    uint32_t olds;    /* kept items with it, of the last frame */
    uint32_t missing; /* kept items with it that the last frame lacked */
    uint32_t new_at;  /* index of one such item, as the next two */
    uint32_t old_at;
    uint32_t missing_at;
};

/* One alignment: which new item (of the frame) is the same as which old item (kept from earlier frames). */
struct pairing {
    struct pp_align *align;
    struct pp_align_item *item;
    uint32_t news;
    uint32_t olds;
    uint32_t *old_of;    /* by new item: its partner, or NONE */
    uint32_t *new_of;    /* by old item: its partner, or NONE */
    uint32_t *live_from; /* by old item: the first one of the last frame, from it on; olds: none */
    uint32_t *live_to;   /* by old item: the last one of the last frame, up to it; NONE: none */
    uint32_t *chain;     /* by old item: the next one with the same key */
    uint32_t left;       /* new items without a partner */
};

uint64_t
pp_align_id(uint64_t signature, uint32_t ordinal)
{
    return ordinal ? pp_hash(signature, &ordinal, sizeof(ordinal)) : signature;
}

static struct pp_align_slot *
find_slot(struct pp_align *align, uint64_t key)
{
    size_t at = (size_t)((key ^ (key >> 29)) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (align->slots - 1);
    while (align->slot[at].stamp == align->stamp && align->slot[at].key != key)
        at = (at + 1) & (align->slots - 1);
    struct pp_align_slot *slot = &align->slot[at];
    if (slot->stamp != align->stamp)
        *slot = (struct pp_align_slot){.key = key, .stamp = align->stamp};
    return slot;
}

static void
empty_slots(struct pp_align *align)
{
    if (++align->stamp == 0) {
        memset(align->slot, 0, align->slots * sizeof(*align->slot));
        align->stamp = 1;
    }
}

static int
reserve_slots(struct pp_align *align, size_t keys)
{
    size_t slots = align->slots ? align->slots : 64;
    while (slots < keys * 2)
        slots *= 2;
    if (slots > UINT32_MAX)
        return -ENOMEM;
    if (slots == align->slots)
        return 0;
    struct pp_align_slot *slot = calloc(slots, sizeof(*slot));
    if (!slot)
        return -ENOMEM;
    free(align->slot);
    align->slot = slot;
    align->slots = (uint32_t)slots;
    align->stamp = 0;
    return 0;
}

static const struct pp_align_item *
old_item(const struct pairing *pairing, uint32_t old)
{
    return &pairing->align->kept[old];
}

static void
pair(struct pairing *pairing, uint32_t new, uint32_t old)
{
    pairing->old_of[new] = old;
    pairing->new_of[old] = new;
    pairing->item[new].id = old_item(pairing, old)->id;
    pairing->left--;
}

static bool
may_pair(const struct pairing *pairing, uint32_t new, uint32_t old, enum pp_align_key key)
{
    return pairing->new_of[old] == NONE && pairing->item[new].key[key] == old_item(pairing, old)->key[key];
}

/* Pair a new item whose neighbour has a partner. @p live The nearest old item of the last frame on the same
 * side of that partner: it is tried first. @p adjacent The old item directly next to that partner, which the
 * last frame may have lacked. */
static void
pair_neighbour(struct pairing *pairing, uint32_t new, uint32_t adjacent, uint32_t live, enum pp_align_key key)
{
    if (live < pairing->olds && may_pair(pairing, new, live, key))
        pair(pairing, new, live);
    else if (adjacent < pairing->olds && adjacent != live && may_pair(pairing, new, adjacent, key))
        pair(pairing, new, adjacent);
}

/* Pair items whose neighbours are a pair. */
static void
pair_neighbours(struct pairing *pairing, enum pp_align_key key)
{
    for (uint32_t i = 0; i < pairing->news && pairing->left; i++) {
        uint32_t before = i ? pairing->old_of[i - 1] : NONE;
        if (pairing->old_of[i] != NONE || (i && before == NONE))
            continue;
        uint32_t adjacent = i ? before + 1 : 0;
        pair_neighbour(pairing, i, adjacent, adjacent < pairing->olds ? pairing->live_from[adjacent] : NONE,
                       key);
    }
    for (uint32_t i = pairing->news; i > 0 && pairing->left; i--) {
        uint32_t behind = i < pairing->news ? pairing->old_of[i] : pairing->olds;
        if (pairing->old_of[i - 1] != NONE || behind == NONE || behind == 0)
            continue;
        pair_neighbour(pairing, i - 1, behind - 1, pairing->live_to[behind - 1], key);
    }
}

/* Count the items without a partner by key. */
static void
count_left(struct pairing *pairing, enum pp_align_key key)
{
    empty_slots(pairing->align);
    for (uint32_t i = 0; i < pairing->news; i++) {
        if (pairing->old_of[i] != NONE)
            continue;
        struct pp_align_slot *slot = find_slot(pairing->align, pairing->item[i].key[key]);
        slot->news++;
        slot->new_at = i;
    }
    for (uint32_t i = 0; i < pairing->olds; i++) {
        if (pairing->new_of[i] != NONE)
            continue;
        struct pp_align_slot *slot = find_slot(pairing->align, old_item(pairing, i)->key[key]);
        bool missing = old_item(pairing, i)->missing > 0;
        *(missing ? &slot->missing : &slot->olds) += 1;
        *(missing ? &slot->missing_at : &slot->old_at) = i;
    }
}

/* Pair items whose key occurs once among those without a partner. */
static void
pair_single(struct pairing *pairing, enum pp_align_key key)
{
    if (!pairing->left)
        return;
    count_left(pairing, key);
    for (uint32_t i = 0; i < pairing->news; i++) {
        if (pairing->old_of[i] != NONE)
            continue;
        const struct pp_align_slot *slot = find_slot(pairing->align, pairing->item[i].key[key]);
        if (slot->news == 1 && slot->olds == 1)
            pair(pairing, i, slot->old_at);
        else if (slot->news == 1 && slot->olds == 0 && slot->missing == 1)
            pair(pairing, i, slot->missing_at);
    }
}

/* Put the old items without a partner into the chains of their keys, in front of what is there. */
static void
chain_old(struct pairing *pairing, enum pp_align_key key, bool missing)
{
    for (uint32_t i = pairing->olds; i > 0; i--) {
        if (pairing->new_of[i - 1] != NONE || (old_item(pairing, i - 1)->missing > 0) != missing)
            continue;
        struct pp_align_slot *slot = find_slot(pairing->align, old_item(pairing, i - 1)->key[key]);
        pairing->chain[i - 1] = slot->olds++ ? slot->old_at : NONE;
        slot->old_at = i - 1;
    }
}

/* Pair items of equal keys in their order. */
static void
pair_in_order(struct pairing *pairing, enum pp_align_key key)
{
    if (!pairing->left)
        return;
    empty_slots(pairing->align);
    chain_old(pairing, key, true);
    chain_old(pairing, key, false);
    for (uint32_t i = 0; i < pairing->news && pairing->left; i++) {
        if (pairing->old_of[i] != NONE)
            continue;
        struct pp_align_slot *slot = find_slot(pairing->align, pairing->item[i].key[key]);
        if (slot->olds == 0)
            continue;
        uint32_t old = slot->old_at;
        slot->olds--;
        slot->old_at = pairing->chain[old];
        pair(pairing, i, old);
    }
}

/* Step 1: pair from both ends of the frame. */
static void
pair_ends(struct pairing *pairing)
{
    uint32_t from = 0, old = pairing->olds ? pairing->live_from[0] : 0;
    while (from < pairing->news && old < pairing->olds && may_pair(pairing, from, old, PP_ALIGN_EXACT)) {
        pair(pairing, from++, old);
        old = old + 1 < pairing->olds ? pairing->live_from[old + 1] : pairing->olds;
    }
    old = pairing->olds ? pairing->live_to[pairing->olds - 1] : NONE;
    for (uint32_t to = pairing->news; to > from && old != NONE; to--) {
        if (!may_pair(pairing, to - 1, old, PP_ALIGN_EXACT))
            break;
        pair(pairing, to - 1, old);
        old = old ? pairing->live_to[old - 1] : NONE;
    }
}

/* Give ids to new items. Items that the frame lacks keep their ids, so the first free ordinal is searched.
 * In slots of ids, `olds` marks a used id; in slots of signatures, `news` is the ordinal up to which all
 * are used. */
static void
give_new_ids(struct pairing *pairing)
{
    struct pp_align *align = pairing->align;
    empty_slots(align);
    for (uint32_t i = 0; i < pairing->olds; i++)
        find_slot(align, old_item(pairing, i)->id)->olds = 1;
    for (uint32_t i = 0; i < pairing->news; i++) {
        uint64_t signature = pairing->item[i].key[PP_ALIGN_SIGNATURE];
        if (pairing->old_of[i] != NONE)
            continue;
        uint32_t ordinal = find_slot(align, signature)->news;
        while (find_slot(align, pp_align_id(signature, ordinal))->olds)
            ordinal++;
        pairing->item[i].id = pp_align_id(signature, ordinal);
        find_slot(align, pairing->item[i].id)->olds = 1;
        find_slot(align, signature)->news = ordinal + 1;
    }
}

/* Mark the items that are identified only by their place: all but those that equal their partner exactly, or
 * are the only ones of their kind. */
static void
mark_by_place(struct pairing *pairing)
{
    struct pp_align *align = pairing->align;
    bool exact = true;
    for (uint32_t i = 0; i < pairing->news; i++) {
        uint32_t old = pairing->old_of[i];
        struct pp_align_item *item = &pairing->item[i];
        item->missing = 0;
        item->by_place =
            old == NONE || item->key[PP_ALIGN_EXACT] != old_item(pairing, old)->key[PP_ALIGN_EXACT];
        exact &= !item->by_place;
    }
    if (exact)
        return;
    empty_slots(align);
    for (uint32_t i = 0; i < pairing->news; i++)
        find_slot(align, pairing->item[i].key[PP_ALIGN_LOOK])->news++;
    for (uint32_t i = 0; i < pairing->news; i++)
        pairing->item[i].by_place =
            pairing->item[i].by_place && find_slot(align, pairing->item[i].key[PP_ALIGN_LOOK])->news > 1;
}

/* Keep the old items from @p old on that have no partner, up to the next one that has. */
static uint32_t
keep_missing(struct pairing *pairing, uint32_t old, uint32_t at, uint32_t *budget)
{
    for (; old < pairing->olds && pairing->new_of[old] == NONE; old++) {
        if (old_item(pairing, old)->missing >= PP_ALIGN_FRAMES || *budget == 0)
            continue;
        pairing->align->merged[at] = *old_item(pairing, old);
        pairing->align->merged[at++].missing++;
        --*budget;
    }
    return at;
}

/* Make the kept items for the next frame: the frame's items, and missing items, each after the item that
 * it followed. */
static void
merge(struct pairing *pairing)
{
    struct pp_align *align = pairing->align;
    uint32_t budget = pairing->news + KEPT_MORE;
    uint32_t at = keep_missing(pairing, 0, 0, &budget);
    for (uint32_t i = 0; i < pairing->news; i++) {
        align->merged[at++] = pairing->item[i];
        if (pairing->old_of[i] != NONE)
            at = keep_missing(pairing, pairing->old_of[i] + 1, at, &budget);
    }
    struct pp_align_item *kept = align->kept;
    uint32_t cap = align->kept_cap;
    align->kept = align->merged;
    align->kept_cap = align->merged_cap;
    align->merged = kept;
    align->merged_cap = cap;
    align->count = at;
}

static int
reserve(struct pp_align *align, uint32_t count)
{
    size_t old = align->count, all = old + count;
    int rc = pp_array_grow(&align->merged, &align->merged_cap, all, sizeof(*align->merged));
    rc = rc ? rc
            : pp_array_grow(&align->scratch, &align->scratch_cap, 4 * old + count, sizeof(*align->scratch));
    /* at most an id for each old item, an id and a signature for each new one */
    return rc ? rc : reserve_slots(align, old + (size_t)2 * count + 1);
}

static void
begin(struct pairing *pairing, struct pp_align *align, struct pp_align_item *item, uint32_t count)
{
    uint32_t olds = align->count;
    *pairing = (struct pairing){.align = align, .item = item, .news = count, .olds = olds, .left = count};
    pairing->old_of = align->scratch;
    pairing->new_of = pairing->old_of + count;
    pairing->live_from = pairing->new_of + olds;
    pairing->live_to = pairing->live_from + olds;
    pairing->chain = pairing->live_to + olds;
    memset(pairing->old_of, 0xff, ((size_t)count + olds) * sizeof(uint32_t));
    for (uint32_t i = olds, live = olds; i > 0; i--) {
        live = old_item(pairing, i - 1)->missing ? live : i - 1;
        pairing->live_from[i - 1] = live;
    }
    for (uint32_t i = 0, live = NONE; i < olds; i++) {
        live = old_item(pairing, i)->missing ? live : i;
        pairing->live_to[i] = live;
    }
}

int
pp_align_frame(struct pp_align *align, struct pp_align_item *item, uint32_t count)
{
    struct pairing pairing;
    int rc = reserve(align, count);
    if (rc)
        return rc;
    if (count == 0 && align->count == 0)
        return 0;
    begin(&pairing, align, item, count);
    pair_ends(&pairing);
    if (pairing.left) {
        pair_single(&pairing, PP_ALIGN_EXACT);
        pair_neighbours(&pairing, PP_ALIGN_EXACT);
        pair_in_order(&pairing, PP_ALIGN_EXACT);
        pair_single(&pairing, PP_ALIGN_LOOK);
        pair_neighbours(&pairing, PP_ALIGN_LOOK);
        pair_single(&pairing, PP_ALIGN_RESOURCE);
        pair_neighbours(&pairing, PP_ALIGN_RESOURCE);
        pair_neighbours(&pairing, PP_ALIGN_COUNTS);
        pair_single(&pairing, PP_ALIGN_SIGNATURE);
        if (pairing.left)
            give_new_ids(&pairing);
    }
    mark_by_place(&pairing);
    merge(&pairing);
    return 0;
}

void
pp_align_finish(struct pp_align *align)
{
    free(align->kept);
    free(align->merged);
    free(align->scratch);
    free(align->slot);
    memset(align, 0, sizeof(*align));
}

/* The ids of a frame, saved and restored. */

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
