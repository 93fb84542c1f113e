/** @file
 * See drm.h. The source "drm"; Each open file of a device belongs to a client of its driver. Files of one
 * client have the same numbers. A client's numbers may step back: then the larger one counts. */
#include "counters/sources/kernel/drm.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/sources/kernel/kernel_sources.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/util/array_size.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"
#include "pp_texts.h"

static struct pp_drm_client *
find_client(struct pp_drm *drm, const struct pp_fdinfo *info)
{
    for (uint32_t i = 0; i < drm->clients; i++)
        if (drm->client[i].id == info->client && strcmp(drm->client[i].device, info->device) == 0)
            return &drm->client[i];
    return NULL;
}

/* Add a client. @return NULL: there are too many, or no memory. */
static struct pp_drm_client *
new_client(struct pp_drm *drm)
{
    for (uint32_t i = 0; i < drm->clients; i++)
        if (drm->client[i].fdinfo < 0)
            return &drm->client[i];
    if (drm->clients == drm->capacity && drm->capacity < PP_DRM_CLIENTS) {
        uint32_t capacity = drm->capacity ? 2 * drm->capacity : 8;
        struct pp_drm_client *grown = realloc(drm->client, capacity * sizeof(*grown));
        drm->client = grown ? grown : drm->client;
        drm->capacity = grown ? capacity : drm->capacity;
    }
    return drm->clients < drm->capacity ? &drm->client[drm->clients++] : NULL;
}

/* Read the file of a client. @return False: the file is no longer that of this client. */
static bool
read_client(struct pp_drm *drm, const struct pp_drm_client *client)
{
    ssize_t got =
        pp_fd_is_own_file(client->fdinfo) ? pread(client->fdinfo, drm->text, sizeof(drm->text) - 1, 0) : -1;
    if (got <= 0)
        return false;
    drm->text[got] = '\0';
    return pp_fdinfo_read(drm->text, &drm->info) && drm->info.has_client && drm->info.client == client->id &&
           strcmp(drm->info.device, client->device) == 0;
}

static void
drop_client(struct pp_drm_client *client)
{
    pp_fd_close_file(client->fdinfo);
    client->fdinfo = -1;
}

/* Take the values of the client's text, which was just read. @param count False: the values are where
 * counting begins. */
static void
take_values(struct pp_drm *drm, struct pp_drm_client *client, bool count)
{
    const char *memory = pp_drm_memory_prefix(&drm->info);
    uint64_t others = 0;
    for (size_t i = 0; i < drm->info.values; i++) {
        const struct pp_fdinfo_value *from = &drm->info.value[i];
        uint32_t e = client->hint[i];
        if (e >= drm->events || strcmp(drm->event[e].name, from->name) != 0)
            e = pp_drm_event_find(drm, from->name);
        if (e == drm->events || drm->event[e].kind != from->kind) {
            others += from->kind == PP_FDINFO_NS ? from->value : 0;
            continue;
        }
        client->hint[i] = (uint8_t)e;
        if (pp_drm_event_grows((enum pp_fdinfo_kind)from->kind)) {
            uint64_t more = from->value > client->last[e] ? from->value - client->last[e] : 0;
            client->last[e] += more;
            drm->value[e] += count ? more : 0;
            if (from->kind == PP_FDINFO_NS)
                drm->value[PP_DRM_BUSY] += count ? more : 0;
        } else if (from->kind == PP_FDINFO_HZ) {
            drm->value[e] = from->value > drm->value[e] ? from->value : drm->value[e];
        } else {
            drm->value[e] += from->value;
            drm->value[PP_DRM_MEMORY] += strncmp(from->name, memory, strlen(memory)) == 0 ? from->value : 0;
        }
    }
    uint64_t more = others > client->others ? others - client->others : 0;
    client->others += more;
    drm->value[PP_DRM_BUSY] += count ? more : 0;
}

