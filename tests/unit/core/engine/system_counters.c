/** @file
 * System counters of frames: differences of snapshots, states, and reasons for missing values. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/events/event_selection.h"
#include "core/events/system_counters.h"
#include "counters/sources/cpu/thread_usage.h"

enum { SOURCES = 3 };

/* A source with two events: a count and a state. Its snapshot has the values that the test has set. */
struct fake {
    uint64_t now[2];
    int rc;
    unsigned reads;
};

static int
event_at(void *self, uint32_t i, struct pp_event *ret_event)
{
    static const struct pp_event event[] = {
        {.name = "count", .description = "Things."},
        {.name = "state", .description = "How it is.", .unit = PP_UNIT_HZ, .not_additive = true},
        {.name = "never", .description = "Nothing.", .reason = "it cannot be"},
    };
    (void)self;
    if (i >= 3)
        return -ENOENT;
    *ret_event = event[i];
    return 0;
}

static const struct pp_layout *
layout_of(void *self, const uint32_t *event, size_t events)
{
    static const struct pp_field field[] = {
        {.name = "count", .part = {{.bits = 32}}, .mode = PP_FIELD_WRAPS},
        {.name = "state", .part = {{.offset = 8, .bits = 64}}, .mode = PP_FIELD_GAUGE, .unit = PP_UNIT_HZ},
    };
    static const struct pp_layout layout = {.name = "fake", .size = 16, .fields = 2, .field = field};
    (void)self;
    (void)event;
    return events ? &layout : NULL;
}

static int
read_now(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct fake *fake = self;
    (void)event;
    (void)events;
    fake->reads++;
    memcpy(ret_snapshot, fake->now, sizeof(fake->now));
    return fake->rc;
}

static const struct pp_source_ops ops[SOURCES] = {
    {.name = "cpu", .event = event_at, .layout = layout_of, .read = read_now, .reads = PP_READ_THREAD},
    {.name = "drm", .event = event_at, .layout = layout_of, .read = read_now, .reads = PP_READ_FRAME},
    {.name = "hwmon", .event = event_at, .layout = layout_of, .read = read_now, .reads = PP_READ_POLL},
};
static struct fake fake[SOURCES];
static struct pp_session session;
static struct pp_system_counters *system_counters;
static struct pp_value counter[16];

static int
enter(void **state)
{
    struct pp_event_source source[SOURCES];
    char error[PP_EVENT_SELECTION_ERROR_MAX];
    (void)state;
    memset(fake, 0, sizeof(fake));
    memset(&session, 0, sizeof(session));
    session.rows.column = calloc(PP_MAX_COLUMNS, sizeof(*session.rows.column));
    pp_config_init(&session.config);
    if (!session.rows.column ||
        pp_config_set(&session.config, "events", "time,cpu,drm,hwmon,khr:x", "t", error))
        return -1;
    for (size_t i = 0; i < SOURCES; i++)
        source[i] = (struct pp_event_source){&ops[i], &fake[i]};
    return pp_system_counters_create(&session, source, SOURCES, &system_counters, error);
}

static int
leave(void **state)
{
    (void)state;
    pp_system_counters_destroy(system_counters);
    for (uint32_t i = 0; i < session.rows.columns; i++)
        free(session.rows.column[i].name);
    free(session.rows.column);
    return 0;
}

/* A frame: snapshots at both its ends, with these counts of all sources. */
static void
frame(uint64_t first, uint64_t last, uint64_t state, bool other_thread)
{
    size_t bytes = pp_system_counters_bytes(system_counters);
    uint8_t *snapshot = calloc(2, bytes);
    assert_non_null(snapshot);
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < SOURCES; i++) {
            fake[i].now[0] = end ? last : first;
            fake[i].now[1] = state;
        }
        pp_system_counters_read(system_counters, snapshot + (end ? bytes : 0));
    }
    if (other_thread)
        snapshot[0] ^= 1; /* the number of the thread comes first */
    pp_system_counters_poll(system_counters, pp_now_ns());
    pp_system_counters_fill(system_counters, snapshot, snapshot + bytes, counter);
    free(snapshot);
}

static void
columns_are_there(void **state)
{
    static const char *const name[] = {"cpu:count",    "cpu:state_hz", "drm:count",
                                       "drm:state_hz", "hwmon:count",  "hwmon:state_hz"};
    (void)state;
    assert_int_equal(session.rows.columns, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_string_equal(session.rows.column[i].name, name[i]);
        assert_true(session.rows.column[i].of_frame);
    }
}

