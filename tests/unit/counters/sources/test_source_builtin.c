/** @file
 * The sources "time" and "pipeline" pass the conformance suite, with and without their events, and have the
 * fields that their users ask for. */
#include "tests/unit/counters/sources/source_conformance.h"

#include "counters/sources/builtin.h"
#include "counters/sources/registry.h"

static void
a_device_with_all_features_conforms(void **state)
{
    static const enum pp_unit unit[] = {PP_UNIT_NS, PP_UNIT_TICKS};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct pp_builtin_sources sources = {.time_bits = 64, .time_unit = unit[i]};
        struct pp_event event;
        pp_source_conforms(&pp_source_time, &sources);
        pp_source_conforms(&pp_source_pipeline, &sources);
        assert_int_equal(pp_source_time.event(&sources, 0, &event), 0);
        assert_int_equal(event.unit, unit[i]);
        pp_builtin_finish(&sources);
    }
}

static void
missing_statistics_have_no_event(void **state)
{
    struct pp_builtin_sources sources = {.time_bits = 36,
                                         .no_statistic = {[8] = "no stage", [9] = "no stage"}};
    struct pp_event event;
    (void)state;
    pp_source_conforms(&pp_source_time, &sources);
    pp_source_conforms(&pp_source_pipeline, &sources);
    assert_int_equal(pp_source_pipeline.event(&sources, 8, &event), 0);
    assert_string_equal(event.reason, "no stage");
    assert_null(pp_source_pipeline.layout(&sources, &(uint32_t){8}, 1));
    const struct pp_layout *time = pp_source_time.layout(&sources, &(uint32_t){0}, 1);
    assert_int_equal(time->field[0].part[0].bits, 36);
    pp_builtin_finish(&sources);
}

static void
a_device_without_features_has_reasons(void **state)
{
    struct pp_builtin_sources sources = {.no_time = "no clock"};
    const uint32_t first = 0;
    struct pp_event event;
    (void)state;
    pp_builtin_no_statistics(&sources, "no feature");
    assert_int_equal(pp_source_time.event(&sources, 0, &event), 0);
    assert_string_equal(event.reason, "no clock");
    assert_int_equal(pp_source_pipeline.event(&sources, 10, &event), 0);
    assert_string_equal(event.reason, "no feature");
    assert_int_equal(pp_source_pipeline.event(&sources, 11, &event), -ENOENT);
    assert_null(pp_source_time.layout(&sources, &first, 1));
    assert_null(pp_source_pipeline.layout(&sources, &first, 1));
    assert_null(pp_source_pipeline.layout(&sources, NULL, 0));
    pp_builtin_finish(&sources);
}

/** Fields have the order of the bits, whatever the order of the request: drivers write them in this order. */
static void
layout_follows_the_bits(void **state)
{
    (void)state;
    struct pp_builtin_sources sources = {0};
    const uint32_t asked[3] = {10, 0, 7};
    const struct pp_layout *layout = pp_source_pipeline.layout(&sources, asked, 3);
    assert_non_null(layout);
    assert_ptr_equal(layout, pp_builtin_statistics_layout(&sources, 1U << 10 | 1U << 7 | 1U));
    assert_int_equal(layout->fields, 3);
    assert_int_equal(layout->size, 24);
    assert_string_equal(layout->field[0].name, "input_assembly_vertices");
    assert_string_equal(layout->field[1].name, "fragment_shader_invocations");
    assert_string_equal(layout->field[2].name, "compute_shader_invocations");
    assert_int_equal(layout->field[2].part[0].offset, 16);
    pp_builtin_finish(&sources);
}

/** The registry's rows of origin "builtin" are these two. */
static void
the_registry_has_time_and_pipeline(void **state)
{
    static const struct pp_source_ops *const ops[] = {&pp_source_time, &pp_source_pipeline};
    size_t found = 0;
    (void)state;
    for (size_t i = 0; pp_source_row(i); i++)
        found += pp_source_row(i)->origin == PP_SOURCE_BUILTIN;
    assert_int_equal(found, 2);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pp_source_row_find(ops[i]->name)->origin, PP_SOURCE_BUILTIN);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_device_with_all_features_conforms),
        cmocka_unit_test(missing_statistics_have_no_event),
        cmocka_unit_test(a_device_without_features_has_reasons),
        cmocka_unit_test(layout_follows_the_bits),
        cmocka_unit_test(the_registry_has_time_and_pipeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
