/** @file
 * Tags that a push gives to sessions that lack them (`push --tag`). See also push_facts.h. */
#ifndef PP_CLI_PUSH_PUSH_TAGS_H
#define PP_CLI_PUSH_PUSH_TAGS_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/push/push_facts.h"
#include "core/config/config.h"

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

#endif
