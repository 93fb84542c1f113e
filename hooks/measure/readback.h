/** @file
 * Readbacks: frames whose queries wait for their results. Query objects belong to one context; they are
 * created, written and read only while it is current. bracket.h writes the queries, retire.h decides when the
 * results are read. */
#ifndef PP_HOOKS_MEASURE_QUERY_READBACK_H
#define PP_HOOKS_MEASURE_QUERY_READBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/tracker.h"
#include "core/model/batch.h"
#include "counters/sources/builtin.h"
#include "hooks/counters/perf.h"
#include "hooks/measure/query_pool.h"
#include "hooks/reach/gl_types.h"

struct pp_gl_context;

/** How many batches may wait for results in one context; one more drops the oldest batch. Hardware that
 * presents needs two or three. With zink on a software driver an application can run hundreds of frames
 * ahead. On Haswell, hardware counters come up to 346 ms later than other results (report_wait.h). */
#define PP_GL_PENDING_MAX 1024U

/** Query objects of a bracket, at most: begin, end, one per statistic. */
#define PP_GL_SLOT_NAMES (2U + PP_PIPELINE_STATISTICS)

/** Values of pp_gl_bracket.rows: what the CPU wrote into a bracket's rows while the bracket was open. */
enum {
    PP_GL_ROWS_NONE,
    PP_GL_ROWS_END,   /**< the time of the end: the application had waited for what the bracket encloses */
    PP_GL_ROWS_SCENE, /**< begin and end, to be corrected by deferred_renderer.h */
    PP_GL_ROWS_CALLS, /**< begin and end: the work was done in calls, which waited for nothing */
};

/** State of a bracket of the open batch. */
struct pp_gl_bracket {
    uint32_t slot;      /**< UINT32_MAX: none */
    uint8_t closed;     /**< the bracket has an end */
    uint32_t shared;    /**< 1 + number of the bracket whose end is the begin of this one; 0: none */
    uint8_t begun;      /**< the begin was written as a query, of this bracket or of the shared one */
    uint8_t ended;      /**< the end was written as a query */
    uint8_t rows;       /**< PP_GL_ROWS_* */
    uint8_t statistics; /**< PP_GL_STATISTICS_*: those that were begun; the others are 0 then */
    uint8_t broken;     /**< the application needed a query target while statistics of passprobe ran */
    uint8_t done;       /**< the bracket was read while its frame was open, and has no slot any more */
    uint8_t fast;       /**< pp_gl_bracket_begin() wrote everything and nothing else was written: read in one
                             step */
    struct pp_gl_perf_bracket perf;
};

/** A batch and its brackets: it waits for the results of its queries, or it is being filled
 * (pp_gl_pending.open). */
struct pp_gl_readback {
    struct pp_batch *batch;
    struct pp_gl_bracket *bracket;
    void (*stamp)(GLuint name, GLenum target); /**< function that writes a timestamp of a draw; NULL: draws
                                                    have no timestamps */
    uint32_t brackets;
    uint32_t cap;
    uint32_t last;          /**< last bracket whose time was written as a query; UINT32_MAX: none */
    uint32_t last_graphics; /**< last bracket that began PP_GL_STATISTICS_GRAPHICS; UINT32_MAX: none */
    uint32_t last_compute;  /**< last bracket that began PP_GL_STATISTICS_COMPUTE; UINT32_MAX: none */
    uint32_t perf;          /**< last bracket whose hardware counters ended; UINT32_MAX: none */
    uint32_t fast_bracket;  /**< the open bracket, if it took the fast path of pp_gl_bracket_begin();
                               UINT32_MAX: none */
    uint32_t read;          /**< brackets read so far */
    uint32_t early;         /**< brackets before this one were read while the frame was open, where that was
                                 possible */
    uint32_t
        early_submitted;  /**< brackets before this one had been submitted to the GPU at the last attempt */
    uint32_t early_from;  /**< number of brackets at which the next attempt is due */
    uint32_t oldest_from; /**< the same number for pp_gl_retire_oldest() */
    bool available;       /**< all results are available, or are not waited for any more */
    bool perf_lost;       /**< the results of hardware counters are not asked for */
    uint64_t executed_ns; /**< CLOCK_MONOTONIC when its queries were seen to be available; 0: not yet, or not
                             needed (report_wait.h) */
};

/** A context's readbacks: the ring of those that wait, and the one that is being filled. */
struct pp_gl_pending {
    struct pp_gl_readback readback[PP_GL_PENDING_MAX];
    uint32_t first;
    uint32_t count;
    uint32_t executed; /**< this many of the oldest ones have executed_ns */
    struct pp_gl_readback open;
    struct pp_gl_readback *reading; /**< the oldest readback, if it is available and its brackets are read one
                                       by one; NULL: none */
    uint32_t counting;              /**< bracket with statistics running; UINT32_MAX: none */
    uint32_t actions;               /**< actions in the last batch */
    uint32_t app_active;      /**< bit i: a query of the application runs on statistic i of the device */
    bool app_begins;          /**< the call under way may begin more application queries: do not ask
                                   the driver now */
    GLuint unsubmitted_first; /**< application queries written since the last submission have names from this
                              one to unsubmitted_last */
    GLuint unsubmitted_last;
    uint32_t *bias_slot; /**< slots of the empty brackets that are being measured; NULL: none */
    uint32_t bias_count;
    uint64_t dropped; /**< batches dropped because results did not come */
};

/** The waiting readback number @p i, the oldest first. @p i is less than PP_GL_PENDING_MAX. */
static inline struct pp_gl_readback *
pp_gl_readback_at(struct pp_gl_pending *pending, uint32_t i)
{
    return &pending->readback[(pending->first + i) % PP_GL_PENDING_MAX];
}

/** Begin to fill @p batch. @retval 0 done. @retval -ENOMEM no memory. */
__attribute__((warn_unused_result)) int pp_gl_readback_open(struct pp_gl_context *ctx,
                                                            struct pp_batch *batch);

/** Queue the full batch until its results are available. The tracker must have ended its passes. */
void pp_gl_readback_seal(struct pp_gl_context *ctx);

/** Read the next bracket of pending.reading and free its slot. Hot. */
void pp_gl_readback_read_next(struct pp_gl_context *ctx);

/** Read the brackets of a readback from the first unread one to before @p end, where that takes one step, and
 * free their slots. Their results are available. */
void pp_gl_readback_read_until(struct pp_gl_context *ctx, struct pp_gl_readback *readback, uint32_t end);

/** Read the rest of the oldest readback, hand its batch to the collector and remove it from the ring. */
void pp_gl_readback_read_oldest(struct pp_gl_context *ctx);

/** Result of query object @p name. It must be available. */
uint64_t pp_gl_readback_result(const struct pp_gl_context *ctx, GLuint name);

/** Is the result of query object @p name available? */
bool pp_gl_readback_has_result(const struct pp_gl_context *ctx, GLuint name);

/** Hand all waiting batches to the collector as lost: the context is gone. Makes no call into OpenGL. */
void pp_gl_readback_abandon(struct pp_gl_context *ctx);

/** Free the memory of the pool and of the batches. The driver frees the query objects with the context. */
void pp_gl_readback_finish(struct pp_gl_context *ctx);

#endif
