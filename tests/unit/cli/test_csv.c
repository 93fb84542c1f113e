/** @file
 * CSV rows are split where they are: what comes out is what libcsv alone reads, for random texts of all bytes
 * that mean something, of any length. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/csv_read.h"
#include "tests/lib/cmocka_test.h"
#include "tests/lib/csv_reference.h"
#include "tests/lib/random_number.h"

/* Append random parts of rows. @param plain Of a hundred parts, how many come from plain rows.
 * @return Length. */
static size_t
random_text(char *text, size_t size, uint64_t *state, unsigned plain)
{
    static const struct {
        const char *text;
        size_t len;
    } part[] = {{"1234", 4},     {",", 1},  {",", 1},         {"0.5", 3},      {"a b", 3},  {"\r\n", 2},
                {"\"x,y\",", 6}, {"\n", 1}, {"long-name", 9}, {"\"", 1},       {"\"\"", 2}, {" ", 1},
                {"\t", 1},       {"\r", 1}, {"\0", 1},        {"\"\r\n\"", 4}, {"\xff", 1}};
    size_t len = 0;
    for (;;) {
        uint64_t number = random_number(state);
        size_t most = number % 100 < plain ? 9 : sizeof(part) / sizeof(part[0]);
        size_t i = (number >> 32) % most;
        if (len + part[i].len > size)
            return len;
        memcpy(text + len, part[i].text, part[i].len);
        len += part[i].len;
    }
}

static void
short_texts_are_read_as_by_libcsv(void **state)
{
    char text[200];
    uint64_t seed = 1;
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        size_t len = random_text(text, 1 + random_number(&seed) % sizeof(text), &seed, i % 101);
        const char *differs = pp_csv_reference_differs(text, len);
        if (differs)
            fail_msg("text %u: other %s", i, differs);
    }
}

/* Long texts do not fit in the block that a reader keeps, so rows cross its end. */
static void
long_texts_are_read_as_by_libcsv(void **state)
{
    size_t size = 900000;
    char *text = malloc(size);
    uint64_t seed = 2;
    (void)state;
    assert_non_null(text);
    for (unsigned i = 0; i < 24; i++) {
        size_t len = random_text(text, size - random_number(&seed) % 1000, &seed, i % 3 ? 100 : 99);
        if (i % 4 == 1) /* a cell that is longer than the block */
            memset(text + random_number(&seed) % 100000, 'x', 400000);
        if (i % 4 == 2) /* a cell in quotes that is longer than the block */
            text[random_number(&seed) % 100000] = '"';
        const char *differs = pp_csv_reference_differs(text, len);
        if (differs)
            fail_msg("text %u: other %s", i, differs);
    }
    free(text);
}

/* The kind of what a text begins with, and the cells of a plain row, each with a letter before it. */
static const char *
split(const char *given, char *ret)
{
    static const char *const name[] = {"plain", "open", "other"};
    char text[64 + PP_CSV_SPLIT_BEHIND];
    struct pp_cell cell[3];
    size_t size = 0, len = strlen(given);
    memset(text, '\n', sizeof(text)); /* bytes after the text are no part of it */
    memcpy(text, given, len);
    enum pp_csv_row_kind kind = pp_csv_split(text, len, cell, 3, &size);
    int at = sprintf(ret, "%s", name[kind]);
    if (kind != PP_CSV_PLAIN) {
        assert_memory_equal(text, given, len);
        return ret;
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(strlen(cell[i].text), cell[i].len);
        at += sprintf(ret + at, " %c%s", cell[i].present ? '+' : '-', cell[i].text);
    }
    sprintf(ret + at, " %zu", size);
    return ret;
}

static void
rows_that_are_not_plain_are_unchanged(void **state)
{
    char ret[100];
    (void)state;
    assert_string_equal(split("1,22,333\nx", ret), "plain +1 +22 +333 9");
    assert_string_equal(split("1,22,333\r\n", ret), "plain +1 +22 +333 9");
    assert_string_equal(split(",\"\",\"a,\r\n b\"\n", ret), "plain - + +a,\r\n b 13");
    assert_string_equal(split("1\n", ret), "plain +1 - - 2");
    assert_string_equal(split("1,2,3,\"4\",5\n", ret), "plain +1 +2 +3 12");
    assert_string_equal(split("12345678,2,3", ret), "open");
    assert_string_equal(split("\"1\",2,3", ret), "open");
    assert_string_equal(split("\"1\",\"2\"", ret), "open");
    assert_string_equal(split("1,\"2", ret), "open");
    assert_string_equal(split("1,\"2\" ,3\n", ret), "other");
    assert_string_equal(split("\"1\",\"2\"\"\",3\n", ret), "other");
    assert_string_equal(split("1,2\",3\n", ret), "other");
    assert_string_equal(split("1, 2,3\n", ret), "other");
    assert_string_equal(split("1,2,3\t\n", ret), "other");
    assert_string_equal(split("\"a\",b,\"c\", \n", ret), "other");
    assert_string_equal(split("", ret), "open");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_that_are_not_plain_are_unchanged),
        cmocka_unit_test(short_texts_are_read_as_by_libcsv),
        cmocka_unit_test(long_texts_are_read_as_by_libcsv),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
