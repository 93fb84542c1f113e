/** @file
 * See system_counters.h. System counters;
 *
 * Snapshots of system counters, and the values between two of them; */
#include "core/events/system_counters.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/engine/session_private.h"
#include "core/events/event_columns.h"
#include "core/events/event_selection.h"
#include "core/util/log.h"
#include "counters/events/event_plan.h"
#include "counters/sources/cpu/thread_usage.h"
#include "pp_texts.h"

#define PP_SYSTEM_ENTRIES   40U
#define PP_SYSTEM_EVERY_SET UINT32_MAX

/** Events of one source, in one of the sets of a rotation or in all, and where they are. */
struct pp_system_entry {
    uint32_t set; /**< PP_SYSTEM_EVERY_SET: the source has no rotation */
    struct pp_event_source source;
    uint32_t *event;
    uint32_t events;
    const struct pp_layout *layout;
    uint16_t *column; /**< of each field */
    uint32_t offset;  /* in a snapshot */
};

/** Head of a snapshot; the entries' bytes follow. */
struct pp_system_head {
    uint64_t thread;
    uint32_t set;                      /* the set of the frame that begins here */
    uint8_t status[PP_SYSTEM_ENTRIES]; /**< enum pp_status */
};

struct pp_system_counters {
    struct pp_session *session;
    struct pp_system_entry entry[PP_SYSTEM_ENTRIES];
    uint32_t entries;
    uint32_t sets;
    struct pp_only_set only_set;
    _Atomic(uint64_t) taken; /**< snapshots */
    size_t bytes;
    struct pp_event_source bracket[PP_SYSTEM_ENTRIES];
    uint32_t brackets;
    struct pp_missing *missing;
    /* collector thread only */
    uint8_t *polled;
    uint64_t polled_ns;
};

/* Most default events. */
#define DEFAULTS_MAX 8U

static bool
is_entry(const struct pp_source_ops *ops)
{
    return ops->reads == PP_READ_THREAD || ops->reads == PP_READ_FRAME || ops->reads == PP_READ_POLL;
}

void
pp_system_counters_destroy(struct pp_system_counters *system_counters)
{
    if (!system_counters)
        return;
    for (uint32_t i = 0; i < system_counters->entries; i++) {
        free(system_counters->entry[i].event);
        free(system_counters->entry[i].column);
    }
    while (system_counters->missing) {
        struct pp_missing *next = system_counters->missing->next;
        free(system_counters->missing->event);
        free(system_counters->missing->reason);
        free(system_counters->missing);
        system_counters->missing = next;
    }
    free(system_counters->polled);
    free(system_counters);
}

