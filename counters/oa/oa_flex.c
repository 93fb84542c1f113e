/** @file
 * Selectors of the flexible EU events; see oa_flex.h. */
#include "counters/oa/oa_flex.h"

#include <errno.h>
#include <stdio.h>

#include "counters/oa/oa_gpu.h"

enum { FPU0 = 0, FPU1 = 1, SEND = 2, BOTH = 3, ANY = 4, STALL = 5, OCCUPANCY = 8 };

static struct pp_oa_flex
selector(uint32_t bits)
{
    return (struct pp_oa_flex){
        .event = bits & 0xf, .coarse = (uint8_t)(bits >> 4 & 0xf), .fine = (uint8_t)(bits >> 8 & 0xf)};
}

int
pp_oa_flex_decode(uint32_t address, uint32_t value, struct pp_oa_flex ret[2])
{
    static const uint32_t control[] = {0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c};
    for (int i = 0; i < (int)(sizeof(control) / sizeof(control[0])); i++) {
        if (control[i] == address) {
            ret[0] = selector(value);
            ret[1] = selector(value >> 12);
            return 7 + 2 * i;
        }
    }
    return -ENOENT;
}

static bool
is_eu_number(uint8_t fine)
{
    return fine >= 7 && fine <= 10;
}

static int
instruction_name(const struct pp_oa_flex *flex, char *name, size_t size)
{
    static const char *const kind[] = {[1] = "Hybrid", [2] = "Ternary", [3] = "Binary", [4] = "Move"};
    if (flex->fine >= sizeof(kind) / sizeof(kind[0]) || flex->event > FPU1 || flex->coarse)
        return -ENOENT;
    snprintf(name, size, "Eu%sFpu%dInstruction", kind[flex->fine], flex->event);
    return 0;
}

int
pp_oa_flex_name(unsigned gen, const struct pp_oa_flex *flex, char *name, size_t size)
{
    static const char *const stage[] = {"", "Vs", "Hs", "Ds", "Gs", "Ps", "Cs"};
    bool em = gen >= PP_OA_GEN12; /* FPU0 and FPU1 became FPU and EM */
    name[0] = '\0';
    if (flex->fine && !is_eu_number(flex->fine))
        return instruction_name(flex, name, size);
    if (flex->coarse >= sizeof(stage) / sizeof(stage[0]))
        return -ENOENT;
    const char *of = stage[flex->coarse];
    switch (flex->event) {
    case FPU0:
        snprintf(name, size, "%s%s", of, em ? "FpuActive" : "Fpu0Active");
        return 0;
    case FPU1:
        snprintf(name, size, "%s%s", of, em ? "EmActive" : "Fpu1Active");
        return 0;
    case SEND:
        snprintf(name, size, "%sSendActive", flex->coarse ? of : "Eu");
        return 0;
    case BOTH:
        snprintf(name, size, "%sEu%s", of,
                 em             ? "FpuEmActive"
                 : flex->coarse ? "BothFpuActive"
                                : "FpuBothActive");
        return 0;
    case ANY:
        snprintf(name, size, "%sEuActive", of);
        return 0;
    case STALL:
        snprintf(name, size, "%sEuStall", of);
        return 0;
    case OCCUPANCY:
        if (flex->coarse)
            return -ENOENT;
        snprintf(name, size, "EuThreadOccupancy");
        return 0;
    default:
        return -ENOENT;
    }
}

bool
pp_oa_flex_documented(const struct pp_oa_flex *flex)
{
    bool eu = flex->fine == 0 || is_eu_number(flex->fine);
    bool sends = flex->fine == 5 || flex->fine == 6;
    bool rows_only = flex->coarse == 0 || flex->coarse == 7 || flex->coarse == 8;
    switch (flex->event) {
    case FPU0:
    case FPU1:
        return flex->coarse <= 8 && flex->fine <= 10;
    case SEND:
        return flex->coarse <= 8 && (eu || sends);
    case ANY:
        return rows_only && (eu || sends);
    case BOTH:
    case STALL:
    case OCCUPANCY:
        return rows_only && eu;
    default:
        return false;
    }
}
