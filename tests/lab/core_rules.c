/** @file
 * A program that uses the DRM core of the lab as drivers use the kernel, and breaks its rules where the case
 * says so. test_core.py runs it: `lab_core_rules CASE`. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <xf86drm.h>

#include "tests/lab/null.h"

/* NDEBUG does not remove these. */
#define EXPECT(condition) ((condition) ? (void)0 : failed(#condition, __LINE__))

static void
failed(const char *what, int line)
{
    fprintf(stderr, "core_rules.c:%d: %s: errno %d\n", line, what, errno);
    exit(1);
}

static int
open_node(void)
{
    int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    EXPECT(fd >= 0);
    return fd;
}

static struct lab_null_memory
make_memory(int fd, uint64_t size)
{
    struct lab_null_memory memory = {.size = size};
    EXPECT(drmIoctl(fd, DRM_IOWR(DRM_COMMAND_BASE + LAB_NULL_MEMORY, struct lab_null_memory), &memory) == 0);
    return memory;
}

static int
submit(int fd, uint32_t handle, uint64_t point)
{
    struct lab_null_submit ask = {.handle = handle, .point = point};
    return drmIoctl(fd, DRM_IOW(DRM_COMMAND_BASE + LAB_NULL_SUBMIT, struct lab_null_submit), &ask);
}

static void
devices(void)
{
    drmDevicePtr device[4];
    struct stat st;
    int count = drmGetDevices2(0, device, 4);
    EXPECT(count == 1);
    EXPECT(device[0]->bustype == DRM_BUS_PCI);
    EXPECT(device[0]->deviceinfo.pci->vendor_id == 0x1234 && device[0]->deviceinfo.pci->device_id == 0x5678);
    EXPECT(device[0]->available_nodes == 1 << DRM_NODE_RENDER);
    EXPECT(strcmp(device[0]->nodes[DRM_NODE_RENDER], "/dev/dri/renderD128") == 0);
    drmFreeDevices(device, count);

    int fd = open_node(), copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    EXPECT(fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && major(st.st_rdev) == 226 &&
           minor(st.st_rdev) == 128);
    close(fd);
    drmVersionPtr version = drmGetVersion(copy);
    EXPECT(version && strcmp(version->name, "null") == 0 && version->version_major == 1);
    drmFreeVersion(version);
    uint64_t value = 0;
    EXPECT(drmGetCap(copy, DRM_CAP_SYNCOBJ_TIMELINE, &value) == 0 && value == 1);
    EXPECT(drmGetNodeTypeFromFd(copy) == DRM_NODE_RENDER);
    close(copy);
    EXPECT(open("/dev/dri/card7", O_RDWR) == -1 && errno == ENOENT);
    EXPECT(access("/sys/dev/char/226:128/device/vendor", R_OK) == 0);
    glob_t found;
    EXPECT(glob("/dev/dri/renderD*", 0, NULL, &found) == 0 && found.gl_pathc == 1);
    EXPECT(strcmp(found.gl_pathv[0], "/dev/dri/renderD128") == 0);
    globfree(&found);
}

static void
memory(void)
{
    int fd = open_node(), other = open_node(), shared = -1;
    struct lab_null_memory memory = make_memory(fd, 5000);
    uint8_t *bytes = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)memory.offset);
    EXPECT(bytes != MAP_FAILED && bytes[0] == 0 && bytes[8191] == 0);
    bytes[4999] = 7;
    EXPECT(drmPrimeHandleToFD(fd, memory.handle, DRM_CLOEXEC | DRM_RDWR, &shared) == 0);
    EXPECT(lseek(shared, 0, SEEK_END) == 8192);
    uint32_t handle = 0, again = 0;
    EXPECT(drmPrimeFDToHandle(other, shared, &handle) == 0);
    EXPECT(drmPrimeFDToHandle(fd, shared, &again) == 0 && again == memory.handle);
    EXPECT(drmCloseBufferHandle(fd, memory.handle) == 0);
    uint8_t *same = mmap(NULL, 8192, PROT_READ, MAP_SHARED, shared, 0);
    EXPECT(same != MAP_FAILED && same[4999] == 7);
    close(shared);
    EXPECT(drmCloseBufferHandle(other, handle) == 0);
    EXPECT(make_memory(fd, 4096).handle == memory.handle);
    close(fd);
    close(other);
}

