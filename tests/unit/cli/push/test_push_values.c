/** @file
 * Addresses, times, facts, rows as text, compressed batches. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "cli/push/push_batch.h"
#include "cli/push/push_facts.h"
#include "cli/push/push_rows.h"
#include "cli/push/push_session.h"
#include "cli/push/push_url.h"

static void
test_urls(void **state)
{
    static const struct {
        const char *text, *user, *host, *database;
        unsigned port;
        bool tls;
    } good[] = {
        {"clickhouse://ci@db:9123/fleet", "ci", "db", "fleet", 9123, false},
        {"clickhouse://db/fleet", "default", "db", "fleet", 8123, false},
        {"clickhouses://a.b-c_d@db.example.org/f_1", "a.b-c_d", "db.example.org", "f_1", 8443, true},
        {"clickhouse://db", "default", "db", "default", 8123, false},
        {"clickhouse://db/", "default", "db", "default", 8123, false},
        {"CLICKHOUSE://u@[::1]:1/x", "u", "::1", "x", 1, false},
        {"clickhouses://[fe80::1]/x", "default", "fe80::1", "x", 8443, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        struct pp_push_url url;
        const char *why = "";
        if (pp_push_url_read(good[i].text, &url, &why))
            fail_msg("%s: %s", good[i].text, why);
        assert_string_equal(url.user, good[i].user);
        assert_string_equal(url.host, good[i].host);
        assert_string_equal(url.database, good[i].database);
        assert_string_equal(url.query, "");
        assert_int_equal(url.port, good[i].port);
        assert_int_equal(url.tls, good[i].tls);
    }
    struct pp_push_url url;
    const char *why = NULL;
    assert_int_equal(pp_push_url_read("clickhouse://db/x?build=a@b:c", &url, &why), 0);
    assert_string_equal(url.query, "build=a@b:c");
}

static void
test_bad_urls(void **state)
{
    static const char *const bad[] = {
        "",
        "x",
        "http://db/x",
        "clickhouse:/db/x",
        "clickhouse://",
        "clickhouse:///x",
        "clickhouse://@db/x",
        "clickhouse://db:/x",
        "clickhouse://db:0/x",
        "clickhouse://db:65536/x",
        "clickhouse://db:+1/x",
        "clickhouse://db:1x/x",
        "clickhouse://[::1/x",
        "clickhouse://[::1]x/x",
        "clickhouse://[]/x",
        "clickhouse://db/1x",
        "clickhouse://db/x/y",
        "clickhouse://db/x`y",
        "clickhouse://db/x#y",
        "clickhouse://db/x;y",
        "clickhouse://d b/x",
        "clickhouse://u'@db/x",
        "clickhouse://u%41@db/x",
        "clickhouse://db\n/x",
        "clickhouse://db/\xc3\xa4",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct pp_push_url url = {.port = 7};
        const char *why = NULL;
        if (pp_push_url_read(bad[i], &url, &why) != -EINVAL)
            fail_msg("accepted: %s", bad[i]);
        assert_non_null(why);
        assert_int_equal(url.port, 7);
    }
    struct pp_push_url url;
    const char *why = NULL;
    assert_int_equal(pp_push_url_read("clickhouse://u:geheim@db/x", &url, &why), -EACCES);
    assert_null(strstr(why, "geheim"));
    assert_int_equal(pp_push_url_read("clickhouse://u:@db/x", &url, &why), -EACCES);
    assert_int_equal(pp_push_url_read("clickhouse://u:a@b@db/x", &url, &why), -EACCES);
    char text[1000] = "clickhouse://";
    memset(text + strlen(text), 'a', 900);
    assert_int_equal(pp_push_url_read(text, &url, &why), -EINVAL);
}

static void
test_local_hosts(void **state)
{
    struct pp_push_url url;
    const char *why = NULL;
    (void)state;
    assert_int_equal(pp_push_url_read("clickhouse://localhost/x", &url, &why), 0);
    assert_true(pp_push_url_is_local(&url));
    assert_int_equal(pp_push_url_read("clickhouse://[::1]/x", &url, &why), 0);
    assert_true(pp_push_url_is_local(&url));
    assert_int_equal(pp_push_url_read("clickhouse://127.1.2.3/x", &url, &why), 0);
    assert_true(pp_push_url_is_local(&url));
    assert_int_equal(pp_push_url_read("clickhouse://localhost.example.org/x", &url, &why), 0);
    assert_false(pp_push_url_is_local(&url));
    assert_int_equal(pp_push_url_read("clickhouse://127.example.org/x", &url, &why), 0);
    assert_false(pp_push_url_is_local(&url));
    assert_int_equal(pp_push_url_read("clickhouse://128.0.0.1/x", &url, &why), 0);
    assert_false(pp_push_url_is_local(&url));
}

static void
test_since(void **state)
{
    const time_t now = 1700000000; /* 2023-11-14T22:13:20Z */
    static const struct {
        const char *text;
        long long s; /* -1: refused */
    } cases[] = {
        {"2023-11-14", 1699920000},
        {"2023-11-14T22:13", 1699999980},
        {"2023-11-14T22:13:20", 1700000000},
        {"2023-11-14T22:13:20Z", 1700000000},
        {"1970-01-01", 0},
        {"90s", 1699999910},
        {"5m", 1699999700},
        {"2h", 1699992800},
        {"7d", 1699395200},
        {"999999d", 0},
        {"", -1},
        {"7", -1},
        {"d", -1},
        {"-1d", -1},
        {"1w", -1},
        {"1dd", -1},
        {"1969-12-31", -1},
        {"9999-01-01", -1},
        {"2023-13-01", -1},
        {"2023-11-14 22:13", -1},
        {"99999999999999999999d", -1},
        {"tomorrow", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = -7;
        int rc = pp_since_read(cases[i].text, now, &ns);
        long long want = cases[i].s < 0 ? -7 : cases[i].s * 1000000000;
        if (rc != (cases[i].s < 0 ? -EINVAL : 0) || ns != want)
            fail_msg("%s: %d, %lld", cases[i].text, rc, (long long)ns);
    }
}

