/** @file
 * See list_counters.h. */
#include "cli/commands/list_counters.h"

#include <stdio.h>
#include <string.h>

#include "cli/analysis/table.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "counters/metric/catalogue.h"
#include "counters/sources/registry.h"
#include "counters/user_metrics/metrics_file.h"
#include "pp_texts.h"

bool
pp_list_counters_may(const char *pattern)
{
    /* Sets of catalogues are vendor:gpu:set, derived metrics metric:name. */
    const char *colon = strchr(pattern, ':');
    return strncmp(pattern, "metric:", strlen("metric:")) != 0 && !(colon && strchr(colon + 1, ':'));
}

/* Number of a context as in the list's head; 0: it could not be made. */
static unsigned
number_of(const struct pp_probes *probes, uint32_t probe)
{
    unsigned number = 0;
    for (uint32_t i = 0; i <= probe && i < probes->len; i++)
        number += *probes->probe[i].why_not == '\0';
    return number;
}

static bool
is_counter_match(const struct pp_probe_counter *counter, const char *pattern)
{
    char name[sizeof(counter->source) + sizeof(counter->group) + sizeof(counter->name)];
    /* the counters of a missing source are unknown: any name with that source shows the reason */
    size_t length = strlen(counter->source);
    if (!*counter->name && *counter->reason && strncmp(pattern, counter->source, length) == 0 &&
        pattern[length] == ':')
        return true;
    snprintf(name, sizeof(name), "%s:%s", counter->source, counter->name);
    if (pp_view_matches(name, pattern) || pp_view_matches(counter->source, pattern))
        return true;
    if (!*counter->group)
        return false;
    snprintf(name, sizeof(name), "%s:%s", counter->source, counter->group);
    if (pp_view_matches(name, pattern))
        return true;
    snprintf(name, sizeof(name), "%s:%s.%s", counter->source, counter->group, counter->name);
    return *counter->name && pp_view_matches(name, pattern);
}

bool
pp_list_counters_match(const struct pp_probes *probes, const char *pattern)
{
    bool any = false;
    for (size_t i = 0; i < probes->counters && !any; i++)
        any = is_counter_match(&probes->counter[i], pattern);
    return any;
}

void
pp_list_counters_names(const struct pp_probes *probes, struct pp_list_guess *guess)
{
    char name[640];
    for (size_t i = 0; i < probes->counters; i++) {
        const struct pp_probe_counter *counter = &probes->counter[i];
        if (!*counter->name) {
            pp_list_guess_offer(guess, counter->source);
            continue;
        }
        snprintf(name, sizeof(name), "%s:%s", counter->source, counter->name);
        pp_list_guess_offer(guess, name);
        pp_list_guess_offer(guess, counter->name);
        snprintf(name, sizeof(name), "%s:%s", counter->source, counter->group);
        if (*counter->group)
            pp_list_guess_offer(guess, name);
    }
}

unsigned
pp_list_counters_each(const struct pp_probes *probes, const char *pattern,
                      void (*take)(void *data, const struct pp_probe_counter *counter), void *data)
{
    unsigned found = 0;
    for (size_t i = 0; i < probes->counters; i++) {
        if (!is_counter_match(&probes->counter[i], pattern))
            continue;
        take(data, &probes->counter[i]);
        found++;
    }
    return found;
}

/* The next source after the one at @p at. */
static size_t
end_of_source(const struct pp_probes *probes, size_t at)
{
    for (at++; at < probes->counters && *probes->counter[at].name;)
        at++;
    return at;
}

/* Do two contexts have the same source, counter by counter? */
static bool
is_same(const struct pp_probes *probes, size_t a, size_t b)
{
    size_t length = end_of_source(probes, a) - a;
    if (end_of_source(probes, b) - b != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        struct pp_probe_counter x = probes->counter[a + i];
        x.probe = probes->counter[b + i].probe;
        if (memcmp(&x, &probes->counter[b + i], sizeof(x)) != 0)
            return false;
    }
    return true;
}

/* Print the source at @p at, with the numbers of all contexts that have the same source. */
static void
print_source(const struct pp_probes *probes, size_t at)
{
    const struct pp_probe_counter *source = &probes->counter[at];
    size_t column = 8;
    pp_print(stdout, "  %-6s", source->source);
    for (size_t i = at; i < probes->counters; i = end_of_source(probes, i))
        if (is_same(probes, at, i))
            column += pp_print(stdout, " [%u]", number_of(probes, probes->counter[i].probe));
    column += pp_print(stdout, *source->reason ? " no: " : " ");
    pp_format_wrap(stdout, column, 13, *source->reason ? source->reason : source->description);
}

/* Was this source printed for an earlier context? */
static bool
is_repeated(const struct pp_probes *probes, size_t at)
{
    for (size_t i = 0; i < at; i = end_of_source(probes, i))
        if (is_same(probes, i, at))
            return true;
    return false;
}

