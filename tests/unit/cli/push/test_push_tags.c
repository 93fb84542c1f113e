/** @file
 * Tags that a push gives to sessions: the lists that are valid, and what a session keeps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "cli/push/push_facts.h"

static void
test_lists(void **state)
{
    static const struct {
        const char *value;
        bool good;
        const char *list;
    } cases[] = {
        {"build", false, ""},
        {"", false, ""},
        {"=1", false, ""},
        {"build=", false, ""},
        {"1=2", false, ""},
        {"a b=2", false, ""},
        {"a=1,a=2", false, ""},
        {"a=1,", false, ""},
        {"a=x\ny", false, ""},
        {"a=1", true, "a=1"},
        {"a=2", false, "a=1"},
        {"b=x=y", true, "a=1,b=x=y"},
        {"c='; DROP--,d=\xc3\xa4", true, "a=1,b=x=y,c='; DROP--,d=\xc3\xa4"},
    };
    char list[PP_TAGS_MAX] = "", longest[PP_TAGS_MAX + 8] = "";
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool good = pp_push_tags_append(list, cases[i].value);
        if (good != cases[i].good || strcmp(list, cases[i].list) != 0)
            fail_msg("%s: %d, %s", cases[i].value, good, list);
    }
    list[0] = '\0';
    for (unsigned i = 0; strlen(longest) < PP_TAGS_MAX; i++)
        snprintf(longest + strlen(longest), sizeof(longest) - strlen(longest), "%sk%u=v", i ? "," : "", i);
    assert_false(pp_push_tags_append(list, longest));
    *strrchr(longest, ',') = '\0';
    assert_true(pp_push_tags_append(list, longest));
    assert_false(pp_push_tags_append(list, "another=tag"));
    assert_string_equal(list, longest);
}

/* What a session with these tags keeps, as "KEY=VALUE;". */
static void
kept_of(const json_t *session, json_t *tags, char *ret, size_t size)
{
    const char *key = NULL, *value = NULL;
    size_t len = 0;
    ret[0] = '\0';
    for (void *at = json_object_iter(tags); pp_push_tags_next_kept(session, tags, &at, &key, &value);)
        len += (size_t)snprintf(ret + len, size - len, "%s=%s;", key, value);
}

static void
test_sessions(void **state)
{
    static const struct {
        const char *session, *build, *scene, *kept;
    } cases[] = {
        {"{}", "9", "dock", ""},
        {"{\"tags\":null}", "9", "dock", ""},
        {"{\"tags\":[1]}", "9", "dock", ""},
        {"{\"tags\":{\"build\":7}}", "9", "dock", ""},
        {"{\"tags\":{\"build\":\"7\"}}", "7", "dock", "build=7;"},
        {"{\"tags\":{\"build\":\"9\",\"scene\":\"dock\"}}", "9", "dock", ""},
        {"{\"tags\":{\"build\":\"\",\"branch\":\"y\"}}", "", "dock", "build=;branch=y;"},
    };
    json_t *tags = pp_push_tags_object("build=9,scene=dock,branch=x");
    (void)state;
    assert_non_null(tags);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[256], kept[256];
        struct pp_push_facts facts;
        snprintf(text, sizeof(text), "{\"program\":{\"start_realtime_ns\":1}%s%s",
                 cases[i].session[1] == '}' ? "" : ",", cases[i].session + 1);
        json_t *session = json_loads(text, 0, NULL);
        assert_non_null(session);
        assert_int_equal(pp_push_facts_read(session, 1700000000, &facts), 0);
        pp_push_tags_give(session, tags, &facts);
        kept_of(session, tags, kept, sizeof(kept));
        if (strcmp(facts.build, cases[i].build) != 0 || strcmp(facts.scene, cases[i].scene) != 0 ||
            strcmp(kept, cases[i].kept) != 0)
            fail_msg("%s: %s, %s, %s", cases[i].session, facts.build, facts.scene, kept);
        assert_ptr_equal(facts.tags, tags);
        pp_push_tags_give(session, NULL, &facts);
        kept_of(session, NULL, kept, sizeof(kept));
        assert_string_equal(kept, "");
        assert_null(facts.tags);
        json_decref(session);
    }
    json_decref(tags);
    tags = pp_push_tags_object("");
    assert_int_equal(json_object_size(tags), 0);
    json_decref(tags);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
