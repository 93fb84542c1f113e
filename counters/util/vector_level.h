/** @file
 * Room: loops over columns that are compiled several times, for plain x86-64 and for wider vectors, and
 * picked by what the processor has. A file with such a loop defines it as PP_WIDE_NAME(function);
 * counters/CMakeLists.txt compiles it again with PP_WIDE = avx2 and avx512, and wide.c is the function that
 * picks. Where that is not possible there is one copy under the plain name. All copies give the same bits. */
#ifndef PP_COUNTERS_UTIL_VECTOR_LEVEL_H
#define PP_COUNTERS_UTIL_VECTOR_LEVEL_H

#include "counters/metric/metric.h"
#include "counters/snapshot/layout_columns.h"

#define PP_WIDE_PASTE2(name, level) name##_##level
#define PP_WIDE_PASTE(name, level)  PP_WIDE_PASTE2(name, level)
#if defined(PP_WIDE)
#define PP_WIDE_NAME(name) PP_WIDE_PASTE(name, PP_WIDE) /* a further copy */
#elif defined(PP_WIDE_DISPATCH)
#define PP_WIDE_NAME(name) PP_WIDE_PASTE(name, plain) /* the first of several */
#else
#define PP_WIDE_NAME(name) name /* the only one */
#endif

#ifdef PP_WIDE_DISPATCH
#define PP_WIDE_DECLARE(level)                                                                               \
    void pp_layout_plan_decode_##level(const struct pp_layout_plan *plan,                                    \
                                       const struct pp_snapshot_pairs *pairs, uint64_t *value,               \
                                       size_t stride, void *scratch);                                        \
    void pp_metric_eval_##level(const struct pp_metric_program *program,                                     \
                                const struct pp_metric_column *column,                                       \
                                const struct pp_metric_result *result, size_t rows, void *workspace)
PP_WIDE_DECLARE(plain);
PP_WIDE_DECLARE(avx2);
PP_WIDE_DECLARE(avx512);
#endif

/** How wide the processor's vectors are. */
enum pp_wide {
    PP_WIDE_PLAIN,
    PP_WIDE_AVX2,
    PP_WIDE_AVX512,
};

/** What this processor has; PP_WIDE_PLAIN where only one copy was compiled. */
enum pp_wide pp_wide_level(void);

#endif
