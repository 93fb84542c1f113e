/** @file
 * See perf_source.h. */
#include "hooks/counters/perf_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "counters/events/event_names.h"
#include "hooks/counters/perf_result.h"

/* Copy a driver's text into new memory. */
static char *
copy_text(const char *text)
{
    char *made = malloc(3 * strlen(text) + 4);
    if (made)
        pp_event_text_clean(made, 3 * strlen(text) + 4, text);
    return made;
}

static char *
copy_name(const char *text, const char *if_empty)
{
    size_t size = 3 * (strlen(text) + strlen(if_empty)) + 4;
    char *made = malloc(size);
    if (made)
        pp_event_name_clean(made, size, text, if_empty);
    return made;
}

/* Double the size of an array when it is full; it has `count` elements. */
static void *
grown(void *array, uint32_t count, size_t size)
{
    if (count & (count - 1) || (count > 0 && count < 8))
        return array;
    return realloc(array, (count ? count * 2 : 8) * size);
}

struct pp_gl_perf_group *
pp_gl_perf_add_group(struct pp_gl_perf *perf, const char *name)
{
    perf->cut |= perf->groups == PP_GL_PERF_GROUPS;
    if (perf->groups == PP_GL_PERF_GROUPS)
        return NULL;
    struct pp_gl_perf_group *all = grown(perf->group, perf->groups, sizeof(*all));
    if (!all)
        return NULL;
    perf->group = all;
    struct pp_gl_perf_group *made = &all[perf->groups];
    *made = (struct pp_gl_perf_group){.name = copy_name(name, "group")};
    perf->groups += made->name != NULL;
    return made->name ? made : NULL;
}

struct pp_gl_perf_event *
pp_gl_perf_add_event(struct pp_gl_perf *perf, const char *name, const char *description)
{
    perf->cut |= perf->events == PP_GL_PERF_EVENTS;
    if (perf->events == PP_GL_PERF_EVENTS)
        return NULL;
    struct pp_gl_perf_event *all = grown(perf->event, perf->events, sizeof(*all));
    if (!all)
        return NULL;
    perf->event = all;
    struct pp_gl_perf_event *made = &all[perf->events];
    *made = (struct pp_gl_perf_event){
        .name = copy_name(name, "counter"),
        .description = copy_text(*description ? description : "The driver does not say."),
        .group = perf->groups - 1,
        .mode = PP_FIELD_DELTA,
    };
    if (made->name && made->description) {
        perf->events++;
        return made;
    }
    free(made->name);
    free(made->description);
    return NULL;
}

/* Names. */

/* Events with the same name share a column if they are never measured together and have the same kind. */
static uint32_t
kind_of(const struct pp_gl_perf *perf, const struct pp_gl_perf_event *event)
{
    return perf->one_group ? 1U | (uint32_t)event->number << 1U | (uint32_t)event->unit << 8U |
                                 (uint32_t)event->mode << 16U | (uint32_t)event->not_additive << 24U
                           : 0;
}

void
pp_gl_perf_name_events(struct pp_gl_perf *perf)
{
    struct pp_event_name *name = calloc((size_t)perf->events + 1, sizeof(*name));
    for (uint32_t i = 0; name && i < perf->events; i++)
        name[i] = (struct pp_event_name){.name = perf->event[i].name,
                                         .group = perf->group[perf->event[i].group].name,
                                         .unit = (enum pp_unit)perf->event[i].unit,
                                         .kind = kind_of(perf, &perf->event[i])};
    int rc = name ? pp_event_names_distinguish(name, perf->events) : -ENOMEM;
    for (uint32_t i = 0; name && i < perf->events; i++) {
        if (rc || !name[i].made) {
            free(name[i].made);
            continue;
        }
        free(perf->event[i].name);
        perf->event[i].name = name[i].made;
    }
    free(name);
    for (uint32_t i = 0; rc && i < perf->events; i++)
        perf->event[i].reason = PP_TEXT_NO_MEMORY;
}

/* The interface. */