/* Add the client of an open file of a device. @param fd The number of its descriptor. */
static void
look_at(struct pp_drm *drm, const char *fd, const char *node)
{
    char path[PP_PATH_BYTES], why_no_time[PP_REASON_BYTES];
    struct pp_drm_client found = {.fdinfo = -1};
    if (snprintf(path, sizeof(path), "%s/thread-self/fdinfo/%s", drm->proc, fd) >= (int)sizeof(path))
        return;
    int rc = pp_file_text(path, drm->text, sizeof(drm->text));
    if (rc < 0 || !pp_fdinfo_read(drm->text, &drm->info))
        return;
    if (!drm->info.has_client || drm->info.values == 0) {
        if (*drm->event[PP_DRM_BUSY].reason)
            snprintf(drm->event[PP_DRM_BUSY].reason, PP_REASON_BYTES, PP_FORMAT_DRM_NO_KEY, drm->info.driver);
        return;
    }
    struct pp_drm_client *client = find_client(drm, &drm->info);
    if (client && client->fdinfo >= 0)
        return;
    found.fdinfo = open(path, O_RDONLY | O_CLOEXEC);
    if (found.fdinfo < 0)
        return;
    pp_fd_mark_file(found.fdinfo);
    if (client) { /* another descriptor of a known client */
        client->fdinfo = found.fdinfo;
        return;
    }
    client = new_client(drm);
    if (!client) {
        drm->crowded = true;
        pp_fd_close_file(found.fdinfo);
        return;
    }
    found.id = drm->info.client;
    memcpy(found.device, drm->info.device, sizeof(found.device));
    *client = found;
    pp_drm_explain_profiling(drm, node, why_no_time);
    if (drm->reads == 0) {
        pp_drm_events_add(drm, &drm->info, why_no_time);
        snprintf(drm->driver, sizeof(drm->driver), "%s", drm->info.driver);
    }
    take_values(drm, client, false);
}

/* Look for open files of devices among the process's descriptors. */
static void
scan(struct pp_drm *drm)
{
    char path[PP_PATH_BYTES], target[PP_PATH_BYTES], prefix[160];
    if (pp_path_join(path, drm->proc, "thread-self/fd"))
        return;
    DIR *folder = opendir(path);
    if (!folder)
        return;
    drm->crowded = false;
    int length = snprintf(prefix, sizeof(prefix), "%s/dri/", drm->dev);
    for (const struct dirent *entry = NULL; (entry = readdir(folder));) {
        ssize_t got = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
        if (got < length || memcmp(target, prefix, (size_t)length) != 0)
            continue;
        target[got] = '\0';
        look_at(drm, entry->d_name, target + length);
    }
    (void)closedir(folder);
}

/* Reading. */

static void
update(struct pp_drm *drm)
{
    bool gone = false;
    if (drm->reads++ % PP_DRM_SCAN_EVERY == PP_DRM_SCAN_EVERY - 1 && !pp_sandbox_entered())
        scan(drm);
    for (uint32_t e = 0; e < drm->events; e++)
        drm->value[e] = pp_drm_event_grows((enum pp_fdinfo_kind)drm->event[e].kind) ? drm->value[e] : 0;
    for (uint32_t i = 0; i < drm->clients; i++) {
        struct pp_drm_client *client = &drm->client[i];
        if (client->fdinfo < 0)
            continue;
        if (read_client(drm, client)) {
            take_values(drm, client, true);
            continue;
        }
        drop_client(client);
        gone = true;
    }
    /* A client may have another descriptor: look for it at the next read. */
    if (gone)
        drm->reads = PP_DRM_SCAN_EVERY - 1;
}

/* @retval -E2BIG There are too many clients: the sum of some of them is not the process's. */
static int
drm_read(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct pp_drm *drm = self;
    int saved = errno;
    (void)pthread_mutex_lock(&drm->lock);
    update(drm);
    int rc = drm->crowded ? -E2BIG : 0;
    for (size_t i = 0; i < events && rc == 0; i++) {
        uint64_t value = htole64(event[i] < drm->events ? drm->value[event[i]] : 0);
        rc = event[i] < drm->events ? 0 : -ENOENT;
        memcpy(ret_snapshot + 8 * i, &value, sizeof(value));
    }
    (void)pthread_mutex_unlock(&drm->lock);
    errno = saved;
    return rc;
}

/* The interface: pp_source_ops. */

static enum pp_unit
unit_of(enum pp_fdinfo_kind kind)
{
    static const uint8_t unit[] = {[PP_FDINFO_NS] = PP_UNIT_NS,
                                   [PP_FDINFO_CYCLES] = PP_UNIT_CYCLES,
                                   [PP_FDINFO_HZ] = PP_UNIT_HZ,
                                   [PP_FDINFO_BYTES] = PP_UNIT_BYTES,
                                   [PP_FDINFO_COUNT] = PP_UNIT_COUNT};
    return (enum pp_unit)unit[kind];
}

