/** @file
 * Names of the vocabulary's kinds; see work.h. */
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
pp_work_kind_name(enum pp_work_kind kind)
{
    static const char *const name[PP_WORK_KIND_COUNT] = {
        [PP_WORK_DRAW] = "draw",
        [PP_WORK_MESH_TASKS] = "mesh-tasks",
        [PP_WORK_CLEAR] = "clear",
        [PP_WORK_DISPATCH] = "dispatch",
        [PP_WORK_TRACE_RAYS] = "trace-rays",
        [PP_WORK_BUILD] = "build",
        [PP_WORK_COPY] = "copy",
        [PP_WORK_BLIT] = "blit",
        [PP_WORK_RESOLVE] = "resolve",
        [PP_WORK_FILL] = "fill",
        [PP_WORK_UPLOAD] = "upload",
        [PP_WORK_READBACK] = "read-back",
        [PP_WORK_MIPMAP] = "mipmap",
    };
    return (unsigned)kind < PP_WORK_KIND_COUNT ? name[kind] : "unknown";
}
