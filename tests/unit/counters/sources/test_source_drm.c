/** @file
 * The sources "drm" and "hwmon" above folders that represent /proc, /dev and /sys: every driver's keys,
 * descriptors that share a client, clients that come and go, sensors with and without labels. */
#include "tests/unit/counters/sources/source_conformance.h"

#include <fcntl.h>

#include "counters/sources/kernel/drm.h"
#include "counters/sources/kernel/kernel_sources.h"
#include "tests/unit/counters/sources/source_files.h"

static struct source_files files;
static struct pp_event_source source;
static bool is_hwmon;

static int
begin(void **state)
{
    (void)state;
    source_files_begin(&files);
    source_files_write(&files, "dev/dri/by-path", "");
    source.ops = NULL;
    return 0;
}

static void
close_source(void)
{
    if (source.ops)
        (is_hwmon ? pp_hwmon_source_close : pp_drm_source_close)(&source);
    source.ops = NULL;
}

static int
end(void **state)
{
    (void)state;
    close_source();
    source_files_end(&files);
    return 0;
}

static void
open_drm(void)
{
    close_source();
    is_hwmon = false;
    assert_int_equal(pp_drm_source_open(&files.paths, &source), 0);
}

static void
open_hwmon(void)
{
    close_source();
    is_hwmon = true;
    assert_int_equal(pp_hwmon_source_open(&files.paths, &source), 0);
}

/* A descriptor of a device, and the content of its fdinfo. */
static void
descriptor(int fd, const char *node, const char *text)
{
    char name[64], target[200];
    snprintf(name, sizeof(name), "proc/thread-self/fd/%d", fd);
    snprintf(target, sizeof(target), "%s/dev/dri/%s", files.root, node);
    source_files_link(&files, name, target);
    snprintf(name, sizeof(name), "proc/thread-self/fdinfo/%d", fd);
    source_files_write(&files, name, text);
}

/* The process closed the descriptor. Files that are open stay readable, but not as its fdinfo. */
static void
closed(int fd)
{
    char name[64];
    snprintf(name, sizeof(name), "proc/thread-self/fdinfo/%d", fd);
    source_files_write(&files, name, "pos:\t0\n");
    source_files_remove(&files, name);
    snprintf(name, sizeof(name), "proc/thread-self/fd/%d", fd);
    source_files_remove(&files, name);
}

static uint32_t
find(const char *name, struct pp_event *ret)
{
    for (uint32_t i = 0; source.ops->event(source.self, i, ret) == 0; i++)
        if (strcmp(ret->name, name) == 0)
            return i;
    return UINT32_MAX;
}

static uint64_t
now(const char *name)
{
    struct pp_event event;
    uint64_t value = 0;
    uint32_t i = find(name, &event);
    assert_int_not_equal(i, UINT32_MAX);
    assert_null(event.reason);
    assert_int_equal(source.ops->read(source.self, &i, 1, (uint8_t *)&value), 0);
    return value;
}

static const char *
reason(const char *name)
{
    struct pp_event event;
    assert_int_not_equal(find(name, &event), UINT32_MAX);
    return event.reason ? event.reason : "";
}

#define AMDGPU(id, gfx, dma, vram)                                                                           \
    "pos:\t0\nflags:\t02100002\nmnt_id:\t24\nino:\t510\ndrm-driver:\tamdgpu\ndrm-client-id:\t" id            \
    "\ndrm-pdev:\t0000:03:00.0\npasid:\t32771\ndrm-engine-gfx:\t" gfx " ns\ndrm-engine-dma:\t" dma           \
    " ns\ndrm-memory-vram:\t" vram " KiB\ndrm-resident-vram:\t" vram                                         \
    " KiB\ndrm-resident-gtt:\t4 KiB\namd-evicted-vram:\t0 KiB\n"

