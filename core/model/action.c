/** @file
 * Names of pass kinds; see action.h. */
#include "core/model/action.h"

const char *
pp_pass_kind_name(enum pp_pass_kind kind)
{
    static const char *const name[PP_PASS_KIND_COUNT] = {
        [PP_PASS_NONE] = "none",         [PP_PASS_RENDER] = "render",         [PP_PASS_COMPUTE] = "compute",
        [PP_PASS_TRANSFER] = "transfer", [PP_PASS_TRACE_RAYS] = "trace-rays", [PP_PASS_BARRIER] = "barrier",
        [PP_PASS_FRAME] = "frame",
    };
    return (unsigned)kind < PP_PASS_KIND_COUNT ? name[kind] : "unknown";
}
