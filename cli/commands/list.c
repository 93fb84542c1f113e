/** @file
 * `passprobe list`: what this machine's contexts can measure, and why not the rest; then the metric
 * catalogues that are compiled in. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/list_counters.h"
#include "cli/commands/list_kernel.h"
#include "cli/launch/events.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/probe/counters.h"
#include "cli/probe/probe.h"
#include "core/config/user_metric_names.h"
#include "counters/events/event_plan.h"
#include "counters/metric/catalogue.h"
#include "counters/sources/registry.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_options.h"
#include "pp_texts.h"

static int
usage(void)
{
    puts(PP_TEXT_USAGE_LIST PP_HELP_LIST);
    return 0;
}

/* perf's way: without wildcards the pattern may stand anywhere in the name. */
static bool
matches(const char *name, const char *pattern)
{
    if (!*pattern)
        return true;
    if (strpbrk(pattern, "*?["))
        return fnmatch(pattern, name, FNM_CASEFOLD) == 0;
    return strcasestr(name, pattern) != NULL;
}

/* Footnotes: reasons, each once. */
struct notes {
    const char *text[PP_PROBES_MAX * 2];
    size_t len;
};

static size_t
note(struct notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->len; i++) {
        if (strcmp(notes->text[i], text) == 0)
            return i + 1;
    }
    if (notes->len < PP_ARRAY_SIZE(notes->text))
        notes->text[notes->len++] = text;
    return notes->len;
}

static void
print_cell(bool got, const char *why_not, struct notes *notes)
{
    char text[32];
    if (got)
        snprintf(text, sizeof(text), "yes");
    else
        snprintf(text, sizeof(text), "no(%zu)", note(notes, why_not));
    pp_print(stdout, " %6s", text);
}

/* The contexts, numbered; those that could not be made get no column. */
static void
print_contexts(const struct pp_probes *probes)
{
    char device[300];
    unsigned column = 0;
    puts(PP_TEXT_LIST_CONTEXTS "\n");
    for (size_t i = 0; i < probes->len; i++) {
        const struct pp_probe *probe = &probes->probe[i];
        if (*probe->why_not)
            pp_print(stdout, "   -   %-13s %s\n", probe->api, probe->why_not);
        else
            pp_print(stdout, "  [%u]  %-13s %s\n", ++column, probe->api,
                     pp_text_name(device, sizeof(device), probe->device, 56));
    }
}

static bool
print_event(const struct pp_probes *probes, const char *name, int statistic, const char *pattern,
            struct notes *notes)
{
    if (!matches(name, pattern))
        return false;
    pp_print(stdout, "  %-52s", name);
    for (size_t i = 0; i < probes->len; i++) {
        const struct pp_probe *probe = &probes->probe[i];
        if (*probe->why_not)
            continue;
        if (statistic < 0)
            print_cell(probe->timestamp_bits > 0, probe->why_no_time, notes);
        else
            print_cell(probe->statistics & (1U << statistic), probe->why_no_statistics, notes);
    }
    pp_print_char(stdout, '\n');
    return true;
}

static void
print_title(const struct pp_probes *probes)
{
    unsigned column = 0;
    char text[16];
    pp_print(stdout, "\nEvents:%-47s", "");
    for (size_t i = 0; i < probes->len; i++) {
        if (*probes->probe[i].why_not)
            continue;
        snprintf(text, sizeof(text), "[%u]", ++column);
        pp_print(stdout, " %6s", text);
    }
    puts("\n");
}

/* The known name that is most like a pattern. pp_nearest only borrows names, so the guess has a copy. */
struct guess {
    struct pp_nearest nearest;
    char name[256];
};

static void
offer(void *data, const char *name)
{
    struct guess *guess = data;
    const char *before = guess->nearest.found;
    pp_nearest_offer(&guess->nearest, name, strlen(name));
    if (guess->nearest.found == before)
        return;
    snprintf(guess->name, sizeof(guess->name), "%s", name);
    guess->nearest.found = guess->name;
}

/* Capabilities of this machine's contexts. They are probed once for all patterns. */
struct machine {
    struct pp_probes *probes; /* NULL: not yet asked */
    bool printed;             /* the contexts were printed */
};

/* @return NULL: no memory. */
static const struct pp_probes *
ask(struct machine *machine)
{
    if (machine->probes)
        return machine->probes;
    machine->probes = calloc(1, sizeof(*machine->probes));
    if (machine->probes)
        pp_probe_all(machine->probes);
    return machine->probes;
}

static void
print_contexts_once(struct machine *machine)
{
    if (!machine->printed)
        print_contexts(machine->probes);
    machine->printed = true;
}

