/** @file
 * See export_columns.h. */
#include "cli/export/export_columns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/session/row_reader.h"
#include "counters/util/printable.h"

static enum pp_export_type
type_of(const char *name, enum pp_export_type place)
{
    const enum pp_export_type type[] = {[PP_COLUMN_ANY] = PP_EXPORT_ANY,
                                        [PP_COLUMN_TEXT] = PP_EXPORT_TEXT,
                                        [PP_COLUMN_WHOLE] = PP_EXPORT_INTEGER,
                                        [PP_COLUMN_REAL] = PP_EXPORT_REAL,
                                        [PP_COLUMN_PLACE] = place};
    return type[pp_column_kind(name)];
}

bool
pp_export_is_utf8(const char *text)
{
    for (;;) {
        while (*text > 0 && *text < 0x7f) /* plain, as nearly all texts are */
            text++;
        if (!*text)
            return true;
        size_t len = pp_utf8_length((const unsigned char *)text);
        if (!len)
            return false;
        text += len;
    }
}

char *
pp_export_utf8(char *text)
{
    for (char *p = text; *p;) {
        size_t len = pp_utf8_length((const unsigned char *)p);
        if (!len)
            *p = '?';
        p += len ? len : 1;
    }
    return text;
}

static bool
is_taken(const struct pp_export_columns *columns, const char *name)
{
    if (strcasecmp(name, "table") == 0)
        return true;
    for (size_t i = 0; i < columns->columns; i++)
        if (strcasecmp(columns->column[i].name, name) == 0)
            return true;
    return false;
}

/* A name that no column before has. @return Owned by the caller; NULL: no memory. */
static char *
unique_name(const struct pp_export_columns *columns, const char *given)
{
    char *ret = NULL;
    char *name = NULL;
    if (*given)
        name = strdup(given);
    else if (asprintf(&name, "column_%zu", columns->columns + 1) < 0)
        name = NULL;
    if (!name)
        return NULL;
    pp_export_utf8(name);
    if (!is_taken(columns, name))
        return name;
    /* after "_2" the number of the column, so that many equal names need few tries */
    for (size_t number = 2; !ret; number = number == 2 ? columns->columns + 3 : number + 1) {
        if (asprintf(&ret, "%s_%zu", name, number) < 0) {
            ret = NULL;
            break;
        }
        if (is_taken(columns, ret)) {
            free(ret);
            ret = NULL;
        }
    }
    free(name);
    return ret;
}

int
pp_export_columns_make(const struct pp_cell *cell, size_t cells, enum pp_export_type place,
                       struct pp_export_columns *ret)
{
    struct pp_export_columns columns = {.column = calloc(cells + 1, sizeof(*columns.column)),
                                        .name = calloc(cells + 1, sizeof(*columns.name))};
    bool whole = columns.column && columns.name;
    for (size_t i = 0; i < cells && whole; i++) {
        char *name = unique_name(&columns, cell[i].text);
        whole = name != NULL;
        columns.name[i] = name;
        columns.column[i] = (struct pp_export_column){.name = name, .type = type_of(cell[i].text, place)};
        columns.columns += whole;
    }
    if (!whole) {
        pp_export_columns_finish(&columns);
        return -ENOMEM;
    }
    *ret = columns;
    return 0;
}

void
pp_export_columns_finish(struct pp_export_columns *columns)
{
    for (size_t i = 0; i < columns->columns; i++)
        free(columns->name[i]);
    free(columns->name);
    free(columns->column);
    *columns = (struct pp_export_columns){.columns = 0};
}

/* Read digits at the begin of a cell, as many as 64 bits can hold. @return How many these are. */
static size_t
few_digits(const struct pp_cell *cell, int64_t *ret)
{
    size_t i = 0;
    uint64_t number = 0;
    for (; i < cell->len && i < 18; i++) {
        unsigned digit = (unsigned char)cell->text[i] - (unsigned)'0';
        if (digit > 9)
            break;
        number = 10 * number + digit;
    }
    *ret = (int64_t)number;
    return i;
}

/* Read a whole number that 64 bits hold. */
static bool
whole_number(const struct pp_cell *cell, int64_t *ret)
{
    char *end = NULL;
    int64_t number = 0;
    size_t digits = few_digits(cell, &number);
    if (digits && digits == cell->len) {
        *ret = number;
        return true;
    }
    if (!cell->len || !strchr("-0123456789", cell->text[0]) || cell->text[digits] == '.')
        return false;
    errno = 0;
    long long value = strtoll(cell->text, &end, 10);
    if (errno || *end || end == cell->text)
        return false;
    *ret = value;
    return true;
}

/* Is the text a number as a person writes it: no zeros before it, no exponent, no hexadecimal digits? What
 * else looks like a number may be an id. */
static bool
is_plain_number(const char *text)
{
    text += *text == '-';
    bool zero = text[0] == '0' && text[1] && text[1] != '.';
    return !zero && text[strspn(text, "0123456789.")] == '\0';
}

bool
pp_export_value_of(const struct pp_cell *cell, enum pp_export_type type, struct pp_export_value *ret)
{
    bool any = type == PP_EXPORT_ANY;
    *ret = (struct pp_export_value){.text = cell->text, .len = cell->len};
    if (!cell->present || !cell->len)
        return true;
    bool number = type != PP_EXPORT_TEXT && (!any || is_plain_number(cell->text));
    if (number && whole_number(cell, &ret->integer))
        ret->kind = PP_EXPORT_IS_INTEGER;
    else if (number && (!any || strchr(cell->text, '.')) && pp_cell_number(cell, &ret->real))
        ret->kind = PP_EXPORT_IS_REAL;
    else if (any || type == PP_EXPORT_TEXT)
        ret->kind = PP_EXPORT_IS_TEXT;
    return ret->kind != PP_EXPORT_IS_NULL;
}
