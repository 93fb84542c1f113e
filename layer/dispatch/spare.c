/** @file
 * See spare.h. */
#include "layer/dispatch/spare.h"

#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "layer/submit/rewrite.h"

enum { INSTANCES = 4, DEVICES = 4, QUEUES = 16 };

/* A queue with the scratch of its submissions. */
struct queue_record {
    struct pp_vk_queue queue; /**< first member: it has the address of the record */
    struct pp_rewrite rewrite;
};

static struct {
    _Atomic(bool) taken;
    struct pp_vk_instance record;
} spare_instance[INSTANCES];

static struct {
    _Atomic(bool) taken;
    struct pp_vk_device record;
} spare_device[DEVICES];

static struct {
    _Atomic(bool) taken;
    struct queue_record record;
} spare_queue[QUEUES];

struct pp_vk_instance *
pp_vk_instance_new(void)
{
    struct pp_vk_instance *inst = calloc(1, sizeof(*inst));
    for (size_t i = 0; !inst && i < INSTANCES; i++)
        if (!atomic_exchange(&spare_instance[i].taken, true)) {
            inst = &spare_instance[i].record;
            memset(inst, 0, sizeof(*inst));
            inst->spare = true;
            pp_log(PP_MSG_INSTANCE_MEMORY);
        }
    return inst;
}

void
pp_vk_instance_free(struct pp_vk_instance *inst)
{
    if (!inst->spare)
        free(inst);
    for (size_t i = 0; i < INSTANCES; i++)
        if (inst == &spare_instance[i].record)
            atomic_store(&spare_instance[i].taken, false);
}

struct pp_vk_device *
pp_vk_device_new(void)
{
    struct pp_vk_device *dev = calloc(1, sizeof(*dev));
    for (size_t i = 0; !dev && i < DEVICES; i++)
        if (!atomic_exchange(&spare_device[i].taken, true)) {
            dev = &spare_device[i].record;
            memset(dev, 0, sizeof(*dev));
            dev->spare = true;
            pp_log(PP_MSG_DEVICE_MEMORY);
        }
    return dev;
}

void
pp_vk_device_free(struct pp_vk_device *dev)
{
    if (!dev->spare)
        free(dev);
    for (size_t i = 0; i < DEVICES; i++)
        if (dev == &spare_device[i].record)
            atomic_store(&spare_device[i].taken, false);
}

struct pp_vk_queue *
pp_vk_queue_new(bool *ret_spare)
{
    struct queue_record *record = calloc(1, sizeof(*record));
    *ret_spare = !record;
    for (size_t i = 0; !record && i < QUEUES; i++)
        if (!atomic_exchange(&spare_queue[i].taken, true)) {
            record = &spare_queue[i].record;
            memset(record, 0, sizeof(*record));
        }
    if (!record)
        return NULL;
    record->queue.rewrite = &record->rewrite;
    return &record->queue;
}

void
pp_vk_queue_free(struct pp_vk_queue *queue)
{
    for (size_t i = 0; i < QUEUES; i++)
        if (queue == &spare_queue[i].record.queue) {
            atomic_store(&spare_queue[i].taken, false);
            return;
        }
    free(queue);
}
