/** @file
 * Finds an entry point's id and hook by its name, in a hash table that the generator fills. This file knows
 * no context. */
#ifndef PP_HOOKS_REACH_LOOKUP_H
#define PP_HOOKS_REACH_LOOKUP_H

#include <stdint.h>

#include "hooks/base/gl_types.h"

#include "gl_table.h" /* generated */

/** Prefix of an exported symbol in assembly. */
#define PP_SYMBOL ""

/** A function pointer of any type. Cast it to the function's type before the call. */
typedef void (*pp_gl_proc)(void);

/** One entry point. */
struct pp_gl_entry {
    const char *name;
    pp_gl_proc hook; /**< the shim's exported function; NULL: the shim only calls the driver's function */
};

/* Generated; immutable. */
extern const struct pp_gl_entry pp_gl_entry[PP_HOOK_COUNT];
extern const uint32_t pp_gl_slot_mask;
extern const int16_t pp_gl_slot[];

/** Id of an entry point, or -1. Takes no lock and allocates nothing; usable before constructors ran. */
static inline int
pp_gl_lookup(const char *name)
{
    uint32_t hash = 2166136261U;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619U;
    for (uint32_t slot = hash & pp_gl_slot_mask;; slot = (slot + 1) & pp_gl_slot_mask) {
        int id = pp_gl_slot[slot];
        if (id < 0)
            return -1;
        const char *a = pp_gl_entry[id].name;
        const char *b = name;
        while (*a && *a == *b) {
            a++;
            b++;
        }
        if (*a == *b)
            return id;
    }
}

/** Name of an internal format without GL_, from the registry, for example "RGBA8". @return NULL: not a
 * format. */
const char *pp_gl_format_name(uint32_t format);

#endif
