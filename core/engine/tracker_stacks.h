/** @file
 * Call stacks of passes and actions (option --call-graph). See tracker.h. */
#ifndef PP_CORE_ENGINE_TRACKER_STACKS_H
#define PP_CORE_ENGINE_TRACKER_STACKS_H

#include "core/engine/tracker.h"
#include "core/util/compiler.h"

struct pp_session;

/** Note the call stacks of passes and actions from now on, if the session records stacks. The tracker then
 * calls the front end through an interface that notes the stack first: without stacks nothing is slower. A
 * second call does nothing. @p session may be NULL: no stacks. */
PP_API void pp_track_stacks(struct pp_tracker *tracker, struct pp_session *session);

#endif
