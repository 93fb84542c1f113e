/** @file
 * Groups of perf events; see perf_group.h. Source: linux/perf_event.h and perf_event_open(2). */
#include "counters/sources/cpu/perf_group.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counters/util/mul128.h"
#include "counters/util/own_fd.h"

#define PAGE_BYTES ((size_t)sysconf(_SC_PAGESIZE))

static int
open_event(const struct pp_perf_what *what, int leader)
{
    struct perf_event_attr attr = {
        .type = what->type,
        .size = sizeof(attr),
        .config = what->config,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
    };
    attr.exclude_kernel = what->exclude_kernel;
    attr.exclude_hv = what->exclude_kernel;
    long fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return -errno;
    pp_fd_mark((int)fd);
    return (int)fd;
}

/* Map the pages. They are used only if all events of the group can be read from them. */
static void
map_pages(struct pp_perf_group *group, const struct pp_perf_what *what)
{
    for (uint32_t i = 0; PP_HAS_RDPMC && i < group->events; i++) {
        if (what[i].type != PERF_TYPE_HARDWARE)
            return;
        void *page = mmap(NULL, PAGE_BYTES, PROT_READ, MAP_SHARED, group->fd[i], 0);
        if (page == MAP_FAILED)
            return;
        group->page[i] = page;
    }
}

/* The result of read(2): nr, time enabled, time running, values. */
struct reading {
    uint64_t nr, enabled_ns, running_ns;
    uint64_t value[PP_PERF_GROUP];
};

static int
read_kernel(const struct pp_perf_group *group, struct reading *ret)
{
    size_t size = 3 * sizeof(uint64_t) + group->events * sizeof(uint64_t);
    ssize_t got = 0;
    if (!pp_fd_is_own(group->fd[0]))
        return -EBADF;
    do {
        got = read(group->fd[0], ret, sizeof(*ret));
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    /* End of file: an error state that only pinned groups have. */
    return (size_t)got == size && ret->nr == group->events ? 0 : -EIO;
}

int
pp_perf_group_init(struct pp_perf_group *group, const struct pp_perf_what *what, uint32_t events)
{
    struct reading now;
    int rc = events > 0 && events <= PP_PERF_GROUP ? 0 : -EINVAL;
    memset(group, 0, sizeof(*group));
    for (uint32_t i = 0; i < events && rc == 0; i++) {
        rc = open_event(&what[i], i ? group->fd[0] : -1);
        if (rc < 0)
            break;
        group->fd[i] = rc;
        group->events++;
        rc = 0;
    }
    if (rc == 0) {
        map_pages(group, what);
        rc = read_kernel(group, &now);
    }
    if (rc) {
        pp_perf_group_finish(group);
        return rc;
    }
    memcpy(group->last, now.value, events * sizeof(now.value[0]));
    group->enabled_ns = now.enabled_ns;
    group->running_ns = now.running_ns;
    return 0;
}

void
pp_perf_group_finish(struct pp_perf_group *group)
{
    for (uint32_t i = group->events; i-- > 0;) {
        if (group->page[i])
            (void)munmap(group->page[i], PAGE_BYTES);
        pp_fd_close(group->fd[i]);
    }
    memset(group, 0, sizeof(*group));
}

/* Read one counter in user space, by the protocol of perf_event_mmap_page. @return False: only the kernel can
 * read it. */
static bool
read_page(const volatile struct perf_event_mmap_page *page, uint64_t *ret)
{
    uint32_t seq = 0;
    do {
        seq = page->lock;
        __atomic_signal_fence(__ATOMIC_ACQ_REL);
        uint32_t index = page->index;
        unsigned width = page->pmc_width;
        if (!page->cap_user_rdpmc || index == 0 || width == 0 || width > 64 ||
            page->time_enabled != page->time_running)
            return false;
        uint64_t count = pp_rdpmc(index - 1);
        int64_t extended = (int64_t)(count << (64 - width)) >> (64 - width);
        *ret = (uint64_t)page->offset + (uint64_t)extended;
        __atomic_signal_fence(__ATOMIC_ACQ_REL);
    } while (page->lock != seq);
    return true;
}

static bool
read_pages(const struct pp_perf_group *group, uint64_t *value)
{
    for (uint32_t i = 0; i < group->events; i++)
        if (!group->page[i] || !read_page(group->page[i], &value[i]))
            return false;
    return true;
}

/* Add the counts since the last read, scaled as if the group had been on the hardware all the time. */
static int
add(struct pp_perf_group *group, const uint64_t *value, uint64_t enabled_ns, uint64_t running_ns)
{
    uint64_t more[PP_PERF_GROUP];
    for (uint32_t i = 0; i < group->events; i++) {
        more[i] = value[i] - group->last[i];
        if (enabled_ns != running_ns && pp_scale_count(more[i], enabled_ns, running_ns, &more[i]))
            return -EAGAIN;
    }
    for (uint32_t i = 0; i < group->events; i++) {
        group->sum[i] += more[i];
        group->last[i] = value[i];
    }
    return 0;
}

int
pp_perf_group_read(struct pp_perf_group *group)
{
    struct reading now;
    if (read_pages(group, now.value)) {
        group->was_rdpmc = true;
        return add(group, now.value, 1, 1);
    }
    int rc = read_kernel(group, &now);
    if (rc)
        return rc;
    uint64_t enabled_ns = now.enabled_ns - group->enabled_ns;
    uint64_t running_ns = now.running_ns - group->running_ns;
    if (group->was_rdpmc && enabled_ns != running_ns) {
        /* The times at the last read are not known, and so is the share of the group. */
        memcpy(group->last, now.value, group->events * sizeof(now.value[0]));
        rc = -EAGAIN;
    } else {
        rc = add(group, now.value, enabled_ns, running_ns);
    }
    if (rc == 0 || group->was_rdpmc) {
        group->enabled_ns = now.enabled_ns;
        group->running_ns = now.running_ns;
        group->was_rdpmc = false;
    }
    return rc;
}
