/** @file
 * `passprobe decode`: raw hardware reports from a file as CSV on stdout. decode.c reads the command line and
 * the file, decode_oa.c and decode_mali.c decode the reports, decode_csv.c writes the rows. */
#ifndef PP_CLI_COMMANDS_DECODE_H
#define PP_CLI_COMMANDS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"
#include "counters/snapshot/value.h"
#include "counters/user_metrics/metrics_file.h"

#define PP_DECODE_VARIABLES 32

/** What the command line says. */
struct pp_decode {
    const char *gpu;                 /**< NULL: not given */
    const char *set;                 /**< NULL: not given */
    const char *layout;              /**< NULL: that of the GPU */
    const char *path;                /**< for messages */
    struct pp_metrics_file *metrics; /**< of --metrics, or NULL */
    bool pairs;                      /**< reports come in pairs, begin and end */
    bool differences; /**< dumps are not cleared when taken: each row is the difference to the one before */
    struct pp_metric_variable variable[PP_DECODE_VARIABLES]; /**< from --var */
    size_t variables;
    const uint8_t *bytes; /**< the file: mapped */
    size_t size;
    uint8_t *owned; /**< read from a pipe; else NULL */
};

/** Say what is wrong at byte @p offset of the file. @return PP_EXIT_FAILED. */
__attribute__((format(printf, 3, 4))) int pp_decode_fail(const struct pp_decode *decode, size_t offset,
                                                         const char *format, ...);

#endif
