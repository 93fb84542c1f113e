/** @file
 * The call stacks of a session; see stacks.h. */
#include "core/stack/stacks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/stack/thread_stacks.h"
#include "core/stack/unwind_table.h"
#include "core/util/compiler.h"
#include "core/util/hash.h"
#include "core/util/intern.h"
#include "core/util/json_write.h"

#define STACKS_MAX 65536U /* different stacks of a session */
#define ADDRESSES_MAX                                                                                        \
    131072U /* different lists of return addresses: the same stack through several hooks                     \
             */

struct pp_stacks {
    /* immutable after create */
    enum pp_call_graph method;
    /* lock themselves */
    struct pp_modules modules;
    struct pp_thread_list threads;
    struct pp_intern addresses; /* struct pp_stack_addresses */
    struct pp_intern stacks;    /* struct pp_stack, as far as it has frames */
    /* atomic */
    _Atomic uint32_t *stack_of; /* number of the stack by number of the addresses, + 1; 0: not known yet */
};

int
pp_stacks_create(enum pp_call_graph method, struct pp_stacks **ret_stacks)
{
    struct pp_stacks *stacks = calloc(1, sizeof(*stacks));
    if (!stacks)
        return -ENOMEM;
    stacks->method = method;
    int rc = pp_modules_init(&stacks->modules);
    if (rc)
        goto no_modules;
    rc = pp_thread_list_init(&stacks->threads);
    if (rc)
        goto no_threads;
    rc = pp_intern_init(&stacks->addresses, ADDRESSES_MAX);
    if (rc)
        goto no_addresses;
    rc = pp_intern_init(&stacks->stacks, STACKS_MAX);
    if (rc)
        goto no_stacks;
    stacks->stack_of = calloc(ADDRESSES_MAX + 1, sizeof(*stacks->stack_of));
    rc = !stacks->stack_of ? -ENOMEM : !pp_unwind_table_works() ? -ENOTSUP : 0;
    if (rc)
        goto no_numbers;
    pp_modules_look(&stacks->modules);
    *ret_stacks = stacks;
    return 0;

no_numbers:
    free(stacks->stack_of);
    pp_intern_finish(&stacks->stacks);
no_stacks:
    pp_intern_finish(&stacks->addresses);
no_addresses:
    pp_thread_list_finish(&stacks->threads);
no_threads:
    pp_modules_finish(&stacks->modules);
no_modules:
    free(stacks);
    return rc;
}

void
pp_stacks_destroy(struct pp_stacks *stacks)
{
    if (!stacks)
        return;
    pp_thread_list_finish(&stacks->threads);
    free(stacks->stack_of);
    pp_intern_finish(&stacks->stacks);
    pp_intern_finish(&stacks->addresses);
    pp_modules_finish(&stacks->modules);
    free(stacks);
}

/* Make frames of return addresses, and find the number of the stack. */
static uint32_t
make_stack(struct pp_stacks *stacks, struct pp_thread_stacks *thread)
{
    const struct pp_walk *walk = &thread->walk;
    struct pp_stack *stack = &thread->stack;
    bool own = true;
    memset(stack, 0, sizeof(*stack));
    stack->end = walk->end;
    for (uint32_t i = 0; i < walk->frames; i++) {
        uintptr_t call = walk->ip[i] - 1, bias = 0;
        bool is_own = false;
        uint32_t module = pp_modules_find(&stacks->modules, call, &bias, &is_own);
        if (module == PP_NO_MODULE)
            module = pp_modules_find_image(&stacks->modules, call, &bias);
        own = own && is_own;
        if (own)
            continue;
        if (stack->frames == PP_STACK_FRAMES) {
            stack->end = PP_WALK_DEPTH;
            break;
        }
        stack->frame[stack->frames++] = (struct pp_stack_frame){.offset = call - bias, .module = module};
    }
    size_t size = offsetof(struct pp_stack, frame) + stack->frames * sizeof(stack->frame[0]);
    return pp_intern(&stacks->stacks, stack, size);
}

/* The number of the return addresses that the thread's walk found. */
static uint32_t
intern_addresses(struct pp_stacks *stacks, struct pp_thread_stacks *thread)
{
    const struct pp_walk *walk = &thread->walk;
    struct pp_stack_addresses *addresses = &thread->addresses;
    addresses->epoch = atomic_load_explicit(&stacks->modules.epoch, memory_order_acquire);
    addresses->end = walk->end;
    uint64_t hash = pp_hash_mix(addresses->epoch, addresses->end);
    for (uint32_t i = 0; i < walk->frames; i++) {
        addresses->ip[i] = walk->ip[i];
        hash = pp_hash_mix(hash, walk->ip[i]);
    }
    return pp_intern_hashed(&stacks->addresses, hash, addresses,
                            offsetof(struct pp_stack_addresses, ip) + walk->frames * sizeof(walk->ip[0]));
}

