/** @file
 * Whole numbers as text. Writing numbers is the collector's most frequent task. The text does not depend on
 * the locale. This file knows no files. */
#ifndef PP_CORE_UTIL_DIGITS_H
#define PP_CORE_UTIL_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** Bytes that any number needs: 20 digits, written eight at a time. */
#define PP_NUMBER_ROOM 24U

/** Bytes that an id needs. */
#define PP_ID_ROOM 16U

/** The numbers 0 to 99 as two digits each. */
static const char pp_digit_pair[] = "00010203040506070809101112131415161718192021222324"
                                    "25262728293031323334353637383940414243444546474849"
                                    "50515253545556575859606162636465666768697071727374"
                                    "75767778798081828384858687888990919293949596979899";

/** Write a number of 10,000 or more. @p to holds PP_NUMBER_ROOM bytes. @return The byte after the last
 * digit. */
char *pp_put_long_number(char *to, uint64_t value);

/** Write an id as 16 hexadecimal digits. @p to holds PP_ID_ROOM bytes. @return The byte after the last
 * digit. */
char *pp_put_id(char *to, uint64_t id);

/** Write a number without leading zeros. @p to holds PP_NUMBER_ROOM bytes. @return The byte after the last
 * digit. Hot. */
static inline char *
pp_put_number(char *to, uint64_t value)
{
    if (value < 10) {
        *to = (char)('0' + value);
        return to + 1;
    }
    if (value >= 10000)
        return pp_put_long_number(to, value);
    uint32_t high = (uint32_t)value / 100, low = (uint32_t)value % 100;
    if (high >= 10) {
        memcpy(to, pp_digit_pair + 2 * (size_t)high, 2);
        to += 2;
    } else if (high) {
        *to++ = (char)('0' + high);
    }
    memcpy(to, pp_digit_pair + 2 * (size_t)low, 2);
    return to + 2;
}

#endif
