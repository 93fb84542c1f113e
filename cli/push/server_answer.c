/** @file
 * See server_answer.h. */
#include "cli/push/server_answer.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_columns.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Bytes of the server's own words that are repeated. */
#define LINE_MAX_BYTES 400U

#define BASE64         "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="

/* What a code of ClickHouse means. Source: dbms/src/Common/ErrorCodes.cpp of ClickHouse 18.16, and newer
 * codes in src/Common/ErrorCodes.cpp of 23.8. */
static const struct {
    int code;
    enum pp_push_failure failure;
    const char *advice; /* NULL: the server's words are enough */
} known[] = {
    {47, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_TABLE},    /* UNKNOWN_IDENTIFIER */
    {16, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_TABLE},    /* NO_SUCH_COLUMN_IN_TABLE */
    {60, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_TABLE},    /* UNKNOWN_TABLE */
    {81, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_DATABASE}, /* UNKNOWN_DATABASE */
    {164, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_RIGHTS},  /* READONLY */
    {192, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_USER},    /* UNKNOWN_USER */
    {193, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_USER},    /* WRONG_PASSWORD */
    {194, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_USER},    /* REQUIRED_PASSWORD */
    {195, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_RIGHTS},  /* IP_ADDRESS_NOT_ALLOWED */
    {291, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_RIGHTS},  /* DATABASE_ACCESS_DENIED */
    {392, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_RIGHTS},  /* QUERY_IS_PROHIBITED */
    {497, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_RIGHTS},  /* ACCESS_DENIED */
    {516, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_USER},    /* AUTHENTICATION_FAILED */
    {115, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_VERSION}, /* UNKNOWN_SETTING */
    {62, PP_PUSH_GIVE_UP, PP_TEXT_PUSH_ADVICE_VERSION},  /* SYNTAX_ERROR */
    {32, PP_PUSH_AGAIN, NULL},  /* ATTEMPT_TO_READ_AFTER_EOF: another server of it ended */
    {159, PP_PUSH_AGAIN, NULL}, /* TIMEOUT_EXCEEDED */
    {198, PP_PUSH_AGAIN, NULL}, /* DNS_ERROR */
    {201, PP_PUSH_AGAIN, NULL}, /* QUOTA_EXPIRED */
    {202, PP_PUSH_AGAIN, NULL}, /* TOO_MANY_SIMULTANEOUS_QUERIES */
    {203, PP_PUSH_AGAIN, NULL}, /* NO_FREE_CONNECTION */
    {209, PP_PUSH_AGAIN, NULL}, /* SOCKET_TIMEOUT */
    {210, PP_PUSH_AGAIN, NULL}, /* NETWORK_ERROR */
    {225, PP_PUSH_AGAIN, NULL}, /* NO_ZOOKEEPER */
    {236, PP_PUSH_AGAIN, NULL}, /* ABORTED: the server shuts down */
    {241, PP_PUSH_AGAIN, NULL}, /* MEMORY_LIMIT_EXCEEDED */
    {242, PP_PUSH_AGAIN, NULL}, /* TABLE_IS_READ_ONLY */
    {243, PP_PUSH_AGAIN, PP_TEXT_PUSH_ADVICE_DISK},  /* NOT_ENOUGH_SPACE */
    {252, PP_PUSH_AGAIN, PP_TEXT_PUSH_ADVICE_PARTS}, /* TOO_MANY_PARTS */
    {279, PP_PUSH_AGAIN, NULL},                      /* ALL_CONNECTION_TRIES_FAILED */
    {319, PP_PUSH_AGAIN, NULL},                      /* UNKNOWN_STATUS_OF_INSERT */
    {999, PP_PUSH_AGAIN, NULL},                      /* KEEPER_EXCEPTION */
};

void
pp_push_error_set(struct pp_push_error *error, enum pp_push_failure failure, const char *format, ...)
{
    va_list args;
    error->failure = failure;
    error->code = 0;
    va_start(args, format);
    vsnprintf(error->text, sizeof(error->text), format, args);
    va_end(args);
}

/* Replace a word by stars, wherever it is. */
static void
hide(char *text, const char *word)
{
    size_t len = strlen(word);
    for (char *at = text; len && (at = strstr(at, word)); at += len)
        memset(at, '*', len);
}

