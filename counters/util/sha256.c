/** @file
 * SHA-256; see sha256.h. */
#include "counters/util/sha256.h"

#include <stdio.h>
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t
rotate(uint32_t value, unsigned bits)
{
    return value >> bits | value << (32 - bits);
}

/* Make the 64 words of a block. */
static void
expand(const uint8_t *block, uint32_t *word)
{
    for (size_t i = 0; i < 16; i++)
        word[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
                  (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (size_t i = 16; i < 64; i++) {
        uint32_t a = word[i - 15], b = word[i - 2];
        word[i] = word[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + word[i - 7] +
                  (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void
add_block(struct pp_sha256 *hash, const uint8_t *block)
{
    uint32_t word[64], s[8];
    expand(block, word);
    memcpy(s, hash->state, sizeof(s));
    for (size_t i = 0; i < 64; i++) {
        uint32_t e = rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25);
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t first = s[7] + e + choice + constant[i] + word[i];
        uint32_t a = rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22);
        uint32_t second = a + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += first;
        s[0] = first + second;
    }
    for (size_t i = 0; i < 8; i++)
        hash->state[i] += s[i];
}

void
pp_sha256_init(struct pp_sha256 *hash)
{
    *hash = (struct pp_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                         0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void
pp_sha256_add(struct pp_sha256 *hash, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;
    while (size) {
        size_t at = hash->bytes % sizeof(hash->block);
        size_t part = sizeof(hash->block) - at < size ? sizeof(hash->block) - at : size;
        memcpy(hash->block + at, from, part);
        hash->bytes += part;
        from += part;
        size -= part;
        if (at + part == sizeof(hash->block))
            add_block(hash, hash->block);
    }
}

void
pp_sha256_add_text(struct pp_sha256 *hash, const char *text)
{
    pp_sha256_add(hash, text ? text : "", (text ? strlen(text) : 0) + 1);
}

void
pp_sha256_end(struct pp_sha256 *hash, char *ret)
{
    static const uint8_t pad[64] = {0x80};
    uint64_t bits = hash->bytes * 8;
    uint8_t length[8];
    size_t at = hash->bytes % sizeof(pad);
    for (size_t i = 0; i < sizeof(length); i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    pp_sha256_add(hash, pad, at < 56 ? 56 - at : 120 - at);
    pp_sha256_add(hash, length, sizeof(length));
    for (size_t i = 0; i < 8; i++)
        snprintf(ret + 8 * i, 9, "%08x", hash->state[i]);
}
