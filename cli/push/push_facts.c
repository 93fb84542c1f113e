/** @file
 * See push_facts.h. */
#include "cli/push/push_facts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/redact/redact_json.h"

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

static const char *
text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* When the session began, in nanoseconds since 1970; -1: it is not known. */
static int64_t
start_of(const json_t *program)
{
    const json_t *ns = json_object_get(program, "start_realtime_ns");
    const char *start = text_of(program, "start");
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
    const char *executable = text_of(program, "executable");
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
    copy(text_of(tags, "build"), facts.build);
    copy(text_of(tags, "scene"), facts.scene);
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
