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
#include "hooks/measure/readback.h"

static struct {
    atomic_bool forked;
    atomic_bool wine;
    atomic_bool ended;           /* the process ends, and passprobe's destructor has run */
    struct pp_gl_device *device; /* first device, never freed; immutable once child_drew is set */
    _Atomic(atomic_bool *)
        child_drew; /* in memory that forked children share; NULL: there is no such memory */
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

/* Wine kills all threads but one before that one calls exit(), and does so wherever they are. If another
 * thread had a context, it may have held any lock of passprobe and of the driver. */
static bool
threads_were_killed(void)
{
    return pp_gl_process_is_wine() && pp_gl_context_others_current();
}

/* The process returns from main() or calls exit(). This handler was registered after the driver's handlers,
 * so it runs before them. Handlers of the application that run later may continue to draw. Results in
 * contexts that are not current on any thread cannot be read any more; their frames are kept with lost
 * values. A context that is current on another thread is left to that thread. */
static void
on_exit_process(void)
{
    if (pp_gl_process_is_child() || !pp_session_get() || threads_were_killed())
        return;
    pp_gl_context_finish_current();
    pp_gl_process_note_children();
    pp_gl_context_abandon_unused();
}

/* Runs after all exit handlers, as passprobe's last function. The driver may already be gone. */
__attribute__((destructor)) static void
on_unload(void)
{
    if (pp_gl_process_is_child() || pp_gl_tls.inside || !pp_gl_tls.current || threads_were_killed())
        return;
    atomic_store_explicit(&process.ended, true, memory_order_relaxed);
    pp_gl_tls.ctx = NULL;
    if (pp_session_get())
        pp_gl_readback_abandon(pp_gl_tls.current);
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
    (void)atexit(on_exit_process);
}
