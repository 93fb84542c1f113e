/** @file
 * The source "hwmon"; see kernel_sources.h. Source: the kernel's Documentation/hwmon/sysfs-interface.rst and
 * the drivers' own pages (amdgpu, i915, xe), Documentation/ABI/testing/sysfs-class-devfreq. */
#include "counters/sources/kernel/kernel_sources.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counters/sources/kernel/small_file.h"
#include "counters/util/array_size.h"
#include "counters/util/errno_text.h"
#include "counters/util/own_fd.h"
#include "pp_texts.h"

enum { EVENTS = 96, GPUS = 8 };

struct event {
    char name[80];
    char description[120];
    char reason[PP_REASON_BYTES]; /* "": none */
    char gpu[64];                 /* "0000:03:00.0" */
    char *path;                   /* of its file; NULL: none */
    int file;                     /* stays open from the first read on, in the thread that reads; -1: none */
    uint8_t unit;                 /* enum pp_unit */
    uint32_t factor;              /* value = number in the file * factor */
};

struct hwmon {
    /* immutable after open */
    char sys[128];
    uint32_t events;
    struct event event[EVENTS];
    struct pp_list_layouts fields;
    /* while opening */
    uint32_t gpus;
    char gpu[GPUS][64];
};

/* Files of a hwmon folder: PREFIXn_SUFFIX. Units of the interface: milli-C, uW, uJ, Hz, mV, 1/min. */
static const struct {
    const char *prefix, *suffix, *name, *unit_name, *text;
    uint8_t unit;
} sensor[] = {
    {"temp", "_input", "temperature", "_millicelsius", "Temperature", PP_UNIT_OTHER},
    {"power", "_average", "power", "_microwatts", "Power, averaged by the GPU", PP_UNIT_OTHER},
    {"power", "_input", "power-now", "_microwatts", "Power now", PP_UNIT_OTHER},
    {"energy", "_input", "energy", "_microjoules", "Energy taken since the driver was loaded", PP_UNIT_OTHER},
    {"freq", "_input", "clock", "", "Clock", PP_UNIT_HZ},
    {"in", "_input", "voltage", "_millivolts", "Voltage", PP_UNIT_OTHER},
    {"fan", "_input", "fan", "_rpm", "Turns of the fan in a minute", PP_UNIT_OTHER},
};

/* Files next to the hwmon folder, relative to the device or to the card's node in class/drm. */
static const struct {
    const char *path, *name, *text;
    uint8_t unit;
    uint32_t factor;
    bool of_card; /* relative to class/drm/cardN, not to its device/ */
} single[] = {
    {"gpu_busy_percent", "busy", "Share of time in which the GPU worked, for any process", PP_UNIT_PERCENT, 1,
     false},
    {"mem_busy_percent", "memory-busy", "Share of time in which the GPU's memory worked", PP_UNIT_PERCENT, 1,
     false},
    {"gt_act_freq_mhz", "clock-actual", "Actual clock of the GPU", PP_UNIT_HZ, 1000000, true},
    {"gt_cur_freq_mhz", "clock-wanted", "Clock that the driver requested", PP_UNIT_HZ, 1000000, true},
    {"tile0/gt0/freq0/act_freq", "clock-actual", "Actual clock of the GPU", PP_UNIT_HZ, 1000000, false},
    {"tile0/gt0/freq0/cur_freq", "clock-wanted", "Clock that the driver requested", PP_UNIT_HZ, 1000000,
     false},
};

/* Adding events. */

static bool
has_name(const struct hwmon *hwmon, const char *name)
{
    for (uint32_t i = 0; i < hwmon->events; i++)
        if (strcmp(hwmon->event[i].name, name) == 0)
            return true;
    return false;
}

/* Add an event.
 * @param suffix End of the name, made of the sensor's label or number: "-edge", "-2", "".
 * @param apart If the GPU has an event of this name already: true adds an event with a number in its name,
 * for another sensor; false adds nothing, because it is the same sensor. */
static void
add_event(struct hwmon *hwmon, const char *path, const char *name, const char *suffix, const char *unit_name,
          const char *text, enum pp_unit unit, uint32_t factor, bool apart)
{
    struct event *event = &hwmon->event[hwmon->events];
    uint32_t gpu = hwmon->gpus - 1;
    char prefix[16] = "";
    char title[sizeof(event->gpu)]; /* the compiler cannot see that events and names do not overlap */
    if (hwmon->events == EVENTS || access(path, F_OK))
        return;
    if (gpu > 0)
        snprintf(prefix, sizeof(prefix), "gpu%u-", gpu);
    memset(event, 0, sizeof(*event));
    memcpy(event->gpu, hwmon->gpu[gpu], sizeof(event->gpu));
    memcpy(title, event->gpu, sizeof(title));
    snprintf(event->name, sizeof(event->name), "%s%s%s%s", prefix, name, suffix, unit_name);
    for (unsigned number = 2; has_name(hwmon, event->name); number++) {
        if (!apart || number > EVENTS)
            return;
        snprintf(event->name, sizeof(event->name), "%s%s%s-%u%s", prefix, name, suffix, number, unit_name);
    }
    snprintf(event->description, sizeof(event->description), "%s%s%s of %s.", text, *suffix ? ", " : "",
             *suffix ? suffix + 1 : "", title);
    event->unit = (uint8_t)unit;
    event->factor = factor;
    event->file = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    event->path = fd < 0 ? NULL : strdup(path);
    if (!event->path)
        snprintf(event->reason, sizeof(event->reason), "%.200s: %s", path, pp_errno_text(errno));
    if (fd >= 0)
        (void)close(fd);
    hwmon->events++;
}

