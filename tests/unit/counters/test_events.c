/** @file
 * Event lists and plans: the grammar, its mistakes, and rules for the sets. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/events/event_plan.h"

/* Sources. "hw": some slots of one bank at a time; the bank is the first letter of the name. */

struct fake {
    const char *const *name;
    uint32_t names, slots;
    const char *missing; /**< this event is missing */
    bool ascending;      /**< fits only in the order of the numbers */
    const char *always;  /**< this event fits together with any others */
};

static int
fake_event(void *self, uint32_t i, struct pp_event *ret)
{
    const struct fake *fake = self;
    if (i >= fake->names)
        return -ENOENT;
    const char *name = fake->name[i];
    *ret = (struct pp_event){
        .name = name,
        .reason = fake->missing && !strcmp(name, fake->missing) ? "only on later chips" : NULL,
    };
    return 0;
}

static int
fake_fits(void *self, const uint32_t *event, size_t events)
{
    const struct fake *fake = self;
    uint32_t used[128] = {0};
    for (size_t i = 0; i < events; i++) {
        if (fake->ascending && i && event[i - 1] > event[i])
            return 0;
        if (fake->always && !strcmp(fake->name[event[i]], fake->always))
            continue;
        if (++used[(unsigned char)fake->name[event[i]][0] & 127] > fake->slots)
            return 0;
    }
    return 1;
}

static bool
fake_always_fits(void *self, uint32_t i)
{
    const struct fake *fake = self;
    return fake->always && !strcmp(fake->name[i], fake->always);
}

static const struct pp_layout *
fake_layout(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    (void)event;
    (void)events;
    return NULL;
}

static const char *const hw_names[] = {"clock", "a0", "a1", "a2", "a3", "b0", "b1", "b2", "x"};
static const char *const sw_names[] = {"ia_vertices", "vs_invocations", "a0", "odd, name"};
static const struct pp_source_ops hw_ops = {.name = "hw",
                                            .event = fake_event,
                                            .fits = fake_fits,
                                            .always_fits = fake_always_fits,
                                            .layout = fake_layout};
static const struct pp_source_ops sw_ops = {.name = "pipeline", .event = fake_event, .layout = fake_layout};

/** The two sources, and what a test changes in them. */
struct ground {
    struct fake hw, sw;
    struct pp_event_source source[2];
    struct pp_event_plan plan;
    struct pp_event_error error;
};

static int
make(struct ground *ground, const char *text)
{
    static const struct pp_event_ref clock = {0, 0};
    struct pp_event_list list;
    ground->source[0] = (struct pp_event_source){&hw_ops, &ground->hw};
    ground->source[1] = (struct pp_event_source){&sw_ops, &ground->sw};
    ground->hw.name = hw_names;
    ground->hw.names = 9;
    ground->hw.slots = ground->hw.slots ? ground->hw.slots : 2;
    ground->sw.name = sw_names;
    ground->sw.names = 4;
    int err = pp_event_list_parse(text, &list, &ground->error);
    if (err)
        return err;
    err = pp_event_plan_make(&list, ground->source, 2, &clock, 1, &ground->plan, &ground->error);
    pp_event_list_destroy(&list);
    return err;
}

/* Sets that hold an event, as bits. */
static uint64_t
sets_with(const struct ground *ground, uint32_t source, const char *name)
{
    uint64_t sets = 0;
    for (size_t s = 0; s < ground->plan.sets; s++) {
        for (size_t i = 0; i < ground->plan.set[s].events; i++) {
            struct pp_event_ref ref = ground->plan.set[s].event[i];
            const struct fake *fake = ground->source[ref.source].self;
            if (ref.source == source && !strcmp(fake->name[ref.event], name))
                sets |= 1ULL << s;
        }
    }
    return sets;
}

static void
check_fits(const struct ground *ground)
{
    for (size_t s = 0; s < ground->plan.sets; s++) {
        uint32_t event[16];
        size_t n = pp_event_set_of_source(&ground->plan.set[s], 0, event, 16);
        void *self = ground->source[0].self;
        assert_true(n <= 16 && fake_fits(self, event, n));
        assert_true(sets_with(ground, 0, "clock") >> s & 1);
    }
}

/* The grammar */