/* Print the counters that match a pattern which matches no event of all contexts. */
static unsigned
print_counters_only(struct machine *machine, const char *pattern, struct guess *guess)
{
    if (!pp_list_counters_match(machine->probes, pattern, matches)) {
        pp_list_counters_names(machine->probes, offer, guess);
        return 0;
    }
    print_contexts_once(machine);
    pp_print_char(stdout, '\n');
    return pp_list_counters(machine->probes, pattern, matches);
}

/* @return events shown; where there are none, names of the drivers' counters are offered to @p guess. */
static unsigned
print_events(struct machine *machine, const char *pattern, struct guess *guess)
{
    char name[128];
    struct notes notes = {.len = 0};
    unsigned shown = 0;
    bool any = matches(PP_SOURCE_TIME, pattern);
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS && !any; i++) {
        snprintf(name, sizeof(name), PP_SOURCE_PIPELINE ":%s", pp_pipeline_statistic_name(i));
        any = matches(name, pattern);
    }
    if (!any && !pp_list_counters_may(pattern))
        return 0;
    const struct pp_probes *probes = ask(machine);
    if (!probes)
        return 0;
    if (!any)
        return print_counters_only(machine, pattern, guess);
    print_contexts_once(machine);
    print_title(probes);
    shown += print_event(probes, PP_SOURCE_TIME, -1, pattern, &notes);
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        snprintf(name, sizeof(name), PP_SOURCE_PIPELINE ":%s", pp_pipeline_statistic_name(i));
        shown += print_event(probes, name, (int)i, pattern, &notes);
    }
    pp_print_char(stdout, '\n');
    for (size_t i = 0; i < notes.len; i++)
        pp_print(stdout, "  (%zu) %s\n", i + 1, notes.text[i]);
    if (notes.len > 0)
        pp_print_char(stdout, '\n');
    return shown + pp_list_counters(probes, pattern, matches);
}

/* Catalogues. */

static void
print_metric(const struct pp_catalogue_metric *metric)
{
    pp_print(stdout, "      %s%s%s%s\n", metric->symbol, *metric->unit ? " [" : "", metric->unit,
             *metric->unit ? "]" : "");
    if (*metric->name)
        pp_print(stdout, "          %s%s%s\n", metric->name, *metric->description ? ": " : "",
                 metric->description);
    if (*metric->formula)
        pp_print(stdout, "          = %s\n", metric->formula);
}

/* An event as `record -e` takes it, of a source whose names a catalogue has. */
struct item {
    char source[16];
    const char *name; /* borrowed from the pattern */
};

/* @return The source's catalogue; NULL: the pattern is no such item. */
static const char *
split(const char *pattern, struct item *ret)
{
    const char *colon = strchr(pattern, ':');
    size_t length = colon ? (size_t)(colon - pattern) : sizeof(ret->source);
    if (length >= sizeof(ret->source) || !colon[1])
        return NULL;
    memcpy(ret->source, pattern, length);
    ret->source[length] = '\0';
    ret->name = colon + 1;
    return strchr(ret->name, ':') ? NULL : pp_events_catalogue(ret->source);
}

/* One set with those of its metrics that match; all of them if the set's name does. @return metrics
 * shown. */
static unsigned
print_set(const struct pp_catalogue *catalogue, uint32_t index, const char *pattern, const struct item *item)
{
    struct pp_catalogue_set set;
    char name[256];
    bool title = false;
    unsigned shown = 0;
    catalogue->set(index, &set);
    snprintf(name, sizeof(name), "%s:%s:%s", catalogue->vendor, set.gpu, set.symbol);
    bool all = matches(name, pattern);
    for (uint32_t i = 0; i < set.metrics; i++) {
        struct pp_catalogue_metric metric;
        catalogue->metric(index, i, &metric);
        bool taken = item ? pp_events_take(item->source, item->name, &set, &metric)
                          : all || matches(metric.symbol, pattern) || matches(metric.name, pattern);
        if (!taken)
            continue;
        if (!title)
            pp_print(stdout, "\n  %s  %s (%u %s)\n", name, set.name, set.metrics,
                     pp_text_noun(set.metrics, "metric", "metrics"));
        title = true;
        print_metric(&metric);
        shown++;
    }
    return shown;
}

