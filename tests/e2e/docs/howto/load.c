/** @file
 * The source "load"; see load.h. Source of the format: proc(5), /proc/loadavg, fourth field "1/80": threads
 * that can run, threads. */
#include "counters/sources/kernel/load.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/sources/kernel/kernel_sources.h"
#include "counters/sources/kernel/small_file.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"

struct load {
    int file; /* stays open; -1: none */
    int own;  /* the same of the thread that reads; -1: not open yet */
    char path[PP_PATH_BYTES];
    char reason[PP_REASON_BYTES];
    struct pp_list_layouts layouts;
};

static int
load_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct load *load = self;
    if (i > 0)
        return -ENOENT;
    *ret_event = (struct pp_event){.name = "runnable",
                                   .description = "Threads of the machine that can run.",
                                   .reason = *load->reason ? load->reason : NULL,
                                   .unit = PP_UNIT_COUNT,
                                   .number = PP_NUMBER_I64,
                                   .not_additive = true};
    return 0;
}

static int
load_field(void *self, uint32_t event, struct pp_field *ret_field)
{
    const struct load *load = self;
    if (event > 0 || *load->reason)
        return -ENOENT;
    *ret_field = (struct pp_field){.name = "runnable",
                                   .mode = PP_FIELD_GAUGE,
                                   .unit = PP_UNIT_COUNT,
                                   .number = PP_NUMBER_I64,
                                   .not_additive = true};
    return 0;
}

static const struct pp_layout *
load_layout(void *self, const uint32_t *event, size_t events)
{
    struct load *load = self;
    return pp_list_layouts_get(&load->layouts, "load", event, events, load_field, load);
}

static int
load_read(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct load *load = self;
    char text[80];
    unsigned long long runnable;
    (void)event;
    if (load->own < 0) /* the collector reads, and has a table of descriptors of its own */
        load->own = open(load->path, O_RDONLY | O_CLOEXEC);
    ssize_t got = load->own >= 0 ? pread(load->own, text, sizeof(text) - 1, 0) : -1;
    if (got < 0)
        return -errno;
    text[got] = '\0';
    if (sscanf(text, "%*s %*s %*s %llu/", &runnable) != 1)
        return -ENODATA;
    uint64_t value = htole64(runnable);
    for (size_t i = 0; i < events; i++)
        memcpy(ret_snapshot + 8 * i, &value, sizeof(value));
    return 0;
}

static const struct pp_source_ops load_ops = {
    .name = "load",
    .event = load_event,
    .layout = load_layout,
    .read = load_read,
    .reads = PP_READ_POLL,
};

int
pp_load_source_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret)
{
    char path[PP_PATH_BYTES];
    struct load *load = calloc(1, sizeof(*load));
    if (!load)
        return -ENOMEM;
    (void)pthread_mutex_init(&load->layouts.lock, NULL);
    int rc = pp_path_join(path, paths->proc, "loadavg");
    load->own = -1;
    memcpy(load->path, path, sizeof(load->path));
    load->file = rc ? -1 : pp_fd_keep(open(path, O_RDONLY | O_CLOEXEC));
    if (load->file < 0)
        snprintf(load->reason, sizeof(load->reason), "/proc/loadavg: %s", pp_errno_text(rc ? -rc : errno));
    *ret = (struct pp_event_source){.ops = &load_ops, .self = load};
    return 0;
}
