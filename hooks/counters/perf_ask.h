/** @file
 * Asks the current context for its hardware counters, by GL_AMD_performance_monitor and by
 * GL_INTEL_performance_query, and knows the faults of drivers in their hardware counters. See also perf.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_ASK_H
#define PP_HOOKS_COUNTERS_PERF_ASK_H

#include <stdbool.h>

#include "counters/oa/oa_gpu.h"
#include "hooks/base/gl_types.h"
#include "hooks/base/perf.h"

struct pp_gl_perf_driver;

/** Functions of the current context. Those of an extension are only called if the context has it. */
struct pp_gl_perf_api {
    PFNGLGETSTRINGPROC get_string;
    /* GL_AMD_performance_monitor */
    bool has_monitors; /**< the context has the extension and its functions */
    PFNGLGETPERFMONITORGROUPSAMDPROC get_groups;
    PFNGLGETPERFMONITORCOUNTERSAMDPROC get_counters;
    PFNGLGETPERFMONITORGROUPSTRINGAMDPROC get_group_name;
    PFNGLGETPERFMONITORCOUNTERSTRINGAMDPROC get_counter_name;
    PFNGLGETPERFMONITORCOUNTERINFOAMDPROC get_counter_info;
    const struct pp_gl_perf_driver *monitors; /**< measures with monitors; NULL: nothing is measured */
    /* GL_INTEL_performance_query */
    bool has_queries; /**< the context has the extension and its functions */
    PFNGLGETFIRSTPERFQUERYIDINTELPROC get_first_query;
    PFNGLGETNEXTPERFQUERYIDINTELPROC get_next_query;
    PFNGLGETPERFQUERYINFOINTELPROC get_query_info;
    PFNGLGETPERFCOUNTERINFOINTELPROC get_query_counter_info;
    const struct pp_gl_perf_driver *queries; /**< measures with queries; NULL: nothing is measured */
};

/** Is the current context's driver one of Mesa's for Intel's GPUs? */
bool pp_gl_perf_is_intel(const struct pp_gl_perf_api *api);

/** Find the reason why the current context's driver must not be asked for counters this way. @return Static
 * text for the user; NULL: no fault is known. */
const char *pp_gl_perf_fault(const struct pp_gl_perf_api *api, enum pp_oa_mesa_way way);

/** Ask the current context what it has. `perf->reason` is set if it has nothing. */
void pp_gl_perf_ask_amd(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf);

/** Ask the current context what it has. `perf->reason` is set if it has nothing. */
void pp_gl_perf_ask_intel(const struct pp_gl_perf_api *api, struct pp_gl_perf *perf);

#endif
