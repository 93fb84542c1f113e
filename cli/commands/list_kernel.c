/** @file
 * See list_kernel.h. */
#include "cli/commands/list_kernel.h"

#include <stdio.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "counters/events/event_plan.h"
#include "counters/sources/registry.h"
#include "pp_texts.h"

enum { SOURCES = 8, FEW = 40 };

static const char *
unit_of(const struct pp_event *event)
{
    const char *suffix = pp_unit_suffix(event->unit);
    return *suffix == '_' ? suffix + 1 : suffix;
}

static bool
is_match(const struct pp_event_source *source, const struct pp_event *event, const char *pattern,
         pp_list_matches *matches)
{
    char name[256];
    size_t length = strlen(source->ops->name);
    if (strncmp(pattern, source->ops->name, length) == 0 && pattern[length] == ':' &&
        pp_event_source_absent(source))
        return true;
    snprintf(name, sizeof(name), "%s:%s", source->ops->name, event->name);
    if (matches(name, pattern) || matches(source->ops->name, pattern))
        return true;
    snprintf(name, sizeof(name), "%s:%s", source->ops->name, event->group ? event->group : "");
    return event->group && matches(name, pattern);
}

/* Count the events of a source. @return How many events match. */
static unsigned
count(const struct pp_event_source *source, const char *pattern, pp_list_matches *matches,
      unsigned *ret_there, unsigned *ret_all)
{
    struct pp_event event;
    unsigned found = 0, all = 0, there = 0;
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++, all++) {
        found += is_match(source, &event, pattern, matches);
        there += !event.reason;
    }
    *ret_there = there;
    *ret_all = all;
    return found;
}

/* Print an event. Of consecutive events with the same reason, only the last one shows it. */
static void
print_event(const struct pp_event_source *source, const struct pp_event *event, bool describe, bool last)
{
    const char *unit = unit_of(event);
    pp_print(stdout, "      %s:%s%s%s%s", source->ops->name, event->name, *unit ? " [" : "", unit,
             *unit ? "]" : "");
    pp_print(stdout, "%s%s\n", event->group ? "  of " : "", event->group ? event->group : "");
    if (event->reason && last) {
        pp_print(stdout, "          no: ");
        pp_format_wrap(stdout, 14, 14, event->reason);
    } else if (!event->reason && describe) {
        pp_print(stdout, "          ");
        pp_format_wrap(stdout, 10, 10, event->description);
    }
}

/* The groups of a source with too many events to print. */
static void
print_groups(const struct pp_event_source *source)
{
    struct pp_event event, next;
    unsigned events = 0;
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++) {
        events += !event.reason;
        if (source->ops->event(source->self, i + 1, &next) == 0 &&
            strcmp(next.group ? next.group : "", event.group ? event.group : "") == 0)
            continue;
        pp_print(stdout, "      %s:%s  %u %s\n", source->ops->name, event.group ? event.group : "*", events,
                 pp_format_noun(events, "event", "events"));
        events = 0;
    }
}

static void
print_about(const struct pp_source_row *row)
{
    pp_print(stdout, "    of: ");
    pp_format_wrap(stdout, 8, 8, row->scope);
    pp_print(stdout, "    cost: ");
    pp_format_wrap(stdout, 10, 10, row->cost);
    pp_print(stdout, "    without -e: ");
    pp_format_wrap(stdout, 16, 16, row->without_e);
}

/* The next event that matches from @p at on. @return Is there one? */
static bool
next_match(const struct pp_event_source *source, uint32_t *at, struct pp_event *ret, const char *pattern,
           pp_list_matches *matches)
{
    for (; source->ops->event(source->self, *at, ret) == 0; (*at)++)
        if (is_match(source, ret, pattern, matches))
            return true;
    return false;
}

static void
print_events(const struct pp_event_source *source, const char *pattern, pp_list_matches *matches)
{
    struct pp_event event, next;
    uint32_t i = 0;
    bool more = next_match(source, &i, &event, pattern, matches);
    while (more) {
        i++;
        more = next_match(source, &i, &next, pattern, matches);
        bool same = more && event.reason && next.reason && strcmp(event.reason, next.reason) == 0;
        print_event(source, &event, *pattern != '\0', !same);
        event = next;
    }
}

static unsigned
print_source(const struct pp_event_source *source, const char *pattern, pp_list_matches *matches)
{
    unsigned there = 0, all = 0;
    unsigned found = count(source, pattern, matches, &there, &all);
    const char *absent = pp_event_source_absent(source);
    if (found == 0)
        return 0;
    if (absent) {
        pp_print(stdout, "  %-6s no: ", source->ops->name);
        pp_format_wrap(stdout, 13, 13, absent);
        return found;
    }
    pp_print(stdout, "  %-6s %u of %u %s\n", source->ops->name, there, all,
             pp_format_noun(all, "event", "events"));
    const struct pp_source_row *row = pp_source_row_find(source->ops->name);
    if (row)
        print_about(row);
    if (!*pattern && all > FEW) {
        print_groups(source);
        return found;
    }
    print_events(source, pattern, matches);
    return found;
}

/* Open the sources of the kernel, once: they are the process's, for good. @return How many. */
static size_t
open_sources(struct pp_event_source **ret)
{
    static struct pp_event_source source[SOURCES];
    static size_t sources;
    if (!sources)
        sources = pp_kernel_sources_open(NULL, source, SOURCES);
    *ret = source;
    return sources;
}

unsigned
pp_list_kernel(const char *pattern, pp_list_matches *matches)
{
    struct pp_event_source *source = NULL;
    size_t sources = open_sources(&source);
    unsigned shown = 0, there = 0, all = 0;
    for (size_t i = 0; i < sources; i++) {
        if (count(&source[i], pattern, matches, &there, &all) == 0)
            continue;
        if (shown == 0)
            puts("\n" PP_TEXT_LIST_KERNEL "\n");
        shown += print_source(&source[i], pattern, matches);
    }
    return shown;
}

unsigned
pp_list_kernel_each(const char *pattern, pp_list_matches *matches,
                    void (*take)(void *data, const struct pp_event_source *source,
                                 const struct pp_event *event),
                    void *data)
{
    struct pp_event_source *source = NULL;
    size_t sources = open_sources(&source);
    unsigned found = 0, there = 0, all = 0;
    for (size_t s = 0; s < sources; s++) {
        struct pp_event event;
        unsigned matched = count(&source[s], pattern, matches, &there, &all);
        found += matched;
        if (matched && pp_event_source_absent(&source[s])) {
            take(data, &source[s], NULL);
            continue;
        }
        for (uint32_t i = 0; matched && next_match(&source[s], &i, &event, pattern, matches); i++)
            take(data, &source[s], &event);
    }
    return found;
}

void
pp_list_kernel_names(void (*take)(void *data, const char *name), void *data)
{
    struct pp_event_source *source = NULL;
    size_t sources = open_sources(&source);
    char name[256];
    for (size_t s = 0; s < sources; s++) {
        struct pp_event event;
        take(data, source[s].ops->name);
        for (uint32_t i = 0; source[s].ops->event(source[s].self, i, &event) == 0; i++) {
            snprintf(name, sizeof(name), "%s:%s", source[s].ops->name, event.name);
            take(data, name);
            take(data, event.name);
        }
    }
}
