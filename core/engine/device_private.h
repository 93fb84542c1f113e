/** @file
 * Data of devices that the files of core/ share; other modules do not include this file. */
#ifndef PP_CORE_ENGINE_DEVICE_PRIVATE_H
#define PP_CORE_ENGINE_DEVICE_PRIVATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/engine/clock.h"
#include "core/engine/device_info.h"
#include "core/model/batch.h"
#include "core/util/log.h"

/** A field that has a column, and is the count itself: a 64-bit word. */
struct pp_word_column {
    uint32_t offset; /**< in the snapshot */
    uint32_t column;
};

/** A set of a source, and the columns that it fills. */
struct pp_source_set {
    struct pp_device_set set;
    uint16_t *column;            /**< of each field of set.layout; UINT16_MAX: none */
    struct pp_word_column *word; /**< columns of a layout that has only 64-bit words (pp_layout_is_words());
                                    NULL: other layouts */
    uint32_t words;
    bool run; /**< words and columns are consecutive */
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

/** State of a device's streaming sources: see core/events/device_counters.h. */
struct pp_stream_sets {
    pthread_mutex_t lock;
    /* guarded by lock */
    uint8_t set;       /**< the counter set that is measured */
    uint8_t wanted;    /**< the set that a frame wanted first while this one's frames were not done */
    uint32_t turn;     /**< number of its turn, from 1 on; 0: none yet */
    uint32_t frames;   /**< frames of this turn whose rows are not done */
    uint64_t begun_ns; /**< CLOCK_MONOTONIC when the turn began */
    uint64_t late_ns;  /**< CLOCK_MONOTONIC when a frame had to wait for these frames first; 0: none had */
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
    bool records; /**< commands are recorded before they are submitted */
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
    struct pp_only_set only_set;
    struct pp_row_bottleneck *bound;          /**< models of the counters; collector thread only */
    struct pp_row_plausibility *plausibility; /**< what the counters contradict; collector thread only */
    struct {
        uint64_t passes, of_passes; /**< passes whose statistics are known; all passes */
        uint64_t frames, of_frames;
    } statistics;   /**< pipeline statistics at the levels pass and draw; collector thread only */
    bool exclusive; /**< a source allows one open bracket only */
    bool reads;
    bool reads_idle;
    bool streams;         /**< a source's counts are looked up by time */
    atomic_uint failed;   /**< bit s: a note says that source s could not be read */
    struct pp_once noted; /**< notes that the device has */
    /* lock themselves */
    struct pp_clock clock;
    struct pp_stream_sets stream_sets;
    /* guarded by session->lock */
    struct pp_missing *missing;
    struct pp_missing *notes; /**< event: "note" */
    struct pp_bias *bias;
};

#endif
