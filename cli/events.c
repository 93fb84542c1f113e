/** @file
 * See events.h. */
#include "cli/events.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cli/say.h"
#include "counters/events.h"
#include "counters/source/sources.h"

enum { SOURCES = 8 };

static bool
is_early(const char *source)
{
    static const char *const name[] = {"cpu", "drm", "hwmon"};
    for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++)
        if (strcmp(name[i], source) == 0)
            return true;
    return false;
}

/* May this source's names be known? What a source without a device would have is not. */
static bool
is_known(const struct pp_event_source *source)
{
    return strcmp(source->ops->name, "cpu") == 0 || !pp_event_source_absent(source);
}

/* Is there such an event? Each item alone: what fits together is the session's matter. */
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

static int
check_list(const struct pp_event_list *list, struct pp_event_error *error)
{
    static struct pp_event_source source[SOURCES]; /* the process's, for good */
    size_t sources = 0;
    for (size_t i = 0; i < list->items; i++) {
        const struct pp_event_item *item = &list->item[i];
        if (!item->name || !is_early(item->source))
            continue;
        if (sources == 0)
            sources = pp_kernel_sources_open(NULL, source, SOURCES);
        for (size_t s = 0; s < sources; s++) {
            bool asked = strcmp(source[s].ops->name, item->source) == 0;
            int rc = asked ? check_item(item, &source[s], error) : 0;
            if (rc)
                return rc;
        }
    }
    return 0;
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
        pp_say("%s: bad value '%.100s': column %u: %s", place, config->events, error.column, error.message);
    else if (rc)
        pp_say("%s: %s", place, strerror(-rc));
    return rc;
}
