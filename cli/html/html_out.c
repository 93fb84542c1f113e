/** @file
 * See html_out.h. */
#include "cli/html/html_out.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/json_values.h"
#include "counters/util/printable.h"

/* Write the first @p length bytes of markup. */
static void
raw_part(FILE *out, const char *markup, size_t length)
{
    fwrite(markup, 1, length, out);
}

void
pp_html_raw(FILE *out, const char *markup)
{
    raw_part(out, markup, strlen(markup));
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
            raw_part(out, printable ? text : "?", printable ? length : 1);
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
    raw_part(out, tag, strcspn(tag, " "));
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
        raw_part(out, part, plain);
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

static int
put_json(FILE *out, const json_t *value)
{
    errno = EIO; /* if the system says nothing */
    int rc = json_dump_callback(value, write_json, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
    return rc || ferror(out) ? -errno : 0;
}

/* Is this the name that is at a place? */
static int
is_name(const char *name, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(wanted, name, length) == 0;
}

int
pp_html_template_write(FILE *out, const char *page, const struct pp_html_place *place, size_t places,
                       const json_t *data)
{
    static const char begin[] = "<!--", end[] = "-->";
    int rc = 0;
    errno = EIO; /* if the system says nothing */
    for (const char *at = NULL; rc == 0 && (at = strstr(page, begin));) {
        const char *name = at + strlen(begin), *name_end = strstr(name, end);
        if (!name_end)
            break;
        size_t length = (size_t)(name_end - name);
        raw_part(out, page, (size_t)(at - page));
        if (is_name(name, length, "data"))
            rc = put_json(out, data);
        for (size_t i = 0; i < places; i++)
            if (is_name(name, length, place[i].name))
                place[i].put(out, data);
        page = name_end + strlen(end);
    }
    pp_html_raw(out, page);
    return rc || fflush(out) || ferror(out) ? -errno : 0;
}

json_t *
pp_html_value(const json_t *object, const char *path)
{
    json_t *at = NULL;
    char name[64];
    for (const char *from = path; object && *from;) {
        size_t length = strcspn(from, ".");
        snprintf(name, sizeof(name), "%.*s", (int)length, from);
        at = json_object_get(object, name);
        object = at;
        from += length + (from[length] == '.');
    }
    return object ? at : NULL;
}

double
pp_html_number(const json_t *object, const char *path)
{
    return pp_json_value(pp_html_value(object, path));
}

const char *
pp_html_string(const json_t *object, const char *path)
{
    const char *text = json_string_value(pp_html_value(object, path));
    return text ? text : "";
}

void
pp_html_put_time(FILE *out, double ns, const struct pp_time_unit *unit)
{
    char text[PP_FORMATTED_MAX];
    pp_html_element(out, "td class=\"n\"", pp_format_time(text, ns, unit));
}

void
pp_html_put_fixed(FILE *out, double value, int decimals)
{
    char text[PP_FORMATTED_MAX];
    pp_html_element(out, "td class=\"n\"", pp_format_fixed(text, value, decimals));
}

void
pp_html_begin_table(FILE *out, const char *caption, const char *const *heads, const char *unit)
{
    pp_html_raw(out, "<div class=\"scroll\" tabindex=\"0\"><table>");
    pp_html_element(out, "caption", caption);
    pp_html_raw(out, "<thead><tr>");
    for (; *heads; heads++) {
        bool words = **heads == '<',
             has_unit = strlen(*heads) > 2 && strcmp(*heads + strlen(*heads) - 2, ", ") == 0;
        bool per_frame = strcmp(*heads, "/frame") == 0;
        pp_html_elementf(out, words ? "th scope=\"col\"" : "th scope=\"col\" class=\"n\"", "%s%s%s",
                         per_frame && unit ? unit : "", *heads + words, has_unit && unit ? unit : "");
    }
    pp_html_raw(out, "</tr></thead><tbody>\n");
}

/* Is a column in the page? One of texts is left out if all rows lack it. */
static bool
is_in_page(const struct pp_table_column *column, const json_t *rows)
{
    if (!(column->in & PP_IN_PAGE))
        return false;
    if (column->type != PP_TYPE_TEXT || !rows)
        return true;
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (*pp_html_string(json_array_get(rows, i), column->id))
            return true;
    return false;
}

void
pp_html_begin_columns(FILE *out, const char *caption, const char *first, const struct pp_columns *columns,
                      const json_t *rows, const struct pp_time_unit *unit)
{
    pp_html_raw(out, "<div class=\"scroll\" tabindex=\"0\"><table>");
    pp_html_element(out, "caption", caption);
    pp_html_raw(out, "<thead><tr>");
    if (first)
        pp_html_elementf(out, "th scope=\"col\"", "%s%s", first, unit->name);
    for (size_t i = 0; i < columns->len; i++) {
        const struct pp_table_column *column = &columns->column[i];
        bool words = column->type == PP_TYPE_TEXT;
        if (is_in_page(column, rows))
            pp_html_elementf(out, words ? "th scope=\"col\"" : "th scope=\"col\" class=\"n\"", "%s%s",
                             *column->heading == '/' ? unit->name : "", column->heading);
    }
    pp_html_raw(out, "</tr></thead><tbody>\n");
}

void
pp_html_put_columns(FILE *out, const struct pp_columns *columns, const json_t *rows, const json_t *row,
                    const struct pp_time_unit *unit)
{
    for (size_t i = 0; i < columns->len; i++) {
        const struct pp_table_column *column = &columns->column[i];
        char text[PP_FORMATTED_MAX];
        double value = pp_html_number(row, column->id);
        if (!is_in_page(column, rows))
            continue;
        if (column->type == PP_TYPE_TEXT)
            pp_html_element(out, column->form == PP_FORM_TITLE ? "td class=\"name\"" : "td",
                            pp_html_string(row, column->id));
        else if (column->form == PP_FORM_TIME)
            pp_html_put_time(out, value, unit);
        else if (column->form == PP_FORM_FIGURE)
            pp_html_element(out, "td class=\"n\"", pp_format_figure(text, value));
        else
            pp_html_put_fixed(out, value, column->form == PP_FORM_COUNT ? 0 : 1);
    }
}

json_t *
pp_html_columns_json(const struct pp_columns *columns)
{
    static const char *const form[] = {
        [PP_FORM_PLAIN] = "words", [PP_FORM_TITLE] = "title", [PP_FORM_PERCENT] = "percent",
        [PP_FORM_TIME] = "time",   [PP_FORM_COUNT] = "count", [PP_FORM_MEAN] = "mean",
        [PP_FORM_FRAME] = "frame", [PP_FORM_SIZE] = "size"};
    json_t *ret = json_array();
    for (size_t i = 0; i < columns->len; i++) {
        const struct pp_table_column *column = &columns->column[i];
        if (!(column->in & PP_IN_SCRIPT))
            continue;
        json_t *one = json_object();
        pp_json_put(one, "id", json_string(column->id));
        pp_json_put(one, "heading", json_string(column->heading));
        pp_json_put(one, "form", json_string(form[column->form]));
        pp_json_append(ret, one);
    }
    return ret;
}

void
pp_html_end_table(FILE *out)
{
    pp_html_raw(out, "</tbody></table></div>\n");
}

void
pp_html_put_fact(FILE *out, const char *term, const char *text)
{
    if (!text || !*text)
        return;
    pp_html_element(out, "dt", term);
    pp_html_element(out, "dd", text);
}
