/** @file
 * Frames whose queries wait for their results, and the application's own queries. Query objects belong to
 * one context and are created, written and read only while it is current. Results are read when the driver
 * has them, oldest frame first. See also bracket.h, which writes them. */
#ifndef PP_HOOKS_MEASURE_QUERY_READBACK_H
#define PP_HOOKS_MEASURE_QUERY_READBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/tracker.h"
#include "core/model/batch.h"
#include "hooks/counters/perf.h"
#include "hooks/reach/gl_types.h"

struct pp_gl_context;

/** Frames' batches that may wait for results in one context; one more drops the oldest. Two or three on
 * hardware that presents; zink on a software driver lets a program run hundreds of frames ahead. */
#define PP_GL_PENDING_MAX 256U

/** Query objects of a bracket, at most: begin, end, one per statistic. */
#define PP_GL_SLOT_NAMES (2U + PP_PIPELINE_STATISTICS)

/** A slot whose results are still under way when its batch is given up. */
struct pp_gl_late {
    uint32_t slot;
    uint8_t begun;   /**< its begin was written */
    uint8_t ended;   /**< its end was written */
    uint8_t counted; /**< statistics were begun */
};

/** Pool of slots, each a row of query names: begin, end, one per statistic that is measured. */
struct pp_gl_pool {
    GLuint *name;            /**< slots * names, each growth sorted */
    uint32_t *free;          /**< stack of free slots */
    struct pp_gl_late *late; /**< ring of `slots` places, oldest first */
    uint32_t names;          /**< of a slot; 0: nothing was taken yet */
    uint32_t slots;
    uint32_t frees;
    uint32_t late_first;
    uint32_t lates;
    uint32_t used_most; /**< slots, since it was looked for some that are not needed */
    uint64_t looked_ns; /**< CLOCK_MONOTONIC then */
    bool failed;        /**< the driver gave none: brackets stay empty */
};

/** pp_gl_bracket.rows: what the CPU put into a bracket's rows while it was open. */
enum {
    PP_GL_ROWS_NONE,
    PP_GL_ROWS_END,   /**< the end's time: what it encloses had been waited for */
    PP_GL_ROWS_SCENE, /**< begin and end for deferred_renderer.h to judge */
    PP_GL_ROWS_CALLS, /**< begin and end: it was done in calls, which waited for nothing */
};

/** What a bracket of the open batch uses. */
struct pp_gl_bracket {
    uint32_t slot;   /**< UINT32_MAX: none */
    uint8_t closed;  /**< it has an end */
    uint8_t begun;   /**< its begin was written as a query */
    uint8_t ended;   /**< its end was written as a query */
    uint8_t rows;    /**< PP_GL_ROWS_* */
    uint8_t counted; /**< statistics were begun */
    uint8_t broken;  /**< the program needed a target while they ran */
    uint8_t done;    /**< read while its frame was open; it has no slot any more */
    uint8_t plain; /**< all that pp_gl_bracket_begin() writes was written and nothing else: read at one go */
    struct pp_gl_perf_bracket perf;
};

/** A batch that waits, or (the newest) is being filled. */
struct pp_gl_flight {
    struct pp_batch *batch;
    struct pp_gl_bracket *bracket;
    void (*stamp)(GLuint name, GLenum target); /**< writes a timestamp of a draw; NULL: draws have none */
    uint32_t brackets;
    uint32_t cap;
    uint32_t last;    /**< bracket whose time was written last as a query; UINT32_MAX: none */
    uint32_t counted; /**< bracket whose statistics were begun last; UINT32_MAX: none */
    uint32_t perf;    /**< bracket whose hardware counters ended last; UINT32_MAX: none */
    uint32_t plain; /**< bracket that is open and took the path of pp_gl_bracket_begin(); UINT32_MAX: none */
    uint32_t read;  /**< brackets read so far */
    uint32_t early; /**< those before this one were read while the frame was open, as far as they could be */
    uint32_t early_sent;  /**< those before this one were handed to the GPU when that was last tried */
    uint32_t early_from;  /**< brackets from which on it is tried again */
    uint32_t oldest_from; /**< the same of pp_gl_flight_read_oldest() */
    bool landed;          /**< its results are there */
};

