/** @file
 * Remembers stacks; see memo.h. */
#include "core/stack/memo.h"

#include "core/util/compiler.h"
#include "core/util/hash.h"

static inline uint32_t
find_set(const struct pp_walk_registers *from)
{
    return (uint32_t)(pp_hash_mix(from->ip, from->sp) >> 32) % PP_MEMO_SETS;
}

/* Is the stack of an entry the stack now? The loop stops at the first other word: words behind it may not
 * exist any more. */
static inline __attribute__((no_sanitize_address, no_sanitize_thread)) bool
is_same(const struct pp_memo_entry *entry, uintptr_t sp)
{
    for (uint32_t i = 0; i < entry->words; i++) {
        uintptr_t place = sp + entry->offset[i];
        if (*(const volatile uintptr_t *)place != entry->value[i]) /* NOLINT(performance-no-int-to-ptr) */
            return false;
    }
    return true;
}

const struct pp_memo_entry *
pp_memo_find(const struct pp_memo *memo, const struct pp_walk_registers *from)
{
    const struct pp_memo_entry *entry = memo->entry[find_set(from)];
    for (uint32_t way = 0; way < PP_MEMO_WAYS; way++, entry++)
        if (entry->ip == from->ip && entry->sp == from->sp && (!entry->uses_bp || entry->bp == from->bp) &&
            PP_LIKELY(is_same(entry, from->sp)))
            return entry;
    return NULL;
}

void
pp_memo_add(struct pp_memo *memo, const struct pp_walk_registers *from, const struct pp_walk *walk,
            uint32_t stack)
{
    if (walk->too_large)
        return;
    uint32_t set = find_set(from);
    uint32_t way = 0;
    while (way < PP_MEMO_WAYS && memo->entry[set][way].ip)
        way++;
    if (way == PP_MEMO_WAYS)
        way = memo->next[set]++ % PP_MEMO_WAYS;
    struct pp_memo_entry *entry = &memo->entry[set][way];
    entry->ip = from->ip;
    entry->sp = from->sp;
    entry->bp = from->bp;
    entry->uses_bp = walk->uses_bp;
    entry->stack = stack;
    entry->words = walk->words;
    for (uint32_t i = 0; i < walk->words; i++) {
        entry->offset[i] = walk->word[i].offset;
        entry->value[i] = walk->word[i].value;
    }
}

void
pp_memo_clear(struct pp_memo *memo)
{
    for (uint32_t set = 0; set < PP_MEMO_SETS; set++)
        for (uint32_t way = 0; way < PP_MEMO_WAYS; way++)
            if (memo->entry[set][way].ip) /* writing would take memory */
                memo->entry[set][way].ip = 0;
}