static void
lists_are_read(void **state)
{
    (void)state;
    struct pp_event_list list;
    assert_int_equal(
        pp_event_list_parse(" time ,{hw:a0, hw:a1 },pipeline:\"odd, \\\"n\\\\\", s:x:y z ", &list, NULL), 0);
    static const struct pp_event_item want[] = {
        {"time", NULL, 2, 4, 0, '\0'},  {"hw", "a0", 9, 5, 1, '\0'},
        {"hw", "a1", 16, 5, 1, '\0'},   {"pipeline", "odd, \"n\\", 24, 21, 0, '\0'},
        {"s", "x:y z", 47, 7, 0, '\0'},
    };
    assert_int_equal(list.items, 5);
    assert_int_equal(list.groups, 1);
    for (size_t i = 0; i < 5; i++) {
        assert_string_equal(list.item[i].source, want[i].source);
        assert_int_equal(!list.item[i].name, !want[i].name);
        if (want[i].name)
            assert_string_equal(list.item[i].name, want[i].name);
        assert_int_equal(list.item[i].column, want[i].column);
        assert_int_equal(list.item[i].length, want[i].length);
        assert_int_equal(list.item[i].group, want[i].group);
    }
    pp_event_list_destroy(&list);
    pp_event_list_destroy(&list);
}

static void
mistakes_have_a_column(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t column;
        const char *part;
    } mistake[] = {
        {"", 1, "missing"},
        {"  ", 3, "missing"},
        {"a,", 3, "missing"},
        {"a,,b", 3, "needed"},
        {"{a,b", 1, "not closed"},
        {"a,{b,{c}}", 6, "cannot contain a group"},
        {"a}", 2, "no '{'"},
        {"{}", 2, "needed"},
        {"{a b c}}", 8, "no '{'"},
        {"{a}b", 4, "unexpected 'b'"},
        {"hw:", 4, "missing"},
        {":a", 1, "needed"},
        {"hw:\"a", 4, "not closed"},
        {"hw:\"a\"b", 7, "unexpected 'b'"},
        {"hw:a\"b", 5, "unexpected '\"'"},
        {"hw:\"\"", 4, "needed"},
        {"a,b\nc", 4, "control"},
        {"+a,b", 4, "'+' or '-' is needed"},
        {"+a,{b}", 4, "'+' or '-' is needed"},
        {"a, -b", 4, "unexpected '-'"},
        {"{+a}", 2, "before its '{'"},
        {"+", 2, "missing"},
    };
    for (size_t i = 0; i < sizeof(mistake) / sizeof(mistake[0]); i++) {
        struct pp_event_error error = {0};
        struct pp_event_list list = {0};
        int err = pp_event_list_parse(mistake[i].text, &list, &error);
        if (err != -EINVAL || error.column != mistake[i].column || !strstr(error.message, mistake[i].part))
            fail_msg("'%s': %d, column %u: %s", mistake[i].text, err, error.column, error.message);
        assert_null(list.memory);
    }
}

static void
long_lists_are_refused(void **state)
{
    (void)state;
    struct pp_event_list list;
    struct pp_event_error error;
    char *text = malloc(70001);
    assert_non_null(text);
    memset(text, 'a', 70000);
    text[70000] = '\0';
    assert_int_equal(pp_event_list_parse(text, &list, &error), -E2BIG);
    free(text);
}

/* Finding */

static void
unknown_names_are_answered(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t column;
        const char *part;
    } mistake[] = {
        {"hw:a0,pipeline:vs_invocation", 7,
         "unknown event 'vs_invocation'; did you mean 'pipeline:vs_invocations'"},
        {"pipelin:a0", 1, "unknown source 'pipelin'; did you mean 'pipeline'"},
        {"{a0,ia_vertics}", 5, "unknown source or event 'ia_vertics'; did you mean 'ia_vertices'"},
        {"zzzzzzzzzzzz", 1, "passprobe list"},
        {"hw:q*", 1, "unknown event 'q*'"},
    };
    for (size_t i = 0; i < sizeof(mistake) / sizeof(mistake[0]); i++) {
        struct ground ground = {.plan = {0}};
        int err = make(&ground, mistake[i].text);
        if (err != -ENOENT || ground.error.column != mistake[i].column ||
            !strstr(ground.error.message, mistake[i].part))
            fail_msg("'%s': %d, column %u: %s", mistake[i].text, err, ground.error.column,
                     ground.error.message);
    }
}

