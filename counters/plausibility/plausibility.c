/** @file
 * See plausibility.h. Rules of counters;
 *
 * Events and their parts; */
#include "counters/plausibility/plausibility.h"

#include <math.h>
#include <stddef.h>

#include "counters/util/array_size.h"
#include "pp_texts.h"

/* No GPU runs slower or faster than this. A bracket that is shorter has too few ticks for a frequency. */
#define LOWEST_HZ   5e6
#define HIGHEST_HZ  1e10
#define SHORTEST_NS 5000
/* In so much time by the GPU's timestamps, clocks and time of a source have passed, too. */
#define STUCK_NS 50000
/* More clocks than fit into a bracket that has no time. */
#define MANY_CLOCKS 100000
/* A bracket with fewer clocks does not say how busy the GPU was. In one with fewer than the second number, so
 * many clocks of difference at its ends are allowed. */
#define FEW_BUSY   16
#define MANY_BUSY  1000
#define DIFFERENCE 100
/* After this many brackets the counts begin again, so that a fault that comes late is found. */
#define WINDOW 1024U

/* What is counted. A frequency can be too low in long brackets only, and too high in all, so these are two
 * rules: otherwise sound short brackets would not speak for a source. */
enum rule { RULE_STUCK, RULE_SLOW, RULE_FAST, RULE_BUSY, RULE_SHIFTED };

static const enum pp_contradiction contradiction_of[PP_PLAUSIBILITY_RULES] = {
    [RULE_STUCK] = PP_CONTRADICTION_STUCK,     [RULE_SLOW] = PP_CONTRADICTION_FREQUENCY,
    [RULE_FAST] = PP_CONTRADICTION_FREQUENCY,  [RULE_BUSY] = PP_CONTRADICTION_BUSY,
    [RULE_SHIFTED] = PP_CONTRADICTION_SHIFTED,
};

/* A rule's answer. */
enum answer { UNKNOWN, HOLDS, BROKEN };

static enum answer
answer(bool known, bool broken)
{
    return !known ? UNKNOWN : broken ? BROKEN : HOLDS;
}

static enum answer
is_stuck(const struct pp_part_values *values)
{
    double clocks = values->part[PP_PART_CLOCKS], ns = values->part[PP_PART_TIME_NS];
    bool stands = clocks == 0 && ns == 0;
    return answer(!isnan(clocks) && !isnan(ns) && (!stands || values->gpu_time_ns >= STUCK_NS), stands);
}

static enum answer
is_slow(const struct pp_part_values *values)
{
    double clocks = values->part[PP_PART_CLOCKS], ns = values->part[PP_PART_TIME_NS];
    return answer(ns >= SHORTEST_NS && clocks >= 0, clocks * 1e9 < LOWEST_HZ * ns);
}

static enum answer
is_fast(const struct pp_part_values *values)
{
    double clocks = values->part[PP_PART_CLOCKS], ns = values->part[PP_PART_TIME_NS];
    bool precise = ns >= SHORTEST_NS || clocks >= MANY_CLOCKS;
    return answer(ns >= 0 && clocks >= 0, precise && clocks * 1e9 > HIGHEST_HZ * ns);
}

static enum answer
is_too_busy(const struct pp_part_values *values)
{
    double clocks = values->part[PP_PART_CLOCKS], busy = values->part[PP_PART_BUSY];
    double excess = (busy - 101) / 100 * clocks, allowed = clocks >= MANY_BUSY ? 0 : DIFFERENCE;
    return answer(clocks >= FEW_BUSY && !isnan(busy), excess > allowed);
}

/* Are there threads of a shader stage, although no shader of the stage was invoked? Draws that the driver
 * makes itself (clears, resolves) have none of these stages. */
static enum answer
has_idle_threads(const struct pp_part_values *values)
{
    static const struct {
        enum pp_part threads, invocations;
    } stage[] = {
        {PP_PART_VS_THREADS, PP_PART_VS_INVOCATIONS},
        {PP_PART_HS_THREADS, PP_PART_HS_PATCHES},
        {PP_PART_DS_THREADS, PP_PART_DS_INVOCATIONS},
        {PP_PART_GS_THREADS, PP_PART_GS_INVOCATIONS},
    };
    enum answer all = UNKNOWN;
    for (size_t i = 0; i < PP_ARRAY_SIZE(stage); i++) {
        double threads = values->part[stage[i].threads], invocations = values->part[stage[i].invocations];
        enum answer one = answer(!isnan(threads) && !isnan(invocations), threads > 0 && invocations == 0);
        all = one > all ? one : all;
    }
    return all;
}

/* Each counter has the value of another one: the busy clocks those of all clocks, the threads of a stage
 * those of the stage before. Either alone may be true on a busy GPU, or on another vendor's. */
static enum answer
is_shifted(const struct pp_part_values *values)
{
    double clocks = values->part[PP_PART_CLOCKS], busy = values->part[PP_PART_BUSY];
    enum answer threads = has_idle_threads(values);
    return answer(clocks > 0 && !isnan(busy) && threads != UNKNOWN,
                  fabs(busy - 100) < 1e-4 && threads == BROKEN);
}

