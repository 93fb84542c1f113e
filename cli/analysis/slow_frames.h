/** @file
 * Module: the slow frames of a surface, and why each was slow. Prints nothing. A cause comes only from what
 * the session holds; docs/internals/statistics.md has the rules. Printed by print/slow_frames.h. */
#ifndef PP_CLI_ANALYSIS_SLOW_FRAMES_H
#define PP_CLI_ANALYSIS_SLOW_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/analysis/frame_table.h"
#include "cli/analysis/near_rows.h"
#include "cli/session/saved_session.h"

/** Kinds of causes. Those before PP_CAUSE_FACTS explain a part of the frame's time; the others are facts that
 * differ from the usual. */
enum pp_cause_kind {
    PP_CAUSE_PIPELINES, /**< `count` pipelines or shader programs were created, in `value` nanoseconds */
    PP_CAUSE_PASS,      /**< one pass took longer */
    PP_CAUSE_GPU,       /**< all work of the GPU together took longer */
    PP_CAUSE_PRESENT,   /**< waiting in present */
    PP_CAUSE_ACQUIRE,   /**< waiting for an image to render to */
    PP_CAUSE_SYNC,      /**< waiting for the GPU, which did no more than usual */
    PP_CAUSE_DELAY,     /**< the application's own time: mostly, the thread was ready and had no processor */
    PP_CAUSE_WORK,      /**< the same: mostly, the thread ran */
    PP_CAUSE_SLEEP,     /**< the same: mostly, the thread slept or, without `cpu:run-delay`, did not run */
    PP_CAUSE_OWN,       /**< the application's own time; whether the thread ran was not measured */
    PP_CAUSE_FACTS,
    PP_CAUSE_CLOCK = PP_CAUSE_FACTS, /**< the GPU's clock was lower: `value` hertz */
    PP_CAUSE_CREATED,                /**< few pipelines or shader programs were created */
    PP_CAUSE_FAULTS,                 /**< page faults */
    PP_CAUSE_MAJOR,                  /**< page faults that read from a disk */
    PP_CAUSE_PREEMPTED,              /**< the kernel took the processor from the thread */
    PP_CAUSE_DRAWS,
    PP_CAUSE_DISPATCHES,
    PP_CAUSE_COPIES,
    PP_CAUSE_FRAGMENTS, /**< invocations of fragment shaders */
    PP_CAUSE_APP,       /**< a user counter */
    PP_CAUSE_KINDS
};

/** A cause. */
struct pp_cause {
    enum pp_cause_kind kind;
    double count;        /**< NaN: value is a time; else value is this count (or a clock), except of
                            PP_CAUSE_PIPELINES, whose value is a time */
    double value, usual; /**< in the frame, and in its neighbours (NaN: in no other frame) */
    double part_ns;      /**< how much longer the frame was because of the cause */
    double hidden_ns;    /**< of work of the GPU, while causes are looked for: part_ns before the thread's own
                              time was taken off; 0: nothing was taken off */
    bool meanwhile;      /**< it took the time of the causes before it, and not another one in addition */
    bool contains;       /**< of `meanwhile`: it took longer, so the causes before it are in its time */
    /** Of the application's own time, which is their sum; NaN: not measured. Without `cpu:run-delay`,
     * slept_ns is the time in which the thread did not run. */
    double ran_ns, usual_ran_ns, delay_ns, slept_ns; /**< PP_CAUSE_PRESENT: ran_ns is how much longer the
                                                        thread ran there than usual */
    /** Without `cpu:run-delay`, in a frame with new pipelines: ran_ns is the least time that the thread ran
     * outside of their creation, this is the most; NaN: ran_ns is exact. */
    double ran_most_ns;
    /** Of such a time: the GPU worked meanwhile, at level frame, or at work of frames before. So the thread
     * may have waited for it in a call that is not measured. */
    bool maybe_gpu;
    bool maybe_own; /**< of PP_CAUSE_GPU at level frame: the thread slept meanwhile, perhaps by itself */
    double late;    /**< of `maybe_gpu`: how many frames before had that work; 0: it was of this frame; NaN:
                    level frame */
    /** Of the application's own time: draws of the frame `of_frame` before, far more than usual and measured
     * one by one. passprobe reads their results in the application's threads. 0: there was no such frame. */
    double read_draws, of_frame;
    /** Of PP_CAUSE_SYNC: as far as the GPU's longer work explains part_ns; NaN: that was not measured. */
    double gpu_ns;
    bool whole;   /**< of PP_CAUSE_GPU: value is the time from the GPU's first to its last work, which the
                       passes do not explain */
    double frame; /**< of work of the GPU, and of facts about it: number of the frame with that work */
    /** Of work of the GPU that other frames have, too: not many more draws, dispatches, copies and
     * fragments than usual were counted in its frame. `on_cpu`: threads of a software driver did it. */
    bool same_work, on_cpu;
    /** Of PP_CAUSE_PASS: the part of `value` that is in the slow frame. Of PP_CAUSE_GPU: how much of what is
     * above the usual is; infinite: all of it. */
    double in_frame_ns;
    /** PP_CAUSE_PASS: the pass. PP_CAUSE_GPU: the largest one, or one of those that have most of it; NULL:
     * level frame. Of the application's own time with `maybe_gpu`: the pass that took longer meanwhile; NULL:
     * no single one. */
    const struct pp_near_pass *pass;
    size_t most_passes; /**< of PP_CAUSE_GPU: passes named as `pass`, which have half of it or more; 0: none
                           have */
    const char *name;   /**< column of a user counter or clock; borrowed from the table */
};

