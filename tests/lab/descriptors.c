/** @file
 * The table of the lab's descriptors; see descriptors.h. */
#include "tests/lab/descriptors.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_DESCRIPTORS 65536

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct lab_object *_Atomic object_of[MAX_DESCRIPTORS];

struct lab_object *
lab_object_of(int fd)
{
    return fd < 0 || fd >= MAX_DESCRIPTORS ? NULL : atomic_load(&object_of[fd]);
}

int
lab_descriptor_add(int fd, struct lab_object *object)
{
    if (fd < 0)
        return fd;
    if (fd >= MAX_DESCRIPTORS) {
        (void)syscall(SYS_close, fd);
        return -EMFILE;
    }
    pthread_mutex_lock(&lock);
    object->descriptors++;
    atomic_store(&object_of[fd], object);
    pthread_mutex_unlock(&lock);
    return fd;
}

void
lab_descriptor_remove(int fd)
{
    struct lab_object *object = NULL;
    if (!lab_object_of(fd))
        return;
    pthread_mutex_lock(&lock);
    object = atomic_exchange(&object_of[fd], NULL);
    if (object && --object->descriptors != 0)
        object = NULL;
    pthread_mutex_unlock(&lock);
    if (object)
        object->operations->release(object);
}
