/** @file
 * Ids of sessions: the one that was recorded, the one that is made for sessions of older versions, and
 * members that are no id. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>

#include "cli/session/session_json.h"
#include "counters/util/array_size.h"

#define OLD(start, pid, host, executable)                                                                    \
    "{\"program\":{\"start_realtime_ns\":" start ",\"pid\":" pid ",\"executable\":\"" executable             \
    "\"},\"host\":{\"name\":\"" host "\"}}"

/* The id of a text of JSON. @return As pp_session_id(). */
static int
id_of(const char *text, char *ret)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    int rc = pp_session_id(json, ret);
    json_decref(json);
    return rc;
}

static void
recorded_ids_are_taken(void **state)
{
    (void)state;
    char id[PP_SESSION_ID_MAX];
    assert_int_equal(id_of("{\"session_id\":\"0123456789abcdef0123456789abcdef\"}", id), 0);
    assert_string_equal(id, "0123456789abcdef0123456789abcdef");
}

static void
members_that_are_no_id_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"\"\"",
                                      "7",
                                      "null",
                                      "\"0123456789abcdef0123456789abcde\"",
                                      "\"0123456789abcdef0123456789abcdef0\"",
                                      "\"0123456789ABCDEF0123456789ABCDEF\"",
                                      "\"../../../../../../etc/passwd/////\"",
                                      "\"0123456789abcdef0123456789abcde'\"",
                                      "\"0123456789abcdef0123456789abcdef\\u0000\""};
    for (size_t i = 0; i < PP_ARRAY_SIZE(bad); i++) {
        char text[256], id[PP_SESSION_ID_MAX] = "unchanged";
        snprintf(text, sizeof(text), "{\"session_id\":%s,\"program\":{\"start_realtime_ns\":1}}", bad[i]);
        json_t *json = json_loads(text, JSON_ALLOW_NUL, NULL);
        assert_non_null(json);
        assert_int_equal(pp_session_id(json, id), -EINVAL);
        assert_string_equal(id, "unchanged");
        json_decref(json);
    }
}

static void
older_sessions_have_an_id_of_their_facts(void **state)
{
    (void)state;
    static const char *const other[] = {OLD("2", "7", "h", "/x"), OLD("1", "8", "h", "/x"),
                                        OLD("1", "7", "i", "/x"), OLD("1", "7", "h", "/y")};
    char id[PP_SESSION_ID_MAX], again[PP_SESSION_ID_MAX];
    assert_int_equal(id_of(OLD("1", "7", "h", "/x"), id), 0);
    /* printf '1\0007\0h\0/x\0' | sha256sum | cut -c-32 */
    assert_string_equal(id, "c045d0a8c43274248e4968e817895aad");
    for (size_t i = 0; i < PP_ARRAY_SIZE(other); i++) {
        assert_int_equal(id_of(other[i], again), 0);
        assert_string_not_equal(again, id);
    }
}

static void
without_a_start_there_is_no_id(void **state)
{
    (void)state;
    char id[PP_SESSION_ID_MAX];
    assert_int_equal(id_of("{\"program\":{\"pid\":7}}", id), -ENODATA);
    assert_int_equal(pp_session_id(NULL, id), -ENODATA);
    assert_int_equal(id_of("{\"program\":{\"start\":\"2026-01-31T23:59:59Z\"}}", id), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(recorded_ids_are_taken),
                                       cmocka_unit_test(members_that_are_no_id_are_refused),
                                       cmocka_unit_test(older_sessions_have_an_id_of_their_facts),
                                       cmocka_unit_test(without_a_start_there_is_no_id)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