static void
counts_are_differences(void **state)
{
    (void)state;
    frame(UINT32_MAX - 1, UINT32_MAX + 5ULL, 900, false);
    for (int i = 0; i < 4; i++)
        assert_int_equal(counter[i].status, PP_OK);
    assert_int_equal(counter[0].value, 6); /* over a wrap */
    assert_int_equal(counter[1].value, 900);
    assert_int_equal(counter[2].value, 6);
    assert_int_equal(counter[5].value, 900);
}

static void
another_thread_is_no_difference(void **state)
{
    (void)state;
    frame(10, 20, 1, true);
    assert_int_equal(counter[0].status, PP_DISABLED);
    assert_int_equal(counter[2].status, PP_OK);
    assert_int_equal(counter[2].value, 10);
}

static void
a_failed_reading_is_lost(void **state)
{
    (void)state;
    fake[1].rc = -EIO;
    frame(10, 20, 1, false);
    assert_int_equal(counter[0].value, 10);
    assert_int_equal(counter[2].status, PP_LOST);
}

static void
the_first_frame_has_no_difference(void **state)
{
    (void)state;
    pp_system_counters_fill(system_counters, NULL, NULL, counter);
    assert_int_equal(counter[0].status, PP_DISABLED);
    assert_int_equal(counter[5].status, PP_NOT_AVAILABLE); /* not polled yet */
}

static void
slow_sources_are_asked_now_and_then(void **state)
{
    (void)state;
    for (uint64_t ms = 1000; ms < 2000; ms++)
        pp_system_counters_poll(system_counters, ms * 1000000);
    assert_int_equal(fake[2].reads, 10);
    assert_int_equal(fake[0].reads + fake[1].reads, 0);
}

static void
what_is_missing_has_a_reason(void **state)
{
    char name[64];
    uint32_t count = 0;
    (void)state;
    const struct pp_missing *missing = pp_system_counters_missing(system_counters);
    for (; missing; missing = missing->next, count++)
        assert_string_equal(missing->reason, "it cannot be");
    assert_int_equal(count, 3);
    for (count = 0; pp_system_counters_got(system_counters, count, name, sizeof(name)); count++)
        ;
    assert_int_equal(count, 6);
    uint32_t brackets = 0;
    assert_ptr_equal(pp_system_counters_brackets(system_counters, &brackets)->ops, &ops[0]);
    assert_int_equal(brackets, 1);
}

/* A source that counts one event at a time. */
static int
one_fits(void *self, const uint32_t *event, size_t events)
{
    (void)self;
    (void)event;
    return events <= 1;
}

static const struct pp_layout *
layout_of_one(void *self, const uint32_t *event, size_t events)
{
    static const struct pp_field field[2] = {
        {.name = "count", .part = {{.bits = 64}}, .mode = PP_FIELD_WRAPS},
        {.name = "state", .part = {{.bits = 64}}, .mode = PP_FIELD_WRAPS, .unit = PP_UNIT_HZ},
    };
    static const struct pp_layout layout[2] = {{.name = "a", .size = 8, .fields = 1, .field = &field[0]},
                                               {.name = "b", .size = 8, .fields = 1, .field = &field[1]}};
    (void)self;
    return events == 1 && event[0] < 2 ? &layout[event[0]] : NULL;
}

static int
read_one(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot)
{
    struct fake *it = self;
    (void)events;
    memcpy(ret_snapshot, &it->now[event[0]], sizeof(it->now[0]));
    return 0;
}

static int
enter_one(void **state)
{
    static const struct pp_source_ops one[2] = {
        {.name = "cpu",
         .event = event_at,
         .fits = one_fits,
         .layout = layout_of_one,
         .read = read_one,
         .reads = PP_READ_THREAD},
        {.name = "drm", .event = event_at, .layout = layout_of, .read = read_now, .reads = PP_READ_FRAME}};
    const struct pp_event_source source[2] = {{&one[0], &fake[0]}, {&one[1], &fake[1]}};
    char error[PP_EVENT_SELECTION_ERROR_MAX];
    (void)state;
    memset(fake, 0, sizeof(fake));
    memset(&session, 0, sizeof(session));
    session.start_ns = 12345;
    session.rows.column = calloc(PP_MAX_COLUMNS, sizeof(*session.rows.column));
    pp_config_init(&session.config);
    if (!session.rows.column || pp_config_set(&session.config, "events", "cpu,drm", "t", error))
        return -1;
    return pp_system_counters_create(&session, source, 2, &system_counters, error);
}

