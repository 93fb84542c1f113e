/** @file
 * Faults of Mesa's Intel drivers; see oa_mesa.h. The versions come from Mesa's sources as Debian and Ubuntu
 * have them. A version between the last good and the first bad one that were read counts as bad. */
#include "counters/oa/oa_mesa.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "counters/oa/oa_gpu.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

static const struct {
    enum pp_oa_mesa_way way;
    uint32_t first, last; /* versions of Mesa with the fault */
    unsigned first_gen, last_gen;
    const char *reason;
} fault[] = {
    /* intel_perf.c, i915_query_perf_config_data(): the driver reads the kernel's answer 4 bytes too early,
     * and takes 4 characters of a UUID for the number of registers, for which it allocates and clears 13 GB.
     * Bad in 22.3.6 and 23.1.0, good in 23.3.6, 24.0.5 and 25.0.7. Delete this row when Mesa 23 is no longer
     * used. */
    {PP_OA_MESA_REPORTS, 0, PP_MESA_VERSION(23, 3, 5), 0, UINT32_MAX, PP_TEXT_OA_MESA_MEMORY},
    /* intel_perf.c, intel_perf_query_result_accumulate(): reports from Broadwell to Ice Lake are read as
     * those of Haswell, so that counter A[n] has the value of A[n - 1] and A[0] that of the clock. Good
     * in 22.3.6, 23.3.6 and 24.0.5, bad in 25.0.7, 25.2.8 and the sources of 26.0. End this row with the last
     * bad version. */
    {PP_OA_MESA_METRICS, PP_MESA_VERSION(24, 1, 0), UINT32_MAX, PP_OA_GEN8, PP_OA_GEN11,
     PP_TEXT_OA_MESA_SHIFTED},
};

const char *
pp_oa_mesa_fault(enum pp_oa_mesa_way way, uint32_t version, unsigned gen)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(fault); i++)
        if (fault[i].way == way && version >= fault[i].first && version <= fault[i].last &&
            gen >= fault[i].first_gen && gen <= fault[i].last_gen)
            return fault[i].reason;
    return NULL;
}

uint32_t
pp_oa_mesa_version(const char *gl_version)
{
    unsigned major = 0, minor = 0, patch = 0;
    const char *at = strstr(gl_version, "Mesa ");
    if (!at || sscanf(at, "Mesa %4u.%3u.%3u", &major, &minor, &patch) < 2)
        return 0;
    return PP_MESA_VERSION(major, minor, patch);
}

unsigned
pp_oa_mesa_gen(const char *gl_renderer)
{
    /* First words in the last brackets: the names of include/pci_ids/{crocus,iris}_pci_ids.h of 22.3.6. */
    static const struct {
        char name[4];
        unsigned gen;
    } known[] = {
        {"BDW", PP_OA_GEN8},  {"CHV", PP_OA_GEN8},  {"BSW", PP_OA_GEN8},  {"SKL", PP_OA_GEN9},
        {"BXT", PP_OA_GEN9},  {"APL", PP_OA_GEN9},  {"KBL", PP_OA_GEN9},  {"AML", PP_OA_GEN9},
        {"GLK", PP_OA_GEN9},  {"CFL", PP_OA_GEN9},  {"WHL", PP_OA_GEN9},  {"CML", PP_OA_GEN9},
        {"ICL", PP_OA_GEN11}, {"EHL", PP_OA_GEN11}, {"JSL", PP_OA_GEN11},
    };
    const char *open = strrchr(gl_renderer, '(');
    for (size_t i = 0; open && i < PP_ARRAY_SIZE(known); i++)
        if (strncmp(open + 1, known[i].name, 3) == 0)
            return known[i].gen;
    return 0;
}
