/** @file
 * Names of statuses as the JSON files under vectors/ have them. */
#ifndef PP_TESTS_UNIT_COUNTERS_VECTOR_PROGRAMS_STATUS_NAME_H
#define PP_TESTS_UNIT_COUNTERS_VECTOR_PROGRAMS_STATUS_NAME_H

#include "counters/snapshot/value.h"

/** Lower-case name of a status: "ok", "saturated"; never NULL. */
static inline const char *
status_name(enum pp_status status)
{
    static const char *const name[PP_STATUS_COUNT] = {
        [PP_OK] = "ok",
        [PP_SATURATED] = "saturated",
        [PP_PARTIAL] = "partial",
        [PP_DIV_BY_ZERO] = "divided by zero",
        [PP_WRAPPED] = "wrapped",
        [PP_NOT_AVAILABLE] = "not available",
        [PP_REJECTED] = "rejected",
        [PP_LOST] = "lost",
        [PP_COUNTED_EARLIER] = "counted earlier",
        [PP_DISABLED] = "disabled",
        [PP_UNSUPPORTED] = "unsupported",
    };
    return (unsigned)status < PP_STATUS_COUNT && name[status] ? name[status] : "unknown";
}

#endif
