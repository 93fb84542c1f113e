/** @file
 * See format.h. */
#include "cli/text/format.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "counters/util/printable.h"

const struct pp_time_unit *
pp_time_unit_for(double largest_ns)
{
    static const struct pp_time_unit us = {"us", 1e3, 1};
    static const struct pp_time_unit ms = {"ms", 1e6, 3};
    static const struct pp_time_unit s = {"s", 1e9, 3};
    return largest_ns >= 1e10 ? &s : largest_ns >= 1e6 ? &ms : &us;
}

/* From here on, digits after the point carry no information, and the column of a table is too narrow. */
#define LARGE 1e15

const char *
pp_format_fixed(char text[PP_FORMATTED_MAX], double value, int decimals)
{
    if (!isfinite(value))
        snprintf(text, PP_FORMATTED_MAX, "-");
    else if (fabs(value) >= LARGE)
        snprintf(text, PP_FORMATTED_MAX, "%.3e", value);
    else
        snprintf(text, PP_FORMATTED_MAX, "%.*f", decimals, value);
    return text;
}

const char *
pp_format_frame(char text[PP_FORMATTED_MAX], double frame, double most)
{
    if (!isnan(frame) || isnan(most))
        return pp_format_fixed(text, frame, 0);
    snprintf(text, PP_FORMATTED_MAX, "none");
    return text;
}

const char *
pp_format_time(char text[PP_FORMATTED_MAX], double ns, const struct pp_time_unit *unit)
{
    double value = ns / unit->ns, size = fabs(value);
    int most = size >= 999.5 ? 0 : size >= 99.95 ? 1 : size >= 9.995 ? 2 : 3;
    int decimals = unit->decimals < most ? unit->decimals : most;
    if (size > 0 && size < 0.5 * pow(10, -unit->decimals)) {
        snprintf(text, PP_FORMATTED_MAX, "<%.*f", unit->decimals, pow(10, -unit->decimals));
        return text;
    }
    if (isfinite(value) && size >= 999.5 && size < LARGE)
        return pp_format_count(text, value, 0);
    return pp_format_fixed(text, value, decimals);
}

const char *
pp_format_duration(char text[PP_FORMATTED_MAX], double ns)
{
    if (!isfinite(ns))
        snprintf(text, PP_FORMATTED_MAX, "-");
    else if (fabs(ns) < 1e3)
        snprintf(text, PP_FORMATTED_MAX, "%.0f ns", ns);
    else if (fabs(ns) < 1e6)
        snprintf(text, PP_FORMATTED_MAX, "%.2f us", ns / 1e3);
    else if (fabs(ns) < 1e9)
        snprintf(text, PP_FORMATTED_MAX, "%.2f ms", ns / 1e6);
    else
        snprintf(text, PP_FORMATTED_MAX, fabs(ns) < LARGE * 1e9 ? "%.2f s" : "%.3e s", ns / 1e9);
    return text;
}

const char *
pp_format_rough(char text[PP_FORMATTED_MAX], double ns, int digits)
{
    static const struct pp_time_unit unit[] = {{"ns", 1, 0}, {"us", 1e3, 0}, {"ms", 1e6, 0}, {"s", 1e9, 0}};
    if (!isfinite(ns) || fabs(ns) < 1 || fabs(ns) >= 1e12)
        return pp_format_duration(text, ns);
    double last = pow(10, floor(log10(fabs(ns))) - (digits - 1)); /* the value of the last known digit */
    double rounded = round(ns / last) * last;
    size_t i = 0;
    while (i + 1 < PP_ARRAY_SIZE(unit) && fabs(rounded) >= unit[i + 1].ns * (1 - 1e-9))
        i++;
    int whole = (int)floor(log10(fabs(rounded) / unit[i].ns) + 1e-9) + 1;
    snprintf(text, PP_FORMATTED_MAX, "%.*f %s", i > 0 && digits > whole ? digits - whole : 0,
             rounded / unit[i].ns, unit[i].name);
    return text;
}

const char *
pp_format_count(char text[PP_FORMATTED_MAX], double value, int decimals)
{
    char digits[PP_FORMATTED_MAX];
    if (!isfinite(value) || fabs(value) > 1e20) {
        snprintf(text, PP_FORMATTED_MAX, isfinite(value) ? "%.3e" : "-", value);
        return text;
    }
    snprintf(digits, sizeof(digits), "%.*f", decimals, value);
    size_t whole = strcspn(digits, ".");
    size_t used = 0;
    for (size_t i = 0; digits[i] && used < PP_FORMATTED_MAX - 2; i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0 && digits[i - 1] != '-')
            text[used++] = ',';
        text[used++] = digits[i];
    }
    text[used] = '\0';
    return text;
}