/* Find the end of the group that begins at @p at. @return Index of the first counter of another group. */
static size_t
end_of_group(const struct pp_probes *probes, size_t at)
{
    const struct pp_probe_counter *first = &probes->counter[at];
    while (at < probes->counters && *probes->counter[at].name && probes->counter[at].probe == first->probe &&
           strcmp(probes->counter[at].source, first->source) == 0 &&
           strcmp(probes->counter[at].group, first->group) == 0)
        at++;
    return at;
}

static void
print_counter(const struct pp_probe_counter *counter)
{
    pp_print(stdout, "        %s:%s%s%s%s\n", counter->source, counter->name, *counter->unit ? " [" : "",
             counter->unit, *counter->unit ? "]" : "");
    pp_print(stdout, *counter->reason ? "            no: " : "            ");
    pp_format_wrap(stdout, *counter->reason ? 16 : 12, *counter->reason ? 16 : 12,
                   *counter->reason ? counter->reason : counter->description);
}

/* Print a group; with a pattern, print the group's counters that match, too. @return How many matched. */
static unsigned
print_group(const struct pp_probes *probes, size_t at, size_t end, const char *pattern)
{
    const struct pp_probe_counter *first = &probes->counter[at];
    unsigned found = 0, there = 0;
    for (size_t i = at; i < end; i++) {
        found += is_counter_match(&probes->counter[i], pattern);
        there += *probes->counter[i].reason == '\0';
    }
    if (found == 0)
        return 0;
    pp_print(stdout, "    %s: %u counter%s", *first->group ? first->group : "all", there,
             there == 1 ? "" : "s");
    if (there < end - at)
        pp_print(stdout, " of %zu", end - at);
    if (first->limit && first->limit < there)
        pp_print(stdout, PP_FORMAT_LIST_LIMIT, first->limit);
    pp_print_char(stdout, '\n');
    for (size_t i = at; i < end && *pattern; i++)
        if (is_counter_match(&probes->counter[i], pattern))
            print_counter(&probes->counter[i]);
    return found;
}

unsigned
pp_list_counters(const struct pp_probes *probes, const char *pattern)
{
    unsigned shown = 0;
    for (size_t at = 0, end; at < probes->counters; at = end) {
        bool any = false;
        end = end_of_source(probes, at);
        for (size_t i = at; i < end && !any; i++)
            any = is_counter_match(&probes->counter[i], pattern);
        if (!any || is_repeated(probes, at))
            continue;
        if (shown++ == 0)
            puts(PP_TEXT_LIST_HARDWARE "\n");
        print_source(probes, at);
        for (size_t i = at + 1, next; i < end; i = next) {
            next = end_of_group(probes, i);
            shown += print_group(probes, i, next, pattern);
        }
    }
    return shown;
}

enum { SOURCES = 8, FEW = 40 };

static const char *
unit_of(const struct pp_event *event)
{
    const char *suffix = pp_unit_suffix(event->unit);
    return *suffix == '_' ? suffix + 1 : suffix;
}

static bool
is_event_match(const struct pp_event_source *source, const struct pp_event *event, const char *pattern)
{
    char name[256];
    size_t length = strlen(source->ops->name);
    if (strncmp(pattern, source->ops->name, length) == 0 && pattern[length] == ':' &&
        pp_event_source_absent(source))
        return true;
    snprintf(name, sizeof(name), "%s:%s", source->ops->name, event->name);
    if (pp_view_matches(name, pattern) || pp_view_matches(source->ops->name, pattern))
        return true;
    snprintf(name, sizeof(name), "%s:%s", source->ops->name, event->group ? event->group : "");
    return event->group && pp_view_matches(name, pattern);
}

