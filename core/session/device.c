/** @file
 * Devices; see device.h. The first device starts the collector, unless the process falls asleep. */
#include "core/session/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/derive/user_metrics.h"
#include "core/engine/session_private.h"
#include "core/events/device_counters.h"
#include "core/events/event_selection.h"
#include "core/events/system_counters.h"
#include "core/session/parts.h"
#include "core/session/session.h"
#include "core/session/sleep.h"
#include "counters/sources/cpu/thread_usage.h"
#include "counters/sources/registry.h"
#include "counters/util/errno_text.h"
#include "counters/util/sandbox.h"

static void
free_missing(struct pp_missing *missing)
{
    while (missing) {
        struct pp_missing *next = missing->next;
        free(missing->event);
        free(missing->reason);
        free(missing);
        missing = next;
    }
}

static void
device_free(struct pp_device *device)
{
    pp_event_selection_finish(device);
    free_missing(device->missing);
    free_missing(device->notes);
    free(device->api);
    free(device->api_version);
    free(device->name);
    free(device->driver);
    pp_clock_finish(&device->clock);
    pp_stream_sets_finish(&device->stream_sets);
    free(device);
}

static struct pp_device *
device_new(struct pp_session *session, const struct pp_device_info *info)
{
    struct pp_device *device = calloc(1, sizeof(*device));
    if (!device)
        return NULL;
    pp_stream_sets_init(&device->stream_sets);
    pp_clock_init(&device->clock, info->tick_ns > 0 ? info->tick_ns : 1.0,
                  info->timestamp_bits ? info->timestamp_bits : 64);
    device->session = session;
    device->api = strdup(info->api);
    device->api_version = strdup(info->api_version ? info->api_version : "");
    device->name = strdup(info->name ? info->name : "");
    device->driver = strdup(info->driver ? info->driver : "");
    device->tick_ns = info->tick_ns;
    device->timestamp_bits = info->timestamp_bits;
    device->brackets_submissions = info->brackets_submissions;
    device->records = info->records;
    if (!device->api || !device->api_version || !device->name || !device->driver) {
        device_free(device);
        return NULL;
    }
    return device;
}

/* Report that nothing of this session can be profiled, also in session.json. */
static void
refuse_locked(struct pp_session *session, const char *why)
{
    snprintf(session->stop_reason, sizeof(session->stop_reason), "%.255s", why);
    pp_log(PP_MSG_CONFIG, why);
}

/* Lay out the device's rows. A list that cannot be measured stops the session if this is its first device. */
static int
plan_locked(struct pp_session *session, struct pp_device *device, const struct pp_device_info *info)
{
    char error[PP_EVENT_SELECTION_ERROR_MAX] = "";
    int rc = pp_event_selection_make(device, info, error);
    if (rc == -EINVAL && session->begun) {
        pp_device_missing_locked(device, "events", error);
        return 0;
    }
    if (rc == -EINVAL)
        refuse_locked(session, error);
    return rc;
}

/* The first device starts the collector, or puts the process to sleep. */
static int
start_locked(struct pp_session *session, const char *gpu, bool streams)
{
    struct pp_metrics_error error;
    if (session->begun)
        return 0;
    if (session->failed)
        return -EIO;
    int rc = pp_user_metrics_create(session, gpu ? gpu : "", &session->user_metrics, &error);
    session->rows.metric = pp_user_metrics_columns(session->user_metrics, &session->rows.metrics);
    if (rc)
        refuse_locked(session, *error.text ? error.text : pp_errno_text(-rc));
    else if (!pp_sleep_begin_locked(session))
        rc = pp_session_parts.begin(session, streams, &session->collector);
    session->failed = rc != 0;
    session->begun = rc == 0;
    return rc;
}

/* May a session begin? Not where the application has confined itself since it was started. */
static bool
may_begin_locked(struct pp_session *session)
{
    if (session->failed || !pp_sandbox_since_start())
        return !session->failed;
    pp_log(PP_MSG_CONFINED);
    session->failed = true;
    return false;
}

/* Open the kernel sources that the user's list names for the first device, so that all devices have their
 * columns. By default, frames measure what their thread used. */