/* Without a pattern: a line for each catalogue, how many GPUs and sets. */
static void
print_catalogue_line(const struct pp_catalogue *catalogue)
{
    char last[64] = "";
    unsigned gpus = 0;
    for (uint32_t i = 0; i < catalogue->sets; i++) {
        struct pp_catalogue_set set;
        catalogue->set(i, &set);
        if (strcmp(set.gpu, last) != 0)
            gpus++;
        snprintf(last, sizeof(last), "%s", set.gpu);
    }
    pp_print(stdout, PP_FORMAT_LIST_CATALOGUE "\n", catalogue->vendor, catalogue->sets,
             pp_text_noun(catalogue->sets, "set", "sets"), gpus, pp_text_noun(gpus, "GPU", "GPUs"),
             catalogue->vendor);
}

static unsigned
print_catalogues(const char *pattern)
{
    unsigned shown = 0;
    struct item item;
    const char *vendor = split(pattern, &item);
    if (!*pattern)
        puts("\n" PP_TEXT_LIST_CATALOGUES "\n");
    for (size_t i = 0; pp_catalogue_at(i); i++) {
        const struct pp_catalogue *catalogue = pp_catalogue_at(i);
        if (!*pattern) {
            print_catalogue_line(catalogue);
            continue;
        }
        for (uint32_t set = 0; set < catalogue->sets; set++)
            if (!vendor || strcmp(vendor, catalogue->vendor) == 0)
                shown += print_set(catalogue, set, pattern, vendor ? &item : NULL);
    }
    return shown;
}

/* Derived metrics of a file, with a name for the file. @return metrics shown. */
static unsigned
print_derived(const struct pp_metrics_file *file, const char *title, const char *pattern)
{
    const struct pp_metrics_item *item;
    const char *gpu;
    unsigned shown = 0;
    for (size_t i = 0; (item = pp_metrics_file_at(file, i, &gpu)); i++) {
        char name[256];
        snprintf(name, sizeof(name), "metric:%s", item->name);
        if (!matches(name, pattern))
            continue;
        if (!shown++)
            pp_print(stdout, "\n" PP_FORMAT_LIST_DERIVED "\n\n", title);
        pp_print(stdout, "      %s%s%s%s%s%s\n", name, *item->unit ? " [" : "", item->unit,
                 *item->unit ? "]" : "", strcmp(gpu, "*") ? "  for " : "", strcmp(gpu, "*") ? gpu : "");
        if (*item->description)
            pp_print(stdout, "          %s\n", item->description);
        pp_print(stdout, "          = %s\n", item->formula);
    }
    return shown;
}

/* @return metrics shown; negative: the file has a mistake, and a message was printed. */
static int
print_metrics(const char *path, const char *pattern)
{
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error;
    unsigned shown = 0;
    if (pp_metrics_file_open("generic", &file, &error) == 0 && *pattern)
        shown += print_derived(file, "generic", pattern);
    else if (file)
        puts(PP_TEXT_LIST_GENERIC);
    pp_metrics_file_destroy(file);
    file = NULL;
    if (!path)
        return (int)shown;
    if (pp_user_metrics_check(path, &error) < 0 || pp_metrics_file_open(path, &file, &error) < 0) {
        (void)fflush(stdout);
        pp_fail_text(error.text);
        return -1;
    }
    shown += print_derived(file, path, pattern);
    pp_metrics_file_destroy(file);
    return (int)shown;
}

/* Names of the catalogues: vendors, sets, metrics. */
static void
offer_catalogues(struct guess *guess)
{
    for (size_t c = 0; pp_catalogue_at(c); c++) {
        const struct pp_catalogue *catalogue = pp_catalogue_at(c);
        offer(guess, catalogue->vendor);
        for (uint32_t i = 0; i < catalogue->sets; i++) {
            struct pp_catalogue_set set;
            catalogue->set(i, &set);
            offer(guess, set.symbol);
            for (uint32_t m = 0; m < set.metrics; m++) {
                struct pp_catalogue_metric metric;
                catalogue->metric(i, m, &metric);
                offer(guess, metric.symbol);
            }
        }
    }
}

/* Statistics by their names and by the words of these, any of which is a pattern. */
static void
offer_statistics(struct guess *guess)
{
    char name[128];
    for (uint32_t i = 0; i < PP_PIPELINE_STATISTICS; i++) {
        snprintf(name, sizeof(name), PP_SOURCE_PIPELINE ":%s", pp_pipeline_statistic_name(i));
        offer(guess, name);
        offer(guess, pp_pipeline_statistic_name(i));
        for (const char *word = pp_pipeline_statistic_name(i); *word; word += *word == '_') {
            size_t length = strcspn(word, "_");
            snprintf(name, sizeof(name), "%.*s", (int)length, word);
            offer(guess, name);
            word += length;
        }
    }
}

