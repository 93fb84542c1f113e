/** @file
 * What session.json says of a session that is pushed: its id, its day, its build and the like. Tags that a
 * push gives it where it has none (`push --tag`), and the time that it must not be older than (`push
 * --since`). Trusts nothing of it. */
#ifndef PP_CLI_PUSH_PUSH_FACTS_H
#define PP_CLI_PUSH_PUSH_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "cli/redact/redact_text.h"
#include "cli/session/session_json.h"
#include "core/config/config.h"

/** Bytes of a fact, with its NUL. */
#define PP_PUSH_FACT_MAX 256U

/** Facts of a session. Texts are valid UTF-8; "": not known. */
struct pp_push_facts {
    char session_id[PP_SESSION_ID_MAX]; /**< hexadecimal digits in lower case */
    char day[11];                       /**< on which the session began, in UTC: 2026-01-31 */
    int64_t start_realtime_ns;          /**< since 1970 */
    char program[PP_PUSH_FACT_MAX];     /**< name of the executable, without its folder */
    char build[PP_PUSH_FACT_MAX], scene[PP_PUSH_FACT_MAX]; /**< tags */
    char machine[PP_PUSH_FACT_MAX]; /**< number of the machine; its name, if nothing is redacted */
    bool redacted;                  /**< what names a person or a machine was removed, here or before */
    bool takes_damaged;             /**< the session may lack data (`push --damaged`) */
    json_t *tags; /**< that the session gets where it has none of the key; borrowed; NULL: none */
    struct pp_redaction *redact; /**< what texts are redacted by; borrowed; NULL: they are sent as they are */
};

/**
 * Read the facts.
 *
 * @param json Content of session.json. NULL is allowed.
 * @param now  Time of day. A session cannot begin more than a day later.
 * @retval 0
 * @retval -ENODATA There is no time at which the session began.
 * @retval -ERANGE  It begins after @p now.
 * @retval -EINVAL  Its id is not one.
 */
__attribute__((warn_unused_result)) int pp_push_facts_read(const json_t *json, time_t now,
                                                           struct pp_push_facts *ret);

/** Is the text the id of a session: 32 hexadecimal digits in lower case? */
bool pp_push_is_id(const char *text);

/** Are the texts @p len hexadecimal digits in lower case, and nothing else? */
bool pp_push_is_hex(const char *text, size_t len);

/** Bytes of a text that fit into @p most, cut between two characters. */
size_t pp_push_cut(const char *text, size_t len, size_t most);

/** Redact the facts, and note by what the rows are redacted. @param json The same content. @param redact
 * Learns the names in it; borrowed as long as the facts are used; NULL: nothing is redacted. */
void pp_push_facts_redact(const json_t *json, struct pp_redaction *redact, struct pp_push_facts *facts);

/**
 * Append the value of an option `--tag` to a list of tags.
 *
 * @param list "KEY=VALUE,KEY=VALUE"; "" for the first one. Unchanged on failure.
 * @return false: the value is no list of tags, a key comes twice, or the list is too long.
 */
bool pp_push_tags_append(char list[PP_TAGS_MAX], const char *value);

/** Make an object of a list of valid tags, as session.json has it. @return Owned by the caller
 * (json_decref()); NULL: no memory. */
json_t *pp_push_tags_object(const char *list);

/**
 * Give the tags that a session lacks to its facts. Tags that it has stay as they are.
 *
 * @param json  Content of session.json.
 * @param tags  Borrowed as long as the facts are used. NULL: none.
 */
void pp_push_tags_give(const json_t *json, json_t *tags, struct pp_push_facts *facts);

/**
 * Find the next tag that a session has with another value than a push would give it.
 *
 * @param json    Content of session.json. @param tags Borrowed; NULL: none.
 * @param io_tag  Where to go on: json_object_iter(tags) at first; NULL after the last one.
 * @param ret_key,ret_value Of the session; borrowed. Written where there is one.
 * @return Is there one?
 */
bool pp_push_tags_next_kept(const json_t *json, json_t *tags, void **io_tag, const char **ret_key,
                            const char **ret_value);

/**
 * Read a time: 2026-01-31, 2026-01-31T23:59, 2026-01-31T23:59:59 (UTC), or 90m, 12h, 7d ago.
 *
 * @param now     Time of day.
 * @param ret_ns  Nanoseconds since 1970; not negative.
 * @retval 0, -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_since_read(const char *text, time_t now, int64_t *ret_ns);

#endif
