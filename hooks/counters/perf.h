/** @file
 * Hardware counters by GL_INTEL_performance_query (source "intel") and GL_AMD_performance_monitor
 * (source "amd"). amd_monitor.c and intel_query.c ask the driver what it has, perf_source.c makes events,
 * layouts and sets of it, perf_result.c takes results apart, perf_query.c measures: one bracket at a time,
 * with the program's own use of either extension in front of ours. The driver is not believed: sizes, ids and
 * counts are checked. See also query.h. */
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

/** Sources of this room: 0 "intel", 1 "amd". */
#define PP_GL_PERFS 2U

/** More of a driver is not looked at. */
#define PP_GL_PERF_GROUPS 4096U
#define PP_GL_PERF_EVENTS 65536U

/** A group of counters (amd), a type of query (intel). */
struct pp_gl_perf_group {
    GLuint id;
    uint32_t max;   /**< counters of it at a time */
    uint32_t tried; /**< as many were seen to begin */
    uint32_t bytes; /**< intel: of a result */
    uint32_t asked; /**< by the fits() at hand */
    bool whole;     /**< intel: it counts the whole GPU, whichever context works */
    char *name;
};

/** A counter. */
struct pp_gl_perf_event {
    char *name;
    char *description;
    const char *reason; /**< NULL: available */
    uint32_t group;     /**< index */
    uint8_t unit;       /**< enum pp_unit */
    uint8_t number;     /**< enum pp_number */
    uint8_t mode;       /**< enum pp_field_mode */
    bool not_additive;
    struct pp_gl_perf_want want; /**< where its value is in a result */
};

/** Layout of one choice of events, in their order. */
struct pp_gl_perf_layout {
    struct pp_gl_perf_layout *next;
    uint32_t events;
    uint32_t *event;
    struct pp_layout layout;
    struct pp_field *field;
};

/** What a frame measures of a source. */
struct pp_gl_perf_set {
    struct pp_gl_perf_want *want; /**< in the layout's order */
    uint32_t wants;               /**< 0: nothing */
    uint32_t bytes;               /**< of a result */
    GLuint query;                 /**< intel: the type of query */
    bool whole;                   /**< intel: it counts the whole GPU */
    bool refused;                 /**< atomic: the driver does not measure it */
    uint32_t refusals;            /**< atomic: begins that it refused in a row */
};

/** The calls of one extension. All with the context current. */
struct pp_gl_perf_driver {
    /** Make an object that measures the set. @return 0: none to be had. */
    GLuint (*make)(const struct pp_gl_perf_set *set);
    void (*begin)(GLuint name);
    void (*end)(GLuint name);
    /** Is its result there? */
    bool (*landed)(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch);
    /** Read a result that is there. @retval 0 in @p row. @retval -EAGAIN it is not. @retval -EBADMSG it is
     * nonsense. */
    int (*read)(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch, uint8_t *row);
};

/** A source: what a device offers by one extension. Immutable after pp_gl_perf_plan() but for set's atomics.
 */
struct pp_gl_perf {
    const struct pp_source_ops *ops;
    const struct pp_gl_perf_driver *driver;
    const char *reason; /**< why it has nothing at all; NULL: it has */
    struct pp_gl_perf_group *group;
    uint32_t groups;
    struct pp_gl_perf_event *event;
    uint32_t events;
    bool one_group; /**< events of one group at a time */
    bool alone;     /**< passes and draws have the GPU for themselves (--serialize) */
    bool cut;       /**< the driver has more than is looked at */
    bool trying;    /**< the context that is asked is current: fits() may try */
    struct pp_gl_perf_layout *layouts;
    struct pp_gl_perf_set *set;
    uint32_t sets;
    uint32_t source;     /**< number in batches' rows; UINT32_MAX: nothing of it is measured */
    uint32_t offset;     /**< in a row */
    uint32_t scratch;    /**< bytes of the largest result */
    struct pp_once once; /**< reasons that the session has */
};

/** Free names of one set in one context. */
struct pp_gl_perf_pool {
    GLuint *free;
    uint32_t frees, cap;
    bool dry; /**< the driver has no more */
};

/** What a context measures with. */
struct pp_gl_perf_state {
    struct pp_rotation turn;                   /**< of the open frame */
    struct pp_gl_perf_pool *pool[PP_GL_PERFS]; /**< one a set */
    uint32_t pools[PP_GL_PERFS];
    GLuint *ours[PP_GL_PERFS];   /**< all names that we ever had */
    uint32_t names[PP_GL_PERFS]; /**< how many */
    uint8_t *scratch;
    uint32_t running;           /**< bracket that is measured; UINT32_MAX: none */
    GLuint app[PP_GL_PERFS][8]; /**< the application's own that are active */
    uint32_t apps[PP_GL_PERFS];
    GLenum error; /**< of the program, that we had to take from the driver */
    bool set_up;
};

