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

/** Messages inside of each other at most. */
#define PP_PROTOBUF_DEPTH 8U

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

#endif
