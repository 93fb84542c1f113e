/** @file
 * What threads remember of their stacks; see thread_stacks.h. */
#include "core/stack/thread_stacks.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

_Thread_local struct pp_thread_stacks *pp_thread_stacks_current;

/* Calls free_thread() when a thread ends. The key stays for the process: threads may end after the list. */
static struct {
    pthread_once_t once;
    pthread_key_t key;
    bool made;
    _Atomic(struct pp_thread_list *) list;
} ends = {.once = PTHREAD_ONCE_INIT};

static void
unlink_locked(struct pp_thread_list *list, struct pp_thread_stacks *thread)
{
    for (unsigned i = 0; i < PP_STACK_COUNTERS; i++)
        list->ended[i] += atomic_load(&thread->count[i]);
    if (thread->before)
        thread->before->next = thread->next;
    else
        list->first = thread->next;
    if (thread->next)
        thread->next->before = thread->before;
}

/* In pages of its own: the memo takes memory only where it is used. */
static struct pp_thread_stacks *
allocate(void)
{
    void *pages = mmap(NULL, sizeof(struct pp_thread_stacks), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void
release(struct pp_thread_stacks *thread)
{
    munmap(thread, sizeof(*thread));
}

/* The thread ends. */
static void
free_thread(void *entry)
{
    struct pp_thread_list *list = atomic_load(&ends.list);
    struct pp_thread_stacks *thread = entry;
    pp_thread_stacks_current = NULL;
    if (!list)
        return;
    pthread_mutex_lock(&list->lock);
    unlink_locked(list, thread);
    pthread_mutex_unlock(&list->lock);
    release(thread);
}

static void
make_key(void)
{
    ends.made = pthread_key_create(&ends.key, free_thread) == 0;
}

int
pp_thread_list_init(struct pp_thread_list *list)
{
    memset(list, 0, sizeof(*list));
    pthread_once(&ends.once, make_key);
    if (!ends.made)
        return -EAGAIN;
    int rc = -pthread_mutex_init(&list->lock, NULL);
    if (rc == 0)
        atomic_store(&ends.list, list);
    return rc;
}

void
pp_thread_list_finish(struct pp_thread_list *list)
{
    atomic_store(&ends.list, NULL);
    (void)pthread_setspecific(ends.key, NULL);
    pp_thread_stacks_current = NULL;
    while (list->first) {
        struct pp_thread_stacks *thread = list->first;
        unlink_locked(list, thread);
        release(thread);
    }
    pthread_mutex_destroy(&list->lock);
}

struct pp_thread_stacks *
pp_thread_stacks_create(struct pp_thread_list *list)
{
    struct pp_thread_stacks *thread = allocate();
    if (!thread)
        return NULL;
    if (pthread_setspecific(ends.key, thread)) {
        release(thread);
        return NULL;
    }
    pp_walk_find_bounds(&thread->bounds);
    pthread_mutex_lock(&list->lock);
    thread->next = list->first;
    if (thread->next)
        thread->next->before = thread;
    list->first = thread;
    pthread_mutex_unlock(&list->lock);
    pp_thread_stacks_current = thread;
    return thread;
}

void
pp_thread_list_counts(struct pp_thread_list *list, uint64_t ret_count[PP_STACK_COUNTERS])
{
    pthread_mutex_lock(&list->lock);
    memcpy(ret_count, list->ended, sizeof(list->ended));
    for (struct pp_thread_stacks *thread = list->first; thread; thread = thread->next)
        for (unsigned i = 0; i < PP_STACK_COUNTERS; i++)
            ret_count[i] += atomic_load_explicit(&thread->count[i], memory_order_relaxed);
    pthread_mutex_unlock(&list->lock);
}