static int
event_at(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_gl_perf *perf = self;
    if (i >= perf->events)
        return -ENOENT;
    const struct pp_gl_perf_event *event = &perf->event[i];
    *ret_event = (struct pp_event){
        .name = event->name,
        .description = event->description,
        .reason = event->reason,
        .unit = (enum pp_unit)event->unit,
        .group = perf->group[event->group].name,
        .number = (enum pp_number)event->number,
        .not_additive = event->not_additive,
    };
    return 0;
}

/* Make a set of these events for the driver. */
static int
make_set(const struct pp_gl_perf *perf, const uint32_t *event, size_t events, struct pp_gl_perf_set *ret)
{
    struct pp_gl_perf_want *want = calloc(events + 1, sizeof(*want));
    if (!want)
        return -ENOMEM;
    for (size_t i = 0; i < events; i++)
        want[i] = perf->event[event[i]].want;
    const struct pp_gl_perf_group *group = events ? &perf->group[perf->event[event[0]].group] : NULL;
    *ret = (struct pp_gl_perf_set){.want = want, .wants = (uint32_t)events};
    ret->query = group ? group->id : 0;
    ret->whole = group && group->whole;
    ret->bytes = group && group->bytes ? group->bytes : pp_gl_perf_monitor_bytes(want, ret->wants);
    return 0;
}

/* Do the groups of event[] belong to one shader stage? Groups without a stage go with all. */
static bool
of_one_stage(const struct pp_gl_perf *perf, const uint32_t *event, size_t events)
{
    uint32_t found = 0;
    for (size_t i = 0; i < events; i++) {
        uint32_t stage = perf->group[perf->event[event[i]].group].stage;
        if (stage && found && stage != found)
            return false;
        found = stage ? stage : found;
    }
    return true;
}

/* How many of event[]'s events are in the same group as the last one? */
static uint32_t
in_group_of(const struct pp_gl_perf *perf, const uint32_t *event, size_t events)
{
    uint32_t count = 0;
    for (size_t i = 0; i < events; i++)
        count += perf->event[event[i]].group == perf->event[event[events - 1]].group;
    return count;
}

/* Drivers promise more counters than they can measure (nouveau: 8, of which 4 begin). The first time that so
 * many counters of a group are wanted, try whether they begin; if not, the group has fewer. */
static bool
begins(struct pp_gl_perf *perf, struct pp_gl_perf_group *group, const uint32_t *event, size_t events,
       uint32_t count)
{
    struct pp_gl_perf_set set;
    if (!perf->trying || count <= 1 || count <= group->tried || perf->one_group)
        return true;
    if (make_set(perf, event, events, &set))
        return true;
    bool ok = perf->driver->try_set(perf, &set);
    free(set.want);
    if (ok)
        group->tried = count;
    else if (events == count) /* no other group can be the cause */
        group->max = count - 1;
    return ok;
}

static int
fits(void *self, const uint32_t *event, size_t events)
{
    struct pp_gl_perf *perf = self;
    if (events > PP_GL_PERF_WANTS)
        return 0;
    for (size_t i = 0; i < events; i++) {
        if (event[i] >= perf->events || perf->event[event[i]].reason)
            return 0;
        if (perf->one_group && perf->event[event[i]].group != perf->event[event[0]].group)
            return 0;
        perf->group[perf->event[event[i]].group].asked = 0;
    }
    for (size_t i = 0; i < events; i++) {
        struct pp_gl_perf_group *group = &perf->group[perf->event[event[i]].group];
        if (++group->asked > group->max)
            return 0;
    }
    if (!of_one_stage(perf, event, events))
        return 0;
    if (events == 0)
        return 1;
    struct pp_gl_perf_group *group = &perf->group[perf->event[event[events - 1]].group];
    return begins(perf, group, event, events, in_group_of(perf, event, events));
}

