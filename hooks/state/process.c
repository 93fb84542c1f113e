/** @file
 * See process.h. When a Windows program ends, wineserver kills its other threads by SIGQUIT, wherever they
 * are. Wine's handler moves the stack pointer of the thread back to the begin of its stack and calls
 * pthread_exit() there (quit_handler() and signal_exit_thread() in ntdll; read in Wine 8.0). A thread that
 * waits in pthread_cond_wait() has registered a handler in a record on the stack (glibc's
 * __pthread_cleanup_push()). pthread_exit() overwrites that record with its own frames, and then calls what
 * it finds there: the program dies of SIGSEGV. Drivers wait so for their own threads: llvmpipe in each swap
 * of buffers. The more of its last frames a program still has to draw, and the more such waits a frame has,
 * the more often it dies, and passprobe adds both. A record below the stack pointer, whose function will
 * never return, shows such a thread. passprobe ends it by the system call: destructors of its thread-local
 * data belong to libraries that it left half-way, and that exit() of the last thread finishes at the same
 * time.
 *
 * A thread that was killed inside Xlib has the display's lock. libGLX's destructor takes that lock by
 * XESetCloseDisplay(), to unregister from displays, and would wait until wineserver kills the process half a
 * second later, with status 137 (stacks of three such ends with Wine 10; bare programs have them, too).
 * Displays are not closed any more then, so that the call is left out.
 *
 * Remove this when no Wine is used that leaves threads in this way. */
#include "hooks/state/process.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/load/load.h"
#include "core/util/compiler.h"
#include "core/util/log.h"
#include "core/util/process.h"
#include "hooks/reach/driver_procs.h"

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

/* Wine's stacks are smaller. Records further away are not on the stack that the thread has left. */
#define STACK_BYTES ((uintptr_t)64 << 20)

typedef void (*push_fn)(struct _pthread_cleanup_buffer *, void (*)(void *), void *);
typedef void (*pop_fn)(struct _pthread_cleanup_buffer *, int);

/* Found before main(): a thread that is killed may hold the dynamic loader's lock. */
static struct {
    _Atomic(void *) exit;
    push_fn push;
    pop_fn pop;
} libc;

__attribute__((constructor)) static void
find_functions(void)
{
    void *push = pp_libc_function("_pthread_cleanup_push");
    void *pop = pp_libc_function("_pthread_cleanup_pop");
    atomic_store(&libc.exit, pp_libc_function("pthread_exit"));
    memcpy(&libc.push, &push, sizeof(libc.push));
    memcpy(&libc.pop, &pop, sizeof(libc.pop));
}

/* Has this thread left the frame of a record? The C library keeps the newest record for itself: one of our
 * own in front of it says which one it is. */
static bool
has_left_wait(void)
{
    struct _pthread_cleanup_buffer own = {.__routine = free};
    if (!libc.push || !libc.pop)
        return false;
    libc.push(&own, free, NULL);
    uintptr_t here = (uintptr_t)&own, newest = (uintptr_t)own.__prev;
    libc.pop(&own, 0);
    return newest && newest < here && here - newest < STACK_BYTES;
}

uintptr_t
pp_pick_pthread_exit(uintptr_t *arg, uintptr_t *result)
{
    (void)arg;
    (void)result;
    void *found = atomic_load(&libc.exit);
    if (pp_gl_process_is_wine() && has_left_wait())
        (void)syscall(SYS_exit, 0); /* ends the thread only; does not return */
    return (uintptr_t)(found ? found : pp_libc_function("pthread_exit"));
}

PP_API pp_close_display
XESetCloseDisplay(void *display, int extension, pp_close_display close)
{
    typedef pp_close_display (*set_fn)(void *, int, pp_close_display);
    if (atomic_load_explicit(&process.torn, memory_order_relaxed))
        return NULL;
    set_fn set = (set_fn)pp_loaded_symbol("libX11.so.6", "XESetCloseDisplay");
    return set ? set(display, extension, close) : NULL;
}
