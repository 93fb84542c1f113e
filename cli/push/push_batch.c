/** @file
 * See push_batch.h. */
#include "cli/push/push_batch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include <zlib.h>

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
