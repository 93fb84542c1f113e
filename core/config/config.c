/** @file
 * See config.h. The option table: names, defaults, valid values; See also config_read.c.
 *
 * The value of --tag; */
#include "core/config/config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "core/config/option.h"
#include "core/config/session_place.h"
#include "core/config/user_metric_names.h"
#include "counters/events/event_plan.h"
#include "counters/sources/registry.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "counters/util/printable.h"
#include "pp_texts.h"

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is this text a key? */
static bool
is_key(const char *text, size_t len)
{
    if (len == 0 || len >= PP_TAG_KEY_MAX || !is_letter(*text))
        return false;
    for (size_t i = 1; i < len; i++)
        if (!is_letter(text[i]) && !(text[i] >= '0' && text[i] <= '9') && !strchr("_-.", text[i]))
            return false;
    return true;
}

/* Is this text a value? */
static bool
is_value(const char *text, size_t len)
{
    if (len == 0 || len >= PP_TAG_VALUE_MAX)
        return false;
    bool printable = true;
    for (size_t i = 0; i < len && printable;)
        i += pp_printable_next(text + i, &printable);
    return printable;
}

int
pp_config_tag_next(const char **list, struct pp_tag *ret)
{
    const char *text = *list;
    if (!text)
        return 0;
    size_t len = strcspn(text, ","), key = strcspn(text, "=,");
    if (text[key] != '=' || !is_key(text, key) || !is_value(text + key + 1, len - key - 1))
        return -EINVAL;
    memcpy(ret->key, text, key);
    ret->key[key] = '\0';
    memcpy(ret->value, text + key + 1, len - key - 1);
    ret->value[len - key - 1] = '\0';
    *list = text[len] ? text + len + 1 : NULL;
    return 1;
}

/* Does a tag after the first one of the list have this key? */
static bool
is_there(const char *list, const char *key)
{
    struct pp_tag tag;
    while (pp_config_tag_next(&list, &tag) > 0)
        if (strcmp(tag.key, key) == 0)
            return true;
    return false;
}

bool
pp_config_tags_are_valid(const char *list)
{
    struct pp_tag tag;
    int rc = 0;
    if (strlen(list) >= PP_TAGS_MAX)
        return false;
    for (list = *list ? list : NULL; (rc = pp_config_tag_next(&list, &tag)) > 0;)
        if (is_there(list, tag.key))
            return false;
    return rc == 0;
}

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
    uint32_t mask = 0, all = (1U << PP_PIPELINE_STATISTICS) - 1;
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
    mask = list.changes ? all : 0;
    for (size_t i = 0; i < list.items && rc == 0; i++) {
        const struct pp_event_item *item = &list.item[i];
        uint32_t named = 0;
        rc = add_event(item, &named);
        mask = item->sign == '-' ? mask & ~named : mask | named;
        if (rc) {
            explain_event(item, value, why, why_len);
        } else if (item->sign == '-' && is_time(item)) {
            snprintf(why, why_len, PP_FORMAT_CONFIG_EVENT_TIME, item->column);
            rc = -EINVAL;
        }
    }
    bool changes = list.changes;
    pp_event_list_destroy(&list);
    if (rc)
        return -EINVAL;
    memcpy(config->events, value, strlen(value) + 1);
    config->events_given = true;
    config->events_change = changes;
    config->pipeline_mask = mask;
    return 0;
}

/* A row of docs/options.yaml whose type is "own" has its function set_NAME() above. */
static const struct pp_option option[] = {PP_CONFIG_ROWS(struct pp_config)};

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
    config->pipeline_mask = (1U << PP_PIPELINE_STATISTICS) - 1;
    config->frames_last = UINT64_MAX;
    pp_option_presets(option, OPTIONS, config);
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
    char folded[64];
    size_t len = 0;
    for (; name[len] && len + 1 < sizeof(folded); len++)
        folded[len] = fold(name[len]);
    struct pp_nearest nearest = pp_nearest_begin(folded, len);
    for (size_t i = 0; i < OPTIONS; i++)
        pp_nearest_offer(&nearest, option[i].name, strlen(option[i].name));
    return nearest.found;
}

static int
set_option(struct pp_config *config, const struct pp_option *found, const char *value, const char *place,
           char *error)
{
    char why[256];
    if (pp_option_store(found, config, value, why, sizeof(why)) == 0)
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
