/** @file
 * A program that submits work to the lab's Intel GPU as a driver does, and breaks a rule where the case says
 * so. test_i915.py runs it: `lab_i915_rules CASE`. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <i915_drm.h>
#include <xf86drm.h>

#define EXPECT(condition)    ((condition) ? (void)0 : failed(#condition, __LINE__))

#define BATCH_ADDRESS        UINT64_C(0x100000)
#define DATA_ADDRESS         UINT64_C(0x200000)
#define BYTES                8192
#define PERIOD_EXP           9 /* 85 us at 12 MHz */

#define MI_BATCH_BUFFER_END  (0x0au << 23)
#define MI_STORE_DATA_IMM    (0x20u << 23 | 2)
#define MI_REPORT_PERF_COUNT (0x28u << 23 | 2)
#define VF_TOPOLOGY          0x784b0000u
#define PRIMITIVE            0x7b000005u
#define TRIANGLES            4

static void
failed(const char *what, int line)
{
    fprintf(stderr, "i915_rules.c:%d: %s: errno %d\n", line, what, errno);
    exit(1);
}

/* A buffer at a fixed address. */
struct buffer {
    uint32_t handle;
    uint64_t address;
    uint32_t *words;
};

struct gpu {
    int fd;
    struct buffer batch, data;
};

static struct buffer
make(int fd, uint64_t address)
{
    struct drm_i915_gem_create create = {.size = BYTES};
    EXPECT(drmIoctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create) == 0);
    struct drm_i915_gem_mmap_offset offset = {.handle = create.handle, .flags = I915_MMAP_OFFSET_WB};
    EXPECT(drmIoctl(fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &offset) == 0);
    void *map = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset.offset);
    EXPECT(map != MAP_FAILED);
    return (struct buffer){.handle = create.handle, .address = address, .words = map};
}

static struct gpu
open_gpu(void)
{
    struct gpu gpu = {.fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC)};
    EXPECT(gpu.fd >= 0);
    gpu.batch = make(gpu.fd, BATCH_ADDRESS);
    gpu.data = make(gpu.fd, DATA_ADDRESS);
    return gpu;
}

static int
submit(struct gpu *gpu, uint64_t flags)
{
    struct drm_i915_gem_exec_object2 object[2] = {
        {.handle = gpu->data.handle, .offset = gpu->data.address, .flags = EXEC_OBJECT_PINNED},
        {.handle = gpu->batch.handle, .offset = gpu->batch.address, .flags = EXEC_OBJECT_PINNED},
    };
    struct drm_i915_gem_execbuffer2 ask = {.buffers_ptr = (uintptr_t)object,
                                           .buffer_count = 2,
                                           .batch_len = BYTES,
                                           .flags = I915_EXEC_RENDER | I915_EXEC_NO_RELOC | flags};
    return drmIoctl(gpu->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &ask);
}

/* Without addresses of its own. The address that the entry names is written into the batch. */
static int
submit_relocated(struct gpu *gpu, struct drm_i915_gem_relocation_entry *entry, uint64_t flags)
{
    struct drm_i915_gem_exec_object2 object[2] = {
        {.handle = gpu->data.handle, .offset = gpu->data.address},
        {.handle = gpu->batch.handle,
         .offset = gpu->batch.address,
         .relocation_count = 1,
         .relocs_ptr = (uintptr_t)entry},
    };
    struct drm_i915_gem_execbuffer2 ask = {.buffers_ptr = (uintptr_t)object,
                                           .buffer_count = 2,
                                           .batch_len = BYTES,
                                           .flags = I915_EXEC_RENDER | flags};
    int status = drmIoctl(gpu->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &ask);
    gpu->data.address = object[0].offset;
    gpu->batch.address = object[1].offset;
    return status;
}

/* The batch: commands, and its end. */
static void
write_batch(struct gpu *gpu, const uint32_t *command, size_t size)
{
    memcpy(gpu->batch.words, command, size);
    gpu->batch.words[size / 4] = MI_BATCH_BUFFER_END;
}

#define BATCH(gpu, ...)                                                                                      \
    write_batch(gpu, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}))

static uint64_t
add_config(const struct gpu *gpu)
{
    static const uint32_t pair[2] = {0xe458, 0};
    struct drm_i915_perf_oa_config config = {.n_flex_regs = 1, .flex_regs_ptr = (uintptr_t)pair};
    memcpy(config.uuid, "01234567-89ab-cdef-0123-456789abcdef", sizeof(config.uuid));
    int number = drmIoctl(gpu->fd, DRM_IOCTL_I915_PERF_ADD_CONFIG, &config);
    EXPECT(number > 0);
    return (uint64_t)number;
}

