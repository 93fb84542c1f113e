/** @file
 * See thread_usage.h. Source: getrusage(2), clock_gettime(2). */
#include "counters/sources/cpu/thread_usage.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "counters/sources/kernel/kernel_sources.h"
#include "counters/util/sandbox.h"

/* Events. */
enum { RAN, FAULTS, MAJOR, SWITCHES, INVOLUNTARY, EVENTS };

static const struct {
    const char *name;
    enum pp_unit unit;
} usage[EVENTS] = {
    [RAN] = {"task-clock", PP_UNIT_NS},
    [FAULTS] = {"page-faults", PP_UNIT_COUNT},
    [MAJOR] = {"major-faults", PP_UNIT_COUNT},
    [SWITCHES] = {"context-switches", PP_UNIT_COUNT},
    [INVOLUNTARY] = {"involuntary-switches", PP_UNIT_COUNT},
};

/* All events, and a part of them where the user takes some away: few lists, which live as long as the
 * process. */
static struct pp_list_layouts layouts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int
usage_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    (void)self;
    if (i >= EVENTS)
        return -ENOENT;
    *ret_event = (struct pp_event){.name = usage[i].name, .description = "", .unit = usage[i].unit};
    return 0;
}

static int
usage_field(void *self, uint32_t event, struct pp_field *ret_field)
{
    (void)self;
    if (event >= EVENTS)
        return -ENOENT;
    *ret_field = (struct pp_field){.name = usage[event].name,
                                   .mode = PP_FIELD_WRAPS,
                                   .unit = (uint8_t)usage[event].unit,
                                   .number = PP_NUMBER_U64};
    return 0;
}

static const struct pp_layout *
usage_layout(void *self, const uint32_t *event, size_t events)
{
    return pp_list_layouts_get(&layouts, "cpu", event, events, usage_field, self);
}

static int
usage_read(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct rusage used;
    struct timespec clock;
    int saved = errno;
    (void)self;
    if (pp_sandbox_entered()) /* filters of browsers kill at RUSAGE_THREAD */
        return -EPERM;
    if (getrusage(RUSAGE_THREAD, &used) || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &clock)) {
        int rc = -errno;
        errno = saved;
        return rc;
    }
    const uint64_t value[EVENTS] = {
        [RAN] = htole64((uint64_t)clock.tv_sec * 1000000000U + (uint64_t)clock.tv_nsec),
        [FAULTS] = htole64((uint64_t)used.ru_minflt + (uint64_t)used.ru_majflt),
        [MAJOR] = htole64((uint64_t)used.ru_majflt),
        [SWITCHES] = htole64((uint64_t)used.ru_nvcsw + (uint64_t)used.ru_nivcsw),
        [INVOLUNTARY] = htole64((uint64_t)used.ru_nivcsw),
    };
    for (size_t i = 0; i < events; i++)
        memcpy(ret_snapshot + 8 * i, &value[event[i]], sizeof(value[0]));
    return 0;
}

const struct pp_source_ops pp_thread_usage_ops = {
    .name = "cpu",
    .event = usage_event,
    .layout = usage_layout,
    .read = usage_read,
    .reads = PP_READ_THREAD,
};
