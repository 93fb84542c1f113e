/** @file
 * session.json: what a reader must know to believe the CSV files. Rewritten whole, through descriptors that
 * are open since the session's start (replace_file.h), so that it is valid at every moment. */
#ifndef PP_CORE_COLLECT_OUTPUT_SESSION_JSON_H
#define PP_CORE_COLLECT_OUTPUT_SESSION_JSON_H

#include "core/collect/output/about.h"
#include "core/collect/output/window_cost.h"
#include "core/collect/rows/rows.h"
#include "core/util/replace_file.h"

/** Counts of rows. */
struct pp_row_counts {
    uint64_t frames;
    uint64_t passes;
    uint64_t draws;
    uint64_t labels;
    uint64_t unattributed_passes;
    uint64_t conditional_passes;
    uint64_t kept_frames; /**< frames with fine rows */
};

/** What the collector knows besides the session. */
struct pp_session_state {
    const char *ended;            /**< "running", "exit", or why it stopped */
    uint64_t revision;            /**< of session.json: how often it was written */
    struct pp_row_counts taken;   /**< rows that the writers have */
    struct pp_row_counts written; /**< rows that the files hold at least: what session.json says */
    uint64_t dropped_frames;
    uint64_t not_recorded;        /**< frames that ended while recording was paused */
    uint64_t incomplete_frames;   /**< written without some of their results */
    uint64_t late_batches;        /**< results that came after their frame was written without them */
    uint64_t keep_lost;           /**< frames near slow ones whose fine rows were given up */
    uint64_t frame_time_ns;       /**< of all frames, for the share of passprobe's overhead */
    uint64_t hooks_ns;            /**< time in passprobe's hooks, on the application's threads */
    uint64_t hooks_usual_ns;      /**< the same from medians: see overhead.h */
    uint64_t collector_ns;        /**< CPU time of the collector thread */
    struct pp_window_cost window; /**< of the frames inside the window, where there is one */
    struct pp_window_cost later;  /**< of all frames but the first ones */
    uint64_t first_frames;        /**< frames that are first ones, or may be, so far */
    bool past_first;              /**< no further frame is a first one */
    struct pp_frame_notes notes;
    struct pp_about about; /**< of the application and the machine */
};

/** Make session.json and its spare in the session directory, by the thread that begins the session; with the
 * session's lock. @retval 0 Both are open. @retval -errno Nothing is there. */
__attribute__((warn_unused_result)) int pp_session_json_begin_locked(struct pp_session *session, int dir_fd,
                                                                     struct pp_session_state *state,
                                                                     struct pp_replaced *ret_file);

/** Write session.json again; takes the session's lock. @retval 0, -errno: an older version stays. */
__attribute__((warn_unused_result)) int
pp_session_json_write(struct pp_session *session, struct pp_session_state *state, struct pp_replaced *file);

#endif
