/** @file
 * The option table: names, defaults, valid values; see config.h. This code runs inside the application, so it
 * parses numbers itself, because strtod() depends on the application's locale. See also config_read.c. */
#include "core/config/config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "core/config/user_metric_names.h"
#include "counters/events/event_plan.h"
#include "counters/sources/registry.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_options.h"
#include "pp_texts.h"

const char *
pp_level_name(enum pp_level level)
{
    static const char *const name[] = {"frame", "pass", "draw"};
    return name[level];
}

const char *
pp_frame_on_name(enum pp_frame_on frame_on)
{
    static const char *const name[] = {"auto", "present", "submit", "finish", "marker"};
    return name[frame_on];
}

/* Numbers. */

static int
parse_count(const char *text, const char **ret_end, uint64_t *ret)
{
    uint64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (value > (UINT64_MAX - digit) / 10)
            return -ERANGE;
        value = value * 10 + digit;
    }
    if (p == text)
        return -EINVAL;
    *ret_end = p;
    *ret = value;
    return 0;
}

/* "1", "1.5", ".25" in units of `unit` (a power of ten) -> integer; '.' is the only decimal point. */
static int
parse_decimal(const char *text, uint64_t unit, uint64_t *ret)
{
    const char *p = text;
    uint64_t whole = 0;
    if (*p != '.' && parse_count(p, &p, &whole))
        return -EINVAL;
    if (whole > UINT64_MAX / unit - 1)
        return -ERANGE;
    uint64_t value = whole * unit;
    if (*p == '.') {
        p++;
        if (*p < '0' || *p > '9')
            return -EINVAL;
        for (; *p >= '0' && *p <= '9'; p++) {
            unit /= 10;
            value += (uint64_t)(*p - '0') * unit;
        }
    }
    if (*p)
        return -EINVAL;
    *ret = value;
    return 0;
}

/* A setter for each option. It writes what a good value is into `why`. */

static int
set_output(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    size_t len = strlen(value);
    if (len == 0 || len >= sizeof(config->output)) {
        snprintf(why, why_len, PP_TEXT_CONFIG_DIRECTORY);
        return -EINVAL;
    }
    memcpy(config->output, value, len + 1);
    return 0;
}

static int
set_level(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    for (enum pp_level level = PP_LEVEL_FRAME; level <= PP_LEVEL_DRAW; level++) {
        if (strcmp(value, pp_level_name(level)) == 0) {
            config->level = level;
            return 0;
        }
    }
    snprintf(why, why_len, PP_TEXT_CONFIG_LEVEL);
    return -EINVAL;
}

/* The names of events of these sources are known only when the application runs. */
static bool
has_late_names(const char *source)
{
    const struct pp_source_row *row = pp_source_row_find(source);
    return row && row->origin != PP_SOURCE_BUILTIN;
}

/* The i-th event of any source that users may write without its source, as perf's users do; NULL past the
 * last. */
static const char *
short_name(size_t i)
{
    const struct pp_source_row *row = NULL;
    for (size_t source = 0; (row = pp_source_row(source)); source++)
        for (size_t n = 0; n < PP_SHORT_NAMES && row->short_name[n]; n++)
            if (i-- == 0)
                return row->short_name[n];
    return NULL;
}

static bool
is_late(const struct pp_event_item *item)
{
    if (has_late_names(item->source))
        return true;
    for (size_t i = 0; !item->name && short_name(i); i++)
        if (strcmp(item->source, short_name(i)) == 0)
            return true;
    return false;
}

bool
pp_config_wants(const struct pp_config *config, const char *source, bool preset)
{
    struct pp_event_list list;
    bool wants = preset && !config->events_given;
    if (pp_event_list_parse(config->events, &list, NULL))
        return wants;
    const struct pp_source_row *row = pp_source_row_find(source);
    for (size_t i = 0; i < list.items && !wants; i++) {
        wants = strcmp(list.item[i].source, source) == 0;
        for (size_t j = 0; row && j < PP_SHORT_NAMES && row->short_name[j] && !wants && !list.item[i].name;
             j++)
            wants = strcmp(list.item[i].source, row->short_name[j]) == 0;
    }
    pp_event_list_destroy(&list);
    return wants;
}

/* The time, as a source or as its one event, by pattern. */
static bool
is_time(const struct pp_event_item *item)
{
    return strcmp(item->source, PP_SOURCE_TIME) == 0 &&
           (!item->name || fnmatch(item->name, "timestamp", 0) == 0);
}

/* One item of the list: the time, which is always measured; pipeline statistics, by pattern; or something of
 * a source that is looked up later. */
