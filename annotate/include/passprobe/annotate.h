/** @file
 * passprobe's public interface: an application names what it is doing and reports numbers, and passprobe
 * writes them into its files. Header-only: `pkg-config --cflags --libs passprobe`, or a copy of this file
 * among your sources.
 *
 * Where passprobe does not profile the process, every function returns at once: nothing is loaded, allocated,
 * written or printed. passprobe never profiles an application that is set-user-ID or has file capabilities.
 * Regions appear in passes.csv, draws.csv (column `label`) and labels.csv. Marks appear in session.json,
 * counters as columns of frames.csv. For applications that never present, frame ends are the boundaries of
 * frames.
 *
 * Threads: every function may be called from any thread. Regions nest per thread, and belong to the graphics
 * commands of the calling thread. Errors: the application gets none. An unmatched pop is ignored; errno does
 * not change. C11 and C++11, gcc and clang, Linux. On other systems, or if PASSPROBE_ANNOTATE_OFF is defined
 * before the #include, the functions are empty.
 *
 * The library that does the work (libpassprobe-core) is loaded when this header first looks for it, if
 * libpassprobe-gl.so is preloaded, or else at vkCreateInstance, which may come late. The header looks for it
 * at call number 1, 2, 4, 8, ... and at each 65536th call; a search takes about 60 us. Therefore the library
 * is found after at most as many calls as were made before it was loaded.
 *
 * Shared variables are read and written with __atomic_ built-ins: C++ includes this header, too, and cannot
 * use C's <stdatomic.h>.
 */
#ifndef PASSPROBE_ANNOTATE_H
#define PASSPROBE_ANNOTATE_H

#if defined(__GNUC__) && defined(__linux__) && !defined(PASSPROBE_ANNOTATE_OFF)
#define PP_ANNOTATE_LIVE_ 1
#include <dlfcn.h>
#include <errno.h>
#include <sys/auxv.h>
#else
#define PP_ANNOTATE_LIVE_ 0
#endif
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Names that end in '_' are private to this header. */

/** Functions of the library. `set` and `add` may be NULL in an old version; the others are all set or none
 * is. */
struct pp_annotate_functions_ {
    void (*push)(const char *name);
    void (*pop)(void);
    void (*mark)(const char *text);
    void (*frame)(void);
    void (*set)(const char *name, double value);
    void (*add)(const char *name, double delta);
};

#if PP_ANNOTATE_LIVE_

/** State of the search for the library: one for each application, and one for each shared library that
 * includes this header. */
struct pp_annotate_state_ {
    struct pp_annotate_functions_ function; /* written once, by the thread that set `state` to 1 */
    int state;                              /* 0: not found yet, 1: a thread is looking, 2: found */
    unsigned calls;                         /* calls that did not find the library */
};

/* The linker merges the weak definitions of all files that include this header into one. */
extern struct pp_annotate_state_ pp_annotate_state_0_ __attribute__((weak, visibility("hidden")));
struct pp_annotate_state_ pp_annotate_state_0_;

