/** @file
 * See list_json.h. */
#include "cli/json/list_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/text/json_values.h"
#include "counters/sources/registry.h"

/* Add whether a thing can be measured, and why not. @param reason NULL or "": it can. */
static void
put_available(json_t *object, const char *reason)
{
    pp_json_put_truth(object, "available", !reason || !*reason);
    pp_json_put_known(object, "reason", reason);
}

json_t *
pp_list_json_make(const char *pattern)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "format", "passprobe-list");
    pp_json_put_number(ret, "schema", PP_LIST_JSON_SCHEMA);
    pp_json_put_known(ret, "pattern", pattern);
    pp_json_put(ret, "contexts", json_null());
    pp_json_put(ret, "events", json_array());
    pp_json_put(ret, "counters", json_array());
    pp_json_put(ret, "kernel", json_array());
    pp_json_put(ret, "catalogues", json_array());
    pp_json_put(ret, "metrics", json_array());
    return ret;
}

void
pp_list_json_contexts(json_t *list, const struct pp_probes *probes)
{
    json_t *contexts = json_array();
    for (size_t i = 0; i < probes->len; i++) {
        const struct pp_probe *probe = &probes->probe[i];
        json_t *row = json_object();
        pp_json_put_number(row, "context", (double)i);
        pp_json_put_text(row, "api", probe->api);
        put_available(row, probe->why_not);
        pp_json_put_known(row, "device", probe->device);
        pp_json_put_known(row, "version", probe->version);
        pp_json_put_known(row, "driver", probe->driver);
        pp_json_append(contexts, row);
    }
    pp_json_put(list, "contexts", contexts);
}

void
pp_list_json_event(json_t *list, const struct pp_probes *probes, const char *name, int statistic)
{
    json_t *event = json_object(), *contexts = json_array();
    pp_json_put_text(event, "event", name);
    for (size_t i = 0; i < probes->len; i++) {
        const struct pp_probe *probe = &probes->probe[i];
        bool got = statistic < 0 ? probe->timestamp_bits > 0 : probe->statistics >> statistic & 1U;
        const char *reason = got ? "" : statistic < 0 ? probe->why_no_time : probe->why_no_statistics;
        if (*probe->why_not)
            continue;
        json_t *row = json_object();
        pp_json_put_number(row, "context", (double)i);
        pp_json_put_truth(row, "available", got);
        pp_json_put_known(row, "reason", reason);
        pp_json_append(contexts, row);
    }
    pp_json_put(event, "contexts", contexts);
    pp_json_append(json_object_get(list, "events"), event);
}

void
pp_list_json_counter(void *list, const struct pp_probe_counter *counter)
{
    json_t *row = json_object();
    char name[sizeof(counter->source) + sizeof(counter->name)] = "";
    if (*counter->name)
        snprintf(name, sizeof(name), "%s:%s", counter->source, counter->name);
    pp_json_put_number(row, "context", counter->probe);
    pp_json_put_text(row, "source", counter->source);
    pp_json_put_known(row, "event", name);
    pp_json_put_known(row, "group", counter->group);
    pp_json_put_known(row, "unit", counter->unit);
    pp_json_put_known(row, "description", counter->description);
    pp_json_put_number(row, "at_a_time", counter->limit ? counter->limit : (double)NAN);
    put_available(row, counter->reason);
    pp_json_append(json_object_get(list, "counters"), row);
}

/* Find a source of the kernel in the list, or add it. @return Borrowed. */
static json_t *
kernel_source(json_t *list, const struct pp_event_source *source)
{
    json_t *sources = json_object_get(list, "kernel");
    for (size_t i = 0; i < json_array_size(sources); i++) {
        json_t *row = json_array_get(sources, i);
        const char *name = json_string_value(json_object_get(row, "source"));
        if (name && strcmp(name, source->ops->name) == 0)
            return row;
    }
    const struct pp_source_row *about = pp_source_row_find(source->ops->name);
    json_t *row = json_object();
    pp_json_put_text(row, "source", source->ops->name);
    put_available(row, pp_event_source_absent(source));
    pp_json_put_known(row, "of", about ? about->scope : NULL);
    pp_json_put_known(row, "cost", about ? about->cost : NULL);
    pp_json_put_known(row, "without_e", about ? about->without_e : NULL);
    pp_json_put(row, "events", json_array());
    pp_json_append(sources, row);
    return row;
}

void
pp_list_json_kernel(void *list, const struct pp_event_source *source, const struct pp_event *event)
{
    json_t *events = json_object_get(kernel_source(list, source), "events");
    if (!event)
        return;
    char name[256];
    const char *suffix = pp_unit_suffix(event->unit);
    json_t *row = json_object();
    snprintf(name, sizeof(name), "%s:%s", source->ops->name, event->name);
    pp_json_put_text(row, "event", name);
    pp_json_put_known(row, "group", event->group);
    pp_json_put_known(row, "unit", *suffix == '_' ? suffix + 1 : suffix);
    pp_json_put_known(row, "description", event->description);
    put_available(row, event->reason);
    pp_json_append(events, row);
}

void
pp_list_json_catalogue(json_t *list, const char *vendor, unsigned sets, unsigned gpus)
{
    json_t *row = json_object();
    pp_json_put_text(row, "catalogue", vendor);
    pp_json_put_number(row, "sets", sets);
    pp_json_put_number(row, "gpus", gpus);
    pp_json_append(json_object_get(list, "catalogues"), row);
}

void
pp_list_json_metric(void *list, const char *set, const struct pp_catalogue_metric *metric)
{
    json_t *row = json_object();
    pp_json_put_known(row, "set", set);
    pp_json_put_known(row, "file", NULL);
    pp_json_put_known(row, "gpu", NULL);
    pp_json_put_text(row, "metric", metric->symbol);
    pp_json_put_known(row, "name", metric->name);
    pp_json_put_known(row, "unit", metric->unit);
    pp_json_put_known(row, "description", metric->description);
    pp_json_put_known(row, "formula", metric->formula);
    pp_json_append(json_object_get(list, "metrics"), row);
}

void
pp_list_json_derived(void *list, const char *file, const char *gpu, const struct pp_metrics_item *item)
{
    char name[256];
    json_t *row = json_object();
    snprintf(name, sizeof(name), "metric:%s", item->name);
    pp_json_put_known(row, "set", NULL);
    pp_json_put_known(row, "file", file);
    pp_json_put_known(row, "gpu", strcmp(gpu, "*") == 0 ? NULL : gpu);
    pp_json_put_text(row, "metric", name);
    pp_json_put_known(row, "name", NULL);
    pp_json_put_known(row, "unit", item->unit);
    pp_json_put_known(row, "description", item->description);
    pp_json_put_known(row, "formula", item->formula);
    pp_json_append(json_object_get(list, "metrics"), row);
}
