/** @file
 * See json_text.h. Source of the escapes: RFC 8259, section 7. */
#include "cli/trace/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/number_text.h"
#include "counters/util/printable.h"

/* From this many bytes on, they are written to the stream. */
#define MUCH ((size_t)256 << 10)

/* Make place for more bytes. @return NULL: no memory. */
static char *
reserve(struct pp_json_text *text, size_t more)
{
    if (text->failed)
        return NULL;
    if (text->cap - text->len < more) {
        size_t cap = 2 * (text->len + more) + 4096;
        char *byte = realloc(text->byte, cap);
        if (!byte) {
            text->failed = true;
            return NULL;
        }
        text->byte = byte;
        text->cap = cap;
    }
    return text->byte + text->len;
}

void
pp_json_text_put(struct pp_json_text *text, const char *bytes, size_t len)
{
    char *to = reserve(text, len);
    if (!to)
        return;
    memcpy(to, bytes, len);
    text->len += len;
}

/* Bytes at the begin of a text that a JSON string has as they are, and that are one character each. */
static size_t
plain_length(const char *string)
{
    size_t len = 0;
    while ((unsigned char)string[len] >= 0x20 && (unsigned char)string[len] < 0x80 && string[len] != '"' &&
           string[len] != '\\')
        len++;
    return len;
}

/* Append a character that a JSON string has as an escape. */
static void
put_escape(struct pp_json_text *text, char character)
{
    static const char digit[] = "0123456789ABCDEF", letter[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof(letter); i += 2)
        if (letter[i] == character) {
            pp_json_text_put(text, (const char[]){'\\', letter[i + 1]}, 2);
            return;
        }
    unsigned char code = (unsigned char)character;
    pp_json_text_put(text, (const char[]){'\\', 'u', '0', '0', digit[code >> 4], digit[code & 0xf]}, 6);
}

void
pp_json_text_string(struct pp_json_text *text, const char *string)
{
    pp_json_text_put(text, "\"", 1);
    for (;;) {
        size_t len = plain_length(string);
        pp_json_text_put(text, string, len);
        string += len;
        if (!*string)
            break;
        size_t many = (unsigned char)*string < 0x80 ? 1 : pp_utf8_length((const unsigned char *)string);
        if ((unsigned char)*string < 0x80)
            put_escape(text, *string);
        else
            pp_json_text_put(text, many ? string : "?", many ? many : 1);
        string += many ? many : 1;
    }
    pp_json_text_put(text, "\"", 1);
}

void
pp_json_text_i64(struct pp_json_text *text, int64_t number)
{
    char *to = reserve(text, PP_NUMBER_TEXT_MAX);
    if (to)
        text->len += pp_number_text_i64(number, to);
}

void
pp_json_text_u64(struct pp_json_text *text, uint64_t number)
{
    char *to = reserve(text, PP_NUMBER_TEXT_MAX);
    if (to)
        text->len += pp_number_text_u64(number, to);
}

void
pp_json_text_double(struct pp_json_text *text, double number)
{
    char *to = reserve(text, PP_NUMBER_TEXT_MAX);
    if (to)
        text->len += pp_number_text_double(number, to);
}

int
pp_json_text_flush(struct pp_json_text *text)
{
    if (text->failed)
        return -ENOMEM;
    size_t len = text->len;
    text->len = 0;
    errno = EIO; /* if the system says nothing */
    return !len || fwrite(text->byte, 1, len, text->out) == len ? 0 : -errno;
}

int
pp_json_text_drain(struct pp_json_text *text)
{
    return text->len < MUCH && !text->failed ? 0 : pp_json_text_flush(text);
}

void
pp_json_text_finish(struct pp_json_text *text)
{
    free(text->byte);
    *text = (struct pp_json_text){.out = NULL};
}
