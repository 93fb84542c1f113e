/** @file
 * Numbers that the command reads and writes without the C library are those of the C library; JSON texts;
 * messages of Protocol Buffers. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/csv_read.h"
#include "cli/trace/json_text.h"
#include "cli/trace/number_text.h"
#include "cli/trace/protobuf.h"
#include "tests/lib/cmocka_test.h"

/* Steele and Vigna's SplitMix64. */
static uint64_t
next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Cells are the double that strtod() reads, bit by bit. */
static void
cells_are_the_nearest_number(void **state)
{
    uint64_t seed = 5;
    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        char text[64];
        uint64_t digits = next_random(&seed) % (UINT64_C(1) << i % 60);
        int len = snprintf(text, sizeof(text), "%0*" PRIu64, (int)(i % 7), digits);
        size_t at = 1 + next_random(&seed) % (size_t)len;
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
        int64_t number = (int64_t)(next_random(&seed) >> i % 64);
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_the_nearest_number),
        cmocka_unit_test(numbers_are_those_of_printf),
        cmocka_unit_test(json_strings_are_escaped),
        cmocka_unit_test(messages_have_their_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
