/** @file
 * What one decoding of OA reports needs: GPU, layout, metric set, variables, memory. For decode_oa.c only. */
#ifndef PP_CLI_COMMANDS_DECODE_OA_JOB_H
#define PP_CLI_COMMANDS_DECODE_OA_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/commands/decode.h"
#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_set.h"

/** Rows evaluated at a time. */
#define PP_DECODE_OA_BATCH 1024

/** One decoding. */
struct pp_decode_oa_job {
    const struct pp_decode *decode;
    struct pp_oa_gpu gpu;
    const struct pp_layout *layout;
    struct pp_catalogue_set about;
    uint32_t index; /**< of the set in the catalogue */
    struct pp_metric_variable variable[PP_OA_GPU_VARIABLES + PP_OPTION_TEXTS];
    size_t variables;
    struct pp_oa_set *set;
    struct pp_metric_result *result;     /**< PP_DECODE_OA_BATCH rows each */
    struct pp_metric_result *one;        /**< a row of them */
    const struct pp_metrics_item **item; /**< of --metrics, columns after those of the set */
    size_t items;
    void *workspace;
    int id, context; /**< fields RPT_ID and CTX_ID; negative: none */
    bool is_stream;  /**< reports of the OA buffer: RPT_ID says why and at which clock */
    bool counted;    /**< every snapshot is a complete result (MDAPI) */
    bool header_done;
    uint64_t rows;
};

/** Prepare a decoding. @p job Zeroed, except for `decode`. @retval 0, else the exit status; a message was
 * printed. Call pp_decode_oa_job_finish() in both cases. */
__attribute__((warn_unused_result)) int pp_decode_oa_job_init(struct pp_decode_oa_job *job);

/** Free the memory of a decoding. */
void pp_decode_oa_job_finish(struct pp_decode_oa_job *job);

#endif