/** The GPU may be late: what makes a frame slow may be work of a frame before it, at most this many before.
 */
#define PP_CAUSE_FRAMES_BEFORE 64U
/** Most causes of a frame. */
#define PP_CAUSES_MAX 8U
/** Causes are looked for in this many slow frames at most: the longest. */
#define PP_SLOW_FRAMES_MAX 64U

/** A slow frame. */
struct pp_slow_frame {
    double frame;
    double at_s;              /**< its begin, since the surface's first frame began; NaN: not known */
    double time_ns, usual_ns; /**< frame times */
    size_t index;             /**< in the series */
    struct pp_cause cause[PP_CAUSES_MAX];
    size_t causes;      /**< 0: none of what was measured explains it; the strongest comes first */
    size_t every;       /**< frames as long as this one come every N frames; 0: not regularly */
    bool gpu_is_behind; /**< a part of the frame's time is because of work of the GPU */
    const char *mark;   /**< of the application, set in this frame; NULL: none. Borrowed from session.json */
};

/** The slow frames of a surface, at the level that most of its frames have. Owned. */
struct pp_slow_frames {
    struct pp_frame_table table;
    struct pp_frame_series series;
    struct pp_near_passes near;
    /** The surface's frame before the series, which is its first or has another level; NULL: there is none.
     */
    const struct pp_saved_frame *before_series;
    struct pp_slow_frame frame[PP_SLOW_FRAMES_MAX]; /**< by number, ascending */
    size_t len;
    size_t found;            /**< all slow frames, also those that the array has no place for */
    struct pp_baseline base; /**< of pp_slow_frames_look_at(): of the frame's neighbours */
    double factor;           /**< each slow frame is at least this many times as long as usual */
    bool longer;     /**< of pp_slow_frames_look_at(): the frame is longer than usual, and has causes */
    bool has_passes; /**< passes were measured */
    bool software;   /**< the surface was rendered on the CPU */
    bool gl_window;  /**< the surface is a window of OpenGL or OpenGL ES */
    bool vulkan;     /**< each call in which the application may wait for the GPU is measured */
    bool kept_only;  /**< only slow frames and those around them have rows of passes */
};

/** How many frames before this one may have made it slow: those whose work the GPU had not finished when it
 * began, and three where that is not known. @param index Its place in the series. */
size_t pp_slow_frame_reach(const struct pp_slow_frames *slow, size_t index);

/** The frame that is @p before frames before this one; the last of them may be the one before the series.
 * @param before At most pp_slow_frame_reach(). */
const struct pp_saved_frame *pp_slow_frame_before(const struct pp_slow_frames *slow, size_t index,
                                                  size_t before);

/**
 * Find the slow frames of a surface, in the frames of the level that most of them have.
 *
 * @param rec   Not read from memory: its files are read again.
 * @param worst At most this many, the longest first; 0: those that are slow. With @p worst, frames count that
 *              are long but not slow.
 * @param ret   Large: not for the stack of a small thread. Call pp_slow_frames_finish() whatever is returned.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_slow_frames_find(const struct pp_saved_session *rec,
                                                            size_t surface, size_t worst,
                                                            struct pp_slow_frames *ret);

/**
 * Look at one frame, slow or not, with all of its counters (as extra columns of the table).
 *
 * @param ret As for pp_slow_frames_find(): frame[0] is this frame, the series has the frames of its surface
 *            at its level; found is 1 if it is slow.
 * @retval 0, -ENOMEM.
 * @retval -ENOENT frames.csv has no such frame.
 */
__attribute__((warn_unused_result)) int pp_slow_frames_look_at(const struct pp_saved_session *rec,
                                                               double frame, struct pp_slow_frames *ret);

/** Free what the functions above made. */
void pp_slow_frames_finish(struct pp_slow_frames *slow);

/** Look for the causes of a frame. @param slow Has the table, the series, and the passes of this frame and of
 * those before it. @param frame In the array of @p slow; its causes are set. */
void pp_slow_frame_explain(const struct pp_slow_frames *slow, struct pp_slow_frame *frame);

/** Does a cause explain time? Otherwise the causes are only facts that differ from the usual, or none. */
bool pp_slow_frame_is_explained(const struct pp_slow_frame *frame);

#endif