static int
open_stream(const struct gpu *gpu, uint64_t config, uint64_t exponent)
{
    const uint64_t property[] = {
        DRM_I915_PERF_PROP_SAMPLE_OA,      1,
        DRM_I915_PERF_PROP_OA_METRICS_SET, config,
        DRM_I915_PERF_PROP_OA_FORMAT,      I915_OA_FORMAT_A32u40_A4u32_B8_C8,
        DRM_I915_PERF_PROP_OA_EXPONENT,    exponent,
    };
    struct drm_i915_perf_open_param param = {.flags = I915_PERF_FLAG_FD_CLOEXEC | I915_PERF_FLAG_FD_NONBLOCK,
                                             .num_properties = sizeof(property) / 16,
                                             .properties_ptr = (uintptr_t)property};
    return drmIoctl(gpu->fd, DRM_IOCTL_I915_PERF_OPEN, &param);
}

/* Cases. */

/* A draw of 6 vertices between two reports. */
static void
executes(void)
{
    struct gpu gpu = open_gpu();
    int stream = open_stream(&gpu, add_config(&gpu), 31);
    EXPECT(stream >= 0);
    BATCH(&gpu, MI_REPORT_PERF_COUNT, DATA_ADDRESS, 0, 1000, VF_TOPOLOGY, TRIANGLES, PRIMITIVE, 0, 6, 0, 1, 0,
          0, MI_REPORT_PERF_COUNT, DATA_ADDRESS + 256, 0, 1001, MI_STORE_DATA_IMM, DATA_ADDRESS + 512, 0, 77);
    EXPECT(submit(&gpu, 0) == 0);
    const uint32_t *begin = gpu.data.words, *end = begin + 64;
    EXPECT(begin[0] == 1000 && end[0] == 1001);
    EXPECT(end[4 + 1] - begin[4 + 1] == 2 * 6 && end[4 + 31] - begin[4 + 31] == 32 * 6);
    EXPECT(end[48] - begin[48] == 2 * 6 && end[56 + 7] - begin[56 + 7] == 10 * 6);
    uint32_t ticks = end[1] - begin[1];
    EXPECT(ticks == 13 || ticks == 14); /* 12 and 6 / 4 ticks, and a 16th for each command */
    EXPECT(gpu.data.words[128] == 77);
    close(stream);
}

/* A stream with periodic reports: whole records, in order, and nothing when all are read. */
static void
streams(void)
{
    static uint8_t buffer[1 << 20];
    struct gpu gpu = open_gpu();
    uint64_t config = add_config(&gpu);
    int stream = open_stream(&gpu, config, PERIOD_EXP);
    EXPECT(stream >= 0);
    EXPECT(open_stream(&gpu, config, PERIOD_EXP) == -1 && errno == EBUSY);
    struct pollfd ready = {.fd = stream, .events = POLLIN};
    EXPECT(poll(&ready, 1, 5000) == 1 && ready.revents == POLLIN);
    ssize_t got = read(stream, buffer, sizeof(buffer));
    EXPECT(got > 0 && got % 264 == 0);
    uint32_t last = 0;
    for (ssize_t at = 0; at < got; at += 264) {
        uint32_t word[66];
        memcpy(word, buffer + at, sizeof(word));
        EXPECT(word[0] == DRM_I915_PERF_RECORD_SAMPLE && word[2] >> 19 == 1);
        EXPECT(at == 0 || word[3] - last == 2u << PERIOD_EXP);
        last = word[3];
    }
    EXPECT(ioctl(stream, I915_PERF_IOCTL_DISABLE, 0) == 0);
    EXPECT(read(stream, buffer, sizeof(buffer)) == -1 && errno == EIO);
    close(stream);
    EXPECT(open("/sys/dev/char/226:128/device/drm/card0/metrics/01234567-89ab-cdef-0123-456789abcdef/id",
                O_RDONLY) >= 0);
}

/* A batch for Haswell that stores a number into the data. */
static struct gpu
open_relocated(struct drm_i915_gem_relocation_entry *ret_entry)
{
    struct gpu gpu = open_gpu();
    gpu.data.address = gpu.batch.address = 0;
    BATCH(&gpu, MI_STORE_DATA_IMM, 0, 8, 77);
    *ret_entry = (struct drm_i915_gem_relocation_entry){
        .target_handle = 0, .delta = 8, .offset = 8, .presumed_offset = 0};
    return gpu;
}