/* Each frame has one of the two, by readings at both its ends; an event that does not rotate is in all
 * frames. */
static void
what_does_not_fit_takes_turns(void **state)
{
    enum { FRAMES = 40 };
    size_t bytes = pp_system_counters_bytes(system_counters);
    uint8_t *snapshot = calloc(FRAMES + 1, bytes);
    unsigned had[2] = {0, 0};
    (void)state;
    assert_non_null(snapshot);
    assert_int_equal(session.rows.columns, 4);
    for (unsigned i = 0; i <= FRAMES; i++) {
        fake[0].now[0] += 7;
        fake[0].now[1] += 11;
        fake[1].now[0] += 13;
        pp_system_counters_read(system_counters, snapshot + i * bytes);
    }
    for (unsigned i = 0; i < FRAMES; i++) {
        pp_system_counters_fill(system_counters, snapshot + i * bytes, snapshot + (i + 1) * bytes, counter);
        bool first = counter[0].status == PP_OK, second = counter[1].status == PP_OK;
        assert_true(first != second);
        assert_int_equal(counter[!first].value, first ? 7 : 11);
        assert_int_equal(counter[first].status, PP_DISABLED);
        assert_int_equal(counter[2].value, 13);
        had[second]++;
    }
    assert_int_equal(had[0], FRAMES / 2);
    assert_int_equal(had[1], FRAMES / 2);
    for (const struct pp_missing *it = pp_system_counters_missing(system_counters); it; it = it->next)
        assert_string_equal(it->reason, "it cannot be");
    free(snapshot);
}

/* What is known of the presenting thread, which slept, if a list of events is measured. */
static struct pp_thread_times
thread_that_slept(const char *events)
{
    const struct pp_event_source source = {&pp_thread_usage_ops, NULL};
    const struct timespec nap = {.tv_nsec = 1000000};
    char error[PP_EVENT_SELECTION_ERROR_MAX];
    struct pp_thread_times ret = {.slept_often = false};
    memset(&session, 0, sizeof(session));
    session.rows.column = calloc(PP_MAX_COLUMNS, sizeof(*session.rows.column));
    pp_config_init(&session.config);
    assert_non_null(session.rows.column);
    assert_int_equal(pp_config_set(&session.config, "events", events, "t", error), 0);
    assert_int_equal(pp_system_counters_create(&session, &source, 1, &system_counters, error), 0);
    for (unsigned tries = 0; tries < 1000 && !ret.slept_often && (ret.known || tries == 0); tries++) {
        size_t bytes = pp_system_counters_bytes(system_counters);
        uint8_t *snapshot = calloc(2, bytes);
        assert_non_null(snapshot);
        pp_system_counters_read(system_counters, snapshot);
        for (unsigned i = 0; i < 20; i++)
            (void)nanosleep(&nap, NULL);
        pp_system_counters_read(system_counters, snapshot + bytes);
        pp_system_counters_fill(system_counters, snapshot, snapshot + bytes, counter);
        ret = pp_system_counters_thread(system_counters, counter);
        free(snapshot);
        if (!strstr(events, "switches"))
            break;
    }
    (void)leave(NULL);
    return ret;
}

static void
a_sleep_is_known_by_the_switches_only(void **state)
{
    (void)state;
    assert_true(
        thread_that_slept("cpu:task-clock,cpu:context-switches,cpu:involuntary-switches").slept_often);
    struct pp_thread_times unknown = thread_that_slept("cpu:task-clock");
    assert_true(unknown.known);
    assert_false(unknown.slept_often);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(columns_are_there, enter, leave),
        cmocka_unit_test_setup_teardown(counts_are_differences, enter, leave),
        cmocka_unit_test_setup_teardown(another_thread_is_no_difference, enter, leave),
        cmocka_unit_test_setup_teardown(a_failed_reading_is_lost, enter, leave),
        cmocka_unit_test_setup_teardown(the_first_frame_has_no_difference, enter, leave),
        cmocka_unit_test_setup_teardown(slow_sources_are_asked_now_and_then, enter, leave),
        cmocka_unit_test_setup_teardown(what_is_missing_has_a_reason, enter, leave),
        cmocka_unit_test_setup_teardown(what_does_not_fit_takes_turns, enter_one, leave),
        cmocka_unit_test(a_sleep_is_known_by_the_switches_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