static int
open_system_counters_locked(struct pp_session *session)
{
    const struct pp_source_row *row;
    char error[PP_EVENT_SELECTION_ERROR_MAX] = "";
    bool wanted = false;
    if (session->begun || session->sources.kernels)
        return 0;
    if (!may_begin_locked(session))
        return -EIO;
    for (size_t i = 0; (row = pp_source_row(i)); i++)
        wanted |= row->origin == PP_SOURCE_KERNEL && pp_config_wants(&session->config, row->name, false);
    if (!wanted && !pp_config_has_defaults(&session->config))
        return 0;
    if (wanted) {
        session->sources.kernels =
            (uint32_t)pp_kernel_sources_open(NULL, session->sources.kernel, PP_MAX_SOURCES);
    } else { /* no source of the kernel is opened without -e: this one needs no descriptor */
        session->sources.kernel[0] = (struct pp_event_source){&pp_thread_usage_ops, NULL};
        session->sources.kernels = 1;
    }
    int rc = pp_system_counters_create(session, session->sources.kernel, session->sources.kernels,
                                       &session->sources.system_counters, error);
    if (rc == -EINVAL)
        refuse_locked(session, error);
    return rc;
}

uint8_t *
pp_session_take_system_counters(struct pp_session *session)
{
    pthread_mutex_lock(&session->lock);
    int rc = pp_session_active(session) ? open_system_counters_locked(session) : -ESHUTDOWN;
    session->failed |= rc == -EINVAL; /* said; no device is taken */
    size_t bytes = rc ? 0 : pp_system_counters_bytes(session->sources.system_counters);
    pthread_mutex_unlock(&session->lock);
    uint8_t *snapshot = bytes ? calloc(1, bytes) : NULL;
    if (snapshot)
        pp_system_counters_read(session->sources.system_counters, snapshot);
    return snapshot;
}

int
pp_device_create(struct pp_session *session, const struct pp_device_info *info, struct pp_device **ret_device)
{
    pthread_mutex_lock(&session->lock);
    struct pp_device *device = device_new(session, info);
    int rc = !device ? -ENOMEM : pp_session_active(session) ? 0 : -ESHUTDOWN;
    rc = rc ? rc : session->failed ? -EIO : open_system_counters_locked(session);
    rc = rc ? rc : plan_locked(session, device, info);
    rc = rc ? rc : start_locked(session, info->name, device->streams);
    if (rc == 0) {
        struct pp_device **at = &session->devices;
        while (*at)
            at = &(*at)->next;
        device->number = session->device_count++;
        if (device->streams)
            atomic_store(&session->streams, true);
        *at = device;
        *ret_device = device;
    } else if (device) {
        device_free(device);
    }
    bool refused = rc && session->stop_reason[0] && !session->begun && session->config.launched;
    bool active = rc == 0 || atomic_exchange(&session->active, false);
    pthread_mutex_unlock(&session->lock);
    if (refused && active)
        pp_session_parts.refuse(session, session->stop_reason);
    return rc;
}

bool
pp_device_note_unused_options(struct pp_device *device, bool copies_arguments)
{
    const struct pp_config *config = &device->session->config;
    /* Sources that are read while the GPU is idle measure whole frames, too. */
    bool serializes = config->level != PP_LEVEL_FRAME || pp_device_reads_idle(device);
    if (config->serialize && !serializes)
        pp_note_once(device, PP_MSG_SERIALIZE_FRAME);
    if (config->indirect && (!copies_arguments || config->level != PP_LEVEL_DRAW))
        pp_note_once(device, PP_MSG_INDIRECT_UNUSED);
    return serializes;
}

struct pp_clock *
pp_device_clock(struct pp_device *device)
{
    return &device->clock;
}

struct pp_session *
pp_device_session(const struct pp_device *device)
{
    return device->session;
}

uint32_t
pp_device_offset(const struct pp_device *device, uint32_t source)
{
    return device->offset[source];
}

static int
compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void
pp_device_bias(struct pp_device *device, const char *scope, const uint64_t *length_ns, uint32_t count)
{
    struct pp_session *session = device->session;
    uint64_t *sorted = count ? malloc(count * sizeof(*sorted)) : NULL;
    struct pp_bias *bias = sorted ? calloc(1, sizeof(*bias)) : NULL;
    char *name = bias ? strdup(scope) : NULL;
    if (!name) {
        free(bias);
        free(sorted);
        return;
    }
    memcpy(sorted, length_ns, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), compare_u64);
    bias->scope = name;
    bias->count = count;
    bias->min_ns = sorted[0];
    bias->median_ns = sorted[count / 2];
    bias->iqr_ns = sorted[count - 1 - count / 4] - sorted[count / 4];
    free(sorted);
    pthread_mutex_lock(&session->lock);
    bias->next = device->bias;
    device->bias = bias;
    pthread_mutex_unlock(&session->lock);
}
