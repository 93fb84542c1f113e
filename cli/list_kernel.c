/** @file
 * See list_kernel.h. */
#include "cli/list_kernel.h"

#include <stdio.h>
#include <string.h>

#include "counters/events.h"
#include "counters/source/sources.h"

enum { SOURCES = 8, FEW = 40 };

/* What a source's values are of, and what they cost. docs/kernel-sources.md says more. */
static const struct {
    const char *source, *scope, *cost;
} about[] = {
    {"cpu", "a frame's presenting thread; in OpenGL passes and draws of the thread that calls",
     "a system call a reading, none where the CPU's counters can be read directly"},
    {"drm", "a frame of this process", "some 10 us for each open graphics device at a frame's end"},
    {"hwmon", "the whole GPU, ten times a second", "nothing on the program's threads"},
    {"oa", "passes and draws; exact with --serialize, else their edges are shared out by time",
     "the GPU writes a report of 256 bytes 6000 times a second"},
    {"mali", "passes and draws, the whole GPU: only with --serialize",
     "the GPU idles and writes its caches back"},
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

static void
print_event(const struct pp_event_source *source, const struct pp_event *event, bool describe)
{
    const char *unit = unit_of(event);
    printf("      %s:%s%s%s%s\n", source->ops->name, event->name, *unit ? " [" : "", unit, *unit ? "]" : "");
    if (event->reason)
        printf("          no: %s\n", event->reason);
    else if (describe)
        printf("          %s\n", event->description);
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
        printf("      %s:%s  %u events\n", source->ops->name, event.group ? event.group : "*", events);
        events = 0;
    }
}

static unsigned
print_source(const struct pp_event_source *source, const char *pattern, pp_list_matches *matches)
{
    struct pp_event event;
    unsigned there = 0, all = 0;
    unsigned found = count(source, pattern, matches, &there, &all);
    const char *absent = pp_event_source_absent(source);
    if (found == 0)
        return 0;
    if (absent) {
        printf("  %-6s no: %s\n", source->ops->name, absent);
        return found;
    }
    printf("  %-6s %u of %u events\n", source->ops->name, there, all);
    for (size_t i = 0; i < sizeof(about) / sizeof(about[0]); i++)
        if (strcmp(about[i].source, source->ops->name) == 0)
            printf("    of: %s\n    cost: %s\n", about[i].scope, about[i].cost);
    if (!*pattern && all > FEW) {
        print_groups(source);
        return found;
    }
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++)
        if (is_match(source, &event, pattern, matches))
            print_event(source, &event, *pattern != '\0');
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
