/** @file
 * See event_selection.h. */
#include "core/events/event_selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/derive/verdicts.h"
#include "core/events/device_counters.h"
#include "core/events/event_columns.h"
#include "core/events/system_counters.h"
#include "core/util/heap.h"
#include "core/util/log.h"
#include "counters/events/event_plan.h"
#include "counters/sources/registry.h"
#include "pp_texts.h"

#define NAME_BYTES 320U
/* Maximum number of missing events that are reported by name. */
#define MISSING_MAX 1024U

/* Planning of one device. */
struct planner {
    struct pp_session *session;
    struct pp_device *device;
    const struct pp_device_info *info;
    struct pp_event_list list;
    struct pp_event_ref *default_event;
    uint32_t default_count, default_cap;
    struct pp_event_plan plan;
    char *error;
};

static int
add_fixed(struct planner *planner, const struct pp_device_source *source)
{
    struct pp_device *device = planner->device;
    uint32_t s = device->sources;
    struct pp_source_set *set = calloc(1, sizeof(*set));
    if (!set)
        return -ENOMEM;
    device->source_name[s] = source->name;
    device->source_set[s] = set;
    device->source_sets[s] = 1;
    device->sources++;
    set->set.layout = source->layout;
    set->column = calloc(source->layout->fields + 1, sizeof(*set->column));
    if (!set->column)
        return -ENOMEM;
    (void)pp_event_columns_map_fields(planner->session, source->name, set, false);
    device->offset[s] = device->row_bytes;
    device->row_bytes += (source->layout->size + 7U) & ~7U;
    int rc = pp_event_columns_note_words(set);
    if (!set->word)
        device->begin_bytes = device->row_bytes;
    return rc;
}

/* Events of one source in one set of the plan. @retval 0, -ENOMEM. */
static int
fill_set(struct planner *planner, const struct pp_event_source *counter, uint32_t number, uint32_t at,
         struct pp_source_set *set)
{
    const struct pp_event_set *planned = &planner->plan.set[at];
    size_t events = pp_event_set_of_source(planned, number, NULL, 0);
    uint32_t *event = calloc(events + 1, sizeof(*event));
    if (!event)
        return -ENOMEM;
    set->set.event = event;
    if (events == 0)
        return 0;
    (void)pp_event_set_of_source(planned, number, event, events);
    set->set.layout = counter->ops->layout(counter->self, event, events);
    set->set.events = set->set.layout ? (uint32_t)events : 0;
    set->column = set->set.layout ? calloc(set->set.layout->fields + 1, sizeof(*set->column)) : NULL;
    return !set->set.layout || set->column ? 0 : -ENOMEM;
}

static int
add_counter(struct planner *planner, const struct pp_event_source *counter, uint32_t number)
{
    struct pp_device *device = planner->device;
    uint32_t s = device->sources;
    uint32_t size = 0;
    int rc = 0;
    struct pp_source_set *set = calloc(device->sets + 1, sizeof(*set));
    if (!set)
        return -ENOMEM;
    device->source_name[s] = counter->ops->name;
    device->source_set[s] = set;
    device->source_sets[s] = device->sets;
    device->counter[s] = *counter;
    device->sources++;
    for (uint32_t k = 0; k < device->sets && rc == 0; k++) {
        rc = fill_set(planner, counter, number, k, &set[k]);
        if (rc || set[k].set.events == 0)
            continue;
        uint32_t without = 0;
        if (counter->ops->formulas)
            rc = pp_event_columns_map_formulas(planner->session, counter, &set[k]);
        else
            without = pp_event_columns_map_fields(planner->session, counter->ops->name, &set[k], true);
        if (rc == -ENOSPC || without)
            pp_device_missing_locked(device, counter->ops->name,
                                     planner->session->begun ? PP_TEXT_COLUMNS_OF_FIRST
                                                             : PP_TEXT_COLUMNS_FULL);
        rc = rc && rc != -ENOSPC ? rc : pp_event_columns_note_words(&set[k]);
        size = set[k].set.layout->size > size ? set[k].set.layout->size : size;
    }
    if (rc == 0 && size && counter->ops->reads == PP_READ_STREAM)
        pp_event_columns_add_estimate(planner->session, counter->ops->name, set, device->sets);
    device->offset[s] = device->row_bytes;
    device->row_bytes += (size + 7U) & ~7U;
    device->begin_bytes = device->row_bytes;
    device->exclusive |= size && counter->ops->exclusive;
    device->reads |= size && pp_counter_is_read(counter->ops);
    device->reads_idle |= size && counter->ops->reads == PP_READ_IDLE;
    device->streams |= size && counter->ops->reads == PP_READ_STREAM;
    return rc;
}

