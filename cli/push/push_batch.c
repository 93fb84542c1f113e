/** @file
 * See push_batch.h. */
#include "cli/push/push_batch.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "counters/util/grow_array.h"

/* Compressed bytes of a request. */
#define PP_PUSH_BATCH_BYTES (32U << 20)

static int
put(struct pp_push_text *out, const char *text, size_t len)
{
    if (pp_grow_large_array(&out->text, &out->cap, out->len + len + 1, 1)) /* an empty text is one, too */
        return -ENOMEM;
    memcpy(out->text + out->len, text, len);
    out->len += len;
    return 0;
}

/* The letter that represents a character after a backslash; 0: the character represents itself. */
static char
letter_of(char c)
{
    switch (c) {
    case '\\':
    case '\'':
        return c;
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\r':
        return 'r';
    case '\0':
        return '0';
    case '\b':
        return 'b';
    case '\f':
        return 'f';
    default:
        return 0;
    }
}

static int
put_escaped(struct pp_push_text *out, const char *text, size_t len)
{
    size_t from = 0;
    int rc = 0;
    for (size_t i = 0; i < len && rc == 0; i++) {
        char letter = letter_of(text[i]);
        if (!letter)
            continue;
        rc = put(out, text + from, i - from);
        rc = rc ? rc : put(out, (const char[]){'\\', letter}, 2);
        from = i + 1;
    }
    return rc ? rc : put(out, text + from, len - from);
}

static int
put_value(struct pp_push_text *out, const struct pp_export_value *value)
{
    char number[40];
    if (value->kind == PP_EXPORT_IS_NULL)
        return put(out, "\\N", 2);
    if (value->kind == PP_EXPORT_IS_INTEGER)
        return put(out, number, (size_t)snprintf(number, sizeof(number), "%" PRId64, value->integer));
    if (value->kind == PP_EXPORT_IS_REAL)
        return put(out, number, (size_t)snprintf(number, sizeof(number), "%.17g", value->real));
    return put_escaped(out, value->text, value->len);
}

static int
put_quoted(struct pp_push_text *out, const char *text, size_t len)
{
    int rc = put(out, "'", 1);
    rc = rc ? rc : put_escaped(out, text, len);
    return rc ? rc : put(out, "'", 1);
}

/* Append the names of the pairs, and their values, as two arrays. */
static int
put_pairs(struct pp_push_text *out, const struct pp_push_row *row)
{
    int rc = put(out, "\t[", 2);
    for (size_t i = 0; i < row->pairs && rc == 0; i++) {
        rc = i ? put(out, ",", 1) : 0;
        rc = rc ? rc : put_quoted(out, row->pair[i].name, strlen(row->pair[i].name));
    }
    rc = rc ? rc : put(out, "]\t[", 3);
    for (size_t i = 0; i < row->pairs && rc == 0; i++) {
        const struct pp_export_value *value = &row->pair[i].value;
        rc = i ? put(out, ",", 1) : 0;
        if (rc == 0 && value->kind == PP_EXPORT_IS_TEXT)
            rc = put_quoted(out, value->text, value->len);
        else if (rc == 0)
            rc = put_value(out, value);
    }
    return rc ? rc : put(out, "]", 1);
}

int
pp_push_text_row(struct pp_push_text *out, enum pp_push_table table, uint64_t push,
                 const struct pp_push_row *row)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    char number[24];
    int rc = put(out, number, (size_t)snprintf(number, sizeof(number), "%" PRIu64, push));
    for (size_t i = 0; i < model->columns && rc == 0; i++) {
        rc = put(out, "\t", 1);
        rc = rc ? rc : put_value(out, &row->value[i]);
    }
    if (rc == 0 && model->pairs != PP_PUSH_NO_PAIRS)
        rc = put_pairs(out, row);
    return rc ? rc : put(out, "\n", 1);
}

