/** @file
 * Hardware counters by GL_INTEL_performance_query (counter source "intel") and GL_AMD_performance_monitor
 * (counter source "amd"). amd_monitor.c and intel_query.c ask the driver what it has. perf_source.c makes
 * events, layouts and counter sets from the answers. perf_result.c parses results. perf_query.c measures one
 * bracket at a time; the application's use of either extension has priority over ours. The driver is not
 * trusted: sizes, ids and counts are checked. See also query_readback.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_H
#define PP_HOOKS_COUNTERS_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/session.h"
#include "core/util/log.h"
#include "counters/sources/source.h"
#include "hooks/counters/perf_result.h"
#include "hooks/reach/gl_types.h"

struct pp_gl_bracket;
struct pp_gl_context;
struct pp_gl_device;

/** Number of counter sources here: 0 is "intel", 1 is "amd". */
#define PP_GL_PERFS 2U

/** Limits: what a driver has beyond them is ignored. */
#define PP_GL_PERF_GROUPS 4096U
#define PP_GL_PERF_EVENTS 65536U

/** A group of counters (amd) or a query type (intel). */
struct pp_gl_perf_group {
    GLuint id;
    uint32_t max;   /**< counters of the group that can be active at a time */
    uint32_t tried; /**< this many counters were seen to begin */
    uint32_t bytes; /**< intel: bytes of a result */
    uint32_t asked; /**< used by fits() while it runs */
    bool whole;     /**< intel: the query counts the whole GPU, whichever context works */
    char *name;
};

/** One event: a counter of the driver. */
struct pp_gl_perf_event {
    char *name;
    char *description;
    const char *reason; /**< NULL: available */
    uint32_t group;     /**< index of its group */
    uint8_t unit;       /**< enum pp_unit */
    uint8_t number;     /**< enum pp_number */
    uint8_t mode;       /**< enum pp_field_mode */
    bool not_additive;
    struct pp_gl_perf_want want; /**< where the value is in a result */
};

/** Layout for one selection of events, in their order. */
struct pp_gl_perf_layout {
    struct pp_gl_perf_layout *next;
    uint32_t events;
    uint32_t *event;
    struct pp_layout layout;
    struct pp_field *field;
};

/** What a frame measures of one of these counter sources. */
struct pp_gl_perf_set {
    struct pp_gl_perf_want *want; /**< in the layout's order */
    uint32_t wants;               /**< 0: nothing */
    uint32_t bytes;               /**< bytes of a result */
    GLuint query;                 /**< intel: the query type */
    bool whole;                   /**< intel: the query counts the whole GPU */
    bool refused;                 /**< atomic: the driver does not measure it */
    uint32_t refusals;            /**< atomic: consecutive begins that the driver refused */
};

/** The functions of one extension. The context must be current in all of them. */
struct pp_gl_perf_driver {
    /** Make an object that measures the set. @return 0: the driver gave none. */
    GLuint (*make)(const struct pp_gl_perf_set *set);
    void (*begin)(GLuint name);
    void (*end)(GLuint name);
    /** Is the result of object @p name available? */
    bool (*landed)(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch);
    /** Read an available result. @retval 0 It is in @p row. @retval -EAGAIN It is not available. @retval
     * -EBADMSG It is not valid. */
    int (*read)(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch, uint8_t *row);
};

/** What a device offers by one extension. Immutable after pp_gl_perf_plan(), except the atomics of its sets.
 */
struct pp_gl_perf {
    const struct pp_source_ops *ops;
    const struct pp_gl_perf_driver *driver;
    const char *reason; /**< why nothing is available; NULL: something is */
    struct pp_gl_perf_group *group;
    uint32_t groups;
    struct pp_gl_perf_event *event;
    uint32_t events;
    bool one_group; /**< only events of one group can be measured at a time */
    bool alone;     /**< passes and draws have the GPU to themselves (--serialize) */
    bool cut;       /**< the driver has more than the limits allow */
    bool trying;    /**< the context that is being asked is current: fits() may try a set */
    struct pp_gl_perf_layout *layouts;
    struct pp_gl_perf_set *set;
    uint32_t sets;
    uint32_t source;     /**< number in batches' rows; UINT32_MAX: nothing of it is measured */
    uint32_t offset;     /**< byte offset in a row */
    uint32_t scratch;    /**< bytes of the largest result */
    struct pp_once once; /**< reasons that were already written to the session */
};

/** Free object names of one set in one context. */
struct pp_gl_perf_pool {
    GLuint *free;
    uint32_t frees, cap;
    bool dry; /**< the driver gave no more names */
};

/** What a context needs to measure hardware counters. */
struct pp_gl_perf_state {
    struct pp_rotation turn;                   /**< counter set of the open frame */
    struct pp_gl_perf_pool *pool[PP_GL_PERFS]; /**< one pool for each set */
    uint32_t pools[PP_GL_PERFS];
    GLuint *ours[PP_GL_PERFS];   /**< all names that we ever got */
    uint32_t names[PP_GL_PERFS]; /**< number of names in ours */
    uint8_t *scratch;
    uint32_t running;           /**< bracket that is being measured; UINT32_MAX: none */
    GLuint app[PP_GL_PERFS][8]; /**< active queries and monitors of the application */
    uint32_t apps[PP_GL_PERFS];
    GLenum error; /**< the application's error that we had to take from the driver */
    bool set_up;
};

