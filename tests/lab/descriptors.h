/** @file
 * Descriptors that the lab gave out: which object each number names, over dup() and close(). Knows no
 * object's meaning: objects bring a table of operations. */
#ifndef LAB_DESCRIPTORS_H
#define LAB_DESCRIPTORS_H

#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

struct lab_object;

/** What can be done with a descriptor. Each function may be called by any thread, without lab_lock; a result
 * below 0 is -errno. */
struct lab_operations {
    const char *name; /**< for texts */
    const char *link; /**< what readlink() of /proc/self/fd/N gives. NULL: the kernel's answer */
    /** ioctl(); mandatory. */
    int (*ioctl)(struct lab_object *object, unsigned long request, void *arg);
    /** Find the memory of an offset of mmap(). NULL: the kernel maps the descriptor below.
     * @param fd      Descriptor to map instead.
     * @param offset  Offset of the mapping; the function replaces it. */
    int (*map)(struct lab_object *object, size_t length, off_t *offset, int *fd);
    /** read(). NULL: the kernel reads the descriptor below. */
    ssize_t (*read)(struct lab_object *object, void *buffer, size_t size, bool may_block);
    /** poll(): events that are true now. NULL: the kernel polls the descriptor below. */
    short (*poll)(struct lab_object *object);
    /** Size that lseek(SEEK_END) gives. NULL: the kernel's answer. */
    off_t (*size)(struct lab_object *object);
    /** Change what fstat() says. NULL: nothing to change. */
    void (*stat)(struct lab_object *object, struct stat *st);
    /** The last descriptor was closed; mandatory. */
    void (*release)(struct lab_object *object);
};

/** What a descriptor names; the first member of what its owner keeps. */
struct lab_object {
    const struct lab_operations *operations;
    unsigned descriptors; /* that lead to it; guarded by the table's lock */
};

/** The object of @p fd; NULL: the descriptor is not the lab's. Costs no lock. */
struct lab_object *lab_object_of(int fd);

/** Let @p fd, a descriptor of the kernel's that the caller made, lead to @p object. @return fd; -EMFILE and a
 * closed descriptor if its number is too high. */
int lab_descriptor_add(int fd, struct lab_object *object);

/** @p fd was closed, or will be. The last descriptor releases the object. */
void lab_descriptor_remove(int fd);

#endif