/* The kernel gives addresses of 31 bits, keeps them, and writes only those that the driver does not know. */
static void
relocates(void)
{
    struct drm_i915_gem_relocation_entry entry;
    struct gpu gpu = open_relocated(&entry);
    EXPECT(submit_relocated(&gpu, &entry, I915_EXEC_NO_RELOC | I915_EXEC_HANDLE_LUT) == 0);
    uint64_t data = gpu.data.address, batch = gpu.batch.address;
    EXPECT(data >= 4096 && batch >= data + BYTES && batch + BYTES <= 1u << 31);
    EXPECT(gpu.batch.words[2] == data + 8 && gpu.batch.words[3] == 77 && entry.presumed_offset == data);
    EXPECT(gpu.data.words[2] == 77);

    gpu.batch.words[3] = 78;
    EXPECT(submit_relocated(&gpu, &entry, I915_EXEC_NO_RELOC | I915_EXEC_HANDLE_LUT) == 0);
    EXPECT(gpu.data.words[2] == 78 && gpu.data.address == data && gpu.batch.address == batch);

    /* by handle, and before the target's begin */
    gpu.batch.words[2] = 0;
    gpu.batch.words[3] = 79;
    entry.target_handle = gpu.batch.handle;
    entry.delta = (uint32_t)(data + 8 - batch);
    entry.presumed_offset = UINT64_MAX;
    EXPECT(submit_relocated(&gpu, &entry, 0) == 0);
    EXPECT(gpu.data.words[2] == 79 && gpu.batch.words[2] == data + 8 && gpu.batch.words[3] == 79);
    EXPECT(entry.presumed_offset == batch);
}

static void
refused(void)
{
    struct gpu gpu = open_gpu();
    EXPECT(open_stream(&gpu, add_config(&gpu), 31) == -1 && errno == EBUSY);
}

/* Misuse: the ioctl fails, and the process ends with LAB_EXIT_STATUS. */

static void
unknown_handle(void)
{
    struct gpu gpu = open_gpu();
    gpu.data.handle = 99;
    EXPECT(submit(&gpu, 0) == -1 && errno == ENOENT);
}

static void
left_out(void)
{
    struct drm_i915_gem_relocation_entry entry;
    struct gpu gpu = open_relocated(&entry);
    EXPECT(submit_relocated(&gpu, &entry, I915_EXEC_NO_RELOC | I915_EXEC_HANDLE_LUT) == 0);
    gpu.batch.words[2] += 4;
    EXPECT(submit_relocated(&gpu, &entry, I915_EXEC_NO_RELOC | I915_EXEC_HANDLE_LUT) == -1 &&
           errno == EINVAL);
}

static void
no_target(void)
{
    struct drm_i915_gem_relocation_entry entry;
    struct gpu gpu = open_relocated(&entry);
    entry.target_handle = 2;
    EXPECT(submit_relocated(&gpu, &entry, I915_EXEC_HANDLE_LUT) == -1 && errno == EINVAL);
}

static void
bad_flags(void)
{
    struct gpu gpu = open_gpu();
    EXPECT(submit(&gpu, UINT64_C(1) << 40) == -1 && errno == EINVAL);
}

static void
overlap(void)
{
    struct gpu gpu = open_gpu();
    gpu.data.address = BATCH_ADDRESS + 4096;
    EXPECT(submit(&gpu, 0) == -1 && errno == EINVAL);
}

static void
unaligned_report(void)
{
    struct gpu gpu = open_gpu();
    EXPECT(open_stream(&gpu, add_config(&gpu), 31) >= 0);
    BATCH(&gpu, MI_REPORT_PERF_COUNT, DATA_ADDRESS + 32, 0, 1000);
    EXPECT(submit(&gpu, 0) == -1);
}

static void
report_while_off(void)
{
    struct gpu gpu = open_gpu();
    BATCH(&gpu, MI_REPORT_PERF_COUNT, DATA_ADDRESS, 0, 1000);
    EXPECT(submit(&gpu, 0) == -1);
}

static void
write_outside(void)
{
    struct gpu gpu = open_gpu();
    BATCH(&gpu, MI_STORE_DATA_IMM, DATA_ADDRESS + BYTES, 0, 1);
    EXPECT(submit(&gpu, 0) == -1);
}

static void
no_command(void)
{
    struct gpu gpu = open_gpu();
    BATCH(&gpu, 0xffffffff);
    EXPECT(submit(&gpu, 0) == -1);
}

int
main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {
        {"executes", executes},
        {"streams", streams},
        {"relocates", relocates},
        {"left_out", left_out},
        {"no_target", no_target},
        {"refused", refused},
        {"unknown_handle", unknown_handle},
        {"bad_flags", bad_flags},
        {"overlap", overlap},
        {"unaligned_report", unaligned_report},
        {"report_while_off", report_while_off},
        {"write_outside", write_outside},
        {"no_command", no_command},
    };
    for (unsigned i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
    return 2;
}
