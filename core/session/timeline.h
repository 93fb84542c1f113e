/** @file
 * Timelines: series of frames, their ends, and the batches of the open frame. This file knows no graphics
 * API. */
#ifndef PP_CORE_SESSION_TIMELINE_H
#define PP_CORE_SESSION_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/model/batch.h"
#include "core/util/compiler.h"

struct pp_session;

/** One series of frames: a window, a swapchain's device, a surfaceless context. */
struct pp_timeline_info {
    struct pp_device *device;
    const char *surface; /**< name that identifies the timeline, stable from run to run: "window 1"; copied */
    uint64_t start_ns;   /**< CLOCK_MONOTONIC when the first frame began */
    uint8_t *first_system_counters; /**< the snapshot at the first frame's begin, of
                                pp_session_take_system_counters(); taken over. NULL: it is taken
                                when the timeline is made */
};

/** Make a timeline; its first frame is open. @return NULL: no memory or stopped. Owned by the session. Any
 * thread. */
PP_API struct pp_timeline *pp_timeline_create(struct pp_session *session,
                                              const struct pp_timeline_info *info);

/** The open frame's level. Any thread. */
PP_API enum pp_level pp_timeline_level(const struct pp_timeline *timeline);

/** Finest level that the open frame, or one of the next @p frames frames, may have. Used to decide now
 * what a later frame needs. In doubt it is the level that the user asked for; slow frames (--slower-than)
 * are not predicted. Any thread. */
PP_API enum pp_level pp_timeline_level_ahead(struct pp_timeline *timeline, uint64_t frames);

/** Is the open frame not recorded? Then there is no batch for it. Any thread. */
PP_API bool pp_timeline_paused(const struct pp_timeline *timeline);

/** Rotation of the open frame: what the frame measures. */
struct pp_rotation {
    uint8_t set;  /**< of pp_device_sets() */
    bool actions; /**< sources of which one bracket at a time may be open measure actions, not passes.
                   At level draw every other frame, in random order; never at other levels */
};

/** Rotation of the open frame. Any thread. Hot. */
PP_API struct pp_rotation pp_timeline_rotation(const struct pp_timeline *timeline);

/** Does a device measure one counter set in all frames (--only-set)? Any thread. Hot.
 * @param ret What work at level draw measures then; unchanged if not. */
PP_API bool pp_device_only_rotation(const struct pp_device *device, struct pp_rotation *ret);

/** How sure the end of a frame is. */
enum pp_frame_end {
    PP_END_SURE, /**< the application presented, or never can, or the user said what ends a frame */
    PP_END_WAIT, /**< the application waited, submitted or marked a frame, and may still present: a frame ends
                    here unless it presents later. Then the frame of the first present holds all that came
                    before */
};

/** What the CPU saw of a frame; all CLOCK_MONOTONIC or lengths in nanoseconds. */
struct pp_frame_times {
    uint64_t present_begin_ns; /**< the application called present (swap, submit, ...) */
    uint64_t present_end_ns;   /**< present returned; the next frame begins here */
    uint64_t sync_ns;    /**< the application waited for the GPU meanwhile: finish, fence and idle waits */
    uint64_t acquire_ns; /**< the application waited for an image to render to */
    uint32_t pipelines_created;
    uint64_t pipeline_create_ns;
    bool marked; /**< the frame ended where the application called pp_annotate_frame(), which was noticed only
                    now: the application may have begun the next one */
    uint8_t end; /**< enum pp_frame_end */
    uint32_t stack;     /**< set by pp_timeline_end_frame(): number of its caller's stack; 0: none */
    uint16_t waits_min; /**< of PP_END_WAIT: if another series has frames that ended surely, fewer waits than
                           this end no frames */
};

/** End the open frame and begin the next. All batches of the frame must have been got (not put) before. The
 * calls of one timeline come one at a time. */
PP_API void pp_timeline_end_frame(struct pp_timeline *timeline, const struct pp_frame_times *times);

/** End a timeline whose surface is gone. Its open frame never ended and is not a frame: its rows are
 * written without a frame. */
PP_API void pp_timeline_destroy(struct pp_timeline *timeline);

/* Batches. */

/**
 * Get a batch for the timeline's open frame. The frame's row is written when all its batches have come back.
 *
 * @return NULL: too many batches are in use, and the frame is dropped and counted; or the frame is not
 * recorded (pp_timeline_paused()). Owned by the caller until pp_batch_put() or pp_batch_cancel().
 */
PP_API struct pp_batch *pp_batch_get(struct pp_timeline *timeline);

/** The action list of a batch is complete: note whether it has a draw or a dispatch. Call it before the frame
 * ends. Any thread. */
PP_API void pp_batch_note_work(const struct pp_batch *batch);

/** Hand a batch to the collector when its snapshots are available or lost; the statuses say which. Any
 * thread; never blocks. */
PP_API void pp_batch_put(struct pp_batch *batch);

/** Give back a batch that holds nothing. */
PP_API void pp_batch_cancel(struct pp_batch *batch);

#endif
