/** @file
 * The public header without the engine (calls do nothing) and with it (the engine gets each call), in an
 * application of two files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <errno.h>
#include <passprobe/annotate.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/annotate/other_file.h"

static void
calls_without_engine_do_nothing(void **state)
{
    (void)state;
    assert_int_equal(pp_profiled(), 0);
    pp_region_push("nobody");
    pp_region_push(NULL);
    pp_mark("hears");
    pp_mark(NULL);
    pp_counter_set("hears", 1);
    pp_counter_add(NULL, 1);
    pp_frame_end();
    pp_region_pop();
    pp_region_pop();
    pp_region_pop();
    errno = EDOM;
    for (unsigned i = 0; i < 5000; i++)
        pp_counter_add("nobody", 1);
    assert_int_equal(errno, EDOM);
    assert_int_equal(pp_profiled(), 0);
    assert_int_equal(other_file_profiled(), 0);
    assert_null(dlopen("libpassprobe-core.so.0", RTLD_LAZY | RTLD_NOLOAD));
}

static void
calls_reach_an_engine_loaded_later(void **state)
{
    (void)state;
    void *core = dlopen(FAKE_CORE, RTLD_NOW | RTLD_LOCAL);
    if (!core)
        fail_msg("%s", dlerror());
    const char *(*journal)(void) = NULL;
    *(void **)(void *)&journal = dlsym(core, "fake_core_journal");
    assert_non_null(journal);

    int calls = 0;
    while (!pp_profiled() && calls < 8192)
        calls++;
    assert_true(calls < 5100);                  /* the header allows this many at most: those made before */
    assert_int_equal(other_file_profiled(), 1); /* what one file has found, all files know */

    pp_region_push("shadow, \"far\"\n");
    pp_region_push(NULL);
    pp_mark("loaded");
    pp_mark(NULL);
    pp_region_pop();
    pp_region_pop();
    pp_counter_set("r\xC3\xA9seau", 0.1);
    pp_counter_set(NULL, 1);
    pp_counter_add("rays", -3);
    pp_counter_add(NULL, 1);
    pp_frame_end();
    assert_string_equal(journal(),
                        "+shadow, \"far\"\n;+;!loaded;-;-;=r\xC3\xA9seau 0.10000000000000001;arays -3;f;");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_without_engine_do_nothing),
        cmocka_unit_test(calls_reach_an_engine_loaded_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
