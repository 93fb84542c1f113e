/** @file
 * See list_kernel.h. */
#include "cli/list_kernel.h"

#include <stdio.h>
#include <string.h>

#include "cli/print.h"
#include "cli/text.h"
#include "counters/events/event_plan.h"
#include "counters/sources/kernel_sources.h"

enum { SOURCES = 8, FEW = 40 };

/* What a source's values are of, what they cost, and when they are measured without -e.
 * docs/kernel-sources.md says more. */
static const struct {
    const char *source, *scope, *cost, *preset;
} about[] = {
    {"cpu", "a frame's presenting thread; in passes and draws of the thread that calls",
     "a system call a reading, none where the CPU's counters can be read directly", "not measured"},
    {"drm", "a frame of this process", "some 10 us for each open graphics device at a frame's end",
     "not measured"},
    {"hwmon", "the whole GPU, ten times a second", "nothing on the program's threads", "not measured"},
    {"oa", "passes and draws; exact with --serialize, else their edges are shared out by time",
     "the GPU writes a report of 256 bytes 6000 times a second and does not sleep; nobody else can use "
     "its OA unit",
     "RenderBasic, for programs on this GPU whose graphics driver has no default set itself"},
    {"mali", "passes and draws, the whole GPU: only with --serialize",
     "the GPU idles and writes its caches back",
     "with --serialize: utilizations, and what says which unit bounded a pass"},
};

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

/* @return How many events match; of them available and all. */
static unsigned
count(const struct pp_event_source *source, const char *pattern, pp_list_matches *matches,
      unsigned *ret_there, unsigned *ret_all)
{
    struct pp_event event;
    unsigned found = 0, all = 0, there = 0;
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++, all++) {
        found += is_match(source, &event, pattern, matches);
        there += event.reason == NULL;
    }
    *ret_there = there;
    *ret_all = all;
    return found;
}

/* An event; its reason only behind the last one in a row that has the same. */
static void
print_event(const struct pp_event_source *source, const struct pp_event *event, bool describe, bool last)
{
    const char *unit = unit_of(event);
    pp_print(stdout, "      %s:%s%s%s%s", source->ops->name, event->name, *unit ? " [" : "", unit,
             *unit ? "]" : "");
    pp_print(stdout, "%s%s\n", event->group ? "  of " : "", event->group ? event->group : "");
    if (event->reason && last) {
        pp_print(stdout, "          no: ");
        pp_text_wrap(stdout, 14, 14, event->reason);
    } else if (!event->reason && describe) {
        pp_print(stdout, "          ");
        pp_text_wrap(stdout, 10, 10, event->description);
    }
}

/* The groups of a source with too many events to print. */
static void
print_groups(const struct pp_event_source *source)
{
    struct pp_event event, next;
    unsigned events = 0;
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++) {
        events += event.reason == NULL;
        if (source->ops->event(source->self, i + 1, &next) == 0 &&
            strcmp(next.group ? next.group : "", event.group ? event.group : "") == 0)
            continue;
        pp_print(stdout, "      %s:%s  %u %s\n", source->ops->name, event.group ? event.group : "*", events,
                 pp_text_noun(events, "event", "events"));
        events = 0;
    }
}

static void
print_about(const char *scope, const char *cost, const char *preset)
{
    pp_print(stdout, "    of: ");
    pp_text_wrap(stdout, 8, 8, scope);
    pp_print(stdout, "    cost: ");
    pp_text_wrap(stdout, 10, 10, cost);
    pp_print(stdout, "    without -e: ");
    pp_text_wrap(stdout, 16, 16, preset);
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
        pp_text_wrap(stdout, 13, 13, absent);
        return found;
    }
    pp_print(stdout, "  %-6s %u of %u %s\n", source->ops->name, there, all,
             pp_text_noun(all, "event", "events"));
    for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++)
        if (strcmp(about[i].source, source->ops->name) == 0)
            print_about(about[i].scope, about[i].cost, about[i].preset);
    if (!*pattern && all > FEW) {
        print_groups(source);
        return found;
    }
    print_events(source, pattern, matches);
    return found;
}

unsigned
pp_list_kernel(const char *pattern, pp_list_matches *matches)
{
    static struct pp_event_source source[SOURCES]; /* the process's, for good */
    size_t sources = pp_kernel_sources_open(NULL, source, SOURCES);
    unsigned shown = 0, there = 0, all = 0;
    for (size_t i = 0; i < sources; i++) {
        if (count(&source[i], pattern, matches, &there, &all) == 0)
            continue;
        if (shown == 0)
            puts("\nCounters of the machine and the kernel:\n");
        shown += print_source(&source[i], pattern, matches);
    }
    return shown;
}

void
pp_list_kernel_names(void (*take)(void *data, const char *name), void *data)
{
    static struct pp_event_source source[SOURCES]; /* the process's, for good */
    size_t sources = pp_kernel_sources_open(NULL, source, SOURCES);
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
