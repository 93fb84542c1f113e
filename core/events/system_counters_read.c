/** @file
 * Snapshots of system counters, and the values between two of them; see system_counters_read.h. */
#include "core/events/system_counters_read.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/events/system_counters_private.h"
#include "counters/events/rotation.h"

#define POLL_NS 100000000ULL

static void
read_entry(const struct pp_system_counters *system_counters, uint32_t i, uint8_t *snapshot)
{
    const struct pp_system_entry *entry = &system_counters->entry[i];
    struct pp_system_head *head = (struct pp_system_head *)(void *)snapshot;
    int rc =
        entry->source.ops->read(entry->source.self, entry->event, entry->events, snapshot + entry->offset);
    head->status[i] = rc ? PP_LOST : PP_OK;
}

void
pp_system_counters_read(struct pp_system_counters *system_counters, uint8_t *ret_snapshot)
{
    struct pp_system_head *head = (struct pp_system_head *)(void *)ret_snapshot;
    head->thread = (uint64_t)syscall(SYS_gettid);
    uint64_t taken = atomic_fetch_add_explicit(&system_counters->taken, 1, memory_order_relaxed);
    head->set = system_counters->sets > 1 ? pp_rotation_set_of_frame(system_counters->session->start_ns,
                                                                     system_counters->sets, taken)
                                          : 0;
    for (uint32_t i = 0; i < system_counters->entries; i++)
        if (system_counters->entry[i].source.ops->reads != PP_READ_POLL)
            read_entry(system_counters, i, ret_snapshot);
}

void
pp_system_counters_poll(struct pp_system_counters *system_counters, uint64_t now_ns)
{
    if (!system_counters || now_ns - system_counters->polled_ns < POLL_NS)
        return;
    system_counters->polled_ns = now_ns;
    for (uint32_t i = 0; i < system_counters->entries; i++)
        if (system_counters->entry[i].source.ops->reads == PP_READ_POLL)
            read_entry(system_counters, i, system_counters->polled);
}

/* Values of one entry between two snapshots. */
static void
fill_entry(const struct pp_system_counters *system_counters, uint32_t i, const uint8_t *begin,
           const uint8_t *end, struct pp_value *counter)
{
    const struct pp_system_entry *entry = &system_counters->entry[i];
    const struct pp_system_head *first = (const struct pp_system_head *)(const void *)begin;
    const struct pp_system_head *last = (const struct pp_system_head *)(const void *)end;
    uint64_t value[PP_MAX_COLUMNS];
    uint8_t status[PP_MAX_COLUMNS];
    enum pp_status all =
        begin && end ? pp_status_worse((enum pp_status)first->status[i], (enum pp_status)last->status[i])
                     : PP_DISABLED;
    /* The difference of two snapshots has no meaning if they are from different threads. */
    if (entry->source.ops->reads == PP_READ_THREAD && all == PP_OK && first->thread != last->thread)
        all = PP_DISABLED;
    /* The frame measured another set. */
    if (entry->set != PP_SYSTEM_EVERY_SET && begin && entry->source.ops->reads != PP_READ_POLL &&
        first->set != entry->set)
        return;
    if (entry->layout->fields > PP_MAX_COLUMNS)
        return;
    if (pp_status_has_value(all))
        pp_layout_delta(entry->layout, begin + entry->offset, end + entry->offset, value, status);
    bool states = entry->source.ops->reads == PP_READ_POLL;
    for (uint32_t f = 0; f < entry->layout->fields; f++) {
        if (entry->column[f] == UINT16_MAX)
            continue;
        struct pp_value *to = &counter[entry->column[f]];
        *to = pp_value_missing(all);
        if (pp_status_has_value(all) && states && value[f] == PP_STATE_NONE)
            *to = pp_value_missing(PP_LOST);
        else if (pp_status_has_value(all))
            *to = (struct pp_value){value[f], (enum pp_status)status[f]};
    }
}

void
pp_system_counters_fill(const struct pp_system_counters *system_counters, const uint8_t *begin,
                        const uint8_t *end, struct pp_value *counter)
{
    /* Columns that no entry writes in this counter set are not measured in this frame. */
    for (uint32_t i = 0; system_counters && i < system_counters->entries; i++)
        for (uint32_t f = 0; f < system_counters->entry[i].layout->fields; f++)
            if (system_counters->entry[i].column[f] != UINT16_MAX)
                counter[system_counters->entry[i].column[f]] = pp_value_missing(PP_DISABLED);
    for (uint32_t i = 0; system_counters && i < system_counters->entries; i++) {
        bool polled = system_counters->entry[i].source.ops->reads == PP_READ_POLL;
        fill_entry(system_counters, i, polled ? system_counters->polled : begin,
                   polled ? system_counters->polled : end, counter);
    }
}

/* The value of an event of the presenting thread; false: it was not measured in this frame. */
static bool
thread_value(const struct pp_system_counters *system_counters, const struct pp_value *counter,
             const char *event, uint64_t *ret)
{
    for (uint32_t i = 0; system_counters && i < system_counters->entries; i++) {
        const struct pp_system_entry *entry = &system_counters->entry[i];
        if (entry->source.ops->reads != PP_READ_THREAD)
            continue;
        for (uint32_t f = 0; f < entry->layout->fields; f++)
            if (entry->column[f] != UINT16_MAX && strcmp(entry->layout->field[f].name, event) == 0 &&
                pp_status_has_value(counter[entry->column[f]].status)) {
                *ret = counter[entry->column[f]].value;
                return true;
            }
    }
    return false;
}

struct pp_thread_times
pp_system_counters_thread(const struct pp_system_counters *system_counters, const struct pp_value *counter)
{
    struct pp_thread_times ret = {.known = false};
    uint64_t switches = 0, involuntary = 0;
    ret.known = thread_value(system_counters, counter, "task-clock", &ret.ran_ns);
    ret.slept_often = thread_value(system_counters, counter, "run-delay", &ret.delay_ns);
    if (!ret.slept_often && thread_value(system_counters, counter, "context-switches", &switches) &&
        thread_value(system_counters, counter, "involuntary-switches", &involuntary)) {
        ret.slept = switches > involuntary;
        ret.slept_often = switches > 2 * involuntary;
    }
    return ret;
}
