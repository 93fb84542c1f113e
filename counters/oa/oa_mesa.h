/** @file
 * Faults of Mesa's Intel drivers that make OA counters wrong or harmful, by Mesa's version and the GPU. All
 * front ends use this table. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_OA_OA_MESA_H
#define PP_COUNTERS_OA_OA_MESA_H

#include <stdint.h>

/** A version of Mesa as one number: PP_MESA_VERSION(22, 3, 6). */
#define PP_MESA_VERSION(major, minor, patch) ((major)*1000000U + (minor)*1000U + (patch))

/** What a driver is asked for. */
enum pp_oa_mesa_way {
    PP_OA_MESA_METRICS, /**< metrics that Mesa computes: the sources `khr`, `intel`, `amd` */
    PP_OA_MESA_REPORTS, /**< raw results (VK_INTEL_performance_query): Vulkan's source `oa` */
};

/**
 * Find the reason why counters must not be measured in this way.
 *
 * @param version PP_MESA_VERSION() of the driver.
 * @param gen     Graphics generation times ten: PP_OA_GEN9, ...; 0: not known, or a GPU without metric sets.
 * @return Static text for the user; NULL: no fault is known.
 */
const char *pp_oa_mesa_fault(enum pp_oa_mesa_way way, uint32_t version, unsigned gen);

/** Read Mesa's version from a GL_VERSION: "4.6 (Core Profile) Mesa 25.0.7-2". @return PP_MESA_VERSION(); 0:
 * the text names no version of Mesa. */
uint32_t pp_oa_mesa_version(const char *gl_version);

/** Find the generation of a GPU from Mesa's GL_RENDERER: "Mesa Intel(R) HD Graphics 620 (KBL GT2)". @return
 * The generation times ten; 0: the text names no GPU from Broadwell to Ice Lake. */
unsigned pp_oa_mesa_gen(const char *gl_renderer);

#endif