/* Names of drivers: with the group in front where several groups have the name, and names that a list takes
 * in quotes only. */
static int
odd_event(void *self, uint32_t i, struct pp_event *event)
{
    static const struct pp_event odd[] = {
        {.name = "A.busy", .group = "A"},   {.name = "B.busy", .group = "B"},
        {.name = "  lead", .group = "A"},   {.name = "Fetch size", .group = "B", .unit = PP_UNIT_BYTES},
        {.name = "x,y \\ z", .group = "B"},
    };
    (void)self;
    *event = odd[i < 5 ? i : 0];
    return i < 5 ? 0 : -ENOENT;
}

static int
odd_fits(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    (void)event;
    return events <= 5;
}

static void
odd_names_are_found_and_hinted(void **state)
{
    (void)state;
    static const struct pp_source_ops ops = {.name = "khr", .event = odd_event, .fits = odd_fits};
    static const struct {
        const char *text;
        const char *hint; /* NULL: the name is known */
        uint32_t events, first;
    } row[] = {
        {"khr:busy", NULL, 1, 0},
        {"khr:B.busy", NULL, 1, 1},
        {"khr:bus*", NULL, 2, 0},
        {"busy", NULL, 1, 0},
        {"khr:\"  lead\"", NULL, 1, 2},
        {"khr:Fetch size_bytes", NULL, 1, 3},
        {"khr:B.Fetch size", NULL, 1, 3},
        {"khr:\"x,y \\\\ z\"", NULL, 1, 4},
        {"khr:busi", "did you mean 'khr:busy'?", 0, 0},
        {"khr:B.buzy", "did you mean 'khr:B.busy'?", 0, 0},
        {"khr:\"  leed\"", "did you mean 'khr:\"  lead\"'?", 0, 0},
        {"khr:x y \\ z", "did you mean 'khr:\"x,y \\\\ z\"'?", 0, 0},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct pp_event_source source = {&ops, NULL};
        struct pp_event_list list;
        struct pp_event_plan plan = {0};
        struct pp_event_error error = {.message = ""};
        assert_int_equal(pp_event_list_parse(row[i].text, &list, NULL), 0);
        int rc = pp_event_plan_make(&list, &source, 1, NULL, 0, &plan, &error);
        if (row[i].hint ? rc != -ENOENT || !strstr(error.message, row[i].hint)
                        : rc || plan.wanted_count != row[i].events || plan.wanted[0].event != row[i].first)
            fail_msg("%s: %d, %zu events: %s", row[i].text, rc, plan.wanted_count, error.message);
        pp_event_plan_destroy(&plan);
        pp_event_list_destroy(&list);
    }
}

static void
words_and_wildcards_are_found(void **state)
{
    (void)state;
    struct ground ground = {.hw = {.slots = 4}};
    assert_int_equal(make(&ground, "hw:a?,hw:*1,pipeline,x"), 0);
    /* a0 a1 a2 a3, b1, the whole of pipeline, x of hw; a1 only once */
    assert_int_equal(ground.plan.wanted_count, 4 + 1 + 4 + 1);
    assert_int_equal(ground.plan.sets, 1);
    assert_int_equal(ground.plan.set[0].events, 10 + 1);
    pp_event_plan_destroy(&ground.plan);
}

static void
missing_events_keep_their_reason(void **state)
{
    (void)state;
    struct ground ground = {.hw = {.missing = "a1"}};
    assert_int_equal(make(&ground, "{hw:a0,hw:a1},hw:a1"), 0);
    assert_int_equal(ground.plan.wanted_count, 1);
    assert_int_equal(ground.plan.missing_count, 1);
    assert_int_equal(ground.plan.missing[0].event.event, 2);
    assert_string_equal(ground.plan.missing[0].reason, "only on later chips");
    pp_event_plan_destroy(&ground.plan);
    struct ground all = {.hw = {.missing = "x"}};
    assert_int_equal(make(&all, "hw:x"), 0);
    assert_int_equal(all.plan.sets, 0);
    assert_int_equal(all.plan.missing_count, 1);
    pp_event_plan_destroy(&all.plan);
}

/* Packing */

