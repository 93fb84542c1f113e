/** @file
 * Tables of peaks, one CSV file per GPU; the format: docs/formats/peaks.md. The tables in counters/gpus/ are
 * compiled in. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_SPEED_OF_LIGHT_PEAK_TABLE_H
#define PP_COUNTERS_SPEED_OF_LIGHT_PEAK_TABLE_H

#include <stddef.h>
#include <stdint.h>

/** The kinds of peaks. */
enum pp_peak_kind {
    PP_PEAK_INFO,       /**< no peak: a size, a clock */
    PP_PEAK_PER_CLOCK,  /**< unit X/clk */
    PP_PEAK_PER_SECOND, /**< unit X/s: divided by the GPU clock measured */
    PP_PEAK_PERCENT,    /**< unit percent: the quantity is a share of the elapsed time */
    PP_PEAK_MAXIMUM,    /**< peak "max": the source gives amount and maximum */
};

/** Most $Variables in one peak. */
#define PP_PEAK_FACTORS 3

/** One row of a table. Strings belong to the table. */
struct pp_peak_row {
    const char *id;                      /**< "sm_full", "rop_px.blend_c64" */
    const char *quantity;                /**< the quantity: text, or the name of a counter or metric */
    const char *unit;                    /**< "pixel/clk", "B/s", "percent", "Hz" */
    const char *runs_on;                 /**< name of the unit that does it; "" if the table does not say */
    const char *basis;                   /**< source of the figure; "" if the table has no such column */
    const char *confidence;              /**< "high", "medium", "low", or "" */
    double peak;                         /**< > 0 (info rows: any); 0 for PP_PEAK_MAXIMUM */
    const char *factor[PP_PEAK_FACTORS]; /**< variables to multiply by, without $; NULL: none */
    uint8_t kind;                        /**< enum pp_peak_kind */
    uint32_t line;                       /**< in the file */
};

/** A table. Immutable after pp_peak_table_parse(); may be shared between threads. */
struct pp_peak_table {
    const struct pp_peak_row *row;
    size_t rows;
    void *memory; /**< holds the strings and rows */
};

/** A variable of a machine: "EuSubslicesTotalCount", "MaliConstantsShaderCoreCount". */
struct pp_peak_variable {
    const char *name; /**< without the $ */
    double value;
};

/** A mistake in a table. */
struct pp_peak_error {
    uint32_t line, column; /**< from 1; column in bytes */
    char message[160];     /**< one line without a full stop */
};

/**
 * Read a table.
 *
 * Ownership: *ret is the caller's, for pp_peak_table_destroy(); the text is copied. Threads: any. Independent
 * of the locale.
 *
 * @param text      The file's bytes.
 * @param size      Number of bytes.
 * @param ret       Set on success.
 * @param error     Filled on -EINVAL and -E2BIG; may be NULL.
 * @retval 0       Read.
 * @retval -EINVAL A mistake in the text.
 * @retval -E2BIG  More than 16 MiB.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int
pp_peak_table_parse(const char *text, size_t size, struct pp_peak_table *ret, struct pp_peak_error *error);

/** Free the memory of a table; a zeroed one is fine. */
void pp_peak_table_destroy(struct pp_peak_table *table);

/** A table that is compiled in. */
struct pp_peak_builtin {
    const char *name; /**< "gm20b" */
    const char *text; /**< the CSV, NUL-terminated */
    size_t size;
};

/** The @p i-th compiled-in table, in the order of the names; NULL past the last. */
const struct pp_peak_builtin *pp_peak_builtin(size_t i);

/** Find a compiled-in table. NULL: there is none of this name. */
const struct pp_peak_builtin *pp_peak_builtin_find(const char *name);

#endif
