/** @file
 * See driver_faults.h. Sources: Mesa 22.3.6 and 25.0.7, and runs of them on the device of
 * tests/lab, which simulates a GPU. */
#include "hooks/base/driver_faults.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

/* Rows of the table. A driver has the faults of all rows that match it. Remove a row when no supported
 * version has the fault. */
static const struct row {
    const char *vendor, *renderer; /**< begin of GL_VENDOR and of GL_RENDERER; NULL: any */
    const char *gpu;               /**< begin of the last brackets in GL_RENDERER; NULL: any */
    unsigned fixed;                /**< Mesa's first version without it, major * 100 + minor; 0: none yet */
    struct pp_gl_driver_faults faults;
} rows[] = {
    /* freedreno: fd_context_batch_locked() loops for ever, because the context's batch has been flushed: a
     * dispatch flushes the rendering before it, and then makes it the context's batch again. Seen in 22.3.6
     * on a simulated GPU and in the source of 23.0.4; 23.3.6 has a separate batch for dispatches. */
    {"freedreno", NULL, NULL, 2303, {.flush_dispatches = true}},
    /* iris, crocus: dispatches go to IRIS_BATCH_COMPUTE, timestamps and OA reports to IRIS_BATCH_RENDER, and
     * the kernel runs the two in any order. Seen in 22.3.6; the same in the source of 25.0.7. */
    {"Intel", "Mesa Intel", NULL, 0, {.dispatches_apart = true}},
    /* iris, crocus, i965: intel_perf_get_query_data() reads the i915-perf stream in a loop until it has a
     * report that is younger than the query's end. Seen in 22.3.6; the same in the source of 25.0.7. */
    {"Intel", "Mesa Intel", NULL, 0, {.waits_for_reports = true}},
    {"Intel", "Mesa DRI", NULL, 0, {.waits_for_reports = true}},
    /* crocus, i965 on Haswell: a change of the context makes no report. intel_perf_init_context() asks for a
     * report after 80 ns * 2^n, the first n at which that is longer than 2^32 / (2 * EUs) ns. GT1 to GT3 have
     * 10, 20 and 40 EUs. Seen in 22.3.6 on a simulated GT2. */
    {"Intel", "Mesa ", "HSW GT1", 0, {.report_period_ms = 336}},
    {"Intel", "Mesa ", "HSW GT2", 0, {.report_period_ms = 168}},
    {"Intel", "Mesa ", "HSW GT3", 0, {.report_period_ms = 84}},
};

static bool
begins_with(const char *text, const char *begin)
{
    return !begin || strncmp(text, begin, strlen(begin)) == 0;
}

/* The text in the last brackets, as in "Mesa Intel(R) HD Graphics 4600 (HSW GT2)". */
static const char *
gpu_in(const char *renderer)
{
    const char *open = strrchr(renderer, '(');
    return open ? open + 1 : "";
}

/* Version of Mesa in GL_VERSION ("4.6 (Core Profile) Mesa 22.3.6"), as major * 100 + minor. @return 0: not
 * Mesa. */
static unsigned
mesa_version(const char *version)
{
    const char *mesa = strstr(version, "Mesa ");
    char *end = NULL;
    if (!mesa)
        return 0;
    unsigned long major = strtoul(mesa + strlen("Mesa "), &end, 10);
    unsigned long minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    return major < 1000 && minor < 100 ? (unsigned)(major * 100 + minor) : 0;
}

struct pp_gl_driver_faults
pp_gl_driver_faults_of(const char *vendor, const char *renderer, const char *version)
{
    struct pp_gl_driver_faults found = {0};
    unsigned mesa = mesa_version(version);
    for (size_t i = 0; mesa > 0 && i < PP_ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        if ((row->fixed && mesa >= row->fixed) || !begins_with(vendor, row->vendor) ||
            !begins_with(renderer, row->renderer) || !begins_with(gpu_in(renderer), row->gpu))
            continue;
        found.flush_dispatches |= row->faults.flush_dispatches;
        found.dispatches_apart |= row->faults.dispatches_apart;
        found.waits_for_reports |= row->faults.waits_for_reports;
        if (row->faults.report_period_ms > found.report_period_ms)
            found.report_period_ms = row->faults.report_period_ms;
    }
    return found;
}
