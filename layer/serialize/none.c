/** @file
 * A build without --serialize in Vulkan (PP_VULKAN_SERIALIZE=OFF): no device records in parts, no submission
 * is waited for. See serialize.h. */
#include <errno.h>

#include "layer/base/serialize.h"

static int
open_none(struct pp_vk_device *dev)
{
    (void)dev;
    return 0;
}

static int
need_parts(struct pp_vk_device *dev)
{
    (void)dev;
    return -ENOTSUP;
}

static void
leave_device(struct pp_vk_device *dev)
{
    (void)dev;
}

static PFN_vkVoidFunction
proc(struct pp_vk_device *dev, const char *name, PFN_vkVoidFunction next)
{
    (void)dev;
    (void)name;
    return next;
}

static PFN_vkVoidFunction
instance_proc(struct pp_vk_instance *inst, const char *name, PFN_vkVoidFunction next)
{
    (void)inst;
    (void)name;
    return next;
}

static void
leave_cmdbuf(struct pp_cmdbuf *cb)
{
    (void)cb;
}

static bool
cut(struct pp_cmdbuf *cb, uint32_t bracket)
{
    (void)cb;
    (void)bracket;
    return false;
}

static void
executed(const struct pp_cmdbuf *cb)
{
    (void)cb;
}

static const struct pp_split_part *
parts(const struct pp_cmdbuf *cb, uint32_t *ret_count)
{
    (void)cb;
    *ret_count = 0;
    return NULL;
}

static bool
waits(struct pp_vk_queue *queue, const struct pp_submit_call *call)
{
    (void)queue;
    (void)call;
    return false;
}

static void
leave_queue(struct pp_vk_queue *queue)
{
    (void)queue;
}

static VkResult
submit(struct pp_serialize_call *call)
{
    (void)call;
    return VK_ERROR_DEVICE_LOST;
}

static void
ended(struct pp_vk_queue *queue, VkResult result)
{
    (void)queue;
    (void)result;
}

const struct pp_serialize_ops pp_serialize = {
    .built = false,
    .open = open_none,
    .need_parts = need_parts,
    .wrap = leave_device,
    .note_unknown = leave_device,
    .proc = proc,
    .instance_proc = instance_proc,
    .finish_objects = leave_device,
    .close = leave_device,
    .add = leave_cmdbuf,
    .release = leave_cmdbuf,
    .remove = leave_cmdbuf,
    .cut = cut,
    .begin_pass = leave_cmdbuf,
    .action = leave_cmdbuf,
    .query = leave_cmdbuf,
    .end_pass = leave_cmdbuf,
    .executed = executed,
    .parts = parts,
    .waits = waits,
    .note_unwaited = leave_queue,
    .fence = leave_queue,
    .submit = submit,
    .ended = ended,
};
