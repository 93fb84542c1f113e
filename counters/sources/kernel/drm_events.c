/** @file
 * See drm_events.h. */
#include "counters/sources/kernel/drm_events.h"

#include <stdio.h>
#include <string.h>

#include "counters/sources/kernel/small_file.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

bool
pp_drm_event_grows(enum pp_fdinfo_kind kind)
{
    return kind == PP_FDINFO_NS || kind == PP_FDINFO_CYCLES || kind == PP_FDINFO_COUNT;
}

const char *
pp_drm_memory_prefix(const struct pp_fdinfo *info)
{
    for (size_t i = 0; i < info->values; i++)
        if (strncmp(info->value[i].name, "resident-", strlen("resident-")) == 0)
            return "resident-";
    return "memory-";
}

uint32_t
pp_drm_event_find(const struct pp_drm *drm, const char *name)
{
    uint32_t e = 0;
    while (e < drm->events && strcmp(drm->event[e].name, name) != 0)
        e++;
    return e;
}

static void
describe(struct pp_drm_event *event)
{
    static const struct {
        const char *prefix, *text;
    } known[] = {
        {"engine-", "Time that the GPU's engine %s worked for this process."},
        {"cycles-", "Clocks that the GPU's engine %s worked for this process."},
        {"total-cycles-", "Clocks of the GPU's engine %s, for all processes."},
        {"maxfreq-", "Fastest clock of the GPU's engine %s."},
        {"curfreq-", "Clock of the GPU's engine %s now."},
        {"memory-", "Memory of this process in the GPU's region %s."},
        {"resident-", "Memory of this process that is in the GPU's region %s now."},
        {"total-", "Memory of this process for the GPU's region %s, resident or not."},
        {"shared-", "Memory of this process in the GPU's region %s that other processes share."},
        {"active-", "Memory of this process in the GPU's region %s that jobs are using."},
        {"purgeable-", "Memory of this process in the GPU's region %s that the kernel may take."},
        {"", "%s of this process, as the driver reports it."},
    };
    size_t i = 0;
    while (strncmp(event->name, known[i].prefix, strlen(known[i].prefix)) != 0)
        i++;
    const char *mark = strchr(known[i].text, '%');
    char name[sizeof(event->name)]; /* the compiler cannot see that both arrays of an event do not overlap */
    memcpy(name, event->name, sizeof(name));
    snprintf(event->description, sizeof(event->description), "%.*s%s%s", (int)(mark - known[i].text),
             known[i].text, name + strlen(known[i].prefix), mark + 2);
}

static void
add_one(struct pp_drm *drm, const char *name, uint8_t kind, const char *why_no_time)
{
    uint32_t e = pp_drm_event_find(drm, name);
    if (e == PP_DRM_EVENTS)
        return;
    struct pp_drm_event *event = &drm->event[e];
    if (e == drm->events) {
        drm->events++;
        snprintf(event->name, sizeof(event->name), "%s", name);
        event->kind = kind;
        describe(event);
        snprintf(event->reason, sizeof(event->reason), "%s",
                 kind == PP_FDINFO_NS || kind == PP_FDINFO_CYCLES ? why_no_time : "");
    }
    if (event->kind == PP_FDINFO_NS && !*event->reason)
        drm->event[PP_DRM_BUSY].reason[0] = '\0';
}

void
pp_drm_events_add(struct pp_drm *drm, const struct pp_fdinfo *info, const char *why_no_time)
{
    /* amdgpu lists an engine only after its first job. Source: amdgpu_fdinfo.c, amdgpu_ip_name. */
    static const char *const amdgpu[] = {"engine-gfx", "engine-compute", "engine-dma",  "engine-dec",
                                         "engine-enc", "engine-enc_1",   "engine-jpeg", "engine-vpe"};
    const char *memory = pp_drm_memory_prefix(info);
    for (size_t i = 0; i < info->values; i++) {
        add_one(drm, info->value[i].name, info->value[i].kind, why_no_time);
        if (strncmp(info->value[i].name, memory, strlen(memory)) == 0)
            drm->event[PP_DRM_MEMORY].reason[0] = '\0';
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(amdgpu) && strcmp(info->driver, "amdgpu") == 0; i++)
        add_one(drm, amdgpu[i], PP_FDINFO_NS, why_no_time);
}

void
pp_drm_explain_profiling(const struct pp_drm *drm, const char *node, char *ret)
{
    char path[PP_PATH_BYTES];
    int64_t on = 1;
    int length = snprintf(path, sizeof(path), "%s/class/drm/%s/device/profiling", drm->sys, node);
    *ret = '\0';
    if (length > 0 && length < (int)sizeof(path) && pp_file_number(path, &on) == 0 && on == 0)
        snprintf(ret, PP_REASON_BYTES, PP_FORMAT_DRM_STAMPS, path);
}

void
pp_drm_events_begin(struct pp_drm *drm)
{
    static const struct pp_drm_event always[] = {
        {.name = "busy",
         .description = "Time that the GPU's engines worked for this process, all together.",
         .reason = PP_TEXT_DRM_NO_DEVICE,
         .kind = PP_FDINFO_NS},
        {.name = "memory",
         .description = "Memory of this process that is there for the GPU now.",
         .kind = PP_FDINFO_BYTES},
    };
    memcpy(drm->event, always, sizeof(always));
    drm->events = 2;
}

void
pp_drm_explain_no_time(struct pp_drm *drm)
{
    bool cycles = false;
    char *reason = drm->event[PP_DRM_BUSY].reason;
    if (!*reason || !*drm->driver)
        return;
    for (uint32_t e = 2; e < drm->events; e++) {
        cycles |= drm->event[e].kind == PP_FDINFO_CYCLES;
        if (drm->event[e].kind != PP_FDINFO_NS || !*drm->event[e].reason)
            continue;
        memcpy(reason, drm->event[e].reason, PP_REASON_BYTES);
        return;
    }
    if (cycles)
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_DRM_CYCLES, drm->driver);
    else
        snprintf(reason, PP_REASON_BYTES, PP_FORMAT_DRM_NO_TIME, drm->driver);
}
