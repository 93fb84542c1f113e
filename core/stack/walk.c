/** @file
 * Walks up a stack; see walk.h. */
#include "core/stack/walk.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/stack/cfi.h"
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
    struct pp_walk_bounds *bounds;
    uintptr_t start; /* stack pointer where the walk began */
    uintptr_t low;   /* where it began on the stack that it has reached */
    uintptr_t ip;
    uintptr_t sp;
    uintptr_t bp;
    uintptr_t bp_place; /* the word that bp was loaded from; 0: still the register at the begin */
    bool bp_noted;      /* bp_place is among the words that decide */
    uintptr_t high;     /* words below are part of the stack; 0: not known */
    struct pp_cfi_registers
        registers;   /* for rules of any kind; the members that have a copy here are not used */
    uint32_t sure;   /* frames up to the first one that was left by a frame pointer; 0: none was */
    bool needs_kept; /* it ended because registers.kept was not known */
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

/* Can the kernel read a page, as far as the thread knows? A page of the thread's stack is asked for once: an
 * application may have made pages inside of its stack unreadable, and a rule or a base pointer that is wrong
 * leads anywhere.
 *
 * The question is rt_sigprocmask() of a set of signals at that place, with an operation that does not exist.
 * The kernel copies the set before it looks at the operation: EFAULT says that the place cannot be read,
 * EINVAL that it can, and nothing changes. The C library itself needs this call, so filters allow it. Filters
 * of containers refuse process_vm_readv() as they refuse ptrace(). Source: Linux, kernel/signal.c. */
static PP_SLOW bool
probe(struct walker *walker, uintptr_t place)
{
    uintptr_t page = place & ~(PAGE_BYTES - 1);
    const int no_change = -1;
    const size_t set_bytes = 8;
    if (pp_sandbox_entered() || syscall(SYS_rt_sigprocmask, no_change, place, NULL, set_bytes) != -1 ||
        errno != EINVAL)
        return false;
    walker->bounds->page[page / PAGE_BYTES % PP_WALK_PAGES] = page;
    return true;
}

static inline bool
is_known(const struct walker *walker, uintptr_t place)
{
    uintptr_t page = place & ~(PAGE_BYTES - 1);
    return walker->bounds->page[page / PAGE_BYTES % PP_WALK_PAGES] == page;
}

/* Is this a word of the stack, above where the walk began, that can be read? */
static inline bool
may_read(struct walker *walker, uintptr_t place)
{
    if ((place & (sizeof(uintptr_t) - 1)) || place < walker->low || place - walker->low > UINT32_MAX ||
        (walker->high && place >= walker->high))
        return false;
    return PP_LIKELY(is_known(walker, place)) || probe(walker, place);
}

/* Is it such a word, and a stack pointer leads to it? After a filter the kernel is not asked; but this word
 * is in the thread's stack, and only a wrong table could lead to another one than the caller's. */
static inline bool
may_read_top(struct walker *walker, uintptr_t place, bool by_sp)
{
    return may_read(walker, place) ||
           (by_sp && walker->high && place >= walker->low && place < walker->high &&
            place % sizeof(place) == 0 && pp_sandbox_entered());
}

