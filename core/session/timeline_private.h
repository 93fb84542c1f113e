/** @file
 * Data of timelines and ends of frames that the files of core/ share; other modules do not include this file.
 */
#ifndef PP_CORE_SESSION_TIMELINE_PRIVATE_H
#define PP_CORE_SESSION_TIMELINE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/engine/batch_pool.h"
#include "core/session/timeline.h"

/** What ends the frames of a series. While it is not decided, frames that end with a wait (PP_END_WAIT)
 * have no number: the collector holds them. */
enum pp_timeline_ends {
    PP_ENDS_OPEN,  /**< not decided: the application has not presented, but may */
    PP_ENDS_SURE,  /**< only sure ends: presents and marks */
    PP_ENDS_WAITS, /**< waits: the application counts as one that never presents */
};

/** Maximum number of held frames of a series. */
#define PP_HELD_MAX 4096U

/* Key of a frame: the number of the frame if the application presents later, and the number of waits that
 * have ended inside it so far. Keys of a series grow. */
#define PP_PART_BITS               16U
#define PP_FRAME_KEY(frame, parts) ((uint64_t)(frame) << PP_PART_BITS | (parts))
#define PP_KEY_PART(key)           ((key) & ((1U << PP_PART_BITS) - 1))
#define PP_KEY_SAME(a, b)          ((a) >> PP_PART_BITS == (b) >> PP_PART_BITS)

/** Flag of pp_timeline.rotation: pp_rotation.actions of the open frame. */
#define PP_ROTATION_ACTIONS 0x100U

/** A series of frames. */
struct pp_timeline {
    struct pp_timeline *next; /* pp_session.timelines */
    /* immutable after create */
    struct pp_session *session;
    struct pp_device *device;
    char *surface;
    uint32_t number; /**< of the surface: its place in session.json */
    /* guarded by lock */
    pthread_mutex_t lock;
    uint64_t start_ns;
    uint64_t ended;    /**< frames ended */
    uint32_t batches;  /**< got for the open frame */
    uint32_t escalate; /**< frames still to bracket finely after a slow one */
    bool dropped;      /**< the open frame lost a batch */
    bool loaded;       /**< the open frame is after the first frames: its length shows what is slow */
    bool destroyed;
    uint32_t lead;            /**< frames that are not yet recorded after a pause of recording */
    uint32_t stream_turn;     /**< of the open frame: pp_stream_sets_begin() */
    uint8_t ends;             /**< enum pp_timeline_ends */
    uint16_t waits_min;       /**< pp_frame_times.waits_min, as of the last wait */
    uint64_t split;           /**< with PP_ENDS_WAITS: number of the frame after the first wait */
    uint8_t *system_counters; /**< snapshot at the last frame's end; NULL: none yet */
    /* collector thread only */
    uint64_t ends_from;  /**< the key after the newest frame whose end came */
    uint32_t held;       /**< frames in pp_frame_queue.held */
    uint64_t held_ns;    /**< when the oldest of them ended */
    uint64_t ends_seen;  /**< with --keep-slower-than: ordinal after the newest frame whose end came */
    uint64_t keep_to;    /**< frames with smaller ordinals are kept from now on */
    uint64_t gave_up_to; /**< ordinal after the newest frame whose fine rows were given up; 0: none */
    /* written under lock, read anywhere */
    _Atomic uint64_t frame; /**< its number */
    _Atomic uint64_t key;   /**< what its batches are found by: PP_FRAME_KEY() */
    atomic_bool worked;     /**< a frame had a draw or a dispatch */
    atomic_bool paused;     /**< the open frame is not recorded */
    atomic_int level;
    atomic_uint rotation; /**< set, and PP_ROTATION_ACTIONS */
};

/** The end of a frame, or (TIMELINE_END) of a series whose open frame never ended. */
struct pp_frame_item {
    struct pp_item head;
    struct pp_timeline *timeline;
    uint64_t frame; /**< its number */
    uint64_t key;
    uint64_t ordinal; /**< number of ends in the series before */
    bool slower;      /**< it was slower than --keep-slower-than, and is none of the first frames */
    bool held;        /**< it ends with a wait, and what ends frames was open: see pp_timeline_holds() */
    bool paused;      /**< it was not recorded */
    bool merges;      /**< it ends surely, or never, and takes in what is held */
    enum pp_level level;
    uint64_t start_ns;
    uint32_t batches;
    bool dropped;
    uint32_t stream_turn; /**< of pp_stream_sets_begin() */
    struct pp_frame_times times;
    uint8_t *system_counters;    /**< snapshots at the ends of the frame before and of this one; NULL: none */
    double *user_counters;       /**< values of the application's first counters; NULL: none */
    uint32_t user_counter_count; /**< values in user_counters */
};

/** Free a frame item. NULL is allowed. */
void pp_frame_item_destroy(struct pp_frame_item *item);

/**
 * Must frames that end with waits be held, because it is not decided what ends the frames of this series?
 * Collector thread only.
 *
 * @param force  Decide now: too much is held, or for too long.
 * @return false: the waits end frames, and pp_timeline_number() knows their numbers.
 */
bool pp_timeline_holds(struct pp_timeline *timeline, bool force);

/** If the application ended now, would each wait of a series end a frame? Yes if the series has at least
 * @p waits_min waits, or if no frame of the session ended surely: then the waits are all that can end frames.
 */
bool pp_timeline_waits_suffice(const struct pp_timeline *timeline, uint64_t waits, uint16_t waits_min);

/** Number of a frame that was held, after pp_timeline_holds() was false. The collector's. */
uint64_t pp_timeline_number(struct pp_timeline *timeline, uint64_t key);

#endif
