/** @file
 * Numbers that the command reads and writes without the C library are those of the C library; JSON texts;
 * messages of Protocol Buffers; series of values. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/frame_table.h"
#include "cli/session/csv_read.h"
#include "cli/session/saved_session.h"
#include "cli/session/series.h"
#include "cli/trace/chrome.h"
#include "cli/trace/number_text.h"
#include "cli/trace/protobuf.h"
#include "counters/stats/stats.h"
#include "tests/lib/cmocka_test.h"
#include "tests/lib/random_number.h"

/* Cells are the double that strtod() reads, bit by bit. */
static void
cells_are_the_nearest_number(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        char text[64];
        uint64_t digits = random_number(&seed) % (UINT64_C(1) << i % 60);
        int len = snprintf(text, sizeof(text), "%0*" PRIu64, (int)(i % 7), digits);
        size_t at = 1 + random_number(&seed) % (size_t)len;
        if (i % 3) {
            memmove(text + at + 1, text + at, (size_t)len - at + 1);
            text[at] = '.';
        }
        const struct pp_cell cell = {text, strlen(text), true};
        double got = 0, wanted = strtod(text, NULL);
        assert_true(pp_cell_number(&cell, &got));
        if (memcmp(&got, &wanted, sizeof(got)) != 0)
            fail_msg("%s is %.17g, not %.17g", text, got, wanted);
    }
    static const char *const none[] = {"", ".", "1.2.3", "1a", " 1", "1 ", "-", "0x10", "1.5x"};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        const struct pp_cell cell = {none[i], strlen(none[i]), true};
        double got = 7;
        assert_false(pp_cell_number(&cell, &got));
        assert_true(got == 7);
    }
}

/* Numbers are written as printf() writes them. */
static void
numbers_are_those_of_printf(void **state)
{
    static const double edge[] = {0,   -0.0,   1e15,  -1e15,  999999999999999,
                                  0.1, 1e-300, 1e300, 5e-324, 123456.5};
    char got[PP_NUMBER_TEXT_MAX], wanted[64];
    uint64_t seed = 3;
    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        int64_t number = (int64_t)(random_number(&seed) >> i % 64);
        number = i % 2 ? number : -number;
        number = i == 0 ? INT64_MIN : i == 1 ? INT64_MAX : i == 2 ? 0 : number;
        snprintf(wanted, sizeof(wanted), "%" PRId64, number);
        assert_int_equal(pp_number_text_i64(number, got), strlen(wanted));
        assert_string_equal(got, wanted);
        double real = i < sizeof(edge) / sizeof(edge[0]) ? edge[i] : (double)number / (double)(1 + i % 5);
        snprintf(wanted, sizeof(wanted), "%.17g", real);
        assert_int_equal(pp_number_text_double(real, got), strlen(wanted));
        assert_string_equal(got, wanted);
    }
    assert_int_equal(pp_number_text_u64(UINT64_MAX, got), 20);
    assert_string_equal(got, "18446744073709551615");
}

/* A JSON string escapes what it must; bytes that are no UTF-8 are replaced. */
static void
json_strings_are_escaped(void **state)
{
    char *bytes = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&bytes, &len);
    struct pp_json_text text = {.out = out};
    (void)state;
    pp_json_text_string(&text, "a\"\\/\b\f\n\r\t\x01\x1f\x7f\xc3\xa9\xff\xc3");
    assert_int_equal(pp_json_text_drain(&text), 0); /* too little to be written */
    pp_json_text_put(&text, ",", 1);
    pp_json_text_i64(&text, -5);
    assert_int_equal(pp_json_text_flush(&text), 0);
    fclose(out);
    assert_string_equal(bytes, "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\xc3\xa9??\",-5");
    pp_json_text_finish(&text);
    free(bytes);
}

