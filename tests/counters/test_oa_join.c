/** @file
 * Histories of OA reports where time seems to go back: a report or two out of order is left out, a pause of
 * minutes is a new beginning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "counters/oa.h"
#include "counters/oa_stream.h"
#include "counters/source/oa_join.h"

#define HZ     12000000U
#define PERIOD 2400U

/** A report of the context 7 at a moment. */
static void
push(struct pp_oa_history *history, uint32_t time)
{
    const uint32_t id = 1U << 19 | 1U << 16, context = 7;
    const uint16_t size = 8 + 256;
    uint8_t record[8 + 256] = {PP_OA_RECORD_SAMPLE};
    memcpy(record + 6, &size, sizeof(size));
    memcpy(record + 8, &id, sizeof(id));
    memcpy(record + 12, &time, sizeof(time));
    memcpy(record + 16, &context, sizeof(context));
    assert_int_equal(pp_oa_history_add(history, record, sizeof(record)), 0);
}

static void
lose_buffer(struct pp_oa_history *history)
{
    const uint8_t record[8] = {PP_OA_RECORD_BUFFER_LOST, 0, 0, 0, 0, 0, 8, 0};
    assert_int_equal(pp_oa_history_add(history, record, sizeof(record)), 0);
}

static void
begin(struct pp_oa_history *history)
{
    static struct pp_oa_machine machine = {
        .gen = PP_OA_GEN9, .timestamp_hz = HZ, .max_clock_hz = 1050000000, .eus = 24};
    machine.layout = pp_layout_find("oa-a32u40-a4u32-b8-c8");
    assert_non_null(machine.layout);
    assert_int_equal(pp_oa_history_init(history, &machine, 1024), 0);
    pp_oa_history_change(history, 1);
    for (uint32_t i = 0; i < 10; i++)
        push(history, 1000 + i * PERIOD);
}

/** Every counter has a value; what is none has another status. */
static void
expect_counted(const struct pp_oa_history *history, const struct pp_oa_sum *sum)
{
    const struct pp_layout *layout = history->machine.layout;
    uint32_t counters = 0;
    for (uint32_t i = 0; i < layout->fields; i++) {
        const char *name = layout->field[i].name;
        if (name[0] < 'A' || name[0] > 'C' || name[1] < '0' || name[1] > '9')
            continue;
        assert_true(pp_status_has_value((enum pp_status)sum->status[i]));
        counters++;
    }
    assert_true(counters >= 52);
    assert_int_equal(sum->context, 7);
}

/** Nobody reads for minutes; the kernel says that its buffer was lost, and reports come again. */
static void
a_pause_is_a_new_beginning(void **state)
{
    (void)state;
    static const uint32_t seconds[] = {100, 178, 179, 200, 300, 357, 400};
    for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
        struct pp_oa_history history;
        static struct pp_oa_sum sum;
        begin(&history);
        uint32_t time = 1000 + 10 * PERIOD + seconds[i] * HZ; /* of 32 bits, as the hardware's */
        lose_buffer(&history);
        for (int r = 0; r < 20; r++)
            push(&history, time + (uint32_t)r * PERIOD);
        assert_int_equal(
            pp_oa_history_between(&history, 1, time + 4 * PERIOD, time + 8 * PERIOD, false, &sum), 0);
        expect_counted(&history, &sum);
        pp_oa_history_finish(&history);
    }
}

/** One that is late by microseconds says nothing, and takes nothing away. */
static void
out_of_order_is_left_out(void **state)
{
    (void)state;
    struct pp_oa_history history;
    static struct pp_oa_sum sum;
    begin(&history);
    push(&history, 1000 + 9 * PERIOD - 100);
    for (uint32_t i = 10; i < 20; i++)
        push(&history, 1000 + i * PERIOD);
    assert_int_equal(pp_oa_history_between(&history, 1, 1000 + 2 * PERIOD, 1000 + 18 * PERIOD, false, &sum),
                     0);
    expect_counted(&history, &sum);
    pp_oa_history_finish(&history);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_is_a_new_beginning),
        cmocka_unit_test(out_of_order_is_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
