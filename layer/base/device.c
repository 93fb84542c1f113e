/** @file
 * See device.h. layer/dispatch/device.c makes and destroys devices. */
#include "layer/base/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/util/log.h"
#include "layer/base/serialize.h"

struct pp_vk_root pp_vk_root = {
    .instances = PP_MAP_INIT,
    .devices = PP_MAP_INIT,
    .device_lock = PTHREAD_MUTEX_INITIALIZER,
    .serial_lock = PTHREAD_MUTEX_INITIALIZER,
    .command_buffers = PP_MAP_INIT,
    .queues = PP_MAP_INIT,
};

/* A device's function that a caller got from the instance, and the next function. */
struct added_proc {
    VkInstance instance;
    size_t offset; /**< UNKNOWN_PROC: in no table */
    PFN_vkVoidFunction next;
};

#define UNKNOWN_PROC SIZE_MAX

static void
fill_proc(void *value, void *user)
{
    struct pp_vk_device *dev = value;
    const struct added_proc *added = user;
    if (dev->owner != added->instance)
        return;
    if (added->offset == UNKNOWN_PROC) {
        pp_serialize.note_unknown(dev);
        return;
    }
    PFN_vkVoidFunction *next = pp_vk_device_next_of(&dev->next, added->offset);
    if (!*next)
        *next = added->next;
    pp_serialize.wrap(dev);
}

void
pp_vk_device_add_proc(struct pp_vk_instance *inst, size_t offset, PFN_vkVoidFunction next)
{
    struct added_proc added = {inst->handle, offset, next};
    pthread_mutex_lock(&pp_vk_root.device_lock);
    *pp_vk_device_next_of(&inst->procs, offset) = next;
    pp_map_each(&pp_vk_root.devices, fill_proc, &added);
    pthread_mutex_unlock(&pp_vk_root.device_lock);
}

void
pp_vk_device_add_unknown(struct pp_vk_instance *inst)
{
    struct added_proc added = {inst->handle, UNKNOWN_PROC, NULL};
    pthread_mutex_lock(&pp_vk_root.device_lock);
    inst->unknown_commands = true;
    pp_map_each(&pp_vk_root.devices, fill_proc, &added);
    pthread_mutex_unlock(&pp_vk_root.device_lock);
}

void
pp_vk_device_adopt(struct pp_vk_device *dev, void *object)
{
    if (dev->set_loader_data)
        (void)dev->set_loader_data(dev->handle, object);
    else
        *(void **)object = *(void **)(void *)dev->handle;
}

uint32_t
pp_vk_device_memory_type(const struct pp_vk_device *dev, uint32_t type_bits, VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < dev->gpu.memory.memoryTypeCount; i++)
        if ((type_bits & (1U << i)) && (dev->gpu.memory.memoryTypes[i].propertyFlags & flags) == flags)
            return i;
    return UINT32_MAX;
}

void
pp_vk_device_fail(struct pp_vk_device *dev)
{
    if (!atomic_exchange(&dev->stopped, true))
        pp_log(PP_MSG_VULKAN_MEMORY, dev->gpu.props.deviceName);
}

void
pp_vk_device_missing(struct pp_vk_device *dev, const char *event, enum pp_message id, const char *format, ...)
{
    char reason[sizeof(dev->missing.list[0].reason)];
    va_list args;
    if (!pp_once(&dev->missing.once, id))
        return;
    va_start(args, format);
    vsnprintf(reason, sizeof(reason), format, args);
    va_end(args);
    /* Before the first submission core does not know the device: keep the reason until then. */
    pthread_mutex_lock(&dev->frames.lock);
    if (dev->core) {
        pp_device_missing(dev->core, event, reason);
    } else if (dev->missing.count < PP_VK_MISSING_MAX) {
        dev->missing.list[dev->missing.count].event = event;
        memcpy(dev->missing.list[dev->missing.count++].reason, reason, sizeof(reason));
    }
    pthread_mutex_unlock(&dev->frames.lock);
}
