/** @file
 * Results of performance queries: the CPU resets queries before a submission and reads them after it; see
 * perf.h. A command buffer that is not for simultaneous use is not pending when it is submitted, recorded
 * again or freed. Therefore its last results can be read at that time, and its queries reset, without a
 * wait. */
#include "layer/readback/perf_retire.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/engine/watch.h"
#include "core/util/log.h"
#include "layer/base/cmdbuf.h"
#include "layer/counters/intel_query.h"
#include "layer/counters/perf_layout.h"
#include "layer/measure/announce.h"
#include "layer/measure/perf_device.h"
#include "layer/readback/readback.h"

/* Results of one submission of one command buffer, which may not be available yet. */
struct pp_perf_fill {
    struct pp_perf_fill *next; /**< next one of the readback */
    struct pp_cmdbuf *cb;      /**< NULL: only the layer will read the results; guarded by pp_perf.lock */
    struct pp_perf_set *set;
    uint8_t set_number;
    enum { FILL_PENDING, FILL_READ, FILL_LOST } state; /**< guarded by pp_perf.lock */
    VkResult error; /**< error of the driver, if the results are lost by one; else VK_SUCCESS */
    uint32_t stride;
    uint32_t count;
    uint8_t *data; /**< `count` results of `stride` bytes */
    struct {
        uint32_t query;   /**< number in the pool */
        uint32_t bracket; /**< bracket of the batch */
        bool more;
    } part[];
};

/* Read the results of neighbouring queries. The caller holds the lock. */
static VkResult
read_run(struct pp_vk_device *dev, struct pp_perf_fill *fill, uint32_t first, uint32_t count)
{
    VkQueryResultFlags flags = dev->measured.perf->kind == PP_PERF_OA ? VK_QUERY_RESULT_64_BIT : 0;
    return dev->next.GetQueryPoolResults(dev->handle, fill->set->pool, fill->part[first].query, count,
                                         (size_t)count * fill->stride,
                                         fill->data + (size_t)first * fill->stride, fill->stride, flags);
}

/* Read all results, once. The caller holds the lock. */
static void
read_fill(struct pp_vk_device *dev, struct pp_perf_fill *fill)
{
    if (fill->state != FILL_PENDING)
        return;
    fill->state = FILL_READ;
    for (uint32_t i = 0, run; i < fill->count; i += run) {
        for (run = 1; i + run < fill->count && fill->part[i + run].query == fill->part[i].query + run; run++)
            continue;
        VkResult result = read_run(dev, fill, i, run);
        if (result == VK_SUCCESS)
            continue;
        fill->state = FILL_LOST;
        fill->error = result;
    }
    if (fill->cb)
        fill->cb->perf.fill = NULL;
    fill->cb = NULL;
}

static void
forget_fill(struct pp_perf_fill *fill)
{
    if (fill->cb)
        fill->cb->perf.fill = NULL;
    fill->cb = NULL;
}

void
pp_perf_release(struct pp_cmdbuf *cb)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    mine->open = false;
    if (mine->chunks == 0)
        return;
    pthread_mutex_lock(&cb->dev->measured.perf->lock);
    if (mine->fill)
        read_fill(cb->dev, mine->fill);
    for (uint32_t i = 0; i < mine->chunks; i++)
        mine->set->used[mine->chunk[i]] = false;
    pthread_mutex_unlock(&cb->dev->measured.perf->lock);
    mine->chunks = mine->count = 0;
}

/* May the queue change the metric set? With i915 one stream counts for all queues of a device, and a change
 * does not wait for the work of another queue: the first one that measures has the stream. */
static bool
may_change(struct pp_vk_queue *queue, struct pp_perf *perf)
{
    struct pp_vk_queue *none = NULL;
    return !perf->i915 || perf->sets < 2 || atomic_compare_exchange_strong(&perf->changes, &none, queue) ||
           none == queue;
}

