/** @file
 * Data of the session that the files of core/ share; other modules do not include this file. A comment above
 * each group of fields says who may access it. */
#ifndef PP_CORE_ENGINE_SESSION_PRIVATE_H
#define PP_CORE_ENGINE_SESSION_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/engine/overhead.h"
#include "core/engine/session.h"
#include "core/engine/user_counters.h"
#include "core/model/empty_cells.h"
#include "core/model/row.h"
#include "core/util/free_list.h"
#include "core/util/intern.h"
#include "core/util/log.h"
#include "core/util/ring.h"

#define PP_MAX_COLUMNS 2048U
/* More batches than these under way mean that results do not come back or that the collector is stuck. */
#define PP_BATCHES_MAX 8192U

/** Columns that are computed from hidden ones, for one set of one source. */
struct pp_formulas {
    struct pp_formulas *next; /* pp_session.formulas */
    struct pp_metric_program *formula_program;
    uint16_t *input; /**< columns */
    uint32_t inputs;
    uint16_t *output; /**< columns */
    uint32_t outputs;
};

/** A field that has a column, and is the count itself: a 64-bit word. */
struct pp_word_column {
    uint32_t offset; /**< in the snapshot */
    uint32_t column;
};

/** A set of a source, and the columns that it fills. */
struct pp_source_set {
    struct pp_device_set set;
    uint16_t *column;            /**< of each field of set.layout; UINT16_MAX: none */
    struct pp_word_column *word; /**< the same of a layout of nothing but words (pp_layout_is_words()), for
                                    those that have a column; NULL: not such a layout */
    uint32_t words;
    bool run; /**< word i lies, and has its column, i behind the first */
};

/** Why an event is missing on a device. */
struct pp_missing {
    struct pp_missing *next; /* pp_device.missing */
    char *event;
    char *reason;
};

/** Summary of one kind of empty brackets. */
struct pp_bias {
    struct pp_bias *next; /* pp_device.bias */
    char *scope;
    uint32_t count;
    uint64_t min_ns;
    uint64_t median_ns;
    uint64_t iqr_ns;
};

/** A device. */
struct pp_device {
    struct pp_device *next; /* pp_session.devices */
    /* immutable after create */
    struct pp_session *session;
    uint32_t number;
    char *api;
    char *api_version;
    char *name;
    char *driver;
    double tick_ns;
    uint32_t timestamp_bits;
    bool brackets_submissions;
    const char *source_name[PP_MAX_SOURCES];
    struct pp_source_set *source_set[PP_MAX_SOURCES]; /**< source_sets[s] of them; never NULL */
    uint32_t source_sets[PP_MAX_SOURCES];
    uint32_t offset[PP_MAX_SOURCES];
    uint32_t sources;
    uint32_t begin_bytes;                           /**< of a begin row */
    uint32_t row_bytes;                             /**< of an end row */
    uint32_t counter_at[PP_MAX_SOURCES];            /**< info.counter[i] -> source, or UINT32_MAX */
    struct pp_event_source counter[PP_MAX_SOURCES]; /**< of source s; ops NULL: one of the fixed ones */
    uint32_t counters;
    uint32_t sets;
    struct pp_row_bottleneck *bound; /**< of its counters; the collector's */
    struct {
        uint64_t passes, of_passes; /**< with all of what they count; all */
        uint64_t frames, of_frames;
    } statistics;   /**< pipeline statistics at the levels pass and draw; the collector's */
    bool exclusive; /**< a source allows one open bracket only */
    bool reads;
    bool reads_idle;
    bool streams;         /**< a source's counts are looked up by time */
    atomic_uint failed;   /**< bit s: a note says that source s could not be read */
    struct pp_once noted; /**< notes that the device has */
    /* locks itself */
    struct pp_clock clock;
    /* guarded by session->lock */
    struct pp_missing *missing;
    struct pp_missing *notes; /**< event: "note" */
    struct pp_bias *bias;
};

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

