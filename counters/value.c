/** @file
 * Names of statuses and units. */
#include "counters/value.h"

const char *
pp_status_name(enum pp_status status)
{
    static const char *const name[PP_STATUS_COUNT] = {
        [PP_OK] = "ok",
        [PP_SATURATED] = "saturated",
        [PP_PARTIAL] = "partial",
        [PP_DIV_BY_ZERO] = "divided by zero",
        [PP_WRAPPED] = "wrapped",
        [PP_NOT_LANDED] = "not landed",
        [PP_REJECTED] = "rejected",
        [PP_LOST] = "lost",
        [PP_DISABLED] = "disabled",
        [PP_UNSUPPORTED] = "unsupported",
    };
    return (unsigned)status < PP_STATUS_COUNT ? name[status] : "unknown";
}

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
    case PP_UNIT_COUNT:
    case PP_UNIT_OTHER:
        break;
    }
    return "";
}
