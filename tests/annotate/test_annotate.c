/** @file
 * libpassprobe.so without the engine (nothing happens), and with it (everything arrives). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <passprobe/annotate.h>
#include <stdio.h>
#include <string.h>

static void
test_silent_without_engine(void **state)
{
    (void)state;
    assert_int_equal(pp_profiled(), 0);
    pp_region_push("nobody");
    pp_region_push(NULL);
    pp_mark("hears");
    pp_mark(NULL);
    pp_frame_end();
    pp_region_pop();
    pp_region_pop();
    pp_region_pop();
    assert_int_equal(pp_profiled(), 0);
    assert_null(dlopen("libpassprobe-core.so.0", RTLD_LAZY | RTLD_NOLOAD));
}

static void
test_arrives_once_engine_is_loaded(void **state)
{
    (void)state;
    void *core = dlopen(FAKE_CORE, RTLD_NOW | RTLD_LOCAL);
    if (!core)
        fail_msg("%s", dlerror());
    const char *(*journal)(void) = NULL;
    *(void **)(void *)&journal = dlsym(core, "fake_core_journal");
    assert_non_null(journal);

    int calls = 0;
    while (!pp_profiled() && calls < 2048)
        calls++;
    assert_true(calls <= 1024); /* the promise of annotate.c: looked for at every 1024th call */

    pp_region_push("shadow, \"far\"\n");
    pp_region_push(NULL);
    pp_mark("loaded");
    pp_mark(NULL);
    pp_region_pop();
    pp_region_pop();
    pp_frame_end();
    assert_string_equal(journal(), "+shadow, \"far\"\n;+;!loaded;-;-;f;");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silent_without_engine),
        cmocka_unit_test(test_arrives_once_engine_is_loaded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
