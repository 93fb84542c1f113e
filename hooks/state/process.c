/** @file
 * See process.h. */
#include "hooks/state/process.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/util/log.h"
#include "core/util/wine.h"

__thread struct pp_gl_thread pp_gl_tls;

static struct {
    atomic_bool forked;
    atomic_bool wine;
    atomic_bool torn;            /* the process ends, and Wine has killed threads wherever they were */
    atomic_bool ended;           /* the process ends, and passprobe's destructor has run */
    struct pp_gl_device *device; /* first device, never freed; immutable once child_drew is set */
    _Atomic(atomic_bool *)
        child_drew;                /* in memory that forked children share; NULL: there is no such memory */
    void (*_Atomic at_exit)(void); /* NULL: no context was ever current */
} process;

bool
pp_gl_process_is_child(void)
{
    return atomic_load_explicit(&process.forked, memory_order_relaxed);
}

bool
pp_gl_process_has_ended(void)
{
    return atomic_load_explicit(&process.ended, memory_order_relaxed);
}

bool
pp_gl_process_is_wine(void)
{
    return atomic_load_explicit(&process.wine, memory_order_relaxed);
}

void
pp_gl_process_set_torn(void)
{
    atomic_store_explicit(&process.torn, true, memory_order_relaxed);
}

bool
pp_gl_process_is_torn(void)
{
    return atomic_load_explicit(&process.torn, memory_order_relaxed);
}

void
pp_gl_process_end_by(void (*at_exit)(void))
{
    atomic_store_explicit(&process.at_exit, at_exit, memory_order_release);
}

void
pp_gl_process_set_ended(void)
{
    atomic_store_explicit(&process.ended, true, memory_order_relaxed);
}

void
pp_gl_process_report_child(const void *context)
{
    if (context && pp_gl_process_is_child() && !pp_log_count(PP_ID_FORKED))
        pp_log(PP_MSG_FORKED, (int)getpid());
    atomic_bool *drew = atomic_load(&process.child_drew);
    if (context && drew && pp_gl_process_is_child())
        atomic_store(drew, true);
}

void
pp_gl_process_note_children(void)
{
    atomic_bool *drew = atomic_load(&process.child_drew);
    if (PP_UNLIKELY(drew && atomic_load(drew) && atomic_exchange(drew, false)))
        pp_note_once(process.device->device, PP_MSG_GL_FORKED_CHILD);
}

/* Runs in a forked child, which has a copy of the thread that forked. The copy of the driver's state must not
 * be touched. */
static void
on_fork_child(void)
{
    atomic_store_explicit(&process.forked, true, memory_order_relaxed);
    pp_gl_tls = (struct pp_gl_thread){0};
}

void
pp_gl_process_watch(struct pp_gl_device *device)
{
    static atomic_bool done;
    if (!device || atomic_exchange_explicit(&done, true, memory_order_relaxed))
        return;
    void *shared = mmap(NULL, sizeof(atomic_bool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    process.device = device;
    atomic_store(&process.wine, pp_process_has_wine());
    atomic_store(&process.child_drew, shared == MAP_FAILED ? NULL : shared);
    (void)pthread_atfork(NULL, NULL, on_fork_child);
    void (*at_exit)(void) = atomic_load(&process.at_exit);
    if (at_exit)
        (void)atexit(at_exit);
}