static int
add_event(const struct pp_event_item *item, uint32_t *mask)
{
    bool all = strcmp(item->source, PP_SOURCE_PIPELINE) == 0;
    const char *pattern = all ? item->name : item->source;
    bool found = is_late(item) || is_time(item);
    if (found || (item->name && !all))
        return found ? 0 : -ENOENT;
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        if (!pattern || fnmatch(pattern, pp_pipeline_statistic_name(i), 0) == 0) {
            *mask |= 1U << i;
            found = true;
        }
    }
    return found ? 0 : -ENOENT;
}

/* A statistic that has a word like the wanted one: "vertx" for vertex_shader_invocations. */
static void
nearest_by_word(struct pp_nearest *nearest)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        for (const char *word = pp_pipeline_statistic_name(i); *word; word += *word == '_') {
            const char *before = nearest->found;
            pp_nearest_offer(nearest, word, strcspn(word, "_"));
            name = nearest->found != before ? pp_pipeline_statistic_name(i) : name;
            word += strcspn(word, "_");
        }
    }
    nearest->found = name;
    nearest->found_length = name ? strlen(name) : 0;
}

/* What the user may have meant by an item that names nothing. */
static void
explain_event(const struct pp_event_item *item, const char *value, char *why, size_t why_len)
{
    bool statistic = item->name && strcmp(item->source, PP_SOURCE_PIPELINE) == 0;
    const char *wanted = statistic ? item->name : item->source;
    struct pp_nearest nearest = pp_nearest_begin(wanted, strlen(wanted));
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS && (statistic || !item->name); i++)
        pp_nearest_offer(&nearest, pp_pipeline_statistic_name(i), strlen(pp_pipeline_statistic_name(i)));
    for (size_t i = 0; pp_source_row(i) && !statistic; i++)
        if (pp_source_row(i)->origin != PP_SOURCE_BUILTIN)
            pp_nearest_offer(&nearest, pp_source_row(i)->name, strlen(pp_source_row(i)->name));
    for (size_t i = 0; !item->name && short_name(i); i++)
        pp_nearest_offer(&nearest, short_name(i), strlen(short_name(i)));
    for (size_t i = 0; pp_source_row(i) && !statistic; i++)
        if (pp_source_row(i)->origin == PP_SOURCE_BUILTIN)
            pp_nearest_offer(&nearest, pp_source_row(i)->name, strlen(pp_source_row(i)->name));
    if (!nearest.found && statistic)
        nearest_by_word(&nearest);
    if (nearest.found)
        snprintf(why, why_len, PP_FORMAT_CONFIG_EVENT_NEAR, item->column, (int)item->length,
                 value + item->column - 1, statistic ? PP_SOURCE_PIPELINE ":" : "", (int)nearest.found_length,
                 nearest.found);
    else
        snprintf(why, why_len, PP_FORMAT_CONFIG_EVENT, item->column, (int)item->length,
                 value + item->column - 1);
}

static int
set_events(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    struct pp_event_list list;
    struct pp_event_error error;
    uint32_t mask = 0;
    if (strlen(value) >= sizeof(config->events)) {
        snprintf(why, why_len, PP_FORMAT_CONFIG_EVENTS_LONG, sizeof(config->events) - 1);
        return -EINVAL;
    }
    int rc = pp_event_list_parse(value, &list, &error);
    if (rc) {
        if (rc == -EINVAL)
            snprintf(why, why_len, PP_FORMAT_CONFIG_COLUMN, error.column, error.message);
        else
            snprintf(why, why_len, "%s", strerror(-rc));
        return -EINVAL;
    }
    for (size_t i = 0; i < list.items && rc == 0; i++) {
        const struct pp_event_item *item = &list.item[i];
        rc = add_event(item, &mask);
        if (rc)
            explain_event(item, value, why, why_len);
    }
    pp_event_list_destroy(&list);
    if (rc)
        return -EINVAL;
    memcpy(config->events, value, strlen(value) + 1);
    config->events_given = true;
    config->pipeline_mask = mask;
    return 0;
}

/* The place of a mistake is part of what is wrong with it; the line itself does not fit here. */
static int
set_metrics(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    struct pp_metrics_error error;
    size_t len = strlen(value);
    if (len == 0 || len >= sizeof(config->metrics)) {
        snprintf(why, why_len, PP_TEXT_CONFIG_METRICS);
        return -EINVAL;
    }
    if (pp_user_metrics_check(value, &error)) {
        snprintf(why, why_len, "%.*s", (int)strcspn(error.text, "\n"), error.text);
        return -EINVAL;
    }
    memcpy(config->metrics, value, len + 1);
    return 0;
}

