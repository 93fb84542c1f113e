/** @file
 * System counters: what frames measure in addition to the GPU's work. They count the presenting thread (perf
 * events), the process (DRM's accounting) and the machine (clocks, temperature, power). The CPU reads these
 * sources through their interface. Their values belong to a frame and are not sums of its passes. This file
 * knows no graphics API. See also system_counters_read.h, timeline.c. */
#ifndef PP_CORE_EVENTS_SYSTEM_COUNTERS_H
#define PP_CORE_EVENTS_SYSTEM_COUNTERS_H

#include "core/engine/only_set.h"
#include "core/engine/session_private.h"

struct pp_system_counters;
struct pp_value;

/**
 * Plan the selected events of these sources and add their columns. Call with the session's lock, before the
 * collector starts.
 *
 * @param source,sources Borrowed for the process.
 * @param ret Set on success; NULL if no event is selected. For pp_system_counters_destroy().
 * @param error    PP_EVENT_SELECTION_ERROR_MAX bytes, written on -EINVAL.
 * @retval 0       Planned; events that cannot be measured are in pp_system_counters_missing().
 * @retval -EINVAL The list contains an event that no source has.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_system_counters_create(struct pp_session *session, const struct pp_event_source *source, size_t sources,
                          struct pp_system_counters **ret, char *error);

/** Free the system counters; NULL is fine. */
void pp_system_counters_destroy(struct pp_system_counters *system_counters);

/** Why events that were asked for are not measured; a list, borrowed. */
const struct pp_missing *pp_system_counters_missing(const struct pp_system_counters *system_counters);

/** The @p i-th event that is measured, each once, as "source:name" in @p out. @retval false past the last. */
bool pp_system_counters_got(const struct pp_system_counters *system_counters, uint32_t i, char *out,
                            size_t size);

/** Number of sets in the rotation; 0 and 1: there is no rotation. */
uint32_t pp_system_counters_sets(const struct pp_system_counters *system_counters);

/** Which of the sets is measured, if not all are (--only-set). Never NULL. */
const struct pp_only_set *pp_system_counters_only_set(const struct pp_system_counters *system_counters);

/** The @p i-th event that is measured in set @p set, as pp_system_counters_got() has them. */
bool pp_system_counters_got_in(const struct pp_system_counters *system_counters, uint32_t set, uint32_t i,
                               char *out, size_t size);

/** Sources that brackets may read too (PP_READ_THREAD, PP_READ_IDLE), for devices whose brackets do. */
const struct pp_event_source *pp_system_counters_brackets(const struct pp_system_counters *system_counters,
                                                          uint32_t *ret_count);

/** Bytes of a snapshot of pp_system_counters_read(); 0 if system_counters is NULL. */
size_t pp_system_counters_bytes(const struct pp_system_counters *system_counters);

#endif
