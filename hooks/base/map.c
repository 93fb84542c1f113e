/** @file
 * See map.h. Open addressing, at most half full. Nothing is ever removed, because GL names are reused. */
#include "hooks/base/map.h"

#include <stdlib.h>

static struct pp_gl_map_slot *
find(const struct pp_gl_map *map, uint32_t key)
{
    uint32_t at = key * 2654435761U;
    for (at &= map->cap - 1;; at = (at + 1) & (map->cap - 1))
        if (map->slot[at].key == key || map->slot[at].key == 0)
            return &map->slot[at];
}

void *
pp_gl_map_get(const struct pp_gl_map *map, uint32_t key)
{
    return map->cap ? find(map, key)->value : NULL;
}

static int
grow(struct pp_gl_map *map)
{
    struct pp_gl_map bigger = {.cap = map->cap ? map->cap * 2 : 64, .used = map->used};
    bigger.slot = calloc(bigger.cap, sizeof(*bigger.slot));
    if (!bigger.slot)
        return -1;
    for (uint32_t i = 0; i < map->cap; i++)
        if (map->slot[i].key)
            *find(&bigger, map->slot[i].key) = map->slot[i];
    free(map->slot);
    *map = bigger;
    return 0;
}

void *
pp_gl_map_add(struct pp_gl_map *map, uint32_t key, size_t size)
{
    if (map->used * 2 >= map->cap && grow(map))
        return NULL;
    struct pp_gl_map_slot *slot = find(map, key);
    if (!slot->key) {
        slot->value = calloc(1, size);
        if (!slot->value)
            return NULL;
        slot->key = key;
        map->used++;
    }
    return slot->value;
}

void
pp_gl_map_finish(struct pp_gl_map *map)
{
    for (uint32_t i = 0; i < map->cap; i++)
        free(map->slot[i].value);
    free(map->slot);
    *map = (struct pp_gl_map){0};
}
