/** @file
 * Walks up a stack; see walk.h. */
#include "core/stack/walk.h"

#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/util/compiler.h"
#include "core/util/hash.h"
#include "counters/util/sandbox.h"

/* No function has a larger frame. Without this limit a broken rule would lead through all of the memory. */
#define FRAME_BYTES_MAX ((uintptr_t)64 << 20)
#define PAGE_BYTES      ((uintptr_t)4096)
/* Below the end of the main thread's stack, the kernel keeps at least this much free for it. Source:
 * Linux, mmap_base(), SIZE_128M. */
#define MAIN_STACK_BYTES ((uintptr_t)120 << 20)

/* Where the loader found the arguments of the process: the end of the main thread's stack. Source: glibc,
 * elf/Versions, GLIBC_2.2. */
extern void *__libc_stack_end __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */

/* A walk in progress. */
struct walker {
    struct pp_walk *walk;
    uintptr_t start; /* stack pointer where the walk began */
    uintptr_t ip;
    uintptr_t sp;
    uintptr_t bp;
    uintptr_t bp_place; /* the word that bp was loaded from; 0: still the register at the begin */
    bool bp_noted;      /* bp_place is among the words that decide */
    uintptr_t high;     /* words below are part of the stack; 0: not known */
    uintptr_t page;     /* last page that was found readable, where `high` is not known */
};

const char *
pp_walk_end_name(enum pp_walk_end end)
{
    static const char *const name[PP_WALK_ENDS] = {
        [PP_WALK_COMPLETE] = "",
        [PP_WALK_DEPTH] = "depth",
        [PP_WALK_NO_CODE] = "unknown_code",
        [PP_WALK_NO_TABLE] = "no_table",
        [PP_WALK_OTHER_RULE] = "other_rule",
        [PP_WALK_BROKEN] = "broken",
        [PP_WALK_FRAME_POINTER] = "frame_pointer",
    };
    return name[end];
}

static void
find_main_bounds(struct pp_walk_bounds *bounds)
{
    if (!&__libc_stack_end || !__libc_stack_end)
        return;
    bounds->high = (uintptr_t)__libc_stack_end;
    bounds->low = bounds->high - MAIN_STACK_BYTES;
}

void
pp_walk_find_bounds(struct pp_walk_bounds *bounds)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;
    /* pthread_getattr_np() opens a file for the main thread, and asks the kernel for other threads. */
    if (gettid() == getpid()) {
        find_main_bounds(bounds);
        return;
    }
    if (pp_sandbox_entered() || pthread_getattr_np(pthread_self(), &attr))
        return;
    if (pthread_attr_getstack(&attr, &low, &size) == 0) {
        bounds->low = (uintptr_t)low;
        bounds->high = (uintptr_t)low + size;
    }
    pthread_attr_destroy(&attr);
}

/* Read a word of the stack. No sanitizer may look: neighbouring words may be poisoned, this one is not. */
static inline __attribute__((no_sanitize_address, no_sanitize_thread)) uintptr_t
load(uintptr_t place)
{
    return *(const volatile uintptr_t *)place; /* NOLINT(performance-no-int-to-ptr) */
}

/* Ask the kernel whether a page can be read. Only on stacks whose bounds are not known, as those of
 * coroutines. */
static PP_SLOW bool
probe(struct walker *walker, uintptr_t place)
{
    uintptr_t page = place & ~(PAGE_BYTES - 1);
    char byte;
    if (page == walker->page)
        return true;
    struct iovec to = {&byte, 1}, from = {(void *)place, 1}; /* NOLINT(performance-no-int-to-ptr) */
    if (pp_sandbox_entered() || process_vm_readv(getpid(), &to, 1, &from, 1, 0) != 1)
        return false;
    walker->page = page;
    return true;
}

