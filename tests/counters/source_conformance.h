/** @file
 * The conformance suite of the counter-source seam (counters/source.h). Every implementation runs it, on a
 * machine or stand-in where at least one event is available. */
#ifndef PP_TESTS_COUNTERS_SOURCE_CONFORMANCE_H
#define PP_TESTS_COUNTERS_SOURCE_CONFORMANCE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "counters/source.h"

/** Is there a field of this name in the layout? */
static inline bool
source_layout_has(const struct pp_layout *layout, const char *name)
{
    for (uint32_t i = 0; i < layout->fields; i++)
        if (strcmp(layout->field[i].name, name) == 0)
            return true;
    return false;
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
    assert_true(source_layout_has(layout, event->name));
}

/**
 * Run the suite.
 *
 * What it asks: a name; events with unique names, a description each, a reason where unavailable; -ENOENT
 * past the last, again and again; an available event fits alone and has a well-formed layout with a field of
 * its name; as many events as fit() takes together have one layout that holds them all.
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
            assert_string_not_equal(other.name, event.name);
        }
        if (event.reason || count == 256)
            continue;
        together[count] = events;
        name[count] = event.name;
        if (!ops->fits || ops->fits(self, together, count + 1))
            count++;
    }
    assert_true(events > 0 && count > 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(ops->event(self, events + i * 1000, &event), -ENOENT);
    const struct pp_layout *layout = ops->layout(self, together, count);
    assert_non_null(layout);
    assert_int_equal(pp_layout_check(layout, NULL), 0);
    for (size_t i = 0; i < count; i++)
        assert_true(source_layout_has(layout, name[i]));
}

#endif
