/** @file
 * Random ids: their form, that no two are equal, and what a kernel without random bytes does to them. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "counters/util/random.h"

static int answer; /* 0: as the kernel; else: -errno of all calls */

ssize_t __real_getrandom(void *buffer, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *buffer, size_t size, unsigned flags);

/* Gives at most 5 bytes a call, so that the caller must ask again. */
ssize_t
__wrap_getrandom(void *buffer, size_t size, unsigned flags)
{
    if (answer) {
        errno = -answer;
        return -1;
    }
    return __real_getrandom(buffer, size < 5 ? size : 5, flags);
}

static void
ids_have_32_digits_and_differ(void **state)
{
    (void)state;
    char id[100][PP_RANDOM_ID_MAX];
    answer = 0;
    for (size_t i = 0; i < 100; i++) {
        assert_int_equal(pp_random_id(id[i]), 0);
        assert_int_equal(strspn(id[i], "0123456789abcdef"), PP_RANDOM_ID_MAX - 1);
        assert_int_equal(strlen(id[i]), PP_RANDOM_ID_MAX - 1);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(id[i], id[j]);
    }
}

static void
no_random_bytes_are_an_error(void **state)
{
    (void)state;
    char id[PP_RANDOM_ID_MAX] = "x";
    answer = -EAGAIN;
    assert_int_equal(pp_random_id(id), -EAGAIN);
    assert_string_equal(id, "");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ids_have_32_digits_and_differ),
                                       cmocka_unit_test(no_random_bytes_are_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
