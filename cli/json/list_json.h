/** @file
 * What a machine can measure as JSON, for `list --json`. docs/formats/list.schema.json describes it. Prints
 * nothing. */
#ifndef PP_CLI_JSON_LIST_JSON_H
#define PP_CLI_JSON_LIST_JSON_H

#include <jansson.h>

#include "cli/probe/probe.h"
#include "counters/events/event_plan.h"
#include "counters/metric/catalogue.h"
#include "counters/user_metrics/metrics_file.h"

/** Version of the format. It rises when a member is added. */
#define PP_LIST_JSON_SCHEMA 1

/** A list without entries. @param pattern "": everything. @return A new reference; NULL: no memory. */
json_t *pp_list_json_make(const char *pattern);

/** Add the contexts of the machine, in place of those that the list has. */
void pp_list_json_contexts(json_t *list, const struct pp_probes *probes);

/** Add an event that all contexts may have. @param statistic Index of a pipeline statistic; -1: time. */
void pp_list_json_event(json_t *list, const struct pp_probes *probes, const char *name, int statistic);

/** Add a counter of a context, or a source as a whole. @param list json_t. */
void pp_list_json_counter(void *list, const struct pp_probe_counter *counter);

/** Add an event of the kernel, and its source if that is new. @param list json_t. @param event NULL: the
 * machine lacks the source. */
void pp_list_json_kernel(void *list, const struct pp_event_source *source, const struct pp_event *event);

/** Add a catalogue as a whole. */
void pp_list_json_catalogue(json_t *list, const char *vendor, unsigned sets, unsigned gpus);

/** Add a metric of a catalogue. @param list json_t. @param set Name of its set, "intel:kblgt2:RenderBasic".
 */
void pp_list_json_metric(void *list, const char *set, const struct pp_catalogue_metric *metric);

/** Add a derived metric. @param list json_t. @param file "generic", or the file of --metrics. @param gpu "*":
 * all. */
void pp_list_json_derived(void *list, const char *file, const char *gpu, const struct pp_metrics_item *item);

#endif