/* Count the events of a source. @return How many events match. */
static unsigned
count(const struct pp_event_source *source, const char *pattern, unsigned *ret_there, unsigned *ret_all)
{
    struct pp_event event;
    unsigned found = 0, all = 0, there = 0;
    for (uint32_t i = 0; source->ops->event(source->self, i, &event) == 0; i++, all++) {
        found += is_event_match(source, &event, pattern);
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
next_match(const struct pp_event_source *source, uint32_t *at, struct pp_event *ret, const char *pattern)
{
    for (; source->ops->event(source->self, *at, ret) == 0; (*at)++)
        if (is_event_match(source, ret, pattern))
            return true;
    return false;
}

static void
print_events(const struct pp_event_source *source, const char *pattern)
{
    struct pp_event event, next;
    uint32_t i = 0;
    bool more = next_match(source, &i, &event, pattern);
    while (more) {
        i++;
        more = next_match(source, &i, &next, pattern);
        bool same = more && event.reason && next.reason && strcmp(event.reason, next.reason) == 0;
        print_event(source, &event, *pattern != '\0', !same);
        event = next;
    }
}

static unsigned
print_kernel_source(const struct pp_event_source *source, const char *pattern)
{
    unsigned there = 0, all = 0;
    unsigned found = count(source, pattern, &there, &all);
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
    print_events(source, pattern);
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
pp_list_kernel(const char *pattern)
{
    struct pp_event_source *source = NULL;
    size_t sources = open_sources(&source);
    unsigned shown = 0, there = 0, all = 0;
    for (size_t i = 0; i < sources; i++) {
        if (count(&source[i], pattern, &there, &all) == 0)
            continue;
        if (shown == 0)
            puts("\n" PP_TEXT_LIST_KERNEL "\n");
        shown += print_kernel_source(&source[i], pattern);
    }
    return shown;
}

unsigned
pp_list_kernel_each(const char *pattern,
                    void (*take)(void *data, const struct pp_event_source *source,
                                 const struct pp_event *event),
                    void *data)
{
    struct pp_event_source *source = NULL;
    size_t sources = open_sources(&source);
    unsigned found = 0, there = 0, all = 0;
    for (size_t s = 0; s < sources; s++) {
        struct pp_event event;
        unsigned matched = count(&source[s], pattern, &there, &all);
        found += matched;
        if (matched && pp_event_source_absent(&source[s])) {
            take(data, &source[s], NULL);
            continue;
        }
        for (uint32_t i = 0; matched && next_match(&source[s], &i, &event, pattern); i++)
            take(data, &source[s], &event);
    }
    return found;
}

/* Offer every name of the kernel's sources: "source", "source:event", "event". */
static void
offer_kernel(struct pp_list_guess *guess)
{
    struct pp_event_source *source = NULL;
    size_t sources = open_sources(&source);
    char name[256];
    for (size_t s = 0; s < sources; s++) {
        struct pp_event event;
        pp_list_guess_offer(guess, source[s].ops->name);
        for (uint32_t i = 0; source[s].ops->event(source[s].self, i, &event) == 0; i++) {
            snprintf(name, sizeof(name), "%s:%s", source[s].ops->name, event.name);
            pp_list_guess_offer(guess, name);
            pp_list_guess_offer(guess, event.name);
        }
    }
}

void
pp_list_guess_offer(struct pp_list_guess *guess, const char *name)
{
    const char *before = guess->nearest.found;
    pp_nearest_offer(&guess->nearest, name, strlen(name));
    if (guess->nearest.found == before)
        return;
    snprintf(guess->name, sizeof(guess->name), "%s", name);
    guess->nearest.found = guess->name;
}

/* Offer the names of the catalogues: vendors, sets, metrics. */
static void
offer_catalogues(struct pp_list_guess *guess)
{
    for (size_t c = 0; pp_catalogue_at(c); c++) {
        const struct pp_catalogue *catalogue = pp_catalogue_at(c);
        pp_list_guess_offer(guess, catalogue->vendor);
        for (uint32_t i = 0; i < catalogue->sets; i++) {
            struct pp_catalogue_set set;
            catalogue->set(i, &set);
            pp_list_guess_offer(guess, set.symbol);
            for (uint32_t m = 0; m < set.metrics; m++) {
                struct pp_catalogue_metric metric;
                catalogue->metric(i, m, &metric);
                pp_list_guess_offer(guess, metric.symbol);
            }
        }
    }
}

/* Offer the statistics by their names and by each word of the names, because each word is a pattern, too. */
static void
offer_statistics(struct pp_list_guess *guess)
{
    char name[128];
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        snprintf(name, sizeof(name), PP_SOURCE_PIPELINE ":%s", pp_pipeline_statistic_name(i));
        pp_list_guess_offer(guess, name);
        pp_list_guess_offer(guess, pp_pipeline_statistic_name(i));
        for (const char *word = pp_pipeline_statistic_name(i); *word; word += *word == '_') {
            size_t length = strcspn(word, "_");
            snprintf(name, sizeof(name), "%.*s", (int)length, word);
            pp_list_guess_offer(guess, name);
            word += length;
        }
    }
}

/* Offer the metrics that are compiled in. */
static void
offer_derived(struct pp_list_guess *guess)
{
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error;
    char name[256];
    if (pp_metrics_file_open("generic", &file, &error))
        return;
    const struct pp_metrics_item *item = NULL;
    const char *gpu = NULL;
    for (size_t i = 0; (item = pp_metrics_file_at(file, i, &gpu)); i++) {
        snprintf(name, sizeof(name), "metric:%s", item->name);
        pp_list_guess_offer(guess, name);
        pp_list_guess_offer(guess, item->name);
    }
    pp_metrics_file_destroy(file);
}

int
pp_list_guess_fail(const char *pattern, struct pp_list_guess *guess)
{
    pp_list_guess_offer(guess, PP_SOURCE_TIME);
    pp_list_guess_offer(guess, PP_SOURCE_PIPELINE);
    pp_list_guess_offer(guess, "metric:");
    offer_statistics(guess);
    offer_kernel(guess);
    offer_catalogues(guess);
    offer_derived(guess);
    if (guess->nearest.found)
        return pp_fail(PP_FORMAT_LIST_NEAR, pattern, guess->name);
    return pp_fail(PP_FORMAT_LIST_NONE, pattern);
}
