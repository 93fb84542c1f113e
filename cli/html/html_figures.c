/** @file
 * See html_figures.h. */
#include "cli/html/html_figures.h"

#include <math.h>
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
