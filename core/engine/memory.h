/** @file
 * Module: memory that passprobe uses in the application, limited by --max-memory. An eighth is for results
 * that wait for the collector (pp_session_transport.waiting_bytes_max). The rest is for what front ends need
 * until results are available: query objects and memory for their results. This file knows no graphics API.
 */
#ifndef PP_CORE_ENGINE_MEMORY_H
#define PP_CORE_ENGINE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/api.h"

struct pp_session;

/** Estimated bytes of a driver's query object. llvmpipe's has 720, including what Mesa stores for it (Mesa
 * 22.3.6, from the growth of a process with 1.3 million of them); hardware drivers use 200 to 4,000. */
#define PP_MEMORY_QUERY 800U

/** How much is taken, in the session. */
struct pp_memory {
    size_t bytes_max;      /**< immutable after pp_session_get() */
    atomic_size_t bytes;   /**< taken */
    atomic_size_t most;    /**< that was ever taken */
    atomic_bool trim;      /**< much was freed */
    atomic_size_t refused; /**< brackets */
    atomic_size_t
        waiting_peak; /**< most bytes that waited for the collector since freed memory was last returned */
    /* collector thread only */
    size_t waiting_most; /**< most bytes that ever waited for the collector */
    size_t peak_before;  /**< the peak that has not passed */
    uint64_t trimmed_ns; /**< when memory was last returned */
};

/**
 * Request memory from passprobe's limit, before it is allocated from the system or the driver.
 *
 * @return false: too little is left; nothing was taken. Any thread; never waits.
 */
PP_API __attribute__((warn_unused_result)) bool pp_memory_take(struct pp_session *session, size_t bytes);

/** pp_memory_take() for query objects whose results need memory of their own: it leaves a quarter of the
 * limit for these results. Any thread; never waits. */
PP_API __attribute__((warn_unused_result)) bool pp_memory_take_queries(struct pp_session *session,
                                                                       size_t bytes);

/** Count memory against the limit that is needed even beyond it: without this memory, the application's
 * commands could not run. pp_memory_take() grants less meanwhile. Any thread; never waits. */
PP_API void pp_memory_add(struct pp_session *session, size_t bytes);

/** Give back what pp_memory_take() granted or pp_memory_add() counted. Any thread. */
PP_API void pp_memory_give(struct pp_session *session, size_t bytes);

/** Report that much memory was freed: the collector returns it to the system soon. Any thread. */
PP_API void pp_memory_trim(struct pp_session *session);

/** Count brackets that were left out because of missing memory, for session.json. Any thread. */
PP_API void pp_memory_refused(struct pp_session *session, uint32_t brackets);

/** Divide config.max_memory_bytes among its uses, before any memory is taken. */
void pp_memory_init(struct pp_session *session);

/** Once in each of the collector's rounds: note what waits, return freed memory to the system. */
void pp_memory_update(struct pp_session *session, uint64_t now);

#endif