static void
note_word(struct walker *walker, uintptr_t place, uintptr_t value)
{
    struct pp_walk *walk = walker->walk;
    /* Words of another stack are not compared. */
    if (walk->words == PP_WALK_WORDS || walker->low != walker->start) {
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
    return above && may_read_top(walker, top - sizeof(top), rule.kind == PP_RULE_SP) ? top : 0;
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

/* struct pp_cfi_memory.read */
static bool
read_word(void *user, uintptr_t place, uintptr_t *ret_value)
{
    struct walker *walker = user;
    if (!may_read(walker, place))
        return false;
    *ret_value = load(place);
    note_word(walker, place, *ret_value);
    return true;
}

/* struct pp_cfi_memory.base */
static uintptr_t
read_base(void *user)
{
    struct walker *walker = user;
    note_base(walker);
    return walker->bp;
}

/* Begin on the stack where the stack pointer is. */
static void
enter_stack(struct walker *walker)
{
    struct pp_walk_bounds *bounds = walker->bounds;
    bool inside = walker->sp >= bounds->low && walker->sp < bounds->high;
    /* no stack is in the first page, of which bounds->page would say that it is known */
    walker->low = walker->sp < PAGE_BYTES ? PAGE_BYTES : walker->sp;
    walker->high = inside ? bounds->high : 0;
    /* What is below may have been unmapped since. So may all pages of another stack. */
    for (uint32_t i = 0; i < PP_WALK_PAGES; i++)
        if (!inside || bounds->page[i] < (walker->sp & ~(PAGE_BYTES - 1)))
            bounds->page[i] = 0;
}

/* Leave a function by a rule of any kind. @return false: not possible; the walk's end is set. */
static PP_SLOW bool
leave_by_any(struct walker *walker)
{
    const struct pp_cfi_memory memory = {.read = read_word, .base = read_base, .user = walker};
    struct pp_cfi_registers *registers = &walker->registers;
    registers->sp = walker->sp;
    int end = pp_unwind_leave(walker->ip, &memory, registers);
    if (end != PP_CFI_LEFT) {
        walker->needs_kept = end == PP_CFI_NEEDS_KEPT;
        walker->walk->end = end == PP_CFI_UNREADABLE ? PP_WALK_BROKEN : PP_WALK_OTHER_RULE;
        return false;
    }
    bool above = registers->sp > walker->sp && registers->sp - walker->sp <= FRAME_BYTES_MAX;
    /* An address is looked up as that of a call, which is in front of it. */
    walker->ip = registers->ip + (registers->ip && registers->was_interrupted);
    walker->sp = registers->sp;
    if (!registers->bp_is_same) {
        walker->bp = registers->bp;
        walker->bp_place = 0;
        walker->bp_noted = true; /* all that decides it is noted */
    }
    if (!above)
        enter_stack(walker);
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
    case PP_RULE_POINTER:
        return PP_WALK_NO_TABLE;
    default:
        return PP_WALK_BROKEN;
    }
}

static struct walker
begin(struct pp_walk_bounds *bounds, const struct pp_walk_registers *from, struct pp_walk *walk)
{
    walk->frames = walk->words = 0;
    walk->uses_bp = walk->too_large = false;
    walk->end = PP_WALK_DEPTH;
    struct walker walker = {
        .walk = walk,
        .bounds = bounds,
        .start = from->sp,
        .ip = from->ip,
        .sp = from->sp,
        .bp = from->bp,
    };
    enter_stack(&walker);
    return walker;
}

/* Leave a function. @return false: not possible, or it has no caller; the walk's end is set. */
static inline bool
step(struct walker *walker, struct pp_walk_rules *rules)
{
    const struct pp_frame_rule by_pointer = {
        .kind = PP_RULE_BP,
        .base = PP_BASE_FROM_TOP,
        .top_offset = 2 * sizeof(uintptr_t),
        .base_offset = -2 * (int32_t)sizeof(uintptr_t),
    };
    struct pp_frame_rule rule = find_rule(rules, walker->ip);
    if (PP_LIKELY(rule.kind >= PP_RULE_SP && !walker->registers.has_kept))
        return leave(walker, rule);
    if (rule.kind >= PP_RULE_SP || rule.kind == PP_RULE_OTHER)
        return leave_by_any(walker);
    if (rule.kind == PP_RULE_POINTER) {
        walker->sure = walker->sure ? walker->sure : walker->walk->frames;
        walker->registers.has_kept = false;
        return leave(walker, by_pointer);
    }
    walker->walk->end = (uint8_t)end_of(rule);
    return false;
}

/* Walk on to the end. */
static void
climb(struct walker *walker, struct pp_walk_rules *rules)
{
    struct pp_walk *walk = walker->walk;
    for (;;) {
        walk->ip[walk->frames++] = walker->ip;
        if (walk->frames == PP_WALK_FRAMES || !step(walker, rules))
            break;
        /* Coroutines end so that no function of the C library began. */
        if (PP_UNLIKELY(walker->ip == 0)) {
            walk->end = PP_WALK_COMPLETE;
            break;
        }
    }
    /* Frame pointers were right only if they led to where the thread began. */
    if (PP_UNLIKELY(walker->sure && walk->end != PP_WALK_COMPLETE && walk->end != PP_WALK_DEPTH)) {
        walk->frames = walker->sure;
        walk->end = PP_WALK_NO_TABLE;
    }
}

/* Walk with all registers, from this function on. Only for what needs it: it takes longer, and is not
 * remembered, because registers decide that struct pp_walk does not have. */
static PP_SLOW void
walk_fully(struct pp_walk_rules *rules, struct pp_walk_bounds *bounds, const struct pp_walk_registers *from,
           struct pp_walk *walk)
{
#ifdef __x86_64__
    struct pp_walk_registers here;
    uintptr_t kept[PP_CFI_KEPT];
    __asm__ volatile("lea 1f(%%rip), %%rax\n1:\n\t"
                     "mov %%rax, %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2\n\t"
                     "mov %%rbx, %3\n\tmov %%r12, %4\n\tmov %%r13, %5\n\tmov %%r14, %6\n\tmov %%r15, %7"
                     : "=m"(here.ip), "=m"(here.sp), "=m"(here.bp), "=m"(kept[0]), "=m"(kept[1]),
                       "=m"(kept[2]), "=m"(kept[3]), "=m"(kept[4])
                     :
                     : "rax");
    const uint32_t frames = walk->frames;
    const uint8_t end = walk->end;
    struct walker walker = begin(bounds, &here, walk);
    memcpy(walker.registers.kept, kept, sizeof(kept));
    walker.registers.has_kept = true;
    for (uint32_t i = 0; i < PP_WALK_FRAMES; i++) {
        if (walker.ip == from->ip && walker.sp == from->sp) {
            climb(&walker, rules);
            break;
        }
        if (!step(&walker, rules))
            break;
    }
    /* A walk that did not come so far: what the first walk has found is still in walk->ip. */
    if (walk->frames < frames) {
        walk->frames = frames;
        walk->end = end;
    }
    walk->too_large = true;
#else
    (void)rules;
    (void)bounds;
    (void)from;
    (void)walk;
#endif
}

void
pp_walk_tables(struct pp_walk_rules *rules, struct pp_walk_bounds *bounds,
               const struct pp_walk_registers *from, struct pp_walk *walk)
{
    struct walker walker = begin(bounds, from, walk);
    climb(&walker, rules);
    if (PP_UNLIKELY(walker.needs_kept))
        walk_fully(rules, bounds, from, walk);
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
pp_walk_frame_pointers(struct pp_walk_rules *rules, struct pp_walk_bounds *bounds,
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
