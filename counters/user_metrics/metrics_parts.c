/** @file
 * Growing arrays, messages and sections of a metrics file; see metrics_parts.h. */
#include "counters/user_metrics/metrics_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/text_place.h"

void *
pp_metrics_append(struct pp_metrics_array *array, size_t size)
{
    if (array->length == array->capacity) {
        size_t capacity = array->capacity ? array->capacity * 2 : 16;
        void *data = realloc(array->data, capacity * size);
        if (!data)
            return NULL;
        array->data = data;
        array->capacity = capacity;
    }
    return memset((char *)array->data + array->length++ * size, 0, size);
}

/* Find the text of a line of the file. The line must exist. */
static const char *
line_text(const struct pp_metrics_file *file, uint32_t line, size_t *ret_length)
{
    const char *begin = file->text, *end = file->text + file->size;
    const char *stop = memchr(begin, '\n', file->size);
    while (--line && stop) {
        begin = stop + 1;
        stop = memchr(begin, '\n', (size_t)(end - begin));
    }
    *ret_length = (size_t)((stop ? stop : end) - begin);
    return begin;
}

int
pp_metrics_fail(const struct pp_metrics_file *file, int code, uint32_t line, uint32_t column, uint32_t length,
                struct pp_metrics_error *error, const char *format, ...)
{
    char message[240];
    struct pp_text_place place = {.name = file->name, .line = line, .column = column, .length = length};
    if (!error)
        return code;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    place.line_text = line_text(file, line, &place.line_length);
    error->line = line;
    error->column = column;
    pp_text_place_format(&place, message, error->text, sizeof(error->text));
    return code;
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Does a name match a pattern of * and ?, in upper or lower case? After a mismatch, the last * takes one more
 * byte. */
static bool
matches(const char *pattern, const char *name)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = pattern++;
            resume = name;
        } else if (*pattern == '?' || lower(*pattern) == lower(*name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star + 1;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

bool
pp_metrics_section_applies(const struct pp_metrics_section *section, const char *gpu)
{
    return !section->like && matches(section->gpu, gpu);
}
