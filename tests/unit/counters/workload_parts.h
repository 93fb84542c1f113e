/** @file
 * Workloads of a GPU without counters, computed from the arguments of a draw: for the vectors of the
 * speed-of-light model. */
#ifndef PP_TESTS_UNIT_COUNTERS_WORKLOAD_PARTS_H
#define PP_TESTS_UNIT_COUNTERS_WORKLOAD_PARTS_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters/speed_of_light/bottleneck.h"

/** Add texture lookups: threads x anisotropy (1 if below) bilinear samples, twice that for a filter called
 * "trilinear". @return As pp_workload_add(). */
static inline int
workload_add_texture(struct pp_workload *work, double threads, double anisotropy, const char *format,
                     const char *filter)
{
    char key[sizeof(work->amount[0].key)];
    int len = snprintf(key, sizeof(key), *format ? "tex_bilerp.%s" : "tex_bilerp", format);
    if (len < 0 || (size_t)len >= sizeof(key))
        return -EINVAL;
    double samples = threads * (anisotropy > 1 ? anisotropy : 1) * (strcmp(filter, "trilinear") ? 1 : 2);
    return pp_workload_add(work, key, samples, false);
}

/** Add the load of vertices: attribute fetch, and viewport, clip, cull. @return As pp_workload_add(). */
static inline int
workload_add_vertices(struct pp_workload *work, double vertices, double attributes, double primitives,
                      double out_scalars)
{
    int err = pp_workload_add(work, "vertex_attribute", vertices * attributes, false);
    if (!err)
        err = pp_workload_add(work, "vpc_vertex", vertices, false);
    if (!err)
        err = pp_workload_add(work, "vpc_prim", primitives, false);
    return err ? err : pp_workload_add(work, "vpc_scalar", vertices * out_scalars, false);
}

#endif