static int
set_frames(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    const char *p = value;
    uint64_t first = 0;
    uint64_t last = UINT64_MAX;
    bool bad = parse_count(p, &p, &first) != 0;
    if (!bad && *p == '\0')
        last = first;
    else if (!bad && *p == '-' && p[1] == '\0')
        p++;
    else if (!bad)
        bad = *p != '-' || parse_count(p + 1, &p, &last) != 0;
    if (bad || *p || last < first) {
        snprintf(why, why_len, PP_TEXT_CONFIG_FRAMES);
        return -EINVAL;
    }
    config->frames_first = first;
    config->frames_last = last;
    return 0;
}

static int
set_every(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    const char *end = value;
    uint64_t every = 0;
    if (parse_count(value, &end, &every) || *end || every == 0) {
        snprintf(why, why_len, PP_TEXT_CONFIG_EVERY);
        return -EINVAL;
    }
    config->every = every;
    return 0;
}

static int
set_seconds(uint64_t *target, const char *value, char *why, size_t why_len)
{
    uint64_t ns = 0;
    if (parse_decimal(value, 1000000000U, &ns)) {
        snprintf(why, why_len, PP_TEXT_CONFIG_DELAY);
        return -EINVAL;
    }
    *target = ns;
    return 0;
}

static int
set_delay(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    return set_seconds(&config->delay_ns, value, why, why_len);
}

static int
set_duration(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    uint64_t ns = 0;
    if (set_seconds(&ns, value, why, why_len))
        return -EINVAL;
    if (ns == 0) {
        snprintf(why, why_len, PP_TEXT_CONFIG_DURATION);
        return -EINVAL;
    }
    config->duration_ns = ns;
    return 0;
}

static int
set_slower_than(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    uint64_t ns = 0;
    if (parse_decimal(value, 1000000U, &ns) || ns == 0) {
        snprintf(why, why_len, PP_TEXT_CONFIG_SLOWER_THAN);
        return -EINVAL;
    }
    config->slower_than_ns = ns;
    return 0;
}

static int
set_frame_on(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    for (enum pp_frame_on on = PP_FRAME_ON_AUTO; on <= PP_FRAME_ON_MARKER; on++) {
        if (strcmp(value, pp_frame_on_name(on)) == 0) {
            config->frame_on = on;
            return 0;
        }
    }
    snprintf(why, why_len, PP_TEXT_CONFIG_FRAME_ON);
    return -EINVAL;
}

/* A number of bytes with a suffix. @return false: it is none. */
static bool
parse_bytes(const char *value, uint64_t *ret_bytes)
{
    static const char suffix[] = "KMGT";
    const char *end = value;
    uint64_t size = 0;
    if (parse_count(value, &end, &size))
        return false;
    const char *at = *end ? strchr(suffix, *end >= 'a' ? *end - 'a' + 'A' : *end) : NULL;
    unsigned shift = at ? 10 * (unsigned)(at - suffix + 1) : 0;
    end += at ? 1 : 0;
    *ret_bytes = size << shift;
    return !*end && size <= UINT64_MAX >> shift;
}

/* session.json and the header rows are written in any case and take a part of this. */
#define LEAST_SIZE (UINT64_C(64) << 10)

static int
set_max_size(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    uint64_t bytes = 0;
    if (parse_bytes(value, &bytes) && bytes >= LEAST_SIZE) {
        config->max_size_bytes = bytes;
        return 0;
    }
    snprintf(why, why_len, PP_TEXT_CONFIG_MAX_SIZE);
    return -EINVAL;
}

/* With less than this no frame of a small application fits. */
#define LEAST_MEMORY (UINT64_C(16) << 20)

static int
set_max_memory(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    uint64_t bytes = 0;
    if (parse_bytes(value, &bytes) && bytes >= LEAST_MEMORY) {
        config->max_memory_bytes = bytes;
        return 0;
    }
    snprintf(why, why_len, PP_TEXT_CONFIG_MAX_MEMORY);
    return -EINVAL;
}

static int
parse_flag(const char *value, bool *ret, char *why, size_t why_len)
{
    if (strcmp(value, "1") != 0 && strcmp(value, "0") != 0) {
        snprintf(why, why_len, PP_TEXT_CONFIG_FLAG);
        return -EINVAL;
    }
    *ret = value[0] == '1';
    return 0;
}

static int
set_quiet(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    bool on = false;
    int rc = parse_flag(value, &on, why, why_len);
    if (rc == 0 && on)
        config->verbosity = -1;
    return rc;
}