/* Make the suffix of a sensor's name: its label; without a label its number, if it is not 1. */
static void
name_sensor(const char *folder, const char *prefix, unsigned number, char *ret, size_t size)
{
    char path[PP_PATH_BYTES], text[32];
    char part[16] = "";
    /* i915 and xe have a folder for the device, and one for each part of it: "i915_gt1". */
    if (pp_path_join(path, folder, "name") == 0 && pp_file_text(path, text, sizeof(text)) > 0 &&
        strstr(text, "_gt")) {
        text[strcspn(text, "\n")] = '\0';
        snprintf(part, sizeof(part), "-%.14s", strstr(text, "_gt") + 1);
    }
    snprintf(ret, size, "%s", part);
    if (number > (strcmp(prefix, "in") == 0 ? 0U : 1U))
        snprintf(ret, size, "%s-%u", part, number);
    int length = snprintf(path, sizeof(path), "%s/%s%u_label", folder, prefix, number);
    if (length < 0 || length >= (int)sizeof(path) || pp_file_text(path, text, sizeof(text)) <= 0)
        return;
    text[strcspn(text, "\n")] = '\0';
    for (char *c = text; *c; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = letter ? *c : '-';
    }
    if (*text)
        snprintf(ret, size, "%s-%s", part, text);
}

/* Add the sensors of a hwmon folder. Their numbers have gaps. */
static void
add_sensors(struct hwmon *hwmon, const char *folder)
{
    char path[PP_PATH_BYTES], suffix[56];
    for (size_t s = 0; s < PP_ARRAY_SIZE(sensor); s++)
        for (unsigned number = 0; number < 16; number++) {
            int length =
                snprintf(path, sizeof(path), "%s/%s%u%s", folder, sensor[s].prefix, number, sensor[s].suffix);
            if (length < 0 || length >= (int)sizeof(path) || access(path, F_OK))
                continue;
            name_sensor(folder, sensor[s].prefix, number, suffix, sizeof(suffix));
            add_event(hwmon, path, sensor[s].name, suffix, sensor[s].unit_name, sensor[s].text,
                      (enum pp_unit)sensor[s].unit, 1, true);
        }
}

/* Call `then` for each folder in a folder. */
static void
each_folder(struct hwmon *hwmon, const char *folder, void (*then)(struct hwmon *hwmon, const char *folder))
{
    char path[PP_PATH_BYTES];
    DIR *open_folder = opendir(folder);
    for (const struct dirent *entry = NULL; open_folder && (entry = readdir(open_folder));)
        if (entry->d_name[0] != '.' && pp_path_join(path, folder, entry->d_name) == 0)
            then(hwmon, path);
    if (open_folder)
        (void)closedir(open_folder);
}

static void
add_devfreq(struct hwmon *hwmon, const char *folder)
{
    char path[PP_PATH_BYTES];
    if (pp_path_join(path, folder, "cur_freq") == 0)
        add_event(hwmon, path, "clock-actual", "", "", "Clock", PP_UNIT_HZ, 1, false);
}

/* Add a card of class/drm: cardN, not cardN-HDMI-A-1. Two nodes may belong to one device. */
static void
add_card(struct hwmon *hwmon, const char *card)
{
    char device[PP_PATH_BYTES], path[PP_PATH_BYTES], real[PATH_MAX];
    const char *name = strrchr(card, '/') + 1;
    if (strncmp(name, "card", 4) != 0 || strchr(name, '-') || pp_path_join(device, card, "device") ||
        hwmon->gpus == GPUS)
        return;
    const char *id = realpath(device, real) ? strrchr(real, '/') + 1 : name;
    snprintf(hwmon->gpu[hwmon->gpus], sizeof(hwmon->gpu[0]), "%.63s", id);
    hwmon->gpus++;
    uint32_t before = hwmon->events;
    if (pp_path_join(path, device, "hwmon") == 0)
        each_folder(hwmon, path, add_sensors);
    for (size_t i = 0; i < PP_ARRAY_SIZE(single); i++)
        if (pp_path_join(path, single[i].of_card ? card : device, single[i].path) == 0)
            add_event(hwmon, path, single[i].name, "", "", single[i].text, (enum pp_unit)single[i].unit,
                      single[i].factor, false);
    if (pp_path_join(path, device, "devfreq") == 0)
        each_folder(hwmon, path, add_devfreq);
    if (hwmon->events == before)
        hwmon->gpus--; /* the card has no sensor */
}

