/** @file
 * Ids from content and ordinal; see identity.h. */
#include "core/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* pp_identity_known.kind */
enum { KNOWN_NONE, KNOWN_PASS, KNOWN_WORK };

/* Begin a frame in which at most `keys` keys are counted. */
static int
begin_frame(struct pp_identity *identity, size_t keys)
{
    size_t slots = identity->slots ? identity->slots : 16;
    if (!identity->known)
        identity->known = calloc(PP_IDENTITY_KNOWN, sizeof(*identity->known));
    if (!identity->known)
        return -ENOMEM;
    while (slots < keys * 2)
        slots *= 2;
    if (++identity->frame == 0 || slots > identity->slots) {
        struct pp_identity_seen *seen = calloc(slots, sizeof(*seen));
        if (!seen)
            return -ENOMEM;
        free(identity->seen);
        identity->seen = seen;
        identity->slots = slots;
        identity->frame = 1;
    }
    return 0;
}

void
pp_identity_finish(struct pp_identity *identity)
{
    free(identity->seen);
    free(identity->known);
    memset(identity, 0, sizeof(*identity));
}

/* Ordinal of this key: 0 the first time. */
static uint32_t
next_ordinal(struct pp_identity *identity, uint64_t key)
{
    size_t at = (size_t)(key ^ (key >> 32)) & (identity->slots - 1);
    key += key == 0;
    while (identity->seen[at].frame == identity->frame && identity->seen[at].key != key)
        at = (at + 1) & (identity->slots - 1);
    struct pp_identity_seen *seen = &identity->seen[at];
    if (seen->frame != identity->frame)
        *seen = (struct pp_identity_seen){.key = key, .frame = identity->frame};
    return seen->count++;
}

static uint64_t
hash_text(uint64_t hash, const char *text)
{
    return pp_hash(hash, text, strlen(text) + 1);
}

static uint64_t
pass_key(struct pp_session *session, const struct pp_pass_row *row)
{
    const struct pp_shape *shape = pp_session_shape_get(session, row->shape);
    char path[2048];
    uint64_t hash = hash_text(PP_HASH_START, pp_pass_kind_name(row->kind));
    pp_session_label_path(session, row->label, path, sizeof(path));
    hash = hash_text(hash, path);
    if (path[0] || !shape)
        return hash;
    hash = hash_text(hash, shape->name);
    for (uint32_t i = 0; i < shape->attachments && i < PP_MAX_ATTACHMENTS; i++) {
        hash = hash_text(hash, shape->attachment[i].role);
        hash = hash_text(hash, shape->attachment[i].format);
        hash = hash_text(hash, shape->attachment[i].name);
    }
    return hash;
}

static uint64_t
work_key(struct pp_session *session, const struct pp_work_row *row, uint64_t pass_id)
{
    char path[2048];
    uint64_t hash = pp_hash(PP_HASH_START, &pass_id, sizeof(pass_id));
    pp_session_label_path(session, row->work->label, path, sizeof(path));
    hash = hash_text(hash, path);
    hash = hash_text(hash, pp_session_text(session, row->work->call));
    return hash_text(hash, pp_session_text(session, row->work->pipeline));
}

/* Where a key of these parts is kept. */
static struct pp_identity_known *
find_known(struct pp_identity *identity, const struct pp_identity_known *like)
{
    uint64_t at = like->pass ^ ((uint64_t)like->part[0] << 20) ^ ((uint64_t)like->part[1] << 40) ^
                  like->part[2] ^ like->kind;
    at *= UINT64_C(0x9e3779b97f4a7c15);
    return &identity->known[at >> 32 & (PP_IDENTITY_KNOWN - 1)];
}

static bool
is_known(const struct pp_identity_known *known, const struct pp_identity_known *like)
{
    return known->kind == like->kind && known->pass == like->pass && known->part[0] == like->part[0] &&
           known->part[1] == like->part[1] && known->part[2] == like->part[2];
}

static uint64_t
known_pass_key(struct pp_identity *identity, struct pp_session *session, const struct pp_pass_row *row)
{
    struct pp_identity_known like = {
        (uint64_t)row->kind, {pp_label_kept(row->label), row->shape, 0}, KNOWN_PASS, 0};
    struct pp_identity_known *known = find_known(identity, &like);
    if (!is_known(known, &like)) {
        like.key = pass_key(session, row);
        *known = like;
    }
    return known->key;
}

static uint64_t
known_work_key(struct pp_identity *identity, struct pp_session *session, const struct pp_work_row *row,
               uint64_t pass_id)
{
    const struct pp_work *work = row->work;
    struct pp_identity_known like = {
        pass_id, {pp_label_kept(work->label), work->call, work->pipeline}, KNOWN_WORK, 0};
    struct pp_identity_known *known = find_known(identity, &like);
    if (!is_known(known, &like)) {
        like.key = work_key(session, row, pass_id);
        *known = like;
    }
    return known->key;
}

static uint64_t
with_ordinal(struct pp_identity *identity, uint64_t key)
{
    uint32_t ordinal = next_ordinal(identity, key);
    return ordinal ? pp_hash(key, &ordinal, sizeof(ordinal)) : key;
}

int
pp_identity_assign(struct pp_identity *identity, struct pp_session *session, struct pp_frame_row *frame)
{
    int rc = begin_frame(identity, (size_t)frame->passes + frame->works);
    if (rc)
        return rc;
    for (uint32_t i = 0; i < frame->passes; i++)
        frame->pass[i].id = with_ordinal(identity, known_pass_key(identity, session, &frame->pass[i]));
    for (uint32_t i = 0; i < frame->works; i++) {
        struct pp_work_row *row = &frame->work[i];
        uint64_t pass_id = frame->pass[row->pass].id;
        row->id = with_ordinal(identity, known_work_key(identity, session, row, pass_id));
    }
    return 0;
}
