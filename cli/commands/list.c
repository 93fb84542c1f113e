/** @file
 * `passprobe list`: what this machine's contexts can measure, and why not the rest; then the metric
 * catalogues that are compiled in. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/table.h"
#include "cli/commands/commands.h"
#include "cli/commands/list_counters.h"
#include "cli/json/list_json.h"
#include "cli/launch/events.h"
#include "cli/options/options.h"
#include "cli/probe/probe.h"
#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "core/config/user_metric_names.h"
#include "counters/events/event_plan.h"
#include "counters/metric/catalogue.h"
#include "counters/sources/registry.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_options.h"
#include "pp_texts.h"

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

/* A set whose metrics are printed. */
struct printing {
    const struct pp_catalogue_set *set;
    bool title; /* its title was printed */
};

/* Takes a metric. */
typedef void take_metric(void *data, const char *name, const struct pp_catalogue_metric *metric);

static void
print_of_set(void *data, const char *name, const struct pp_catalogue_metric *metric)
{
    struct printing *p = data;
    if (!p->title)
        pp_print(stdout, "\n  %s  %s (%u %s)\n", name, p->set->name, p->set->metrics,
                 pp_format_noun(p->set->metrics, "metric", "metrics"));
    p->title = true;
    print_metric(metric);
}

/* Give the metrics of a set that match to @p take, or all of them if the set's name matches. @return Their
 * number. */
static unsigned
each_of_set(const struct pp_catalogue *catalogue, uint32_t index, const char *pattern,
            const struct item *item, take_metric *take, void *data)
{
    struct pp_catalogue_set set;
    char name[256];
    unsigned found = 0;
    catalogue->set(index, &set);
    snprintf(name, sizeof(name), "%s:%s:%s", catalogue->vendor, set.gpu, set.symbol);
    bool all = pp_view_matches(name, pattern);
    for (uint32_t i = 0; i < set.metrics; i++) {
        struct pp_catalogue_metric metric;
        catalogue->metric(index, i, &metric);
        bool taken =
            item ? pp_events_take(item->source, item->name, &set, &metric)
                 : all || pp_view_matches(metric.symbol, pattern) || pp_view_matches(metric.name, pattern);
        if (!taken)
            continue;
        take(data, name, &metric);
        found++;
    }
    return found;
}

/* The number of GPUs that a catalogue has sets of. */
static unsigned
gpus_of(const struct pp_catalogue *catalogue)
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
    return gpus;
}

/* Give the metrics of all catalogues that match to @p take, or print them where it is NULL. @return Their
 * number. */
static unsigned
each_metric(const char *pattern, take_metric *take, void *data)
{
    unsigned found = 0;
    struct item item;
    const char *vendor = split(pattern, &item);
    for (size_t i = 0; pp_catalogue_at(i); i++) {
        const struct pp_catalogue *catalogue = pp_catalogue_at(i);
        if (vendor && strcmp(vendor, catalogue->vendor) != 0)
            continue;
        for (uint32_t index = 0; index < catalogue->sets; index++) {
            struct pp_catalogue_set set;
            struct printing printing = {.set = &set};
            catalogue->set(index, &set);
            found += each_of_set(catalogue, index, pattern, vendor ? &item : NULL, take ? take : print_of_set,
                                 take ? data : &printing);
        }
    }
    return found;
}

/* Show the metrics of the catalogues that match; without a pattern an entry for each catalogue.
 * @param json What --json writes; NULL: print. @return Number of metrics shown. */
static unsigned
list_catalogues(json_t *json, const char *pattern)
{
    if (*pattern)
        return each_metric(pattern, json ? pp_list_json_metric : NULL, json);
    if (!json)
        puts("\n" PP_TEXT_LIST_CATALOGUES "\n");
    for (size_t i = 0; pp_catalogue_at(i); i++) {
        const struct pp_catalogue *catalogue = pp_catalogue_at(i);
        unsigned gpus = gpus_of(catalogue);
        if (json)
            pp_list_json_catalogue(json, catalogue->vendor, catalogue->sets, gpus);
        else
            pp_print(stdout, PP_FORMAT_LIST_CATALOGUE "\n", catalogue->vendor, catalogue->sets,
                     pp_format_noun(catalogue->sets, "set", "sets"), gpus,
                     pp_format_noun(gpus, "GPU", "GPUs"), catalogue->vendor);
    }
    return 0;
}