/** A series of frames. */
struct pp_timeline {
    struct pp_timeline *next; /* pp_session.timelines */
    /* immutable after create */
    struct pp_session *session;
    struct pp_device *device;
    char *surface;
    /* guarded by lock */
    pthread_mutex_t lock;
    uint64_t start_ns;
    uint64_t ended;    /**< frames ended */
    uint32_t batches;  /**< got for the open frame */
    uint32_t escalate; /**< frames still to bracket finely after a slow one */
    bool dropped;      /**< the open frame lost a batch */
    bool destroyed;
    uint8_t ends;             /**< enum pp_timeline_ends */
    uint16_t waits_min;       /**< pp_frame_times.waits_min, as of the last wait */
    uint64_t split;           /**< with PP_ENDS_WAITS: number of the frame behind the first wait */
    uint8_t *system_counters; /**< snapshot at the last frame's end; NULL: none yet */
    size_t host_bytes;        /**< of a snapshot */
    /* collector thread only */
    uint64_t ends_from; /**< the key behind the newest frame whose end came */
    uint32_t held;      /**< frames in pp_frame_queue.held */
    uint64_t held_ns;   /**< when the oldest of them ended */
    /* written under lock, read anywhere */
    _Atomic uint64_t frame; /**< its number */
    _Atomic uint64_t key;   /**< what its batches are found by: PP_FRAME_KEY() */
    atomic_int level;
    atomic_uint turn; /**< set, and 0x100: works */
};

/** Kind of an item in the ring; the first member of each item. */
enum pp_item_kind { PP_ITEM_BATCH, PP_ITEM_FRAME_END, PP_ITEM_TIMELINE_END };
struct pp_item {
    enum pp_item_kind kind;
};

/** A batch as the ring carries it. */
struct pp_batch_item {
    struct pp_item head;
    struct pp_batch_item *next; /* pp_queued_frame.batches, by order */
    size_t bytes;               /**< of its arrays, while it waits or is free */
    struct pp_batch batch;
};

