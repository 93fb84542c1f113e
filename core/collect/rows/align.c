/** @file
 * The alignment; see align.h. It follows Heckel's algorithm ("A technique for isolating differences between
 * files", CACM 21, 1978), which is linear in time: items that occur once on both sides belong together, and
 * so do their equal neighbours. The steps, from the surest evidence to the weakest:
 *
 *   1. from both ends of the frame, as long as items are exactly equal
 *   2. exactly equal items that occur once, wherever they are; then their equal neighbours
 *   3. the remaining equal items, in their order
 *   4. items with the same signature and resource that occur once; then neighbours
 *   5. neighbours with the same signature and counts
 *   6. items whose signature occurs once
 *
 * What is left is new. Steps prefer items of the last frame to those that it lacked. */
#include "core/collect/rows/align.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/array.h"
#include "core/util/hash.h"
#include "core/util/intern.h"

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

/* One alignment under way. Items are called new (of the frame) and old (kept). */
struct action {
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
old_item(const struct action *action, uint32_t old)
{
    return &action->align->kept[old];
}

static void
pair(struct action *action, uint32_t new, uint32_t old)
{
    action->old_of[new] = old;
    action->new_of[old] = new;
    action->item[new].id = old_item(action, old)->id;
    action->left--;
}

static bool
may_pair(const struct action *action, uint32_t new, uint32_t old, enum pp_align_key key)
{
    return action->new_of[old] == NONE && action->item[new].key[key] == old_item(action, old)->key[key];
}

/* Pair a new item with the old item behind, or before, its neighbour's partner: the next one of the last
 * frame, or else one that the last frame lacked and that stands right there. */
static void
pair_neighbour(struct action *action, uint32_t new, uint32_t overlapped, uint32_t live, enum pp_align_key key)
{
    if (live < action->olds && may_pair(action, new, live, key))
        pair(action, new, live);
    else if (overlapped < action->olds && overlapped != live && may_pair(action, new, overlapped, key))
        pair(action, new, overlapped);
}

/* Pair items whose neighbours are a pair. */
static void
pair_neighbours(struct action *action, enum pp_align_key key)
{
    for (uint32_t i = 0; i < action->news && action->left; i++) {
        uint32_t before = i ? action->old_of[i - 1] : NONE;
        if (action->old_of[i] != NONE || (i && before == NONE))
            continue;
        uint32_t overlapped = i ? before + 1 : 0;
        pair_neighbour(action, i, overlapped,
                       overlapped < action->olds ? action->live_from[overlapped] : NONE, key);
    }
    for (uint32_t i = action->news; i > 0 && action->left; i--) {
        uint32_t behind = i < action->news ? action->old_of[i] : action->olds;
        if (action->old_of[i - 1] != NONE || behind == NONE || behind == 0)
            continue;
        pair_neighbour(action, i - 1, behind - 1, action->live_to[behind - 1], key);
    }
}

/* Count the items without a partner by key. */
static void
count_left(struct action *action, enum pp_align_key key)
{
    empty_slots(action->align);
    for (uint32_t i = 0; i < action->news; i++) {
        if (action->old_of[i] != NONE)
            continue;
        struct pp_align_slot *slot = find_slot(action->align, action->item[i].key[key]);
        slot->news++;
        slot->new_at = i;
    }
    for (uint32_t i = 0; i < action->olds; i++) {
        if (action->new_of[i] != NONE)
            continue;
        struct pp_align_slot *slot = find_slot(action->align, old_item(action, i)->key[key]);
        bool missing = old_item(action, i)->missing > 0;
        *(missing ? &slot->missing : &slot->olds) += 1;
        *(missing ? &slot->missing_at : &slot->old_at) = i;
    }
}

/* Pair items whose key occurs once among those without a partner. */
static void
pair_single(struct action *action, enum pp_align_key key)
{
    if (!action->left)
        return;
    count_left(action, key);
    for (uint32_t i = 0; i < action->news; i++) {
        if (action->old_of[i] != NONE)
            continue;
        const struct pp_align_slot *slot = find_slot(action->align, action->item[i].key[key]);
        if (slot->news == 1 && slot->olds == 1)
            pair(action, i, slot->old_at);
        else if (slot->news == 1 && slot->olds == 0 && slot->missing == 1)
            pair(action, i, slot->missing_at);
    }
}

/* Put the old items without a partner into the chains of their keys, in front of what is there. */
static void
chain_old(struct action *action, enum pp_align_key key, bool missing)
{
    for (uint32_t i = action->olds; i > 0; i--) {
        if (action->new_of[i - 1] != NONE || (old_item(action, i - 1)->missing > 0) != missing)
            continue;
        struct pp_align_slot *slot = find_slot(action->align, old_item(action, i - 1)->key[key]);
        action->chain[i - 1] = slot->olds++ ? slot->old_at : NONE;
        slot->old_at = i - 1;
    }
}

/* Pair items of equal keys in their order. */
static void
pair_in_order(struct action *action, enum pp_align_key key)
{
    if (!action->left)
        return;
    empty_slots(action->align);
    chain_old(action, key, true);
    chain_old(action, key, false);
    for (uint32_t i = 0; i < action->news && action->left; i++) {
        if (action->old_of[i] != NONE)
            continue;
        struct pp_align_slot *slot = find_slot(action->align, action->item[i].key[key]);
        if (slot->olds == 0)
            continue;
        uint32_t old = slot->old_at;
        slot->olds--;
        slot->old_at = action->chain[old];
        pair(action, i, old);
    }
}

/* Step 1: pair from both ends of the frame. */
static void
pair_ends(struct action *action)
{
    uint32_t from = 0, old = action->olds ? action->live_from[0] : 0;
    while (from < action->news && old < action->olds && may_pair(action, from, old, PP_ALIGN_EXACT)) {
        pair(action, from++, old);
        old = old + 1 < action->olds ? action->live_from[old + 1] : action->olds;
    }
    old = action->olds ? action->live_to[action->olds - 1] : NONE;
    for (uint32_t to = action->news; to > from && old != NONE; to--) {
        if (!may_pair(action, to - 1, old, PP_ALIGN_EXACT))
            break;
        pair(action, to - 1, old);
        old = old ? action->live_to[old - 1] : NONE;
    }
}

/* Give ids to new items. Items that the frame lacks keep their ids, so the first free ordinal is searched.
 * In slots of ids, `olds` marks a used id; in slots of signatures, `news` is the ordinal up to which all
 * are used. */
static void
give_new_ids(struct action *action)
{
    struct pp_align *align = action->align;
    empty_slots(align);
    for (uint32_t i = 0; i < action->olds; i++)
        find_slot(align, old_item(action, i)->id)->olds = 1;
    for (uint32_t i = 0; i < action->news; i++) {
        uint64_t signature = action->item[i].key[PP_ALIGN_SIGNATURE];
        if (action->old_of[i] != NONE)
            continue;
        uint32_t ordinal = find_slot(align, signature)->news;
        while (find_slot(align, pp_align_id(signature, ordinal))->olds)
            ordinal++;
        action->item[i].id = pp_align_id(signature, ordinal);
        find_slot(align, action->item[i].id)->olds = 1;
        find_slot(align, signature)->news = ordinal + 1;
    }
}

/* An item is identified only by its place, unless it equals its partner exactly or is the only one of its
 * kind. */
static void
judge(struct action *action)
{
    struct pp_align *align = action->align;
    bool exact = true;
    for (uint32_t i = 0; i < action->news; i++) {
        uint32_t old = action->old_of[i];
        struct pp_align_item *item = &action->item[i];
        item->missing = 0;
        item->by_place =
            old == NONE || item->key[PP_ALIGN_EXACT] != old_item(action, old)->key[PP_ALIGN_EXACT];
        exact &= !item->by_place;
    }
    if (exact)
        return;
    empty_slots(align);
    for (uint32_t i = 0; i < action->news; i++)
        find_slot(align, action->item[i].key[PP_ALIGN_RESOURCE])->news++;
    for (uint32_t i = 0; i < action->news; i++)
        action->item[i].by_place =
            action->item[i].by_place && find_slot(align, action->item[i].key[PP_ALIGN_RESOURCE])->news > 1;
}

/* Keep the old items from @p old on that have no partner, up to the next one that has. */
static uint32_t
keep_missing(struct action *action, uint32_t old, uint32_t at, uint32_t *budget)
{
    for (; old < action->olds && action->new_of[old] == NONE; old++) {
        if (old_item(action, old)->missing >= PP_ALIGN_FRAMES || *budget == 0)
            continue;
        action->align->merged[at] = *old_item(action, old);
        action->align->merged[at++].missing++;
        --*budget;
    }
    return at;
}

/* Make the kept items for the next frame: the frame's items, and missing items, each after the item that
 * it followed. */
static void
merge(struct action *action)
{
    struct pp_align *align = action->align;
    uint32_t budget = action->news + KEPT_MORE;
    uint32_t at = keep_missing(action, 0, 0, &budget);
    for (uint32_t i = 0; i < action->news; i++) {
        align->merged[at++] = action->item[i];
        if (action->old_of[i] != NONE)
            at = keep_missing(action, action->old_of[i] + 1, at, &budget);
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
begin(struct action *action, struct pp_align *align, struct pp_align_item *item, uint32_t count)
{
    uint32_t olds = align->count;
    *action = (struct action){.align = align, .item = item, .news = count, .olds = olds, .left = count};
    action->old_of = align->scratch;
    action->new_of = action->old_of + count;
    action->live_from = action->new_of + olds;
    action->live_to = action->live_from + olds;
    action->chain = action->live_to + olds;
    memset(action->old_of, 0xff, ((size_t)count + olds) * sizeof(uint32_t));
    for (uint32_t i = olds, live = olds; i > 0; i--) {
        live = old_item(action, i - 1)->missing ? live : i - 1;
        action->live_from[i - 1] = live;
    }
    for (uint32_t i = 0, live = NONE; i < olds; i++) {
        live = old_item(action, i)->missing ? live : i;
        action->live_to[i] = live;
    }
}

int
pp_align_frame(struct pp_align *align, struct pp_align_item *item, uint32_t count)
{
    struct action action;
    int rc = reserve(align, count);
    if (rc)
        return rc;
    if (count == 0 && align->count == 0)
        return 0;
    begin(&action, align, item, count);
    pair_ends(&action);
    if (action.left) {
        pair_single(&action, PP_ALIGN_EXACT);
        pair_neighbours(&action, PP_ALIGN_EXACT);
        pair_in_order(&action, PP_ALIGN_EXACT);
        pair_single(&action, PP_ALIGN_RESOURCE);
        pair_neighbours(&action, PP_ALIGN_RESOURCE);
        pair_neighbours(&action, PP_ALIGN_COUNTS);
        pair_single(&action, PP_ALIGN_SIGNATURE);
        if (action.left)
            give_new_ids(&action);
    }
    judge(&action);
    merge(&action);
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
