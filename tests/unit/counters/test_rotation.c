/** @file
 * Rotation of counter sets: every square is Latin, squares differ, every set is measured in every phase of a
 * periodic load. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counters/events/event_plan.h"

static void
every_square_is_latin(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= PP_ROTATION_SETS; n = n < 8 ? n + 1 : n * 2) {
        for (uint64_t square = 0; square < 3; square++) {
            uint64_t first = square * n * n;
            for (uint32_t i = 0; i < n; i++) {
                uint64_t row = 0, column = 0;
                for (uint32_t j = 0; j < n; j++) {
                    row |= 1ULL << pp_rotation_set_of_frame(42, n, first + (uint64_t)i * n + j);
                    column |= 1ULL << pp_rotation_set_of_frame(42, n, first + (uint64_t)j * n + i);
                }
                uint64_t all = n == 64 ? UINT64_MAX : (1ULL << n) - 1;
                assert_true(row == all && column == all);
            }
        }
    }
}

static void
squares_differ(void **state)
{
    (void)state;
    unsigned same_seed = 0, same_square = 0;
    for (uint64_t frame = 0; frame < 64; frame++) {
        same_seed += pp_rotation_set_of_frame(1, 8, frame) == pp_rotation_set_of_frame(2, 8, frame);
        same_square += pp_rotation_set_of_frame(1, 8, frame) == pp_rotation_set_of_frame(1, 8, frame + 64);
    }
    assert_true(same_seed < 32 && same_square < 32);
    assert_int_equal(pp_rotation_set_of_frame(1, 0, 5), 0);
    assert_true(pp_rotation_set_of_frame(1, 1000, 5) < PP_ROTATION_SETS);
}

/* A rotation in step with a load whose period is four frames measures one phase only; the permuted rotation
 * measures each phase equally often. */
static void
every_set_meets_every_phase(void **state)
{
    unsigned met[4][4] = {{0}};
    (void)state;
    for (uint64_t frame = 0; frame < 4096; frame++)
        met[pp_rotation_set_of_frame(3, 4, frame)][frame % 4]++;
    for (unsigned set = 0; set < 4; set++)
        for (unsigned phase = 0; phase < 4; phase++)
            assert_int_equal(met[set][phase], 256);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_square_is_latin),
        cmocka_unit_test(squares_differ),
        cmocka_unit_test(every_set_meets_every_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