static struct pp_gl_perf_layout *
make_layout(const struct pp_gl_perf *perf, const uint32_t *event, size_t events)
{
    struct pp_gl_perf_layout *made = calloc(1, sizeof(*made));
    if (!made)
        return NULL;
    made->event = calloc(events, sizeof(*made->event));
    made->field = calloc(events, sizeof(*made->field));
    if (!made->event || !made->field) {
        free(made->event);
        free(made->field);
        free(made);
        return NULL;
    }
    memcpy(made->event, event, events * sizeof(*event));
    made->events = (uint32_t)events;
    for (uint32_t i = 0; i < made->events; i++) {
        const struct pp_gl_perf_event *from = &perf->event[event[i]];
        made->field[i] = (struct pp_field){
            .name = from->name,
            .part = {{.offset = 8 * i, .bits = (uint8_t)(8 * from->want.bytes)}},
            .mode = from->mode,
            .unit = from->unit,
            .number = from->number,
            .not_additive = from->not_additive,
        };
    }
    made->layout = (struct pp_layout){
        .name = perf->ops->name, .size = 8 * made->events, .fields = made->events, .field = made->field};
    return made;
}

static const struct pp_layout *
layout_of(void *self, const uint32_t *event, size_t events)
{
    struct pp_gl_perf *perf = self;
    struct pp_gl_perf_layout *known = perf->layouts;
    while (known && (known->events != events || memcmp(known->event, event, events * sizeof(*event)) != 0))
        known = known->next;
    if (known || events == 0)
        return known ? &known->layout : NULL;
    bool trying = perf->trying;
    perf->trying = false;
    bool ok = fits(self, event, events) == 1;
    perf->trying = trying;
    if (ok && (known = make_layout(perf, event, events))) {
        known->next = perf->layouts;
        perf->layouts = known;
    }
    return known ? &known->layout : NULL;
}

/* Default events: those of the set that shows most at once. Intel calls it "Render Metrics Basic" or similar.
 */
static int
preset(void *self, uint32_t i, uint32_t *ret_event)
{
    const struct pp_gl_perf *perf = self;
    uint32_t group = 0;
    while (group < perf->groups &&
           !(strstr(perf->group[group].name, "Render") && strstr(perf->group[group].name, "Basic")))
        group++;
    for (uint32_t k = 0; k < perf->events && group < perf->groups && !perf->on_request; k++) {
        if (perf->event[k].group != group || perf->event[k].reason || i-- > 0)
            continue;
        *ret_event = k;
        return 0;
    }
    return -ENOENT;
}

/* Mesa's drivers (22.3.6 to 25.0.7, intel_perf_begin_query()) close the OA unit and open it for another set.
 * Where the kernel refuses, a monitor hangs the GPU, and Mesa 25.0 takes descriptor 0 for the unit. */
static const char *
one_set(void *self)
{
    const struct pp_gl_perf *perf = self;
    return perf->one_unit ? PP_TEXT_GL_ONE_SET : NULL;
}

const struct pp_source_ops pp_gl_source_intel = {
    .name = "intel",
    .event = event_at,
    .fits = fits,
    .layout = layout_of,
    .default_event = preset,
    .one_set = one_set,
    .peaks = "intel-gl",
    .clocks = "GPU Core Clocks",
    .exclusive = true,
};

const struct pp_source_ops pp_gl_source_amd = {
    .name = "amd",
    .event = event_at,
    .fits = fits,
    .layout = layout_of,
    .one_set = one_set,
    .exclusive = true,
};

int
pp_gl_perf_make_set(const struct pp_gl_perf *perf, const struct pp_device_set *planned,
                    struct pp_gl_perf_set *ret)
{
    return make_set(perf, planned->event, planned->events, ret);
}

void
pp_gl_perf_finish(struct pp_gl_perf *perf)
{
    while (perf->layouts) {
        struct pp_gl_perf_layout *next = perf->layouts->next;
        free(perf->layouts->event);
        free(perf->layouts->field);
        free(perf->layouts);
        perf->layouts = next;
    }
    for (uint32_t i = 0; i < perf->sets; i++)
        free(perf->set[i].want);
    for (uint32_t i = 0; i < perf->events; i++) {
        free(perf->event[i].name);
        free(perf->event[i].description);
    }
    for (uint32_t i = 0; i < perf->groups; i++)
        free(perf->group[i].name);
    free(perf->set);
    free(perf->event);
    free(perf->group);
}
