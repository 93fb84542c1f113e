/** @file
 * Event lists: any text either gives a mistake with its place, or a plan that keeps what the grammar
 * promises. */
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/events/event_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* "hw": 24 events in three banks, two of a bank at a time; a11 to a13 are not there. "sw": no limits. */
static int
hw_event(void *self, uint32_t i, struct pp_event *ret)
{
    static char name[24][8];
    (void)self;
    if (i >= 24)
        return -ENOENT;
    snprintf(name[i], sizeof(name[i]), "a%u", (unsigned)i);
    *ret = (struct pp_event){.name = name[i], .reason = i > 10 && i < 14 ? "not in this chip" : NULL};
    return 0;
}

static int
hw_fits(void *self, const uint32_t *event, size_t events)
{
    unsigned bank[3] = {0};
    (void)self;
    for (size_t i = 0; i < events; i++)
        bank[event[i] % 3]++;
    return bank[0] <= 2 && bank[1] <= 2 && bank[2] <= 2;
}

static int
sw_event(void *self, uint32_t i, struct pp_event *ret)
{
    static const char *const name[] = {"ia_vertices", "a0", "clip, out"};
    (void)self;
    if (i >= 3)
        return -ENOENT;
    *ret = (struct pp_event){.name = name[i]};
    return 0;
}

static const struct pp_layout *
no_layout(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    (void)event;
    (void)events;
    return NULL;
}

static const struct pp_source_ops hw = {
    .name = "hw", .event = hw_event, .fits = hw_fits, .layout = no_layout};
static const struct pp_source_ops sw = {.name = "sw", .event = sw_event, .layout = no_layout};

static bool
in_set(const struct pp_event_set *set, struct pp_event_ref ref)
{
    for (size_t i = 0; i < set->events; i++) {
        if (set->event[i].source == ref.source && set->event[i].event == ref.event)
            return true;
    }
    return false;
}

static void
check(const struct pp_event_plan *plan)
{
    assert(plan->sets <= PP_ROTATION_SETS && (plan->sets > 0) == (plan->wanted_count > 0));
    for (size_t s = 0; s < plan->sets; s++) {
        uint32_t event[64];
        size_t n = pp_event_set_of_source(&plan->set[s], 0, event, 64);
        assert(n <= 64 && hw_fits(NULL, event, n));
        assert(in_set(&plan->set[s], (struct pp_event_ref){0, 23}));
    }
    for (size_t i = 0; i < plan->wanted_count; i++) {
        size_t sets = 0;
        for (size_t s = 0; s < plan->sets; s++)
            sets += in_set(&plan->set[s], plan->wanted[i]);
        assert(sets > 0 && (plan->wanted[i].source == 0 || sets == plan->sets));
    }
    for (size_t i = 0; i < plan->missing_count; i++)
        assert(plan->missing[i].reason);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct pp_event_source source[] = {{&hw, NULL}, {&sw, NULL}};
    static const struct pp_event_ref clock = {0, 23};
    struct pp_event_list list;
    struct pp_event_plan plan;
    struct pp_event_error error = {0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    int err = pp_event_list_parse(text, &list, &error);
    if (!err) {
        assert(list.items > 0);
        err = pp_event_plan_make(&list, source, 2, &clock, 1, &plan, &error);
        if (!err) {
            check(&plan);
            pp_event_plan_destroy(&plan);
        }
        pp_event_list_destroy(&list);
    }
    if (err)
        assert(error.column >= 1 && error.column <= strlen(text) + 1 && *error.message);
    free(text);
    return 0;
}
