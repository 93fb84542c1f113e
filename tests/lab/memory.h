/** @file
 * Memory objects (GEM): all of them are in one file in memory. The place in the file is also the offset that
 * applications pass to mmap(). All functions are called with lab_lock held. */
#ifndef LAB_MEMORY_H
#define LAB_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lab_client;

/** A memory object: the kernel's drm_gem_object. */
struct lab_memory {
    uint64_t size;     /**< bytes, whole pages */
    uint64_t offset;   /**< in the file, and of mmap(); not used for the application's own memory */
    uint8_t *bytes;    /**< where the lab reads and writes it */
    bool from_user;    /**< the application's own memory */
    unsigned owners;   /* handles, and descriptors of PRIME */
    uint64_t of_model; /**< what the model keeps; 0 at first */
};

/** Make memory full of zeros, for one owner. @return NULL: no memory left, or @p size is 0. */
struct lab_memory *lab_memory_create(uint64_t size);

/** Make an object of the application's memory at @p bytes. */
struct lab_memory *lab_memory_of_user(void *bytes, uint64_t size);

/** One more owner. */
void lab_memory_ref(struct lab_memory *memory);

/** One owner less; the last one frees the memory. */
void lab_memory_unref(struct lab_memory *memory);

/** The memory at an offset of mmap() that the client has a handle of; NULL: none. */
struct lab_memory *lab_memory_at(const struct lab_client *client, uint64_t offset);

/** The memory of a handle. @return NULL: there is none, which is reported as a fault of @p what, for example
 * "v3d: MMAP_BO". */
struct lab_memory *lab_memory_of(const struct lab_client *client, uint32_t handle, const char *what);

/** The file of all memory. */
int lab_memory_file(void);

/** DRM_IOCTL_PRIME_HANDLE_TO_FD. @return A descriptor, or -errno. */
int lab_memory_export(struct lab_client *client, uint32_t handle, uint32_t flags);

/** DRM_IOCTL_PRIME_FD_TO_HANDLE. @return 0, or -EBADF. */
int lab_memory_import(struct lab_client *client, int fd, uint32_t *handle);

#endif
