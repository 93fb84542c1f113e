/** @file
 * A GL driver with performance counters, for tests of the shim: Mesa, with GL_AMD_performance_monitor and
 * GL_INTEL_performance_query added as their specifications say. The driver prints a line that begins with
 * "fake: VIOLATION" if an application breaks a rule, or relies on something that is not guaranteed. README.md
 * lists the words of the variable FAKE_GL. The driver knows nothing of passprobe. */
#ifndef PP_TESTS_FAKE_GL_PERF_FAKE_H
#define PP_TESTS_FAKE_GL_PERF_FAKE_H

#include <stdbool.h>
#include <stdint.h>

#include <GL/gl.h>
#include <GL/glext.h>

/** Settings of FAKE_GL. */
struct fake_config {
    bool amd, intel, one_group, one_hardware, global, mistakes, no_timer;
    uint32_t latency, refuse, from, times, lost, real, deferred, instances, reports;
    char hostile[16];
    char dump[256];
};

extern struct fake_config fake_config;

/** Counts of actions that passed through a context; every counter is a function of the difference of two of
 * these. */
struct fake_work {
    uint64_t draws, vertices, clears, dispatches, groups, copies;
};

/** One monitor or query. */
struct fake_measure {
    GLuint name;
    uint32_t kind;        /**< query: index of its type */
    uint64_t selected[4]; /**< monitor: bit i of [g]: counter i of group g */
    bool active, used, lost;
    bool unread;    /**< with reports=: it ended, and its result was not delivered yet */
    bool not_begun; /**< with reports=: the begin was refused later */
    uint64_t ended_ns;
    struct fake_work begin, result;
    uint64_t ended_frame; /**< context's frame when it ended */
    uint64_t finishes;    /**< number of its finishes then */
    uint64_t asked;       /**< actions of the context when the result was last asked for, plus 1 */
    uint32_t asks;        /**< since then */
    uint64_t serial;      /**< counts ends in the context */
};

/** One context. Touched by the thread that has it current. */
struct fake_context {
    struct fake_context *next;
    const void *handle;
    uint32_t number;
    struct fake_work work;
    uint64_t told; /**< cycles of this context that a GPU elsewhere in the process has counted */
    uint64_t frames, finishes;
    uint64_t ended, available; /**< measurements: serials of the last ones; they land in order */
    GLenum error;
    struct fake_measure **by_name[2]; /**< monitors, queries; at name - 1; NULL: deleted */
    GLuint names[2];                  /**< length of by_name; no two contexts have the same names */
    uint32_t count[2];                /**< that are there */
    uint32_t active[2];               /**< monitors, queries that are active */
    bool in_begin;                    /**< between glBegin and glEnd */
};

/** A function of another type. */
typedef void (*fake_proc)(void);

/** An entry point of this driver. */
struct fake_entry {
    const char *name;
    fake_proc function;
};

/* vendor.c */

/** The current context; NULL: none. */
struct fake_context *fake_current(void);

/** Make the context of this handle current, new where it is not known; NULL: none. */
void fake_make_current(const void *handle);

/** Read FAKE_GL. */
void fake_configure(void);

/** Mesa's function; NULL: it has none. */
fake_proc fake_real(const char *name);

/** Mesa's function, looked up once at each place; NULL: it has none. */
#define FAKE_REAL(name)                                                                                      \
    __extension__({                                                                                          \
        static fake_proc known;                                                                              \
        if (!known)                                                                                          \
            known = fake_real(name);                                                                         \
        known;                                                                                               \
    })

/** Note an error as OpenGL does: the first stays. */
void fake_error(GLenum error);

/** Report that a caller did what no application may do. */
__attribute__((format(printf, 1, 2))) void fake_violation(const char *format, ...);

/** A rule whose breach is an error: note it, and report it unless the application makes mistakes on purpose.
 */
__attribute__((format(printf, 2, 3))) void fake_misuse(GLenum error, const char *format, ...);

/** Is this the Nth call of this counter? 0: never. */
bool fake_nth(uint32_t *count, uint32_t n);

/** Begin and end of a measurement; @p which 0 monitor, 1 query. @return false: the hardware is taken, or it
 * refuses, or a rule is broken. */
bool fake_begin(struct fake_measure *measure, int which);
bool fake_end(struct fake_measure *measure, int which);

/** With reports=: wait until the reports are there, which must be the end of a question. @return false: the
 * measurement had not begun, and an error says so. */
bool fake_deliver(struct fake_measure *measure);

/** Is the result available? Each call counts as a question for it. */
bool fake_available(struct fake_measure *measure);

/** A line of the dump; @p value as text. */
void fake_dump(const char *extension, const struct fake_measure *measure, const char *group,
               const char *counter, const char *value);

/* Entry points of work.c, amd.c and intel.c; the last one has no name. */
extern const struct fake_entry fake_work_entry[], fake_amd_entry[], fake_intel_entry[];

/** A new monitor (0) or query (1) of the current context. @return NULL: no memory. */
struct fake_measure *fake_measure_new(int which);

/** The monitor (0) or query (1) of this name, or NULL with INVALID_VALUE. */
struct fake_measure *fake_measure_find(int which, GLuint name);

/** Forget and free one. */
void fake_measure_delete(int which, struct fake_measure *measure);

/** The actions of the current context have ended: a GPU of tests/fake/kernel in this process counts them, if
 * there is one. */
void fake_tell_kernel(void);

/* Cycles of a part of the actions. Whole numbers of parts add up. */
uint64_t fake_cycles(const struct fake_work *work);
uint64_t fake_busy(const struct fake_work *work);
float fake_busy_percent(const struct fake_work *work);
float fake_vertices_per_draw(const struct fake_work *work);

#endif
