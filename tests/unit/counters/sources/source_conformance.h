/** @file
 * The conformance suite of counter sources (counters/snapshot/source.h). Every implementation runs it, on a
 * machine or a fake on which at least one event is available. */
#ifndef PP_TESTS_UNIT_COUNTERS_SOURCES_SOURCE_CONFORMANCE_H
#define PP_TESTS_UNIT_COUNTERS_SOURCES_SOURCE_CONFORMANCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "counters/metric/metric_compile.h"
#include "counters/metric/metric_eval.h"
#include "counters/snapshot/source.h"

/** Is there a field of this name in the layout? */
static inline bool
source_layout_has(const struct pp_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->fields; i++)
        if (strcmp(layout->field[i].name, name) == 0)
            return true;
    return false;
}

/** The reason why the source cannot count, which its one event has; "" if it can. */
static inline const char *
source_reason(const struct pp_event_source *source)
{
    struct pp_event event, other;
    assert_int_equal(source->ops->event(source->self, 0, &event), 0);
    assert_int_equal(source->ops->event(source->self, 1, &other), event.reason ? -ENOENT : 0);
    return event.reason ? event.reason : "";
}

/** The formulas of some events read the layout's fields and give one value an event. */
static inline void
source_formulas_conform(const struct pp_source_ops *ops, void *self, const uint32_t *event, size_t events,
                        const struct pp_layout *layout)
{
    struct pp_metric_program *program = NULL;
    if (!ops->formulas)
        return;
    assert_int_equal(ops->formulas(self, event, events, &program), 0);
    assert_int_equal(pp_metric_outputs(program), events);
    assert_int_equal(program->inputs, layout->fields);
    pp_metric_destroy(program);
}

/** Two events that cannot be distinguished. */
static inline bool
source_events_equal(const struct pp_event *a, const struct pp_event *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->group ? a->group : "", b->group ? b->group : "") == 0;
}

/** One event's description and, where it is available, its layout. */
static inline void
source_event_conforms(const struct pp_source_ops *ops, void *self, uint32_t i, const struct pp_event *event)
{
    uint32_t bad = UINT32_MAX;
    assert_non_null(event->name);
    assert_true(event->name[0] != '\0' && !strchr(event->name, ','));
    assert_non_null(event->description);
    assert_true(event->description[0] != '\0');
    if (event->reason) {
        assert_true(event->reason[0] != '\0');
        return;
    }
    assert_true(!ops->fits || ops->fits(self, &i, 1) == 1);
    const struct pp_layout *layout = ops->layout(self, &i, 1);
    assert_non_null(layout);
    assert_int_equal(pp_layout_check(layout, &bad), 0);
    assert_true(ops->formulas || source_layout_has(layout, event->name));
    assert_true(!event->group || event->group[0] != '\0');
    assert_true(ops->reads == PP_READ_GPU || (ops->reads == PP_READ_STREAM ? !!ops->between : !!ops->read));
    source_formulas_conform(ops, self, &i, 1, layout);
}

/**
 * Run the suite.
 *
 * What it asks: a name; events with names unique in their group, a description each, a reason where
 * unavailable; -ENOENT past the last, again and again; an available event fits alone and has a well-formed
 * layout with a field of its name, or formulas over its fields; as many events as fit() takes together have
 * one layout that holds them all, and what always fits may join them; the default set's events are available;
 * a source that the CPU reads has read().
 */
static inline void
pp_source_conforms(const struct pp_source_ops *ops, void *self)
{
    struct pp_event event;
    struct pp_event other;
    uint32_t together[256];
    const char *name[256];
    size_t count = 0;
    uint32_t events = 0;
    assert_non_null(ops->name);
    assert_true(ops->name[0] != '\0' && !strchr(ops->name, ':'));
    assert_non_null(ops->event);
    assert_non_null(ops->layout);
    for (; ops->event(self, events, &event) == 0; events++) {
        source_event_conforms(ops, self, events, &event);
        for (uint32_t j = 0; j < events; j++) {
            assert_int_equal(ops->event(self, j, &other), 0);
            assert_false(source_events_equal(&other, &event));
        }
        if (event.reason || count == 256)
            continue;
        together[count] = events;
        name[count] = event.name;
        if (!ops->fits || ops->fits(self, together, count + 1))
            count++;
    }
    assert_true(events > 0 && count > 0);
    for (uint32_t i = 0; ops->always_fits && i < events && count < 256; i++) {
        if (!ops->always_fits(self, i))
            continue;
        assert_non_null(ops->fits);
        together[count] = i; /* the set may have the event already: twice is the same as once */
        assert_true(ops->fits(self, together, count + 1));
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(ops->event(self, events + i * 1000, &event), -ENOENT);
    const struct pp_layout *layout = ops->layout(self, together, count);
    assert_non_null(layout);
    assert_int_equal(pp_layout_check(layout, NULL), 0);
    for (size_t i = 0; i < count && !ops->formulas; i++)
        assert_true(source_layout_has(layout, name[i]));
    source_formulas_conform(ops, self, together, count, layout);
    for (uint32_t i = 0; ops->default_event && i < 16384; i++) {
        uint32_t chosen = UINT32_MAX;
        if (ops->default_event(self, i, &chosen))
            break;
        assert_int_equal(ops->event(self, chosen, &event), 0);
        assert_null(event.reason);
    }
    for (int error = 1; ops->explain && error < 600; error++) {
        char text[PP_REASON_BYTES + 1];
        memset(text, 'x', sizeof(text));
        ops->explain(self, error, text);
        assert_non_null(memchr(text, '\0', PP_REASON_BYTES));
        assert_true(text[0] != '\0' && text[PP_REASON_BYTES] == 'x' && !strchr(text, '\n'));
    }
}

#endif
