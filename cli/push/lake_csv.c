/** @file
 * See lake_csv.h. */
#include "cli/push/lake_csv.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WRITE_BYTES ((size_t)1 << 18)

static int
put(struct pp_lake_csv *csv, const char *text, size_t len)
{
    if (csv->len + len > csv->cap) {
        size_t cap = 2 * (csv->len + len) + WRITE_BYTES;
        char *larger = realloc(csv->text, cap);
        if (!larger)
            return -ENOMEM;
        csv->text = larger;
        csv->cap = cap;
    }
    memcpy(csv->text + csv->len, text, len);
    csv->len += len;
    return 0;
}

static int
put_text(struct pp_lake_csv *csv, const char *text)
{
    return put(csv, text, strlen(text));
}

/* Put a text in quotes. */
static int
put_quoted(struct pp_lake_csv *csv, const char *text, size_t len)
{
    int rc = put(csv, "\"", 1);
    while (rc == 0 && len) {
        const char *quote = memchr(text, '"', len);
        size_t part = quote ? (size_t)(quote - text) + 1 : len;
        rc = put(csv, text, part);
        if (rc == 0 && quote)
            rc = put(csv, "\"", 1);
        text += part;
        len -= part;
    }
    return rc ? rc : put(csv, "\"", 1);
}

static int
put_number(struct pp_lake_csv *csv, const struct pp_export_value *value)
{
    char number[40];
    if (value->kind == PP_EXPORT_IS_REAL && value->text)
        return put_text(csv, value->text);
    if (value->kind == PP_EXPORT_IS_INTEGER)
        snprintf(number, sizeof(number), "%" PRId64, value->integer);
    else
        snprintf(number, sizeof(number), "%.17g", value->real);
    return put_text(csv, number);
}

static int
put_value(struct pp_lake_csv *csv, const struct pp_export_value *value)
{
    switch (value->kind) {
    case PP_EXPORT_IS_NULL:
        return put_text(csv, PP_LAKE_NULL);
    case PP_EXPORT_IS_TEXT:
    case PP_EXPORT_IS_JSON:
        return put_quoted(csv, value->text, value->len);
    case PP_EXPORT_IS_INTEGER:
    case PP_EXPORT_IS_REAL:
        break;
    }
    return put_number(csv, value);
}

/* Put a text of a list. Engines do not agree on quotes and backslashes in lists, and a list that an engine
 * cannot read would make the whole table unreadable: such bytes become '_'. */
static int
put_list_text(struct pp_lake_csv *csv, const char *text, size_t len)
{
    int rc = put(csv, "'", 1);
    for (size_t i = 0; i < len && rc == 0; i++) {
        bool plain = text[i] != '\'' && text[i] != '"' && text[i] != '\\' && (unsigned char)text[i] >= ' ';
        rc = put(csv, plain ? text + i : "_", 1);
    }
    return rc ? rc : put(csv, "'", 1);
}

/* Put the names, or the values, of a row's pairs. */
static int
put_list(struct pp_lake_csv *csv, const struct pp_push_row *row, bool names)
{
    int rc = put_text(csv, "\"[");
    for (size_t i = 0; i < row->pairs && rc == 0; i++) {
        const struct pp_push_pair *pair = &row->pair[i];
        if (i)
            rc = put(csv, ",", 1);
        if (rc == 0 && names)
            rc = put_list_text(csv, pair->name, strlen(pair->name));
        else if (rc == 0 && pair->value.kind == PP_EXPORT_IS_TEXT)
            rc = put_list_text(csv, pair->value.text, pair->value.len);
        else if (rc == 0)
            rc = put_number(csv, &pair->value);
    }
    return rc ? rc : put_text(csv, "]\"");
}

/* Compress what has gathered. */
static int
write_out(struct pp_lake_csv *csv)
{
    size_t len = csv->len;
    csv->len = 0;
    return len == 0 || archive_write_data(csv->out, csv->text, len) == (la_ssize_t)len ? 0 : -EIO;
}

static int
put_header(struct pp_lake_csv *csv)
{
    char name[128];
    const struct pp_push_model *model = pp_push_model_of(csv->table);
    const char *pairs = pp_push_pairs_name(csv->table);
    int rc = 0;
    for (size_t i = 0; i < model->columns && rc == 0; i++) {
        rc = i ? put(csv, ",", 1) : 0;
        rc = rc ? rc : put_text(csv, model->column[i].name);
    }
    if (pairs) {
        snprintf(name, sizeof(name), ",%s.name,%s.value", pairs, pairs);
        rc = rc ? rc : put_text(csv, name);
    }
    return rc ? rc : put(csv, "\n", 1);
}

int
pp_lake_csv_begin(int fd, enum pp_push_table table, struct pp_lake_csv *ret)
{
    *ret = (struct pp_lake_csv){.table = table, .out = archive_write_new()};
    struct archive_entry *entry = archive_entry_new();
    int rc = ret->out && entry ? 0 : -ENOMEM;
    if (rc == 0) {
        archive_entry_set_filetype(entry, AE_IFREG);
        archive_entry_set_pathname(entry, "rows"); /* a raw file has no names */
        bool good = archive_write_set_format_raw(ret->out) == ARCHIVE_OK &&
                    archive_write_add_filter_zstd(ret->out) == ARCHIVE_OK &&
                    archive_write_set_bytes_in_last_block(ret->out, 1) == ARCHIVE_OK &&
                    archive_write_open_fd(ret->out, fd) == ARCHIVE_OK &&
                    archive_write_header(ret->out, entry) == ARCHIVE_OK;
        rc = good ? put_header(ret) : -EIO;
    }
    archive_entry_free(entry);
    return rc;
}

int
pp_lake_csv_row(struct pp_lake_csv *csv, const struct pp_push_row *row)
{
    const struct pp_push_model *model = pp_push_model_of(csv->table);
    int rc = 0;
    for (size_t i = 0; i < model->columns && rc == 0; i++) {
        rc = i ? put(csv, ",", 1) : 0;
        rc = rc ? rc : put_value(csv, &row->value[i]);
    }
    for (int names = 1; pp_push_pairs_name(csv->table) && names >= 0 && rc == 0; names--) {
        rc = put(csv, ",", 1);
        rc = rc ? rc : put_list(csv, row, names);
    }
    rc = rc ? rc : put(csv, "\n", 1);
    return rc ? rc : csv->len >= WRITE_BYTES ? write_out(csv) : 0;
}

int
pp_lake_csv_end(struct pp_lake_csv *csv)
{
    int rc = csv->out && csv->len ? write_out(csv) : 0;
    if (csv->out && archive_write_close(csv->out) != ARCHIVE_OK && rc == 0)
        rc = -EIO;
    archive_write_free(csv->out);
    free(csv->text);
    *csv = (struct pp_lake_csv){.out = NULL};
    return rc;
}
