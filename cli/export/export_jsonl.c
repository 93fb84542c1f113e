/** @file
 * A session as JSON lines: one object for each row, with the table's name as its first member. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/export_format.h"
#include "cli/text/terminal.h"
#include "counters/util/grow_array.h"
#include "counters/util/printable.h"

/* A table: what is before each value of a row. */
struct table {
    struct table *next;
    char **before; /* {"table":"frames","frame": and then ,"api": and so on; owned */
    size_t *before_len;
    size_t columns;
};

struct jsonl_format {
    struct pp_export_format format; /* the first member */
    FILE *out;
    struct table *tables;
    char *row; /* the line that is made; owned */
    size_t len, cap;
    bool terminal; /* out is one */
};

static int
failed(struct pp_export_format *format, int rc)
{
    snprintf(format->why, sizeof(format->why), "%s", strerror(-rc));
    return rc;
}

static int
put(struct jsonl_format *f, const char *text, size_t len)
{
    if (pp_grow_large_array(&f->row, &f->cap, f->len + len, 1))
        return -ENOMEM;
    memcpy(f->row + f->len, text, len);
    f->len += len;
    return 0;
}

/* A text as JSON. @return By free(); NULL: no memory. */
static char *
quoted(const char *text, size_t len)
{
    json_t *string = json_stringn(text, len);
    char *ret = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    return ret;
}

static void
free_table(struct table *table)
{
    for (size_t i = 0; table->before && i < table->columns; i++)
        free(table->before[i]);
    free(table->before);
    free(table->before_len);
    free(table);
}

/* The text before a value. @param table_name Of the first column: name of the table as JSON; else NULL. */
static char *
text_before(const char *table_name, const char *column)
{
    char *ret = NULL;
    char *name = quoted(column, strlen(column));
    if (!name ||
        asprintf(&ret, "%s%s,%s:", table_name ? "{\"table\":" : "", table_name ? table_name : "", name) < 0)
        ret = NULL;
    free(name);
    return ret;
}

static int
begin_table(struct pp_export_format *format, const char *name, const struct pp_export_column *column,
            size_t columns, void **ret_table)
{
    struct jsonl_format *f = (struct jsonl_format *)format;
    struct table *table = calloc(1, sizeof(*table));
    char *table_name = quoted(name, strlen(name));
    bool whole = table && table_name;
    if (whole) {
        table->before = calloc(columns, sizeof(*table->before));
        table->before_len = calloc(columns, sizeof(*table->before_len));
        whole = table->before && table->before_len;
    }
    for (size_t i = 0; i < columns && whole; i++) {
        table->before[i] = text_before(i ? NULL : table_name, column[i].name);
        whole = table->before[i] != NULL;
        table->before_len[i] = whole ? strlen(table->before[i]) : 0;
        table->columns++;
    }
    free(table_name);
    if (!whole) {
        if (table)
            free_table(table);
        return failed(format, -ENOMEM);
    }
    table->next = f->tables;
    f->tables = table;
    *ret_table = table;
    return 0;
}

/* Is the text a number as JSON writes it? Source: RFC 8259, section 6. */
static bool
is_json_number(const char *text)
{
    static const char digits[] = "0123456789";
    text += *text == '-';
    size_t whole = strspn(text, digits);
    if (!whole || (whole > 1 && *text == '0'))
        return false;
    text += whole;
    if (*text == '.') {
        size_t fraction = strspn(++text, digits);
        if (!fraction)
            return false;
        text += fraction;
    }
    if (*text == 'e' || *text == 'E') {
        text++;
        text += *text == '-' || *text == '+';
        size_t exponent = strspn(text, digits);
        if (!exponent)
            return false;
        text += exponent;
    }
    return *text == '\0';
}

static int
put_value(struct jsonl_format *f, const struct pp_export_value *value)
{
    char number[40];
    if (value->kind == PP_EXPORT_IS_NULL)
        return put(f, "null", 4);
    if (value->kind == PP_EXPORT_IS_INTEGER)
        return put(f, number, (size_t)snprintf(number, sizeof(number), "%" PRId64, value->integer));
    if (value->kind == PP_EXPORT_IS_JSON ||
        (value->kind == PP_EXPORT_IS_REAL && value->text && is_json_number(value->text)))
        return put(f, value->text, value->len);
    if (value->kind == PP_EXPORT_IS_REAL)
        return put(f, number, (size_t)snprintf(number, sizeof(number), "%.17g", value->real));
    char *text = quoted(value->text, value->len);
    int rc = text ? put(f, text, strlen(text)) : -ENOMEM;
    free(text);
    return rc;
}

/* Write the code of a UTF-8 sequence as JSON does: with surrogates above U+FFFF. @param ret 16 bytes. */
static void
escaped(const char *sequence, size_t len, char *ret)
{
    uint32_t code = (unsigned char)sequence[0] & (len == 1 ? 0x7fU : 0xffU >> (len + 1));
    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)sequence[i] & 0x3fU);
    if (code < 0x10000)
        snprintf(ret, 16, "\\u%04x", code);
    else
        snprintf(ret, 16, "\\u%04x\\u%04x", 0xd7c0U + (code >> 10), 0xdc00U + (code & 0x3ff));
}

/* Write a line to a terminal: characters that it obeys, or that hide text, are escaped. They are only in
 * texts. */
static void
show(FILE *out, const char *line)
{
    while (*line && *line != '\n') {
        char code[16];
        bool printable = false;
        size_t len = pp_printable_next(line, &printable);
        if (!printable)
            escaped(line, len, code);
        if (printable)
            fwrite(line, 1, len, out);
        else
            fputs(code, out);
        line += len;
    }
    fputc('\n', out);
}

static int
add_row(struct pp_export_format *format, void *in, const struct pp_export_value *value)
{
    struct jsonl_format *f = (struct jsonl_format *)format;
    const struct table *table = in;
    int rc = 0;
    f->len = 0;
    for (size_t i = 0; i < table->columns && rc == 0; i++) {
        rc = put(f, table->before[i], table->before_len[i]);
        rc = rc ? rc : put_value(f, &value[i]);
    }
    rc = rc ? rc : put(f, "}\n", 3);
    errno = EIO;
    if (rc == 0 && f->terminal)
        show(f->out, f->row);
    else if (rc == 0 && fwrite(f->row, 1, f->len - 1, f->out) != f->len - 1)
        rc = -errno;
    return rc ? failed(format, rc) : 0;
}

static int
end(struct pp_export_format *format)
{
    struct jsonl_format *f = (struct jsonl_format *)format;
    errno = EIO;
    return fflush(f->out) || ferror(f->out) ? failed(format, -errno) : 0;
}

static void
destroy(struct pp_export_format *format)
{
    struct jsonl_format *f = (struct jsonl_format *)format;
    while (f->tables) {
        struct table *table = f->tables;
        f->tables = table->next;
        free_table(table);
    }
    free(f->row);
    free(f);
}

static int
create(const char *path, FILE *out, struct pp_export_format **ret, char *why, size_t size)
{
    (void)path;
    snprintf(why, size, "%s", strerror(ENOMEM));
    static const struct pp_export_ops ops = {
        .table = begin_table, .row = add_row, .end = end, .destroy = destroy};
    struct jsonl_format *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    f->format.ops = &ops;
    f->out = out;
    f->terminal = pp_terminal(out);
    *ret = &f->format;
    return 0;
}

const struct pp_export_choice pp_export_as_jsonl = {.ending = "jsonl", .create = create};
