/** @file
 * See push_tags.h. */
#include "cli/push/push_tags.h"

#include <stdio.h>
#include <string.h>

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
