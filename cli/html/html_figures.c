/** @file
 * See html_figures.h. */
#include "cli/html/html_figures.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "cli/html/html_out.h"

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
    const json_t *number = pp_html_value(object, path);
    return json_is_number(number) ? json_number_value(number) : (double)NAN;
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
        double value = pp_html_number(row, column->id);
        if (!is_in_page(column, rows))
            continue;
        if (column->type == PP_TYPE_TEXT)
            pp_html_element(out, column->form == PP_FORM_TITLE ? "td class=\"name\"" : "td",
                            pp_html_string(row, column->id));
        else if (column->form == PP_FORM_TIME)
            pp_html_put_time(out, value, unit);
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
        (void)!json_object_set_new(one, "id", json_string(column->id));
        (void)!json_object_set_new(one, "heading", json_string(column->heading));
        (void)!json_object_set_new(one, "form", json_string(form[column->form]));
        (void)!json_array_append_new(ret, one);
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