/* Is this a word of the stack, above where the walk began? */
static inline bool
may_read(struct walker *walker, uintptr_t place)
{
    if ((place & (sizeof(uintptr_t) - 1)) || place < walker->start || place - walker->start > UINT32_MAX)
        return false;
    return walker->high ? place < walker->high : probe(walker, place);
}

static void
note_word(struct walker *walker, uintptr_t place, uintptr_t value)
{
    struct pp_walk *walk = walker->walk;
    if (walk->words == PP_WALK_WORDS) {
        walk->too_large = true;
        return;
    }
    walk->word[walk->words].offset = (uint32_t)(place - walker->start);
    walk->word[walk->words++].value = value;
}

/* The base pointer decides where the frame's top is. */
static void
note_base(struct walker *walker)
{
    if (walker->bp_noted)
        return;
    walker->bp_noted = true;
    if (walker->bp_place)
        note_word(walker, walker->bp_place, walker->bp);
    else
        walker->walk->uses_bp = true;
}

/* Find the top of the frame. @return 0: the rule leads out of the stack. */
static inline uintptr_t
find_top(struct walker *walker, struct pp_frame_rule rule)
{
    uintptr_t top = (uintptr_t)(intptr_t)rule.top_offset;
    if (PP_LIKELY(rule.kind == PP_RULE_SP)) {
        top += walker->sp;
    } else {
        top += walker->bp;
        note_base(walker);
    }
    if (PP_UNLIKELY(rule.kind == PP_RULE_BP_LOAD)) {
        uintptr_t place = top;
        if (!may_read(walker, place))
            return 0;
        top = load(place);
        note_word(walker, place, top);
    }
    bool above = top > walker->sp && top - walker->sp <= FRAME_BYTES_MAX;
    return above && may_read(walker, top - sizeof(top)) ? top : 0;
}

/* Load the caller's base pointer. @return false: the rule leads out of the stack. */
static inline bool
load_base(struct walker *walker, struct pp_frame_rule rule, uintptr_t top)
{
    if (rule.base == PP_BASE_KEPT)
        return true;
    uintptr_t place = (uintptr_t)(intptr_t)rule.base_offset;
    place += rule.base == PP_BASE_FROM_TOP ? top : walker->bp;
    if (rule.base == PP_BASE_FROM_BP)
        note_base(walker);
    if (!may_read(walker, place))
        return false;
    walker->bp = load(place);
    walker->bp_place = place;
    walker->bp_noted = false;
    return true;
}

/* Leave a function by its rule. @return false: not possible; the walk's end is set. */
static inline bool
leave(struct walker *walker, struct pp_frame_rule rule)
{
    uintptr_t top = find_top(walker, rule);
    if (PP_UNLIKELY(top == 0 || !load_base(walker, rule, top))) {
        walker->walk->end = PP_WALK_BROKEN;
        return false;
    }
    walker->sp = top;
    walker->ip = load(top - sizeof(top));
    note_word(walker, top - sizeof(top), walker->ip);
    return true;
}

static inline struct pp_frame_rule
find_rule(struct pp_walk_rules *rules, uintptr_t ip)
{
    size_t at = (size_t)(pp_hash_mix(0, ip) >> 32) % PP_WALK_RULES;
    if (PP_UNLIKELY(rules->entry[at].ip != ip)) {
        rules->entry[at].rule = pp_unwind_rule(ip);
        rules->entry[at].ip = ip;
    }
    return rules->entry[at].rule;
}

/* The end of a walk at a function with a rule by which it cannot be left. */
static enum pp_walk_end
end_of(struct pp_frame_rule rule)
{
    switch (rule.kind) {
    case PP_RULE_OUTERMOST:
        return PP_WALK_COMPLETE;
    case PP_RULE_NO_CODE:
        return PP_WALK_NO_CODE;
    case PP_RULE_NO_TABLE:
        return PP_WALK_NO_TABLE;
    case PP_RULE_BROKEN:
        return PP_WALK_BROKEN;
    default:
        return PP_WALK_OTHER_RULE;
    }
}