const char *
pp_format_rough_count(char text[PP_FORMATTED_MAX], double value)
{
    static const struct {
        double from, unit;
        const char *name;
    } row[] = {{999.5e6, 1e9, "G"}, {999.5e3, 1e6, "M"}, {99999.5, 1e3, "k"}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(row); i++) {
        if (!(value >= row[i].from) || value >= 1e15)
            continue;
        double part = value / row[i].unit;
        int decimals = part >= 99.95 ? 0 : part >= 9.995 ? 1 : 2;
        snprintf(text, PP_FORMATTED_MAX, "%.*f %s", decimals, part, row[i].name);
        return text;
    }
    return pp_format_count(text, value, 0);
}

const char *
pp_format_figure(char text[PP_FORMATTED_MAX], double value)
{
    double size = fabs(value);
    if (!isfinite(value) || value == floor(value) || size >= 999.95)
        return pp_format_count(text, value, 0);
    if (size >= 1e-4)
        snprintf(text, PP_FORMATTED_MAX, "%.*f", size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4, value);
    else
        snprintf(text, PP_FORMATTED_MAX, "%.3g", value);
    return text;
}

const char *
pp_format_bytes(char text[PP_FORMATTED_MAX], double bytes)
{
    static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t i = 0;
    while (bytes >= 1023.95 && i + 1 < PP_ARRAY_SIZE(unit)) {
        bytes /= 1024;
        i++;
    }
    snprintf(text, PP_FORMATTED_MAX, i && bytes < 99.95 ? "%.1f %s" : "%.0f %s", bytes, unit[i]);
    return text;
}

const char *
pp_format_name(char *text, size_t size, const char *name, size_t columns)
{
    size_t used = 0;
    size_t column = 0;
    size_t cut = 0; /* where "..." goes if the name is too long */
    while (*name && used + 8 < size) {
        bool printable = false;
        size_t len = pp_printable_next(name, &printable);
        if (column + 3 <= columns)
            cut = used;
        if (column == columns) {
            memcpy(text + cut, "...", 4);
            text[columns >= 3 ? cut + 3 : 0] = '\0';
            return text;
        }
        memcpy(text + used, printable ? name : "?", printable ? len : 1);
        used += printable ? len : 1;
        name += len;
        column++;
    }
    text[used] = '\0';
    return text;
}

void
pp_format_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

const char *
pp_format_last_name(const char *path)
{
    const char *last = path;
    for (const char *at = path; *at; at++) {
        if (*at == '\\' && at[1])
            at++;
        else if (*at == '/')
            last = at + 1;
    }
    return last;
}

const char *
pp_format_unescaped(char *text, size_t size, const char *path)
{
    size_t used = 0;
    for (; *path && used + 1 < size; path++) {
        if (*path == '\\' && (path[1] == '/' || path[1] == '\\'))
            path++;
        text[used++] = *path;
    }
    text[used] = '\0';
    return text;
}

const char *
pp_format_noun(double count, const char *one, const char *several)
{
    return count < 1 || count > 1 ? several : one;
}

size_t
pp_format_width_of(const char *text, size_t length)
{
    size_t columns = 0;
    bool printable = false;
    for (const char *end = text + length; text < end; columns++)
        text += pp_printable_next(text, &printable);
    return columns;
}

size_t
pp_format_width(const char *text)
{
    return pp_format_width_of(text, strlen(text));
}

const char *
pp_format_command(char *text, size_t size, char *const *argv)
{
    size_t used = 0;
    text[0] = '\0';
    for (; *argv && used + 8 < size; argv++) {
        bool quote = **argv == '\0' || strpbrk(*argv, " \t\n\"'\\$`*?[]{}()<>|&;~#!");
        int n = snprintf(text + used, size - used, "%s%s%s%s", used ? " " : "", quote ? "'" : "", *argv,
                         quote ? "'" : "");
        used = n < 0 || (size_t)n >= size - used ? size - 1 : used + (size_t)n;
    }
    return pp_printable_clean(text, '?');
}

const char *
pp_format_short_command(char *text, size_t size, size_t columns, const char **argv)
{
    const char *typed = argv[0];
    pp_format_command(text, size, (char *const *)(uintptr_t)argv);
    if (!typed || strlen(text) <= columns || !strrchr(typed, '/'))
        return text;
    argv[0] = strrchr(typed, '/') + 1;
    pp_format_command(text, size, (char *const *)(uintptr_t)argv);
    argv[0] = typed;
    return text;
}

#define LINE_COLUMNS 79U
#define LEAST        60U
#define MOST         160U
#define ROW_COLUMNS  256U

size_t
pp_format_columns(FILE *out)
{
    struct winsize size = {0};
    unsigned long columns = 0;
    const char *variable = getenv("COLUMNS");
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
        columns = size.ws_col;
    else if (variable && isdigit((unsigned char)*variable))
        columns = strtoul(variable, NULL, 10);
    if (columns <= LEAST)
        return LINE_COLUMNS;
    return columns <= MOST ? columns - 1U : MOST;
}

