/** @file
 * What a server answers, and the statements that make its tables. */
#include "tests/lib/cmocka_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/push/push_schema.h"
#include "cli/push/push_tables.h"
#include "cli/push/server_answer.h"

static struct pp_push_error
error_of(long status, const char *text, const char *password)
{
    struct pp_push_error error;
    pp_push_error_of_answer(&error, status, text, strlen(text), password);
    return error;
}

/* Answers of ClickHouse 18.16 and of 23.8, as they were read. */
static void
test_errors_of_clickhouse(void **state)
{
    (void)state;
    struct pp_push_error error =
        error_of(500,
                 "Code: 60, e.displayText() = DB::Exception: Table fleet.t doesn't exist., e.what() = "
                 "DB::Exception\n",
                 "");
    assert_int_equal(error.code, 60);
    assert_int_equal(error.failure, PP_PUSH_GIVE_UP);
    assert_non_null(strstr(error.text, "Table fleet.t doesn't exist"));
    assert_null(strstr(error.text, "e.what()"));
    error = error_of(404, "Code: 60. DB::Exception: Table fleet.t does not exist. (UNKNOWN_TABLE)\n", "");
    assert_int_equal(error.code, 60);
    error = error_of(500, "Code: 252, e.displayText() = DB::Exception: Too many parts (300).", "");
    assert_int_equal(error.failure, PP_PUSH_AGAIN);
    error = error_of(500, "Code: 32, e.displayText() = DB::Exception: Attempt to read after eof", "");
    assert_int_equal(error.failure, PP_PUSH_AGAIN);
    error = error_of(401, "Code: 193, e.displayText() = DB::Exception: Wrong password for user x", "");
    assert_int_equal(error.failure, PP_PUSH_GIVE_UP);
    assert_non_null(strstr(error.text, "PASSPROBE_PUSH_PASSWORD"));
}

/* Answers of proxies and of other servers. */
static void
test_errors_of_others(void **state)
{
    (void)state;
    assert_int_equal(error_of(502, "<html>bad gateway</html>", "").failure, PP_PUSH_AGAIN);
    assert_int_equal(error_of(429, "", "").failure, PP_PUSH_AGAIN);
    assert_int_equal(error_of(404, "not here", "").failure, PP_PUSH_GIVE_UP);
    assert_int_equal(error_of(302, "", "").failure, PP_PUSH_GIVE_UP);
    assert_int_equal(error_of(500, "Code: x", "").code, 0);
    assert_int_equal(error_of(500, "Code: 99999999999999999999", "").code, 0);
    assert_int_equal(error_of(500, "Code: -60", "").code, 0);
    struct pp_push_error error = error_of(500, "\r\n  first\nsecond", "");
    assert_non_null(strstr(error.text, "first"));
    assert_null(strstr(error.text, "second"));
    error = error_of(500, "broken \xff\xfe UTF-8", "");
    assert_non_null(strstr(error.text, "broken ?? UTF-8"));
}

/* A server may repeat what it got. The password may also be where a long line is cut. */
static void
test_password_is_hidden(void **state)
{
    char text[1000];
    (void)state;
    struct pp_push_error error = error_of(500, "user ci with s3cret, s3crets3cret", "s3cret");
    assert_null(strstr(error.text, "s3c"));
    for (int before = 380; before < 405; before++) {
        snprintf(text, sizeof(text), "%*s%s", before, "x", "s3cret");
        error = error_of(500, text, "s3cret");
        assert_null(strstr(error.text, "s3"));
    }
    /* as it was sent: base64 of "ci:s3cret" */
    error = error_of(400, "{\"Authorization\": \"Basic Y2k6czNjcmV0\"}, Basic authentication", "s3cret");
    assert_null(strstr(error.text, "czNj"));
    assert_non_null(strstr(error.text, "Basic authentication"));
}

