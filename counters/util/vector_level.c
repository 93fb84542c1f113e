/** @file
 * Picking the copy of a loop that fits the processor; see wide.h. */
#include "counters/util/vector_level.h"

#ifdef PP_WIDE_DISPATCH
enum pp_wide
pp_wide_level(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2"))
        return PP_WIDE_PLAIN;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw"))
        return PP_WIDE_AVX512;
    return PP_WIDE_AVX2;
}

void
pp_layout_plan_decode(const struct pp_layout_plan *plan, const struct pp_snapshot_pairs *pairs,
                      uint64_t *value, size_t stride, void *scratch)
{
    enum pp_wide level = pp_wide_level();
    if (level == PP_WIDE_AVX512)
        pp_layout_plan_decode_avx512(plan, pairs, value, stride, scratch);
    else if (level == PP_WIDE_AVX2)
        pp_layout_plan_decode_avx2(plan, pairs, value, stride, scratch);
    else
        pp_layout_plan_decode_plain(plan, pairs, value, stride, scratch);
}

void
pp_metric_eval(const struct pp_metric_program *program, const struct pp_metric_column *column,
               const struct pp_metric_result *result, size_t rows, void *workspace)
{
    enum pp_wide level = pp_wide_level();
    if (level == PP_WIDE_AVX512)
        pp_metric_eval_avx512(program, column, result, rows, workspace);
    else if (level == PP_WIDE_AVX2)
        pp_metric_eval_avx2(program, column, result, rows, workspace);
    else
        pp_metric_eval_plain(program, column, result, rows, workspace);
}
#else
enum pp_wide
pp_wide_level(void)
{
    return PP_WIDE_PLAIN;
}
#endif
