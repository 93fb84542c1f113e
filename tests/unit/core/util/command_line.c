/** @file
 * The arguments of the process are those of its start, whatever the application has written over them. */
#include "tests/lib/cmocka_test.h"

#include <string.h>

#include "core/util/process.h"

static char expected[4096];
static size_t expected_len;

static void
overwritten_arguments_are_known(void **state)
{
    (void)state;
    size_t len = 0;
    const char *text = pp_command_line(&len);
    assert_non_null(text);
    assert_int_equal(len, expected_len);
    assert_memory_equal(text, expected, len);
}

int
main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(overwritten_arguments_are_known)};
    /* as Wine and Chromium do: another title, then zeros */
    for (int i = 0; i < argc; i++) {
        size_t size = strlen(argv[i]) + 1;
        assert_true(expected_len + size <= sizeof(expected));
        memcpy(expected + expected_len, argv[i], size);
        expected_len += size;
        memset(argv[i], i ? '\0' : 'x', size - 1);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
