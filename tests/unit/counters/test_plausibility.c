/** @file
 * Hand-made counter sets, sound and wrong: which of them contradict themselves, and after how many brackets.
 */
#include "tests/lib/cmocka_test.h"

#include <math.h>
#include <string.h>

#include "counters/plausibility/plausibility.h"

/* A pass of 3 draws in 20 us at 400 MHz, as a sound driver counts it; without a tessellation stage. */
static struct pp_part_values
sound(void)
{
    struct pp_part_values values = {.gpu_time_ns = 20000};
    for (size_t i = 0; i < PP_PARTS; i++)
        values.part[i] = 0;
    values.part[PP_PART_CLOCKS] = 8800;
    values.part[PP_PART_TIME_NS] = 22000;
    values.part[PP_PART_BUSY] = 93.5;
    values.part[PP_PART_VS_THREADS] = 12;
    values.part[PP_PART_VS_INVOCATIONS] = 90;
    return values;
}

/* As Mesa 25.0 makes it of the pass above: the busy clocks are the clocks, and the threads move on. */
static struct pp_part_values
shifted(void)
{
    struct pp_part_values values = sound();
    values.part[PP_PART_BUSY] = 100;
    values.part[PP_PART_VS_THREADS] = 8228;
    values.part[PP_PART_HS_THREADS] = 12;
    return values;
}

static enum pp_contradiction
add(struct pp_plausibility *state, const struct pp_part_values *values, uint32_t times)
{
    enum pp_contradiction found = state->found;
    for (uint32_t i = 0; i < times; i++)
        found = pp_plausibility_add(state, values);
    return found;
}

static void
expect(const struct pp_part_values *values, enum pp_contradiction wanted)
{
    struct pp_plausibility state = {.found = PP_CONTRADICTION_NONE};
    assert_int_equal(add(&state, values, PP_PLAUSIBILITY_PROOF - 1), PP_CONTRADICTION_NONE);
    assert_int_equal(add(&state, values, 1), wanted);
    /* A decision stays. */
    struct pp_part_values good = sound();
    assert_int_equal(add(&state, &good, 3000), wanted);
}

static void
sound_sets_pass(void **state)
{
    struct pp_plausibility all = {.found = PP_CONTRADICTION_NONE};
    (void)state;
    struct pp_part_values values = sound();
    assert_int_equal(add(&all, &values, 5000), PP_CONTRADICTION_NONE);
    /* On a busy GPU all clocks are busy clocks. */
    values.part[PP_PART_BUSY] = 100;
    assert_int_equal(add(&all, &values, 5000), PP_CONTRADICTION_NONE);
    /* A clear that the driver draws itself; a bracket without work; an empty one. */
    values.part[PP_PART_VS_THREADS] = values.part[PP_PART_VS_INVOCATIONS] = 0;
    assert_int_equal(add(&all, &values, 5000), PP_CONTRADICTION_NONE);
    values.part[PP_PART_CLOCKS] = 60;
    values.part[PP_PART_TIME_NS] = 150;
    values.gpu_time_ns = 80;
    assert_int_equal(add(&all, &values, 5000), PP_CONTRADICTION_NONE);
    /* Where nothing is measured, nothing is checked. */
    for (size_t i = 0; i < PP_PARTS; i++)
        values.part[i] = NAN;
    assert_int_equal(add(&all, &values, 5000), PP_CONTRADICTION_NONE);
    /* Tessellation: a patch may need several threads. */
    values = sound();
    values.part[PP_PART_BUSY] = 100;
    values.part[PP_PART_HS_THREADS] = 64;
    values.part[PP_PART_HS_PATCHES] = 16;
    assert_int_equal(add(&all, &values, 5000), PP_CONTRADICTION_NONE);
}

static void
shifted_sets_are_found(void **state)
{
    (void)state;
    struct pp_part_values values = shifted();
    expect(&values, PP_CONTRADICTION_SHIFTED);
    /* A pass of compute shaders, which has no draws. */
    values.part[PP_PART_VS_INVOCATIONS] = values.part[PP_PART_HS_THREADS] = 0;
    expect(&values, PP_CONTRADICTION_SHIFTED);
    /* Without statistics this cannot be seen. */
    for (size_t i = PP_PART_VS_INVOCATIONS; i < PP_PARTS; i++)
        values.part[i] = NAN;
    expect(&values, PP_CONTRADICTION_NONE);
}

