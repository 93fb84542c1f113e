/** @file
 * See shorten.h. */
#include "cli/print/shorten.h"

#include <stdbool.h>
#include <string.h>

#include "cli/print/format.h"
#include "counters/util/printable.h"

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
