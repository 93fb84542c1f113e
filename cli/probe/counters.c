/** @file
 * Counters of a context, collected in its child process and sent to the command; see probe.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/probe/probe_private.h"
#include "counters/events/event_names.h"
#include "counters/sources/registry.h"

#define COUNTERS_MAX 131072U

static struct pp_probe_counter *collected;
static uint32_t count, capacity;

/* Copy a text, and zero the rest of its array, so that equal counters are equal byte for byte. */
static void
copy(char *to, size_t size, const char *text)
{
    memset(to, 0, size);
    if (text)
        pp_event_text_clean(to, size, text);
}

#define COPY(field, text) copy(field, sizeof(field), text)

void
pp_probe_counter_add(const struct pp_probe_counter *counter)
{
    if (count == capacity) {
        uint32_t more = capacity ? 2 * capacity : 64;
        struct pp_probe_counter *bigger =
            more > COUNTERS_MAX ? NULL : realloc(collected, more * sizeof(*bigger));
        if (!bigger)
            return;
        collected = bigger;
        capacity = more;
    }
    collected[count++] = *counter;
}

void
pp_probe_source_add(uint32_t probe, const struct pp_source_ops *ops, void *self, const char *about,
                    uint32_t (*limit)(void *self, uint32_t event))
{
    struct pp_event event;
    struct pp_probe_counter counter;
    memset(&counter, 0, sizeof(counter));
    counter.probe = probe;
    COPY(counter.source, ops->name);
    COPY(counter.description, about);
    pp_probe_counter_add(&counter);
    for (uint32_t i = 0; ops->event(self, i, &event) == 0; i++) {
        const char *unit = pp_unit_suffix(event.unit);
        counter.limit = limit ? limit(self, i) : 0;
        COPY(counter.group, event.group);
        COPY(counter.name, event.name);
        COPY(counter.unit, *unit == '_' ? unit + 1 : unit);
        COPY(counter.description, event.description);
        COPY(counter.reason, event.reason);
        pp_probe_counter_add(&counter);
    }
}

const char *
pp_probe_source_text(const char *source, char *text, size_t size)
{
    const struct pp_source_row *row = pp_source_row_find(source);
    text[0] = '\0';
    if (row)
        snprintf(text, size, "%s: %s%s%s", row->measures, row->scope, *row->cost ? "; " : "", row->cost);
    return text;
}

void
pp_probe_absent_add(uint32_t probe, const char *source, const char *reason)
{
    struct pp_probe_counter counter;
    memset(&counter, 0, sizeof(counter));
    counter.probe = probe;
    COPY(counter.source, source);
    COPY(counter.reason, reason);
    pp_probe_counter_add(&counter);
}

bool
pp_probe_counters_send(int fd)
{
    return pp_probe_write(fd, &count, sizeof(count)) &&
           (count == 0 || pp_probe_write(fd, collected, count * sizeof(*collected)));
}

bool
pp_probe_counters_receive(int fd, struct pp_probes *probes, uint32_t first)
{
    uint32_t more = 0;
    if (!pp_probe_read(fd, &more, sizeof(more)) || more > COUNTERS_MAX)
        return false;
    if (!probes || more == 0)
        return true;
    struct pp_probe_counter *all =
        realloc(probes->counter, (probes->counters + more) * sizeof(*probes->counter));
    if (!all)
        return false;
    probes->counter = all;
    if (!pp_probe_read(fd, all + probes->counters, more * sizeof(*all)))
        return false;
    for (uint32_t i = 0; i < more; i++)
        all[probes->counters + i].probe += first;
    probes->counters += more;
    return true;
}

void
pp_probes_destroy(struct pp_probes *probes)
{
    if (probes)
        free(probes->counter);
    free(probes);
}