static void
amdgpu_counts_its_clients_once(void **state)
{
    (void)state;
    descriptor(5, "renderD128", AMDGPU("17", "1000", "500", "2048"));
    descriptor(9, "renderD128", AMDGPU("17", "1000", "500", "2048")); /* dup() */
    descriptor(11, "card0", AMDGPU("18", "7", "0", "100"));
    descriptor(12, "../null", "pos:\t0\n");
    open_drm();
    pp_source_conforms(source.ops, source.self);
    uint64_t gfx = now("engine-gfx"), busy = now("busy");
    assert_int_equal(now("resident-vram"), (2048 + 100) * 1024);
    assert_int_equal(now("memory"), (2048 + 100 + 8) * 1024);
    descriptor(5, "renderD128", AMDGPU("17", "1600", "900", "1024"));
    descriptor(9, "renderD128", AMDGPU("17", "1600", "900", "1024"));
    descriptor(11, "card0", AMDGPU("18", "27", "0", "100"));
    assert_int_equal(now("engine-gfx") - gfx, 620);
    assert_int_equal(now("busy") - busy, 1020);
    assert_int_equal(now("resident-vram"), (1024 + 100) * 1024);
    assert_int_equal(now("amd-evicted-vram"), 0);
}

/* amdgpu reports an engine only after its first job, and up to Linux 6.12 has another word for resident
 * memory. */
static void
amdgpu_engines_come_with_their_jobs(void **state)
{
#define AMDGPU_OLD(more)                                                                                     \
    "drm-driver:\tamdgpu\ndrm-client-id:\t17\ndrm-pdev:\t0000:03:00.0\ndrm-memory-vram:\t64 KiB\n"           \
    "drm-memory-gtt:\t2 KiB\n" more
    (void)state;
    descriptor(5, "renderD128", AMDGPU_OLD(""));
    open_drm();
    pp_source_conforms(source.ops, source.self);
    assert_int_equal(now("memory"), 66 * 1024);
    assert_int_equal(now("busy"), 0);
    assert_int_equal(now("engine-gfx"), 0);
    descriptor(5, "renderD128", AMDGPU_OLD("drm-engine-gfx:\t300 ns\ndrm-engine-new:\t20 ns\n"));
    assert_int_equal(now("engine-gfx"), 300);
    assert_int_equal(now("busy"), 320);
    descriptor(5, "renderD128", AMDGPU_OLD("drm-engine-gfx:\t301 ns\ndrm-engine-new:\t10 ns\n"));
    assert_int_equal(now("busy"), 321);
    descriptor(5, "renderD128", AMDGPU_OLD("drm-engine-gfx:\t301 ns\ndrm-engine-new:\t25 ns\n"));
    assert_int_equal(now("busy"), 326);
}

static void
numbers_never_step_back(void **state)
{
    (void)state;
    descriptor(5, "renderD128", AMDGPU("17", "1000", "500", "1"));
    open_drm();
    uint64_t gfx = now("engine-gfx");
    descriptor(5, "renderD128", AMDGPU("17", "900", "500", "1"));
    assert_int_equal(now("engine-gfx") - gfx, 0);
    descriptor(5, "renderD128", AMDGPU("17", "1001", "500", "1"));
    assert_int_equal(now("engine-gfx") - gfx, 1);
}

static void
clients_come_and_go(void **state)
{
    (void)state;
    descriptor(5, "renderD128", AMDGPU("17", "1000", "500", "1"));
    descriptor(6, "renderD128", AMDGPU("17", "1000", "500", "1"));
    open_drm();
    uint64_t gfx = now("engine-gfx");
    /* The client is found late: its earlier time does not count for the frame that finds it. */
    descriptor(7, "renderD128", AMDGPU("40", "100000", "0", "1"));
    for (int i = 0; i < 70; i++)
        assert_int_equal(now("engine-gfx") - gfx, 0);
    descriptor(7, "renderD128", AMDGPU("40", "100100", "0", "1"));
    assert_int_equal(now("engine-gfx") - gfx, 100);
    /* The number belongs to another file now; the client has another descriptor. */
    closed(5);
    assert_int_equal(now("engine-gfx") - gfx, 100);
    descriptor(6, "renderD128", AMDGPU("17", "1005", "500", "1"));
    (void)now("engine-gfx");
    assert_int_equal(now("engine-gfx") - gfx, 105);
    closed(7);
    (void)now("engine-gfx");
    assert_int_equal(now("engine-gfx") - gfx, 105);
    assert_int_equal(now("resident-vram"), 1024);
}