static int
set_verbose(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    bool on = false;
    int rc = parse_flag(value, &on, why, why_len);
    if (rc == 0 && on)
        config->verbosity = 1;
    return rc;
}

static int
set_serialize(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    return parse_flag(value, &config->serialize, why, why_len);
}

static int
set_indirect(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    return parse_flag(value, &config->indirect, why, why_len);
}

/* The table itself is docs/options.yaml; a row's setter is set_NAME() above. */
#define ROW(setter, name, letter, arg, help, preset, not_of)                                                 \
    {name, letter, arg, help, preset, not_of, set_##setter},
static const struct pp_option option[] = {PP_OPTION_TABLE(ROW)};
#undef ROW

#define OPTIONS PP_ARRAY_SIZE(option)

const struct pp_option *
pp_options(size_t *ret_count)
{
    *ret_count = OPTIONS;
    return option;
}

void
pp_config_init(struct pp_config *config)
{
    static const char output[] = "passprobe.data";
    static const char events[] = "time,pipeline";
    memset(config, 0, sizeof(*config));
    memcpy(config->output, output, sizeof(output));
    memcpy(config->events, events, sizeof(events));
    config->level = PP_LEVEL_PASS;
    config->pipeline_mask = (1U << PP_PIPELINE_STATISTICS) - 1;
    config->frames_last = UINT64_MAX;
    config->every = 1;
    config->max_size_bytes = UINT64_C(2) << 30;
    config->max_memory_bytes = UINT64_C(2) << 30;
}

/* Names: case and '_' against '-' do not matter, so one comparison serves command line, environment and file.
 */

static char
fold(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c == '_' ? '-' : c;
}

static unsigned
distance(const char *a, const char *b)
{
    unsigned row[32];
    size_t len = strlen(b);
    if (len >= 31)
        return UINT_MAX;
    for (unsigned j = 0; j <= len; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1]; i++) {
        unsigned corner = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= len; j++) {
            unsigned best = corner + (fold(a[i - 1]) != b[j - 1]);
            corner = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
        }
    }
    return row[len];
}

static bool
same_name(const char *a, const char *b)
{
    while (*a && fold(*a) == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

/* The option that has this name, or NULL. */
static const struct pp_option *
find_option(const char *name)
{
    for (size_t i = 0; i < OPTIONS; i++)
        if (same_name(name, option[i].name))
            return &option[i];
    return NULL;
}

/* The option's name that is most like this one, or NULL if none is. */
static const char *
nearest_name(const char *name)
{
    const char *near = NULL;
    unsigned best = 3;
    for (size_t i = 0; i < OPTIONS; i++) {
        unsigned d = distance(name, option[i].name);
        if (d < best) {
            best = d;
            near = option[i].name;
        }
    }
    return near;
}

static int
set_option(struct pp_config *config, const struct pp_option *found, const char *value, const char *place,
           char *error)
{
    char why[256];
    if (found->set(config, value, why, sizeof(why)) == 0)
        return 0;
    snprintf(error, PP_CONFIG_ERROR_MAX, PP_FORMAT_CONFIG_VALUE, place, value, why);
    return -EINVAL;
}

int
pp_config_set(struct pp_config *config, const char *name, const char *value, const char *place, char *error)
{
    const struct pp_option *found = find_option(name);
    if (found)
        return set_option(config, found, value, place, error);
    const char *near = nearest_name(name);
    if (near)
        snprintf(error, PP_CONFIG_ERROR_MAX, PP_FORMAT_CONFIG_OPTION_NEAR, place, name, near);
    else
        snprintf(error, PP_CONFIG_ERROR_MAX, PP_FORMAT_CONFIG_OPTION, place, name);
    return -EINVAL;
}

int
pp_config_set_variable(struct pp_config *config, const char *variable, const char *value, char *error)
{
    const char *name = variable + sizeof("PASSPROBE_") - 1;
    const struct pp_option *found = find_option(name);
    if (found)
        return set_option(config, found, value, variable, error);
    const char *near = nearest_name(name);
    char upper[32] = "";
    for (size_t i = 0; near && near[i] && i + 1 < sizeof(upper); i++)
        upper[i] = near[i] == '-' ? '_' : (char)(near[i] - 'a' + 'A');
    if (near)
        snprintf(error, PP_CONFIG_ERROR_MAX, PP_FORMAT_CONFIG_VARIABLE_NEAR, variable, upper);
    else
        snprintf(error, PP_CONFIG_ERROR_MAX, PP_FORMAT_CONFIG_VARIABLE, variable);
    return -EINVAL;
}
