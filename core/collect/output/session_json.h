/** @file
 * session.json: what a reader must know to believe the CSV files. Rewritten whole, through descriptors that
 * are open since the session's start (replace_file.h), so that it is valid at every moment.
 *
 * Facts about the application and the machine do not change while the session runs. They are read once, at
 * the session's start, because the application may confine itself later.
 *
 * What measuring cost is summed over some frames: those of the window (--frames, --delay, --duration,
 * --between), which the session's figures describe, and all but the first ones. Collector thread only. This
 * file knows no graphics API. */
#ifndef PP_CORE_COLLECT_OUTPUT_SESSION_JSON_H
#define PP_CORE_COLLECT_OUTPUT_SESSION_JSON_H

#include <stddef.h>
#include <stdint.h>

#include "core/collect/rows/rows.h"
#include "core/config/config.h"
#include "core/engine/overhead.h"
#include "core/util/json_write.h"
#include "core/util/replace_file.h"
#include "counters/util/random.h"

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

struct pp_json;

/** An application and its machine. */
struct pp_about {
    char session_id[PP_RANDOM_ID_MAX]; /**< that no other session has; "": the kernel gave no random bytes */
    char *executable;                  /**< path; NULL: not known */
    const char
        *command; /**< arguments at the process's start, each NUL-terminated; static; NULL: not known */
    size_t command_len;
    uint64_t start_monotonic_ns; /**< when the session began, by CLOCK_MONOTONIC */
    uint64_t start_boottime_ns;  /**< the same by CLOCK_BOOTTIME, which goes on while the machine sleeps */
    uint64_t start_realtime_ns;  /**< the same moment by CLOCK_REALTIME, as the clocks differed then */
    char start[80];              /**< the same moment: "2026-01-31T23:59:59Z" */
    char name[65];               /**< name of the machine; like all texts below "" if not known */
    char kernel[65];
    char machine[65];
    char os[256];
    char cpu[256];
    uint64_t cpus;         /**< on line; 0: not known */
    uint64_t memory_bytes; /**< 0: not known */
};

/** Read all facts. Opens files; facts that cannot be read stay unknown.
 * @param start_ns When the session began, by CLOCK_MONOTONIC. */
void pp_about_read(struct pp_about *ret, uint64_t start_ns);

/** Free the texts that pp_about_read() has made. */
void pp_about_finish(struct pp_about *about);

/** Write the member "session_id" of session.json, or nothing where there is none. */
void pp_about_id_json(const struct pp_about *about, struct pp_json *json);

/** Write the members "program" and "host" of session.json. Opens no file. */
void pp_about_json(const struct pp_about *about, struct pp_json *json, uint64_t pid);

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
