/** @file
 * See events.h. */
#include "cli/launch/events.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/text/message.h"
#include "counters/events/event_plan.h"
#include "counters/metric/catalogue.h"
#include "counters/sources/registry.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

enum { SOURCES = 8 };

/* Find a source whose names are known before the application runs: the kernel offers them, or passprobe's
 * tables describe the hardware, whether this machine has it or not. */
static const struct pp_source_row *
find_known(const char *source)
{
    const struct pp_source_row *row = pp_source_row_find(source);
    return row && row->origin == PP_SOURCE_KERNEL ? row : NULL;
}

/* Can this source's names be known? Names of sources without a device are not known. */
static bool
is_known(const struct pp_event_source *source)
{
    return strcmp(source->ops->name, "cpu") == 0 || !pp_event_source_absent(source);
}

/* A search through a catalogue for what an item may name; docs/formats/events.md has the ways. */
struct lookup {
    const char *wanted;
    bool qualified;             /* SET.METRIC: the nearest one has both, too */
    struct pp_nearest *nearest; /* NULL: only whether it is there */
    char found[256];            /* copy of the nearest */
};

/* Does this name match, or come near? */
static bool
is_named(struct lookup *lookup, const char *name)
{
    if (!lookup->nearest)
        return pp_event_matches(lookup->wanted, name);
    const char *before = lookup->nearest->found;
    pp_nearest_offer(lookup->nearest, name, strlen(name));
    if (lookup->nearest->found == before)
        return false;
    snprintf(lookup->found, sizeof(lookup->found), "%s", name);
    lookup->nearest->found = lookup->found;
    return false;
}

/* Is the wanted name the begin of the metric's name, or part of its description, as another tool spells it:
 * "(GPU_ACTIVE)"? */
static bool
is_meant(const char *wanted, const struct pp_catalogue_metric *metric)
{
    char quoted[128];
    if (strlen(wanted) > 3 && strncasecmp(wanted, metric->symbol, strlen(wanted)) == 0)
        return true;
    if (!strchr(wanted, '_') || snprintf(quoted, sizeof(quoted), "(%s", wanted) >= (int)sizeof(quoted))
        return false;
    return strcasestr(metric->description, quoted) != NULL;
}

/* Compare a metric by its name, by its name with unit, by its maximum, and by its name after that of its
 * set. */
static bool
metric_is_named(struct lookup *lookup, const char *set, const struct pp_catalogue_metric *metric)
{
    char name[512];
    if (is_named(lookup, metric->symbol))
        return true;
    if (!lookup->nearest) {
        snprintf(name, sizeof(name), "%s%s", metric->symbol, pp_unit_suffix(metric->unit_id));
        if (is_named(lookup, name))
            return true;
        snprintf(name, sizeof(name), "%s.max", metric->symbol);
        if (is_named(lookup, name))
            return true;
    } else if (is_meant(lookup->wanted, metric)) { /* an exact match: nothing can be nearer */
        snprintf(lookup->found, sizeof(lookup->found), "%s", metric->symbol);
        *lookup->nearest = (struct pp_nearest){.found = lookup->found};
    }
    snprintf(name, sizeof(name), "%s.%s", set, metric->symbol);
    return lookup->qualified && is_named(lookup, name);
}

/* Find the name that the source gives to the group of a set. */
static const char *
group_of(const struct pp_source_row *known, const char *set)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(known->renamed); i++)
        if (known->renamed[i].set && strcmp(known->renamed[i].set, set) == 0)
            return known->renamed[i].group;
    return set;
}

/* Search the catalogue's sets of all GPUs: the GPU on which the application will run is not known here. */
static bool
is_catalogued(struct lookup *lookup, const struct pp_source_row *known)
{
    const struct pp_catalogue *catalogue = pp_catalogue_find(known->catalogue);
    for (uint32_t i = 0; catalogue && i < catalogue->sets; i++) {
        struct pp_catalogue_set set;
        catalogue->set(i, &set);
        const char *group = group_of(known, set.symbol);
        if (is_named(lookup, group))
            return true;
        for (uint32_t m = 0; m < set.metrics; m++) {
            struct pp_catalogue_metric metric;
            catalogue->metric(i, m, &metric);
            if (metric_is_named(lookup, group, &metric))
                return true;
        }
    }
    return false;
}

