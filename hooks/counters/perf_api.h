/** @file
 * What the counter sources of OpenGL call to ask the current context for its counters. The shim fills in the
 * driver's functions (perf_driver.h), the command those of libepoxy (cli/probe/gl.c). See also
 * perf.h. */
#ifndef PP_HOOKS_COUNTERS_PERF_API_H
#define PP_HOOKS_COUNTERS_PERF_API_H

#include <stdbool.h>

#include "hooks/base/gl_types.h"

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

#endif
