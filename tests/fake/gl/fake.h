/** @file
 * A GL, EGL and GLX without display and drawing, that plays the awkward: results that come late or
 * never, lost contexts, extensions that Mesa lacks. It checks how queries are used and raises the errors that
 * a driver would. FAKE_GL_LAG: swaps until a query has its result (0); FAKE_GL_VERSION, FAKE_GL_EXTENSIONS,
 * FAKE_GL_RENDERER: what it claims to be; FAKE_GL_BITS: bits of its timestamps (64); FAKE_GL_NAMES: queries
 * that it gives at all; FAKE_GL_DEFER: timestamps are taken when the commands are handed over, 1 ns apart, as
 * if all else took no time (0: at once); FAKE_GL_THREAD: milliseconds in which a thread of its own comes to
 * the end of a frame, for which who asks about that frame has to wait (0); FAKE_GL_ORDINAL: all statistics of
 * draw n are n, not 3 (0); FAKE_GL_RELEASE_KEEPS: a context that is released is not flushed (0);
 * FAKE_GL_ERRNO: calls about queries and state leave something in errno (0); FAKE_GL_VENDOR: its GL_VENDOR;
 * FAKE_GL_HANGS: a query that is written behind a dispatch hangs, unless the dispatch was handed over (0). */
#ifndef PP_FAKE_GL_H
#define PP_FAKE_GL_H

/** The GPU is reset: the current context is lost. Queries become available, without a true result. */
void fake_gl_reset(void);

/** Query names that exist in the current context. */
unsigned fake_gl_names(void);

/** Calls about queries since the current context was lost. */
unsigned fake_gl_calls_when_lost(void);

/** How often a query's result was asked for, or whether it is there. */
unsigned fake_gl_asked(void);

/** How often a query's result was asked for that was not there yet. */
unsigned fake_gl_asked_early(void);

/** How often its thread was waited for. */
unsigned fake_gl_caught_up(void);

/** How often the application or another caller waited for all of the GPU's work. */
unsigned fake_gl_finishes(void);

/** Something disturbed the GPU's clock: GL_GPU_DISJOINT_EXT is true until it is read. */
void fake_gl_disjoin(void);

/* Between gl.c and winsys.c. */

/** State of a new context, and its end. */
void *fake_gl_context(void);
void fake_gl_context_free(void *context);

/** @p context is current from now on; NULL: none. One thread at a time. */
void fake_gl_current(void *context);

/** A swap: commands are handed over, results become older. */
void fake_gl_swapped(void);

/** Commands are handed over. */
void fake_gl_flush(void);

#endif