/* Source oa: set the queue up for this buffer's counter set. */
static void
set_up_queue(struct pp_vk_queue *queue, const struct pp_perf_cmdbuf *mine)
{
    struct pp_vk_device *dev = queue->dev;
    if (queue->perf_set == mine->set_number || atomic_load(&dev->measured.perf->failed))
        return;
    queue->perf_set = UINT32_MAX;
    if (!may_change(queue, dev->measured.perf))
        pp_vk_device_missing(dev, PP_EVENT_OA_QUEUE, PP_MSG_OA_QUEUE);
    else if (dev->measured.perf->i915 && pp_watch_confined()) /* the change reads a link in /proc */
        pp_perf_fail(dev, PP_MSG_OA_CONFINED);
    else if (pp_perf_change_set(queue, mine->set))
        queue->perf_set = mine->set_number;
    else
        pp_perf_fail(dev, PP_MSG_OA_NO_SWITCH);
}

/* Note that a command buffer is submitted again without a new recording: it keeps its counter set. */
static void
note_again(struct pp_vk_device *dev, struct pp_perf_cmdbuf *mine)
{
    if (mine->submitted && dev->measured.perf->sets > 1)
        pp_vk_device_missing(dev, PP_EVENT_PERF_AGAIN, PP_MSG_PERF_AGAIN);
    mine->submitted = true;
}

bool
pp_perf_submit(struct pp_vk_queue *queue, struct pp_cmdbuf *cb, bool choose)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    struct pp_vk_device *dev = queue->dev;
    bool measures = mine->count > 0;
    if (measures) {
        note_again(dev, mine);
        if (choose && dev->measured.perf->kind == PP_PERF_OA)
            set_up_queue(queue, mine);
        pthread_mutex_lock(&dev->measured.perf->lock);
        if (mine->fill)
            read_fill(dev, mine->fill);
        for (uint32_t i = 0, run; i < mine->chunks; i += run) {
            for (run = 1; i + run < mine->chunks && mine->chunk[i + run] == mine->chunk[i] + run; run++)
                continue;
            dev->next.ResetQueryPool(dev->handle, mine->set->pool, mine->chunk[i] * PP_PERF_CHUNK,
                                     run * PP_PERF_CHUNK);
        }
        pthread_mutex_unlock(&dev->measured.perf->lock);
    }
    for (uint32_t i = 0; i < cb->execs.count; i++)
        measures = pp_perf_submit(queue, cb->execs.list[i].secondary, choose && !measures) || measures;
    return measures;
}

/* Bracket of the batch for an entry; PP_NO_BRACKET: none. */
static uint32_t
find_bracket(const struct pp_perf_entry *entry, const uint32_t *map, uint32_t whole)
{
    if (entry->bracket == PP_PERF_WHOLE)
        return whole;
    return entry->bracket == PP_NO_BRACKET || !map ? PP_NO_BRACKET : map[entry->bracket];
}

static uint32_t
result_stride(const struct pp_perf *perf, const struct pp_perf_set *set)
{
    return perf->kind == PP_PERF_OA ? pp_perf_oa_result_bytes(&perf->oa)
                                    : set->planned->events * (uint32_t)sizeof(VkPerformanceCounterResultKHR);
}

bool
pp_perf_is_measured(const struct pp_vk_queue *queue, const struct pp_perf_cmdbuf *perf)
{
    const struct pp_perf *device = queue->dev->measured.perf;
    return device && perf->count > 0 && !perf->broken &&
           (device->kind != PP_PERF_OA || queue->perf_set == perf->set_number);
}

void
pp_perf_mixed(struct pp_vk_device *dev)
{
    if (!dev->measured.perf || dev->measured.perf->sets == 0)
        return;
    pp_vk_device_missing(dev, PP_EVENT_PERF_MIXED, PP_MSG_PERF_MIXED);
}

