/** @file
 * Room: libpassprobe.so, the program's side of the public interface. Knows the names of the engine's four
 * entry points and nothing else; does nothing until the engine is in the process. Next room: core/annotate.c.
 *
 * The engine comes in by LD_PRELOAD (before us) or with the Vulkan layer (at vkCreateInstance, perhaps long
 * after our first call), so that looking for it once is not enough and looking every time too dear: we look
 * at the calls number 1, 2, 4, 8, ... and at every 1024th one.
 */
#include "annotate/include/passprobe/annotate.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#define CORE_SONAME "libpassprobe-core.so.0"

/** The engine's entry points; all set or none. */
struct engine {
    void (*push)(const char *name);
    void (*pop)(void);
    void (*mark)(const char *text);
    void (*frame)(void);
};

static struct engine engine;        /* written once by the thread that sets state to BINDING */
static _Atomic int engine_state;    /* one of enum state */
static _Atomic unsigned call_count; /* calls so far that found no engine */

enum state { ABSENT, BINDING, BOUND };

/** Take over one of the engine's functions: the pointer's type is the field's. */
#define RESOLVE(field, handle, name) (*(void **)(void *)&(field) = dlsym(handle, name))

static void
engine_bind(void)
{
    int expected = ABSENT;
    if (!atomic_compare_exchange_strong(&engine_state, &expected, BINDING))
        return;
    int next = ABSENT;
    void *core = dlopen(CORE_SONAME, RTLD_LAZY | RTLD_NOLOAD);
    if (core) {
        RESOLVE(engine.push, core, "pp_annotate_push");
        RESOLVE(engine.pop, core, "pp_annotate_pop");
        RESOLVE(engine.mark, core, "pp_annotate_mark");
        RESOLVE(engine.frame, core, "pp_annotate_frame");
        if (engine.push && engine.pop && engine.mark && engine.frame)
            next = BOUND; /* the handle is kept: the engine stays as long as we may call it */
        else
            dlclose(core);
    }
    atomic_store_explicit(&engine_state, next, memory_order_release);
}

/** The engine, or NULL. Hot: one relaxed load where it is there, two where it is not. */
static const struct engine *
engine_get(void)
{
    if (atomic_load_explicit(&engine_state, memory_order_acquire) == BOUND)
        return &engine;
    unsigned n = atomic_fetch_add_explicit(&call_count, 1, memory_order_relaxed) + 1;
    if ((n & (n - 1)) != 0 && n % 1024 != 0)
        return NULL;
    engine_bind();
    return atomic_load_explicit(&engine_state, memory_order_acquire) == BOUND ? &engine : NULL;
}

void
pp_region_push(const char *name)
{
    const struct engine *e = engine_get();
    if (e)
        e->push(name ? name : "");
}

void
pp_region_pop(void)
{
    const struct engine *e = engine_get();
    if (e)
        e->pop();
}

void
pp_mark(const char *text)
{
    const struct engine *e = engine_get();
    if (e && text)
        e->mark(text);
}

void
pp_frame_end(void)
{
    const struct engine *e = engine_get();
    if (e)
        e->frame();
}

int
pp_profiled(void)
{
    return engine_get() != NULL;
}