/** State of a bracket's measurement by one of these sources. */
enum pp_gl_perf_phase {
    PP_PERF_NONE, /**< nothing was requested */
    PP_PERF_RUNNING,
    PP_PERF_ENDED,
    PP_PERF_STOPPED, /**< the application needed the hardware, or the set was given up */
    PP_PERF_REFUSED, /**< the driver refused to begin */
};

struct pp_gl_perf_bracket {
    GLuint name[PP_GL_PERFS]; /**< 0: none */
    uint8_t phase[PP_GL_PERFS];
    uint8_t set;
};

/* Asking the driver: perf_source.c, amd_monitor.c, intel_query.c. */

extern const struct pp_source_ops pp_gl_source_intel;
extern const struct pp_source_ops pp_gl_source_amd;

/** Ask the current context what it has. `perf->reason` is set if it has nothing. */
void pp_gl_perf_ask_intel(const struct pp_gl_context *ctx, struct pp_gl_perf *perf);
void pp_gl_perf_ask_amd(const struct pp_gl_context *ctx, struct pp_gl_perf *perf);

/** Add one zeroed group or event. @return NULL: no memory, or too many. */
struct pp_gl_perf_group *pp_gl_perf_add_group(struct pp_gl_perf *perf, const char *name);
struct pp_gl_perf_event *pp_gl_perf_add_event(struct pp_gl_perf *perf, const char *name,
                                              const char *description);

/** Give all events unique names. Call it when all events have been added. */
void pp_gl_perf_name_events(struct pp_gl_perf *perf);

/** Make a set for the driver from what core planned. @retval 0 done. @retval -ENOMEM no memory. */
__attribute__((warn_unused_result)) int pp_gl_perf_make_set(const struct pp_gl_perf *perf,
                                                            const struct pp_device_set *planned,
                                                            struct pp_gl_perf_set *ret);

/** Free everything that @p perf holds. */
void pp_gl_perf_finish(struct pp_gl_perf *perf);

/* Measuring: perf_query.c. */

/** Ask for the counter sources that the session wants. Call it before the device is announced. */
void pp_gl_perf_find(struct pp_gl_context *ctx, const struct pp_config *config, struct pp_gl_perf *perf);

/** Does the driver begin to measure this set? The context must be current. */
bool pp_gl_perf_try(const struct pp_gl_perf *perf, const struct pp_gl_perf_set *set);

/** Take over what core planned, and try each set once. Call it after the device was announced. */
void pp_gl_perf_plan(struct pp_gl_device *device);

/** A frame begins: take the counter set of @p batch. */
void pp_gl_perf_frame(struct pp_gl_context *ctx, const struct pp_batch *batch);

/** Begin and end the measurement of a bracket. @p action The bracket encloses an action. */
void pp_gl_perf_begin(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number,
                      bool action);
void pp_gl_perf_end(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number);

/** Work of others overlapped with this bracket: values that count the whole GPU are lost. */
void pp_gl_perf_beside(struct pp_gl_context *ctx, uint32_t number);

/** End the measurement that runs, without a result: the application needs the hardware, or profiling stops.
 */
void pp_gl_perf_stop(struct pp_gl_context *ctx);

/** Is this bracket's result available? True if the bracket has none. Call it between pp_gl_perf_keep_error()
 * and pp_gl_perf_drop_error(). */
bool pp_gl_perf_landed(struct pp_gl_context *ctx, const struct pp_gl_perf_bracket *bracket);

/** Read a bracket's results into its row and statuses. A result that is not available is lost. Call it
 * between pp_gl_perf_keep_error() and pp_gl_perf_drop_error(). */
void pp_gl_perf_read(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                     uint32_t number);

/** Mark a bracket's results as lost; its objects are not used again. */
void pp_gl_perf_lose(struct pp_gl_device *device, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                     uint32_t number);

/** Free the memory. The driver frees the objects with the context. */
void pp_gl_perf_state_finish(struct pp_gl_perf_state *state);

/** Move an error from the driver to where pp_gl_get_error() returns it to the application. @return true:
 * there was one. */
bool pp_gl_perf_keep_error(struct pp_gl_context *ctx);

/** Clear errors that our calls left since pp_gl_perf_keep_error(). */
void pp_gl_perf_drop_error(void);

/** Is @p name one of ours? @p i Index in device->perf: 0 query, 1 monitor. */
bool pp_gl_perf_is_ours(const struct pp_gl_context *ctx, uint32_t i, GLuint name);

/* Hooks of the application's calls; entry_points.txt names them. */
void pp_gl_monitor_begin(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_monitor_end(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_monitors_delete(struct pp_gl_context *ctx, void (*real)(GLsizei, GLuint *), GLsizei count,
                           GLuint *name);
void pp_gl_monitor_select(struct pp_gl_context *ctx, void (*real)(GLuint, GLboolean, GLuint, GLint, GLuint *),
                          GLuint name, GLboolean enable, GLuint group, GLint count, GLuint *list);
void pp_gl_monitor_data(struct pp_gl_context *ctx, void (*real)(GLuint, GLenum, GLsizei, GLuint *, GLint *),
                        GLuint name, GLenum what, GLsizei size, GLuint *data, GLint *written);
void pp_gl_perf_query_begin(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_perf_query_end(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_perf_query_delete(struct pp_gl_context *ctx, void (*real)(GLuint), GLuint name);
void pp_gl_perf_query_data(struct pp_gl_context *ctx, void (*real)(GLuint, GLuint, GLsizei, void *, GLuint *),
                           GLuint name, GLuint flags, GLsizei size, void *data, GLuint *written);
GLenum pp_gl_get_error(struct pp_gl_context *ctx, GLenum (*real)(void));

#endif
