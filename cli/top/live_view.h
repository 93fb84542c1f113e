/** @file
 * Module: what the last seconds of a session cost: figures of its frames, and of passes, label regions or
 * shader programs. Prints nothing. See also top.h, which makes text of the figures. */
#ifndef PP_CLI_TOP_LIVE_VIEW_H
#define PP_CLI_TOP_LIVE_VIEW_H

#include "cli/top/live_rows.h"

/** The window is cut into this many parts, for the row of bars. */
#define PP_LIVE_SLOTS 40U

/** By which column the table is sorted, the largest first. */
enum pp_live_sort {
    PP_LIVE_SORT_TIME,
    PP_LIVE_SORT_P95,
    PP_LIVE_SORT_DRAWS,
    PP_LIVE_SORT_NAME, /**< by name, ascending */
    PP_LIVE_SORTS
};

/** A row of the table. NaN: not measured. */
struct pp_live_group {
    char *title;          /**< foreign text; owned */
    char which[48];       /**< shown after the title of a pass if others have the same: its place, its id */
    uint64_t place;       /**< of a pass in its frame */
    const char *key;      /**< in rows; borrowed while the view is made, then NULL */
    double share_percent; /**< of the GPU time of all rows */
    double frame_ns;      /**< GPU time, divided by all frames with rows */
    double p95_ns;        /**< of its GPU time in a frame, over the frames that have it; type 7 */
    double draws;         /**< draws, divided by all frames with rows */
};

/** Figures of the surface with the most frames in the window. NaN: not measured. Begin with all zero. */
struct pp_live_view {
    size_t frames;
    double window_ns; /**< from the begin of its first frame to the end of its last one */
    double fps;
    double p99_ns, max_ns;           /**< frame times; type 7, however few they are */
    enum pp_verdict bound_by;        /**< the verdict of the most frames; PP_VERDICT_NONE: none has one */
    double bound_percent;            /**< of all frames */
    bool has_level[PP_SAVED_LEVELS]; /**< levels of its frames */
    size_t level;                    /**< of the newest frame */
    size_t surfaces;                 /**< all surfaces with frames in the window */
    double slot_ns[PP_LIVE_SLOTS]; /**< longest frame time of the frames that ended then; the oldest first */
    struct pp_live_group *group;   /**< owned */
    size_t groups;
    size_t grouped_frames; /**< frames that have rows */
};

/**
 * Compute the figures.
 *
 * @param ret The caller finishes it. Unchanged on failure.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_live_view_make(const struct pp_live_frames *frames,
                                                          const struct pp_live_rows *rows,
                                                          enum pp_live_sort sort, struct pp_live_view *ret);

/** Sort the rows of the table. */
void pp_live_view_sort(struct pp_live_view *view, enum pp_live_sort sort);

/** Free the figures; the struct is all zero then. */
void pp_live_view_finish(struct pp_live_view *view);

#endif
