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

/* Write a part of the JSON. '<' is a part of strings only: its escape keeps "</script>" and "<!--" out of the
 * page. */
static int
write_json(const char *part, size_t size, void *out)
{
    while (size) {
        const char *bracket = memchr(part, '<', size);
        size_t plain = bracket ? (size_t)(bracket - part) : size;
        pp_html_raw_part(out, part, plain);
        if (bracket)
            pp_html_raw(out, "\\u003c");
        part += plain + (bracket ? 1 : 0);
        size -= plain + (bracket ? 1 : 0);
    }
    return 0;
}

int
pp_html_json(FILE *out, const json_t *value)
{
    int rc = json_dump_callback(value, write_json, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
    return rc || ferror(out) ? -EIO : 0;
}
