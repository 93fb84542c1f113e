/** @file
 * See protobuf.h. */
#include "cli/trace/protobuf.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

/* Bytes that are kept for the length of an open message: enough for 127 bytes, as most messages have. */
#define LENGTH_BYTES 1U
/* Readers take no message that is longer. */
#define MESSAGE_MOST ((size_t)1 << 28)

/* Write nothing more: without place, pp_protobuf_reserve() fails. */
static void
fail(struct pp_protobuf *out)
{
    out->failed = true;
    out->cap = out->len;
}

bool
pp_protobuf_grow(struct pp_protobuf *out, size_t more)
{
    if (!out->failed && pp_grow_large_array(&out->byte, &out->cap, out->len + more, 1))
        fail(out);
    return !out->failed;
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
    unsigned char *at = pp_protobuf_reserve(out, PP_PROTOBUF_VARINT_MAX);
    if (at)
        out->len += (size_t)(pp_protobuf_varint_at(at, value) - at);
}

static void
put_key(struct pp_protobuf *out, unsigned field, unsigned type)
{
    put_varint(out, (uint64_t)field << 3 | type);
}

void
pp_protobuf_u64(struct pp_protobuf *out, unsigned field, uint64_t value)
{
    put_key(out, field, PP_PROTOBUF_VARINT);
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
    put_key(out, field, PP_PROTOBUF_EIGHT_BYTES);
    if (!pp_protobuf_reserve(out, 8))
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
    put_key(out, field, PP_PROTOBUF_BYTES);
    put_varint(out, len);
    if (!len || !pp_protobuf_reserve(out, len))
        return;
    memcpy(out->byte + out->len, text, len);
    out->len += len;
}

void
pp_protobuf_open(struct pp_protobuf *out, unsigned field)
{
    assert(out->depth < PP_PROTOBUF_DEPTH);
    put_key(out, field, PP_PROTOBUF_BYTES);
    if (!pp_protobuf_reserve(out, LENGTH_BYTES))
        return;
    out->len += LENGTH_BYTES;
    out->open[out->depth++] = out->len;
}

/* Most messages are short. After the length of a long one, its bytes move. */
void
pp_protobuf_close(struct pp_protobuf *out)
{
    if (out->failed)
        return;
    assert(out->depth > 0);
    size_t begin = out->open[--out->depth];
    size_t len = out->len - begin;
    if (len >= MESSAGE_MOST) {
        fail(out);
        return;
    }
    if (len < 0x80) {
        out->byte[begin - LENGTH_BYTES] = (unsigned char)len;
        return;
    }
    unsigned char length[PP_PROTOBUF_VARINT_MAX];
    size_t bytes = (size_t)(pp_protobuf_varint_at(length, len) - length);
    if (!pp_protobuf_reserve(out, bytes))
        return;
    memmove(out->byte + begin - LENGTH_BYTES + bytes, out->byte + begin, len);
    memcpy(out->byte + begin - LENGTH_BYTES, length, bytes);
    out->len += bytes - LENGTH_BYTES;
}