/* The number of the stack that the thread's walk found; 0: none. */
static uint32_t
number_of(struct pp_stacks *stacks, struct pp_thread_stacks *thread)
{
    uint32_t id = intern_addresses(stacks, thread);
    uint32_t known = id ? atomic_load_explicit(&stacks->stack_of[id], memory_order_acquire) : 0;
    if (PP_LIKELY(known))
        return known - 1;
    pp_modules_look(&stacks->modules);
    id = intern_addresses(stacks, thread);
    uint32_t number = make_stack(stacks, thread);
    if (id && number)
        atomic_store_explicit(&stacks->stack_of[id], number + 1, memory_order_release);
    return number;
}

static bool
is_own(void *user, uintptr_t ip)
{
    uintptr_t bias = 0;
    bool own = false;
    return pp_modules_find(user, ip - 1, &bias, &own) != PP_NO_MODULE && own;
}

static void
find_stack(struct pp_stacks *stacks, struct pp_thread_stacks *thread, const struct pp_walk_registers *from)
{
    struct pp_walk *walk = &thread->walk;
    if (stacks->method == PP_CALL_GRAPH_FP) {
        pp_walk_frame_pointers(&thread->rules, &thread->bounds, is_own, &stacks->modules, from, walk);
        return;
    }
    pp_walk_tables(&thread->rules, &thread->bounds, from, walk);
}

/* Forget what may be wrong since objects were loaded or unloaded. */
static PP_SLOW void
forget(struct pp_thread_stacks *thread, uint64_t epoch)
{
    pp_memo_clear(&thread->memo);
    memset(&thread->rules, 0, sizeof(thread->rules));
    thread->epoch = epoch;
}

/* Check a hit: does a walk find the same stack? */
static PP_SLOW void
check_hit(struct pp_stacks *stacks, struct pp_thread_stacks *thread, const struct pp_walk_registers *from,
          uint32_t stack)
{
    int saved = errno;
    find_stack(stacks, thread, from);
    (void)pp_thread_count(thread, PP_STACK_CHECKED);
    if (number_of(stacks, thread) != stack) {
        (void)pp_thread_count(thread, PP_STACK_WRONG);
        pp_memo_clear(&thread->memo);
    }
    errno = saved;
}

static PP_SLOW uint32_t
miss(struct pp_stacks *stacks, struct pp_thread_stacks *thread, const struct pp_walk_registers *from)
{
    int saved = errno;
    find_stack(stacks, thread, from);
    uint32_t number = number_of(stacks, thread);
    if (number)
        pp_memo_add(&thread->memo, from, &thread->walk, number);
    else
        (void)pp_thread_count(thread, PP_STACK_LOST);
    (void)pp_thread_count(thread, PP_STACK_MISSES);
    errno = saved;
    return number;
}

static uint32_t
find(struct pp_stacks *stacks, struct pp_thread_stacks *thread, const struct pp_walk_registers *from)
{
    uint64_t epoch = atomic_load_explicit(&stacks->modules.epoch, memory_order_acquire);
    if (epoch != thread->epoch)
        forget(thread, epoch);
    const struct pp_memo_entry *entry = pp_memo_find(&thread->memo, from);
    if (!entry)
        return miss(stacks, thread, from);
    uint32_t stack = entry->stack;
    if (pp_thread_count(thread, PP_STACK_HITS) % PP_STACK_CHECK_EVERY == 0)
        check_hit(stacks, thread, from, stack);
    return stack;
}

/* The thread's first stack: make its entry. */
static struct pp_thread_stacks *
enter(struct pp_stacks *stacks)
{
    int saved = errno;
    struct pp_thread_stacks *thread = pp_thread_stacks_create(&stacks->threads);
    if (thread)
        thread->owner = stacks;
    errno = saved;
    return thread;
}

/* pp_stacks_here() for all cases. @p thread may be NULL. Registers as arguments, so that they need no memory
 * in pp_stacks_here(). */
static PP_SLOW uint32_t
find_any(struct pp_stacks *stacks, struct pp_thread_stacks *thread, uintptr_t ip, uintptr_t sp, uintptr_t bp)
{
    const struct pp_walk_registers from = {.ip = ip, .sp = sp, .bp = bp};
    if (!thread)
        thread = enter(stacks);
    if (!thread || thread->busy)
        return 0;
    thread->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    uint32_t stack = find(stacks, thread, &from);
    atomic_signal_fence(memory_order_seq_cst);
    thread->busy = false;
    return stack;
}

