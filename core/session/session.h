/** @file
 * The session contains everything in a profiled process: configuration, interned names, devices, timelines of
 * frames, the ring, the collector thread and its writers. This file knows no graphics API.
 *
 * Threads: an "application thread" is any thread of the application, inside a hook. The collector is
 * passprobe's thread. No function here blocks an application thread for longer than a short critical section,
 * at the rate of frames, submissions or object creations. */
#ifndef PP_CORE_SESSION_SESSION_H
#define PP_CORE_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/engine/clock.h"
#include "core/engine/names.h"
#include "core/engine/recording.h"
#include "core/events/device_counters.h"
#include "core/model/action_list.h"
#include "core/model/batch.h"
#include "core/session/annotate.h"
#include "core/session/device.h"
#include "core/session/timeline.h"
#include "core/util/compiler.h"
#include "core/util/log.h"
#include "core/util/start.h"

struct pp_session;

/** Use what the shim or the layer keeps of the start, instead of what the core kept, which was loaded later.
 * Call it before the session is made. */
PP_API void pp_session_take_start(const struct pp_start *start);

/**
 * The session of this process, made at the first call. Reads the configuration once; starts no thread and
 * opens no file. Any thread. Hot after the first call.
 *
 * @return NULL if profiling is off: disabled, configuration in error (said once on stderr), a forked child,
 * or stopped for good. Borrowed; lives as long as the process.
 */
PP_API struct pp_session *pp_session_get(void);

/** Is profiling active? False from the moment when profiling stopped (error, size limit, process exit).
 * Hooks then only call the real function. Hot. */
PP_API bool pp_session_active(const struct pp_session *session);

/** Configuration of the session; immutable. */
PP_API const struct pp_config *pp_session_config(const struct pp_session *session);

/** Number of the calling thread's stack, for a submission or the end of a frame; 0: none, or no --call-graph.
 * Also looks for unloaded libraries. Any thread. */
PP_API uint32_t pp_session_event_stack(struct pp_session *session);

/** Add CPU time that a hook took outside of any batch, in nanoseconds. Any thread. */
PP_API void pp_session_overhead(struct pp_session *session, uint64_t ns);

/** Is this process a forked child of the process that made the session? */
bool pp_session_forked(void);

#endif
