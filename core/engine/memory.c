/** @file
 * Memory limit; see memory.h. */
#include "core/engine/memory.h"

#include <assert.h>
#include <malloc.h>

#include "core/engine/session_private.h"
#include "core/util/heap.h"
#include "core/util/log.h"

#define TRIM_NS    5000000000ULL      /* between two returns of memory to the system */
#define TRIM_BYTES ((size_t)16 << 20) /* less is not worth it */
/* An application of 32 bits has not much more in all. */
#define MOST_OF_32_BITS ((uint64_t)512 << 20)

void
pp_memory_init(struct pp_session *session)
{
    uint64_t most = session->config.max_memory_bytes;
    if (sizeof(size_t) < sizeof(uint64_t) && most > MOST_OF_32_BITS)
        most = MOST_OF_32_BITS;
    session->transport.waiting_bytes_max = (size_t)(most / 8);
    session->memory.bytes_max = (size_t)(most - most / 8);
    pp_heap_limit((size_t)most, &session->memory.drivers);
}

#define PAUSE_FIRST 8U
#define PAUSE_MOST  1024U

enum pp_level
pp_memory_level_now(const struct pp_session *session, enum pp_level level)
{
    bool coarse = atomic_load_explicit(&session->memory.coarse, memory_order_relaxed) > 0;
    return coarse && level > PP_LEVEL_PASS ? PP_LEVEL_PASS : level;
}

enum pp_level
pp_memory_level(struct pp_session *session, enum pp_level level)
{
    struct pp_memory *memory = &session->memory;
    if (level <= PP_LEVEL_PASS)
        return level;
    unsigned pause = atomic_load_explicit(&memory->pause, memory_order_relaxed);
    if (pp_heap_take_refused()) {
        pause = pause == 0 ? PAUSE_FIRST : pause < PAUSE_MOST ? 2 * pause : PAUSE_MOST;
        atomic_store_explicit(&memory->pause, pause, memory_order_relaxed);
        atomic_store_explicit(&memory->coarse, pause, memory_order_relaxed);
    }
    unsigned left = atomic_load_explicit(&memory->coarse, memory_order_relaxed);
    while (left > 0 && !atomic_compare_exchange_weak(&memory->coarse, &left, left - 1))
        ;
    if (left == 0)
        return level;
    pp_memory_coarser(session);
    return PP_LEVEL_PASS;
}

void
pp_memory_coarser(struct pp_session *session)
{
    atomic_fetch_add_explicit(&session->memory.coarser, 1, memory_order_relaxed);
    pp_log(PP_MSG_COARSER);
}

/* Return freed memory to the system: memory that front ends gave back, and memory of a past peak of
 * waiting batches. The C library would keep such memory in lists whose blocks may fit no later allocation. A
 * peak that comes back before the next call has not passed. malloc_trim() keeps the application's threads
 * from allocating for 1 to 15 ms (heaps of 150 to 460 MB), so it is called seldom. */
static void
trim(struct pp_session *session)
{
    struct pp_memory *memory = &session->memory;
    size_t peak = atomic_exchange(&memory->waiting_peak, 0);
    bool passed = memory->peak_before > TRIM_BYTES && peak < memory->peak_before / 4;
    if (passed || peak > memory->peak_before)
        memory->peak_before = peak;
    if (pp_batch_items_shrink(session, 2 * memory->peak_before))
        passed = true;
#ifdef __GLIBC__
    if (atomic_exchange(&memory->trim, false) || passed)
        (void)malloc_trim(0);
#else
    (void)passed;
#endif
}

void
pp_memory_update(struct pp_session *session, uint64_t now)
{
    struct pp_memory *memory = &session->memory;
    size_t peak = atomic_load_explicit(&memory->waiting_peak, memory_order_relaxed);
    (void)pp_heap_look();
    if (peak > memory->waiting_most)
        memory->waiting_most = peak;
    if (now - memory->trimmed_ns < TRIM_NS)
        return;
    memory->trimmed_ns = now;
    trim(session);
}

/* Note that this many bytes are taken. */
static void
note_most(struct pp_memory *memory, size_t bytes)
{
    size_t most = atomic_load_explicit(&memory->most, memory_order_relaxed);
    while (bytes > most && !atomic_compare_exchange_weak(&memory->most, &most, bytes))
        ;
}

/* Take bytes as long as no more than `limit` are taken, and `spare` bytes are left of --max-memory. */
static bool
take(struct pp_memory *memory, size_t bytes, size_t limit, size_t spare)
{
    size_t before = atomic_fetch_add_explicit(&memory->bytes, bytes, memory_order_relaxed);
    if (bytes > limit || before > limit - bytes || !pp_heap_has(bytes + spare)) {
        atomic_fetch_sub_explicit(&memory->bytes, bytes, memory_order_relaxed);
        return false;
    }
    atomic_fetch_add_explicit(&memory->drivers, bytes, memory_order_relaxed);
    note_most(memory, before + bytes);
    return true;
}

bool
pp_memory_take(struct pp_session *session, size_t bytes)
{
    size_t limit = session->memory.bytes_max;
    return take(&session->memory, bytes, limit, limit / 7);
}

bool
pp_memory_take_queries(struct pp_session *session, size_t bytes)
{
    size_t limit = session->memory.bytes_max;
    return take(&session->memory, bytes, limit - limit / 4, limit / 7 + limit / 4);
}

bool
pp_memory_is_short(const struct pp_session *session)
{
    size_t limit = session->memory.bytes_max;
    return !pp_heap_fits(limit / 7 + limit / 4);
}

void
pp_memory_add(struct pp_session *session, size_t bytes)
{
    struct pp_memory *memory = &session->memory;
    note_most(memory, bytes + atomic_fetch_add_explicit(&memory->bytes, bytes, memory_order_relaxed));
    atomic_fetch_add_explicit(&memory->drivers, bytes, memory_order_relaxed);
}

void
pp_memory_give(struct pp_session *session, size_t bytes)
{
    size_t before = atomic_fetch_sub_explicit(&session->memory.bytes, bytes, memory_order_relaxed);
    assert(before >= bytes);
    (void)before;
    atomic_fetch_sub_explicit(&session->memory.drivers, bytes, memory_order_relaxed);
}

void
pp_memory_is_heap(struct pp_session *session, ptrdiff_t bytes)
{
    atomic_fetch_sub_explicit(&session->memory.drivers, (size_t)bytes, memory_order_relaxed);
}

void
pp_memory_trim(struct pp_session *session)
{
    atomic_store_explicit(&session->memory.trim, true, memory_order_relaxed);
}

void
pp_memory_refused(struct pp_session *session, uint32_t brackets)
{
    atomic_fetch_add_explicit(&session->memory.refused, brackets, memory_order_relaxed);
}
