/** @file
 * Ids from content and ordinal; see identity.h. */
#include "core/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How often each key was seen in this frame: open addressing, at most half full. */
struct seen {
    uint64_t *key;
    uint32_t *count;
    size_t slots;
};

static int
seen_init(struct seen *seen, size_t keys)
{
    seen->slots = 16;
    while (seen->slots < keys * 2)
        seen->slots *= 2;
    seen->key = calloc(seen->slots, sizeof(*seen->key));
    seen->count = calloc(seen->slots, sizeof(*seen->count));
    return seen->key && seen->count ? 0 : -ENOMEM;
}

static void
seen_finish(struct seen *seen)
{
    free(seen->key);
    free(seen->count);
}

/* Ordinal of this key: 0 the first time. */
static uint32_t
seen_next(struct seen *seen, uint64_t key)
{
    size_t at = (size_t)(key ^ (key >> 32)) & (seen->slots - 1);
    key += key == 0;
    while (seen->key[at] && seen->key[at] != key)
        at = (at + 1) & (seen->slots - 1);
    seen->key[at] = key;
    return seen->count[at]++;
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

static uint64_t
with_ordinal(struct seen *seen, uint64_t key)
{
    uint32_t ordinal = seen_next(seen, key);
    return ordinal ? pp_hash(key, &ordinal, sizeof(ordinal)) : key;
}

int
pp_identity_assign(struct pp_session *session, struct pp_frame_row *frame)
{
    struct seen seen = {0};
    int rc = seen_init(&seen, (size_t)frame->passes + frame->works);
    for (uint32_t i = 0; rc == 0 && i < frame->passes; i++)
        frame->pass[i].id = with_ordinal(&seen, pass_key(session, &frame->pass[i]));
    for (uint32_t i = 0; rc == 0 && i < frame->works; i++) {
        uint64_t pass_id = frame->pass[frame->work[i].pass].id;
        frame->work[i].id = with_ordinal(&seen, work_key(session, &frame->work[i], pass_id));
    }
    seen_finish(&seen);
    return rc;
}
