/** @file
 * The DRM core of the kernel: device nodes, clients, and the ioctls that all drivers share. Drivers are
 * models (model.h). */
#ifndef LAB_DRM_H
#define LAB_DRM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tests/lab/descriptors.h"

struct lab_memory;
struct lab_model;
struct lab_sync;

/** Objects of one kind that a client names by numbers from 1. */
struct lab_handles {
    void **object; /* [count]; NULL: the number is free */
    uint32_t count;
};

/** An opened device node: the kernel's drm_file. */
struct lab_client {
    struct lab_object object;
    const struct lab_model *model;
    dev_t device;              /* of the node */
    struct lab_handles memory; /* struct lab_memory */
    struct lab_handles sync;   /* struct lab_sync */
    void *of_model;            /* what the model keeps for this client */
};

/** Guards clients, their objects and models. */
extern pthread_mutex_t lab_lock;

/** Signalled whenever a fence changes. */
extern pthread_cond_t lab_changed;

/** Give the nodes with this minor number to a model. Minor numbers from 128 are render nodes. Before main().
 */
void lab_drm_add_node(unsigned minor, const struct lab_model *model);

/** Open a node. @return A descriptor, or -errno. */
int lab_drm_open(dev_t device, int flags);

/** Has this process opened a node? */
bool lab_drm_is_used(void);

/** The first free number, from 1, for @p object. */
uint32_t lab_handle_add(struct lab_handles *handles, void *object);

/** The object with the number; NULL: there is none. */
void *lab_handle_find(const struct lab_handles *handles, uint32_t handle);

/** Free the number. @return Its object, or NULL. */
void *lab_handle_take(struct lab_handles *handles, uint32_t handle);

/** CLOCK_MONOTONIC in nanoseconds. */
uint64_t lab_now_ns(void);

#endif