static void
test_numbers(void **state)
{
    uint64_t got[3] = {0};
    (void)state;
    assert_int_equal(pp_answer_numbers("", got, 3), 0);
    assert_int_equal(pp_answer_numbers("1\n18446744073709551615\n", got, 3), 2);
    assert_true(got[0] == 1 && got[1] == UINT64_MAX);
    assert_int_equal(pp_answer_numbers("1\n2\n3\n4\n", got, 3), 3);
    assert_true(pp_answer_numbers("1\n-2\n", got, 3) == SIZE_MAX);
    assert_true(pp_answer_numbers("1", got, 3) == SIZE_MAX);
    assert_true(pp_answer_numbers(" 1\n", got, 3) == SIZE_MAX);
    assert_true(pp_answer_numbers("18446744073709551616\n", got, 3) == SIZE_MAX);
    assert_true(pp_answer_numbers("1\t2\n", got, 3) == SIZE_MAX);
}

static void
test_number_and_digits(void **state)
{
    static const char *const bad[] = {"12\tabc\n", "12\tabcde\n", "12\tABCD\n", "12\tabcd", "<html>\n"};
    uint64_t number = 0;
    char hex[5];
    const char *text = "12\tabcd\n13\t0123\n";
    (void)state;
    assert_int_equal(pp_answer_number_and_hex(&text, &number, hex, 4), 1);
    assert_true(number == 12);
    assert_string_equal(hex, "abcd");
    assert_int_equal(pp_answer_number_and_hex(&text, &number, hex, 4), 1);
    assert_true(number == 13);
    assert_string_equal(hex, "0123");
    assert_int_equal(pp_answer_number_and_hex(&text, &number, hex, 4), 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        text = bad[i];
        assert_int_equal(pp_answer_number_and_hex(&text, &number, hex, 4), -1);
        assert_ptr_equal(text, bad[i]);
    }
}

static void
test_statements(void **state)
{
    const char *text = "-- a; comment;\n\nCREATE a;\n  \n-- b\nSELECT ';' ;\nlast";
    size_t len = 0;
    (void)state;
    const char *statement = pp_push_next_statement(&text, &len);
    assert_true(len == 8 && strncmp(statement, "CREATE a", len) == 0);
    statement = pp_push_next_statement(&text, &len);
    assert_true(len == 11 && strncmp(statement, "SELECT ';' ", len) == 0);
    statement = pp_push_next_statement(&text, &len);
    assert_true(len == 4 && strncmp(statement, "last", len) == 0);
    assert_null(pp_push_next_statement(&text, &len));
    assert_null(pp_push_next_statement(&text, &len));
}

/* The text of CREATE TABLE of a table. @return Owned by the caller. */
static char *
definition_of(const char *table)
{
    char begin[128];
    size_t len = 0;
    const char *text = pp_push_schema_1;
    snprintf(begin, sizeof(begin), "CREATE TABLE IF NOT EXISTS stored_%s (", table);
    for (const char *at = NULL; (at = pp_push_next_statement(&text, &len));)
        if (strncmp(at, begin, strlen(begin)) == 0)
            return strndup(at, len);
    fail_msg("no table %s", table);
    return NULL;
}

/* Each column of the model is in the schema, with its type, and each column of the schema in the model. */
static void
test_schema_has_the_model(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        const struct pp_push_model *model = pp_push_model_of((enum pp_push_table)i);
        char *text = definition_of(model->name);
        const char *pairs = pp_push_pairs_name((enum pp_push_table)i);
        size_t lines = 0,
               known = (i == PP_PUSH_SESSIONS ? 2U : 1U) + (pairs ? 1U : 0U); /* push, received, pairs */
        char line[128];
        for (size_t j = 0; j < model->columns; j++) {
            snprintf(line, sizeof(line), "\n    %s %s", model->column[j].name,
                     pp_push_clickhouse_type(&model->column[j]));
            const char *at = strstr(text, line);
            if (!at || !strchr(",\n", at[strlen(line)]))
                fail_msg("%s has no %s", model->name, line + 5);
        }
        if (pairs) {
            snprintf(line, sizeof(line), "\n    %s Nested(", pairs);
            assert_non_null(strstr(text, line));
        }
        for (const char *at = text; (at = strstr(at, "\n    ")); at++)
            lines++;
        assert_int_equal(lines, model->columns + known);
        free(text);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_of_clickhouse), cmocka_unit_test(test_errors_of_others),
        cmocka_unit_test(test_password_is_hidden),   cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_number_and_digits),    cmocka_unit_test(test_statements),
        cmocka_unit_test(test_schema_has_the_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
