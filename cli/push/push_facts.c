/** @file
 * See push_facts.h. */
#include "cli/push/push_facts.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/redact/redact_file.h"
#include "cli/text/json_values.h"
#include "counters/util/array_size.h"

#define NS_PER_S  INT64_C(1000000000)
#define S_PER_DAY 86400

bool
pp_push_is_hex(const char *text, size_t len)
{
    return strspn(text, "0123456789abcdef") == len && text[len] == '\0';
}

bool
pp_push_is_id(const char *text)
{
    return pp_push_is_hex(text, (PP_SESSION_ID_MAX - 1));
}

size_t
pp_push_cut(const char *text, size_t len, size_t most)
{
    if (len <= most)
        return len;
    while (most && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    return most;
}

/* Copy a text, as much of it as fits. @param text NULL: it is missing. */
static void
copy(const char *text, char ret[PP_PUSH_FACT_MAX])
{
    size_t len = text ? pp_push_cut(text, strlen(text), PP_PUSH_FACT_MAX - 1) : 0;
    if (len)
        memcpy(ret, text, len);
    ret[len] = '\0';
}

/* When the session began, in nanoseconds since 1970; -1: it is not known. */
static int64_t
start_of(const json_t *program)
{
    const json_t *ns = json_object_get(program, "start_realtime_ns");
    const char *start = pp_json_get_text(program, "start");
    struct tm tm = {.tm_isdst = 0};
    if (json_is_integer(ns) && json_integer_value(ns) >= 0)
        return json_integer_value(ns);
    if (!start || !strptime(start, "%Y-%m-%dT%H:%M:%S", &tm))
        return -1;
    time_t s = timegm(&tm);
    return s >= 0 && s < INT64_MAX / NS_PER_S ? s * NS_PER_S : -1;
}

int
pp_push_facts_read(const json_t *json, time_t now, struct pp_push_facts *ret)
{
    struct pp_push_facts facts = {.redacted = json_is_true(json_object_get(json, "redacted"))};
    const json_t *program = json_object_get(json, "program");
    const json_t *tags = json_object_get(json, "tags");
    const char *executable = pp_json_get_text(program, "executable");
    struct tm tm;
    facts.start_realtime_ns = start_of(program);
    if (facts.start_realtime_ns < 0)
        return -ENODATA;
    time_t start = (time_t)(facts.start_realtime_ns / NS_PER_S);
    if (start > now + S_PER_DAY || !gmtime_r(&start, &tm))
        return -ERANGE;
    int rc = pp_session_id(json, facts.session_id);
    if (rc)
        return rc;
    strftime(facts.day, sizeof(facts.day), "%Y-%m-%d", &tm);
    const char *slash = executable ? strrchr(executable, '/') : NULL;
    copy(slash ? slash + 1 : executable, facts.program);
    copy(pp_json_get_text(tags, "build"), facts.build);
    copy(pp_json_get_text(tags, "scene"), facts.scene);
    *ret = facts;
    return 0;
}

/* Redact a fact. Without memory, it is left out. */
static void
redact_fact(struct pp_redaction *redact, char fact[PP_PUSH_FACT_MAX])
{
    size_t len = 0;
    const char *text = pp_redact_words(redact, fact, strlen(fact), &len);
    if (text != fact)
        copy(text, fact);
}

void
pp_push_facts_redact(const json_t *json, struct pp_redaction *redact, struct pp_push_facts *facts)
{
    char machine[PP_REDACTION_NAME];
    facts->redact = redact;
    pp_redaction_machine(json, !redact, machine);
    copy(machine, facts->machine);
    if (!redact)
        return;
    facts->redacted = true;
    pp_redaction_learn(redact, json);
    redact_fact(redact, facts->program);
    redact_fact(redact, facts->build);
    redact_fact(redact, facts->scene);
}

bool
pp_push_tags_append(char list[PP_TAGS_MAX], const char *value)
{
    char longer[PP_TAGS_MAX];
    int len = snprintf(longer, sizeof(longer), "%s%s%s", list, *list ? "," : "", value);
    if (!*value || len < 0 || (size_t)len >= sizeof(longer) || !pp_config_tags_are_valid(longer))
        return false;
    memcpy(list, longer, (size_t)len + 1);
    return true;
}

json_t *
pp_push_tags_object(const char *list)
{
    struct pp_tag tag;
    json_t *tags = json_object();
    bool ok = tags != NULL;
    for (list = *list ? list : NULL; ok && pp_config_tag_next(&list, &tag) > 0;)
        ok = json_object_set_new(tags, tag.key, json_string(tag.value)) == 0;
    if (ok)
        return tags;
    json_decref(tags);
    return NULL;
}

/* Copy the value of a tag that the session lacks. */
static void
give(const json_t *own, const json_t *tags, const char *key, char fact[PP_PUSH_FACT_MAX])
{
    const char *value = json_string_value(json_object_get(tags, key));
    if (value && !json_is_string(json_object_get(own, key)))
        snprintf(fact, PP_PUSH_FACT_MAX, "%s", value);
}

void
pp_push_tags_give(const json_t *json, json_t *tags, struct pp_push_facts *facts)
{
    const json_t *own = json_object_get(json, "tags");
    _Static_assert(PP_TAG_VALUE_MAX <= PP_PUSH_FACT_MAX, "a value must fit into a fact");
    facts->tags = tags;
    give(own, tags, "build", facts->build);
    give(own, tags, "scene", facts->scene);
}

bool
pp_push_tags_next_kept(const json_t *json, json_t *tags, void **io_tag, const char **ret_key,
                       const char **ret_value)
{
    const json_t *own = json_object_get(json, "tags");
    while (*io_tag) {
        const char *key = json_object_iter_key(*io_tag);
        const char *given = json_string_value(json_object_iter_value(*io_tag));
        const char *value = json_string_value(json_object_get(own, key));
        *io_tag = json_object_iter_next(tags, *io_tag);
        if (value && given && strcmp(value, given) != 0) {
            *ret_key = key;
            *ret_value = value;
            return true;
        }
    }
    return false;
}

/* The last year that 64 bits of nanoseconds hold is 2262. */
#define YEAR_MAX 2200

/* How long ago: 90m, 12h, 7d. */
static int
read_ago(const char *text, time_t now, int64_t *ret_ns)
{
    static const struct {
        char unit;
        long seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    char *end = NULL;
    errno = 0;
    long long count = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : -1;
    if (errno || count < 0 || count > 1000000 || !end[0] || end[1])
        return -EINVAL;
    for (size_t i = 0; i < PP_ARRAY_SIZE(units); i++) {
        if (units[i].unit != *end)
            continue;
        int64_t s = (int64_t)now - count * units[i].seconds;
        *ret_ns = s > 0 ? s * NS_PER_S : 0;
        return 0;
    }
    return -EINVAL;
}

int
pp_since_read(const char *text, time_t now, int64_t *ret_ns)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(forms); i++) {
        struct tm tm = {.tm_isdst = 0};
        const char *end = strptime(text, forms[i], &tm);
        if (!end || (*end && strcmp(end, "Z") != 0))
            continue;
        time_t s = timegm(&tm);
        if (s < 0 || tm.tm_year + 1900 > YEAR_MAX)
            return -EINVAL;
        *ret_ns = (int64_t)s * NS_PER_S;
        return 0;
    }
    return read_ago(text, now, ret_ns);
}