static const struct pp_event_source *
find_source(const struct planner *planner, const char *name)
{
    for (uint32_t i = 0; i < planner->info->counters; i++)
        if (strcmp(planner->info->counter[i].ops->name, name) == 0)
            return &planner->info->counter[i];
    return NULL;
}

static bool
has_event(const struct pp_event_source *source, const char *name)
{
    struct pp_event event;
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++)
        if (strcmp(event.name, name) == 0)
            return true;
    return false;
}

/* Report why the driver lacks a source that the kernel does not have either. */
static void
report_absent(struct planner *planner, const char *source)
{
    char name[NAME_BYTES];
    for (uint32_t i = 0; i < planner->info->absents; i++) {
        if (strcmp(planner->info->absent[i].source, source) != 0)
            continue;
        snprintf(name, sizeof(name), "%s (driver)", source);
        pp_device_missing_locked(planner->device, name, planner->info->absent[i].reason);
    }
}

/* Is this item for a source of the device? If not, and if no other source has it, report why. */
static bool
is_of_device(struct planner *planner, const struct pp_event_item *item)
{
    const struct pp_device_info *info = planner->info;
    const struct pp_event_source *source = find_source(planner, item->source);
    const char *absent = source ? pp_event_source_absent(source) : NULL;
    bool removes = item->sign == '-'; /* what is not there is not missed */
    if (absent && !removes) {
        pp_device_missing_locked(planner->device, item->source, absent);
        report_absent(planner, item->source);
    }
    if (source)
        return !absent;
    for (uint32_t i = 0; i < info->counters && !item->name; i++)
        if (has_event(&info->counter[i], item->source))
            return true;
    for (uint32_t i = 0; i < info->absents && !removes; i++) {
        if (strcmp(info->absent[i].source, item->source) != 0)
            continue;
        pp_device_missing_locked(planner->device, item->source, info->absent[i].reason);
        return false;
    }
    const struct pp_source_row *row = pp_source_row_find(item->source);
    if (row && row->origin != PP_SOURCE_BUILTIN && !row->of_frames && !removes)
        pp_device_missing_locked(planner->device, item->source, PP_TEXT_WRONG_SOURCE);
    return false;
}

/* Append the default events of one source to the planner's array. @retval 0, -ENOMEM. */
static int
add_default_events(struct planner *planner, uint32_t number)
{
    const struct pp_event_source *source = &planner->info->counter[number];
    uint32_t event = 0;
    int rc = 0;
    for (uint32_t i = 0; !rc && source->ops->default_event(source->self, i, &event) == 0; i++) {
        rc = pp_array_grow(&planner->default_event, &planner->default_cap, (size_t)planner->default_count + 1,
                           sizeof(*planner->default_event));
        if (!rc)
            planner->default_event[planner->default_count++] = (struct pp_event_ref){number, event};
    }
    return rc;
}

/* Find the default events of all sources, and report those that are refused. */
static int
find_default_events(struct planner *planner)
{
    const struct pp_device_info *info = planner->info;
    const struct pp_config *config = &planner->session->config;
    int rc = 0;
    for (uint32_t i = 0; i < info->absents; i++)
        if (info->absent[i].refused && pp_config_wants(config, info->absent[i].source, true))
            pp_device_missing_locked(planner->device, info->absent[i].source, info->absent[i].reason);
    for (uint32_t i = 0; i < info->counters && !rc; i++)
        if (info->counter[i].ops->default_event)
            rc = add_default_events(planner, i);
    return rc;
}