/* Metrics that passprobe brings. */
static void
offer_derived(struct guess *guess)
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
        offer(guess, name);
        offer(guess, item->name);
    }
    pp_metrics_file_destroy(file);
}

static int
nothing_matches(const char *pattern, struct guess *guess)
{
    offer(guess, PP_SOURCE_TIME);
    offer(guess, PP_SOURCE_PIPELINE);
    offer(guess, "metric:");
    offer_statistics(guess);
    pp_list_kernel_names(offer, guess);
    offer_catalogues(guess);
    offer_derived(guess);
    if (guess->nearest.found)
        return pp_fail(PP_FORMAT_LIST_NEAR, pattern, guess->name);
    return pp_fail(PP_FORMAT_LIST_NONE, pattern);
}

/* All that one pattern matches. @return What was shown; negative: the file of metrics has a
 * mistake, and a message was printed. */
static int
show(struct machine *machine, const char *pattern, const char *metrics, struct guess *guess)
{
    *guess = (struct guess){.nearest = pp_nearest_begin(pattern, strlen(pattern))};
    unsigned shown = print_events(machine, pattern, guess);
    /* the pattern is the name of an event: do not add the 500 catalogue metrics that contain "time" */
    if (strcmp(pattern, PP_SOURCE_TIME) != 0 &&
        strncmp(pattern, PP_SOURCE_PIPELINE, strlen(PP_SOURCE_PIPELINE)) != 0) {
        shown += pp_list_counters_may(pattern) ? pp_list_kernel(pattern, matches) : 0;
        shown += print_catalogues(pattern);
    }
    int derived = print_metrics(metrics, pattern);
    return derived < 0 ? derived : (int)shown + derived;
}

/* A list as `record -e` takes it, an item at a time. */
static int
show_items(struct machine *machine, const struct pp_event_list *list, const char *metrics)
{
    struct guess guess;
    char pattern[512];
    int rc = 0;
    for (size_t i = 0; i < list->items; i++) {
        const struct pp_event_item *item = &list->item[i];
        snprintf(pattern, sizeof(pattern), "%s%s%s", item->source, item->name ? ":" : "",
                 item->name ? item->name : "");
        int shown = show(machine, pattern, metrics, &guess);
        if (shown < 0)
            return PP_EXIT_FAILED;
        (void)fflush(stdout);
        if (shown == 0)
            rc = nothing_matches(pattern, &guess);
    }
    return rc;
}

/* Show what matches the pattern. If nothing does, read the pattern as a list of events: groups, quoted names.
 */
static int
show_all(struct machine *machine, const char *pattern, const char *metrics)
{
    struct guess guess;
    struct pp_event_list list;
    int shown = show(machine, pattern, metrics, &guess);
    if (shown < 0)
        return PP_EXIT_FAILED;
    if (!*pattern || shown > 0)
        return 0;
    if (!strpbrk(pattern, "{,\"") || pp_event_list_parse(pattern, &list, NULL))
        return nothing_matches(pattern, &guess);
    int rc = show_items(machine, &list, metrics);
    pp_event_list_destroy(&list);
    return rc;
}

int
pp_cmd_list(int argc, char **argv)
{
    static const struct option longs[] = {{.name = "help", .val = 'h'},
                                          {.name = "events", .has_arg = required_argument, .val = 'e'},
                                          {.name = "metrics", .has_arg = required_argument, .val = 'm'},
                                          {.name = NULL}};
    const char *pattern = "", *metrics = NULL;
    opterr = 0;
    optind = 0;
    for (int answer = 0; (answer = getopt_long(argc, argv, ":he:", longs, NULL)) != -1;) {
        if (answer == 'h')
            return usage();
        if (answer == ':')
            return pp_fail(PP_FORMAT_LIST_ARGUMENT, argv[optind - 1]);
        if (answer == 'm') {
            metrics = optarg;
            continue;
        }
        if (answer != 'e')
            return pp_fail(PP_FORMAT_LIST_OPTION, argv[optind - 1]);
        if (*pattern)
            return pp_fail(PP_TEXT_LIST_ONE);
        pattern = optarg ? optarg : "";
    }
    if (argc - optind > 1 || (optind < argc && *pattern))
        return pp_fail(PP_TEXT_LIST_ONE);
    if (optind < argc)
        pattern = argv[optind]; /* as perf list takes it */
    struct pp_metrics_error error;
    if (metrics && pp_user_metrics_check(metrics, &error) < 0) /* before a page of other things */
        return pp_fail_text(error.text);
    struct machine machine = {.probes = NULL};
    int rc = show_all(&machine, pattern, metrics);
    if (machine.probes)
        pp_probes_destroy(machine.probes);
    return rc;
}
