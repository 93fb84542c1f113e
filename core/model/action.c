/** @file
 * Names of pass kinds and action kinds; see action.h. */
#include "core/model/action.h"

const char *
pp_pass_kind_name(enum pp_pass_kind kind)
{
    static const char *const name[PP_PASS_KIND_COUNT] = {
        [PP_PASS_NONE] = "none",         [PP_PASS_RENDER] = "render",         [PP_PASS_COMPUTE] = "compute",
        [PP_PASS_TRANSFER] = "transfer", [PP_PASS_TRACE_RAYS] = "trace-rays", [PP_PASS_FRAME] = "frame",
    };
    return (unsigned)kind < PP_PASS_KIND_COUNT ? name[kind] : "unknown";
}

const char *
pp_action_kind_name(enum pp_action_kind kind)
{
    static const char *const name[PP_ACTION_KIND_COUNT] = {
        [PP_ACTION_DRAW] = "draw",
        [PP_ACTION_MESH_TASKS] = "mesh-tasks",
        [PP_ACTION_CLEAR] = "clear",
        [PP_ACTION_DISPATCH] = "dispatch",
        [PP_ACTION_TRACE_RAYS] = "trace-rays",
        [PP_ACTION_BUILD] = "build",
        [PP_ACTION_COPY] = "copy",
        [PP_ACTION_BLIT] = "blit",
        [PP_ACTION_RESOLVE] = "resolve",
        [PP_ACTION_FILL] = "fill",
        [PP_ACTION_UPLOAD] = "upload",
        [PP_ACTION_READBACK] = "read-back",
        [PP_ACTION_MIPMAP] = "mipmap",
    };
    return (unsigned)kind < PP_ACTION_KIND_COUNT ? name[kind] : "unknown";
}