/* The interface: pp_source_ops. */

/* Read a sensor. @retval -errno The file has no number now: the sensors of a sleeping GPU return EAGAIN,
 * ENODEV or nothing. */
static int
read_sensor(struct event *event, uint64_t *ret)
{
    char text[32];
    char *end = text;
    if (event->path) {
        event->file = pp_fd_keep_file(open(event->path, O_RDONLY | O_CLOEXEC));
        free(event->path);
        event->path = NULL;
    }
    ssize_t got = pp_fd_is_own_file(event->file) ? pread(event->file, text, sizeof(text) - 1, 0) : -1;
    if (got < 0)
        return event->file < 0 ? -ENOENT : -errno;
    text[got] = '\0';
    errno = 0;
    int64_t number = strtoll(text, &end, 10);
    if (end == text)
        return -ENODATA;
    if (errno || __builtin_mul_overflow(number, (int64_t)event->factor, &number))
        return -ERANGE;
    *ret = (uint64_t)number;
    return 0;
}

/* Read all sensors; one that cannot be read is PP_STATE_NONE. */
static int
hwmon_read(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct hwmon *hwmon = self;
    int saved = errno;
    int rc = -ENOENT;
    bool any = false;
    for (size_t i = 0; i < events; i++) {
        uint64_t value = PP_STATE_NONE;
        int one = event[i] < hwmon->events ? read_sensor(&hwmon->event[event[i]], &value) : -ENOENT;
        any |= one == 0;
        rc = one ? one : rc;
        value = htole64(value);
        memcpy(ret_snapshot + 8 * i, &value, sizeof(value));
    }
    errno = saved;
    return any ? 0 : rc;
}

static int
hwmon_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct hwmon *hwmon = self;
    if (i >= hwmon->events)
        return -ENOENT;
    const struct event *event = &hwmon->event[i];
    *ret_event = (struct pp_event){.name = event->name,
                                   .description = event->description,
                                   .reason = *event->reason ? event->reason : NULL,
                                   .group = *event->gpu ? event->gpu : NULL,
                                   .unit = (enum pp_unit)event->unit,
                                   .number = PP_NUMBER_I64,
                                   .not_additive = true};
    return 0;
}

static int
hwmon_field(void *self, uint32_t event, struct pp_field *ret_field)
{
    const struct hwmon *hwmon = self;
    if (event >= hwmon->events || *hwmon->event[event].reason)
        return -ENOENT;
    *ret_field = (struct pp_field){.name = hwmon->event[event].name,
                                   .mode = PP_FIELD_GAUGE,
                                   .unit = hwmon->event[event].unit,
                                   .number = PP_NUMBER_I64,
                                   .not_additive = true};
    return 0;
}

static const struct pp_layout *
hwmon_layout(void *self, const uint32_t *event, size_t events)
{
    struct hwmon *hwmon = self;
    return pp_list_layouts_get(&hwmon->fields, "hwmon", event, events, hwmon_field, hwmon);
}

static const struct pp_source_ops hwmon_ops = {
    .name = "hwmon",
    .event = hwmon_event,
    .layout = hwmon_layout,
    .read = hwmon_read,
    .reads = PP_READ_POLL,
};

/* Add the cards in the order of their numbers: which GPU is the first must not depend on the folder's order.
 */
static void
add_cards(struct hwmon *hwmon)
{
    char folder[PP_PATH_BYTES];
    for (unsigned card = 0; card < 64; card++)
        if (snprintf(folder, sizeof(folder), "%s/class/drm/card%u", hwmon->sys, card) < (int)sizeof(folder) &&
            access(folder, F_OK) == 0)
            add_card(hwmon, folder);
}

int
pp_hwmon_source_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret)
{
    static const struct event none = {
        .name = "temperature",
        .description = "Temperature of the GPU.",
        .reason = PP_TEXT_HWMON_NONE,
        .file = -1,
        .factor = 1,
    };
    struct hwmon *hwmon = calloc(1, sizeof(*hwmon));
    if (!hwmon)
        return -ENOMEM;
    snprintf(hwmon->sys, sizeof(hwmon->sys), "%s", paths->sys);
    (void)pthread_mutex_init(&hwmon->fields.lock, NULL);
    add_cards(hwmon);
    if (hwmon->events == 0)
        hwmon->event[hwmon->events++] = none;
    *ret = (struct pp_event_source){&hwmon_ops, hwmon};
    return 0;
}

void
pp_hwmon_source_close(const struct pp_event_source *source)
{
    struct hwmon *hwmon = source->self;
    for (uint32_t i = 0; i < hwmon->events; i++) {
        pp_fd_close_file(hwmon->event[i].file);
        free(hwmon->event[i].path);
    }
    pp_list_layouts_finish(&hwmon->fields);
    free(hwmon);
}
