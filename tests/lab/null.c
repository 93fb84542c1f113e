/** @file
 * The model "null": a PCI device whose driver has two ioctls, one that makes memory and one that signals a
 * sync object. Tests of the DRM core use it. */
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>

#include <drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/memory.h"
#include "tests/lab/models.h"
#include "tests/lab/null.h"
#include "tests/lab/pci.h"
#include "tests/lab/sync.h"

static bool
begin(const char *device)
{
    if (strcmp(device, "null") != 0)
        return false;
    lab_pci_add(&(struct lab_pci){.vendor = 0x1234, .device = 0x5678, .driver = "null"}, &lab_null_model);
    return true;
}

static int
command(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)size;
    if (number == LAB_NULL_MEMORY) {
        struct lab_null_memory *ask = arg;
        struct lab_memory *memory = lab_memory_create(ask->size);
        if (!memory)
            return -ENOMEM;
        ask->handle = lab_handle_add(&client->memory, memory);
        ask->offset = memory->offset;
        return 0;
    }
    if (number == LAB_NULL_SUBMIT) {
        struct lab_null_submit *ask = arg;
        return lab_sync_submit(client, ask->handle, ask->point, lab_mode() != LAB_HANG);
    }
    return -ENOTTY;
}

const struct lab_model lab_null_model = {
    .driver = "null",
    .date = "20260101",
    .description = "no work",
    .version = {1, 0, 0},
    .begin = begin,
    .command = command,
};