int
pp_perf_emit(struct pp_vk_queue *queue, struct pp_vk_readback *readback, struct pp_cmdbuf *cb,
             const uint32_t *map, uint32_t whole)
{
    struct pp_perf_cmdbuf *mine = &cb->perf;
    struct pp_perf *perf = cb->dev->measured.perf;
    if (!pp_perf_is_measured(queue, mine))
        return 0;
    struct pp_perf_fill *fill = calloc(1, sizeof(*fill) + mine->count * sizeof(fill->part[0]));
    uint32_t stride = result_stride(perf, mine->set);
    if (fill)
        fill->data = calloc(mine->count, stride);
    if (!fill || !fill->data) {
        free(fill);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < mine->count; i++) {
        uint32_t bracket = find_bracket(&mine->entry[i], map, whole);
        if (bracket == PP_NO_BRACKET)
            continue;
        fill->part[fill->count].query = mine->chunk[i / PP_PERF_CHUNK] * PP_PERF_CHUNK + i % PP_PERF_CHUNK;
        fill->part[fill->count].bracket = bracket;
        fill->part[fill->count++].more = mine->entry[i].more;
    }
    fill->set = mine->set;
    fill->set_number = mine->set_number;
    fill->stride = stride;
    fill->cb = cb;
    fill->next = readback->fills;
    readback->fills = fill;
    pthread_mutex_lock(&perf->lock);
    mine->fill = fill;
    pthread_mutex_unlock(&perf->lock);
    return 0;
}

/* Report once that the driver gave no results: rows lack them. */
static void
report_lost(struct pp_vk_device *dev, const struct pp_batch *batch, const struct pp_perf_fill *fill)
{
    char event[64], why[160];
    if (fill->error == VK_SUCCESS || !pp_once(&dev->missing.once, PP_ID_PERF_LOST))
        return;
    snprintf(event, sizeof(event), PP_EVENT_PERF_LOST, dev->measured.perf->source.ops->name);
    snprintf(why, sizeof(why), PP_FORMAT_PERF_LOST,
             fill->error == VK_NOT_READY                    ? "VK_NOT_READY"
             : fill->error == VK_ERROR_DEVICE_LOST          ? "VK_ERROR_DEVICE_LOST"
             : fill->error == VK_ERROR_OUT_OF_HOST_MEMORY   ? "VK_ERROR_OUT_OF_HOST_MEMORY"
             : fill->error == VK_ERROR_OUT_OF_DEVICE_MEMORY ? "VK_ERROR_OUT_OF_DEVICE_MEMORY"
                                                            : "an error",
             (int)fill->error);
    pp_device_missing(batch->device, event, why);
}

/* With a driver that gives zeros for results that never came: is this such a result? Its values are doubles;
 * a ratio of zeros is not a number. A bracket in which all counters really were 0 is taken as lost, too. */
static bool
is_zero_if_lost(const struct pp_vk_device *dev, const struct pp_perf_fill *fill, const uint8_t *data)
{
    if (!dev->measured.perf->quirk.zeros_if_lost)
        return false;
    for (uint32_t at = 0; at + sizeof(double) <= fill->stride; at += (uint32_t)sizeof(double)) {
        double value;
        memcpy(&value, data + at, sizeof(value));
        if (isfinite(value) && value != 0)
            return false;
    }
    return true;
}

/* Report once that zeros of the driver were taken as results that never came. */
static void
report_zeros(struct pp_vk_device *dev, const struct pp_batch *batch)
{
    char event[64];
    if (!pp_once(&dev->missing.once, PP_ID_PERF_ZEROS))
        return;
    snprintf(event, sizeof(event), PP_EVENT_PERF_LOST, dev->measured.perf->source.ops->name);
    pp_device_missing(batch->device, event, PP_TEXT_PERF_ZEROS);
}

/* Was this part counted in another way than the pass's actions? Then it had no actions; parts with actions
 * that differ make the whole pass incomplete: pp_flatten_pass_perf(). */
static bool
is_idle_part(const struct pp_vk_readback *readback, uint32_t bracket, uint8_t set_number)
{
    const struct pp_result_slot *slot = bracket < readback->slots ? &readback->slot[bracket] : NULL;
    return slot && slot->perf_begun && (slot->perf_actions || slot->perf_set != set_number);
}

/* Has no result been read into this cell? */
static bool
is_unmeasured(uint8_t status)
{
    return status == PP_CELL_ELSEWHERE || status == PP_CELL_OTHER_SET;
}