static void
sets_are_few_and_fit(void **state)
{
    (void)state;
    struct ground ground = {.plan = {0}};
    assert_int_equal(make(&ground, "pipeline:ia_vertices,hw:a*,hw:b*,x"), 0);
    assert_int_equal(ground.plan.sets, 2); /* four events of bank a, two at a time */
    check_fits(&ground);
    assert_int_equal(sets_with(&ground, 1, "ia_vertices"), 3);
    for (size_t i = 1; i < 9; i++) {
        uint64_t sets = sets_with(&ground, 0, hw_names[i]);
        assert_true(sets == 1 || sets == 2); /* each in one set */
    }
    pp_event_plan_destroy(&ground.plan);
}

static void
groups_stay_together(void **state)
{
    (void)state;
    struct ground ground = {.plan = {0}};
    assert_int_equal(make(&ground, "hw:a0,hw:a1,{hw:a2,hw:b0,pipeline:a0},{hw:a2,hw:b1},hw:a2"), 0);
    check_fits(&ground);
    uint64_t first = sets_with(&ground, 0, "b0"), second = sets_with(&ground, 0, "b1");
    assert_true((sets_with(&ground, 0, "a2") & first) == first);
    assert_true((sets_with(&ground, 0, "a2") & second) == second);
    assert_true(sets_with(&ground, 1, "a0") == (1ULL << ground.plan.sets) - 1);
    assert_int_equal(ground.plan.sets, 2);
    pp_event_plan_destroy(&ground.plan);
}

/* Events that fit together with any others of their source are in every set, also when a group names them. */
static void
what_always_fits_is_in_every_set(void **state)
{
    static const char *const text[] = {"hw:a*,hw:x", "hw:x,hw:a*", "{hw:x,hw:a0},hw:a*", "hw:*"};
    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        struct ground ground = {.hw.always = "x"};
        assert_int_equal(make(&ground, text[i]), 0);
        assert_int_equal(ground.plan.sets, 2);
        check_fits(&ground);
        assert_int_equal(sets_with(&ground, 0, "x"), 3);
        for (size_t e = 1; e < 5; e++)
            assert_true(sets_with(&ground, 0, hw_names[e]) == 1 || sets_with(&ground, 0, hw_names[e]) == 2);
        pp_event_plan_destroy(&ground.plan);
    }
}

/* With two sources that have limits, events that fit at once do not rotate, unless a group joins them with
 * events that rotate. */
static void
what_fits_at_once_takes_no_turns(void **state)
{
    static const struct pp_source_ops cpu_ops = {
        .name = "cpu", .event = fake_event, .fits = fake_fits, .layout = fake_layout};
    static const struct {
        const char *text;
        uint64_t faults, cycles; /* sets that hold the events, of two; 0: one of them */
    } row[] = {
        {"hw:a*,cpu:faults", 3, 0},
        {"cpu:faults,cpu:cycles,hw:a*", 3, 3},
        {"hw:a*,{cpu:faults,cpu:cycles}", 3, 3},
        {"{cpu:faults,hw:a0},{hw:a1,hw:a2},cpu:cycles", 1, 1},
        {"hw:a*,cpu:*", 1, 1}, /* the third event does not fit together with the two */
        {"hw:a0,cpu:faults", 3, 0},
    };
    static const char *const names[] = {"faults", "cycles", "cache", "calls"};
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct fake hw = {.name = hw_names, .names = 9, .slots = 2};
        struct fake cpu = {.name = names, .names = 4, .slots = 2};
        struct ground ground = {.source = {{&hw_ops, &hw}, {&cpu_ops, &cpu}}};
        struct pp_event_list list;
        assert_int_equal(pp_event_list_parse(row[i].text, &list, NULL), 0);
        assert_int_equal(pp_event_plan_make(&list, ground.source, 2, NULL, 0, &ground.plan, NULL), 0);
        uint64_t all = (UINT64_C(1) << ground.plan.sets) - 1;
        uint64_t faults = sets_with(&ground, 1, "faults"), cycles = sets_with(&ground, 1, "cycles");
        assert_true(row[i].faults == 3 ? faults == all : (faults & (faults - 1)) == 0);
        if (row[i].cycles)
            assert_true(row[i].cycles == 3 ? cycles == all : (cycles & (cycles - 1)) == 0);
        for (size_t s = 0; s < ground.plan.sets; s++) {
            uint32_t event[16];
            for (uint32_t of = 0; of < 2; of++) {
                size_t n = pp_event_set_of_source(&ground.plan.set[s], of, event, 16);
                assert_true(fake_fits(ground.source[of].self, event, n));
            }
        }
        pp_event_plan_destroy(&ground.plan);
        pp_event_list_destroy(&list);
    }
}