/* Without a list of the user: plan the default events of each source. Those of one source are a group. */
static int
plan_default_events(struct planner *planner, struct pp_event_error *error)
{
    const struct pp_device_info *info = planner->info;
    int rc = find_default_events(planner);
    if (rc || planner->default_count == 0)
        return rc;
    rc = pp_event_plan_make_of(planner->default_event, planner->default_count, info->counter, info->counters,
                               &planner->plan, error);
    if (rc &&
        rc != -ENOMEM) { /* a driver's default set violates the driver's own rules: measure without it */
        pp_device_missing_locked(planner->device, PP_EVENT_DEFAULT_SET, error->message);
        rc = 0;
    }
    return rc;
}

/* Parse the user's list, and remove the items that are not for this device. */
static int
user_list(struct planner *planner)
{
    int rc = pp_event_list_parse(planner->session->config.events, &planner->list, NULL);
    if (rc)
        return rc;
    /* Items are const only for readers of the list; this planner owns it. */
    struct pp_event_item *item = (struct pp_event_item *)(uintptr_t)planner->list.item;
    size_t kept = 0;
    for (size_t i = 0; i < planner->list.items; i++)
        if (is_of_device(planner, &item[i]))
            item[kept++] = item[i];
    planner->list.items = kept;
    return 0;
}

static void
report_missing_event(struct planner *planner, struct pp_event_ref ref, const char *reason)
{
    const struct pp_event_source *source = &planner->info->counter[ref.source];
    struct pp_event event;
    char name[NAME_BYTES];
    if (source->ops->event(source->self, ref.event, &event))
        return;
    snprintf(name, sizeof(name), "%s:%s", source->ops->name, event.name);
    pp_device_missing_locked(planner->device, name, reason);
}

static bool
set_has(const struct pp_event_set *set, struct pp_event_ref ref)
{
    bool has = false;
    for (size_t i = 0; i < set->events && !has; i++)
        has = set->event[i].source == ref.source && set->event[i].event == ref.event;
    return has;
}

/* Keep one set where a source may not change it in a running process, and report the events of the others. */
static void
keep_one_set(struct planner *planner)
{
    struct pp_event_plan *plan = &planner->plan;
    const char *why = NULL;
    for (uint32_t s = 0; s < planner->info->counters && !why; s++) {
        const struct pp_event_source *source = &planner->info->counter[s];
        why = source->ops->one_set ? source->ops->one_set(source->self) : NULL;
    }
    if (!why || planner->session->config.only_set_given ||
        pp_event_plan_limited_sets(plan, planner->info->counter) < 2)
        return;
    for (size_t i = 0, reported = 0; i < plan->wanted_count && reported < MISSING_MAX; i++) {
        struct pp_event_ref ref = plan->wanted[i];
        const struct pp_event_source *source = &planner->info->counter[ref.source];
        if (!pp_event_is_limited(source, ref.event) || set_has(&plan->set[0], ref))
            continue;
        report_missing_event(planner, ref, why);
        reported++;
    }
    pp_event_plan_keep(plan, planner->info->counter, 1);
}

/* Report each event that the plan lacks, with its reason. If there are very many, one line covers the
 * rest. */
static void
report_missing_events(struct planner *planner)
{
    const struct pp_event_plan *plan = &planner->plan;
    char name[NAME_BYTES];
    for (size_t i = 0; i < plan->missing_count && i < MISSING_MAX; i++)
        report_missing_event(planner, plan->missing[i].event, plan->missing[i].reason);
    if (plan->missing_count <= MISSING_MAX)
        return;
    snprintf(name, sizeof(name), PP_EVENT_MORE_EVENTS, plan->missing_count - MISSING_MAX);
    pp_device_missing_locked(planner->device, name, plan->missing[MISSING_MAX].reason);
}

static void
report_missing(void *to, const char *event, const char *reason)
{
    pp_device_missing_locked(to, event, reason);
}

