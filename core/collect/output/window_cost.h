/** @file
 * What measuring cost in some frames: those of the window (--frames, --delay, --duration, --between), which
 * the session's figures describe, or all but the first ones. Collector thread only. See also session_json.h.
 */
#ifndef PP_CORE_COLLECT_OUTPUT_WINDOW_COST_H
#define PP_CORE_COLLECT_OUTPUT_WINDOW_COST_H

#include "core/config/config.h"
#include "core/engine/overhead.h"
#include "core/util/json_write.h"

struct pp_frame_item;
struct pp_session;

/** Counts that grow through the session, at one moment. */
struct pp_window_counts {
    uint64_t hooks_ns;     /**< time of calls that belong to no batch */
    uint64_t collector_ns; /**< CPU time of the collector thread */
    uint64_t brackets;
};

/** The cost of these frames. All zero: no frame so far. */
struct pp_window_cost {
    uint64_t frames;
    uint64_t frame_time_ns;
    struct pp_overhead hooks[PP_LEVEL_DRAW + 1]; /**< calls of a frame, by its level */
    struct pp_window_counts from, to;            /**< before the first frame, and after the newest one */
};

/** Is this frame inside a window that not all frames are inside of? */
bool pp_window_cost_counts(const struct pp_session *session, const struct pp_frame_item *end);

/** The rows of such a frame will be made now. @param brackets Of the session so far. */
void pp_window_cost_begin(struct pp_window_cost *cost, const struct pp_session *session, uint64_t brackets);

/** The frame was written. @param hooks_ns Time of passprobe's calls in it. @param brackets Of the session so
 * far. */
void pp_window_cost_add(struct pp_window_cost *cost, const struct pp_session *session,
                        const struct pp_frame_item *end, uint64_t hooks_ns, uint64_t brackets);

/** Write what measuring cost in these frames, as a member of the open object. */
void pp_window_cost_write(const struct pp_window_cost *cost, const char *name, struct pp_json *json);

/** Write the member `window` of session.json: the window, and what measuring cost in it. */
void pp_window_cost_json(const struct pp_window_cost *cost, const struct pp_session *session,
                         struct pp_json *json);

#endif
