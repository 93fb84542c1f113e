/** @file
 * Text of fdinfo files; see drm.h. */
#include "counters/sources/kernel/drm.h"

#include <string.h>

#include "counters/util/array_size.h"

/* Known keys by prefix; the first match counts. drm-memory- is amdgpu's old spelling of drm-resident-. */
static const struct {
    const char *prefix;
    uint8_t skip; /* bytes at the start that the name leaves out */
    uint8_t kind;
} key_kind[] = {
    {"drm-engine-capacity-", 4, UINT8_MAX}, {"drm-engine-", 4, PP_FDINFO_NS},
    {"drm-cycles-", 4, PP_FDINFO_CYCLES},   {"drm-total-cycles-", 4, PP_FDINFO_CYCLES},
    {"drm-maxfreq-", 4, PP_FDINFO_HZ},      {"drm-curfreq-", 4, PP_FDINFO_HZ},
    {"drm-memory-", 4, PP_FDINFO_BYTES},    {"drm-resident-", 4, PP_FDINFO_BYTES},
    {"drm-total-", 4, PP_FDINFO_BYTES},     {"drm-shared-", 4, PP_FDINFO_BYTES},
    {"drm-active-", 4, PP_FDINFO_BYTES},    {"drm-purgeable-", 4, PP_FDINFO_BYTES},
    {"amd-requested-", 0, PP_FDINFO_BYTES}, {"amd-evicted-", 0, PP_FDINFO_BYTES},
    {"v3d-jobs-", 0, PP_FDINFO_COUNT},
};

/* The factor of a unit, for values of this kind. @retval 0 The unit is unknown. */
static uint64_t
factor(enum pp_fdinfo_kind kind, const char *unit, size_t length)
{
    static const struct {
        const char *unit;
        uint8_t kind;
        uint64_t factor;
    } known[] = {
        {"", PP_FDINFO_BYTES, 1},      {"KiB", PP_FDINFO_BYTES, 1024}, {"MiB", PP_FDINFO_BYTES, 1 << 20},
        {"kB", PP_FDINFO_BYTES, 1024}, {"ns", PP_FDINFO_NS, 1},        {"", PP_FDINFO_NS, 1},
        {"", PP_FDINFO_CYCLES, 1},     {"Hz", PP_FDINFO_HZ, 1},        {"", PP_FDINFO_HZ, 1},
        {"KHz", PP_FDINFO_HZ, 1000},   {"kHz", PP_FDINFO_HZ, 1000},    {"MHz", PP_FDINFO_HZ, 1000000},
        {"jobs", PP_FDINFO_COUNT, 1},  {"", PP_FDINFO_COUNT, 1},       {"cycles", PP_FDINFO_CYCLES, 1},
        {"bytes", PP_FDINFO_BYTES, 1}, {"B", PP_FDINFO_BYTES, 1},      {"GiB", PP_FDINFO_BYTES, 1 << 30},
    };
    for (size_t i = 0; i < PP_ARRAY_SIZE(known); i++)
        if (known[i].kind == kind && strlen(known[i].unit) == length &&
            memcmp(known[i].unit, unit, length) == 0)
            return known[i].factor;
    return 0;
}

/* A line, cut at its colon. */
struct line {
    const char *key, *value;
    size_t key_length, value_length;
};

static bool
is_key(const struct line *line, const char *key)
{
    return strlen(key) == line->key_length && memcmp(line->key, key, line->key_length) == 0;
}

static void
copy(char *to, size_t size, const struct line *line)
{
    size_t length = line->value_length < size - 1 ? line->value_length : size - 1;
    memcpy(to, line->value, length);
    to[length] = '\0';
}

/* Read the number of a value; *ret_unit is where its unit begins. @return False: the value does not start
 * with a number. */
static bool
number(const struct line *line, uint64_t *ret, const char **ret_unit)
{
    uint64_t value = 0;
    const char *at = line->value, *end = line->value + line->value_length;
    if (at == end || *at < '0' || *at > '9')
        return false;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
        if (__builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*at - '0'), &value))
            return false;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    *ret = value;
    *ret_unit = at;
    return true;
}

static void
add_value(struct pp_fdinfo *info, const struct line *line)
{
    size_t i = 0;
    const size_t kinds = PP_ARRAY_SIZE(key_kind);
    const char *unit = NULL;
    uint64_t value = 0;
    while (i < kinds && (strlen(key_kind[i].prefix) >= line->key_length ||
                         memcmp(key_kind[i].prefix, line->key, strlen(key_kind[i].prefix)) != 0))
        i++;
    if (i == kinds || key_kind[i].kind == UINT8_MAX || info->values == PP_FDINFO_KEYS ||
        !number(line, &value, &unit))
        return;
    struct pp_fdinfo_value *to = &info->value[info->values];
    size_t length = line->key_length - key_kind[i].skip;
    uint64_t times = factor((enum pp_fdinfo_kind)key_kind[i].kind, unit,
                            (size_t)(line->value + line->value_length - unit));
    if (times == 0 || __builtin_mul_overflow(value, times, &value) || length >= sizeof(to->name))
        return;
    *to = (struct pp_fdinfo_value){.kind = key_kind[i].kind, .value = value};
    memcpy(to->name, line->key + key_kind[i].skip, length);
    for (const char *c = to->name; *c; c++)
        if (*c < '!' || *c > '~' || strchr(",{}\"\\:", *c))
            return; /* a list of events cannot hold this name */
    for (size_t j = 0; j < info->values; j++)
        if (strcmp(info->value[j].name, to->name) == 0)
            return;
    info->values++;
}

static void
read_line(struct pp_fdinfo *info, const struct line *line)
{
    const char *unit = NULL;
    if (is_key(line, "drm-driver"))
        copy(info->driver, sizeof(info->driver), line);
    else if (is_key(line, "drm-pdev"))
        copy(info->device, sizeof(info->device), line);
    else if (is_key(line, "drm-client-id"))
        info->has_client = number(line, &info->client, &unit);
    else
        add_value(info, line);
}

bool
pp_fdinfo_read(const char *text, struct pp_fdinfo *ret)
{
    memset(ret, 0, sizeof(*ret));
    while (*text) {
        size_t length = strcspn(text, "\n");
        const char *colon = memchr(text, ':', length);
        if (colon) {
            struct line line = {.key = text, .key_length = (size_t)(colon - text), .value = colon + 1};
            const char *end = text + length;
            while (line.value < end && (*line.value == ' ' || *line.value == '\t'))
                line.value++;
            while (end > line.value && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
                end--;
            line.value_length = (size_t)(end - line.value);
            read_line(ret, &line);
        }
        text += length + (text[length] == '\n');
    }
    return ret->driver[0] != '\0';
}