static void
what_never_fits_is_named(void **state)
{
    (void)state;
    struct ground ground = {.plan = {0}};
    assert_int_equal(make(&ground, "hw:x,{hw:a0,hw:a1,hw:a2}"), -ENOSPC);
    assert_int_equal(ground.error.column, 7);
    assert_non_null(strstr(ground.error.message, "this group"));
    struct ground narrow = {.hw = {.slots = 1}};
    assert_int_equal(make(&narrow, "{hw:a0,hw:b0},{hw:a1,hw:b0}"), 0);
    assert_int_equal(narrow.plan.sets, 2);
    pp_event_plan_destroy(&narrow.plan);
}

/* A driver whose result depends on the order of events (ANV's greedy count of passes). */
static void
order_that_fits_is_kept(void **state)
{
    (void)state;
    struct ground ground = {.hw = {.ascending = true}};
    assert_int_equal(make(&ground, "hw:a1,hw:a0"), 0);
    check_fits(&ground);
    pp_event_plan_destroy(&ground.plan);
}

static void
unlisted_events_are_not_measured(void **state)
{
    (void)state;
    struct ground ground = {.plan = {0}};
    assert_int_equal(make(&ground, "pipeline"), 0);
    assert_int_equal(ground.plan.sets, 1);
    assert_int_equal(ground.plan.set[0].events, 4 + 1);
    pp_event_plan_destroy(&ground.plan);
}

/* Events of the kept set of a plan. */
static size_t
kept_events(struct ground *ground, uint32_t number)
{
    assert_int_equal(make(ground, "hw:a?,hw:b?,hw:x,pipeline:vs_invocations"), 0);
    assert_int_equal(ground->plan.sets, 4);
    assert_int_equal(pp_event_plan_limited_sets(&ground->plan, ground->source), 4);
    pp_event_plan_keep(&ground->plan, ground->source, number);
    return ground->plan.sets ? ground->plan.set[0].events : 0;
}

/* Each number keeps another set, and all of them have all events. */
static void
one_set_is_kept(void **state)
{
    (void)state;
    size_t events = 0;
    for (uint32_t number = 1; number <= 4; number++) {
        struct ground ground = {.hw = {.slots = 1, .always = "x"}};
        size_t kept = kept_events(&ground, number);
        assert_int_equal(ground.plan.sets, 1);
        assert_int_equal(sets_with(&ground, 0, "clock"), 1);
        assert_int_equal(sets_with(&ground, 0, "x"), 1);
        assert_int_equal(sets_with(&ground, 1, "vs_invocations"), 1);
        events += kept - 3;
        pp_event_plan_destroy(&ground.plan);
    }
    assert_int_equal(events, 7);
}

static void
without_a_set_the_unlimited_are_kept(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {0, 5, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        struct ground ground = {.hw = {.slots = 1, .always = "x"}};
        assert_int_equal(kept_events(&ground, numbers[i]), 2);
        assert_int_equal(sets_with(&ground, 0, "x"), 1);
        assert_int_equal(sets_with(&ground, 1, "vs_invocations"), 1);
        pp_event_plan_destroy(&ground.plan);
    }
    struct ground ground = {.hw = {.slots = 1}};
    assert_int_equal(make(&ground, "hw:a0,hw:a1"), 0);
    pp_event_plan_keep(&ground.plan, ground.source, 0);
    assert_int_equal(ground.plan.sets, 0);
    pp_event_plan_destroy(&ground.plan);
    assert_int_equal(make(&ground, "pipeline"), 0);
    assert_int_equal(pp_event_plan_limited_sets(&ground.plan, ground.source), 1); /* the clock has limits */
    pp_event_plan_destroy(&ground.plan);
}