static void
print_derived(const char *name, const char *gpu, const struct pp_metrics_item *item)
{
    pp_print(stdout, "      %s%s%s%s%s%s\n", name, *item->unit ? " [" : "", item->unit,
             *item->unit ? "]" : "", strcmp(gpu, "*") ? "  for " : "", strcmp(gpu, "*") ? gpu : "");
    if (*item->description)
        pp_print(stdout, "          %s\n", item->description);
    pp_print(stdout, "          = %s\n", item->formula);
}

/* Show the derived metrics of a file that match, printed ones below a name for the file. @param json As for
 * list_catalogues(). @return Their number. */
static unsigned
list_derived(json_t *json, const struct pp_metrics_file *file, const char *title, const char *pattern)
{
    const struct pp_metrics_item *item;
    const char *gpu;
    unsigned shown = 0;
    for (size_t i = 0; (item = pp_metrics_file_at(file, i, &gpu)); i++) {
        char name[256];
        snprintf(name, sizeof(name), "metric:%s", item->name);
        if (!pp_view_matches(name, pattern))
            continue;
        if (!shown++ && !json)
            pp_print(stdout, "\n" PP_FORMAT_LIST_DERIVED "\n\n", title);
        if (json)
            pp_list_json_derived(json, title, gpu, item);
        else
            print_derived(name, gpu, item);
    }
    return shown;
}

/* Show the metrics that match, of passprobe's own file and of the file @p path (NULL: none). @param json As
 * for list_catalogues(). @return Number of metrics shown; negative: the file has a mistake, and a message was
 * printed. */
static int
list_metrics(json_t *json, const char *path, const char *pattern)
{
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error;
    unsigned shown = 0;
    if (pp_metrics_file_open("generic", &file, &error) == 0 && (json || *pattern))
        shown += list_derived(json, file, "generic", pattern);
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
    shown += list_derived(json, file, path, pattern);
    pp_metrics_file_destroy(file);
    return (int)shown;
}

#define EVENT_NAME 128

/* What the command line says. */
struct options {
    PP_LIST_OPTIONS
};

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

/* Print the contexts, numbered. Contexts that could not be made get no column. */
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
                     pp_format_name(device, sizeof(device), probe->device, 56));
    }
}

static bool
print_event(const struct pp_probes *probes, const char *name, int statistic, const char *pattern,
            struct notes *notes)
{
    if (!pp_view_matches(name, pattern))
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

/* Capabilities of this machine's contexts. They are probed once for all patterns. */
struct machine {
    struct pp_probes *probes; /* NULL: not yet asked */
    bool printed;             /* the contexts were printed, or added to json */
    json_t *json;             /* what --json writes; NULL: text is printed. Owned */
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
    if (!machine->printed && machine->json)
        pp_list_json_contexts(machine->json, machine->probes);
    else if (!machine->printed)
        print_contexts(machine->probes);
    machine->printed = true;
}

/* The name of an event of contexts. @param statistic Of pipelines; -1: time. */
static const char *
event_name(char text[EVENT_NAME], int statistic)
{
    if (statistic < 0)
        return PP_SOURCE_TIME;
    snprintf(text, EVENT_NAME, PP_SOURCE_PIPELINE ":%s", pp_pipeline_statistic_name((uint32_t)statistic));
    return text;
}

/* Add the events and counters of contexts that match to the JSON. @return As print_events(). */
static unsigned
add_events(struct machine *machine, const char *pattern, struct pp_list_guess *guess)
{
    char text[EVENT_NAME];
    unsigned found = 0;
    print_contexts_once(machine);
    for (int i = -1; i < (int)PP_PIPELINE_STATISTICS; i++) {
        const char *name = event_name(text, i);
        if (!pp_view_matches(name, pattern))
            continue;
        pp_list_json_event(machine->json, machine->probes, name, i);
        found++;
    }
    found += pp_list_counters_each(machine->probes, pattern, pp_list_json_counter, machine->json);
    if (!found)
        pp_list_counters_names(machine->probes, guess);
    return found;
}

/* Print the counters that match a pattern which matches no event of all contexts. */
static unsigned
print_counters_only(struct machine *machine, const char *pattern, struct pp_list_guess *guess)
{
    if (!pp_list_counters_match(machine->probes, pattern)) {
        pp_list_counters_names(machine->probes, guess);
        return 0;
    }
    print_contexts_once(machine);
    pp_print_char(stdout, '\n');
    return pp_list_counters(machine->probes, pattern);
}

/* @return events shown; where there are none, names of the drivers' counters are offered to @p guess. */
static unsigned
print_events(struct machine *machine, const char *pattern, struct pp_list_guess *guess)
{
    char name[EVENT_NAME];
    struct notes notes = {.len = 0};
    unsigned shown = 0;
    bool any = false;
    for (int i = -1; i < (int)PP_PIPELINE_STATISTICS && !any; i++)
        any = pp_view_matches(event_name(name, i), pattern);
    if (!any && !pp_list_counters_may(pattern))
        return 0;
    const struct pp_probes *probes = ask(machine);
    if (!probes)
        return 0;
    if (machine->json)
        return add_events(machine, pattern, guess);
    if (!any)
        return print_counters_only(machine, pattern, guess);
    print_contexts_once(machine);
    print_title(probes);
    for (int i = -1; i < (int)PP_PIPELINE_STATISTICS; i++)
        shown += print_event(probes, event_name(name, i), i, pattern, &notes);
    pp_print_char(stdout, '\n');
    for (size_t i = 0; i < notes.len; i++)
        pp_print(stdout, "  (%zu) %s\n", i + 1, notes.text[i]);
    if (notes.len > 0)
        pp_print_char(stdout, '\n');
    return shown + pp_list_counters(probes, pattern);
}

/* Show everything that a pattern matches. @return The number of things shown; negative: the file of metrics
 * has a mistake, and a message was printed. */
static int
show(struct machine *machine, const char *pattern, const char *metrics, struct pp_list_guess *guess)
{
    *guess = (struct pp_list_guess){.nearest = pp_nearest_begin(pattern, strlen(pattern))};
    json_t *json = machine->json;
    unsigned shown = print_events(machine, pattern, guess);
    /* the pattern is the name of an event: do not add the 500 catalogue metrics that contain "time" */
    if (strcmp(pattern, PP_SOURCE_TIME) != 0 &&
        strncmp(pattern, PP_SOURCE_PIPELINE, strlen(PP_SOURCE_PIPELINE)) != 0) {
        if (pp_list_counters_may(pattern))
            shown += json ? pp_list_kernel_each(pattern, pp_list_json_kernel, json) : pp_list_kernel(pattern);
        shown += list_catalogues(json, pattern);
    }
    int derived = list_metrics(json, metrics, pattern);
    return derived < 0 ? derived : (int)shown + derived;
}

/* Show the items of a list as `record -e` takes it, one after the other. */
static int
show_items(struct machine *machine, const struct pp_event_list *list, const char *metrics)
{
    struct pp_list_guess guess;
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
            rc = pp_list_guess_fail(pattern, &guess);
    }
    return rc;
}

