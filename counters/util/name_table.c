/** @file
 * A hash table of names; see name_table.h. */
#include "counters/util/name_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_SLOTS = 64,
};

void
pp_name_table_finish(struct pp_name_table *names)
{
    free(names->slot);
    memset(names, 0, sizeof(*names));
}

static uint32_t
hash_text(const char *text, size_t length)
{
    uint32_t h = UINT32_C(2166136261);
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * UINT32_C(16777619);
    return h ^ h >> 15;
}

static struct pp_name *
find_slot(const struct pp_name_table *names, const char *text, size_t length)
{
    uint32_t i = hash_text(text, length) & (names->slots - 1);
    for (;; i = (i + 1) & (names->slots - 1)) {
        struct pp_name *slot = &names->slot[i];
        if (!slot->text || (slot->length == length && memcmp(slot->text, text, length) == 0))
            return slot;
    }
}

static int
grow(struct pp_name_table *names)
{
    struct pp_name_table bigger = {.slots = names->slots ? names->slots * 2 : FIRST_SLOTS,
                                   .used = names->used};
    bigger.slot = calloc(bigger.slots, sizeof(*bigger.slot));
    if (!bigger.slot)
        return -ENOMEM;
    for (uint32_t i = 0; i < names->slots; i++) {
        const struct pp_name *old = &names->slot[i];
        if (old->text)
            *find_slot(&bigger, old->text, old->length) = *old;
    }
    free(names->slot);
    *names = bigger;
    return 0;
}

int
pp_name_table_add(struct pp_name_table *names, const char *text, size_t length, uint32_t kind, uint32_t index)
{
    if (names->used * 2 >= names->slots) {
        int r = grow(names);
        if (r)
            return r;
    }
    struct pp_name *slot = find_slot(names, text, length);
    if (slot->text)
        return -EEXIST;
    *slot = (struct pp_name){.text = text, .length = (uint32_t)length, .kind = kind, .index = index};
    names->used++;
    return 0;
}

const struct pp_name *
pp_name_table_find(const struct pp_name_table *names, const char *text, size_t length)
{
    if (!names->slots)
        return NULL;
    const struct pp_name *slot = find_slot(names, text, length);
    return slot->text ? slot : NULL;
}
