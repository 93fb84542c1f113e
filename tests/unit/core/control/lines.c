/** @file
 * What comes over a connection: lines, commands, requests of HTTP. */
#include "tests/lib/cmocka_test.h"

#include <string.h>

#include "core/control/request.h"

static struct pp_line_reader reader;
static char line[PP_LINE_BYTES];

/* Let bytes come, as many as have space. @return How many. */
static size_t
come(const char *bytes, size_t len)
{
    size_t space = 0;
    char *to = pp_line_reader_space(&reader, &space);
    len = len < space ? len : space;
    memcpy(to, bytes, len);
    pp_line_reader_add(&reader, len);
    return len;
}

static void
expect_line(const char *text)
{
    assert_int_equal(pp_line_reader_take(&reader, line), PP_LINE_TEXT);
    assert_string_equal(line, text);
}

static void
lines_are_split(void **state)
{
    (void)state;
    memset(&reader, 0, sizeof(reader));
    come("status\r\nst", 10);
    expect_line("status");
    assert_int_equal(pp_line_reader_take(&reader, line), PP_LINE_NONE);
    come("op\n\n\r\nx\ry\n", 10);
    expect_line("stop");
    expect_line("");
    expect_line("");
    expect_line("x\ry");
    come("a\0b\n", 4);
    expect_line("a\1b"); /* a NUL byte does not cut a line */
    assert_int_equal(pp_line_reader_take(&reader, line), PP_LINE_NONE);
    assert_int_equal(reader.len, 0);
}

/* A line of 1,024 bytes with its end is whole; a longer one is skipped, and the next line counts again. */
static void
long_lines_are_skipped(void **state)
{
    char text[PP_LINE_BYTES];
    (void)state;
    memset(&reader, 0, sizeof(reader));
    memset(text, 'm', sizeof(text));
    text[sizeof(text) - 1] = '\n';
    assert_int_equal(come(text, sizeof(text)), sizeof(text));
    assert_int_equal(pp_line_reader_take(&reader, line), PP_LINE_TEXT);
    assert_int_equal(strlen(line), PP_LINE_BYTES - 1);
    text[sizeof(text) - 1] = 'm';
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(come(text, sizeof(text)), sizeof(text));
        assert_int_equal(pp_line_reader_take(&reader, line), PP_LINE_NONE);
    }
    come("m\nstatus\n", 9);
    assert_int_equal(pp_line_reader_take(&reader, line), PP_LINE_TOO_LONG);
    assert_string_equal(line, "");
    expect_line("status");
}

static struct pp_order
good(const char *text)
{
    struct pp_order order = {.kind = PP_ORDER_NONE};
    assert_int_equal(pp_order_parse(text, &order), PP_ORDER_OK);
    return order;
}

static void
bad(const char *text, enum pp_order_error error)
{
    struct pp_order order = {.kind = PP_ORDER_QUIT, .interval_ms = 7};
    assert_int_equal(pp_order_parse(text, &order), error);
    assert_int_equal(order.kind, PP_ORDER_QUIT); /* unchanged */
    assert_int_equal(order.interval_ms, 7);
}

static void
commands_are_read(void **state)
{
    (void)state;
    assert_int_equal(good("").kind, PP_ORDER_NONE);
    assert_int_equal(good("status").kind, PP_ORDER_STATUS);
    assert_int_equal(good("status ").kind, PP_ORDER_STATUS);
    assert_int_equal(good("start").kind, PP_ORDER_START);
    assert_int_equal(good("stop").kind, PP_ORDER_STOP);
    assert_int_equal(good("toggle").kind, PP_ORDER_TOGGLE);
    assert_int_equal(good("quit").kind, PP_ORDER_QUIT);
    assert_int_equal(good("level frame").level, PP_LEVEL_FRAME);
    assert_int_equal(good("level   draw").level, PP_LEVEL_DRAW);
    assert_string_equal(good("mark level 2, loaded ").text, "level 2, loaded ");
    assert_string_equal(good("mark \xc3\xa4").text, "\xc3\xa4");
    assert_int_equal(good("watch").interval_ms, 1000);
    assert_int_equal(good("watch 100").interval_ms, 100);
    assert_int_equal(good("watch 60000").interval_ms, 60000);
}