size_t
pp_format_row_columns(FILE *out, bool whole)
{
    return !whole && (isatty(fileno(out)) || getenv("COLUMNS")) ? pp_format_columns(out) : ROW_COLUMNS;
}

size_t
pp_format_left(size_t columns, size_t used, size_t least)
{
    return columns >= used && columns - used >= least ? columns - used : least;
}

void
pp_format_wrap(FILE *out, size_t column, size_t indent, const char *text)
{
    pp_format_wrap_behind(out, "", column, indent, text);
}

void
pp_format_wrap_behind(FILE *out, const char *lead, size_t column, size_t indent, const char *text)
{
    int blanks = indent > strlen(lead) ? (int)(indent - strlen(lead)) : 0;
    bool fresh = true;
    size_t most = pp_format_columns(out);
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        size_t wide = pp_format_width_of(text, length);
        if (!fresh && column + 1 + wide > most) {
            pp_print(out, "\n%s%*s", lead, blanks, "");
            column = indent;
        } else if (!fresh) {
            pp_print_char(out, ' ');
            column++;
        }
        pp_print(out, "%.*s", (int)length, text);
        column += wide;
        fresh = false;
        text += length;
    }
    pp_print_char(out, '\n');
}

static bool
is_break(char c)
{
    return c && strchr(" /:,", c);
}

/* The end of the last whole word in a text that goes on at @p end; @p end itself where this loses too much.
 */
static const char *
last_break(const char *text, const char *end)
{
    for (const char *at = end; at > end - (end - text) / 3; at--)
        if (is_break(*at) || is_break(at[-1]))
            return at;
    return end;
}

/* The begin of the first whole word from @p begin on; @p begin itself where this loses too much. */
static const char *
first_break(const char *begin)
{
    const char *most = begin + strlen(begin) / 3;
    for (const char *at = begin; at < most; at++)
        if (is_break(*at) || is_break(at[-1]))
            return at;
    return begin;
}

const char *
pp_format_middle(char *text, size_t size, const char *name, size_t columns)
{
    size_t all = pp_format_width(name);
    if (all <= columns || columns < 5)
        return pp_format_name(text, size, name, columns);
    size_t head = (columns - 3) / 2;
    const char *tail = name, *end = name;
    bool printable = false;
    for (size_t skip = head; skip > 0; skip--)
        end += pp_printable_next(end, &printable);
    for (size_t skip = all - (columns - 3 - head); skip > 0; skip--)
        tail += pp_printable_next(tail, &printable);
    end = last_break(name, end);
    tail = first_break(tail);
    size_t wide = pp_format_width_of(name, (size_t)(end - name));
    pp_format_name(text, size, name, wide + 3); /* ends in "..." */
    size_t used = strlen(text);
    pp_format_name(text + used, size - used, tail, columns);
    return text;
}

/* The end of the whole words in the first @p most columns of a text; the text itself where there are none. */
static const char *
words_end(const char *text, size_t most)
{
    const char *ret = text, *at = text;
    bool printable = false;
    for (size_t column = 0; *at && column <= most; column++) {
        if (at > text && (is_break(*at) || is_break(at[-1])))
            ret = at;
        at += pp_printable_next(at, &printable);
    }
    return ret;
}

/* The begin of the whole words in the last @p most columns of a text; its end where there are none. */
static const char *
words_begin(const char *text, size_t most)
{
    size_t skip = pp_format_width(text);
    const char *at = text;
    bool printable = false;
    for (skip = skip > most ? skip - most : 0; skip > 0; skip--)
        at += pp_printable_next(at, &printable);
    while (*at && !(at > text && is_break(at[-1])))
        at++;
    return at + strspn(at, " ");
}

#define GAP 4U /* columns of "... " */

const char *
pp_format_words(char *text, size_t size, const char *name, size_t columns)
{
    const char *end = name;
    if (columns > GAP)
        end = words_end(name, (columns - GAP) / 2);
    if (columns > GAP && end == name)
        end = words_end(name, columns - GAP);
    if (pp_format_width(name) <= columns || end == name)
        return pp_format_middle(text, size, name, columns);
    const char *tail = words_begin(end, columns - GAP - pp_format_width_of(name, (size_t)(end - name)));
    end = words_end(name, columns - GAP - pp_format_width(tail));
    while (end[-1] == ' ')
        end--;
    pp_format_name(text, size, name, pp_format_width_of(name, (size_t)(end - name)) + 3); /* ends in "..." */
    pp_format_append(text, size, "%s", *tail ? " " : "");
    size_t used = strlen(text);
    pp_format_name(text + used, size - used, tail, columns);
    return text;
}
