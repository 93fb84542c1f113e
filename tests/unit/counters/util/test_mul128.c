/** @file
 * 128-bit products: the code for targets without a 128-bit type gives the same results as the code with it.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counters/util/mul128.h"
#include "counters/util/random.h"

static void
known_products(void **state)
{
    (void)state;
    struct pp_uint128 p = pp_mul128_by_halves(UINT64_MAX, UINT64_MAX);
    assert_true(p.high == UINT64_MAX - 1 && p.low == 1);
    p = pp_mul128_by_halves(UINT64_C(1) << 63, 6);
    assert_true(p.high == 3 && p.low == 0);
    assert_true(pp_div128_by_bits((struct pp_uint128){.high = 3}, 6) == UINT64_C(1) << 63);
    assert_true(pp_div128_by_bits((struct pp_uint128){.high = UINT64_MAX - 1, .low = 1}, UINT64_MAX) ==
                UINT64_MAX);
    assert_true(pp_muldiv(UINT64_MAX, UINT64_MAX, 0, UINT64_MAX) == UINT64_MAX);
    assert_true(pp_muldiv(UINT64_MAX, 2, 0, 1) == UINT64_MAX); /* does not fit */
    assert_true(pp_muldiv(1, 1, 0, 0) == UINT64_MAX);
    assert_true(pp_muldiv(315810640, 169, 0, 43) == 1241209259);
    assert_true(pp_muldiv(1, 1, 999999999, 1000000000) == 1);
}

static void
halves_and_whole_products_agree(void **state)
{
    uint64_t seed = 1;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t a = pp_splitmix64(&seed) >> (pp_splitmix64(&seed) & 63);
        uint64_t b = pp_splitmix64(&seed) >> (pp_splitmix64(&seed) & 63);
        uint64_t d = (pp_splitmix64(&seed) >> (pp_splitmix64(&seed) & 63)) | 1;
        struct pp_uint128 halves = pp_mul128_by_halves(a, b);
        struct pp_uint128 whole = pp_mul128(a, b);
        assert_true(halves.high == whole.high && halves.low == whole.low);
        if (halves.high < d)
            assert_true(pp_div128_by_bits(halves, d) == pp_muldiv(a, b, 0, d));
    }
}

static void
scaling_truncates_in_128_bits(void **state)
{
    (void)state;
    uint64_t scaled = 7;
    assert_int_equal(pp_scale_count(315810640, 169, 43, &scaled), 0);
    assert_true(scaled == 1241209259); /* exactly ...259.53 */
    assert_int_equal(pp_scale_count(UINT64_MAX, 1000000007, 1000000007, &scaled), 0);
    assert_true(scaled == UINT64_MAX);
    scaled = 7;
    assert_int_equal(pp_scale_count(UINT64_MAX, 3, 2, &scaled), -ERANGE);
    assert_int_equal(pp_scale_count(0, 5, 0, &scaled), -ENODATA);
    assert_true(scaled == 7);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_products),
                                       cmocka_unit_test(halves_and_whole_products_agree),
                                       cmocka_unit_test(scaling_truncates_in_128_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