static int
plan_user_list(struct planner *planner, struct pp_event_error *error)
{
    const struct pp_device_info *info = planner->info;
    int rc = user_list(planner);
    if (rc == 0 && planner->session->config.events_change)
        rc = find_default_events(planner);
    if (rc || planner->list.items + planner->default_count == 0)
        return rc;
    rc = pp_known_events_plan(&planner->session->config, planner->default_event, planner->default_count,
                              &planner->list, info->counter, info->counters, &planner->plan, error,
                              report_missing, planner->device);
    if (rc == -ENOSPC && planner->default_count) {
        pp_device_missing_locked(planner->device, PP_EVENT_DEFAULT_SET, error->message);
        rc = pp_known_events_plan(&planner->session->config, NULL, 0, &planner->list, info->counter,
                                  info->counters, &planner->plan, error, report_missing, planner->device);
    }
    if (!rc || rc == -ENOMEM)
        return rc;
    snprintf(planner->error, PP_EVENT_SELECTION_ERROR_MAX, PP_FORMAT_EVENTS_COLUMN, error->column,
             error->message);
    return -EINVAL;
}

static int
make_plan(struct planner *planner)
{
    struct pp_event_error error = {.message = ""};
    bool given = planner->session->config.events_given;
    int rc = given ? plan_user_list(planner, &error) : plan_default_events(planner, &error);
    if (rc)
        return rc;
    report_missing_events(planner);
    keep_one_set(planner);
    pp_only_set_keep(&planner->session->config, &planner->plan, planner->info->counter,
                     planner->info->counters, true, &planner->device->only_set);
    planner->device->sets = (uint32_t)planner->plan.sets;
    return 0;
}

static bool
is_planned(const struct pp_event_plan *plan, uint32_t source)
{
    for (size_t i = 0; i < plan->sets; i++)
        if (pp_event_set_of_source(&plan->set[i], source, NULL, 0) > 0)
            return true;
    return false;
}

/* Does the application itself use the hardware that the machine's source of this name needs? */
static bool
is_taken(const struct pp_device_info *info, const char *source)
{
    for (uint32_t i = 0; i < info->absents; i++)
        if (info->absent[i].taken && strcmp(info->absent[i].source, source) == 0)
            return true;
    return false;
}

/* Append sources of the machine that the device's brackets read to the device's sources. @return Number of
 * sources in all. */
static uint32_t
join_machine(const struct pp_device *device, const struct pp_device_info *info, struct pp_event_source *all)
{
    uint32_t count = 0, more = 0;
    const struct pp_event_source *system_counters =
        pp_system_counters_brackets(device->session->sources.system_counters, &more);
    for (uint32_t i = 0; i < info->counters && count < PP_MAX_SOURCES; i++)
        all[count++] = info->counter[i];
    for (uint32_t i = 0; i < more && count < PP_MAX_SOURCES; i++) {
        bool streams = system_counters[i].ops->reads == PP_READ_STREAM && info->timestamp_bits > 0;
        bool not_free = is_taken(info, system_counters[i].ops->name);
        for (uint32_t j = 0; j < info->counters; j++)
            not_free |= strcmp(info->counter[j].ops->name, system_counters[i].ops->name) == 0;
        bool idle = info->reads_idle && system_counters[i].ops->reads == PP_READ_IDLE;
        bool recorded = info->records && system_counters[i].ops->reads == PP_READ_THREAD;
        if (!not_free &&
            (streams || idle || recorded || (info->reads && pp_counter_is_read(system_counters[i].ops))))
            all[count++] = system_counters[i];
    }
    return count;
}

/* Append the kernel's default source if the driver has none and the application does not use it. @return
 * Number of all sources. */
static uint32_t
join_default(struct pp_device *device, const struct pp_device_info *info, struct pp_event_source *all,
             uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < info->counters; i++)
        if (info->counter[i].ops->default_event &&
            !info->counter[i].ops->default_event(info->counter[i].self, 0, &first))
            return count;
    const struct pp_event_source *source =
        pp_default_events_source_locked(device->session, info->vendor, info->gpu);
    if (!source || count == PP_MAX_SOURCES || is_taken(info, source->ops->name))
        return count;
    bool streams = source->ops->reads == PP_READ_STREAM;
    if (streams ? info->timestamp_bits == 0 : !(info->reads || info->reads_idle))
        return count;
    const char *absent = pp_event_source_absent(source);
    if (absent)
        pp_device_missing_locked(device, source->ops->name, absent);
    else
        all[count++] = *source;
    return count;
}

static const struct pp_layout no_time = {.fields = 0};

