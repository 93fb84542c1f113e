/** @file
 * Tests of hooks/base/driver_faults.h: which rows of the table apply to a driver's strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hooks/base/driver_faults.h"

static void
test_freedreno(void **state)
{
    (void)state;
    static const struct {
        const char *version;
        bool flush;
    } row[] = {
        {"4.5 (Core Profile) Mesa 22.3.6", true},
        {"OpenGL ES 3.2 Mesa 23.0.4", true},
        {"4.5 (Core Profile) Mesa 9.2", true},
        {"4.5 (Core Profile) Mesa 23.2.1-devel (git-1)", true},
        {"4.5 (Core Profile) Mesa 23.3.0", false},
        {"4.5 (Core Profile) Mesa 24.0.0", false},
        {"4.5 (Core Profile) Mesa 100.0.0-devel", false},
        {"OpenGL ES 3.2 V@0615.0", false},
        {"4.5 (Core Profile) Mesa ", false},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct pp_gl_driver_faults faults = pp_gl_driver_faults_of("freedreno", "FD630", row[i].version);
        assert_int_equal(faults.flush_dispatches, row[i].flush);
        assert_false(faults.dispatches_apart || faults.waits_for_reports);
    }
}

static void
test_intel(void **state)
{
    (void)state;
    struct pp_gl_driver_faults iris = pp_gl_driver_faults_of(
        "Intel", "Mesa Intel(R) HD Graphics 630 (KBL GT2)", "4.6 (Core Profile) Mesa 25.0.7-2");
    assert_true(iris.dispatches_apart && iris.waits_for_reports && !iris.flush_dispatches);
    struct pp_gl_driver_faults i965 =
        pp_gl_driver_faults_of("Intel", "Mesa DRI Intel(R) HD Graphics 630 (KBL GT2)", "4.6 Mesa 21.1.0");
    assert_true(i965.waits_for_reports && !i965.dispatches_apart);
    assert_int_equal(iris.report_period_ms | i965.report_period_ms, 0);
}

/* Haswell's kernel driver writes no report when the context changes. */
static void
test_haswell(void **state)
{
    (void)state;
    static const struct {
        const char *renderer;
        uint32_t period_ms;
    } row[] = {
        {"Mesa Intel(R) HD Graphics (HSW GT1)", 336},
        {"Mesa Intel(R) HD Graphics 4600 (HSW GT2)", 168},
        {"Mesa DRI Intel(R) HD Graphics 4600 (HSW GT2)", 168},
        {"Mesa Intel(R) Iris(R) Pro Graphics 5200 (HSW GT3e)", 84},
        {"Mesa Intel(R) HD Graphics 5500 (BDW GT2)", 0},
        {"Mesa Intel", 0},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct pp_gl_driver_faults faults =
            pp_gl_driver_faults_of("Intel", row[i].renderer, "4.6 (Core Profile) Mesa 22.3.6");
        assert_true(faults.waits_for_reports);
        assert_int_equal(faults.report_period_ms, row[i].period_ms);
    }
}

static void
test_others(void **state)
{
    (void)state;
    static const char *const driver[][3] = {
        {"Mesa", "llvmpipe (LLVM 15.0.6, 256 bits)", "4.5 (Core Profile) Mesa 22.3.6"},
        {"Intel", "Intel(R) HD Graphics 630", "4.6.0 - Build 27.20"}, /* Windows */
        {"Mesa", "zink Vulkan 1.3(Intel(R) HD Graphics 630)", "4.6 (Core Profile) Mesa 25.0.7"},
        {"Qualcomm", "Adreno (TM) 630", "OpenGL ES 3.2 V@0615.0"},
        {"", "", ""},
    };
    for (size_t i = 0; i < sizeof(driver) / sizeof(driver[0]); i++) {
        struct pp_gl_driver_faults faults = pp_gl_driver_faults_of(driver[i][0], driver[i][1], driver[i][2]);
        assert_false(faults.flush_dispatches || faults.dispatches_apart || faults.waits_for_reports);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_freedreno),
        cmocka_unit_test(test_intel),
        cmocka_unit_test(test_haswell),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
