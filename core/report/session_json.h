/** @file
 * Room: session.json, what a reader must know to believe the CSV files. Rewritten whole beside itself and
 * renamed, so that it is valid at every moment. Collector thread only. */
#ifndef PP_CORE_REPORT_SESSION_JSON_H
#define PP_CORE_REPORT_SESSION_JSON_H

#include "core/frame.h"

/** What the collector knows besides the session. */
struct pp_session_state {
    const char *ended; /**< "running", "exit", or why it stopped */
    uint64_t frames;
    uint64_t passes;
    uint64_t draws;
    uint64_t unattributed_passes;
    uint64_t dropped_frames;
    uint64_t incomplete_frames; /**< written without some of their results */
    uint64_t late_batches;      /**< results that came after their frame was written without them */
    uint64_t frame_time_ns;     /**< of all frames, for the share of our own cost */
    uint64_t hooks_ns;          /**< time in our hooks, on the program's threads */
    uint64_t hooks_usual_ns;    /**< the same from medians: see own.h */
    uint64_t collector_ns;      /**< CPU time of the collector thread */
    struct pp_frame_notes notes;
    char *command; /**< /proc/self/cmdline: arguments, each NUL-terminated */
    size_t command_len;
    uint64_t start_realtime_ns; /**< CLOCK_REALTIME when the session began */
};

/** Write it. @param ret_bytes Its length; untouched on failure. @retval 0, -errno: the older file stays. */
__attribute__((warn_unused_result)) int pp_session_json_write(struct pp_session *session, int dir_fd,
                                                              const struct pp_session_state *state,
                                                              uint64_t *ret_bytes);

#endif
