/** @file
 * passprobe's public interface: a program names what it is doing, and passprobe's files carry the names.
 *
 * Link with `pkg-config --libs passprobe`. Where passprobe does not profile the process, every function
 * returns at once: nothing is loaded, allocated, written or printed. Regions, marks and frame ends appear in
 * passes.csv (column `label`), frames.csv and, for programs that never present, as the frame boundary itself.
 *
 * Threads: every function may be called from any thread; regions nest per thread, and belong to the graphics
 * work that the calling thread issues. Errors: none is ever reported to the program; an unmatched pop is
 * ignored. Usable from C11 and C++; symbols are versioned PASSPROBE_0 and will not change their meaning.
 */
#ifndef PASSPROBE_ANNOTATE_H
#define PASSPROBE_ANNOTATE_H

#ifdef __cplusplus
extern "C" {
#endif

#define PP_ANNOTATE_API __attribute__((visibility("default")))

/**
 * Open a region inside the calling thread's innermost open one.
 *
 * @param name  UTF-8, any length; commas, quotes and line breaks are legal. Copied before the call returns.
 *              NULL opens a region without a name.
 */
PP_ANNOTATE_API void pp_region_push(const char *name);

/** Close the calling thread's innermost open region. */
PP_ANNOTATE_API void pp_region_pop(void);

/**
 * Note that something happened now: a level was loaded, an option changed.
 *
 * @param text  UTF-8, as in pp_region_push(); NULL is ignored.
 */
PP_ANNOTATE_API void pp_mark(const char *text);

/**
 * End the frame, for programs that never present a picture (renderers to file, compute jobs, tests).
 *
 * Counts as the frame's end where no present or buffer swap was seen before, or with `--frame-on marker`.
 */
PP_ANNOTATE_API void pp_frame_end(void);

/**
 * Ask whether passprobe profiles this process, to save the work of composing names.
 *
 * @return 1 if somebody listens, else 0. May turn from 0 to 1 when the program creates its first graphics
 * context.
 */
PP_ANNOTATE_API int pp_profiled(void);

#ifdef __cplusplus
}
#endif

#endif
