/** @file
 * Events that exist and fit the hardware; see known_events.h. */
#include "core/events/known_events.h"

#include <errno.h>
#include <stdio.h>

#include "core/util/log.h"
#include "counters/events/event_list.h"
#include "pp_texts.h"

#define NAME_BYTES 320U

/* Number of items of the user's list. */
static size_t
items_of(const struct pp_config *config)
{
    struct pp_event_list list;
    if (pp_event_list_parse(config->events, &list, NULL))
        return 0;
    size_t items = list.items;
    pp_event_list_destroy(&list);
    return items;
}

/* Remove the item in the column of the error, with @p together its whole group. @return Number of removed
 * items. */
static size_t
remove_items(struct pp_event_list *list, const struct pp_event_error *error, bool together,
             pp_report_missing_fn report, void *to)
{
    /* Items are const only for readers of the list; the caller of this function owns it. */
    struct pp_event_item *item = (struct pp_event_item *)(uintptr_t)list->item;
    char name[NAME_BYTES];
    size_t kept = 0;
    uint32_t group = 0;
    for (size_t i = 0; i < list->items; i++) {
        if (item[i].column == error->column)
            group = together ? item[i].group : 0;
        else if (!group || item[i].group != group) {
            item[kept++] = item[i];
            continue;
        }
        snprintf(name, sizeof(name), "%s%s%s", item[i].source, item[i].name ? ":" : "",
                 item[i].name ? item[i].name : "");
        report(to, name, error->message);
    }
    size_t gone = list->items - kept;
    list->items = kept;
    if (gone)
        pp_log(PP_MSG_EVENT, error->column, error->message);
    return gone;
}

/* Number of items in the group that begins in that column; 1: no group begins there. */
static size_t
group_size(const struct pp_event_list *list, uint32_t column)
{
    size_t items = 0;
    uint32_t group = 0;
    for (size_t i = 0; i < list->items && !group; i++)
        group = list->item[i].column == column ? list->item[i].group : 0;
    for (size_t i = 0; i < list->items && group; i++)
        items += list->item[i].group == group;
    return items ? items : 1;
}

int
pp_known_events_plan(const struct pp_config *config, const struct pp_event_ref *given, size_t givens,
                     struct pp_event_list *list, const struct pp_event_source *source, size_t sources,
                     struct pp_event_plan *plan, struct pp_event_error *error, pp_report_missing_fn report,
                     void *to)
{
    size_t items = !config ? 0 : pp_config_has_defaults(config) ? SIZE_MAX : items_of(config);
    for (size_t gone = 0;;) {
        int rc = pp_event_plan_change(given, givens, list, source, sources, plan, error);
        if (rc != -ENOENT && rc != -ENOSPC)
            return rc;
        size_t more = rc == -ENOSPC ? group_size(list, error->column) : 1;
        if (gone + more >= items)
            return rc;
        size_t removed = remove_items(list, error, rc == -ENOSPC, report, to);
        if (!removed) /* the given events do not fit */
            return rc;
        gone += removed;
        if (list->items == 0 && givens == 0)
            return 0;
    }
}
