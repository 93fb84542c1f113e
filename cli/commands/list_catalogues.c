/** @file
 * See list_catalogues.h. */
#include "cli/commands/list_catalogues.h"

#include <stdio.h>
#include <string.h>

#include "cli/commands/list_match.h"
#include "cli/json/list_json.h"
#include "cli/launch/events.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "core/config/user_metric_names.h"
#include "counters/metric/catalogue.h"
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
    bool all = pp_list_match(name, pattern);
    for (uint32_t i = 0; i < set.metrics; i++) {
        struct pp_catalogue_metric metric;
        catalogue->metric(index, i, &metric);
        bool taken =
            item ? pp_events_take(item->source, item->name, &set, &metric)
                 : all || pp_list_match(metric.symbol, pattern) || pp_list_match(metric.name, pattern);
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

/* Print a line for each catalogue: the number of its GPUs and sets. */
static void
print_catalogue_line(const struct pp_catalogue *catalogue)
{
    unsigned gpus = gpus_of(catalogue);
    pp_print(stdout, PP_FORMAT_LIST_CATALOGUE "\n", catalogue->vendor, catalogue->sets,
             pp_format_noun(catalogue->sets, "set", "sets"), gpus, pp_format_noun(gpus, "GPU", "GPUs"),
             catalogue->vendor);
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

unsigned
pp_list_catalogues(const char *pattern)
{
    if (*pattern)
        return each_metric(pattern, NULL, NULL);
    puts("\n" PP_TEXT_LIST_CATALOGUES "\n");
    for (size_t i = 0; pp_catalogue_at(i); i++)
        print_catalogue_line(pp_catalogue_at(i));
    return 0;
}

unsigned
pp_list_catalogues_json(json_t *list, const char *pattern)
{
    if (*pattern)
        return each_metric(pattern, pp_list_json_metric, list);
    for (size_t i = 0; pp_catalogue_at(i); i++)
        pp_list_json_catalogue(list, pp_catalogue_at(i)->vendor, pp_catalogue_at(i)->sets,
                               gpus_of(pp_catalogue_at(i)));
    return 0;
}

/* Print the derived metrics of a file, below a name for the file. @return The number of metrics shown. */
static unsigned
print_derived(const struct pp_metrics_file *file, const char *title, const char *pattern)
{
    const struct pp_metrics_item *item;
    const char *gpu;
    unsigned shown = 0;
    for (size_t i = 0; (item = pp_metrics_file_at(file, i, &gpu)); i++) {
        char name[256];
        snprintf(name, sizeof(name), "metric:%s", item->name);
        if (!pp_list_match(name, pattern))
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

/* Add the derived metrics of a file that match. @return Their number. */
static unsigned
add_derived(json_t *list, const struct pp_metrics_file *file, const char *title, const char *pattern)
{
    const struct pp_metrics_item *item;
    const char *gpu;
    unsigned found = 0;
    for (size_t i = 0; (item = pp_metrics_file_at(file, i, &gpu)); i++) {
        char name[256];
        snprintf(name, sizeof(name), "metric:%s", item->name);
        if (!pp_list_match(name, pattern))
            continue;
        pp_list_json_derived(list, title, gpu, item);
        found++;
    }
    return found;
}

int
pp_list_metrics_json(json_t *list, const char *path, const char *pattern)
{
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error;
    unsigned found = 0;
    if (pp_metrics_file_open("generic", &file, &error) == 0)
        found += add_derived(list, file, "generic", pattern);
    pp_metrics_file_destroy(file);
    file = NULL;
    if (!path)
        return (int)found;
    if (pp_user_metrics_check(path, &error) < 0 || pp_metrics_file_open(path, &file, &error) < 0) {
        pp_fail_text(error.text);
        return -1;
    }
    found += add_derived(list, file, path, pattern);
    pp_metrics_file_destroy(file);
    return (int)found;
}

int
pp_list_metrics(const char *path, const char *pattern)
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
