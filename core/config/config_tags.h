/** @file
 * The value of the option --tag: what the user says about a session, such as its build and its scene. This
 * file knows no graphics API and no thread. See also config.h. */
#ifndef PP_CORE_CONFIG_CONFIG_TAGS_H
#define PP_CORE_CONFIG_CONFIG_TAGS_H

#include <stdbool.h>
#include <stddef.h>

/** Bytes of a list of tags, the NUL included. */
#define PP_TAGS_MAX 1024

/** Bytes of the key of a tag, the NUL included. */
#define PP_TAG_KEY_MAX 64

/** Bytes of the value of a tag, the NUL included. */
#define PP_TAG_VALUE_MAX 256

/** One tag. */
struct pp_tag {
    char key[PP_TAG_KEY_MAX];     /**< ASCII letters, digits, '_', '-' and '.'; the first is a letter */
    char value[PP_TAG_VALUE_MAX]; /**< UTF-8 without commas and control characters; not "" */
};

/**
 * Take the next tag of a list "KEY=VALUE,KEY=VALUE".
 *
 * @param list Where the list goes on; moved after the tag and its comma. NULL after the last one.
 * @param ret  Written where there is a tag.
 * @retval 1       There was one.
 * @retval 0       The list has ended.
 * @retval -EINVAL What follows is no tag.
 */
__attribute__((warn_unused_result)) int pp_config_tag_next(const char **list, struct pp_tag *ret);

/** Is this a list of tags, each key once? "" is none. */
bool pp_config_tags_are_valid(const char *list);

#endif
