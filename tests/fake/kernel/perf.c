/** @file
 * A fake PMU; see perf.h. */
#include "tests/fake/kernel/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fake/kernel/calls.h"

enum { MAX = 64 };

struct event {
    bool used;
    int fd;
    int leader; /* index; its own for leaders */
    bool hardware;
    uint64_t config, value, enabled_ns, running_ns;
    uint64_t read_format;
    uint64_t base;  /* the part of the value in the page's offset; the rest is in the counter */
    unsigned index; /* of its hardware counter, from 1 */
    struct perf_event_mmap_page *page;
};

static struct fake_perf machine;
static struct event event[MAX];
static unsigned rdpmcs;

uint64_t __wrap_pp_rdpmc(uint32_t counter);

/* The hardware counter: narrow, and negative for a while as the kernel programs it. */
static uint64_t
hardware_bits(const struct event *from)
{
    uint64_t mask = machine.width >= 64 ? UINT64_MAX : (UINT64_C(1) << machine.width) - 1;
    return (from->value - from->base) & mask;
}

uint64_t
__wrap_pp_rdpmc(uint32_t counter)
{
    rdpmcs++;
    for (unsigned i = 0; i < MAX; i++)
        if (event[i].used && event[i].hardware && event[i].index == counter + 1)
            return hardware_bits(&event[i]);
    fake_kernel_violation("rdpmc of counter %u: a real CPU would kill the program", counter);
}

static void
fill_page(struct event *to)
{
    if (!to->page)
        return;
    to->page->cap_user_rdpmc = machine.rdpmc;
    to->page->index = machine.rdpmc ? to->index : 0;
    to->page->pmc_width = (uint16_t)machine.width;
    to->page->offset = (int64_t)to->base;
    to->page->time_enabled = to->enabled_ns;
    to->page->time_running = to->running_ns;
    to->page->lock += 2;
}

static ssize_t
read_group(void *file, void *buffer, size_t size)
{
    const struct event *leader = file;
    uint64_t out[3 + MAX] = {0};
    unsigned count = 0;
    for (unsigned i = 0; i < MAX; i++) {
        if (!event[i].used || event[i].leader != (int)(leader - event))
            continue;
        event[i].value += machine.step * (event[i].config + 1);
        out[3 + count++] = event[i].value;
    }
    out[0] = count;
    out[1] = leader->enabled_ns;
    out[2] = leader->running_ns;
    size_t bytes = (3 + count) * sizeof(out[0]);
    if (leader->leader != (int)(leader - event))
        fake_kernel_violation("a group is read by one of its members");
    if (size < bytes)
        fake_kernel_violation("a group of %u is read into %zu bytes (ENOSPC)", count, size);
    memcpy(buffer, out, bytes);
    return (ssize_t)bytes;
}

static void
close_event(void *file)
{
    struct event *closed = file;
    if (closed->page)
        (void)munmap(closed->page, (size_t)sysconf(_SC_PAGESIZE));
    memset(closed, 0, sizeof(*closed));
}

static const struct fake_file_ops ops = {.read = read_group, .close = close_event};

static int
check(const struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
    const uint64_t needs =
        PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    if (machine.error)
        return -machine.error;
    if (attr->size != sizeof(*attr) || pid != 0 || cpu != -1 || flags != PERF_FLAG_FD_CLOEXEC ||
        attr->read_format != needs || attr->inherit) /* the kernel's behaviour in this case is not modelled */
        fake_kernel_violation("perf_event_open of pid %d on cpu %d, flags %lx, format %lx, %u bytes",
                              (int)pid, cpu, flags, (unsigned long)attr->read_format, attr->size);
    if (machine.paranoid > 2)
        return -EACCES;
    if (machine.paranoid > 1 && !attr->exclude_kernel)
        return -EACCES;
    if (attr->type == PERF_TYPE_HARDWARE && machine.counters == 0)
        return -ENOENT;
    if (attr->type != PERF_TYPE_HARDWARE && attr->type != PERF_TYPE_SOFTWARE)
        return -ENOENT;
    return 0;
}

static int
open_event(const void *opaque, pid_t pid, int cpu, int group, unsigned long flags)
{
    const struct perf_event_attr *attr = opaque;
    int rc = check(attr, pid, cpu, flags);
    int free_one = -1, leader = -1;
    unsigned in_group = 0, used = 0, hardware = 0;
    if (rc)
        return rc;
    for (int i = 0; i < MAX; i++) {
        used += event[i].used;
        hardware += event[i].used && event[i].hardware;
        if (event[i].used && event[i].fd == group && group >= 0)
            leader = i;
        if (!event[i].used && free_one < 0)
            free_one = i;
    }
    if (group >= 0 && leader < 0)
        fake_kernel_violation("an event joins a group %d that is none (EINVAL)", group);
    for (int i = 0; i < MAX && leader >= 0; i++)
        in_group += event[i].used && event[i].leader == leader;
    if (attr->type == PERF_TYPE_HARDWARE && in_group >= machine.counters)
        return -EINVAL; /* the kernel could never schedule the group */
    if (free_one < 0 || (machine.error_after && used >= (unsigned)machine.error_after))
        return -EMFILE;
    struct event *to = &event[free_one];
    *to = (struct event){.used = true,
                         .leader = leader >= 0 ? leader : free_one,
                         .hardware = attr->type == PERF_TYPE_HARDWARE,
                         .config = attr->config,
                         .index = hardware + 1};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    to->fd = fake_kernel_file(&ops, to, page);
    to->page = fake_kernel_memory(to->fd, page);
    /* A kernel programs counters to overflow: they start below zero, seen as narrow bits. */
    to->value = 1000;
    to->base = 1500;
    fill_page(to);
    return to->fd;
}

void
fake_perf_start(const struct fake_perf *of)
{
    machine = *of;
    rdpmcs = 0;
    memset(event, 0, sizeof(event));
    fake_kernel_perf(open_event);
}

void
fake_perf_pass(uint64_t ns, uint64_t run_ns, uint64_t hardware, uint64_t software)
{
    for (unsigned i = 0; i < MAX; i++) {
        struct event *to = &event[i];
        if (!to->used)
            continue;
        to->enabled_ns += ns;
        to->running_ns += to->hardware ? run_ns : ns;
        to->value += (to->hardware ? hardware : software) * (to->config + 1);
        fill_page(to);
    }
}

unsigned
fake_perf_rdpmcs(void)
{
    return rdpmcs;
}
