/** @file
 * Speed of light: which hardware unit bounded a pass or action. From the amounts of work and the elapsed
 * time: how close each unit came to its peak, which one is the bottleneck, which come close, and which were
 * not seen. The peaks are data. Knows no graphics API, no file, no thread.
 *
 *     clocks_u = work_u / peak_u     percent_u = 100 clocks_u / elapsed_clocks
 *     bottleneck = the unit u with most clocks
 *
 * Tables of peaks, one CSV file per GPU; the format: docs/formats/peaks.md. The tables in counters/gpus/ are
 * compiled in. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_SPEED_OF_LIGHT_BOTTLENECK_H
#define PP_COUNTERS_SPEED_OF_LIGHT_BOTTLENECK_H

#include <stdbool.h>
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

#define PP_WORKLOAD_AMOUNTS 96 /**< most kinds of work in a workload */
#define PP_BOTTLENECK_UNITS 64 /**< most units in one verdict */

/* The workload. */

/** An amount of one kind of work. */
struct pp_workload_amount {
    char key[48];   /**< see pp_workload_add() */
    double value;   /**< NaN: not known */
    double maximum; /**< the most there could have been in the elapsed time; 0: the table says */
    bool estimate;  /**< the value is an upper estimate, not a count */
};

/** The work that a pass or action asked of the hardware. Starts zeroed. */
struct pp_workload {
    struct pp_workload_amount amount[PP_WORKLOAD_AMOUNTS];
    size_t amounts;
};

/**
 * Add an amount of work. Amounts of one key are summed.
 *
 * @param work     The workload.
 * @param key      Id of a peak ("sm_full"), with a class where the rate depends on one ("rop_px.fill_c64"): a
 * table without a row for the class uses the row without it; or the quantity of a table's row ("EuActive").
 * @param value    In the peak's unit; NaN: not known, which makes the unit unknown, not idle.
 * @param estimate An upper estimate (static instruction count times invocations).
 * @retval 0       Added.
 * @retval -EINVAL A key too long or empty, a negative amount.
 * @retval -ENOSPC Too many kinds.
 */
__attribute__((warn_unused_result)) int pp_workload_add(struct pp_workload *work, const char *key,
                                                        double value, bool estimate);

/** As pp_workload_add(), for a row whose peak is "max": the source has the largest possible amount in the
 * same time (Intel's max_equation). @retval -EINVAL also if the maximum is not > 0. */
__attribute__((warn_unused_result)) int pp_workload_add_of(struct pp_workload *work, const char *key,
                                                           double value, double maximum);

/** The caller's lookup of amounts for pp_workload_collect(): in a decoder's columns, in a session's row. */
struct pp_workload_lookup {
    /** Mandatory. Find the amount of a quantity and, for rows with a peak of "max", its maximum. @retval 0
     * both are set.
     * @retval -ENODATA the quantity was not measured. May not block. */
    int (*find)(void *self, const char *quantity, double *ret_value, double *ret_maximum);
    void *self;
};

/**
 * Add the quantity of every row of a table that @p lookup finds: counters and metrics for tables such as
 * "intel-oa" and "mali-g76". Units whose quantities @p lookup does not find stay without input.
 *
 * @return As pp_workload_add(); amounts that no hardware could have counted (negative, infinite) are -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_workload_collect(struct pp_workload *work,
                                                            const struct pp_peak_table *table,
                                                            const struct pp_workload_lookup *lookup);

/* The bottleneck. */

/** Whether a unit was seen, and why not. */
enum pp_bottleneck_seen {
    PP_BOTTLENECK_SEEN,
    PP_BOTTLENECK_NO_INPUT, /**< the table has the unit's peak, the workload has no amount for it */
    PP_BOTTLENECK_NO_PEAK,  /**< the workload has an amount, the table has no peak; or a peak per second, and
                               the clock is not known */
    PP_BOTTLENECK_UNKNOWN,  /**< an amount is not known */
};

/** One unit of the hardware. */
struct pp_bottleneck_unit {
    char name[32];
    double clocks;  /**< at its peak; NaN unless seen */
    double percent; /**< of the elapsed time; NaN unless seen */
    uint8_t seen;   /**< enum pp_bottleneck_seen */
    bool estimate;  /**< an amount was an estimate: clocks is an upper bound */
    bool co_limit;  /**< at 95 % or more of the bottleneck, and the bottleneck is at 60 % or more */
};

/** How busy the bottleneck is. */
enum pp_bottleneck_class {
    PP_BOTTLENECK_NO_WORK,    /**< no unit that was seen had work */
    PP_BOTTLENECK_UNDER_USED, /**< below 60 %: look for latency, synchronisation, small work */
    PP_BOTTLENECK_MIXED,      /**< 60 % or more */
    PP_BOTTLENECK_SATURATED,  /**< 80 % or more */
    PP_BOTTLENECK_OVER_PEAK,  /**< above 100 %: inputs or clocks are wrong */
};

/** The verdict about a pass or action. */
struct pp_bottleneck {
    struct pp_bottleneck_unit unit[PP_BOTTLENECK_UNITS]; /**< the first of equal units wins */
    size_t units;
    size_t bound; /**< index of the bottleneck; `units` if there is none */
    enum pp_bottleneck_class class;
    size_t unseen;    /**< units with seen != PP_BOTTLENECK_SEEN */
    size_t unmatched; /**< amounts whose key neither the code nor the table knows */
};

/** "no-work", "under-used", "mixed", "saturated", "over-peak"; never NULL. */
const char *pp_bottleneck_class_name(enum pp_bottleneck_class class);

/**
 * Find the bottleneck of a workload.
 *
 * Threads: any. Allocates, locks, logs nothing.
 *
 * @param table          Peaks of the GPU.
 * @param work           The workload.
 * @param elapsed_clocks Elapsed GPU clocks, > 0: nanoseconds x the measured clock, less the bracket's
 *                       bias.
 * @param gpu_hz         The measured clock, for peaks per second; 0: not known.
 * @param variable       Values of the table's variables. Rows with a missing variable are
 * PP_BOTTLENECK_NO_PEAK.
 * @param variables      Elements of variable.
 * @param ret            The verdict.
 * @retval 0       Judged.
 * @retval -EINVAL elapsed_clocks is not > 0 and finite.
 * @retval -ENOSPC More units than PP_BOTTLENECK_UNITS.
 */
__attribute__((warn_unused_result)) int pp_bottleneck_judge(const struct pp_peak_table *table,
                                                            const struct pp_workload *work,
                                                            double elapsed_clocks, double gpu_hz,
                                                            const struct pp_peak_variable *variable,
                                                            size_t variables, struct pp_bottleneck *ret);

/** Find the bottleneck, its class and the co-limits of units whose `clocks` and `seen` are set.
 * pp_bottleneck_judge() uses this function. @retval -EINVAL as there. */
__attribute__((warn_unused_result)) int pp_bottleneck_decide(struct pp_bottleneck *verdict,
                                                             double elapsed_clocks);

#endif
