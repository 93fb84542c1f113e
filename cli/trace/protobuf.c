/** @file
 * See protobuf.h. */
#include "cli/trace/protobuf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define VARINT      0U
#define EIGHT_BYTES 1U
#define BYTES       2U

/* Bytes of the longest varint. */
#define VARINT_MAX 10U
/* Bytes that are kept for the length of an open message: enough for 256 MiB. */
#define LENGTH_BYTES 4U

static bool
reserve(struct pp_protobuf *out, size_t more)
{
    if (out->failed)
        return false;
    if (out->cap - out->len >= more)
        return true;
    size_t cap = 2 * (out->len + more) + 256;
    unsigned char *byte = realloc(out->byte, cap);
    if (!byte) {
        out->failed = true;
        return false;
    }
    out->byte = byte;
    out->cap = cap;
    return true;
}

void
pp_protobuf_clear(struct pp_protobuf *out)
{
    out->len = 0;
    out->depth = 0;
    out->failed = false;
}

void
pp_protobuf_finish(struct pp_protobuf *out)
{
    free(out->byte);
    memset(out, 0, sizeof(*out));
}

static void
put_varint(struct pp_protobuf *out, uint64_t value)
{
    if (!reserve(out, VARINT_MAX))
        return;
    for (; value >= 0x80; value >>= 7)
        out->byte[out->len++] = (unsigned char)(value | 0x80);
    out->byte[out->len++] = (unsigned char)value;
}

static void
put_key(struct pp_protobuf *out, unsigned field, unsigned type)
{
    put_varint(out, (uint64_t)field << 3 | type);
}

void
pp_protobuf_u64(struct pp_protobuf *out, unsigned field, uint64_t value)
{
    put_key(out, field, VARINT);
    put_varint(out, value);
}

void
pp_protobuf_i64(struct pp_protobuf *out, unsigned field, int64_t value)
{
    pp_protobuf_u64(out, field, (uint64_t)value);
}

void
pp_protobuf_fixed64(struct pp_protobuf *out, unsigned field, uint64_t value)
{
    put_key(out, field, EIGHT_BYTES);
    if (!reserve(out, 8))
        return;
    for (unsigned i = 0; i < 8; i++)
        out->byte[out->len++] = (unsigned char)(value >> (8 * i));
}

void
pp_protobuf_double(struct pp_protobuf *out, unsigned field, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    pp_protobuf_fixed64(out, field, bits);
}

void
pp_protobuf_text(struct pp_protobuf *out, unsigned field, const char *text, size_t len)
{
    put_key(out, field, BYTES);
    put_varint(out, len);
    if (!len || !reserve(out, len))
        return;
    memcpy(out->byte + out->len, text, len);
    out->len += len;
}

void
pp_protobuf_open(struct pp_protobuf *out, unsigned field)
{
    assert(out->depth < PP_PROTOBUF_DEPTH);
    put_key(out, field, BYTES);
    if (!reserve(out, LENGTH_BYTES))
        return;
    out->len += LENGTH_BYTES;
    out->open[out->depth++] = out->len;
}

/* The length is a varint of LENGTH_BYTES bytes, whatever its value: so the bytes behind it need not move. */
void
pp_protobuf_close(struct pp_protobuf *out)
{
    if (out->failed)
        return;
    assert(out->depth > 0);
    size_t begin = out->open[--out->depth];
    size_t len = out->len - begin;
    if (len >> (7 * LENGTH_BYTES)) {
        out->failed = true;
        return;
    }
    for (unsigned i = 0; i < LENGTH_BYTES; i++, len >>= 7)
        out->byte[begin - LENGTH_BYTES + i] = (unsigned char)(len & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0);
}
