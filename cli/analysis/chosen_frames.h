/** @file
 * Module: which frames are shown in detail where there is no place for all. Prints nothing. See
 * frame_points.h. */
#ifndef PP_CLI_ANALYSIS_CHOSEN_FRAMES_H
#define PP_CLI_ANALYSIS_CHOSEN_FRAMES_H

#include "cli/analysis/frame_points.h"

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