/** The ring of waiting batches and the one under way. */
struct pp_gl_pending {
    struct pp_gl_flight flight[PP_GL_PENDING_MAX];
    uint32_t first;
    uint32_t count;
    struct pp_gl_flight open;
    struct pp_gl_flight *reading; /**< the oldest, if it landed and is read so; NULL: none */
    uint32_t counting;            /**< bracket with statistics running; UINT32_MAX: none */
    uint32_t actions;             /**< actions in the last batch */
    uint32_t app_active;          /**< bit i: the program has statistic i of the device running */
    bool app_begins;              /**< and may begin others in the call under way: it is no use to ask now */
    GLuint unsent_first; /**< names that the program wrote since it handed work over lie between these */
    GLuint unsent_last;
    uint32_t *bias_slot; /**< empty brackets under way; NULL: none */
    uint32_t bias_count;
    uint64_t dropped; /**< batches dropped because results did not come */
};

/** Read the next bracket of pending.reading, whose slot is then free. Hot. */
void pp_gl_flight_read_next(struct pp_gl_context *ctx);

/** Free slots of the open frame, if it is long and many of its results have landed. Waits for nothing.
 * @return false: none was freed. */
bool pp_gl_flight_read_early(struct pp_gl_context *ctx);

/** Free slots of the oldest frame that waits, if some of its results have landed. Waits for nothing. @return
 * false: none was freed. */
bool pp_gl_flight_read_oldest(struct pp_gl_context *ctx);

/** Begin to fill @p batch. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_gl_flight_open(struct pp_gl_context *ctx, struct pp_batch *batch);

/** The open batch is full: queue it for its results. The tracker must have ended. */
void pp_gl_flight_seal(struct pp_gl_context *ctx);

/** Read what has landed, oldest first, and hand it to the collector. The context is current, outside
 * glBegin..glEnd and display lists. @p wait_ns how long to wait for the rest; 0: not at all. */
void pp_gl_poll(struct pp_gl_context *ctx, uint64_t wait_ns);

/** The same at a frame's end, where some may be left for the draws of the next frame to read. */
void pp_gl_poll_frame(struct pp_gl_context *ctx);

/** What the begin (@p end 0) or end of a bracket says that was written as a query; it has landed. */
uint64_t pp_gl_bracket_result(const struct pp_gl_context *ctx, const struct pp_gl_bracket *bracket,
                              unsigned end);

/** Hand over all that waits as lost: the context is gone. No call into OpenGL. */
void pp_gl_flight_abandon(struct pp_gl_context *ctx);

/** The program is about to begin a query on @p target: end ours if it stands in the way. */
void pp_gl_query_program_begins(struct pp_gl_context *ctx, GLenum target);

/** It is about to end one, which must not be ours. */
void pp_gl_query_program_ends(struct pp_gl_context *ctx, GLenum target);

/** It ended one. */
void pp_gl_query_program_ended(struct pp_gl_context *ctx, GLenum target);

/** It wrote @p name, and has not handed the work over since: waiting for the result does. */
void pp_gl_query_program_writes(struct pp_gl_context *ctx, GLuint name);

/** Does asking for the result of @p name hand work over? */
bool pp_gl_query_program_unsent(const struct pp_gl_context *ctx, GLuint name);

/** Something may have changed the program's queries unseen (display lists): ask. */
void pp_gl_query_resync(struct pp_gl_context *ctx);

/** End our statistics now, as nothing is known of what follows. */
void pp_gl_query_pause(struct pp_gl_context *ctx);

/** Is @p name one of ours? */
bool pp_gl_query_is_ours(const struct pp_gl_context *ctx, GLuint name);

/** Sample CPU and GPU clocks together, at most once a second for a device. */
void pp_gl_sample_clock(struct pp_gl_context *ctx);

/** Issue the empty brackets whose length is the device's resolution, once for a device. */
void pp_gl_measure_bias(struct pp_gl_context *ctx);

/** End the queries that are active, without a result. With the context current. */
void pp_gl_query_stop(struct pp_gl_context *ctx);

/** Free the pool's memory; the driver frees the objects with the context. */
void pp_gl_query_finish(struct pp_gl_context *ctx);

#endif
