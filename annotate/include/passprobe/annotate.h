/** @file
 * passprobe's public interface: an application names what it is doing and gives figures of its own, and
 * passprobe's files carry them. Header-only: `pkg-config --cflags --libs passprobe`, or copy this file into
 * your sources.
 *
 * Where passprobe does not profile the process, every function returns at once: nothing is loaded, allocated,
 * written or printed. It never profiles a set-user-ID program or one with file capabilities. Regions appear
 * in passes.csv, draws.csv (column `label`) and labels.csv, marks in session.json, counters as columns of
 * frames.csv, and frame ends, for applications that never present, as the frame boundary itself.
 *
 * Threads: every function may be called from any thread; regions nest per thread, and belong to the graphics
 * work that the calling thread issues. Errors: none is ever reported to the application; an unmatched pop is
 * ignored; errno is kept. C11 and C++11, gcc and clang, Linux. Elsewhere, or with PASSPROBE_ANNOTATE_OFF
 * defined before the #include, the functions are empty.
 *
 * The engine comes in by LD_PRELOAD (before the application) or with the Vulkan layer (at vkCreateInstance,
 * perhaps long after the first call), so that looking for it once is not enough and looking every time too
 * dear (some 60 us: the C library looks for the file, too): it is looked for at the calls number 1, 2, 4, 8,
 * ... and at every 65536th one. So it is found after at most as many calls as were made before it came.
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

/* Names that end in '_' are this header's own. */

/** The engine's entry points; counters may be missing in an old one, the others are all set or none. */
struct pp_annotate_engine_ {
    void (*push)(const char *name);
    void (*pop)(void);
    void (*mark)(const char *text);
    void (*frame)(void);
    void (*set)(const char *name, double value);
    void (*add)(const char *name, double delta);
};

#if PP_ANNOTATE_LIVE_

/** What an application, or a shared library, knows of the engine. */
struct pp_annotate_state_ {
    struct pp_annotate_engine_ engine; /* written once, by the thread that set state to 1 */
    int state;                         /* 0: no engine yet, 1: somebody is looking, 2: found */
    unsigned calls;                    /* that found none */
};

/* One for all files of the application that include this one: weak definitions are merged by the linker. */
extern struct pp_annotate_state_ pp_annotate_state_0_ __attribute__((weak, visibility("hidden")));
struct pp_annotate_state_ pp_annotate_state_0_;

static inline int
pp_annotate_resolve_(void *core, const char *name, void *ret_function)
{
    void *symbol = dlsym(core, name);
    __builtin_memcpy(ret_function, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static inline void
pp_annotate_bind_(struct pp_annotate_state_ *s)
{
    int next = 0;
    int saved = errno;
    int expected = 0;
    /* The engine does nothing in a process with privileges that its caller lacks: do not look for it. */
    if (getauxval(AT_SECURE) != 0)
        return;
    if (!__atomic_compare_exchange_n(&s->state, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    void *core = dlopen("libpassprobe-core.so.0", RTLD_LAZY | RTLD_NOLOAD);
    if (core) {
        if (pp_annotate_resolve_(core, "pp_annotate_push", &s->engine.push) &&
            pp_annotate_resolve_(core, "pp_annotate_pop", &s->engine.pop) &&
            pp_annotate_resolve_(core, "pp_annotate_mark", &s->engine.mark) &&
            pp_annotate_resolve_(core, "pp_annotate_frame", &s->engine.frame))
            next = 2; /* the handle is kept: the engine stays as long as we may call it */
        (void)pp_annotate_resolve_(core, "pp_annotate_set", &s->engine.set);
        (void)pp_annotate_resolve_(core, "pp_annotate_add", &s->engine.add);
        if (next == 0)
            dlclose(core);
    }
    __atomic_store_n(&s->state, next, __ATOMIC_RELEASE);
    errno = saved;
}

/** The engine, or NULL. One load where it is there; two loads and a store where it is not. */
static inline const struct pp_annotate_engine_ *
pp_annotate_engine_get_(void)
{
    struct pp_annotate_state_ *s = &pp_annotate_state_0_;
    if (__atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == 2)
        return &s->engine;
    /* Threads may lose each other's counts, which does not matter; no number is passed over by that. */
    unsigned n = __atomic_load_n(&s->calls, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&s->calls, n, __ATOMIC_RELAXED);
    if ((n & (n - 1)) != 0 && n % 65536 != 0)
        return NULL;
    pp_annotate_bind_(s);
    return __atomic_load_n(&s->state, __ATOMIC_ACQUIRE) == 2 ? &s->engine : NULL;
}

#else

static inline const struct pp_annotate_engine_ *
pp_annotate_engine_get_(void)
{
    return NULL;
}

#endif

/**
 * Open a region inside the calling thread's innermost open one.
 *
 * @param name  UTF-8, of which 255 bytes are kept; commas, quotes and line breaks are legal. Copied before
 *              the call returns. NULL opens a region without a name.
 */
static inline void
pp_region_push(const char *name)
{
    const struct pp_annotate_engine_ *e = pp_annotate_engine_get_();
    if (e)
        e->push(name ? name : "");
}

/** Close the calling thread's innermost open region. */
static inline void
pp_region_pop(void)
{
    const struct pp_annotate_engine_ *e = pp_annotate_engine_get_();
    if (e)
        e->pop();
}

/**
 * Note that something happened now: a level was loaded, an option changed.
 *
 * @param text  UTF-8, as in pp_region_push(); NULL is ignored.
 */
static inline void
pp_mark(const char *text)
{
    const struct pp_annotate_engine_ *e = pp_annotate_engine_get_();
    if (e && text)
        e->mark(text);
}

/**
 * End the frame, for applications that never present a picture (renderers to file, compute jobs, tests).
 *
 * Counts as the frame's end where no present or buffer swap was seen before, or with `--frame-on marker`.
 */
static inline void
pp_frame_end(void)
{
    const struct pp_annotate_engine_ *e = pp_annotate_engine_get_();
    if (e)
        e->frame();
}

/**
 * Say the state of something: objects in view, megabytes of textures, a quality setting.
 *
 * Column `app:NAME` of frames.csv has, for every frame from the first call on, the value that was last set
 * when the frame ended. Empty before, and while it is NaN or infinite.
 *
 * @param name  UTF-8, kept and copied as in pp_region_push(); NULL and "" are ignored. A process has 64
 * names; further ones are ignored, which passprobe says once.
 */
static inline void
pp_counter_set(const char *name, double value)
{
    const struct pp_annotate_engine_ *e = pp_annotate_engine_get_();
    if (e && e->set && name)
        e->set(name, value);
}

/**
 * Count something: rays cast, bytes streamed, milliseconds spent in scripts.
 *
 * Column `app:NAME` of frames.csv has, for every frame from the first call on, the sum since the last frame's
 * end, of all threads; 0 if nothing was added. With several windows, the first one whose frame ends has the
 * sum. A name is set or added to: what was called last holds.
 *
 * @param name  As in pp_counter_set().
 */
static inline void
pp_counter_add(const char *name, double delta)
{
    const struct pp_annotate_engine_ *e = pp_annotate_engine_get_();
    if (e && e->add && name)
        e->add(name, delta);
}

/**
 * Ask whether passprobe profiles this process, to save the work of composing names.
 *
 * @return 1 if somebody listens, else 0. May turn from 0 to 1 when the application creates its first graphics
 * context.
 */
static inline int
pp_profiled(void)
{
    return pp_annotate_engine_get_() != NULL;
}

#ifdef __cplusplus
}
#endif

#endif