/* Two hundred events, one at a time, are more than can rotate: 64 are measured. */
static void
too_many_sets_are_missing(void **state)
{
    (void)state;
    static char text[200][8];
    static const char *name[200];
    struct fake fake = {.name = name, .names = 200, .slots = 1};
    struct pp_event_source source = {&hw_ops, &fake};
    struct pp_event_list list;
    struct pp_event_plan plan = {0};
    struct pp_event_error error;
    for (unsigned i = 0; i < 200; i++) {
        snprintf(text[i], sizeof(text[i]), "a%u", i);
        name[i] = text[i];
    }
    assert_int_equal(pp_event_list_parse("hw", &list, NULL), 0);
    assert_int_equal(pp_event_plan_make(&list, &source, 1, NULL, 0, &plan, &error), 0);
    assert_int_equal(plan.sets, 64);
    assert_int_equal(plan.wanted_count, 64);
    assert_int_equal(plan.missing_count, 136);
    for (size_t i = 0; i < plan.missing_count; i++) {
        assert_int_equal(plan.missing[i].event.event, 64 + i);
        assert_non_null(strstr(plan.missing[i].reason, "more than 64 sets"));
    }
    pp_event_plan_destroy(&plan);
    fake.slots = 4;
    assert_int_equal(pp_event_plan_make(&list, &source, 1, NULL, 0, &plan, &error), 0);
    assert_int_equal(plan.sets, 50);
    assert_int_equal(plan.missing_count, 0);
    pp_event_plan_destroy(&plan);
    pp_event_list_destroy(&list);
}

/* A driver with thousands of counters, as Intel's with all its metric sets: the number of questions to the
 * driver, and their total size, grow little faster than the number of counters. */
struct large {
    uint32_t events, at_once;
    uint64_t calls, asked;
};

static int
large_event(void *self, uint32_t i, struct pp_event *event)
{
    static char name[16];
    const struct large *large = self;
    snprintf(name, sizeof(name), "c%u", i);
    *event = (struct pp_event){.name = name, .group = i % 2 ? "odd" : "even"};
    return i < large->events ? 0 : -ENOENT;
}

static int
large_fits(void *self, const uint32_t *event, size_t events)
{
    struct large *large = self;
    size_t odd = 0;
    large->calls++;
    large->asked += events;
    for (size_t i = 0; i < events; i++)
        odd += event[i] % 2;
    return odd <= large->at_once / 2 && events - odd <= large->at_once / 2;
}

static void
thousands_take_no_time(void **state)
{
    (void)state;
    static const struct pp_source_ops ops = {.name = "big", .event = large_event, .fits = large_fits};
    static const struct {
        uint32_t events, at_once, sets;
    } row[] = {{6000, 3000, 2}, {6000, 6000, 1}, {6000, 100, 60}, {16000, 8, 64}};
    for (size_t r = 0; r < sizeof(row) / sizeof(row[0]); r++) {
        struct large large = {.events = row[r].events, .at_once = row[r].at_once};
        struct pp_event_source source = {&ops, &large};
        struct pp_event_list list;
        struct pp_event_plan plan = {0};
        struct pp_event_error error;
        size_t planned = 0;
        assert_int_equal(pp_event_list_parse("big", &list, NULL), 0);
        assert_int_equal(pp_event_plan_make(&list, &source, 1, NULL, 0, &plan, &error), 0);
        for (size_t k = 0; k < plan.sets; k++)
            planned += plan.set[k].events;
        assert_int_equal(planned, plan.wanted_count);
        assert_int_equal(plan.wanted_count + plan.missing_count, row[r].events);
        assert_in_range(plan.sets, row[r].sets, row[r].sets == 64 ? 64 : row[r].sets + row[r].sets / 10);
        assert_in_range(large.calls, 1, row[r].events * 24);
        assert_in_range(large.asked, 1, (uint64_t)row[r].events * 1000);
        pp_event_plan_destroy(&plan);
        pp_event_list_destroy(&list);
    }
}