/* Descriptors, each of another client, from number @p first on. */
static void
crowd(uint32_t first, uint32_t end, unsigned ns)
{
    char text[160];
    for (uint32_t i = first; i < end; i++) {
        snprintf(text, sizeof(text),
                 "drm-driver:\ti915\ndrm-client-id:\t%u\ndrm-pdev:\t0000:00:02.0\n"
                 "drm-engine-render:\t%u ns\n",
                 i, ns);
        descriptor((int)i, "renderD128", text);
    }
}

/* A process with many clients: all of them are counted, or none. */
static void
many_clients_are_all_counted(void **state)
{
    enum { MOST = 256, BUSY_NS = 1000 };
    struct pp_event event;
    uint64_t value = 0;
    (void)state;
    crowd(10, 10 + MOST, 0);
    open_drm();
    uint64_t before = now("busy");
    crowd(10, 10 + MOST, BUSY_NS);
    assert_int_equal(now("busy") - before, MOST * BUSY_NS);
    crowd(10 + MOST, 11 + MOST, BUSY_NS);
    uint32_t busy = find("busy", &event);
    int rc = 0;
    for (unsigned i = 0; i < 64 && rc == 0; i++) /* until the client is found */
        rc = source.ops->read(source.self, &busy, 1, (uint8_t *)&value);
    assert_int_equal(rc, -E2BIG);
    closed(10 + MOST);
    for (unsigned i = 0; i < 64 && rc; i++)
        rc = source.ops->read(source.self, &busy, 1, (uint8_t *)&value);
    assert_int_equal(rc, 0);
}

static void
keys_of_each_driver_are_read(void **state)
{
    static const struct {
        const char *text, *name;
        uint64_t value;
        enum pp_fdinfo_kind kind;
    } row[] = {
        {"drm-driver: i915\ndrm-engine-render: 12 ns\n", "engine-render", 12, PP_FDINFO_NS},
        {"drm-driver:\ti915\ndrm-engine-capacity-video:\t2\ndrm-engine-video:\t7 ns\n", "engine-video", 7,
         PP_FDINFO_NS},
        {"drm-driver: xe\ndrm-cycles-rcs: 99\ndrm-total-cycles-rcs: 1000\n", "total-cycles-rcs", 1000,
         PP_FDINFO_CYCLES},
        {"drm-driver: xe\ndrm-cycles-rcs: 99\n", "cycles-rcs", 99, PP_FDINFO_CYCLES},
        {"drm-driver: msm\ndrm-maxfreq-gpu: 710 MHz\n", "maxfreq-gpu", 710000000, PP_FDINFO_HZ},
        {"drm-driver: panfrost\ndrm-curfreq-fragment: 400000000 Hz\n", "curfreq-fragment", 400000000,
         PP_FDINFO_HZ},
        {"drm-driver: v3d\nv3d-jobs-bin: 5 jobs\n", "v3d-jobs-bin", 5, PP_FDINFO_COUNT},
        {"drm-driver: xe\ndrm-resident-vram0: 3 MiB\n", "resident-vram0", 3 << 20, PP_FDINFO_BYTES},
        {"drm-driver: xe\ndrm-total-gtt: 3\n", "total-gtt", 3, PP_FDINFO_BYTES},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct pp_fdinfo info;
        bool found = false;
        assert_true(pp_fdinfo_read(row[i].text, &info));
        for (size_t j = 0; j < info.values; j++)
            if (strcmp(info.value[j].name, row[i].name) == 0) {
                found = true;
                assert_int_equal(info.value[j].value, row[i].value);
                assert_int_equal(info.value[j].kind, row[i].kind);
            }
        assert_true(found);
    }
}