static int
add_missing(struct pp_system_counters *system_counters, const char *event, const char *reason)
{
    struct pp_missing *missing = calloc(1, sizeof(*missing));
    if (!missing)
        return -ENOMEM;
    missing->event = strdup(event);
    missing->reason = strdup(reason);
    missing->next = system_counters->missing;
    system_counters->missing = missing;
    return missing->event && missing->reason ? 0 : -ENOMEM;
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

/* Does this item select events of these sources that frames measure? Events of brackets are planned by
 * devices. @return 1; 0; -ENOMEM. */
static int
is_of(struct pp_system_counters *system_counters, const struct pp_event_item *item,
      const struct pp_event_source *source, size_t sources)
{
    for (size_t i = 0; i < sources; i++) {
        const char *absent = NULL;
        bool asked = strcmp(item->source, source[i].ops->name) == 0 ||
                     (!item->name && has_event(&source[i], item->source));
        if (!asked || !is_entry(source[i].ops))
            continue;
        absent = item->sign == '-' ? NULL : pp_event_source_absent(&source[i]);
        return absent ? add_missing(system_counters, source[i].ops->name, absent) : 1;
    }
    return 0;
}

/* Add the columns of an entry's fields. They belong to frames, not to passes. */
static int
add_columns(struct pp_system_counters *system_counters, struct pp_system_entry *entry)
{
    for (uint32_t i = 0; i < entry->layout->fields; i++) {
        const struct pp_field *field = &entry->layout->field[i];
        const struct pp_column like = {.unit = (enum pp_unit)field->unit,
                                       .number = pp_number_image((enum pp_number)field->number),
                                       .not_additive = field->not_additive || field->mode == PP_FIELD_GAUGE,
                                       .of_frame = true};
        char name[320];
        pp_event_columns_name(name, sizeof(name), entry->source.ops->name, field->name,
                              (enum pp_unit)field->unit);
        entry->column[i] = pp_event_columns_get_locked(system_counters->session, name, &like);
        if (entry->column[i] == UINT16_MAX)
            return add_missing(system_counters, name, PP_TEXT_COLUMNS_FULL);
    }
    return 0;
}

/* A source's part of set @p number, which is @p set. */
static int
add_entry(struct pp_system_counters *system_counters, const struct pp_event_source *source,
          const struct pp_event_set *set, uint32_t s, uint32_t number)
{
    size_t events = pp_event_set_of_source(set, s, NULL, 0);
    if (events == 0)
        return 0;
    if (system_counters->entries == PP_SYSTEM_ENTRIES)
        return add_missing(system_counters, source->ops->name, PP_TEXT_SETS_FULL);
    struct pp_system_entry *entry = &system_counters->entry[system_counters->entries];
    entry->source = *source;
    entry->set = number;
    entry->event = calloc(events, sizeof(*entry->event));
    if (!entry->event)
        return -ENOMEM;
    system_counters->entries++;
    entry->events = (uint32_t)pp_event_set_of_source(set, s, entry->event, events);
    entry->layout = source->ops->layout(source->self, entry->event, events);
    entry->column = entry->layout ? calloc(entry->layout->fields + 1, sizeof(*entry->column)) : NULL;
    if (!entry->column)
        return -ENOMEM;
    entry->offset = (uint32_t)system_counters->bytes;
    system_counters->bytes += (entry->layout->size + 7U) & ~7U;
    return add_columns(system_counters, entry);
}

/* Does each set hold the same of a source? Then it is in one entry. */
static bool
is_in_every_set(const struct pp_event_plan *plan, uint32_t s, bool *ret_any)
{
    bool every = true;
    *ret_any = false;
    for (size_t k = 0; k < plan->sets; k++) {
        size_t events = pp_event_set_of_source(&plan->set[k], s, NULL, 0);
        *ret_any |= events > 0;
        every &= events == pp_event_set_of_source(&plan->set[0], s, NULL, 0);
    }
    for (size_t k = 1; k < plan->sets && every && *ret_any; k++)
        for (size_t a = 0; a < plan->set[k].events && every; a++) {
            struct pp_event_ref ref = plan->set[k].event[a];
            bool held = ref.source != s;
            for (size_t b = 0; b < plan->set[0].events && !held; b++)
                held = plan->set[0].event[b].source == s && plan->set[0].event[b].event == ref.event;
            every = held;
        }
    return every;
}

static int
add_source(struct pp_system_counters *system_counters, const struct pp_event_source *source,
           const struct pp_event_plan *plan, uint32_t s)
{
    bool any = false;
    int rc = 0;
    if (!is_entry(source->ops))
        return 0;
    if (is_in_every_set(plan, s, &any))
        return any ? add_entry(system_counters, source, &plan->set[0], s, PP_SYSTEM_EVERY_SET) : 0;
    for (uint32_t k = 0; k < plan->sets && rc == 0; k++)
        rc = add_entry(system_counters, source, &plan->set[k], s, k);
    return rc;
}

static int
use_plan(struct pp_system_counters *system_counters, const struct pp_event_source *source, size_t sources,
         const struct pp_event_plan *plan)
{
    char name[320];
    int rc = 0;
    for (size_t i = 0; i < plan->missing_count && rc == 0; i++) {
        const struct pp_event_source *from = &source[plan->missing[i].event.source];
        struct pp_event event;
        if (from->ops->event(from->self, plan->missing[i].event.event, &event))
            continue;
        snprintf(name, sizeof(name), "%s:%s", from->ops->name, event.name);
        rc = add_missing(system_counters, name, plan->missing[i].reason);
    }
    for (uint32_t s = 0; s < sources && rc == 0 && plan->sets > 0; s++)
        rc = add_source(system_counters, &source[s], plan, s);
    system_counters->sets = (uint32_t)plan->sets;
    for (size_t s = 0; s < sources && system_counters->brackets < PP_SYSTEM_ENTRIES; s++)
        if ((source[s].ops->reads == PP_READ_THREAD && source[s].ops != &pp_thread_usage_ops) ||
            source[s].ops->reads == PP_READ_IDLE || source[s].ops->reads == PP_READ_STREAM)
            system_counters->bracket[system_counters->brackets++] = source[s];
    return rc;
}

static void
report_missing(void *to, const char *event, const char *reason)
{
    (void)add_missing(to, event, reason);
}

/* The default events of frames: those of pp_thread_usage_ops, also where the source "cpu" of the kernel takes
 * its place because the list names more of it. @param ret DEFAULTS_MAX events. @return Their number. */
static size_t
find_defaults(const struct pp_event_source *source, size_t sources, struct pp_event_ref *ret)
{
    struct pp_event usual, event;
    size_t found = 0;
    for (uint32_t s = 0; s < sources; s++) {
        if (strcmp(source[s].ops->name, pp_thread_usage_ops.name) != 0)
            continue;
        for (uint32_t u = 0; !pp_thread_usage_ops.event(NULL, u, &usual) && found < DEFAULTS_MAX; u++)
            for (uint32_t i = 0; !source[s].ops->event(source[s].self, i, &event); i++) {
                if (strcmp(event.name, usual.name) != 0)
                    continue;
                ret[found++] = (struct pp_event_ref){s, i};
                break;
            }
    }
    return found;
}

int
pp_system_counters_create(struct pp_session *session, const struct pp_event_source *source, size_t sources,
                          struct pp_system_counters **ret, char *error)
{
    struct pp_event_list list = {.items = 0};
    struct pp_event_plan plan = {0};
    struct pp_event_error wrong = {.message = ""};
    struct pp_event_ref usual[DEFAULTS_MAX];
    *ret = NULL;
    size_t usuals = pp_config_has_defaults(&session->config) ? find_defaults(source, sources, usual) : 0;
    if (sources == 0 ||
        (session->config.events_given && pp_event_list_parse(session->config.events, &list, NULL)))
        return 0;
    struct pp_system_counters *system_counters = calloc(1, sizeof(*system_counters));
    int rc = system_counters ? 0 : -ENOMEM;
    /* Items are const only for readers of the list; this function owns it. */
    struct pp_event_item *item = (struct pp_event_item *)(uintptr_t)list.item;
    size_t kept = 0;
    for (size_t i = 0; i < list.items && rc == 0; i++) {
        int of = is_of(system_counters, &item[i], source, sources);
        if (of > 0)
            item[kept++] = item[i];
        rc = of < 0 ? of : 0;
    }
    list.items = kept;
    if (system_counters && rc == 0) {
        system_counters->session = session;
        system_counters->bytes = sizeof(struct pp_system_head);
        rc = kept + usuals ? pp_known_events_plan(&session->config, usual, usuals, &list, source, sources,
                                                  &plan, &wrong, report_missing, system_counters)
                           : 0;
        if (rc && rc != -ENOMEM) {
            snprintf(error, PP_EVENT_SELECTION_ERROR_MAX, PP_FORMAT_EVENTS_COLUMN, wrong.column,
                     wrong.message);
            rc = -EINVAL;
        }
    }
    if (system_counters && rc == 0)
        pp_only_set_keep(&session->config, &plan, source, sources, false, &system_counters->only_set);
    if (system_counters && rc == 0)
        rc = use_plan(system_counters, source, sources, &plan);
    if (system_counters && rc == 0) {
        system_counters->polled = calloc(1, system_counters->bytes);
        rc = system_counters->polled ? 0 : -ENOMEM;
    }
    for (uint32_t i = 0; system_counters && system_counters->polled && i < system_counters->entries; i++)
        ((struct pp_system_head *)(void *)system_counters->polled)->status[i] = PP_NOT_AVAILABLE;
    pp_event_list_destroy(&list);
    pp_event_plan_destroy(&plan);
    if (rc)
        pp_system_counters_destroy(system_counters);
    else
        *ret = system_counters;
    return rc;
}

const struct pp_missing *
pp_system_counters_missing(const struct pp_system_counters *system_counters)
{
    return system_counters ? system_counters->missing : NULL;
}

/* Does an earlier entry, of another set, have the event too? */
static bool
is_repeated(const struct pp_system_counters *system_counters, uint32_t entry, uint32_t event)
{
    for (uint32_t e = 0; e < entry; e++)
        for (uint32_t i = 0; i < system_counters->entry[e].events; i++)
            if (system_counters->entry[e].source.self == system_counters->entry[entry].source.self &&
                system_counters->entry[e].event[i] == event)
                return true;
    return false;
}

/* The i-th event of the sets that are PP_SYSTEM_EVERY_SET or @p set; PP_SYSTEM_EVERY_SET: of all, each once.
 */
static bool
nth_event(const struct pp_system_counters *system_counters, uint32_t set, uint32_t nth, char *out,
          size_t size)
{
    bool all = set == PP_SYSTEM_EVERY_SET;
    for (uint32_t e = 0; system_counters && e < system_counters->entries; e++) {
        const struct pp_system_entry *entry = &system_counters->entry[e];
        struct pp_event event;
        for (uint32_t i = 0; i < entry->events; i++) {
            bool in = all || entry->set == PP_SYSTEM_EVERY_SET || entry->set == set;
            if (!in || (all && is_repeated(system_counters, e, entry->event[i])) || nth-- > 0)
                continue;
            if (entry->source.ops->event(entry->source.self, entry->event[i], &event))
                return false;
            snprintf(out, size, "%s:%s", entry->source.ops->name, event.name);
            return true;
        }
    }
    return false;
}

bool
pp_system_counters_got(const struct pp_system_counters *system_counters, uint32_t i, char *out, size_t size)
{
    return nth_event(system_counters, PP_SYSTEM_EVERY_SET, i, out, size);
}

uint32_t
pp_system_counters_sets(const struct pp_system_counters *system_counters)
{
    return system_counters ? system_counters->sets : 0;
}

const struct pp_only_set *
pp_system_counters_only_set(const struct pp_system_counters *system_counters)
{
    static const struct pp_only_set none = {.given = false};
    return system_counters ? &system_counters->only_set : &none;
}

bool
pp_system_counters_got_in(const struct pp_system_counters *system_counters, uint32_t set, uint32_t i,
                          char *out, size_t size)
{
    return nth_event(system_counters, set, i, out, size);
}

const struct pp_event_source *
pp_system_counters_brackets(const struct pp_system_counters *system_counters, uint32_t *ret_count)
{
    *ret_count = system_counters ? system_counters->brackets : 0;
    return system_counters ? system_counters->bracket : NULL;
}

size_t
pp_system_counters_bytes(const struct pp_system_counters *system_counters)
{
    return system_counters ? system_counters->bytes : 0;
}

#define POLL_NS 100000000ULL

static void
read_entry(const struct pp_system_counters *system_counters, uint32_t i, uint8_t *snapshot)
{
    const struct pp_system_entry *entry = &system_counters->entry[i];
    struct pp_system_head *head = (struct pp_system_head *)(void *)snapshot;
    int rc =
        entry->source.ops->read(entry->source.self, entry->event, entry->events, snapshot + entry->offset);
    head->status[i] = rc ? PP_LOST : PP_OK;
}

void
pp_system_counters_read(struct pp_system_counters *system_counters, uint8_t *ret_snapshot)
{
    struct pp_system_head *head = (struct pp_system_head *)(void *)ret_snapshot;
    head->thread = (uint64_t)syscall(SYS_gettid);
    uint64_t taken = atomic_fetch_add_explicit(&system_counters->taken, 1, memory_order_relaxed);
    head->set = system_counters->sets > 1 ? pp_rotation_set_of_frame(system_counters->session->start_ns,
                                                                     system_counters->sets, taken)
                                          : 0;
    for (uint32_t i = 0; i < system_counters->entries; i++)
        if (system_counters->entry[i].source.ops->reads != PP_READ_POLL)
            read_entry(system_counters, i, ret_snapshot);
}

void
pp_system_counters_poll(struct pp_system_counters *system_counters, uint64_t now_ns)
{
    if (!system_counters || now_ns - system_counters->polled_ns < POLL_NS)
        return;
    system_counters->polled_ns = now_ns;
    for (uint32_t i = 0; i < system_counters->entries; i++)
        if (system_counters->entry[i].source.ops->reads == PP_READ_POLL)
            read_entry(system_counters, i, system_counters->polled);
}

/* Values of one entry between two snapshots. */
static void
fill_entry(const struct pp_system_counters *system_counters, uint32_t i, const uint8_t *begin,
           const uint8_t *end, struct pp_value *counter)
{
    const struct pp_system_entry *entry = &system_counters->entry[i];
    const struct pp_system_head *first = (const struct pp_system_head *)(const void *)begin;
    const struct pp_system_head *last = (const struct pp_system_head *)(const void *)end;
    uint64_t value[PP_MAX_COLUMNS];
    uint8_t status[PP_MAX_COLUMNS];
    enum pp_status all =
        begin && end ? pp_status_worse((enum pp_status)first->status[i], (enum pp_status)last->status[i])
                     : PP_DISABLED;
    /* The difference of two snapshots has no meaning if they are from different threads. */
    if (entry->source.ops->reads == PP_READ_THREAD && all == PP_OK && first->thread != last->thread)
        all = PP_DISABLED;
    /* The frame measured another set. */
    if (entry->set != PP_SYSTEM_EVERY_SET && begin && entry->source.ops->reads != PP_READ_POLL &&
        first->set != entry->set)
        return;
    if (entry->layout->fields > PP_MAX_COLUMNS)
        return;
    if (pp_status_has_value(all))
        pp_layout_delta(entry->layout, begin + entry->offset, end + entry->offset, value, status);
    bool states = entry->source.ops->reads == PP_READ_POLL;
    for (uint32_t f = 0; f < entry->layout->fields; f++) {
        if (entry->column[f] == UINT16_MAX)
            continue;
        struct pp_value *to = &counter[entry->column[f]];
        *to = pp_value_missing(all);
        if (pp_status_has_value(all) && states && value[f] == PP_STATE_NONE)
            *to = pp_value_missing(PP_LOST);
        else if (pp_status_has_value(all))
            *to = (struct pp_value){value[f], (enum pp_status)status[f]};
    }
}

void
pp_system_counters_fill(const struct pp_system_counters *system_counters, const uint8_t *begin,
                        const uint8_t *end, struct pp_value *counter)
{
    /* Columns that no entry writes in this counter set are not measured in this frame. */
    for (uint32_t i = 0; system_counters && i < system_counters->entries; i++)
        for (uint32_t f = 0; f < system_counters->entry[i].layout->fields; f++)
            if (system_counters->entry[i].column[f] != UINT16_MAX)
                counter[system_counters->entry[i].column[f]] = pp_value_missing(PP_DISABLED);
    for (uint32_t i = 0; system_counters && i < system_counters->entries; i++) {
        bool polled = system_counters->entry[i].source.ops->reads == PP_READ_POLL;
        fill_entry(system_counters, i, polled ? system_counters->polled : begin,
                   polled ? system_counters->polled : end, counter);
    }
}

/* The value of an event of the presenting thread; false: it was not measured in this frame. */
static bool
thread_value(const struct pp_system_counters *system_counters, const struct pp_value *counter,
             const char *event, uint64_t *ret)
{
    for (uint32_t i = 0; system_counters && i < system_counters->entries; i++) {
        const struct pp_system_entry *entry = &system_counters->entry[i];
        if (entry->source.ops->reads != PP_READ_THREAD)
            continue;
        for (uint32_t f = 0; f < entry->layout->fields; f++)
            if (entry->column[f] != UINT16_MAX && strcmp(entry->layout->field[f].name, event) == 0 &&
                pp_status_has_value(counter[entry->column[f]].status)) {
                *ret = counter[entry->column[f]].value;
                return true;
            }
    }
    return false;
}

struct pp_thread_times
pp_system_counters_thread(const struct pp_system_counters *system_counters, const struct pp_value *counter)
{
    struct pp_thread_times ret = {.known = false};
    uint64_t switches = 0, involuntary = 0;
    ret.known = thread_value(system_counters, counter, "task-clock", &ret.ran_ns);
    ret.slept_often = thread_value(system_counters, counter, "run-delay", &ret.delay_ns);
    if (!ret.slept_often && thread_value(system_counters, counter, "context-switches", &switches) &&
        thread_value(system_counters, counter, "involuntary-switches", &involuntary)) {
        ret.slept = switches > involuntary;
        ret.slept_often = switches > 2 * involuntary;
    }
    return ret;
}
