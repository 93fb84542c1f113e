/** @file
 * Histories of OA reports whose time goes back: one or two reports out of order are left out, a pause of
 * minutes begins a new history. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include <cmocka.h>

#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_history.h"
#include "counters/oa/oa_report.h"

#define HZ     12000000U
#define PERIOD 2400U

/** Add a report at a time, of a context or of an idle GPU. */
static void
push_of(struct pp_oa_history *history, uint32_t time, bool idle)
{
    const uint32_t id = 1U << 19 | (idle ? 0U : 1U << 16), context = idle ? UINT32_MAX : 7;
    const uint16_t size = 8 + 256;
    uint8_t record[8 + 256] = {PP_OA_RECORD_SAMPLE};
    memcpy(record + 6, &size, sizeof(size));
    memcpy(record + 8, &id, sizeof(id));
    memcpy(record + 12, &time, sizeof(time));
    memcpy(record + 16, &context, sizeof(context));
    assert_int_equal(pp_oa_history_add(history, record, sizeof(record)), 0);
}

/** Add a report of the context 7. */
static void
push(struct pp_oa_history *history, uint32_t time)
{
    push_of(history, time, false);
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

/** Every counter has a value; fields that are no counters have another status. */
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

/** The stream is not read for minutes: the kernel reports that its buffer was lost, and reports come again.
 */
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

/** A report that is late by microseconds is left out, and removes no other report. */
static void
reports_out_of_order_are_left_out(void **state)
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

/** The GPU was idle when the bracket began: the bracket has the context of its end. */
static void
a_bracket_that_begins_idle_has_the_context_of_its_end(void **state)
{
    (void)state;
    struct pp_oa_history history;
    static struct pp_oa_sum sum;
    begin(&history);
    const uint32_t idle = 1000 + 10 * PERIOD;
    push_of(&history, idle, true);
    push(&history, idle + PERIOD);
    push(&history, idle + 2 * PERIOD);
    assert_int_equal(pp_oa_history_between(&history, 1, idle + 100, idle + 2 * PERIOD, false, &sum), 0);
    expect_counted(&history, &sum);
    assert_int_equal(sum.value[pp_layout_field(history.machine.layout, "GPU_TIME")], PERIOD);
    /* No context at either end: the bracket has no context. */
    push_of(&history, idle + 3 * PERIOD, true);
    push_of(&history, idle + 4 * PERIOD, true);
    push_of(&history, idle + 5 * PERIOD, true);
    assert_int_equal(
        pp_oa_history_between(&history, 1, idle + 3 * PERIOD + 100, idle + 5 * PERIOD, false, &sum), 0);
    assert_int_equal(sum.status[pp_layout_field(history.machine.layout, "A0")], PP_REJECTED);
    pp_oa_history_finish(&history);
}

/** Between two reports a counter may have wrapped twice: at the GPU's highest clock, in each EU for A
 * counters. */
static void
long_gaps_wrap(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        uint32_t fits_ms, wraps_ms; /* 2^bits / (1.05 GHz x EUs), a little less and a little more */
    } row[] = {{"C7", 4080, 4100}, {"B0", 4080, 4100}, {"A32", 170, 171}, {"A0", 43600, 43700}};
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        for (int wraps = 0; wraps < 2; wraps++) {
            struct pp_oa_history history;
            static struct pp_oa_sum sum;
            begin(&history);
            uint32_t last = 1000 + 9 * PERIOD;
            uint32_t next = last + (wraps ? row[i].wraps_ms : row[i].fits_ms) * (HZ / 1000);
            push(&history, next);
            push(&history, next + PERIOD);
            assert_int_equal(pp_oa_history_between(&history, 1, last, next + PERIOD, false, &sum), 0);
            int field = pp_layout_field(history.machine.layout, row[i].field);
            assert_true(field >= 0);
            assert_int_equal(sum.status[field], wraps ? PP_WRAPPED : PP_OK);
            pp_oa_history_finish(&history);
        }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_is_a_new_beginning),
        cmocka_unit_test(reports_out_of_order_are_left_out),
        cmocka_unit_test(a_bracket_that_begins_idle_has_the_context_of_its_end),
        cmocka_unit_test(long_gaps_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