static void
senseless_lines_are_left_out(void **state)
{
    static const char *const text[] = {
        "drm-engine-render: 12 parsecs\n",
        "drm-engine-render: -1 ns\n",
        "drm-engine-render:\n",
        "drm-engine-: 1 ns\n",
        "drm-engine-a,b: 1 ns\n",
        "drm-engine-a b: 1 ns\n",
        "drm-total-x: 99999999999999999999\n",
        "drm-total-x: 18446744073709551615 KiB\n",
        "drm-engine-render",
        "drm-engine-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: 1 ns",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        struct pp_fdinfo info;
        assert_false(pp_fdinfo_read(text[i], &info));
        assert_int_equal(info.values, 0);
    }
}

static void
missing_drm_says_why(void **state)
{
    (void)state;
    open_drm();
    assert_non_null(strstr(reason("busy"), "no graphics device"));
    assert_non_null(strstr(reason("memory"), "no graphics device"));
    descriptor(5, "renderD128", "drm-driver:\tnvidia-drm\n");
    open_drm();
    assert_non_null(strstr(reason("busy"), "driver nvidia-drm does not report it"));
    descriptor(5, "renderD128",
               "drm-driver: panfrost\ndrm-client-id: 3\ndrm-engine-fragment: 0 ns\ndrm-cycles-fragment: 0\n"
               "drm-curfreq-fragment: 5 Hz\ndrm-resident-memory: 5 KiB\n");
    source_files_write(&files, "sys/class/drm/renderD128/device/profiling", "0\n");
    open_drm();
    assert_non_null(strstr(reason("engine-fragment"), "renderD128/device/profiling is 0; root must write 1"));
    assert_non_null(strstr(reason("cycles-fragment"), "profiling is 0"));
    assert_non_null(strstr(reason("busy"), "profiling is 0"));
    assert_int_equal(now("curfreq-fragment"), 5);
    assert_int_equal(now("memory"), 5 * 1024);
    pp_source_conforms(source.ops, source.self);
    source_files_write(&files, "sys/class/drm/renderD128/device/profiling", "1\n");
    open_drm();
    assert_int_equal(now("engine-fragment"), 0);
    descriptor(5, "renderD128", "drm-driver: i915\ndrm-client-id: 3\ndrm-engine-render: 0 ns\n");
    open_drm();
    assert_non_null(strstr(reason("memory"), "Linux 6.5"));
    /* xe counts clocks. */
    descriptor(5, "renderD128",
               "drm-driver: xe\ndrm-client-id: 3\ndrm-cycles-rcs: 5\ndrm-total-cycles-rcs: 9\n"
               "drm-resident-vram0: 4 KiB\n");
    open_drm();
    assert_non_null(
        strstr(reason("busy"), "driver xe counts clocks instead of time; use drm:cycles-* and drm:total"));
    assert_int_equal(now("memory"), 4096);
    assert_int_equal(now("cycles-rcs"), 0);
    descriptor(5, "renderD128", "drm-driver: lima\ndrm-client-id: 3\ndrm-resident-memory: 4 KiB\n");
    open_drm();
    assert_non_null(strstr(reason("busy"), "driver lima does not report the time of engines"));
}

/* `passprobe list` has no device open: it reads one of the machine's devices. */
static void
without_a_device_a_gpu_of_the_machine_is_read(void **state)
{
    (void)state;
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char name[64];
    source_files_write(&files, "dev/dri/renderD128", "");
    /* The source has the folder open when it opens the device. */
    snprintf(name, sizeof(name), "proc/thread-self/fdinfo/%d", next + 1);
    source_files_write(&files, name, AMDGPU("2", "10", "10", "1"));
    (void)close(next);
    open_drm();
    assert_string_equal(reason("engine-gfx"), "");
    assert_string_equal(reason("busy"), "");
    assert_int_equal(now("busy"), 0);
}