static void
retire_fill(struct pp_vk_device *dev, struct pp_vk_readback *readback, const struct pp_perf_fill *fill)
{
    struct pp_batch *batch = readback->batch;
    uint32_t row_number = dev->measured.perf->row;
    const struct pp_layout *layout = fill->set->planned->layout;
    for (uint32_t i = 0; i < fill->count; i++) {
        uint32_t bracket = fill->part[i].bracket;
        if (is_idle_part(readback, bracket, fill->set_number))
            continue;
        uint8_t *status = pp_batch_status(batch, bracket, row_number);
        uint8_t *set = pp_batch_set(batch, bracket, row_number);
        uint8_t *row = pp_batch_row(batch, bracket, 1) + pp_device_offset(batch->device, row_number);
        const uint8_t *data = fill->data + (size_t)i * fill->stride;
        bool first = is_unmeasured(*status);
        bool other = !first && *set != fill->set_number; /* the parts counted different events */
        *set = fill->set_number;
        if (fill->state != FILL_READ) {
            *status = PP_LOST;
        } else if (is_zero_if_lost(dev, fill, data)) {
            *status = PP_LOST;
            report_zeros(dev, batch);
        } else if (other) {
            *status = PP_UNSUPPORTED; /* pp_perf_mixed() reports it */
        } else if (first) {
            memcpy(row, data, layout->size);
            *status = PP_OK;
        } else if ((*status & ~PP_IN_PARTS) == PP_OK) {
            pp_perf_add(layout, row, data);
            if (!fill->part[i].more)
                *status = PP_OK | PP_IN_PARTS;
        }
    }
    if (fill->state == FILL_LOST)
        report_lost(dev, batch, fill);
}

/* A pass that is the sum of its actions, and has none, counted nothing. */
static void
finish_idle(struct pp_vk_readback *readback, uint32_t row_number)
{
    struct pp_batch *batch = readback->batch;
    for (uint32_t i = 0; i < batch->action_list.passes; i++) {
        const struct pp_pass *pass = &batch->action_list.pass[i];
        const struct pp_result_slot *slot = &readback->slot[pass->bracket];
        uint8_t *status = pp_batch_status(batch, pass->bracket, row_number);
        if (slot->perf_actions && pass->actions == 0 && is_unmeasured(*status)) {
            *status = PP_OK;
            *pp_batch_set(batch, pass->bracket, row_number) = slot->perf_set;
        }
    }
}

void
pp_perf_retire(struct pp_vk_queue *queue, struct pp_vk_readback *readback, bool lost)
{
    struct pp_vk_device *dev = queue->dev;
    struct pp_batch *batch = readback->batch;
    if (!dev->measured.perf || dev->measured.perf->row == UINT32_MAX)
        return;
    for (uint32_t b = 0; b < readback->slots; b++) {
        bool in_actions = readback->slot[b].perf_actions;
        *pp_batch_status(batch, b, dev->measured.perf->row) =
            in_actions ? PP_CELL_ELSEWHERE : PP_CELL_OTHER_SET;
        /* A pass that is the sum of its actions has its value in this set's columns. */
        *pp_batch_set(batch, b, dev->measured.perf->row) = in_actions ? readback->slot[b].perf_set : 0;
    }
    while (readback->fills) {
        struct pp_perf_fill *fill = readback->fills;
        readback->fills = fill->next;
        pthread_mutex_lock(&dev->measured.perf->lock);
        if (lost)
            forget_fill(fill);
        else
            read_fill(dev, fill);
        pthread_mutex_unlock(&dev->measured.perf->lock);
        retire_fill(dev, readback, fill);
        free(fill->data);
        free(fill);
    }
    if (!lost)
        finish_idle(readback, dev->measured.perf->row);
    for (uint32_t b = 0; b < readback->slots; b++)
        if (readback->slot[b].perf_incomplete)
            *pp_batch_status(batch, b, dev->measured.perf->row) = PP_UNSUPPORTED;
}

void
pp_perf_drop(struct pp_vk_queue *queue, struct pp_vk_readback *readback)
{
    while (readback->fills) {
        struct pp_perf_fill *fill = readback->fills;
        readback->fills = fill->next;
        pthread_mutex_lock(&queue->dev->measured.perf->lock);
        forget_fill(fill);
        pthread_mutex_unlock(&queue->dev->measured.perf->lock);
        free(fill->data);
        free(fill);
    }
}
