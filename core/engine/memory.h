/** @file
 * Module: memory that passprobe uses in the application, limited by --max-memory. What it allocates itself is
 * counted by core/util/heap.h; this file counts what front ends need until results are available: query
 * objects and memory for their results. Both together stay within the limit. An eighth is for results that
 * wait for the collector (pp_session_transport.waiting_bytes_max). Where memory was short, the frames that
 * follow are measured at a coarser level. This file knows no graphics API. */
#ifndef PP_CORE_ENGINE_MEMORY_H
#define PP_CORE_ENGINE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/util/compiler.h"

struct pp_session;

/** Estimated bytes of a driver's query object. llvmpipe's has 720, including what Mesa stores for it (Mesa
 * 22.3.6, from the growth of a process with 1.3 million of them); hardware drivers use 200 to 4,000. */
#define PP_MEMORY_QUERY 800U

/** How much is taken, in the session. */
struct pp_memory {
    size_t bytes_max;         /**< immutable after pp_session_get() */
    atomic_size_t bytes;      /**< taken */
    atomic_size_t drivers;    /**< the part of it that core/util/heap.h does not count */
    atomic_size_t most;       /**< that was ever taken */
    atomic_bool trim;         /**< much was freed */
    atomic_size_t refused;    /**< brackets */
    atomic_uint pause;        /**< how many frames the last pause from level draw had; 0: there was none */
    atomic_uint coarse;       /**< frames that are left of the pause */
    _Atomic uint64_t coarser; /**< all frames that were measured at a coarser level */
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

/** Is so little of --max-memory left that pp_memory_take_queries() refuses more? If true is returned, the
 * frames that follow are measured at a coarser level (pp_memory_level()). Any thread. */
PP_API bool pp_memory_is_short(const struct pp_session *session);

/** pp_memory_take() for query objects whose results need memory of their own: it leaves a quarter of the
 * limit for these results. Any thread; never waits. */
PP_API __attribute__((warn_unused_result)) bool pp_memory_take_queries(struct pp_session *session,
                                                                       size_t bytes);

/** Count memory against the limit that is needed even beyond it: without this memory, the application's
 * commands could not run. pp_memory_take() grants less meanwhile. Any thread; never waits. */
PP_API void pp_memory_add(struct pp_session *session, size_t bytes);

/** Give back what pp_memory_take() granted or pp_memory_add() counted. Any thread. */
PP_API void pp_memory_give(struct pp_session *session, size_t bytes);

/** Some of the bytes that were taken or added are blocks of the C library, which core/util/heap.h counts,
 * too: count them only there. Any thread. @param bytes Their number; before they are given back, the same
 * number with a minus. */
PP_API void pp_memory_is_heap(struct pp_session *session, ptrdiff_t bytes);

/**
 * Choose the level of a frame that begins. When memory was short, eight frames are measured at a coarser
 * level than draw; when it is short again after them, twice as many, up to 1,024.
 *
 * @return @p level, or level pass. Any thread; never waits.
 */
enum pp_level pp_memory_level(struct pp_session *session, enum pp_level level);

/** The level that pp_memory_level() would choose now, without an effect on later frames. Any thread. */
enum pp_level pp_memory_level_now(const struct pp_session *session, enum pp_level level);

/** Count a frame that was measured or written at a coarser level for want of memory. Any thread. */
void pp_memory_coarser(struct pp_session *session);

/** Report that much memory was freed: the collector returns it to the system soon. Any thread. */
PP_API void pp_memory_trim(struct pp_session *session);

/** Count brackets that were left out because of missing memory, for session.json. Any thread. */
PP_API void pp_memory_refused(struct pp_session *session, uint32_t brackets);

/** Divide config.max_memory_bytes among its uses, before any memory is taken. */
void pp_memory_init(struct pp_session *session);

/** Once in each of the collector's rounds: note what waits, return freed memory to the system. */
void pp_memory_update(struct pp_session *session, uint64_t now);

#endif
