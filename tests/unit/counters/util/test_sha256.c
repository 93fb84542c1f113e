/** @file
 * SHA-256: the vectors of its standard, and the same hash whatever the parts in which bytes come. */
#include "tests/lib/cmocka_test.h"

#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"
#include "counters/util/sha256.h"

static void
known_hashes(void **state)
{
    (void)state;
    /* Source: FIPS 180-2, appendix B, and NIST's SHA256ShortMsg.rsp for the empty message */
    static const struct {
        const char *text, *hash;
    } row[] = {{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
               {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
               {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(row); i++) {
        struct pp_sha256 hash;
        char text[PP_SHA256_DIGITS + 1];
        pp_sha256_init(&hash);
        pp_sha256_add(&hash, row[i].text, strlen(row[i].text));
        pp_sha256_end(&hash, text);
        assert_string_equal(text, row[i].hash);
    }
}

static void
a_million_letters_in_parts(void **state)
{
    (void)state;
    static char letters[1000];
    struct pp_sha256 hash;
    char text[PP_SHA256_DIGITS + 1];
    memset(letters, 'a', sizeof(letters));
    pp_sha256_init(&hash);
    for (size_t left = 1000000, part = 1; left; part = part % 999 + 1) {
        size_t now = part < left ? part : left;
        pp_sha256_add(&hash, letters, now);
        left -= now;
    }
    pp_sha256_end(&hash, text);
    assert_string_equal(text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void
texts_are_kept_apart(void **state)
{
    (void)state;
    static const char *const pair[][2] = {{"ab", "c"}, {"a", "bc"}};
    char text[2][PP_SHA256_DIGITS + 1];
    for (size_t i = 0; i < 2; i++) {
        struct pp_sha256 hash;
        pp_sha256_init(&hash);
        pp_sha256_add_text(&hash, pair[i][0]);
        pp_sha256_add_text(&hash, pair[i][1]);
        pp_sha256_end(&hash, text[i]);
    }
    assert_string_not_equal(text[0], text[1]);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_hashes),
                                       cmocka_unit_test(a_million_letters_in_parts),
                                       cmocka_unit_test(texts_are_kept_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
