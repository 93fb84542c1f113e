/** @file
 * The value of --tag; see config_tags.h. */
#include "core/config/config_tags.h"

#include <errno.h>
#include <string.h>

#include "counters/util/printable.h"

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is this text a key? */
static bool
is_key(const char *text, size_t len)
{
    if (len == 0 || len >= PP_TAG_KEY_MAX || !is_letter(*text))
        return false;
    for (size_t i = 1; i < len; i++)
        if (!is_letter(text[i]) && !(text[i] >= '0' && text[i] <= '9') && !strchr("_-.", text[i]))
            return false;
    return true;
}

/* Is this text a value? */
static bool
is_value(const char *text, size_t len)
{
    if (len == 0 || len >= PP_TAG_VALUE_MAX)
        return false;
    bool printable = true;
    for (size_t i = 0; i < len && printable;)
        i += pp_printable_next(text + i, &printable);
    return printable;
}

int
pp_config_tag_next(const char **list, struct pp_tag *ret)
{
    const char *text = *list;
    if (!text)
        return 0;
    size_t len = strcspn(text, ","), key = strcspn(text, "=,");
    if (text[key] != '=' || !is_key(text, key) || !is_value(text + key + 1, len - key - 1))
        return -EINVAL;
    memcpy(ret->key, text, key);
    ret->key[key] = '\0';
    memcpy(ret->value, text + key + 1, len - key - 1);
    ret->value[len - key - 1] = '\0';
    *list = text[len] ? text + len + 1 : NULL;
    return 1;
}

/* Does a tag after the first one of the list have this key? */
static bool
is_there(const char *list, const char *key)
{
    struct pp_tag tag;
    while (pp_config_tag_next(&list, &tag) > 0)
        if (strcmp(tag.key, key) == 0)
            return true;
    return false;
}

bool
pp_config_tags_are_valid(const char *list)
{
    struct pp_tag tag;
    int rc = 0;
    if (strlen(list) >= PP_TAGS_MAX)
        return false;
    for (list = *list ? list : NULL; (rc = pp_config_tag_next(&list, &tag)) > 0;)
        if (is_there(list, tag.key))
            return false;
    return rc == 0;
}
