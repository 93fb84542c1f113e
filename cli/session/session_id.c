/** @file
 * See session_id.h. */
#include "cli/session/session_id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/sha256.h"

static const char *
text_of(const json_t *json, const char *object, const char *name)
{
    return json_string_value(json_object_get(json_object_get(json, object), name));
}

/* Make the id of a session that was recorded without one. */
static int
make_id(const json_t *json, char *ret)
{
    char number[48], hash_text[PP_SHA256_DIGITS + 1];
    struct pp_sha256 hash;
    const json_t *program = json_object_get(json, "program");
    const json_t *start = json_object_get(program, "start_realtime_ns");
    const json_t *pid = json_object_get(program, "pid");
    const char *time = text_of(json, "program", "start");
    if (!json_is_integer(start) && !time)
        return -ENODATA;
    pp_sha256_init(&hash);
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(start));
    pp_sha256_add_text(&hash, json_is_integer(start) ? number : time);
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(pid));
    pp_sha256_add_text(&hash, number);
    pp_sha256_add_text(&hash, text_of(json, "host", "name"));
    pp_sha256_add_text(&hash, text_of(json, "program", "executable"));
    pp_sha256_end(&hash, hash_text);
    snprintf(ret, PP_SESSION_ID_MAX, "%.*s", PP_SESSION_ID_MAX - 1, hash_text);
    return 0;
}

int
pp_session_id(const json_t *json, char *ret)
{
    const json_t *member = json_object_get(json, "session_id");
    const char *id = json_string_value(member);
    if (!member)
        return make_id(json, ret);
    if (!id || json_string_length(member) != PP_SESSION_ID_MAX - 1 ||
        strspn(id, "0123456789abcdef") != PP_SESSION_ID_MAX - 1)
        return -EINVAL;
    memcpy(ret, id, PP_SESSION_ID_MAX);
    return 0;
}