char *
pp_push_insert_statement(enum pp_push_table table)
{
    const struct pp_push_model *model = pp_push_model_of(table);
    struct pp_push_text out = {.len = 0};
    const char *pairs = pp_push_pairs_name(table);
    char *list = NULL;
    int rc = 0;
    for (size_t i = 0; i < model->columns && rc == 0; i++) {
        rc = put(&out, ", ", 2);
        rc = rc ? rc : put(&out, model->column[i].name, strlen(model->column[i].name));
    }
    if (rc || asprintf(&list, "INSERT INTO stored_%s (push%.*s%s%s%s%s%s) FORMAT TabSeparated", model->name,
                       (int)out.len, out.text, pairs ? ", " : "", pairs ? pairs : "", pairs ? ".name, " : "",
                       pairs ? pairs : "", pairs ? ".value" : "") < 0)
        list = NULL;
    free(out.text);
    return list;
}

struct pp_push_zip {
    z_stream stream;
};

/* The fastest level: a push must not keep a machine busy. */
#define LEVEL 1
/* 15 bits of window, and a header of gzip. Source: the manual of zlib, deflateInit2(). */
#define WINDOW_GZIP (15 + 16)
#define MEMORY      8

static int
begin(struct pp_push_batch *batch)
{
    struct pp_push_zip *zip = calloc(1, sizeof(*zip));
    if (zip &&
        deflateInit2(&zip->stream, LEVEL, Z_DEFLATED, WINDOW_GZIP, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK) {
        batch->zip = zip;
        return 0;
    }
    free(zip);
    return -ENOMEM;
}

/* Make memory for @p more bytes of output. */
static int
grow(struct pp_push_batch *batch, size_t more)
{
    if (batch->cap - batch->len >= more)
        return 0;
    size_t cap = 2 * batch->cap + more;
    unsigned char *gzip = realloc(batch->gzip, cap);
    if (!gzip)
        return -ENOMEM;
    batch->gzip = gzip;
    batch->cap = cap;
    return 0;
}

/* Compress @p len bytes, and with Z_FINISH all that waits. */
static int
compress_bytes(struct pp_push_batch *batch, const char *bytes, size_t len, int flush)
{
    z_stream *stream = &batch->zip->stream;
    int answer = Z_OK;
    stream->next_in = (z_const Bytef *)(uintptr_t)bytes;
    stream->avail_in = (uInt)len;
    do {
        if (grow(batch, 65536))
            return -ENOMEM;
        size_t space = batch->cap - batch->len;
        uInt out = space < UINT_MAX ? (uInt)space : UINT_MAX;
        stream->next_out = batch->gzip + batch->len;
        stream->avail_out = out;
        answer = deflate(stream, flush);
        batch->len += out - stream->avail_out;
    } while (stream->avail_in || (flush == Z_FINISH && answer != Z_STREAM_END));
    return 0;
}

int
pp_push_batch_add(struct pp_push_batch *batch, const char *row, size_t len)
{
    int rc = batch->zip ? 0 : begin(batch);
    while (rc == 0 && len) {
        size_t part = len < INT_MAX ? len : INT_MAX;
        rc = compress_bytes(batch, row, part, Z_NO_FLUSH);
        batch->bytes += part;
        row += part;
        len -= part;
    }
    batch->rows += rc == 0;
    return rc;
}

bool
pp_push_batch_is_full(const struct pp_push_batch *batch)
{
    return batch->rows >= PP_PUSH_BATCH_ROWS || batch->len >= PP_PUSH_BATCH_BYTES;
}

int
pp_push_batch_end(struct pp_push_batch *batch)
{
    return compress_bytes(batch, "", 0, Z_FINISH);
}

void
pp_push_batch_clear(struct pp_push_batch *batch)
{
    if (batch->zip)
        deflateReset(&batch->zip->stream);
    batch->len = 0;
    batch->rows = batch->bytes = 0;
}

void
pp_push_batch_finish(struct pp_push_batch *batch)
{
    if (batch->zip)
        deflateEnd(&batch->zip->stream);
    free(batch->zip);
    free(batch->gzip);
    *batch = (struct pp_push_batch){.rows = 0};
}
