/** @file
 * A GL, EGL and GLX without display and drawing. It does what Mesa's drivers never do: results that come late
 * or never, lost contexts, extensions that Mesa lacks. It checks how queries are used and raises the errors
 * that a driver would. README.md lists the variables that change its behaviour. */
#ifndef PP_FAKE_GL_H
#define PP_FAKE_GL_H

/** The GPU is reset: the current context is lost. Queries become available, without a true result. */
void fake_gl_reset(void);

/** Query names that exist in the current context. */
unsigned fake_gl_names(void);

/** Calls about queries since the current context was lost. */
unsigned fake_gl_calls_when_lost(void);

/** Number of queries of this target that were begun in the current context. */
unsigned fake_gl_begun(unsigned target);

/** Number of questions for a query's result or its availability. */
unsigned fake_gl_asked(void);

/** Number of questions for a query's result that was not available yet. */
unsigned fake_gl_asked_early(void);

/** Number of waits for the driver's thread. */
unsigned fake_gl_caught_up(void);

/** Number of waits of the application or another caller for the whole GPU. */
unsigned fake_gl_finishes(void);

/** Set GL_GPU_DISJOINT_EXT, which stays true until it is read. */
void fake_gl_disjoin(void);

/* Functions of gl.c for winsys.c. */

/** State of a new context, and its end. */
void *fake_gl_context(void);
void fake_gl_context_free(void *context);

/** @p context is current from now on; NULL: none. One thread at a time. */
void fake_gl_current(void *context);

/** Swap: hand commands over, and make results older. */
void fake_gl_swapped(void);

/** Hand commands over. */
void fake_gl_flush(void);

#endif