static void
sync_binary(int fd, bool hang)
{
    uint32_t handle = 0, first = 9;
    int file = -1;
    EXPECT(drmSyncobjCreate(fd, 0, &handle) == 0);
    EXPECT(drmSyncobjWait(fd, &handle, 1, 0, 0, &first) == -EINVAL);
    EXPECT(drmSyncobjWait(fd, &handle, 1, 0, DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT, &first) == -ETIME);
    EXPECT(submit(fd, handle, 0) == 0);
    EXPECT(drmSyncobjWait(fd, &handle, 1, 0, 0, &first) == (hang ? -ETIME : 0));
    EXPECT(drmSyncobjExportSyncFile(fd, handle, &file) == 0);
    EXPECT(poll(&(struct pollfd){.fd = file, .events = POLLIN}, 1, 0) == !hang);
    EXPECT(drmSyncobjReset(fd, &handle, 1) == 0);
    EXPECT(drmSyncobjImportSyncFile(fd, handle, file) == 0);
    EXPECT(drmSyncobjWait(fd, &handle, 1, 0, 0, &first) == (hang ? -ETIME : 0));
    close(file);
    EXPECT(drmSyncobjDestroy(fd, handle) == 0);
}

static void
sync_timeline(int fd, bool hang)
{
    uint32_t handle = 0, first = 9;
    uint64_t point = 3, value = 9;
    EXPECT(drmSyncobjCreate(fd, 0, &handle) == 0);
    EXPECT(submit(fd, handle, 5) == 0);
    EXPECT(drmSyncobjQuery(fd, &handle, &value, 1) == 0 && value == (hang ? 0 : 5));
    EXPECT(drmSyncobjQuery2(fd, &handle, &value, 1, DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED) == 0 &&
           value == 5);
    EXPECT(drmSyncobjTimelineWait(fd, &handle, &point, 1, 0, 0, &first) == (hang ? -ETIME : 0));
    point = 6;
    EXPECT(drmSyncobjTimelineWait(fd, &handle, &point, 1, 0, 0, &first) == -EINVAL);
    EXPECT(drmSyncobjTimelineSignal(fd, &handle, &point, 1) == 0);
    /* A point is signalled when all points before it are, too. */
    EXPECT(drmSyncobjTimelineWait(fd, &handle, &point, 1, 0, 0, &first) == (hang ? -ETIME : 0));
    EXPECT(drmSyncobjDestroy(fd, handle) == 0);
}

static void
sync_objects(void)
{
    const char *mode = getenv("LAB_MODE");
    bool hang = mode && strcmp(mode, "hang") == 0;
    int fd = open_node();
    sync_binary(fd, hang);
    sync_timeline(fd, hang);
    close(fd);
}

static void
misuse_handle(void)
{
    EXPECT(drmCloseBufferHandle(open_node(), 77) == -EINVAL);
}

static void
misuse_map(void)
{
    int fd = open_node();
    struct lab_null_memory memory = make_memory(fd, 4096);
    EXPECT(mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, (off_t)memory.offset) == MAP_FAILED &&
           errno == EINVAL);
}

static void
misuse_ioctl(void)
{
    struct lab_null_submit ask = {0};
    EXPECT(drmIoctl(open_node(), DRM_IOW(DRM_COMMAND_BASE + 9, struct lab_null_submit), &ask) == -1);
    EXPECT(errno == EINVAL);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"devices", devices},       {"memory", memory},
        {"sync", sync_objects},     {"misuse_handle", misuse_handle},
        {"misuse_map", misuse_map}, {"misuse_ioctl", misuse_ioctl},
    };
    for (unsigned i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
