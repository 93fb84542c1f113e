/** @file
 * The summary of a session: what `stat` and the head of `report` print, and what --json writes. Which
 * surfaces (windows, pbuffers) matter, the figures of each, and its counters. Prints nothing. See also
 * print/report.h. */
#ifndef PP_CLI_ANALYSIS_SUMMARY_H
#define PP_CLI_ANALYSIS_SUMMARY_H

#include <stddef.h>

#include "cli/analysis/pass_table.h"
#include "cli/analysis/table.h"
#include "cli/session/saved_session.h"

/** Times of frames. */
enum pp_time_kind {
    PP_TIME_FRAME,
    PP_TIME_CPU_BUSY,
    PP_TIME_CPU_WAIT,
    PP_TIME_GPU,
    PP_TIME_GPU_BUSY,
    PP_TIME_GPU_WAIT,
    PP_TIME_KINDS,
};

/** Statistics of one kind of time; NaN where there are no values, or too few of them for a percentile. */
struct pp_time_figures {
    double frames; /**< values */
    double mean_ns, p5_ns, p50_ns, p95_ns, p99_ns, p999_ns, max_ns;
    double max_frame; /**< number of the frame with max_ns */
    struct pp_spread spread;
};

/** The columns of tables of times. */
extern const struct pp_columns pp_time_columns;

/** Names of the kinds of times in JSON. */
extern const char *const pp_time_kind_name[PP_TIME_KINDS];

/** Bins of the histogram. */
#define PP_HISTOGRAM_BINS 5U

/** Frame times by size. Each bin is twice as wide as the one before it; the median is in the second one. */
struct pp_histogram {
    double from_ns[PP_HISTOGRAM_BINS]; /**< the last bin has no end */
    uint64_t frames[PP_HISTOGRAM_BINS];
};

/** Figures without the frames that created shader programs or pipelines. All zero if there are none of those,
 * or if fewer frames would be left than are left out. */
struct pp_plain_summary {
    uint64_t left_out; /**< frames; 0: there are no such figures */
    double create_ns;  /**< time that they took to create */
    double fps, low_1_fps;
    struct pp_time_figures time[PP_TIME_KINDS];
};

/** One surface: its frames, and its passes. */
struct pp_surface_summary {
    const struct pp_saved_surface *surface; /**< borrowed */
    size_t index;                           /**< in rec->surface */
    const json_t *device;                   /**< of session.json's devices; borrowed; NULL: not known */
    bool software;                          /**< its driver renders on the CPU */
    size_t cpu_level, gpu_level;            /**< the levels whose frames give the times */
    uint64_t left_out;                      /**< frames with times at other levels than cpu_level */
    uint64_t finer;                         /**< frames at level pass or draw */
    double fps;                             /**< frames / their time; NaN: not known */
    double low_1_fps, low_01_fps;           /**< 1 / mean of the slowest 1 % and 0.1 %; NaN: too few frames */
    struct pp_time_figures time[PP_TIME_KINDS];
    struct pp_plain_summary plain;
    struct pp_histogram histogram; /**< of frame times, where there are any */
    uint64_t verdict[PP_VERDICT_COUNT];
    uint64_t no_work; /**< frames without a verdict because the GPU had no work */
    struct pp_pass_table passes;
};

/** Does this driver or device render on the CPU? @param name Of the device, as the driver has it. */
bool pp_summary_is_software(const char *name);

/** Was this surface rendered on the CPU? */
bool pp_surface_is_software(const struct pp_saved_session *rec, size_t surface);

/**
 * Summarize one surface. Its passes are shown from now on, as pp_saved_show() does.
 *
 * @param rec     Its series get sorted. The summary is valid until pp_saved_show() is called again.
 * @param index   Of the surface.
 * @param orphans Include work of no frame.
 * @param ret     The caller finishes it.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_surface_summary_make(struct pp_saved_session *rec, size_t index,
                                                                bool orphans, const struct pp_view *view,
                                                                struct pp_surface_summary *ret);

/** Free what a summary owns. */
void pp_surface_summary_finish(struct pp_surface_summary *summary);

/** Most surfaces that matter. */
#define PP_SURFACES_MATTER 4U

/** A surface in the ranking. */
struct pp_surface_rank {
    size_t index;  /**< in rec->surface */
    double gpu_ns; /**< GPU time of its frames without the first one; 0: none was measured */
    double share;  /**< its part of all surfaces' GPU time; NaN: none of them has any */
};

/** Surfaces by GPU time, then by frames, then as they came. Owned; begin with all zero. */
struct pp_surface_ranking {
    struct pp_surface_rank *rank;
    size_t len;    /**< all surfaces of the session */
    size_t matter; /**< this many, from the first on, matter: each has 5 % of all GPU time or, if its own was
                      not measured, 10 % of all frames; 1 at least, where there is a surface,
                      PP_SURFACES_MATTER at most */
};

/** Rank the surfaces of a session. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_surfaces_rank(const struct pp_saved_session *rec,
                                                         struct pp_surface_ranking *ret);

/** Free a ranking. */
void pp_surface_ranking_finish(struct pp_surface_ranking *ranking);

/** A counter in a surface's frames without first frames: of a session, or read from the JSON of a report. */
struct pp_counter_figures {
    const char *name;   /**< of its column; borrowed */
    const char *unit;   /**< of a metric, else ""; borrowed */
    double mean;        /**< per frame; of a state: its mean, weighted with GPU time */
    double frames;      /**< in which it was measured */
    double duty, error; /**< where it was rotated: share of the frames, and possible error of the mean; else
                           NaN where it was read */
    bool additive;      /**< values of frames can be added */
    /* only of a session */
    bool rotated; /**< the mean is an estimate for all frames */
    bool state;   /**< a ratio, a clock or the like: values of frames are not additive */
    bool metric;  /**< a derived metric */
    bool zero;    /**< it was 0 in every frame */
};

/** The columns of tables of counters. */
extern const struct pp_columns pp_counter_columns;

/** Is this the name of a metric's column? */
bool pp_counter_is_metric(const char *name);

/** A metric's unit as session.json has it; "" if it has none. Borrowed. */
const char *pp_counter_metric_unit(const struct pp_saved_session *rec, const char *name);

/** Compute the figures of rec->counter[@p i]. @return false: it was not measured for this surface. */
bool pp_counter_figures_make(const struct pp_saved_session *rec, const struct pp_saved_surface *s, size_t i,
                             struct pp_counter_figures *ret);

#endif
