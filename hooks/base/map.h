/** @file
 * A small map from GL names to structures. Takes no lock: the owner has a lock or is a single thread. */
#ifndef PP_HOOKS_BASE_MAP_H
#define PP_HOOKS_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

/** A map; all zero: empty. It owns its values and frees them. */
struct pp_gl_map {
    struct pp_gl_map_slot {
        uint32_t key; /* 0: free */
        void *value;
    } * slot;
    uint32_t cap; /* power of two */
    uint32_t used;
};

/** @return Value of @p key, or NULL. Hot. */
void *pp_gl_map_get(const struct pp_gl_map *map, uint32_t key);

/** Value of @p key (not 0), made as @p size zeroed bytes if absent. @return NULL: no memory. */
void *pp_gl_map_add(struct pp_gl_map *map, uint32_t key, size_t size);

/** Free all values and the table. */
void pp_gl_map_finish(struct pp_gl_map *map);

#endif
