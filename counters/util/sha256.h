/** @file
 * SHA-256 of bytes. Source: FIPS 180-4, section 6.2. */
#ifndef PP_COUNTERS_UTIL_SHA256_H
#define PP_COUNTERS_UTIL_SHA256_H

#include <stddef.h>
#include <stdint.h>

/** Digits of a hash in hexadecimal. */
#define PP_SHA256_DIGITS 64

/** A running hash. Plain data. */
struct pp_sha256 {
    uint32_t state[8];
    uint64_t bytes; /**< that were added */
    uint8_t block[64];
};

/** Begin a hash. */
void pp_sha256_init(struct pp_sha256 *hash);

/** Add bytes to a running hash. */
void pp_sha256_add(struct pp_sha256 *hash, const void *bytes, size_t size);

/** Add a text and a NUL, so that ("ab", "c") and ("a", "bc") have different hashes. @param text NULL: "". */
void pp_sha256_add_text(struct pp_sha256 *hash, const char *text);

/** End a hash. @param hash pp_sha256_init() begins a new one. @param ret PP_SHA256_DIGITS + 1 bytes:
 * lower-case hexadecimal digits. */
void pp_sha256_end(struct pp_sha256 *hash, char *ret);

#endif
