/** @file
 * Module: the frames of a session as few points, for plots, and which frames are shown in detail where there
 * is no place for all. Prints nothing. Reads frames.csv row by row, so that memory does not grow with it.
 * Frames that are extreme are always points: of each bucket of neighbouring frames the shortest and the
 * longest one, and the longest ones of all. First frames are no points. */
#ifndef PP_CLI_ANALYSIS_FRAME_POINTS_H
#define PP_CLI_ANALYSIS_FRAME_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/session/saved_session.h"

/** Frames of buckets that become points, in all surfaces together. */
#define PP_POINTS_MOST 40000U
/** The longest frames of a surface, which are points whatever their neighbours are; and likewise those that
 * created pipelines longest. */
#define PP_POINTS_LONGEST 1000U
/** Most bands of a counter, in all surfaces together. */
#define PP_POINT_BANDS 300U
/** Most counters that have bands. */
#define PP_POINT_COUNTERS 64U

/** A frame; NaN: not measured. */
struct pp_frame_point {
    double frame;    /**< its number */
    double start_ns; /**< on CLOCK_MONOTONIC */
    double frame_time_ns, cpu_busy_ns, gpu_busy_ns;
    double pipelines, pipeline_ns; /**< that it created, and the time for them */
    double passes, actions;        /**< rows that it has in passes.csv and draws.csv, as frames.csv says */
    enum pp_verdict verdict;
};

/** Bins of the histogram: eight for each doubling, from 1 us on. */
#define PP_POINT_BINS 240U

/** A counter in neighbouring frames. */
struct pp_counter_band {
    double least, most, sum;
    uint64_t rows; /**< frames that have it; 0: the others mean nothing */
};

/** The frames of one surface. Owned by struct pp_frame_points. */
struct pp_surface_points {
    size_t surface;  /**< index in the session */
    double begin_ns; /**< when the surface's first frame began, on CLOCK_MONOTONIC; NaN: not known */
    struct pp_frame_point *point; /**< by number, ascending */
    size_t len;
    size_t frames;                /**< of the surface, without first frames */
    size_t buckets;               /**< frames: every frame is a point */
    size_t pipeline_frames;       /**< frames that created pipelines */
    uint64_t bin[PP_POINT_BINS];  /**< frames by frame time; see pp_point_bin_begin() */
    size_t bands;                 /**< of each counter */
    struct pp_counter_band *band; /**< [counter * bands + band] */
    struct pp_frame_point *begin; /**< of each band: the first of its frames */
};

/** Points of several surfaces. Begin with all zero. */
struct pp_frame_points {
    struct pp_surface_points *of; /**< owned */
    size_t len;
    size_t counters; /**< of rec->counter that have bands, from the first on */
};

/** Which points are wanted. */
struct pp_points_wanted {
    const size_t *surface; /**< indexes in the session, each once */
    size_t surfaces;
    const double *frame; /**< numbers of frames that must be points, ascending */
    size_t frames;
    size_t most; /**< points from buckets, in all surfaces together; 0: PP_POINTS_MOST */
};

/**
 * Read the points.
 *
 * @param rec Read from a directory.
 * @param ret Call pp_frame_points_finish() whatever is returned.
 * @retval 0, -ENOMEM, or as pp_csv_read().
 */
__attribute__((warn_unused_result)) int pp_frame_points_read(const struct pp_saved_session *rec,
                                                             const struct pp_points_wanted *wanted,
                                                             struct pp_frame_points *ret);

/** The time from which a bin counts frames, in nanoseconds. Bin 0 has all shorter ones, too. */
double pp_point_bin_begin(size_t bin);

/** Free everything; the struct is all zero then. */
void pp_frame_points_finish(struct pp_frame_points *points);

/** Why a frame was chosen. Frames of the earlier kinds are chosen first. */
enum pp_chosen_why {
    PP_CHOSEN_SLOW,   /**< it is one of the frames that were asked for: the slow ones, and those with marks */
    PP_CHOSEN_MEDIAN, /**< its time is the median, */
    PP_CHOSEN_P95,    /**< the 95th percentile, */
    PP_CHOSEN_P99,    /**< or the 99th */
    PP_CHOSEN_LONGEST, /**< it is one of the ten longest */
    PP_CHOSEN_SPREAD   /**< it is one of many that are spread evenly over the session */
};

/** A frame. */
struct pp_chosen_frame {
    double frame;
    enum pp_chosen_why why;
    bool draws; /**< its draws are shown, too */
};

/** Frames by number, ascending. Owned; begin with all zero. */
struct pp_chosen_frames {
    struct pp_chosen_frame *frame;
    size_t len, cap;
    double passes, draws; /**< rows of passes.csv and draws.csv that they have */
};

/** How much may be shown of all surfaces together: rows of passes.csv and of draws.csv. */
struct pp_chosen_budget {
    double passes, draws;
};

/**
 * Choose frames of a surface, in addition to those that @p ret has.
 *
 * @param wanted Numbers of frames that come first, ascending.
 * @param time   Percentiles of frame times, nanoseconds: median, 95, 99; NaN: not known.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_chosen_frames_add(const struct pp_surface_points *points,
                                                             const double *wanted, size_t wanted_len,
                                                             const double time[3],
                                                             const struct pp_chosen_budget *budget,
                                                             struct pp_chosen_frames *ret);

/** Order the frames by number, after the last pp_chosen_frames_add(). */
void pp_chosen_frames_sort(struct pp_chosen_frames *chosen);

/** Free the frames. */
void pp_chosen_frames_finish(struct pp_chosen_frames *chosen);

#endif
