/** @file
 * The option table: names, defaults, valid values; see config.h. See also config_read.c, config_events.c. */
#include "core/config/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config_events.h"
#include "core/config/config_number.h"
#include "core/config/session_place.h"
#include "core/config/user_metric_names.h"
#include "counters/events/event_list.h"
#include "counters/sources/registry.h"
#include "counters/util/array_size.h"
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

const char *
pp_call_graph_name(enum pp_call_graph method)
{
    static const char *const name[] = {"off", "unwind", "fp"};
    return name[method];
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
    if (!pp_place_is_valid(value)) {
        snprintf(why, why_len, PP_FORMAT_CONFIG_TEMPLATE);
        return -EINVAL;
    }
    memcpy(config->output, value, len + 1);
    config->output_given = true;
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

bool
pp_config_wants(const struct pp_config *config, const char *source, bool preset)
{
    struct pp_event_list list;
    bool wants = preset && pp_config_has_defaults(config);
    if (pp_event_list_parse(config->events, &list, NULL))
        return wants;
    const struct pp_source_row *row = pp_source_row_find(source);
    for (size_t i = 0; i < list.items; i++) {
        const struct pp_event_item *item = &list.item[i];
        bool whole = strcmp(item->source, source) == 0, named = whole;
        for (size_t j = 0; row && j < PP_SHORT_NAMES && row->short_name[j] && !named && !item->name; j++)
            named = strcmp(item->source, row->short_name[j]) == 0;
        if (named && item->sign != '-')
            wants = true;
        else if (whole && !item->name)
            wants = false;
    }
    pp_event_list_destroy(&list);
    return wants;
}

/* The message of a mistake in the metrics file has several lines. Only its first line fits into `why`. */
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
    bool bad = pp_config_number_count(p, &p, &first) != 0;
    if (!bad && *p == '\0')
        last = first;
    else if (!bad && *p == '-' && p[1] == '\0')
        p++;
    else if (!bad)
        bad = *p != '-' || pp_config_number_count(p + 1, &p, &last) != 0;
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
    if (pp_config_number_count(value, &end, &every) || *end || every == 0) {
        snprintf(why, why_len, PP_TEXT_CONFIG_EVERY);
        return -EINVAL;
    }
    config->every = every;
    return 0;
}

/* No machine needs more runs: twice PP_ROTATION_SETS. */
#define MOST_SETS 128

static int
set_only_set(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    const char *end = value;
    uint64_t number = 0;
    if (pp_config_number_count(value, &end, &number) || *end || number > MOST_SETS) {
        snprintf(why, why_len, PP_TEXT_CONFIG_ONLY_SET);
        return -EINVAL;
    }
    config->only_set_given = true;
    config->only_set = (uint32_t)number;
    return 0;
}

static int
set_seconds(uint64_t *target, const char *value, char *why, size_t why_len)
{
    uint64_t ns = 0;
    if (pp_config_number_time(value, 1000000000U, &ns)) {
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
set_between(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    size_t len = strlen(value);
    const char *comma = strchr(value, ',');
    if (!comma || comma == value || value[len - 1] == ',' || len >= sizeof(config->between)) {
        snprintf(why, why_len, PP_TEXT_CONFIG_BETWEEN);
        return -EINVAL;
    }
    memcpy(config->between, value, len + 1);
    return 0;
}

static int
set_tag(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    if (!*value || !pp_config_tags_are_valid(value)) {
        snprintf(why, why_len, PP_TEXT_CONFIG_TAG);
        return -EINVAL;
    }
    snprintf(config->tags, sizeof(config->tags), "%s", value);
    return 0;
}

static int
set_require_frames(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    const char *end = value;
    uint64_t frames = 0;
    if (pp_config_number_count(value, &end, &frames) || *end) {
        snprintf(why, why_len, PP_TEXT_CONFIG_REQUIRE_FRAMES);
        return -EINVAL;
    }
    config->frames_required = frames;
    return 0;
}

static int
set_slower_than(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    uint64_t ns = 0;
    if (pp_config_number_time(value, 1000000U, &ns) || ns == 0) {
        snprintf(why, why_len, PP_TEXT_CONFIG_SLOWER_THAN);
        return -EINVAL;
    }
    config->slower_than_ns = ns;
    return 0;
}

/* More frames than these would not be "around" any more; --max-memory bounds what waits. */
#define KEEP_AROUND_MOST 1000U

static int
set_keep_slower_than(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    char time[64];
    const char *colon = strchr(value, ':'), *end = value;
    size_t len = colon ? (size_t)(colon - value) : strlen(value);
    uint64_t ns = 0, around = 1;
    bool bad = len >= sizeof(time);
    if (!bad) {
        memcpy(time, value, len);
        time[len] = '\0';
        bad = pp_config_number_time(time, 1000000U, &ns) || ns == 0;
    }
    if (!bad && colon)
        bad = pp_config_number_count(colon + 1, &end, &around) || *end || around > KEEP_AROUND_MOST;
    if (bad) {
        snprintf(why, why_len, PP_FORMAT_CONFIG_KEEP_SLOWER_THAN, KEEP_AROUND_MOST);
        return -EINVAL;
    }
    config->keep_slower_than_ns = ns;
    config->keep_around = around;
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

/* session.json and the header rows are written in any case and take a part of this. */
#define LEAST_SIZE (UINT64_C(64) << 10)

static int
set_max_size(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    uint64_t bytes = 0;
    if (pp_config_number_bytes(value, &bytes) && bytes >= LEAST_SIZE) {
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
    if (pp_config_number_bytes(value, &bytes) && bytes >= LEAST_MEMORY) {
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

static int
set_call_graph(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    bool on = strcmp(value, "1") == 0, off = strcmp(value, "0") == 0;
    if (on || off || strcmp(value, pp_call_graph_name(PP_CALL_GRAPH_UNWIND)) == 0) {
        config->call_graph = off ? PP_CALL_GRAPH_OFF : PP_CALL_GRAPH_UNWIND;
        return 0;
    }
    if (strcmp(value, pp_call_graph_name(PP_CALL_GRAPH_FP)) == 0) {
        config->call_graph = PP_CALL_GRAPH_FP;
        return 0;
    }
    snprintf(why, why_len, PP_TEXT_CONFIG_CALL_GRAPH);
    return -EINVAL;
}

static int
set_paused(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    return parse_flag(value, &config->paused, why, why_len);
}

static int
set_metrics_socket(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    size_t len = strlen(value);
    if (len == 0 || len >= sizeof(config->metrics_socket) || value[len - 1] == '/') {
        snprintf(why, why_len, PP_TEXT_CONFIG_METRICS_SOCKET);
        return -EINVAL;
    }
    if (!pp_place_is_valid(value)) {
        snprintf(why, why_len, PP_FORMAT_CONFIG_TEMPLATE);
        return -EINVAL;
    }
    memcpy(config->metrics_socket, value, len + 1);
    return 0;
}

static int
set_stop(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    return parse_flag(value, &config->stop, why, why_len);
}

static int
set_symbols(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    bool later = strcmp(value, "later") == 0;
    if (!later && strcmp(value, "now") != 0) {
        snprintf(why, why_len, PP_TEXT_CONFIG_SYMBOLS);
        return -EINVAL;
    }
    config->symbols_later = later;
    return 0;
}

static int
set_events(struct pp_config *config, const char *value, char *why, size_t why_len)
{
    return pp_config_events_set(config, value, why, why_len);
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
