/** @file
 * CSV by RFC 4180 on stdout. Each cell but the first one of a row has a comma before it. */
#ifndef PP_CLI_COMMANDS_DECODE_CSV_H
#define PP_CLI_COMMANDS_DECODE_CSV_H

#include "counters/metric/metric.h"
#include "counters/snapshot/value.h"
#include <stdint.h>

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

#endif
