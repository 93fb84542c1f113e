/** @file
 * What a device model brings: the interface between the DRM core (drm.h) and a driver of the kernel. A new
 * model is a file that fills a struct lab_model, and a row in models.c. */
#ifndef LAB_MODEL_H
#define LAB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lab_client;
struct lab_memory;

/** A driver of the kernel. Functions are called with lab_lock held, unless they say something else, and
 * return 0 or -errno. */
struct lab_model {
    const char *driver;      /**< the name that DRM_IOCTL_VERSION gives */
    const char *date;        /**< as DRM_IOCTL_VERSION gives it */
    const char *description; /**< as DRM_IOCTL_VERSION gives it */
    int version[3];          /**< major, minor, patch level */
    /** Before main(), without lab_lock: if LAB_DEVICE names one of the model's devices, make its files and
     * nodes. Mandatory. @return true: the device is one of the model's. */
    bool (*begin)(const char *device);
    /** The driver's ioctl @p number, counted from DRM_COMMAND_BASE. @p arg holds @p size bytes, and zeros
     * after them up to 512. Mandatory. -ENOTTY: the model does not know the ioctl, which is reported as a
     * fault. */
    int (*command)(struct lab_client *client, unsigned number, void *arg, size_t size);
    /** DRM_IOCTL_GET_CAP. NULL, or -ENOTTY: the core answers. */
    int (*capability)(uint64_t name, uint64_t *value);
    /** A node was opened; may set client->of_model. NULL: nothing to do. */
    int (*open)(struct lab_client *client);
    /** A node is closed; frees client->of_model. NULL: nothing to do. */
    void (*close)(struct lab_client *client);
};

/** What the device does with submitted work: LAB_MODE. */
enum lab_mode {
    LAB_EXEC, /**< "exec", the default: work is executed when it is submitted, and then its fences are
                 signalled */
    LAB_NOOP, /**< "noop": nothing is written, fences are signalled */
    LAB_LATE, /**< "late": work is executed by a thread, LAB_LATE_MS after it was submitted, and then its
                 fences are signalled; a model that has no such thread does as in "exec" */
    LAB_HANG, /**< "hang": nothing is written, fences are never signalled */
};

/** The mode of this process. */
enum lab_mode lab_mode(void);

#endif
