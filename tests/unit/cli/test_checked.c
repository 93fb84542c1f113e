/** @file
 * Tests of cli/probe/probe.h: which row of docs/hardware.yaml describes a driver. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/probe/probe.h"

static void
test_versions(void **state)
{
    (void)state;
    static const struct {
        struct pp_probe probe;
        const char *begin; /* of the description */
    } row[] = {
        {{.api = "OpenGL (EGL)",
          .device = "Mesa Intel(R) HD Graphics 630 (KBL GT2)",
          .version = "4.6 (Core Profile) Mesa 22.3.6"},
         "tests ran on iris 22.3.6"},
        {{.api = "OpenGL (EGL)",
          .device = "Mesa Intel(R) HD Graphics 630 (KBL GT2)",
          .version = "4.6 (Core Profile) Mesa 25.0.7-2~bpo12+1"},
         "tests ran on iris 25.0.7"},
        {{.api = "OpenGL (EGL)",
          .device = "Mesa Intel(R) HD Graphics 630 (KBL GT2)",
          .version = "4.6 (Core Profile) Mesa 24.0.5"},
         "tests did not run on this version, but on iris 22.3.6"},
        {{.api = "GLES (EGL)",
          .device = "Mesa Intel(R) HD Graphics 4600 (HSW GT2)",
          .version = "OpenGL ES 3.1 Mesa 22.3.6"},
         "tests ran on crocus 22.3.6"},
        {{.api = "Vulkan", .device = "Intel(R) Xe Graphics (TGL GT2)", .driver_version = "25.0.7"},
         "tests ran on ANV 25.0.7"},
        {{.api = "Vulkan", .device = "NVIDIA GeForce", .driver_version = "550.1"},
         "tests did not run on this driver"},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[512];
        pp_checked_describe(&row[i].probe, text, sizeof(text));
        if (strncmp(text, row[i].begin, strlen(row[i].begin)) != 0)
            assert_string_equal(text, row[i].begin);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_versions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