static int
facts_of(const char *text, struct pp_push_facts *ret)
{
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    int rc = pp_push_facts_read(json, 1700000000, ret);
    json_decref(json);
    return rc;
}

static void
test_facts(void **state)
{
    struct pp_push_facts facts;
    (void)state;
    assert_int_equal(
        facts_of("{\"session_id\":\"0123456789abcdef0123456789abcdef\",\"tags\":{\"build\":\"7\","
                 "\"scene\":\"town\"},\"program\":{\"executable\":\"/home/ann/game\","
                 "\"start_realtime_ns\":1699920000000000001}}",
                 &facts),
        0);
    assert_string_equal(facts.session_id, "0123456789abcdef0123456789abcdef");
    assert_string_equal(facts.day, "2023-11-14");
    assert_string_equal(facts.program, "game");
    assert_string_equal(facts.build, "7");
    assert_string_equal(facts.scene, "town");
    assert_true(facts.start_realtime_ns == 1699920000000000001);
    assert_int_equal(facts_of("{\"program\":{\"start\":\"2023-11-14T00:00:00.5Z\"}}", &facts), 0);
    assert_string_equal(facts.day, "2023-11-14");
}

static void
test_forged_facts(void **state)
{
    static const struct {
        const char *text;
        int rc;
    } cases[] = {
        {"{}", -ENODATA},
        {"[]", -ENODATA},
        {"{\"program\":{\"start_realtime_ns\":-1}}", -ENODATA},
        {"{\"program\":{\"start_realtime_ns\":1.5}}", -ENODATA},
        {"{\"program\":{\"start\":\"now\"}}", -ENODATA},
        {"{\"program\":{\"start_realtime_ns\":9223372036854775807}}", -ERANGE},
        {"{\"program\":{\"start_realtime_ns\":1700100000000000000}}", -ERANGE},
        {"{\"program\":{\"start_realtime_ns\":1},\"session_id\":7}", -EINVAL},
        {"{\"program\":{\"start_realtime_ns\":1},\"session_id\":\"\"}", -EINVAL},
        {"{\"program\":{\"start_realtime_ns\":1},\"session_id\":\"0123456789ABCDEF0123456789abcdef\"}",
         -EINVAL},
        {"{\"program\":{\"start_realtime_ns\":1},\"session_id\":\"' OR 1=1 --              0123456\"}",
         -EINVAL},
        {"{\"program\":{\"start_realtime_ns\":1},\"session_id\":\"0123456789abcdef0123456789abcdef0\"}",
         -EINVAL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pp_push_facts facts;
        int rc = facts_of(cases[i].text, &facts);
        if (rc != cases[i].rc)
            fail_msg("%s: %d", cases[i].text, rc);
    }
    struct pp_push_facts facts;
    char text[4000];
    char name[2000];
    memset(name, 'a', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    name[254] = '\xc3'; /* the cut must not divide a character */
    name[255] = '\xa4';
    snprintf(text, sizeof(text),
             "{\"program\":{\"start_realtime_ns\":1,\"executable\":\"%s\"},\"tags\":{\"build\":[]}}", name);
    assert_int_equal(facts_of(text, &facts), 0);
    assert_int_equal(strlen(facts.program), 254);
    assert_string_equal(facts.build, "");
}

/* A row of marks, with a text that holds all that the format gives a meaning. */
static void
test_row_as_text(void **state)
{
    static const char odd[] = "a\tb\nc\rd\\e'f\0g\bh\fi,\"=cmd|' /C";
    struct pp_push_text out = {.len = 0};
    struct pp_export_value value[PP_PUSH_COLUMNS_MAX] = {{.kind = PP_EXPORT_IS_NULL}};
    const struct pp_push_row row = {.value = value};
    (void)state;
    value[0] = (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = "id", .len = 2};
    value[1] = (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = "2023-11-14", .len = 10};
    value[2] = (struct pp_export_value){.kind = PP_EXPORT_IS_INTEGER, .integer = INT64_MAX};
    value[4] = (struct pp_export_value){.kind = PP_EXPORT_IS_TEXT, .text = odd, .len = sizeof(odd) - 1};
    assert_int_equal(pp_push_text_row(&out, PP_PUSH_MARKS, UINT64_MAX, &row), 0);
    static const char want[] = "18446744073709551615\tid\t2023-11-14\t9223372036854775807\t\\N\t"
                               "a\\tb\\nc\\rd\\\\e\\'f\\0g\\bh\\fi,\"=cmd|\\' /C\n";
    assert_int_equal(out.len, sizeof(want) - 1);
    assert_memory_equal(out.text, want, out.len);
    free(out.text);
}

/* Pairs become two arrays; a name may hold a quote. */
static void
test_pairs_as_text(void **state)
{
    struct pp_push_text out = {.len = 0};
    struct pp_export_value value[PP_PUSH_COLUMNS_MAX] = {{.kind = PP_EXPORT_IS_NULL}};
    const struct pp_push_pair pair[] = {
        {"app:it's\t1", {.kind = PP_EXPORT_IS_INTEGER, .integer = -3}},
        {"b", {.kind = PP_EXPORT_IS_REAL, .real = 0.1}},
    };
    struct pp_push_row row = {.value = value, .pair = pair, .pairs = 2};
    static const char want[] = "\t['app:it\\'s\\t1','b']\t[-3,0.10000000000000001]\n";
    (void)state;
    assert_int_equal(pp_push_text_row(&out, PP_PUSH_FRAMES, 1, &row), 0);
    assert_memory_equal(out.text + out.len - (sizeof(want) - 1), want, sizeof(want) - 1);
    row.pairs = 0;
    assert_int_equal(pp_push_text_row(&out, PP_PUSH_FRAMES, 1, &row), 0);
    assert_memory_equal(out.text + out.len - 7, "\t[]\t[]\n", 7);
    free(out.text);
    char *statement = pp_push_insert_statement(PP_PUSH_MARKS);
    assert_string_equal(
        statement,
        "INSERT INTO stored_marks (push, session_id, day, at_ns, frame, label) FORMAT TabSeparated");
    free(statement);
    statement = pp_push_insert_statement(PP_PUSH_SESSIONS);
    assert_non_null(strstr(statement, ", content, tags.name, tags.value) FORMAT TabSeparated"));
    free(statement);
}

/* What was compressed can be read, also in the second batch of a table. */
static void
test_batches(void **state)
{
    static char out[4000000];
    struct pp_push_batch batch = {.rows = 0};
    (void)state;
    for (unsigned number = 0; number < 2; number++) {
        char want[32] = "";
        size_t bytes = 0;
        for (unsigned i = 0; i < PP_PUSH_BATCH_ROWS; i++) {
            assert_false(pp_push_batch_is_full(&batch));
            int len = snprintf(want, sizeof(want), "%u\t%u\n", number, i * 2654435761U);
            assert_int_equal(pp_push_batch_add(&batch, want, (size_t)len), 0);
            bytes += (size_t)len;
        }
        assert_true(pp_push_batch_is_full(&batch));
        assert_int_equal(pp_push_batch_end(&batch), 0);
        assert_true(batch.bytes == bytes && batch.rows == PP_PUSH_BATCH_ROWS && batch.len < bytes);
        z_stream stream = {.next_in = batch.gzip, .avail_in = (uInt)batch.len};
        stream.next_out = (Bytef *)out;
        stream.avail_out = sizeof(out);
        assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
        assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
        assert_int_equal(stream.total_out, bytes);
        assert_memory_equal(out + bytes - strlen(want), want, strlen(want));
        inflateEnd(&stream);
        pp_push_batch_clear(&batch);
    }
    pp_push_batch_finish(&batch);
}

static void
test_seen(void **state)
{
    struct pp_push_seen seen = {.len = 0};
    bool is_new = false;
    (void)state;
    for (uint64_t i = 0; i < 2 * PP_PUSH_SEEN_MOST; i++) {
        assert_int_equal(pp_push_seen_add(&seen, i % PP_PUSH_SEEN_MOST, &is_new), 0);
        assert_int_equal(is_new, i < PP_PUSH_SEEN_MOST);
    }
    assert_int_equal(pp_push_seen_add(&seen, UINT64_MAX, &is_new), 0);
    assert_true(is_new); /* 0 needs no place */
    assert_int_equal(pp_push_seen_add(&seen, UINT64_MAX - 1, &is_new), 0);
    assert_false(is_new);
    pp_push_seen_finish(&seen);
}

/* Waits double, are bounded, and differ between machines. */
static void
test_waits(void **state)
{
    uint64_t random = 1, other = 2;
    bool differ = false;
    (void)state;
    for (unsigned number = 1; number < 40; number++) {
        uint64_t most = number > 7 ? 60000 : UINT64_C(500) << (number - 1);
        uint64_t ms = pp_push_wait_ms(number, &random);
        most = most < 60000 ? most : 60000;
        assert_in_range(ms, most / 2 - 1, most);
        differ = differ || ms != pp_push_wait_ms(number, &other);
    }
    assert_true(differ);
    const volatile sig_atomic_t stop = 1;
    assert_false(pp_push_sleep(3600000, &stop));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_urls),        cmocka_unit_test(test_bad_urls),
        cmocka_unit_test(test_local_hosts), cmocka_unit_test(test_since),
        cmocka_unit_test(test_facts),       cmocka_unit_test(test_forged_facts),
        cmocka_unit_test(test_row_as_text), cmocka_unit_test(test_pairs_as_text),
        cmocka_unit_test(test_batches),     cmocka_unit_test(test_seen),
        cmocka_unit_test(test_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
