/** @file
 * See number_text.h. */
#include "cli/trace/number_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Whole numbers up to here have 15 digits at most, so `%.17g` writes all of them and no exponent. */
#define WHOLE_MOST 1e15

/* 00 to 99. */
static const char pair[] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445"
    "4647484950515253545556575859606162636465666768697071727374757677787980818283848586878889"
    "90919293949596979899";

size_t
pp_number_text_u64(uint64_t number, char *ret)
{
    char digits[PP_NUMBER_TEXT_MAX];
    size_t at = sizeof(digits);
    for (; number >= 100; number /= 100) {
        at -= 2;
        memcpy(digits + at, pair + 2 * (number % 100), 2);
    }
    if (number >= 10) {
        at -= 2;
        memcpy(digits + at, pair + 2 * number, 2);
    } else {
        digits[--at] = (char)('0' + number);
    }
    size_t len = sizeof(digits) - at;
    memcpy(ret, digits + at, len);
    ret[len] = '\0';
    return len;
}

size_t
pp_number_text_i64(int64_t number, char *ret)
{
    if (number >= 0)
        return pp_number_text_u64((uint64_t)number, ret);
    *ret = '-';
    return 1 + pp_number_text_u64(-(uint64_t)number, ret + 1);
}

size_t
pp_number_text_double(double number, char *ret)
{
    if (fabs(number) < WHOLE_MOST && number >= (double)(int64_t)number && number <= (double)(int64_t)number &&
        !(number == 0 && signbit(number)))
        return pp_number_text_i64((int64_t)number, ret);
    int len = snprintf(ret, PP_NUMBER_TEXT_MAX, "%.17g", number);
    return len > 0 ? (size_t)len : 0;
}
