/** @file
 * Names of drivers' counters: each has a column, and can be in a list of events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/events/event_names.h"

#define MAX 6

static void
equal_names_get_their_group(void **state)
{
    static const struct {
        struct pp_event_name event[MAX];
        const char *want[MAX]; /* NULL: the name is kept */
    } row[] = {
        {{{"a", "G", PP_UNIT_COUNT, 0, NULL}, {"b", "G", PP_UNIT_COUNT, 0, NULL}}, {NULL, NULL}},
        /* of two groups; of one group */
        {{{"a", "G", PP_UNIT_NS, 0, NULL}, {"a", "H", PP_UNIT_COUNT, 0, NULL}}, {"G.a", "H.a"}},
        {{{"a", "G", PP_UNIT_COUNT, 0, NULL},
          {"a", "G", PP_UNIT_COUNT, 0, NULL},
          {"a", "G", PP_UNIT_COUNT, 0, NULL}},
         {"G.a", "G.a 2", "G.a 3"}},
        /* two names of one column: "W" in bytes is "W_bytes" */
        {{{"W", "G", PP_UNIT_BYTES, 0, NULL}, {"W_bytes", "H", PP_UNIT_COUNT, 0, NULL}},
         {"G.W", "H.W_bytes"}},
        {{{"W", "G", PP_UNIT_BYTES, 0, NULL}, {"W_bytes", "G", PP_UNIT_COUNT, 0, NULL}},
         {"G.W", "G.W_bytes 2"}},
        {{{"t_ns", "G", PP_UNIT_NS, 0, NULL}, {"t", "G", PP_UNIT_NS, 0, NULL}}, {"G.t_ns", "G.t 2"}},
        /* a name that is made may exist already */
        {{{"a", "G", PP_UNIT_COUNT, 0, NULL},
          {"a", "G", PP_UNIT_COUNT, 0, NULL},
          {"G.a 2", "X", PP_UNIT_COUNT, 0, NULL}},
         {"G.a", "G.a 2", "G.a 2 2"}},
        /* never measured together and of one kind: one column for both; not if both are in one group, nor if
         * they are of two kinds */
        {{{"a", "G", PP_UNIT_COUNT, 7, NULL}, {"a", "H", PP_UNIT_COUNT, 7, NULL}}, {NULL, NULL}},
        {{{"a", "G", PP_UNIT_COUNT, 7, NULL},
          {"a", "H", PP_UNIT_COUNT, 7, NULL},
          {"a", "H", PP_UNIT_COUNT, 7, NULL}},
         {"G.a", "H.a", "H.a 2"}},
        {{{"a", "G", PP_UNIT_COUNT, 7, NULL}, {"a", "H", PP_UNIT_COUNT, 8, NULL}}, {"G.a", "H.a"}},
    };
    (void)state;
    for (size_t r = 0; r < sizeof(row) / sizeof(row[0]); r++) {
        struct pp_event_name event[MAX];
        uint32_t count = 0;
        memcpy(event, row[r].event, sizeof(event));
        while (count < MAX && event[count].name)
            count++;
        assert_int_equal(pp_event_names_distinguish(event, count), 0);
        for (uint32_t i = 0; i < count; i++) {
            const char *want = row[r].want[i];
            if (!want != !event[i].made || (want && strcmp(want, event[i].made) != 0))
                fail_msg("row %zu, event %u: %s, not %s", r, i, event[i].made ? event[i].made : "its own",
                         want ? want : "its own");
            free(event[i].made);
        }
    }
}

static void
text_is_utf8(void **state)
{
    char out[16];
    (void)state;
    pp_event_name_clean(out, sizeof(out),
                        "b\xfc"
                        "tes, {\t}",
                        "none");
    assert_string_equal(out, "b\xEF\xBF\xBDtes_ ___");
    pp_event_name_clean(out, sizeof(out), "", "none");
    assert_string_equal(out, "none");
    pp_event_name_clean(out, 7, "abcd\xC3\xA9\xC3\xA9", "none"); /* cut between characters */
    assert_string_equal(out, "abcd\xC3\xA9");
    pp_event_text_clean(out, sizeof(out), "a, \"b\"\xC3"); /* the driver has cut inside of a character */
    assert_string_equal(out, "a, \"b\"\xEF\xBF\xBD");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_names_get_their_group),
        cmocka_unit_test(text_is_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
