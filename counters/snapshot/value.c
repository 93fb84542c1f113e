/** @file
 * Statuses, units and numbers; see value.h. */
#include "counters/snapshot/value.h"

#include <string.h>

const char *
pp_unit_suffix(enum pp_unit unit)
{
    switch (unit) {
    case PP_UNIT_NS:
        return "_ns";
    case PP_UNIT_BYTES:
        return "_bytes";
    case PP_UNIT_PERCENT:
        return "_percent";
    case PP_UNIT_HZ:
        return "_hz";
    case PP_UNIT_CYCLES:
        return "_cycles";
    case PP_UNIT_TICKS:
        return "_ticks";
    case PP_UNIT_KELVIN:
        return "_kelvin";
    case PP_UNIT_WATTS:
        return "_watts";
    case PP_UNIT_VOLTS:
        return "_volts";
    case PP_UNIT_AMPS:
        return "_amps";
    case PP_UNIT_BYTES_PER_S:
        return "_bytes_per_second";
    case PP_UNIT_COUNT:
    case PP_UNIT_OTHER:
        break;
    }
    return "";
}

static double
double_of(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static uint64_t
bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    return bits;
}

uint64_t
pp_number_widen(enum pp_number number, uint64_t raw)
{
    uint32_t low = (uint32_t)raw;
    float single;
    if (number == PP_NUMBER_I32)
        return (uint64_t)(int64_t)(int32_t)low;
    if (number != PP_NUMBER_F32)
        return raw;
    memcpy(&single, &low, sizeof(single));
    return bits_of((double)single);
}

uint64_t
pp_number_add(enum pp_number image, uint64_t a, uint64_t b)
{
    return image == PP_NUMBER_F64 ? bits_of(double_of(a) + double_of(b)) : a + b;
}