/** What a bracket measured of one source. */
enum pp_gl_perf_phase {
    PP_PERF_NONE, /**< nothing was asked for */
    PP_PERF_RUNNING,
    PP_PERF_ENDED,
    PP_PERF_STOPPED, /**< the program needed the hardware, or the set is given up */
    PP_PERF_REFUSED, /**< the driver refused to begin */
};

struct pp_gl_perf_bracket {
    GLuint name[PP_GL_PERFS]; /**< 0: none */
    uint8_t phase[PP_GL_PERFS];
    uint8_t set;
};

/* Asking: perf_source.c, amd_monitor.c, perf_intel.c. */

extern const struct pp_source_ops pp_gl_source_intel;
extern const struct pp_source_ops pp_gl_source_amd;

/** Ask the current context what it has; `reason` says why it has nothing. */
void pp_gl_perf_ask_intel(const struct pp_gl_context *ctx, struct pp_gl_perf *perf);
void pp_gl_perf_ask_amd(const struct pp_gl_context *ctx, struct pp_gl_perf *perf);

/** Room for one more, zeroed. @return NULL: no memory, or too many. */
struct pp_gl_perf_group *pp_gl_perf_add_group(struct pp_gl_perf *perf, const char *name);
struct pp_gl_perf_event *pp_gl_perf_add_event(struct pp_gl_perf *perf, const char *name,
                                              const char *description);

/** All are there: give names that can be told apart. */
void pp_gl_perf_name_events(struct pp_gl_perf *perf);

/** A set for the driver, out of what core planned. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_gl_perf_make_set(const struct pp_gl_perf *perf,
                                                            const struct pp_device_set *planned,
                                                            struct pp_gl_perf_set *ret);

/** Free all that it holds. */
void pp_gl_perf_finish(struct pp_gl_perf *perf);

/* Measuring: perf_query.c. */

/** Ask for the sources that the session wants; before the device is announced. */
void pp_gl_perf_find(struct pp_gl_context *ctx, const struct pp_config *config, struct pp_gl_perf *perf);

/** Does the driver begin to measure this? With the context current. */
bool pp_gl_perf_try(const struct pp_gl_perf *perf, const struct pp_gl_perf_set *set);

/** Take over what core planned, and try each set once; after the device was announced. */
void pp_gl_perf_plan(struct pp_gl_device *device);

/** A frame begins. */
void pp_gl_perf_frame(struct pp_gl_context *ctx, const struct pp_batch *batch);

/** Begin and end of a bracket; @p work of an action. */
void pp_gl_perf_begin(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number,
                      bool action);
void pp_gl_perf_end(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, uint32_t number);

/** Others used the GPU while this bracket was measured: what counts the whole GPU is lost. */
void pp_gl_perf_beside(struct pp_gl_context *ctx, uint32_t number);

/** End what runs, without a result: the program needs the hardware, or profiling stops. */
void pp_gl_perf_stop(struct pp_gl_context *ctx);

/** Has this bracket's result landed? True if it has none. Between pp_gl_perf_keep_error() and the next one,
 * as pp_gl_perf_read(). */
bool pp_gl_perf_landed(struct pp_gl_context *ctx, const struct pp_gl_perf_bracket *bracket);

/** Read a bracket's results into its row and statuses. What has not landed is lost. */
void pp_gl_perf_read(struct pp_gl_context *ctx, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                     uint32_t number);

/** Say that a bracket's results are lost; its objects are not used again. */
void pp_gl_perf_lose(struct pp_gl_device *device, struct pp_gl_perf_bracket *bracket, struct pp_batch *batch,
                     uint32_t number);

/** Free the memory; the driver frees the objects with the context. */
void pp_gl_perf_state_finish(struct pp_gl_perf_state *state);

/** Move an error from the driver to where pp_gl_get_error() gives it to the program. @return Was there one?
 */
bool pp_gl_perf_keep_error(struct pp_gl_context *ctx);

/** Forget an error that calls of ours left since. */
void pp_gl_perf_drop_error(void);

/** Is @p name ours? @p i as in device->perf: 0 query, 1 monitor. */
bool pp_gl_perf_is_ours(const struct pp_gl_context *ctx, uint32_t i, GLuint name);

/* The program's: named in entry_points.txt. */
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