/* Is the next hit of a thread an ordinary one, which needs no check? */
static inline bool
is_ordinary(const struct pp_stacks *stacks, const struct pp_thread_stacks *thread)
{
    uint64_t hits = atomic_load_explicit(&thread->count[PP_STACK_HITS], memory_order_relaxed);
    return !thread->busy &&
           thread->epoch == atomic_load_explicit(&stacks->modules.epoch, memory_order_acquire) &&
           (hits + 1) % PP_STACK_CHECK_EVERY != 0;
}

/* Not inlined: the frame of this function is where walks begin. */
PP_SLOW uint32_t
pp_stacks_here(struct pp_stacks *stacks)
{
    if (!stacks)
        return 0;
    struct pp_thread_stacks *thread = pp_thread_stacks_current;
    /* With a frame pointer, the caller's base pointer and the return address are above it: AMD64 ABI 3.2.2.
     * Other processors have no rules yet, and pp_stacks_create() fails there. */
    const uintptr_t *frame = __builtin_frame_address(0);
    const struct pp_walk_registers from = {
        .ip = (uintptr_t)__builtin_return_address(0),
        .sp = (uintptr_t)(frame + 2),
        .bp = *frame,
    };
    if (PP_UNLIKELY(!thread || !is_ordinary(stacks, thread)))
        return find_any(stacks, thread, from.ip, from.sp, from.bp);
    thread->busy = true;
    atomic_signal_fence(memory_order_seq_cst);
    const struct pp_memo_entry *entry = pp_memo_next(&thread->memo, &from);
    uint32_t stack = 0;
    if (PP_LIKELY(entry)) {
        stack = entry->stack;
        (void)pp_thread_count(thread, PP_STACK_HITS);
    }
    atomic_signal_fence(memory_order_seq_cst);
    thread->busy = false;
    return PP_LIKELY(entry) ? stack : find_any(stacks, thread, from.ip, from.sp, from.bp);
}

void
pp_stacks_look(struct pp_stacks *stacks)
{
    if (stacks)
        pp_modules_look(&stacks->modules);
}

const struct pp_stack *
pp_stacks_get(struct pp_stacks *stacks, uint32_t number)
{
    const struct pp_intern_entry *entry = pp_intern_get(&stacks->stacks, number);
    return entry ? (const struct pp_stack *)(const void *)entry->bytes : NULL;
}

struct pp_modules *
pp_stacks_modules(struct pp_stacks *stacks)
{
    return &stacks->modules;
}

struct pp_stack_counts
pp_stacks_counts(struct pp_stacks *stacks)
{
    uint64_t count[PP_STACK_COUNTERS];
    pp_thread_list_counts(&stacks->threads, count);
    return (struct pp_stack_counts){
        .hits = count[PP_STACK_HITS],
        .misses = count[PP_STACK_MISSES],
        .checked = count[PP_STACK_CHECKED],
        .wrong = count[PP_STACK_WRONG],
        .lost = count[PP_STACK_LOST],
    };
}

void
pp_stacks_json(struct pp_stacks *stacks, struct pp_json *json)
{
    if (!stacks)
        return;
    struct pp_stack_counts counts = pp_stacks_counts(stacks);
    uint64_t ends[PP_WALK_ENDS] = {0};
    const struct pp_stack *stack = pp_stacks_get(stacks, 1);
    for (uint32_t i = 2; stack; stack = pp_stacks_get(stacks, i++))
        ends[stack->end]++;
    pp_json_open(json, "stacks", '{');
    pp_json_text(json, "method", pp_call_graph_name(stacks->method));
    pp_json_u64(json, "count", atomic_load(&stacks->stacks.count));
    pp_json_u64(json, "hits", counts.hits);
    pp_json_u64(json, "misses", counts.misses);
    pp_json_u64(json, "checked", counts.checked);
    pp_json_u64(json, "wrong", counts.wrong);
    pp_json_u64(json, "lost", counts.lost);
    pp_json_open(json, "truncated", '{');
    for (unsigned end = PP_WALK_COMPLETE + 1; end < PP_WALK_ENDS; end++)
        if (ends[end])
            pp_json_u64(json, pp_walk_end_name((enum pp_walk_end)end), ends[end]);
    pp_json_close(json, '}');
    pp_json_close(json, '}');
}
