/** @file
 * A library to preload: each 20th time that a thread of llvmpipe unlocks a mutex, it loses the processor for
 * 3 ms just before, as on a busy machine. If the mutex is not locked any more then, its memory was freed
 * meanwhile: the driver would write into it. The mutex is left alone, and is counted. Prints the count when
 * the process ends. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EACH     20U
#define PAUSE_US 3000U

static atomic_uint freed;

/* Is the thread one of llvmpipe's? */
static bool
is_driver(void)
{
    static _Thread_local enum { UNKNOWN, OTHER, DRIVER } thread;
    char name[32] = "";
    if (thread == UNKNOWN) {
        thread = OTHER; /* pthread_getname_np() may lock */
        (void)pthread_getname_np(pthread_self(), name, sizeof(name));
        thread = strncmp(name, "llvmpipe", strlen("llvmpipe")) == 0 ? DRIVER : OTHER;
    }
    return thread == DRIVER;
}

__attribute__((visibility("default"))) int
pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    static int (*_Atomic next)(pthread_mutex_t *);
    static _Thread_local unsigned unlocks;
    int (*unlock)(pthread_mutex_t *) = atomic_load(&next);
    if (!unlock) {
        void *found = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
        memcpy(&unlock, &found, sizeof(unlock));
        atomic_store(&next, unlock);
    }
    if (is_driver() && ++unlocks % EACH == 0) {
        usleep(PAUSE_US);
        int lock = __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED);
        if (lock != 1 && lock != 2) { /* glibc: locked, locked with others that wait */
            atomic_fetch_add(&freed, 1);
            return 0;
        }
    }
    return unlock(mutex);
}

__attribute__((destructor)) static void
tell(void)
{
    fprintf(stderr, "fake: %u mutexes of freed memory\n", atomic_load(&freed));
}
