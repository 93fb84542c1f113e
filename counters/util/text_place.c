/** @file
 * Messages with the offending line and a caret below it; see text_place.h. */
#include "counters/util/text_place.h"

#include <stdio.h>
#include <string.h>

#include "counters/util/printable.h"

enum {
    WINDOW = 96, /* bytes of the line that are shown */
    BEFORE = 60, /* most bytes that are shown before the place */
};

static size_t
smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Is this byte the second or a later one of a UTF-8 character? Such bytes take no column on the screen. */
static int
is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

/* Append passprobe's text; line breaks are kept. */
static void
append(char *buffer, size_t size, size_t *used, const char *text, size_t length)
{
    for (size_t i = 0; i < length && *used + 1 < size; i++)
        buffer[(*used)++] = text[i];
    buffer[*used] = 0;
}

/* A part of the file, or its name: stays on its line. */
static void
append_foreign(char *buffer, size_t size, size_t *used, const char *text, size_t length)
{
    size_t begin = *used;
    append(buffer, size, used, text, length);
    pp_printable_clean(buffer + begin, ' ');
    *used = begin + strlen(buffer + begin);
}

static void
underline(char *buffer, size_t size, size_t *used, const char *shown, size_t place, size_t length)
{
    for (size_t i = 0; i < place; i++)
        if (!is_continuation(shown[i]))
            append(buffer, size, used, " ", 1);
    append(buffer, size, used, "^", 1);
    for (size_t i = 1; i < length; i++)
        if (!is_continuation(shown[place + i]))
            append(buffer, size, used, "~", 1);
}

void
pp_text_place_format(const struct pp_text_place *place, const char *message, char *buffer, size_t size)
{
    char head[64];
    size_t used = 0;
    size_t at = smaller(place->column - 1, place->line_length);
    size_t begin = at > BEFORE ? at - BEFORE : 0;
    while (begin && begin < at && is_continuation(place->line_text[begin]))
        begin++;
    size_t shown = smaller(place->line_length - begin, WINDOW);
    append_foreign(buffer, size, &used, place->name, strlen(place->name));
    int n = snprintf(head, sizeof(head), ":%u:%u: ", place->line, place->column);
    append(buffer, size, &used, head, (size_t)n);
    append_foreign(buffer, size, &used, message, strlen(message));
    n = snprintf(head, sizeof(head), "\n%5u | %s", place->line, begin ? "..." : "");
    append(buffer, size, &used, head, (size_t)n);
    append_foreign(buffer, size, &used, place->line_text + begin, shown);
    n = snprintf(head, sizeof(head), "\n      | %s", begin ? "   " : "");
    append(buffer, size, &used, head, (size_t)n);
    underline(buffer, size, &used, place->line_text + begin, at - begin,
              smaller(place->length, shown - (at - begin)));
}
