/** @file
 * The value of --events; see config_events.h. */
#include "core/config/config_events.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "counters/events/event_list.h"
#include "counters/sources/registry.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

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

int
pp_config_events_set(struct pp_config *config, const char *value, char *why, size_t why_len)
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