/* Show everything that a pattern matches. If it matches nothing, read it as a list of events: groups, quoted
 * names.
 */
static int
show_all(struct machine *machine, const char *pattern, const char *metrics)
{
    struct pp_list_guess guess;
    struct pp_event_list list;
    int shown = show(machine, pattern, metrics, &guess);
    if (shown < 0)
        return PP_EXIT_FAILED;
    if (!*pattern || shown > 0)
        return 0;
    if (!strpbrk(pattern, "{,\"") || pp_event_list_parse(pattern, &list, NULL))
        return pp_list_guess_fail(pattern, &guess);
    int rc = show_items(machine, &list, metrics);
    pp_event_list_destroy(&list);
    return rc;
}

/* List what matches, as text or as JSON. @return Exit status. */
static int
list(const char *pattern, const char *metrics, bool json)
{
    struct machine machine = {.json = json ? pp_list_json_make(pattern) : NULL};
    int rc = show_all(&machine, pattern, metrics);
    if (json && rc == 0) {
        int wrote = pp_json_write(stdout, machine.json);
        rc = wrote ? pp_fail(PP_FORMAT_LIST_NOT_WRITTEN, strerror(-wrote)) : 0;
    }
    json_decref(machine.json);
    if (machine.probes)
        pp_probes_destroy(machine.probes);
    return rc;
}

int
pp_cmd_list(int argc, char **argv)
{
    static const struct pp_option rows[] = {PP_LIST_ROWS(struct options)};
    struct options options = {.events = NULL};
    const struct pp_command_options own = {
        .name = "list", .usage = PP_TEXT_USAGE_LIST, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    struct pp_metrics_error error;
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
    if (given.words > 1 || (given.words && options.events && *options.events))
        return pp_fail(PP_TEXT_LIST_ONE);
    /* Report a mistake in the file before anything else is printed. */
    if (options.metrics && pp_user_metrics_check(options.metrics, &error) < 0)
        return pp_fail_text(error.text);
    const char *pattern = given.words      ? given.word[0] /* as perf list takes it */
                          : options.events ? options.events
                                           : "";
    return list(pattern, options.metrics, options.json);
}