/* Replace what is after "Basic ": user and password, as a server that repeats the request has them. */
static void
hide_header(char *text)
{
    static const char basic[] = "Basic ";
    for (char *at = text; (at = strcasestr(at, basic));) {
        at += strlen(basic);
        size_t len = strspn(at, BASE64);
        if (len % 4 == 0) /* else it is a word */
            memset(at, '*', len);
    }
}

/* Copy the first line of an answer, without what a browser would need. */
static void
first_line(const char *text, size_t len, const char *password, char *ret, size_t size)
{
    size_t from = 0, to = 0;
    while (from < len && strchr(" \t\r\n", text[from]))
        from++;
    to = from;
    while (to < len && text[to] && !strchr("\r\n", text[to]))
        to++;
    /* a word that is hidden may cross the end of what is kept */
    char *line = strndup(text + from, to - from);
    if (!line) {
        *ret = '\0';
        return;
    }
    hide(line, password);
    hide_header(line);
    pp_export_utf8(line);
    char *tail = strstr(line, ", e.what() = ");
    if (tail)
        *tail = '\0';
    snprintf(ret, size, "%s", line);
    free(line);
    pp_export_utf8(ret);
}

/* The code in "Code: 60, e.displayText() = ..." or "Code: 60. DB::Exception: ..."; 0: there is none. */
static int
code_of(const char *line)
{
    const char *at = strstr(line, "Code: ");
    if (!at)
        return 0;
    long code = strtol(at + strlen("Code: "), NULL, 10);
    return code > 0 && code < 100000 ? (int)code : 0;
}

void
pp_push_error_of_answer(struct pp_push_error *ret, long status, const char *text, size_t len,
                        const char *password)
{
    char line[LINE_MAX_BYTES];
    const char *advice = NULL;
    first_line(text, len, password, line, sizeof(line));
    struct pp_push_error error = {.code = code_of(line)};
    /* without a code of ClickHouse it is a proxy, or another server */
    error.failure = !error.code && status < 500 ? PP_PUSH_GIVE_UP : PP_PUSH_AGAIN;
    if (error.code)
        error.failure = PP_PUSH_GIVE_UP;
    for (size_t i = 0; error.code && i < PP_ARRAY_SIZE(known); i++) {
        if (known[i].code != error.code)
            continue;
        error.failure = known[i].failure;
        advice = known[i].advice;
    }
    if (status == 401 || (status == 403 && !advice))
        advice = PP_TEXT_PUSH_ADVICE_USER;
    if (status == 408 || status == 429)
        error.failure = PP_PUSH_AGAIN;
    snprintf(error.text, sizeof(error.text), "%s%s%s", *line ? line : PP_TEXT_PUSH_ANSWER_EMPTY,
             advice ? ": " : "", advice ? advice : "");
    if (!error.code)
        snprintf(error.text, sizeof(error.text), PP_FORMAT_PUSH_STATUS, status,
                 *line ? line : PP_TEXT_PUSH_ANSWER_EMPTY, advice ? ": " : "", advice ? advice : "");
    *ret = error;
}

/* Read a number that ends with @p end. @return After it; NULL: there is none. */
static const char *
number(const char *text, char end, uint64_t *ret)
{
    char *behind = NULL;
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    *ret = strtoull(text, &behind, 10);
    return errno || *behind != end ? NULL : behind + 1;
}

size_t
pp_answer_numbers(const char *text, uint64_t *ret, size_t most)
{
    size_t len = 0;
    while (*text && len < most) {
        text = number(text, '\n', &ret[len]);
        if (!text)
            return SIZE_MAX;
        len++;
    }
    return len;
}

int
pp_answer_number_and_hex(const char **io_text, uint64_t *ret_number, char *ret_hex, size_t digits)
{
    uint64_t value = 0;
    if (!**io_text)
        return 0;
    const char *hex = number(*io_text, '\t', &value);
    if (!hex || strspn(hex, "0123456789abcdef") != digits || hex[digits] != '\n')
        return -1;
    memcpy(ret_hex, hex, digits);
    ret_hex[digits] = '\0';
    *ret_number = value;
    *io_text = hex + digits + 1;
    return 1;
}
