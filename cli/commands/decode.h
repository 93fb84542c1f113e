/** @file
 * `passprobe decode`: raw hardware reports from a file as CSV on stdout. decode.c reads the command line and
 * the file, decode_oa.c and decode_mali.c decode the reports, decode_csv.c writes the rows. */
#ifndef PP_CLI_COMMANDS_DECODE_H
#define PP_CLI_COMMANDS_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/option.h"
#include "counters/metric/metric.h"
#include "counters/snapshot/value.h"
#include "counters/user_metrics/metrics_file.h"
#include "pp_options.h"

/** What the command line says. */
struct pp_decode {
    const char *path;                                    /**< for messages */
    struct pp_metrics_file *metrics_file;                /**< of --metrics, or NULL */
    struct pp_metric_variable variable[PP_OPTION_TEXTS]; /**< from --var */
    size_t variables;
    const uint8_t *bytes; /**< the file: mapped */
    size_t size;
    uint8_t *owned; /**< read from a pipe; else NULL */
    PP_DECODE_OPTIONS
};

/** Say what is wrong at byte @p offset of the file. @return PP_EXIT_FAILED. */
__attribute__((format(printf, 3, 4))) int pp_decode_fail(const struct pp_decode *decode, size_t offset,
                                                         const char *format, ...);

#endif
