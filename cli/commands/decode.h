/** @file
 * `passprobe decode`: raw hardware reports from a file as CSV on stdout (RFC 4180). decode.c reads the
 * command line and the file, decodes reports of Mali GPUs and writes the rows; decode_oa.c decodes reports of
 * Intel's OA unit. */
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

/** Print the name of a column: a metric's or counter's symbol, ending in its unit. */
void pp_decode_name(const char *symbol, const char *unit, enum pp_unit unit_id);

/** Print a text cell, quoted where needed. */
void pp_decode_text(const char *text);

/** Print a number: integers in full, doubles in the fewest digits that read back the same. */
void pp_decode_number(union pp_metric_number value, enum pp_metric_type type);

/** Print an integer. */
void pp_decode_u64(uint64_t value);

/** Print an empty cell: no value. */
void pp_decode_empty(void);

/** End the row. @retval 0, -errno when stdout cannot take it. */
__attribute__((warn_unused_result)) int pp_decode_row(void);

/** Flush stdout. @return Exit status: PP_EXIT_FAILED, after a message, if anything could not be written. */
int pp_decode_finish(void);

/** Decode a Mali file. @return exit status. */
int pp_decode_mali(const struct pp_decode *decode);

/** Decode an Intel OA file. @return exit status. */
int pp_decode_oa(const struct pp_decode *decode);

#endif
