/** @file
 * See list_counters.h. */
#include "cli/commands/list_counters.h"

#include <stdio.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
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
is_match(const struct pp_probe_counter *counter, const char *pattern, pp_list_matches *matches)
{
    char name[sizeof(counter->source) + sizeof(counter->group) + sizeof(counter->name)];
    /* the counters of a missing source are unknown: any name with that source shows the reason */
    size_t length = strlen(counter->source);
    if (!*counter->name && *counter->reason && strncmp(pattern, counter->source, length) == 0 &&
        pattern[length] == ':')
        return true;
    snprintf(name, sizeof(name), "%s:%s", counter->source, counter->name);
    if (matches(name, pattern) || matches(counter->source, pattern))
        return true;
    if (!*counter->group)
        return false;
    snprintf(name, sizeof(name), "%s:%s", counter->source, counter->group);
    if (matches(name, pattern))
        return true;
    snprintf(name, sizeof(name), "%s:%s.%s", counter->source, counter->group, counter->name);
    return *counter->name && matches(name, pattern);
}

bool
pp_list_counters_match(const struct pp_probes *probes, const char *pattern, pp_list_matches *matches)
{
    bool any = false;
    for (size_t i = 0; i < probes->counters && !any; i++)
        any = is_match(&probes->counter[i], pattern, matches);
    return any;
}

void
pp_list_counters_names(const struct pp_probes *probes, void (*say)(void *data, const char *name), void *data)
{
    char name[640];
    for (size_t i = 0; i < probes->counters; i++) {
        const struct pp_probe_counter *counter = &probes->counter[i];
        if (!*counter->name) {
            say(data, counter->source);
            continue;
        }
        snprintf(name, sizeof(name), "%s:%s", counter->source, counter->name);
        say(data, name);
        say(data, counter->name);
        snprintf(name, sizeof(name), "%s:%s", counter->source, counter->group);
        if (*counter->group)
            say(data, name);
    }
}

unsigned
pp_list_counters_each(const struct pp_probes *probes, const char *pattern, pp_list_matches *matches,
                      void (*take)(void *data, const struct pp_probe_counter *counter), void *data)
{
    unsigned found = 0;
    for (size_t i = 0; i < probes->counters; i++) {
        if (!is_match(&probes->counter[i], pattern, matches))
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
print_group(const struct pp_probes *probes, size_t at, size_t end, const char *pattern,
            pp_list_matches *matches)
{
    const struct pp_probe_counter *first = &probes->counter[at];
    unsigned found = 0, there = 0;
    for (size_t i = at; i < end; i++) {
        found += is_match(&probes->counter[i], pattern, matches);
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
        if (is_match(&probes->counter[i], pattern, matches))
            print_counter(&probes->counter[i]);
    return found;
}

unsigned
pp_list_counters(const struct pp_probes *probes, const char *pattern, pp_list_matches *matches)
{
    unsigned shown = 0;
    for (size_t at = 0, end; at < probes->counters; at = end) {
        bool any = false;
        end = end_of_source(probes, at);
        for (size_t i = at; i < end && !any; i++)
            any = is_match(&probes->counter[i], pattern, matches);
        if (!any || is_repeated(probes, at))
            continue;
        if (shown++ == 0)
            puts(PP_TEXT_LIST_HARDWARE "\n");
        print_source(probes, at);
        for (size_t i = at + 1, next; i < end; i = next) {
            next = end_of_group(probes, i);
            shown += print_group(probes, i, next, pattern, matches);
        }
    }
    return shown;
}
