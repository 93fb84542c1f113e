/** @file
 * See html_out.h. */
#include "cli/html/html_out.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/printable.h"

void
pp_html_raw_part(FILE *out, const char *markup, size_t length)
{
    fwrite(markup, 1, length, out);
}

void
pp_html_raw(FILE *out, const char *markup)
{
    pp_html_raw_part(out, markup, strlen(markup));
}

void
pp_html_text(FILE *out, const char *text)
{
    while (text && *text) {
        bool printable = false;
        size_t length = pp_printable_next(text, &printable);
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&#39;"
                                             : NULL;
        if (entity)
            pp_html_raw(out, entity);
        else
            pp_html_raw_part(out, printable ? text : "?", printable ? length : 1);
        text += length;
    }
}

__attribute__((format(printf, 2, 0))) static void
text_list(FILE *out, const char *format, va_list args)
{
    char *text = NULL;
    if (vasprintf(&text, format, args) < 0)
        return;
    pp_html_text(out, text);
    free(text);
}

void
pp_html_textf(FILE *out, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_list(out, format, args);
    va_end(args);
}

static void
begin_tag(FILE *out, const char *tag)
{
    pp_html_raw(out, "<");
    pp_html_raw(out, tag);
    pp_html_raw(out, ">");
}

static void
end_tag(FILE *out, const char *tag)
{
    pp_html_raw(out, "</");
    pp_html_raw_part(out, tag, strcspn(tag, " "));
    pp_html_raw(out, ">");
}

void
pp_html_element(FILE *out, const char *tag, const char *text)
{
    begin_tag(out, tag);
    pp_html_text(out, text);
    end_tag(out, tag);
}

void
pp_html_elementf(FILE *out, const char *tag, const char *format, ...)
{
    va_list args;
    begin_tag(out, tag);
    va_start(args, format);
    text_list(out, format, args);
    va_end(args);
    end_tag(out, tag);
}

/* Bytes at the begin of a part of the JSON that are written as they are: printable ones other than '<'. */
static size_t
plain_length(const char *part, size_t size)
{
    size_t plain = 0;
    while (plain < size && part[plain] != '<') {
        bool printable = part[plain] >= ' ' && part[plain] <= '~';
        size_t length = printable ? 1 : pp_printable_next(part + plain, &printable);
        if (!printable)
            break;
        plain += length;
    }
    return plain;
}

/* Write a part of the JSON. Parts end between characters; an escape is a part by itself. '<' occurs in
 * strings only: its escape keeps "</script>" and "<!--" out of the page. */
static int
write_json(const char *part, size_t size, void *out)
{
    if (size > 1 && *part == '\\' && (part[1] == 'u' || strchr("bf", part[1]))) {
        pp_html_raw(out, "?");
        return 0;
    }
    while (size) {
        size_t plain = plain_length(part, size), other = 0;
        bool printable = false;
        pp_html_raw_part(out, part, plain);
        part += plain;
        size -= plain;
        if (size) {
            other = *part == '<' ? 1 : pp_printable_next(part, &printable);
            pp_html_raw(out, *part == '<' ? "\\u003c" : "?");
        }
        part += other;
        size -= other;
    }
    return 0;
}

int
pp_html_json(FILE *out, const json_t *value)
{
    errno = EIO; /* if the system says nothing */
    int rc = json_dump_callback(value, write_json, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
    return rc || ferror(out) ? -errno : 0;
}
