/** @file
 * What `passprobe push` reads that others wrote: addresses, what a server answers, facts of session.json,
 * times. The first byte chooses the reader. */
#include <assert.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/push/push_facts.h"
#include "cli/push/push_url.h"
#include "cli/push/server_answer.h"

static void
read_url(const char *text)
{
    static const char quotes[] = "'\"`;\\/? \n@";
    struct pp_push_url url;
    const char *why = NULL;
    if (pp_push_url_read(text, &url, &why)) {
        assert(why);
        return;
    }
    assert(url.port && !strpbrk(url.user, quotes) && !strpbrk(url.host, quotes) &&
           !strpbrk(url.database, quotes));
    (void)pp_push_url_is_local(&url);
}

static void
read_error(const char *text, size_t len)
{
    static const char password[] = "pass";
    struct pp_push_error error;
    pp_push_error_of_answer(&error, len % 2 ? 500 : 404, text, len, password);
    assert(error.code >= 0 && strlen(error.text) < sizeof(error.text) && !strpbrk(error.text, "\r\n"));
}

static void
read_rows(const char *text)
{
    char hex[65];
    uint64_t number = 0;
    while (pp_answer_number_and_hex(&text, &number, hex, 64) == 1)
        assert(strspn(hex, "0123456789abcdef") == 64);
}

static void
read_facts(const char *text, size_t len)
{
    struct pp_push_facts facts;
    json_t *json = json_loadb(text, len, 0, NULL);
    if (json && pp_push_facts_read(json, 2000000000, &facts) == 0)
        assert(strlen(facts.day) == 10 && pp_push_is_id(facts.session_id) && facts.start_realtime_ns >= 0);
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t numbers[4];
    int64_t ns = 0;
    if (!size)
        return 0;
    char *text = strndup((const char *)data + 1, size - 1);
    size_t len = strlen(text);
    switch (data[0]) {
    case 'u':
        read_url(text);
        break;
    case 'e':
        read_error(text, len);
        break;
    case 'n':
        (void)pp_answer_numbers(text, numbers, 4);
        break;
    case 'h':
        read_rows(text);
        break;
    case 's':
        if (pp_since_read(text, 2000000000, &ns) == 0)
            assert(ns >= 0);
        break;
    default:
        read_facts(text, len);
    }
    free(text);
    return 0;
}