/* Check a name of hardware that the kernel does not offer here. The application's driver may offer it. */
static int
check_catalogued(const struct pp_event_item *item, const struct pp_source_row *known,
                 struct pp_event_error *error)
{
    bool qualified = strchr(item->name, '.') || strpbrk(item->name, "*?");
    struct lookup lookup = {.wanted = item->name, .qualified = qualified};
    if (is_catalogued(&lookup, known))
        return 0;
    struct pp_nearest nearest = pp_nearest_begin(item->name, strlen(item->name));
    lookup.nearest = &nearest;
    (void)is_catalogued(&lookup, known);
    error->column = item->column;
    if (nearest.found)
        snprintf(error->message, sizeof(error->message), PP_FORMAT_EVENT_NEAR, item->name, known->name,
                 lookup.found);
    else
        snprintf(error->message, sizeof(error->message), PP_FORMAT_EVENT_LIST, item->name, known->name,
                 known->catalogue);
    return -EINVAL;
}

const char *
pp_events_catalogue(const char *source)
{
    const struct pp_source_row *known = find_known(source);
    return known ? known->catalogue : NULL;
}

bool
pp_events_take(const char *source, const char *name, const struct pp_catalogue_set *set,
               const struct pp_catalogue_metric *metric)
{
    const struct pp_source_row *known = find_known(source);
    if (!known || !known->catalogue)
        return false;
    struct lookup lookup = {.wanted = name, .qualified = true};
    const char *group = group_of(known, set->symbol);
    return is_named(&lookup, group) || metric_is_named(&lookup, group, metric);
}

/* Check that an event exists. Each item of the list is checked by itself: the session decides which events
 * fit together. */
static int
check_item(const struct pp_event_item *item, const struct pp_event_source *source,
           struct pp_event_error *error)
{
    struct pp_event_list one = {.item = item, .items = 1};
    struct pp_event_plan plan = {.sets = 0};
    if (!is_known(source))
        return 0;
    int rc = pp_event_plan_make(&one, source, 1, NULL, 0, &plan, error);
    if (rc == 0)
        pp_event_plan_destroy(&plan);
    return rc == -ENOENT ? -EINVAL : rc == -ENOMEM ? rc : 0;
}

/* Check an item of the list against the sources that are open. */
static int
check_one(const struct pp_event_item *item, const struct pp_event_source *source, size_t sources,
          struct pp_event_error *error)
{
    const struct pp_source_row *known = find_known(item->source);
    int rc = 0;
    bool present = false;
    for (size_t s = 0; s < sources && rc == 0; s++) {
        if (strcmp(source[s].ops->name, item->source) != 0)
            continue;
        present |= is_known(&source[s]);
        rc = check_item(item, &source[s], error);
    }
    return present || !known->catalogue ? rc : check_catalogued(item, known, error);
}

static int
check_list(const struct pp_event_list *list, struct pp_event_error *error)
{
    static struct pp_event_source source[SOURCES]; /* the process's, for good */
    size_t sources = 0;
    int rc = 0;
    for (size_t i = 0; i < list->items && rc == 0; i++) {
        const struct pp_event_item *item = &list->item[i];
        if (!item->name || !find_known(item->source))
            continue;
        if (sources == 0)
            sources = pp_kernel_sources_open(NULL, source, SOURCES);
        rc = check_one(item, source, sources, error);
    }
    return rc;
}

int
pp_events_check(const struct pp_config *config, const char *place)
{
    struct pp_event_list list;
    struct pp_event_error error = {.message = ""};
    if (!config->events_given || pp_event_list_parse(config->events, &list, NULL))
        return 0;
    int rc = check_list(&list, &error);
    pp_event_list_destroy(&list);
    if (rc == -EINVAL)
        pp_message(PP_FORMAT_EVENT_BAD, place, config->events, error.column, error.message);
    else if (rc)
        pp_message("%s: %s", place, strerror(-rc));
    return rc;
}
