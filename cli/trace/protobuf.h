/** @file
 * Writes messages of Protocol Buffers into memory. Knows no message by name.
 *
 * Source of the wire format: "Encoding" in the documentation of Protocol Buffers. A field is its key, (number
 * << 3) | type, and its value; types are 0 (varint), 1 (eight bytes) and 2 (length and bytes). */
#ifndef PP_CLI_TRACE_PROTOBUF_H
#define PP_CLI_TRACE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Messages inside of each other at most. */
#define PP_PROTOBUF_DEPTH 8U

/** Bytes of the longest varint. */
#define PP_PROTOBUF_VARINT_MAX 10U

/** Types of fields. */
enum { PP_PROTOBUF_VARINT = 0, PP_PROTOBUF_EIGHT_BYTES = 1, PP_PROTOBUF_BYTES = 2 };

/** A message that is being written. Begin with all zero; free with pp_protobuf_finish(). */
struct pp_protobuf {
    unsigned char *byte; /**< owned */
    size_t len, cap;
    size_t open[PP_PROTOBUF_DEPTH]; /**< where the bytes of each open message begin */
    size_t depth;
    bool failed; /**< there was no memory: the bytes are not whole */
};

/** Begin again with an empty message; the memory stays. */
void pp_protobuf_clear(struct pp_protobuf *out);

/** Free the memory. */
void pp_protobuf_finish(struct pp_protobuf *out);

/** Write a field of a number that is not negative. */
void pp_protobuf_u64(struct pp_protobuf *out, unsigned field, uint64_t value);

/** Write a field of type int64. */
void pp_protobuf_i64(struct pp_protobuf *out, unsigned field, int64_t value);

/** Write a field of type fixed64. */
void pp_protobuf_fixed64(struct pp_protobuf *out, unsigned field, uint64_t value);

/** Write a field of type double. */
void pp_protobuf_double(struct pp_protobuf *out, unsigned field, double value);

/** Write a field of type string or bytes. */
void pp_protobuf_text(struct pp_protobuf *out, unsigned field, const char *text, size_t len);

/** Begin a field that is a message. Its fields follow, up to pp_protobuf_close(). */
void pp_protobuf_open(struct pp_protobuf *out, unsigned field);

/** End the message that was begun last. */
void pp_protobuf_close(struct pp_protobuf *out);

/** Get more memory for pp_protobuf_reserve(). @return false: there is none. */
bool pp_protobuf_grow(struct pp_protobuf *out, size_t more);

/** Make place for bytes that the caller writes itself, and adds to out->len: for messages of which a trace
 * has millions. @return Where they belong; NULL: no memory. */
static inline unsigned char *
pp_protobuf_reserve(struct pp_protobuf *out, size_t more)
{
    if (out->cap - out->len < more && !pp_protobuf_grow(out, more))
        return NULL;
    return out->byte + out->len;
}

/** Write a varint. @param at PP_PROTOBUF_VARINT_MAX bytes. @return Where the next byte belongs. */
static inline unsigned char *
pp_protobuf_varint_at(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

/** Write the key of a field. @param at, @return As pp_protobuf_varint_at(). */
static inline unsigned char *
pp_protobuf_key_at(unsigned char *at, unsigned field, unsigned type)
{
    return pp_protobuf_varint_at(at, (uint64_t)field << 3 | type);
}

/** Write the value of a field of type double. @param at, @return As pp_protobuf_varint_at(). */
static inline unsigned char *
pp_protobuf_double_at(unsigned char *at, double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(bits));
    for (unsigned i = 0; i < 8; i++)
        *at++ = (unsigned char)(bits >> (8 * i));
    return at;
}

/** Write length and bytes of a text. @param at Place for both. @return As pp_protobuf_varint_at(). */
static inline unsigned char *
pp_protobuf_text_at(unsigned char *at, const char *text, size_t len)
{
    at = pp_protobuf_varint_at(at, len);
    memcpy(at, text, len);
    return at + len;
}

#endif