static void
wrong_clocks_are_found(void **state)
{
    (void)state;
    struct pp_part_values values = sound();
    values.part[PP_PART_CLOCKS] = 0; /* zero */
    expect(&values, PP_CONTRADICTION_FREQUENCY);
    values.part[PP_PART_CLOCKS] = 8800;
    values.part[PP_PART_TIME_NS] = 0; /* stuck */
    expect(&values, PP_CONTRADICTION_NONE);
    values.part[PP_PART_CLOCKS] = 880000;
    expect(&values, PP_CONTRADICTION_FREQUENCY);
    /* Five seconds at 1 GHz, the time in full, the clocks cut to 24 bits. */
    values.part[PP_PART_TIME_NS] = 5e9;
    values.part[PP_PART_CLOCKS] = fmod(5e9, 16777216);
    expect(&values, PP_CONTRADICTION_FREQUENCY);
    values.part[PP_PART_TIME_NS] = values.part[PP_PART_CLOCKS] = 0;
    values.gpu_time_ns = 60000;
    expect(&values, PP_CONTRADICTION_STUCK);
    values = sound();
    values.part[PP_PART_BUSY] = 180;
    expect(&values, PP_CONTRADICTION_BUSY);
    /* Mesa 25.0.7 on a simulated Kaby Lake, a pass of 5 us: ticks of the timestamp as clocks, clocks as busy
     * clocks. */
    values = sound();
    values.part[PP_PART_CLOCKS] = 63;
    values.part[PP_PART_TIME_NS] = values.gpu_time_ns = 5166;
    values.part[PP_PART_BUSY] = 8007.9;
    expect(&values, PP_CONTRADICTION_BUSY);
    /* A clock more at each end of a short bracket. */
    values.part[PP_PART_BUSY] = 6500.0 / 63;
    expect(&values, PP_CONTRADICTION_NONE);
}

static void
some_odd_brackets_prove_nothing(void **state)
{
    struct pp_plausibility all = {.found = PP_CONTRADICTION_NONE};
    struct pp_part_values good = sound(), bad = shifted();
    (void)state;
    for (uint32_t i = 0; i < 2000; i++) {
        assert_int_equal(add(&all, &bad, 1), PP_CONTRADICTION_NONE);
        assert_int_equal(add(&all, &good, 1), PP_CONTRADICTION_NONE);
    }
    /* A fault that comes late is found nevertheless. */
    assert_int_equal(add(&all, &bad, 3000), PP_CONTRADICTION_SHIFTED);
}

/* A pass of 3 us, which is too short to give a low frequency. */
static struct pp_part_values
brief(void)
{
    struct pp_part_values values = sound();
    values.part[PP_PART_CLOCKS] = 1200;
    values.part[PP_PART_TIME_NS] = 3000;
    values.gpu_time_ns = 2900;
    return values;
}

static void
sound_short_brackets_count(void **state)
{
    struct pp_plausibility all = {.found = PP_CONTRADICTION_NONE};
    struct pp_part_values good = brief(), odd = brief(), stuck = sound(), slow = sound();
    (void)state;
    odd.part[PP_PART_CLOCKS] = 4e9; /* a counter that jumped */
    stuck.part[PP_PART_CLOCKS] = stuck.part[PP_PART_TIME_NS] = 0;
    stuck.gpu_time_ns = 60000;
    for (uint32_t i = 0; i < 3000; i++) {
        assert_int_equal(add(&all, &good, 4), PP_CONTRADICTION_NONE);
        assert_int_equal(add(&all, &odd, 1), PP_CONTRADICTION_NONE);
        assert_int_equal(add(&all, &stuck, 1), PP_CONTRADICTION_NONE);
    }
    /* A low frequency is seen in long brackets only, so short ones do not hide it. */
    slow.part[PP_PART_CLOCKS] = 3;
    memset(&all, 0, sizeof(all));
    add(&all, &good, 500);
    assert_int_equal(add(&all, &slow, PP_PLAUSIBILITY_PROOF), PP_CONTRADICTION_FREQUENCY);
}

static void
absurd_brackets_are_told(void **state)
{
    (void)state;
    struct pp_part_values values = brief();
    assert_false(pp_plausibility_is_absurd(&values));
    values.part[PP_PART_CLOCKS] = 4e9;
    assert_true(pp_plausibility_is_absurd(&values));
    values = sound();
    values.part[PP_PART_BUSY] = 180;
    assert_true(pp_plausibility_is_absurd(&values));
    values = shifted(); /* may be true */
    assert_false(pp_plausibility_is_absurd(&values));
}

static void
parts_have_events(void **state)
{
    bool played[PP_PARTS] = {false};
    const char *source, *event;
    enum pp_part part;
    uint32_t count = 0;
    (void)state;
    for (; pp_part_at(count, &source, &event, &part); count++)
        played[part] = true;
    for (size_t i = 0; i < PP_PARTS; i++)
        assert_true(played[i]);
    for (unsigned i = 1; i < PP_CONTRADICTIONS; i++)
        assert_true(pp_contradiction_text((enum pp_contradiction)i)[0] != '\0');
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_sets_pass),          cmocka_unit_test(shifted_sets_are_found),
        cmocka_unit_test(wrong_clocks_are_found),   cmocka_unit_test(some_odd_brackets_prove_nothing),
        cmocka_unit_test(parts_have_events),        cmocka_unit_test(sound_short_brackets_count),
        cmocka_unit_test(absurd_brackets_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
