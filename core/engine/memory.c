/** @file
 * Memory limit; see memory.h. */
#include "core/engine/memory.h"

#include <malloc.h>

#include "core/engine/session_private.h"

#define TRIM_NS    5000000000ULL      /* between two returns of memory to the system */
#define TRIM_BYTES ((size_t)32 << 20) /* less is not worth it */
/* An application of 32 bits has not much more in all. */
#define MOST_OF_32_BITS ((uint64_t)512 << 20)

void
pp_memory_init(struct pp_session *session)
{
    uint64_t most = session->config.max_memory_bytes;
    if (sizeof(size_t) < sizeof(uint64_t) && most > MOST_OF_32_BITS)
        most = MOST_OF_32_BITS;
    session->waiting_bytes_max = (size_t)(most / 8);
    session->memory.bytes_max = (size_t)(most - most / 8);
}

/* Return freed memory to the system: memory that front ends gave back, and memory of a past peak of
 * waiting batches. The C library would keep such memory in lists whose blocks may fit no later allocation. */
static void
trim(struct pp_memory *memory, size_t waiting)
{
    bool passed = memory->waiting_peak > TRIM_BYTES && waiting < memory->waiting_peak / 4;
    memory->waiting_peak = waiting;
#ifdef __GLIBC__
    if (atomic_exchange(&memory->trim, false) || passed)
        (void)malloc_trim(0);
#else
    (void)passed;
#endif
}

void
pp_memory_look(struct pp_session *session, uint64_t now)
{
    struct pp_memory *memory = &session->memory;
    size_t waiting = atomic_load_explicit(&session->waiting_bytes, memory_order_relaxed);
    if (waiting > memory->waiting_peak)
        memory->waiting_peak = waiting;
    if (waiting > memory->waiting_most)
        memory->waiting_most = waiting;
    if (now - memory->trimmed_ns < TRIM_NS)
        return;
    memory->trimmed_ns = now;
    trim(memory, waiting);
}

bool
pp_memory_take(struct pp_session *session, size_t bytes)
{
    struct pp_memory *memory = &session->memory;
    size_t before = atomic_fetch_add_explicit(&memory->bytes, bytes, memory_order_relaxed);
    if (bytes > memory->bytes_max || before > memory->bytes_max - bytes) {
        atomic_fetch_sub_explicit(&memory->bytes, bytes, memory_order_relaxed);
        return false;
    }
    size_t most = atomic_load_explicit(&memory->most, memory_order_relaxed);
    while (before + bytes > most && !atomic_compare_exchange_weak(&memory->most, &most, before + bytes))
        ;
    return true;
}

void
pp_memory_give(struct pp_session *session, size_t bytes)
{
    atomic_fetch_sub_explicit(&session->memory.bytes, bytes, memory_order_relaxed);
}

void
pp_memory_trim(struct pp_session *session)
{
    atomic_store_explicit(&session->memory.trim, true, memory_order_relaxed);
}

void
pp_memory_refused(struct pp_session *session)
{
    atomic_fetch_add_explicit(&session->memory.refused, 1, memory_order_relaxed);
}
