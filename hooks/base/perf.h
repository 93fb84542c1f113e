/** @file
 * Hardware counters by GL_INTEL_performance_query (counter source "intel") and GL_AMD_performance_monitor
 * (counter source "amd"). perf_ask.c asks what the driver has. perf_source.c makes
 * events, layouts and counter sets from the answers. perf_result.c parses results. perf_query.c measures one
 * bracket at a time; the application's use of either extension has priority. The driver is not trusted:
 * sizes, ids and counts are checked. See also readback.h. */
#ifndef PP_HOOKS_BASE_PERF_H
#define PP_HOOKS_BASE_PERF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/session/session.h"
#include "core/util/log.h"
#include "counters/snapshot/source.h"
#include "hooks/base/gl_types.h"

struct pp_gl_bracket;
struct pp_gl_context;
struct pp_gl_device;
struct pp_gl_perf;

/** Number of counter sources here: 0 is "intel", 1 is "amd". */
#define PP_GL_PERFS 2U

/** Limits: what a driver has beyond them is ignored. */
#define PP_GL_PERF_GROUPS 4096U
#define PP_GL_PERF_EVENTS 65536U

/** Most values of one measurement. */
#define PP_GL_PERF_WANTS 1024U

/** One value to find in a result. Its place in the row, in bytes, is 8 times its index. */
struct pp_gl_perf_want {
    uint32_t group;   /**< amd: the group's id */
    uint32_t counter; /**< amd: the counter's id */
    uint32_t offset;  /**< intel: from the start of the result */
    uint32_t bytes;   /**< 4 or 8 */
};

/** A group of counters (amd) or a query type (intel). */
struct pp_gl_perf_group {
    GLuint id;
    uint32_t max;   /**< counters of the group that can be active at a time */
    uint32_t tried; /**< this many counters were seen to begin */
    uint32_t bytes; /**< intel: bytes of a result */
    uint32_t asked; /**< used by fits() while it runs */
    uint32_t stage; /**< amd: groups of two different stages cannot be measured together; 0: with all */
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
    atomic_bool refused;          /**< the driver does not measure it */
    _Atomic uint32_t refusals;    /**< consecutive begins that the driver refused */
};

/** The functions of one extension. The context must be current in all of them. */
struct pp_gl_perf_driver {
    /** Make an object that measures the set. @return 0: the driver gave none. */
    GLuint (*make)(const struct pp_gl_perf_set *set);
    void (*begin)(GLuint name);
    void (*end)(GLuint name);
    /** Is the result of object @p name available? */
    bool (*available)(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch);
    /** Read an available result. @retval 0 It is in @p row. @retval -EAGAIN It is not available. @retval
     * -EBADMSG It is not valid. */
    int (*read)(const struct pp_gl_perf_set *set, GLuint name, uint8_t *scratch, uint8_t *row);
    /** Does the driver begin to measure the set? */
    bool (*try_set)(const struct pp_gl_perf *perf, const struct pp_gl_perf_set *set);
};

/** What a device offers by one extension. Immutable after pp_gl_perf_plan(), except the atomics of its sets.
 */
struct pp_gl_perf {
    const struct pp_source_ops *ops;
    const struct pp_gl_perf_driver *driver; /**< NULL: nothing is measured */
    const char *reason;                     /**< why nothing is available; NULL: something is */
    bool faulty;                            /**< the reason is a known fault of the driver */
    const char
        *on_request; /**< why only events that the user names are measured; NULL: default events are, too */
    struct pp_gl_perf_group *group;
    uint32_t groups;
    struct pp_gl_perf_event *event;
    uint32_t events;
    bool one_group;  /**< only events of one group can be measured at a time */
    bool one_unit;   /**< all groups are sets of one unit, which the driver opens anew for each */
    bool serialized; /**< passes and draws have the GPU to themselves (--serialize) */
    bool cut;        /**< the driver has more than the limits allow */
    bool waits;      /**< asking for a result may wait for the kernel: report_wait.h */
    bool trying;     /**< the context that is being asked is current: fits() may try a set */
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

/** The query by which the context's driver opened the OA unit; its result is to be read, and means nothing.
 */
struct pp_gl_perf_first {
    GLuint name; /**< 0: there is none, or it was read */
    uint32_t source, set;
};

/** What a context needs to measure hardware counters. */
struct pp_gl_perf_state {
    struct pp_rotation rotation;               /**< counter set of the open frame */
    struct pp_gl_perf_pool *pool[PP_GL_PERFS]; /**< one pool for each set */
    uint32_t pools[PP_GL_PERFS];
    GLuint *name[PP_GL_PERFS];   /**< all names that the driver ever gave passprobe */
    uint32_t names[PP_GL_PERFS]; /**< number of names in name[] */
    uint8_t *scratch;
    uint32_t running;           /**< bracket that is being measured; UINT32_MAX: none */
    GLuint app[PP_GL_PERFS][8]; /**< active queries and monitors of the application */
    uint32_t apps[PP_GL_PERFS];
    uint32_t unread;    /**< results of sources with pp_gl_perf.waits that ended and were not read */
    uint8_t unread_set; /**< their counter set */
    bool waits;         /**< results of another set must be read before the open frame's set can begin */
    GLenum error;       /**< the application's error that was taken from the driver */
    bool set_up;
    struct pp_gl_perf_first first;
    bool unit_open;    /**< the context's driver has opened the OA unit, or needs none */
    bool unit_refused; /**< it must not open it, or could not */
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

#endif
