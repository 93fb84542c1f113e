/** @file
 * Characters that are printed and those that are not: every code point, and bytes that are no UTF-8. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "counters/util/printable.h"

/* UTF-8 as RFC 3629 defines it, surrogates too. @return Its length. */
static size_t
encode(uint32_t code, char *ret)
{
    if (code < 0x80) {
        ret[0] = (char)code;
        return 1;
    }
    size_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length; i-- > 1; code >>= 6)
        ret[i] = (char)(0x80 | (code & 0x3F));
    ret[0] = (char)(lead[length] | code);
    return length;
}

static void
every_code_point_is_classified(void **state)
{
    unsigned hidden = 0;
    (void)state;
    for (uint32_t code = 1; code < 0x110000; code++) {
        char text[8] = "";
        bool printable = false;
        size_t length = encode(code, text);
        bool surrogate = code >= 0xD800 && code < 0xE000;
        assert_int_equal(pp_printable_next(text, &printable), surrogate ? 1 : length);
        if (code < 0x20 || (code >= 0x7F && code < 0xA0) || surrogate)
            assert_false(printable);
        hidden += !printable && !surrogate;
    }
    /* 31 + 33 controls, 2 separators, 3 of annotations, 4174 that are ignorable by default */
    assert_int_equal(hidden, 31 + 33 + 2 + 3 + 4174);
}

static void
control_characters_are_replaced(void **state)
{
    static const struct {
        const char *text, *clean;
    } row[] = {
        {"", ""},
        {"shadow map", "shadow map"},
        {"\x1b]0;x\x07", "?]0;x?"},
        {"\xc2\x9b"
         "2J",
         "?2J"},
        {"\x9b"
         "2J",
         "?2J"},
        {"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "???"},
        {"a\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9z", "a????z"},
        {"\xe2\x80\xa8\xe2\x80\xa9", "??"},
        {"zero\xe2\x80\x8bwidth\xef\xbb\xbf", "zero?width?"},
        {"\xc0\x9b", "??"},
        {"\xed\xa0\x80", "???"},
        {"\xf4\x90\x80\x80", "????"},
        {"\xe6\x97\xa5\xf0\x9f\x8e\xae", "\xe6\x97\xa5\xf0\x9f\x8e\xae"},
        {"cut \xf0\x9f\x8e", "cut ???"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[64];
        snprintf(text, sizeof(text), "%s", row[i].text);
        assert_string_equal(pp_printable_clean(text, '?'), row[i].clean);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_point_is_classified),
        cmocka_unit_test(control_characters_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