static void
wrong_commands_are_refused(void **state)
{
    (void)state;
    bad(" status", PP_ORDER_UNKNOWN);
    bad("statu", PP_ORDER_UNKNOWN);
    bad("statuss", PP_ORDER_UNKNOWN);
    bad("STATUS", PP_ORDER_UNKNOWN);
    bad("status\1", PP_ORDER_UNKNOWN);
    bad("mark \xc3\x28", PP_ORDER_UNKNOWN);
    bad("status now", PP_ORDER_ARGUMENT);
    bad("level", PP_ORDER_ARGUMENT);
    bad("level pas", PP_ORDER_ARGUMENT);
    bad("level pass draw", PP_ORDER_ARGUMENT);
    bad("mark", PP_ORDER_ARGUMENT);
    bad("mark  ", PP_ORDER_ARGUMENT);
    bad("watch 99", PP_ORDER_ARGUMENT);
    bad("watch 60001", PP_ORDER_ARGUMENT);
    bad("watch 4294967396", PP_ORDER_ARGUMENT); /* 100 modulo 2^32 */
    bad("watch -1", PP_ORDER_ARGUMENT);
    bad("watch 1e3", PP_ORDER_ARGUMENT);
    assert_string_equal(pp_order_error_name(PP_ORDER_ARGUMENT), "argument");
    assert_string_equal(pp_order_error_name(PP_ORDER_FAILED), "failed");
}

/* The status of the answer to these lines. */
static unsigned
request(const char *const *text)
{
    struct pp_http_request http = {.lines = 0};
    for (; *text; text++)
        if (pp_http_request_take(&http, PP_LINE_TEXT, *text))
            return http.status;
    return 0;
}

#define REQUEST(...) request((const char *const[]){__VA_ARGS__, NULL})

static void
requests_are_answered_at_their_end(void **state)
{
    struct pp_http_request http = {.lines = 0};
    (void)state;
    assert_int_equal(REQUEST("GET /metrics HTTP/1.1", "Host: a"), 0);
    assert_int_equal(REQUEST("GET /metrics HTTP/1.1", "Host: a", ""), 200);
    assert_int_equal(REQUEST("GET / HTTP/1.0", ""), 200);
    assert_int_equal(REQUEST("GET /metrics?x=1 HTTP/1.0", ""), 200);
    assert_int_equal(REQUEST("HEAD /metrics HTTP/1.1", ""), 200);
    assert_int_equal(REQUEST("GET /metricsx HTTP/1.1", ""), 404);
    assert_int_equal(REQUEST("GET /../../etc/passwd HTTP/1.1", ""), 404);
    assert_int_equal(REQUEST("POST /metrics HTTP/1.1", ""), 405);
    assert_int_equal(REQUEST("GETX /metrics HTTP/1.1", ""), 405);
    assert_int_equal(REQUEST("status"), 400);
    assert_int_equal(REQUEST(""), 400);
    assert_int_equal(REQUEST("GET  HTTP/1.1"), 400);
    assert_int_equal(REQUEST("GET /metrics HTTP/2"), 400);
    assert_true(pp_http_request_take(&http, PP_LINE_TOO_LONG, ""));
    assert_int_equal(http.status, 414);
}

static void
endless_requests_end(void **state)
{
    struct pp_http_request http = {.lines = 0};
    unsigned lines = 0;
    (void)state;
    (void)pp_http_request_take(&http, PP_LINE_TEXT, "GET / HTTP/1.1");
    while (!pp_http_request_take(&http, lines % 2 ? PP_LINE_TEXT : PP_LINE_TOO_LONG, "a: b"))
        assert_true(++lines < 1000);
    assert_int_equal(http.status, 431);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_split),
        cmocka_unit_test(long_lines_are_skipped),
        cmocka_unit_test(commands_are_read),
        cmocka_unit_test(wrong_commands_are_refused),
        cmocka_unit_test(requests_are_answered_at_their_end),
        cmocka_unit_test(endless_requests_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