/* Default events are known by their numbers: whatever their names are, those of one source share a set. */
static void
default_events_are_found_by_number(void **state)
{
    (void)state;
    static const char *const names[] = {"a*", "a1", "a, {b}", "\"?\""};
    struct fake hw = {.name = names, .names = 4, .slots = 2}, sw = {.name = sw_names, .names = 4};
    const struct pp_event_source source[] = {{&hw_ops, &hw}, {&sw_ops, &sw}};
    const struct pp_event_ref fit[] = {{0, 0}, {0, 2}, {1, 3}};
    const struct pp_event_ref large[] = {{1, 3}, {0, 0}, {0, 1}, {0, 2}};
    struct pp_event_plan plan;
    struct pp_event_error error = {.message = ""};
    assert_int_equal(pp_event_plan_make_of(fit, 3, source, 2, &plan, &error), 0);
    assert_int_equal(plan.sets, 1);
    assert_int_equal(plan.wanted_count, 3);
    assert_memory_equal(plan.wanted, fit, sizeof(fit));
    uint32_t event[4];
    assert_int_equal(pp_event_set_of_source(&plan.set[0], 0, event, 4), 2);
    assert_int_equal(event[0] + event[1], 2);
    assert_int_equal(pp_event_set_of_source(&plan.set[0], 1, event, 4), 1);
    pp_event_plan_destroy(&plan);
    assert_int_equal(pp_event_plan_make_of(large, 4, source, 2, &plan, &error), -ENOSPC);
    assert_string_not_equal(error.message, "");
    assert_int_equal(pp_event_plan_make_of(NULL, 0, source, 2, &plan, NULL), 0);
    assert_int_equal(plan.sets, 0);
    pp_event_plan_destroy(&plan);
}

/* A list with signs changes the default events, from left to right. */
static void
lists_change_the_default(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        const char *names; /* what is wanted then, in order */
    } row[] = {
        {"+hw:b0", "a0 ia_vertices vs_invocations b0"},
        {"-pipeline", "a0"},
        {"-vs_invocations, +{hw:a1,hw:b1}", "a0 ia_vertices a1 b1"},
        {"-hw,+hw:a0", "ia_vertices vs_invocations a0"},
        {"+hw:b*,-hw:b1", "a0 ia_vertices vs_invocations b0 b2"},
        {"+hw:a*,-hw", "ia_vertices vs_invocations"},
        {"-{hw:a0,pipeline}", ""},
    };
    const struct pp_event_ref usual[] = {{0, 1}, {1, 0}, {1, 1}};
    struct fake hw = {.name = hw_names, .names = 9, .slots = 2}, sw = {.name = sw_names, .names = 4};
    const struct pp_event_source source[] = {{&hw_ops, &hw}, {&sw_ops, &sw}};
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char names[200] = "";
        struct pp_event_list list;
        struct pp_event_plan plan;
        assert_int_equal(pp_event_list_parse(row[i].list, &list, NULL), 0);
        assert_true(list.changes);
        assert_int_equal(pp_event_plan_change(usual, 3, &list, source, 2, &plan, NULL), 0);
        for (size_t w = 0; w < plan.wanted_count; w++) {
            const struct fake *fake = source[plan.wanted[w].source].self;
            snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", w ? " " : "",
                     fake->name[plan.wanted[w].event]);
        }
        assert_string_equal(names, row[i].names);
        pp_event_plan_destroy(&plan);
        pp_event_list_destroy(&list);
    }
    struct pp_event_list list;
    struct pp_event_plan plan;
    struct pp_event_error error = {.column = 0};
    assert_int_equal(pp_event_list_parse("+hw:b0,-hw:nothing", &list, NULL), 0);
    assert_int_equal(pp_event_plan_change(usual, 3, &list, source, 2, &plan, &error), -ENOENT);
    assert_int_equal(error.column, 9);
    pp_event_list_destroy(&list);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_events_are_found_by_number),
        cmocka_unit_test(lists_change_the_default),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(mistakes_have_a_column),
        cmocka_unit_test(long_lists_are_refused),
        cmocka_unit_test(unknown_names_are_answered),
        cmocka_unit_test(odd_names_are_found_and_hinted),
        cmocka_unit_test(words_and_wildcards_are_found),
        cmocka_unit_test(missing_events_keep_their_reason),
        cmocka_unit_test(sets_are_few_and_fit),
        cmocka_unit_test(groups_stay_together),
        cmocka_unit_test(what_fits_at_once_takes_no_turns),
        cmocka_unit_test(what_always_fits_is_in_every_set),
        cmocka_unit_test(what_never_fits_is_named),
        cmocka_unit_test(order_that_fits_is_kept),
        cmocka_unit_test(unlisted_events_are_not_measured),
        cmocka_unit_test(too_many_sets_are_missing),
        cmocka_unit_test(one_set_is_kept),
        cmocka_unit_test(without_a_set_the_unlimited_are_kept),
        cmocka_unit_test(thousands_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
