/** @file
 * Faults of OpenGL drivers; see perf_quirks.h. Mesa's are in counters/oa/oa_mesa.c, which serves Vulkan, too.
 */
#include "hooks/counters/perf_quirks.h"

#include <stddef.h>
#include <string.h>

#include "counters/oa/oa_mesa.h"

bool
pp_gl_perf_is_intel(const struct pp_gl_perf_api *api)
{
    const char *renderer = (const char *)api->get_string(GL_RENDERER);
    return renderer && strstr(renderer, "Intel");
}

const char *
pp_gl_perf_fault(const struct pp_gl_perf_api *api)
{
    const char *version = (const char *)api->get_string(GL_VERSION);
    const char *renderer = (const char *)api->get_string(GL_RENDERER);
    uint32_t mesa = version ? pp_oa_mesa_version(version) : 0;
    /* Only Mesa's own drivers of Intel's GPUs have the fault, not drivers on top of Vulkan. */
    if (mesa == 0 || !renderer || strncmp(renderer, "Mesa Intel", strlen("Mesa Intel")) != 0)
        return NULL;
    return pp_oa_mesa_fault(PP_OA_MESA_METRICS, mesa, pp_oa_mesa_gen(renderer));
}
