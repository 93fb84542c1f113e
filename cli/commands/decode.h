/** @file
 * `passprobe decode`: raw hardware reports from a file as CSV on stdout. decode.c reads the command
 * line and the file, decode_oa.c and decode_mali.c know what is in it, decode_csv.c writes. */
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
    const char *gpu;                 /**< NULL: not said */
    const char *set;                 /**< NULL: not said */
    const char *layout;              /**< NULL: the GPU's own */
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

/** Decode an Intel OA file. @return exit status. */
int pp_decode_oa(const struct pp_decode *decode);

/** Decode a Mali file. @return exit status. */
int pp_decode_mali(const struct pp_decode *decode);

/** Say what is wrong at byte @p offset of the file. @return PP_EXIT_FAILED. */
__attribute__((format(printf, 3, 4))) int pp_decode_fail(const struct pp_decode *decode, size_t offset,
                                                         const char *format, ...);

/* RFC 4180 on stdout: comma before every cell but a row's first. */

/** Name of a column: a metric's or counter's symbol, ending in its unit. */
void pp_decode_name(const char *symbol, const char *unit, enum pp_unit unit_id);

/** A text cell, quoted where needed. */
void pp_decode_text(const char *text);

/** A number: integers in full, doubles in the fewest digits that read back the same. */
void pp_decode_number(union pp_metric_number value, enum pp_metric_type type);

/** An integer. */
void pp_decode_u64(uint64_t value);

/** An empty cell: no value. */
void pp_decode_empty(void);

/** Ends the row. @retval 0, -errno when stdout cannot take it. */
__attribute__((warn_unused_result)) int pp_decode_row(void);

/** Flushes stdout. @return exit status: PP_EXIT_FAILED, said, if anything could not be written. */
int pp_decode_finish(void);

#endif