/* hwmon */

#define CARD "sys/devices/pci0000:00/0000:03:00.0/"

static void
link_card(unsigned number, const char *device)
{
    char name[64], target[200];
    snprintf(name, sizeof(name), "sys/class/drm/card%u/device", number);
    snprintf(target, sizeof(target), "%s/%s", files.root, device);
    source_files_link(&files, name, target);
}

static void
amdgpu_sensors(void **state)
{
    (void)state;
    source_files_write(&files, CARD "hwmon/hwmon4/temp1_input", "61000\n");
    source_files_write(&files, CARD "hwmon/hwmon4/temp1_label", "edge\n");
    source_files_write(&files, CARD "hwmon/hwmon4/temp2_input", "-3000\n");
    source_files_write(&files, CARD "hwmon/hwmon4/temp2_label", "junction\n");
    source_files_write(&files, CARD "hwmon/hwmon4/power1_average", "123000000\n");
    source_files_write(&files, CARD "hwmon/hwmon4/freq1_input", "2100000000\n");
    source_files_write(&files, CARD "hwmon/hwmon4/freq1_label", "sclk\n");
    source_files_write(&files, CARD "hwmon/hwmon4/in0_input", "806\n");
    source_files_write(&files, CARD "hwmon/hwmon4/fan1_input", "0\n");
    source_files_write(&files, CARD "gpu_busy_percent", "97\n");
    link_card(0, "sys/devices/pci0000:00/0000:03:00.0");
    source_files_write(&files, "sys/class/drm/card0-DP-1/status", "connected\n");
    open_hwmon();
    pp_source_conforms(source.ops, source.self);
    assert_int_equal(now("temperature-edge_millicelsius"), 61000);
    assert_int_equal((int64_t)now("temperature-junction_millicelsius"), -3000);
    assert_int_equal(now("power_microwatts"), 123000000);
    assert_int_equal(now("clock-sclk"), 2100000000);
    assert_int_equal(now("voltage_millivolts"), 806);
    assert_int_equal(now("fan_rpm"), 0);
    assert_int_equal(now("busy"), 97);
    struct pp_event event;
    assert_int_not_equal(find("busy", &event), UINT32_MAX);
    assert_string_equal(event.group, "0000:03:00.0");
    source_files_write(&files, CARD "hwmon/hwmon4/power1_average", "99\n");
    assert_int_equal(now("power_microwatts"), 99);
    source_files_write(&files, CARD "hwmon/hwmon4/power1_average", "\n");
    uint64_t value = 0;
    uint32_t power = find("power_microwatts", &event);
    assert_int_equal(source.ops->read(source.self, &power, 1, (uint8_t *)&value), -ENODATA);
    /* The other clients continue. */
    const uint32_t both[] = {power, find("fan_rpm", &event), find("busy", &event)};
    uint64_t got[3] = {1, 1, 1};
    source_files_write(&files, CARD "gpu_busy_percent", "99999999999999999999999\n");
    assert_int_equal(source.ops->read(source.self, both, 3, (uint8_t *)got), 0);
    assert_true(got[0] == PP_STATE_NONE && got[1] == 0 && got[2] == PP_STATE_NONE);
}

/* i915 has a folder for the device and one for each of its parts, with the same sensors; their labels may be
 * equal. */
