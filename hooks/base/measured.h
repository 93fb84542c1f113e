/** @file
 * What contexts and devices keep while passprobe measures. The files of hooks/measure/ with the same words
 * do the work: query_pool.c, readback.c, deferred_renderer.c, serialize.c, report_wait.c. */
#ifndef PP_HOOKS_BASE_MEASURED_H
#define PP_HOOKS_BASE_MEASURED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/engine/watch.h"
#include "core/model/action_list.h"
#include "core/model/batch.h"
#include "counters/sources/builtin.h"
#include "hooks/base/gl_types.h"
#include "hooks/base/perf.h"

/** A slot whose results have not arrived when its batch is given up. */
struct pp_gl_overdue {
    uint32_t slot;
    uint8_t begun;      /**< the begin was written */
    uint8_t ended;      /**< the end was written */
    uint8_t statistics; /**< PP_GL_STATISTICS_*: those that were begun */
};

/** Most slots that rest (pp_gl_pool_rest()). */
#define PP_GL_RESTS 4U

/** Pool of slots. Each slot is a row of query names: begin, end, one per statistic that is measured. */
struct pp_gl_pool {
    GLuint *name;                  /**< slots * names, each growth sorted */
    uint32_t *free;                /**< stack of free slots */
    struct pp_gl_overdue *overdue; /**< ring of `slots` places, oldest first */
    uint32_t names;                /**< names in a slot; 0: nothing was taken yet */
    uint32_t slots;
    uint32_t frees;
    uint32_t rest[PP_GL_RESTS]; /**< ring of slots that were read last and are not free yet */
    uint32_t rest_next;         /**< place of the next one, and of the oldest one if the ring is full */
    uint32_t rests;
    uint32_t overdue_first;
    uint32_t overdues;
    uint32_t used_most; /**< most slots in use since the last check for spare slots */
    uint64_t looked_ns; /**< CLOCK_MONOTONIC at that check */
    bool failed;        /**< the driver gave no names: brackets stay empty */
};

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

/** The part of a pass that is open. */
struct pp_gl_scene {
    uint32_t bracket; /**< bracket of the part; UINT32_MAX: no part is open */
    uint8_t kind;     /**< enum pp_action_kind of the action under way */
    bool drawn;       /**< something was drawn into a scene */
    bool unsent;      /**< the last draw may wait in its scene for the framebuffer's next draws */
    bool apart;       /**< the part has an action that no draw may join: one in a scene by itself, or one
                           that waited for scenes */
    uint64_t target;  /**< serial of the render target at the part's begin */
    uint64_t call_ns; /**< when the call of the action under way began */
    uint64_t busy_ns; /**< time in calls that did their work before they returned */
    uint64_t done_ns; /**< when the last such call returned; 0: there was none */
    uint64_t end_ns;  /**< end of the part that was read last */
};

/** A context's part in --serialize. */
struct pp_gl_serialize {
    /* belongs to the thread that has the context current */
    bool known;    /**< counted among the contexts that work */
    bool open;     /**< a pass of the context is under way */
    bool unwaited; /**< the context may have work under way that no one waited for */
    struct {
        bool overlapped; /**< other contexts had work when the bracket began */
        uint64_t begun;  /**< value of the count `begun` of all contexts at that time */
    } bracket[2];        /**< [0]: of the open pass; [1]: of the open action */
};

enum { PP_GL_OTHER_STREAMS = 8 };

/** The questions to a device's driver that are under way. */
struct pp_gl_report_watch {
    struct pp_watch watch;
    pthread_mutex_t lock;
    /* guarded by lock */
    int stream;                     /**< the driver's descriptor; -1: not found */
    int other[PP_GL_OTHER_STREAMS]; /**< streams from before the driver's first query; it has another owner */
    uint32_t others;
    uint32_t searches; /**< how often it was searched for */
    uint32_t askers;   /**< threads that ask the driver now */
    uint32_t rounds;   /**< of the collector, since the last question began or ended */
    uint64_t since_ns; /**< CLOCK_MONOTONIC at that time */
    bool stopped;      /**< the stream was stopped since the first of the questions began */
};

/** What is known about a device's waits; zero: nothing. Any thread. */
struct pp_gl_report_wait {
    _Atomic uint32_t waits; /**< how often the driver waited although the results were old enough */
    atomic_bool given_up;   /**< results are not asked for any more */
    struct pp_gl_report_watch watch;
};

#endif
