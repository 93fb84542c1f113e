/** @file
 * Module: the memory that passprobe holds in the application, bounded by --max-memory. An eighth of it is for
 * results that wait for the collector (session_private.h, waiting_bytes_max); the rest is for what front ends
 * need until results come: query objects and the memory that they land in. Knows no graphics API. */
#ifndef PP_CORE_ENGINE_MEMORY_H
#define PP_CORE_ENGINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/engine/session.h"

/** Bytes of a driver's query object, as estimated: llvmpipe's has 720 with what Mesa keeps for it
 * (Mesa 22.3.6, from the growth of a process with 1.3 million of them); drivers of hardware take 200 to
 * 4,000. */
#define PP_MEMORY_QUERY 800U

/**
 * Ask for memory before it is taken from the system or the driver.
 *
 * @return false: so much is not left; nothing was taken. Any thread; never waits.
 */
PP_API __attribute__((warn_unused_result)) bool pp_memory_take(struct pp_session *session, size_t bytes);

/** Give back what pp_memory_take() granted. Any thread. */
PP_API void pp_memory_give(struct pp_session *session, size_t bytes);

/** Much was freed: the collector returns it to the system soon. Any thread. */
PP_API void pp_memory_trim(struct pp_session *session);

/** A bracket was not taken for want of memory; counted for session.json. Any thread. */
PP_API void pp_memory_refused(struct pp_session *session);

#endif
