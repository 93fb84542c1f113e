/** @file
 * Conditions of an address become a part of a statement as hexadecimal digits, and nothing else does. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/push/server_answer.h"

static void
expect(const char *query, const char *pairs)
{
    static const char head[] =
        "a FROM (SELECT pair.1 AS key, pair.2 AS value FROM (SELECT arrayJoin([('', '')";
    char *text = NULL;
    assert_int_equal(pp_fleet_question_make("a FROM ask b", query, &text), 0);
    assert_memory_equal(text, head, strlen(head));
    assert_memory_equal(text + strlen(head), pairs, strlen(pairs));
    assert_string_equal(text + strlen(head) + strlen(pairs), "]) AS pair)) b");
    free(text);
}

static void
test_conditions(void **state)
{
    (void)state;
    expect("", "");
    expect("build=12", ", ('build', unhex('3132'))");
    expect("build=a&build=b&gpu=x%20Y&",
           ", ('build', unhex('61')), ('build', unhex('62')), ('gpu', unhex('782059'))");
    expect("scene=", ", ('scene', unhex(''))");
    expect("driver=%c3%BC=", ", ('driver', unhex('C3BC3D'))");
}

static void
test_values_are_no_sql(void **state)
{
    (void)state;
    expect("build=')--", ", ('build', unhex('27292D2D'))");
    expect("gpu=%27%5C%0a", ", ('gpu', unhex('275C0A'))");
}

static void
test_others_are_refused(void **state)
{
    static const char *const wrong[] = {"host=a",    "build",     "=a",      "build=%",        "build=%4",
                                        "build=%zz", "build=%00", "Build=a", "build=a&&gpu=b", "&build=a"};
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char *text = NULL;
        assert_int_equal(pp_fleet_question_make("FROM ask", wrong[i], &text), -EINVAL);
        assert_null(text);
    }
}

static void
test_all_places_are_replaced(void **state)
{
    (void)state;
    char *text = NULL;
    assert_int_equal(pp_fleet_question_make(pp_fleet_run_figures, "build=1", &text), 0);
    assert_null(strstr(text, "FROM ask"));
    assert_non_null(strstr(text, "unhex('31')"));
    free(text);
    assert_int_equal(pp_fleet_question_make("no table", "build=1", &text), 0);
    assert_string_equal(text, "no table");
    free(text);
}

static void
test_words_for_the_user(void **state)
{
    static const char *const pairs[][2] = {
        {"", ""},
        {"build=old", "build=old"},
        {"build=1&build=2&gpu=x%20Y&", "build=1, 2, gpu=x Y"},
        {"build=1&gpu=a&build=2", "build=1, gpu=a, build=2"},
        {"scene=&build=1", "scene=, build=1"},
        {"build=1&scene=%zz", "build=1"},
        {"build=1&host=a", "build=1"},
    };
    char text[32];
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        pp_fleet_question_words(pairs[i][0], text, sizeof(text));
        assert_string_equal(text, pairs[i][1]);
    }
    for (size_t size = 1; size < sizeof(text); size++) { /* whole conditions only */
        pp_fleet_question_words("build=12&gpu=ab", text, size);
        assert_string_equal(text, size > 16 ? "build=12, gpu=ab" : size > 8 ? "build=12" : "");
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),         cmocka_unit_test(test_values_are_no_sql),
        cmocka_unit_test(test_others_are_refused), cmocka_unit_test(test_all_places_are_replaced),
        cmocka_unit_test(test_words_for_the_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
