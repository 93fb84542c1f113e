/** @file
 * See text_pool.h. */
#include "cli/symbols/text_pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

const char *
pp_text_pool_add(struct pp_text_pool *pool, const char *text, size_t len)
{
    if (len == 0)
        return "";
    const struct pp_name *known = pp_name_table_find(&pool->names, text, len);
    if (known)
        return known->text;
    if (len >= UINT32_MAX || pool->len >= UINT32_MAX ||
        pp_grow_array(&pool->text, &pool->cap, pool->len + 1, sizeof(*pool->text)))
        return NULL;
    char *copy = malloc(len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (pp_name_table_add(&pool->names, copy, len, 0, (uint32_t)pool->len)) {
        free(copy);
        return NULL;
    }
    pool->text[pool->len++] = copy;
    return copy;
}

void
pp_text_pool_finish(struct pp_text_pool *pool)
{
    for (size_t i = 0; i < pool->len; i++)
        free(pool->text[i]);
    free(pool->text);
    pp_name_table_finish(&pool->names);
    memset(pool, 0, sizeof(*pool));
}
