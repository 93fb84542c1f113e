/** @file
 * See printable.h. */
#include "counters/util/printable.h"

#include <stdint.h>
#include <string.h>

#include "counters/util/array_size.h"

/* Code points that are not printed, ascending. Source: Unicode 15.0, UnicodeData.txt (categories Cc, Zl, Zp;
 * U+FFF9 to U+FFFB of Cf) and DerivedCoreProperties.txt (Default_Ignorable_Code_Point). */
static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F},   {0x00AD, 0x00AD},   {0x034F, 0x034F},   {0x061C, 0x061C},
    {0x115F, 0x1160}, {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

size_t
pp_utf8_length(const unsigned char *p)
{
    unsigned char low = 0x80;
    unsigned char high = 0xBF;
    size_t len = p[0] < 0x80 ? 1 : p[0] >= 0xC2 && p[0] <= 0xDF ? 2 : (p[0] & 0xF0) == 0xE0 ? 3 : 0;
    if (p[0] >= 0xF0 && p[0] <= 0xF4)
        len = 4;
    if (p[0] == 0xE0)
        low = 0xA0;
    else if (p[0] == 0xED)
        high = 0x9F;
    else if (p[0] == 0xF0)
        low = 0x90;
    else if (p[0] == 0xF4)
        high = 0x8F;
    for (size_t i = 1; i < len; i++) {
        if (p[i] < low || p[i] > high)
            return 0;
        low = 0x80;
        high = 0xBF;
    }
    return len;
}

static bool
is_hidden(uint32_t code)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(hidden) && hidden[i].first <= code; i++)
        if (code <= hidden[i].last)
            return true;
    return false;
}

size_t
pp_printable_next(const char *text, bool *ret_printable)
{
    const unsigned char *p = (const unsigned char *)text;
    static const uint8_t bits[] = {0, 0x7F, 0x1F, 0x0F, 0x07}; /* of the first byte, by length */
    size_t length = pp_utf8_length(p);
    if (length == 0) {
        *ret_printable = false;
        return 1;
    }
    uint32_t code = p[0] & bits[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (p[i] & 0x3FU);
    *ret_printable = !is_hidden(code);
    return length;
}

char *
pp_printable_clean(char *text, char instead)
{
    char *to = text;
    for (const char *at = text; *at;) {
        bool printable = false;
        size_t length = pp_printable_next(at, &printable);
        if (printable) {
            memmove(to, at, length);
            to += length;
        } else {
            *to++ = instead;
        }
        at += length;
    }
    *to = '\0';
    return text;
}
