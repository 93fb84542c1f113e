/** @file
 * Numbers as text, eight digits at a time; see digits.h. */
#include "core/util/digits.h"

#include <endian.h>
#include <stddef.h>

/* Eight decimal digits of a number below 10^8, each in its own byte, the first digit in the lowest byte.
 * The number is split in halves of four digits, then of two, then of one; the halves are computed in
 * parallel. */
static inline uint64_t
eight_digits(uint32_t number)
{
    uint64_t four = number / 10000 | (uint64_t)(number % 10000) << 32;
    uint64_t high = four * 5243 >> 19 & UINT64_C(0x0000007f0000007f); /* / 100, exact below 10^4 */
    uint64_t two = high | (four - 100 * high) << 16;
    uint64_t tens = two * 103 >> 10 & UINT64_C(0x000f000f000f000f); /* / 10, exact below 100 */
    return tens | (two - 10 * tens) << 8;
}

/* Write a number below 10^8 without leading zeros. @p to holds at least 8 bytes. @return Length of the
 * number. */
static inline size_t
put_first_digits(char *to, uint32_t number)
{
    uint64_t digits = eight_digits(number);
    unsigned zeros = digits ? (unsigned)__builtin_ctzll(digits) / 8U : 7U;
    digits = htole64((digits + UINT64_C(0x3030303030303030)) >> 8 * zeros);
    memcpy(to, &digits, sizeof(digits));
    return 8U - zeros;
}

/* Put all eight digits. */
static inline size_t
put_next_digits(char *to, uint32_t number)
{
    uint64_t digits = htole64(eight_digits(number) + UINT64_C(0x3030303030303030));
    memcpy(to, &digits, sizeof(digits));
    return sizeof(digits);
}

char *
pp_put_long_number(char *to, uint64_t value)
{
    const uint64_t part = 100000000;
    if (value < part)
        return to + put_first_digits(to, (uint32_t)value);
    uint64_t high = value / part;
    size_t length;
    if (high < part) {
        length = put_first_digits(to, (uint32_t)high);
    } else {
        length = put_first_digits(to, (uint32_t)(high / part));
        length += put_next_digits(to + length, (uint32_t)(high % part));
    }
    to += length;
    return to + put_next_digits(to, (uint32_t)(value % part));
}

/* Eight hexadecimal digits in memory order, each nibble in its own byte. */
static uint64_t
hex_digits(uint32_t number)
{
    uint64_t nibble = (number | (uint64_t)number << 16) & UINT64_C(0x0000ffff0000ffff);
    nibble = (nibble | nibble << 8) & UINT64_C(0x00ff00ff00ff00ff);
    nibble = (nibble | nibble << 4) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    uint64_t letter = (nibble + UINT64_C(0x0606060606060606)) >> 4 & UINT64_C(0x0101010101010101);
    return htobe64(nibble + UINT64_C(0x3030303030303030) + letter * ('a' - '0' - 10));
}

char *
pp_put_id(char *to, uint64_t id)
{
    const uint64_t digits[] = {hex_digits((uint32_t)(id >> 32)), hex_digits((uint32_t)id)};
    memcpy(to, digits, sizeof(digits));
    return to + sizeof(digits);
}