/** The end of a frame, or (TIMELINE_END) of a series whose open frame never ended. */
struct pp_frame_item {
    struct pp_item head;
    struct pp_timeline *timeline;
    uint64_t frame; /**< its number */
    uint64_t key;
    bool held;   /**< it ends with a wait, and what ends frames was open: see pp_timeline_holds() */
    bool merges; /**< it ends surely, or never, and takes in what is held */
    enum pp_level level;
    uint64_t start_ns;
    uint32_t batches;
    bool dropped;
    struct pp_frame_times times;
    uint8_t *system_counters; /**< snapshots at the ends of the frame before and of this one; NULL: none */
    double *user_counters;    /**< values of the application's first counters; NULL: none */
    uint32_t apps;
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

/** Number of a frame that was held, after pp_timeline_holds() was false. The collector's. */
uint64_t pp_timeline_number(struct pp_timeline *timeline, uint64_t key);

/** A moment that the application marked through the annotate API. */
struct pp_mark {
    struct pp_mark *next; /* pp_session.marks */
    uint64_t at_ns;
    pp_label_id label;
};

#define PP_MAX_MARKS 4096U

struct pp_collector;

/** See memory.h. */
struct pp_memory {
    size_t bytes_max;      /**< immutable after pp_session_get() */
    atomic_size_t bytes;   /**< taken */
    atomic_size_t most;    /**< that was ever taken */
    atomic_bool trim;      /**< much was freed */
    atomic_size_t refused; /**< brackets */
    /* collector thread only */
    size_t waiting_most; /**< bytes that waited for the collector */
    size_t waiting_peak; /**< the same since memory was returned last */
    uint64_t trimmed_ns; /**< when that was */
};

/** The session. */
struct pp_session {
    /* immutable after pp_session_get() */
    struct pp_config config;
    pid_t pid;
    uint64_t start_ns;        /**< CLOCK_MONOTONIC */
    size_t waiting_bytes_max; /**< with more of them no batch is given out */
    /* grow under lock until the collector starts, with the first device; immutable from then on */
    struct pp_column *column; /**< PP_MAX_COLUMNS of them */
    uint32_t columns;
    uint16_t isolated; /**< with --serialize the column that says which rows had the GPU for themselves */
    struct pp_formulas *formulas;
    struct pp_column *metric; /**< columns of the user metrics: names and numbers */
    uint32_t metrics;
    /* lock themselves */
    struct pp_intern render_targets;
    struct pp_intern strings;
    struct pp_intern labels;
    struct pp_user_counters user_counters;
    struct pp_ring ring;              /**< struct pp_item *, to the collector */
    struct pp_free_list free_batches; /**< struct pp_batch_item *, back */
    /* atomic */
    atomic_bool active;
    _Atomic uint64_t next_frame;
    _Atomic uint64_t next_order;
    atomic_uint batches;         /**< allocated in all */
    atomic_size_t waiting_bytes; /**< of batches on their way through the collector */
    atomic_size_t free_bytes;    /**< of free batches */
    struct pp_memory memory;     /**< what front ends hold until results come */
    struct pp_overhead own;      /**< hooks outside of any batch, a call each */
    _Atomic uint64_t dropped_frames;
    _Atomic uint64_t window_start_ns; /**< first frame's start, for --delay and --duration; 0: none yet */
    /* guarded by lock */
    pthread_mutex_t lock;
    struct pp_device *devices;
    struct pp_timeline *timelines;
    uint32_t device_count;
    struct pp_mark *marks; /**< oldest first, at most PP_MAX_MARKS */
    struct pp_mark *last_mark;
    uint64_t mark_count;                           /**< in all, also those beyond */
    struct pp_collector *collector;                /**< NULL until the first device */
    struct pp_event_source kernel[PP_MAX_SOURCES]; /**< opened for the first device that needs them */
    uint32_t kernels;
    struct pp_event_source
        default_events[2]; /**< those measured without being asked for; ops NULL: not opened */
    struct pp_system_counters
        *system_counters; /**< of the first device on; NULL: nothing of it was asked for */
    struct pp_user_metrics
        *user_metrics;           /**< of --metrics, made before the collector, then its alone; may be NULL */
    struct pp_empty_cells empty; /**< the collector's: why cells of its files are empty */
    atomic_bool streams;         /**< a device's does */
    bool failed;                 /**< the collector could not start */
    char stop_reason[256];       /**< "" while running */
};

/** Divide config.max_memory_bytes among its uses, before any memory is taken. */
void pp_memory_init(struct pp_session *session);

/** Once in each of the collector's rounds: note what waits, return freed memory to the system. */
void pp_memory_look(struct pp_session *session, uint64_t now);

/** pp_device_note() with the session's lock held. */
void pp_device_note_locked(struct pp_device *device, const char *text);

/** pp_device_missing() with the session's lock held. */
void pp_device_missing_locked(struct pp_device *device, const char *event, const char *reason);

/** The column of this name, made if @p like is not NULL and the collector has not started. @return Its index,
 * or UINT16_MAX. With the session's lock. */
uint16_t pp_session_column_locked(struct pp_session *session, const char *name, const struct pp_column *like);

/** Batch items, recycled. get: NULL at a limit or without memory. put: to the collector; false: the ring is
 * full, recycle it. */
struct pp_batch_item *pp_batch_item_get(struct pp_session *session);
__attribute__((warn_unused_result)) bool pp_batch_item_put(struct pp_session *session,
                                                           struct pp_batch_item *item);
void pp_batch_item_recycle(struct pp_session *session, struct pp_batch_item *item);
void pp_batch_item_destroy(struct pp_batch_item *item);

/** Text of an interned string; "" for 0. */
const char *pp_session_text(struct pp_session *session, pp_string_id id);

/** Find a render target by its id; NULL for 0. */
const struct pp_render_target *pp_session_render_target_get(struct pp_session *session,
                                                            pp_render_target_id id);

/** Write a label path, outermost first, parts joined by '/', into @p out; always terminated. */
void pp_session_label_path(struct pp_session *session, pp_label_id id, char *out, size_t size);

/** Is this process a forked child of the process that made the session? */
bool pp_session_forked(void);

#endif