int
pp_event_selection_make(struct pp_device *device, const struct pp_device_info *asked, char *error)
{
    struct pp_event_source all[PP_MAX_SOURCES];
    struct pp_device_info joined = *asked;
    const struct pp_device_info *info = &joined;
    struct planner planner = {.session = device->session, .device = device, .info = info, .error = error};
    int rc = 0;
    const struct pp_column isolated = {.number = PP_NUMBER_U64, .not_additive = true, .single = true};
    uint16_t column = device->session->config.serialize
                          ? pp_event_columns_get_locked(device->session, "serialize:isolated", &isolated)
                          : UINT16_MAX;
    /* All devices share the first device's column. The collector reads it from then on without a lock. */
    if (device->session->rows.isolated != column)
        device->session->rows.isolated = column;
    joined.counters = join_default(device, asked, all, join_machine(device, asked, all));
    joined.counter = all;
    for (uint32_t i = 0; i < PP_MAX_SOURCES; i++)
        device->counter_at[i] = UINT32_MAX;
    for (uint32_t i = 0; i < info->sources && i < PP_MAX_SOURCES && rc == 0; i++)
        rc = add_fixed(&planner, &info->source[i]);
    /* Place 0 is reserved for time, also on devices without timestamps. Counters follow. */
    if (info->sources == 0 && rc == 0)
        rc = add_fixed(&planner, &(struct pp_device_source){"time", &no_time});
    if (rc == 0)
        rc = make_plan(&planner);
    for (uint32_t i = 0; i < info->counters && rc == 0; i++) {
        if (!is_planned(&planner.plan, i) || device->sources == PP_MAX_SOURCES)
            continue;
        device->counter_at[i] = device->sources;
        rc = add_counter(&planner, &info->counter[i], i);
        if (rc == 0 && info->counter[i].ops->note)
            pp_device_note_locked(device, info->counter[i].ops->note);
        if (rc == 0 && info->counter[i].ops->reads == PP_READ_IDLE && !device->session->config.serialize)
            pp_device_missing_locked(device, info->counter[i].ops->name, PP_TEXT_NEEDS_SERIALIZE);
    }
    device->counters = info->counters;
    rc = rc ? rc : pp_row_bottleneck_create(device, &device->bound);
    rc = rc ? rc : pp_row_plausibility_create(device, &device->plausibility);
    free(planner.default_event);
    pp_event_list_destroy(&planner.list);
    pp_event_plan_destroy(&planner.plan);
    return rc;
}

void
pp_event_selection_finish(struct pp_device *device)
{
    pp_row_bottleneck_destroy(device->bound);
    pp_row_plausibility_destroy(device->plausibility);
    for (uint32_t s = 0; s < device->sources; s++) {
        for (uint32_t k = 0; device->source_set[s] && k < device->source_sets[s]; k++) {
            free((void *)(uintptr_t)device->source_set[s][k].set.event);
            free(device->source_set[s][k].column);
            free(device->source_set[s][k].word);
        }
        free(device->source_set[s]);
    }
}

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

/* The one set of --only-set. */

/* Does the plan have an event of a source that allows one open bracket only? */
static bool
is_exclusive(const struct pp_event_plan *plan, const struct pp_event_source *source, size_t sources)
{
    bool exclusive = false;
    for (size_t k = 0; k < plan->sets && !exclusive; k++)
        for (uint32_t s = 0; s < sources && !exclusive; s++)
            exclusive = source[s].ops->exclusive && pp_event_set_of_source(&plan->set[k], s, NULL, 0) > 0;
    return exclusive;
}

void
pp_only_set_keep(const struct pp_config *config, struct pp_event_plan *plan,
                 const struct pp_event_source *source, size_t sources, bool of_brackets,
                 struct pp_only_set *ret)
{
    uint32_t sets = pp_event_plan_limited_sets(plan, source), number = (uint32_t)config->only_set;
    *ret = (struct pp_only_set){.given = config->only_set_given};
    if (!ret->given)
        return;
    ret->halves = of_brackets && config->level == PP_LEVEL_DRAW && is_exclusive(plan, source, sources);
    ret->of = ret->halves ? 2 * sets : sets;
    ret->number = number;
    ret->actions = ret->halves && number > sets && number <= ret->of;
    if (number > ret->of)
        number = 0;
    pp_event_plan_keep(plan, source, ret->actions ? number - sets : number);
}
