/** @file
 * Which name is suggested for a misspelt one. */
#include "tests/lib/cmocka_test.h"

#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"

static void
names_with_the_wanted_words_are_near(void **state)
{
    (void)state;
    static const char *const name[] = {"clipping_invocations",
                                       "clipping_primitives",
                                       "fragment_shader_invocations",
                                       "vertex_shader_invocations",
                                       "RenderBasic",
                                       "ComputeBasic",
                                       "GpuBusy",
                                       "time"};
    static const struct {
        const char *wanted, *found;
    } cases[] = {
        {"fragment_invocations", "fragment_shader_invocations"},
        {"Clipping_Primitves", "clipping_primitives"},
        {"Rendr", "RenderBasic"},
        {"busy", "GpuBusy"},
        {"tme", "time"},
        {"xyzzy", NULL},
    };
    for (size_t i = 0; i < PP_ARRAY_SIZE(cases); i++) {
        struct pp_nearest nearest = pp_nearest_begin(cases[i].wanted, strlen(cases[i].wanted));
        for (size_t k = 0; k < PP_ARRAY_SIZE(name); k++)
            pp_nearest_offer(&nearest, name[k], strlen(name[k]));
        if (cases[i].found)
            assert_string_equal(nearest.found, cases[i].found);
        else
            assert_null(nearest.found);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_with_the_wanted_words_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