static struct walker
begin(const struct pp_walk_bounds *bounds, const struct pp_walk_registers *from, struct pp_walk *walk)
{
    bool inside = from->sp >= bounds->low && from->sp < bounds->high;
    walk->frames = walk->words = 0;
    walk->uses_bp = walk->too_large = false;
    walk->end = PP_WALK_DEPTH;
    return (struct walker){
        .walk = walk,
        .start = from->sp,
        .ip = from->ip,
        .sp = from->sp,
        .bp = from->bp,
        .high = inside ? bounds->high : 0,
    };
}

void
pp_walk_tables(struct pp_walk_rules *rules, const struct pp_walk_bounds *bounds,
               const struct pp_walk_registers *from, struct pp_walk *walk)
{
    struct walker walker = begin(bounds, from, walk);
    for (;;) {
        struct pp_frame_rule rule = find_rule(rules, walker.ip);
        walk->ip[walk->frames++] = walker.ip;
        if (PP_UNLIKELY(rule.kind < PP_RULE_SP)) {
            walk->end = (uint8_t)end_of(rule);
            return;
        }
        if (walk->frames == PP_WALK_FRAMES || !leave(&walker, rule))
            return;
        /* Coroutines end so that no function of the C library began. */
        if (PP_UNLIKELY(walker.ip == 0)) {
            walk->end = PP_WALK_COMPLETE;
            return;
        }
    }
}

/* Leave a function by its frame pointer. @return false: there is none; the walk's end is set. */
static bool
leave_by_pointer(struct walker *walker)
{
    uintptr_t bp = walker->bp;
    bool ended = bp == 0; /* _start and new threads begin so: AMD64 ABI 3.4.1 */
    walker->walk->end = ended ? PP_WALK_COMPLETE : PP_WALK_FRAME_POINTER;
    if (ended || bp < walker->sp || bp - walker->sp > FRAME_BYTES_MAX || !may_read(walker, bp) ||
        !may_read(walker, bp + sizeof(bp)))
        return false;
    walker->ip = load(bp + sizeof(bp));
    walker->sp = bp + 2 * sizeof(bp);
    walker->bp = load(bp);
    return walker->ip != 0;
}

void
pp_walk_frame_pointers(struct pp_walk_rules *rules, const struct pp_walk_bounds *bounds,
                       bool (*is_own)(void *user, uintptr_t ip), void *user,
                       const struct pp_walk_registers *from, struct pp_walk *walk)
{
    struct walker walker = begin(bounds, from, walk);
    bool own = true;
    walk->too_large = true; /* the words that decide are not noted */
    while (walk->frames < PP_WALK_FRAMES) {
        struct pp_frame_rule rule = find_rule(rules, walker.ip);
        if (rule.kind == PP_RULE_NO_CODE) { /* the pointer before was none */
            walk->end = PP_WALK_FRAME_POINTER;
            return;
        }
        walk->ip[walk->frames++] = walker.ip;
        own = own && is_own(user, walker.ip);
        bool left = own ? rule.kind >= PP_RULE_SP && leave(&walker, rule) : leave_by_pointer(&walker);
        if (!left)
            return;
    }
    walk->end = PP_WALK_DEPTH;
}

void
pp_walk_judge(struct pp_walk_rules *rules, struct pp_walk *walk, bool complete)
{
    walk->words = 0;
    walk->too_large = true;
    walk->end = complete ? PP_WALK_COMPLETE : PP_WALK_OTHER_RULE;
    for (uint32_t i = 0; i < walk->frames; i++) {
        struct pp_frame_rule rule = find_rule(rules, walk->ip[i]);
        if (rule.kind >= PP_RULE_OTHER && rule.kind != PP_RULE_OUTERMOST)
            continue;
        walk->end = (uint8_t)end_of(rule);
        walk->frames = i + 1;
        return;
    }
    if (walk->frames == PP_WALK_FRAMES)
        walk->end = PP_WALK_DEPTH;
}