static int
drm_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_drm *drm = self;
    if (i >= drm->events)
        return -ENOENT;
    const struct pp_drm_event *event = &drm->event[i];
    *ret_event = (struct pp_event){.name = event->name,
                                   .description = event->description,
                                   .reason = *event->reason ? event->reason : NULL,
                                   .unit = unit_of((enum pp_fdinfo_kind)event->kind),
                                   .not_additive = !pp_drm_event_grows((enum pp_fdinfo_kind)event->kind)};
    return 0;
}

static int
drm_field(void *self, uint32_t event, struct pp_field *ret_field)
{
    const struct pp_drm *drm = self;
    if (event >= drm->events || *drm->event[event].reason)
        return -ENOENT;
    enum pp_fdinfo_kind kind = (enum pp_fdinfo_kind)drm->event[event].kind;
    *ret_field = (struct pp_field){.name = drm->event[event].name,
                                   .mode = pp_drm_event_grows(kind) ? PP_FIELD_WRAPS : PP_FIELD_GAUGE,
                                   .unit = (uint8_t)unit_of(kind),
                                   .not_additive = !pp_drm_event_grows(kind)};
    return 0;
}

static const struct pp_layout *
drm_layout(void *self, const uint32_t *event, size_t events)
{
    struct pp_drm *drm = self;
    return pp_list_layouts_get(&drm->fields, "drm", event, events, drm_field, drm);
}

static const struct pp_source_ops drm_ops = {
    .name = "drm",
    .event = drm_event,
    .layout = drm_layout,
    .read = drm_read,
    .reads = PP_READ_FRAME,
};

/* Opening. */

/* A process without an open device: list the events that the machine's devices would have. */
static void
look_at_machine(struct pp_drm *drm)
{
    char path[PP_PATH_BYTES], number[16];
    if (pp_path_join(path, drm->dev, "dri"))
        return;
    DIR *folder = opendir(path);
    for (const struct dirent *entry = NULL; folder && (entry = readdir(folder));) {
        if (strncmp(entry->d_name, "renderD", 7) != 0 ||
            snprintf(path, sizeof(path), "%s/dri/%s", drm->dev, entry->d_name) >= (int)sizeof(path))
            continue;
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            snprintf(drm->event[PP_DRM_BUSY].reason, PP_REASON_BYTES, PP_FORMAT_RENDER_NODE, path,
                     pp_errno_text(errno));
            continue;
        }
        snprintf(number, sizeof(number), "%d", fd);
        look_at(drm, number, entry->d_name);
        (void)close(fd);
    }
    if (folder)
        (void)closedir(folder);
    for (uint32_t i = 0; i < drm->clients; i++)
        drop_client(&drm->client[i]);
    drm->clients = 0;
}

int
pp_drm_source_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret)
{
    struct pp_drm *drm = calloc(1, sizeof(*drm));
    if (!drm)
        return -ENOMEM;
    snprintf(drm->proc, sizeof(drm->proc), "%s", paths->proc);
    snprintf(drm->dev, sizeof(drm->dev), "%s", paths->dev);
    snprintf(drm->sys, sizeof(drm->sys), "%s", paths->sys);
    (void)pthread_mutex_init(&drm->lock, NULL);
    (void)pthread_mutex_init(&drm->fields.lock, NULL);
    pp_drm_events_begin(drm);
    bool memory = false;
    snprintf(drm->event[PP_DRM_MEMORY].reason, PP_REASON_BYTES, "%s", "-");
    scan(drm);
    if (drm->clients == 0)
        look_at_machine(drm);
    memory = strcmp(drm->event[PP_DRM_MEMORY].reason, "-") != 0;
    if (!memory && drm->events > 2)
        snprintf(drm->event[PP_DRM_MEMORY].reason, PP_REASON_BYTES, PP_TEXT_DRM_NO_MEMORY);
    else if (!memory)
        memcpy(drm->event[PP_DRM_MEMORY].reason, drm->event[PP_DRM_BUSY].reason, PP_REASON_BYTES);
    pp_drm_explain_no_time(drm);
    *ret = (struct pp_event_source){&drm_ops, drm};
    return 0;
}

void
pp_drm_source_close(const struct pp_event_source *source)
{
    struct pp_drm *drm = source->self;
    for (uint32_t i = 0; i < drm->clients; i++)
        drop_client(&drm->client[i]);
    free(drm->client);
    pp_list_layouts_finish(&drm->fields);
    (void)pthread_mutex_destroy(&drm->lock);
    free(drm);
}

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
