/** @file
 * Data of the session that the files of core/ share; other modules do not include this file. A comment above
 * each group of fields says who may access it. */
#ifndef PP_CORE_ENGINE_SESSION_PRIVATE_H
#define PP_CORE_ENGINE_SESSION_PRIVATE_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/config/sleep_page.h"
#include "core/engine/batch_pool.h"
#include "core/engine/clock.h"
#include "core/engine/device_private.h"
#include "core/engine/frame_window.h"
#include "core/engine/memory.h"
#include "core/engine/names.h"
#include "core/engine/notes.h"
#include "core/engine/overhead.h"
#include "core/engine/recording.h"
#include "core/engine/user_counters.h"
#include "core/engine/watch.h"
#include "core/model/empty_cells.h"
#include "core/model/row.h"
#include "core/stack/stacks.h"
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

/** A moment that the application marked through the annotate API. */
struct pp_mark {
    struct pp_mark *next; /* pp_session.marks */
    uint64_t at_ns;
    pp_label_id label;
    uint64_t frame;        /**< the frame that it is in; only where frame_end_ns is not 0 */
    uint64_t frame_end_ns; /**< end of that frame; 0: no frame with a row has it */
};

#define PP_MAX_MARKS 4096U

struct pp_collector;
struct pp_control;

/** Columns of the rows. They grow under the session's lock until the first device; immutable from then on. */
struct pp_session_rows {
    struct pp_column *column; /**< PP_MAX_COLUMNS of them */
    uint32_t columns;
    bool estimates;    /**< a column has pp_column.estimate */
    uint16_t isolated; /**< with --serialize the column that says which rows had the GPU for themselves */
    struct pp_formulas *formulas;
    struct pp_column *metric; /**< columns of the user metrics: names and numbers; borrowed */
    uint32_t metrics;
};

/** Batches on their way to the collector and back. */
struct pp_session_transport {
    size_t
        waiting_bytes_max; /**< with more of them no batch is given out; immutable after pp_session_get() */
    /* lock themselves */
    struct pp_ring ring;              /**< struct pp_item *, to the collector */
    struct pp_free_list free_batches; /**< struct pp_batch_item *, back */
    /* atomic */
    _Atomic uint64_t next_order;
    atomic_uint batches;         /**< allocated in all */
    atomic_size_t waiting_bytes; /**< of batches on their way through the collector */
    atomic_size_t free_bytes;    /**< of free batches */
};

/** Counts of frames; atomic. */
struct pp_session_frames {
    _Atomic uint64_t next_frame;
    _Atomic uint64_t dropped_frames;
    struct pp_window_moments window;
    atomic_uint surfaces; /**< timelines so far */
    atomic_bool sure;     /**< a frame of any series ended with PP_END_SURE */
};

/** Marks of the annotate API; guarded by the session's lock. */
struct pp_session_marks {
    struct pp_mark *first; /**< oldest first, at most PP_MAX_MARKS */
    struct pp_mark *last;
    uint64_t newest_ns; /**< the greatest time of a mark */
    uint64_t count;     /**< in all, also those beyond */
};

/** Counter sources of the machine; guarded by the session's lock. */
struct pp_session_sources {
    struct pp_event_source kernel[PP_MAX_SOURCES]; /**< opened for the first device that needs them */
    uint32_t kernels;
    struct pp_event_source default_events[2];   /**< measured without an event list; ops NULL: not opened */
    struct pp_system_counters *system_counters; /**< of the first device on; NULL: none was asked for */
};

/** The sleep of a session: see core/session/sleep.h. All zero: awake. */
struct pp_sleep {
    _Atomic(struct pp_sleep_page *) page; /**< NULL: awake. Attached as long as the process lives */
    _Atomic uint64_t frames;              /**< that ended while it slept */
    /* immutable after pp_sleep_begin() */
    struct pp_sleep_file file;
    char folder[PATH_MAX]; /**< of the file */
};

/** The session. */
struct pp_session {
    /* immutable after pp_session_get() */
    struct pp_config config;
    pid_t pid;
    uint64_t start_ns;        /**< CLOCK_MONOTONIC */
    uint64_t to_realtime_ns;  /**< what CLOCK_REALTIME was ahead of CLOCK_MONOTONIC then */
    struct pp_stacks *stacks; /**< call stacks, which lock themselves; NULL: none are recorded */
    /* by concern; the comment of each struct says who may access its members */
    struct pp_session_rows rows;
    struct pp_session_transport transport;
    struct pp_session_frames frames;
    struct pp_session_marks marks;
    struct pp_session_sources sources;
    struct pp_recording recording;
    struct pp_sleep sleep;
    /* lock themselves */
    struct pp_names names;
    struct pp_user_counters user_counters;
    /* atomic */
    atomic_bool active;
    atomic_bool streams;                  /**< a device has a streaming source */
    _Atomic(struct pp_watch *) watches;   /**< newest first; watch.h */
    struct pp_memory memory;              /**< what front ends hold until results come */
    struct pp_overhead own;               /**< hooks outside of any batch, a call each */
    _Atomic(struct pp_control *) control; /**< sockets for other programs; NULL: none */
    /* guarded by lock */
    pthread_mutex_t lock;
    struct pp_device *devices;
    uint32_t device_count;
    struct pp_timeline *timelines;      /**< by number */
    struct pp_timeline *timelines_last; /**< NULL: there is none */
    bool begun;                         /**< there is a device: columns do not change any more */
    struct pp_collector *collector;     /**< NULL until the first device, or until it wakes */
    struct pp_user_metrics
        *user_metrics;     /**< of --metrics; collector thread only after its start; may be NULL */
    bool failed;           /**< the collector could not start */
    char stop_reason[256]; /**< "" while running */
    /* collector thread only */
    struct pp_empty_cells empty; /**< why cells of its files are empty */
};

#endif