static inline int
pp_annotate_resolve_(void *library, const char *name, void *ret_function)
{
    void *symbol = dlsym(library, name);
    __builtin_memcpy(ret_function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static inline void
pp_annotate_bind_(struct pp_annotate_state_ *s)
{
    int next = 0;
    int saved = errno;
    int expected = 0;
    /* The library does nothing in a process with privileges that its caller lacks: do not look for it. */
    if (getauxval(AT_SECURE) != 0)
        return;
    if (!__atomic_compare_exchange_n(&s->state, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    void *library = dlopen("libpassprobe-core.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        if (pp_annotate_resolve_(library, "pp_annotate_push", &s->function.push) &&
            pp_annotate_resolve_(library, "pp_annotate_pop", &s->function.pop) &&
            pp_annotate_resolve_(library, "pp_annotate_mark", &s->function.mark) &&
            pp_annotate_resolve_(library, "pp_annotate_frame", &s->function.frame))
            next = 2; /* keep the handle: then the library stays loaded */
        (void)pp_annotate_resolve_(library, "pp_annotate_set", &s->function.set);
        (void)pp_annotate_resolve_(library, "pp_annotate_add", &s->function.add);
        if (next == 0)
            dlclose(library);
    }
    __atomic_store_n(&s->state, next, __ATOMIC_RELEASE);
    errno = saved;
}

/** Find the library's functions. One load if they were found before, else two loads and a store. @return
 * NULL: not loaded. */
static inline const struct pp_annotate_functions_ *
pp_annotate_find_(void)
{
    struct pp_annotate_state_ *s = &pp_annotate_state_0_;
    if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == 2)
        return &s->function;
    /* Threads may overwrite each other's counts. That does no harm: the search is still made. */
    unsigned n = __atomic_load_n(&s->calls, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&s->calls, n, __ATOMIC_RELAXED);
    if ((n & (n - 1)) != 0 && n % 65536 != 0)
        return NULL;
    pp_annotate_bind_(s);
    return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == 2 ? &s->function : NULL;
}

#else

static inline const struct pp_annotate_functions_ *
pp_annotate_find_(void)
{
    return NULL;
}

#endif

/**
 * Open a region inside the calling thread's innermost open one.
 *
 * @param name  UTF-8; 255 bytes of it are kept. Commas, quotes and line breaks are allowed. Copied before the
 *              call returns. NULL opens a region without a name.
 */
static inline void
pp_region_push(const char *name)
{
    const struct pp_annotate_functions_ *f = pp_annotate_find_();
    if (f)
        f->push(name ? name : "");
}

/** Close the calling thread's innermost open region. */
static inline void
pp_region_pop(void)
{
    const struct pp_annotate_functions_ *f = pp_annotate_find_();
    if (f)
        f->pop();
}

/**
 * Note that something happened now: a level was loaded, an option changed.
 *
 * @param text  UTF-8, as in pp_region_push(); NULL is ignored.
 */
static inline void
pp_mark(const char *text)
{
    const struct pp_annotate_functions_ *f = pp_annotate_find_();
    if (f && text)
        f->mark(text);
}

/**
 * End the frame, for applications that never present a picture (renderers to file, compute jobs, tests).
 *
 * It ends a frame if there was no present or buffer swap before, or with `--frame-on marker`. In Vulkan the
 * frame ends at the next submission of the application: what the CPU does in between is time of the frame
 * that ends.
 */
static inline void
pp_frame_end(void)
{
    const struct pp_annotate_functions_ *f = pp_annotate_find_();
    if (f)
        f->frame();
}

/**
 * Report the state of something: objects in view, megabytes of textures, a quality setting.
 *
 * Column `app:NAME` of frames.csv has, for every frame from the first call on, the last value before the
 * frame ended. Cells are empty before the first call, and while the value is NaN or beyond 1e100.
 *
 * @param name  UTF-8, kept and copied as in pp_region_push(); NULL and "" are ignored. A process has 64
 *              names; passprobe ignores further ones, and reports that once.
 */
static inline void
pp_counter_set(const char *name, double value)
{
    const struct pp_annotate_functions_ *f = pp_annotate_find_();
    if (f && f->set && name)
        f->set(name, value);
}

/**
 * Count something: rays cast, bytes streamed, milliseconds spent in scripts.
 *
 * Column `app:NAME` of frames.csv has, for every frame from the first call on, the sum of all threads since
 * the last frame end; 0 if nothing was added. With several windows, the sum is in the frame that ends first.
 * Use either pp_counter_set() or pp_counter_add() for a name; the last call decides.
 *
 * @param name  As in pp_counter_set().
 */
static inline void
pp_counter_add(const char *name, double delta)
{
    const struct pp_annotate_functions_ *f = pp_annotate_find_();
    if (f && f->add && name)
        f->add(name, delta);
}

/**
 * Ask whether passprobe profiles this process. If not, an application need not compose names.
 *
 * @return 1 if passprobe profiles this process, else 0. May turn from 0 to 1 when the application creates its
 * first graphics context.
 */
static inline int
pp_profiled(void)
{
    return pp_annotate_find_() != NULL;
}

#ifdef __cplusplus
}
#endif

#endif
