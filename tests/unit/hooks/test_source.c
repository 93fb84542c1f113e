/** @file
 * The two sources of a GL context pass the conformance suite of the interface. */
#include "tests/unit/counters/sources/source_conformance.h"

#include "hooks/measure/source.h"

static void
all_there(void **state)
{
    struct pp_gl_sources sources = {.time_bits = 64};
    (void)state;
    pp_source_conforms(&pp_gl_source_time, &sources);
    pp_source_conforms(&pp_gl_source_statistics, &sources);
    pp_gl_sources_finish(&sources);
}

static void
some_missing(void **state)
{
    struct pp_gl_sources sources = {.time_bits = 36, .no_statistic = {[8] = "no stage", [9] = "no stage"}};
    struct pp_event event;
    (void)state;
    pp_source_conforms(&pp_gl_source_time, &sources);
    pp_source_conforms(&pp_gl_source_statistics, &sources);
    assert_int_equal(pp_gl_source_statistics.event(&sources, 8, &event), 0);
    assert_string_equal(event.reason, "no stage");
    assert_null(pp_gl_source_statistics.layout(&sources, &(uint32_t){8}, 1));
    const struct pp_layout *time = pp_gl_source_time.layout(&sources, &(uint32_t){0}, 1);
    assert_int_equal(time->field[0].part[0].bits, 36);
    pp_gl_sources_finish(&sources);
}

static void
nothing_there(void **state)
{
    struct pp_gl_sources sources = {.no_time = "no timer"};
    struct pp_event event;
    (void)state;
    assert_int_equal(pp_gl_source_time.event(&sources, 0, &event), 0);
    assert_string_equal(event.reason, "no timer");
    assert_null(pp_gl_source_time.layout(&sources, &(uint32_t){0}, 1));
    assert_null(pp_gl_source_statistics.layout(&sources, NULL, 0));
    pp_gl_sources_finish(&sources);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_there),
        cmocka_unit_test(some_missing),
        cmocka_unit_test(nothing_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
