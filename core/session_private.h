/** @file
 * What the files of core/ share of the session; nobody else includes it. Who may touch a field stands above
 * it. */
#ifndef PP_CORE_SESSION_PRIVATE_H
#define PP_CORE_SESSION_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "core/intern.h"
#include "core/ring.h"
#include "core/session.h"

#define PP_MAX_COLUMNS 256U

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
    struct pp_device_source source[PP_MAX_SOURCES];
    uint32_t offset[PP_MAX_SOURCES];
    uint32_t sources;
    uint32_t row_bytes;
    uint16_t *column[PP_MAX_SOURCES]; /**< field of source -> column of the session, or UINT16_MAX */
    /* locks itself */
    struct pp_clock clock;
    /* guarded by session->lock */
    struct pp_missing *missing;
    struct pp_bias *bias;
};

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
    /* written under lock, read anywhere */
    _Atomic uint64_t frame;
    atomic_int level;
};

/** What lies in the ring: the first member of each parcel. */
enum pp_item_kind { PP_ITEM_BATCH, PP_ITEM_FRAME_END, PP_ITEM_TIMELINE_END };
struct pp_item {
    enum pp_item_kind kind;
};

/** A batch as the ring carries it. */
struct pp_batch_item {
    struct pp_item head;
    struct pp_batch_item *next; /* pp_pending.batches, by order */
    struct pp_batch batch;
};

/** The end of a frame, or (TIMELINE_END) of a series whose open frame never ended. */
struct pp_frame_item {
    struct pp_item head;
    struct pp_timeline *timeline;
    uint64_t frame;
    enum pp_level level;
    uint64_t start_ns;
    uint32_t batches;
    bool dropped;
    struct pp_frame_times times;
};

/** A moment that the program marked through the annotate API. */
struct pp_mark {
    struct pp_mark *next; /* pp_session.marks */
    uint64_t at_ns;
    pp_label_id label;
};

#define PP_MAX_MARKS 4096U

struct pp_collector;

/** The session. */
struct pp_session {
    /* immutable after pp_session_get() */
    struct pp_config config;
    pid_t pid;
    uint64_t start_ns;                  /**< CLOCK_MONOTONIC */
    const char *column[PP_MAX_COLUMNS]; /**< "pipeline:vertex_shader_invocations", ... */
    enum pp_unit column_unit[PP_MAX_COLUMNS];
    uint32_t columns;
    /* lock themselves */
    struct pp_intern shapes;
    struct pp_intern strings;
    struct pp_intern labels;
    struct pp_ring ring;         /**< struct pp_item *, to the collector */
    struct pp_ring free_batches; /**< struct pp_batch_item *, back */
    /* atomic */
    atomic_bool active;
    _Atomic uint64_t next_frame;
    _Atomic uint64_t next_order;
    atomic_uint batches; /**< allocated in all */
    _Atomic uint64_t own_ns;
    _Atomic uint64_t dropped_frames;
    _Atomic uint64_t window_start_ns; /**< first frame's start, for --delay and --duration; 0: none yet */
    /* guarded by lock */
    pthread_mutex_t lock;
    struct pp_device *devices;
    struct pp_timeline *timelines;
    uint32_t device_count;
    struct pp_mark *marks;          /**< newest first, at most PP_MAX_MARKS */
    uint64_t mark_count;            /**< in all, also those beyond */
    struct pp_collector *collector; /**< NULL until the first device */
    struct pp_derive *derive; /**< of --metrics, made before the collector, then its alone; may be NULL */
    bool failed;              /**< the collector could not start */
    char stop_reason[256];    /**< "" while running */
};

/** Batch items, recycled. get: NULL at the limit or without memory. */
struct pp_batch_item *pp_batch_item_get(struct pp_session *session);
void pp_batch_item_recycle(struct pp_session *session, struct pp_batch_item *item);
void pp_batch_item_destroy(struct pp_batch_item *item);

/** Text of an interned string; "" for 0. */
const char *pp_session_text(struct pp_session *session, pp_string_id id);

/** A shape; NULL for 0. */
const struct pp_shape *pp_session_shape_get(struct pp_session *session, pp_shape_id id);

/** Write a label path, outermost first, parts joined by '/', into @p out; always terminated. */
void pp_session_label_path(struct pp_session *session, pp_label_id id, char *out, size_t size);

/** Was the session made in this process, or are we a forked child of it? */
bool pp_session_forked(void);

#endif
