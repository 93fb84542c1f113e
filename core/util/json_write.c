/** @file
 * JSON writer; see json_write.h. */
#include "core/util/json_write.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/printable.h"

static void
put(struct pp_json *json, const char *bytes, size_t len)
{
    if (json->error)
        return;
    if (json->len + len + 1 > json->cap) {
        size_t cap = json->cap ? json->cap * 2 : 16384;
        while (cap < json->len + len + 1)
            cap *= 2;
        char *bigger = realloc(json->text, cap);
        if (!bigger) {
            json->error = -ENOMEM;
            return;
        }
        json->text = bigger;
        json->cap = cap;
    }
    memcpy(json->text + json->len, bytes, len);
    json->len += len;
    json->text[json->len] = '\0';
}

static void
put_text(struct pp_json *json, const char *text)
{
    put(json, text, strlen(text));
}

static void
put_string(struct pp_json *json, const char *text)
{
    put(json, "\"", 1);
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        char escape[8];
        size_t len = pp_utf8_length(p);
        if (*p == '"' || *p == '\\') {
            snprintf(escape, sizeof(escape), "\\%c", *p);
            put_text(json, escape);
        } else if (*p < ' ' || *p == 0x7F) {
            snprintf(escape, sizeof(escape), "\\u%04x", *p);
            put_text(json, escape);
        } else if (len == 0) {
            put_text(json, "\xEF\xBF\xBD");
        } else {
            put(json, (const char *)p, len);
        }
        p += len ? len : 1;
    }
    put(json, "\"", 1);
}

/* Begin a line. */
static void
put_line(struct pp_json *json)
{
    if (json->one_line)
        return;
    put_text(json, "\n");
    for (unsigned i = 0; i < json->depth; i++)
        put_text(json, "  ");
}

static void
member(struct pp_json *json, const char *key)
{
    if (json->depth && !json->first)
        put_text(json, json->one_line ? ", " : ",");
    if (json->depth)
        put_line(json);
    json->first = 0;
    if (key) {
        put_string(json, key);
        put_text(json, ": ");
    }
}

void
pp_json_open(struct pp_json *json, const char *key, char bracket)
{
    member(json, key);
    put(json, &bracket, 1);
    json->depth++;
    json->first = 1;
}

void
pp_json_close(struct pp_json *json, char bracket)
{
    assert(json->depth > 0);
    json->depth--;
    if (!json->first)
        put_line(json);
    put(json, &bracket, 1);
    json->first = 0;
    if (json->depth == 0)
        put_text(json, "\n");
}

void
pp_json_text(struct pp_json *json, const char *key, const char *text)
{
    member(json, key);
    if (text)
        put_string(json, text);
    else
        put_text(json, "null");
}

void
pp_json_u64(struct pp_json *json, const char *key, uint64_t value)
{
    char text[24];
    member(json, key);
    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    put_text(json, text);
}

void
pp_json_bool(struct pp_json *json, const char *key, int value)
{
    member(json, key);
    put_text(json, value ? "true" : "false");
}

void
pp_json_double(struct pp_json *json, const char *key, double value)
{
    char text[64];
    double magnitude = fabs(value);
    member(json, key);
    if (!(magnitude < 1e15)) {
        put_text(json, "null");
        return;
    }
    /* printf("%f") would write the locale's decimal point. */
    uint64_t whole = (uint64_t)magnitude;
    uint64_t part = (uint64_t)((magnitude - (double)whole) * 1e9 + 0.5);
    if (part >= 1000000000U) {
        whole++;
        part -= 1000000000U;
    }
    snprintf(text, sizeof(text), "%s%llu.%09llu", value < 0 ? "-" : "", (unsigned long long)whole,
             (unsigned long long)part);
    put_text(json, text);
}
