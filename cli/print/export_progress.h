/** @file
 * The line that says how far `passprobe export` is. Only a terminal gets it, and only if it takes long. */
#ifndef PP_CLI_PRINT_EXPORT_PROGRESS_H
#define PP_CLI_PRINT_EXPORT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/** What was printed so far. Begin with pp_export_progress_begin(). */
struct pp_export_progress {
    uint64_t begin_ns, last_ns; /**< CLOCK_MONOTONIC; of the last line */
    bool terminal;              /**< stderr is one */
    bool shown;                 /**< there is a line to erase */
};

/** Begin to count the time. */
void pp_export_progress_begin(struct pp_export_progress *progress);

/** Print the line again, if 2 seconds have passed, and half a second since the last time.
 * @param data A struct pp_export_progress. @param of Rows that are expected; NaN: not known. */
void pp_export_progress_print(void *data, uint64_t rows, double of);

/** Erase the line. */
void pp_export_progress_end(struct pp_export_progress *progress);

#endif
