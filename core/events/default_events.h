/** @file
 * Default events of the kernel: counters that are measured without `-e`, if the kernel permits it and the
 * application's driver has none. This file knows no graphics API. See also event_selection.h. */
#ifndef PP_CORE_EVENTS_DEFAULT_EVENTS_H
#define PP_CORE_EVENTS_DEFAULT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/util/compiler.h"

struct pp_event_source;
struct pp_session;

/**
 * The kernel's source with a default set for a GPU, if the user gave no list. Opens it the first time;
 * nothing is opened on other machines. With the session's lock.
 *
 * @param vendor,gpu As pp_device_info has them.
 * @return The session's; it may have nothing but a reason. NULL: none.
 */
const struct pp_event_source *pp_default_events_source_locked(struct pp_session *session, uint32_t vendor,
                                                              uint32_t gpu);

/** Would the kernel's counters of a GPU of this vendor (PP_VENDOR_*) be measured by default, without an
 * event list? Opens them the first time. Any thread; reads files.
 * @param source Name of the source: "oa", "mali". */
PP_API bool pp_session_default_events(struct pp_session *session, const char *source, uint32_t vendor);

#endif