static void
sensors_of_one_name_are_apart(void **state)
{
    (void)state;
    static const char *const folder[] = {"hwmon3", "hwmon4", "hwmon5"};
    static const char *const name[] = {"i915_gt0\n", "i915\n", "i915_gt1\n"};
    static const char *const energy[] = {"222\n", "111\n", "333\n"};
    for (size_t i = 0; i < 3; i++) {
        char path[200];
        snprintf(path, sizeof(path), CARD "hwmon/%s/name", folder[i]);
        source_files_write(&files, path, name[i]);
        snprintf(path, sizeof(path), CARD "hwmon/%s/energy1_input", folder[i]);
        source_files_write(&files, path, energy[i]);
    }
    source_files_write(&files, CARD "hwmon/hwmon4/temp1_input", "1\n");
    source_files_write(&files, CARD "hwmon/hwmon4/temp1_label", "edge\n");
    source_files_write(&files, CARD "hwmon/hwmon4/temp2_input", "2\n");
    source_files_write(&files, CARD "hwmon/hwmon4/temp2_label", "edge\n");
    link_card(0, "sys/devices/pci0000:00/0000:03:00.0");
    open_hwmon();
    pp_source_conforms(source.ops, source.self);
    assert_int_equal(now("energy_microjoules"), 111);
    assert_int_equal(now("energy-gt0_microjoules"), 222);
    assert_int_equal(now("energy-gt1_microjoules"), 333);
    assert_int_equal(now("temperature-edge_millicelsius"), 1);
    assert_int_equal(now("temperature-edge-2_millicelsius"), 2);
}

static void
two_gpus_and_other_drivers(void **state)
{
    (void)state;
    source_files_write(&files, CARD "hwmon/hwmon4/energy1_input", "500\n");
    link_card(0, "sys/devices/pci0000:00/0000:03:00.0");
    source_files_write(&files, "sys/class/drm/card0/gt_act_freq_mhz", "1050\n");
    source_files_write(&files, "sys/devices/soc/ff9a0000.gpu/devfreq/ff9a0000.gpu/cur_freq", "400000000\n");
    link_card(1, "sys/devices/soc/ff9a0000.gpu");
    source_files_write(&files, "sys/devices/xe/0000:04:00.0/tile0/gt0/freq0/act_freq", "2400\n");
    link_card(2, "sys/devices/xe/0000:04:00.0");
    open_hwmon();
    pp_source_conforms(source.ops, source.self);
    assert_int_equal(now("energy_microjoules"), 500);
    assert_int_equal(now("clock-actual"), 1050000000);
    assert_int_equal(now("gpu1-clock-actual"), 400000000);
    assert_int_equal(now("gpu2-clock-actual"), 2400000000);
    struct pp_event event;
    assert_int_not_equal(find("gpu1-clock-actual", &event), UINT32_MAX);
    assert_string_equal(event.group, "ff9a0000.gpu");
}

static void
missing_hwmon_says_why(void **state)
{
    (void)state;
    open_hwmon();
    assert_non_null(strstr(reason("temperature"), "no GPU"));
    const uint32_t first = 0;
    assert_null(source.ops->layout(source.self, &first, 1));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(amdgpu_counts_its_clients_once, begin, end),
        cmocka_unit_test_setup_teardown(numbers_never_step_back, begin, end),
        cmocka_unit_test_setup_teardown(amdgpu_engines_come_with_their_jobs, begin, end),
        cmocka_unit_test_setup_teardown(sensors_of_one_name_are_apart, begin, end),
        cmocka_unit_test_setup_teardown(clients_come_and_go, begin, end),
        cmocka_unit_test_setup_teardown(keys_of_each_driver_are_read, begin, end),
        cmocka_unit_test_setup_teardown(many_clients_are_all_counted, begin, end),
        cmocka_unit_test_setup_teardown(senseless_lines_are_left_out, begin, end),
        cmocka_unit_test_setup_teardown(missing_drm_says_why, begin, end),
        cmocka_unit_test_setup_teardown(without_a_device_a_gpu_of_the_machine_is_read, begin, end),
        cmocka_unit_test_setup_teardown(amdgpu_sensors, begin, end),
        cmocka_unit_test_setup_teardown(two_gpus_and_other_drivers, begin, end),
        cmocka_unit_test_setup_teardown(missing_hwmon_says_why, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