enum pp_contradiction
pp_plausibility_add(struct pp_plausibility *state, const struct pp_part_values *values)
{
    const enum answer answers[PP_PLAUSIBILITY_RULES] = {
        [RULE_STUCK] = is_stuck(values),   [RULE_SLOW] = is_slow(values),       [RULE_FAST] = is_fast(values),
        [RULE_BUSY] = is_too_busy(values), [RULE_SHIFTED] = is_shifted(values),
    };
    for (unsigned i = 0; i < PP_PLAUSIBILITY_RULES && state->found == PP_CONTRADICTION_NONE; i++) {
        if (state->checked[i] == WINDOW)
            state->checked[i] = state->violated[i] = 0;
        state->checked[i] += answers[i] != UNKNOWN;
        state->violated[i] += answers[i] == BROKEN;
        if (state->violated[i] >= PP_PLAUSIBILITY_PROOF && 4 * state->violated[i] >= 3 * state->checked[i])
            state->found = contradiction_of[i];
    }
    return state->found;
}

/* Not is_stuck(): a single bracket may have had no work of the engine that is counted. */
bool
pp_plausibility_is_absurd(const struct pp_part_values *values)
{
    return is_slow(values) == BROKEN || is_fast(values) == BROKEN || is_too_busy(values) == BROKEN;
}

const char *
pp_contradiction_text(enum pp_contradiction contradiction)
{
    switch (contradiction) {
    case PP_CONTRADICTION_STUCK:
        return PP_TEXT_CONTRADICTION_STUCK;
    case PP_CONTRADICTION_FREQUENCY:
        return PP_TEXT_CONTRADICTION_FREQUENCY;
    case PP_CONTRADICTION_BUSY:
        return PP_TEXT_CONTRADICTION_BUSY;
    case PP_CONTRADICTION_SHIFTED:
        return PP_TEXT_CONTRADICTION_SHIFTED;
    case PP_CONTRADICTION_NONE:
    case PP_CONTRADICTIONS:
    default:
        return "";
    }
}

/* Names: Mesa's OA metrics (counters/gpus/intel), by symbol in `oa`, by name in the others. */
static const struct {
    const char *source, *event;
    enum pp_part part;
} table[] = {
    {"oa", "GpuCoreClocks", PP_PART_CLOCKS},
    {"oa", "GpuTime", PP_PART_TIME_NS},
    {"oa", "GpuBusy", PP_PART_BUSY},
    {"oa", "VsThreads", PP_PART_VS_THREADS},
    {"oa", "HsThreads", PP_PART_HS_THREADS},
    {"oa", "DsThreads", PP_PART_DS_THREADS},
    {"oa", "GsThreads", PP_PART_GS_THREADS},
    {"khr", "GPU Core Clocks", PP_PART_CLOCKS},
    {"khr", "GPU Time Elapsed", PP_PART_TIME_NS},
    {"khr", "GPU Busy", PP_PART_BUSY},
    {"khr", "VS Threads Dispatched", PP_PART_VS_THREADS},
    {"khr", "HS Threads Dispatched", PP_PART_HS_THREADS},
    {"khr", "DS Threads Dispatched", PP_PART_DS_THREADS},
    {"khr", "GS Threads Dispatched", PP_PART_GS_THREADS},
    {"intel", "GPU Core Clocks", PP_PART_CLOCKS},
    {"intel", "GPU Time Elapsed", PP_PART_TIME_NS},
    {"intel", "GPU Busy", PP_PART_BUSY},
    {"intel", "VS Threads Dispatched", PP_PART_VS_THREADS},
    {"intel", "HS Threads Dispatched", PP_PART_HS_THREADS},
    {"intel", "DS Threads Dispatched", PP_PART_DS_THREADS},
    {"intel", "GS Threads Dispatched", PP_PART_GS_THREADS},
    {"amd", "GPU Core Clocks", PP_PART_CLOCKS},
    {"amd", "GPU Time Elapsed", PP_PART_TIME_NS},
    {"amd", "GPU Busy", PP_PART_BUSY},
    {"amd", "VS Threads Dispatched", PP_PART_VS_THREADS},
    {"amd", "HS Threads Dispatched", PP_PART_HS_THREADS},
    {"amd", "DS Threads Dispatched", PP_PART_DS_THREADS},
    {"amd", "GS Threads Dispatched", PP_PART_GS_THREADS},
    {"pipeline", "vertex_shader_invocations", PP_PART_VS_INVOCATIONS},
    {"pipeline", "tessellation_control_shader_patches", PP_PART_HS_PATCHES},
    {"pipeline", "tessellation_evaluation_shader_invocations", PP_PART_DS_INVOCATIONS},
    {"pipeline", "geometry_shader_invocations", PP_PART_GS_INVOCATIONS},
};

bool
pp_part_at(uint32_t i, const char **ret_source, const char **ret_event, enum pp_part *ret_part)
{
    if (i >= PP_ARRAY_SIZE(table))
        return false;
    *ret_source = table[i].source;
    *ret_event = table[i].event;
    *ret_part = table[i].part;
    return true;
}