/* Lengths of messages have as many bytes as they need, in messages in other messages, too. */
static void
messages_have_their_length(void **state)
{
    struct pp_protobuf out = {.len = 0};
    char text[300];
    (void)state;
    memset(text, 'x', sizeof(text));
    pp_protobuf_open(&out, 1);
    pp_protobuf_open(&out, 2);
    pp_protobuf_text(&out, 3, text, 120);
    pp_protobuf_close(&out);
    pp_protobuf_open(&out, 2);
    pp_protobuf_text(&out, 3, text, 300);
    pp_protobuf_close(&out);
    pp_protobuf_close(&out);
    pp_protobuf_u64(&out, 4, 300);
    assert_false(out.failed);
    assert_int_equal(out.len, 3 + 2 + 2 + 120 + 3 + 3 + 300 + 3);
    static const unsigned char head[] = {0x0a, 0xae, 0x03, 0x12, 122, 0x1a, 120, 'x'};
    static const unsigned char second[] = {0x12, 0xaf, 0x02, 0x1a, 0xac, 0x02, 'x'};
    static const unsigned char last[] = {'x', 0x20, 0xac, 0x02};
    assert_memory_equal(out.byte, head, sizeof(head));
    assert_memory_equal(out.byte + 3 + 2 + 2 + 120, second, sizeof(second));
    assert_memory_equal(out.byte + out.len - 4, last, sizeof(last));
    pp_protobuf_finish(&out);
}

static bool
is_even(void *data, size_t i)
{
    (void)data;
    return i % 2 == 0;
}

/* A series has the values that were added, whichever take four bytes, and the quantiles and sums of stats.h.
 */
static void
series_have_the_values_that_were_added(void **state)
{
    static const double odd[] = {-1, 0.5, 4294967296.0, -0.0, 1e100};
    uint64_t seed = 9;
    (void)state;
    for (size_t round = 0; round < 60; round++) {
        struct pp_series series = {.len = 0}, copy = {.len = 0};
        size_t len = 1 + random_number(&seed) % (round % 2 ? 40 : 3000);
        double *value = calloc(len, sizeof(*value));
        assert_non_null(value);
        for (size_t i = 0; i < len; i++) {
            value[i] = (double)(random_number(&seed) >> 32 >> round % 30);
            if (round % 3 == 0 && i > len / 2 && i % 7 == 0)
                value[i] = odd[i % 5];
            assert_int_equal(pp_series_add(&series, value[i], (double)i), 0);
            assert_int_equal(pp_series_add(&series, (double)NAN, (double)i), 0);
        }
        assert_int_equal(series.len, len);
        for (size_t i = 0; i < len; i++)
            assert_memory_equal(&value[i], &(double){pp_series_at(&series, i)}, sizeof(double));
        assert_true(value[(size_t)series.most_frame] == series.most);
        assert_int_equal(pp_series_add(&copy, 1, 0), 0);
        assert_int_equal(pp_series_append(&copy, &series), 0);
        assert_int_equal(copy.len, len + 1);
        assert_true(copy.most >= series.most);
        pp_series_filter(&copy, is_even, NULL);
        assert_int_equal(copy.len, len / 2 + 1);
        assert_true(copy.len == 1 || pp_series_at(&copy, 1) == value[1]);
        pp_series_order(&series);
        pp_stats_sort(value, len);
        double *sorted = pp_series_values(&series);
        assert_non_null(sorted);
        for (size_t i = 0; i < len; i++)
            assert_true(sorted[i] == value[i]);
        assert_true(series.most == value[len - 1]);
        for (unsigned p = 0; p <= 100; p++)
            assert_true(pp_series_quantile7(&series, p / 100.0) == pp_quantile7(value, len, p / 100.0));
        assert_true(pp_series_mean(&series) == pp_stats_mean(value, len));
        free(sorted);
        free(value);
        pp_series_finish(&series);
        pp_series_finish(&copy);
    }
}

/* Whole nanoseconds below four seconds take four bytes. */
static void
times_take_four_bytes(void **state)
{
    struct pp_series series = {.len = 0};
    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        assert_int_equal(pp_series_add(&series, 4294967295.0 - i, i), 0);
    assert_non_null(series.whole);
    assert_null(series.value);
    pp_series_finish(&series);
    assert_true(sizeof(struct pp_saved_frame) <= 24); /* a session has millions */
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_the_nearest_number),
        cmocka_unit_test(numbers_are_those_of_printf),
        cmocka_unit_test(json_strings_are_escaped),
        cmocka_unit_test(messages_have_their_length),
        cmocka_unit_test(series_have_the_values_that_were_added),
        cmocka_unit_test(times_take_four_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
