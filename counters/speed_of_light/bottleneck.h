/** @file
 * Room: speed of light. From what a piece of work asked of every hardware unit and how long it took: how
 * close each came to its peak, which one bounded it, which were close behind, and which could not be seen.
 * The peaks are data (sol_table.h). Knows no graphics API, no file, no thread.
 *
 *     clocks_u = work_u / peak_u     sol_u = 100 clocks_u / elapsed_clocks     bound = the u with most clocks
 */
#ifndef PP_COUNTERS_SPEED_OF_LIGHT_BOTTLENECK_H
#define PP_COUNTERS_SPEED_OF_LIGHT_BOTTLENECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/speed_of_light/peak_table.h"

#define PP_WORKLOAD_AMOUNTS 96 /**< most kinds of work in one piece */
#define PP_BOTTLENECK_UNITS 64 /**< most units in one verdict */

/* What was asked of the hardware. */

/** An amount of one kind of work. */
struct pp_workload_amount {
    char key[48];   /**< see pp_workload_add() */
    double value;   /**< NaN: not known */
    double maximum; /**< the most there could have been in the elapsed time; 0: the table says */
    bool estimate;  /**< an upper estimate, not a count */
};

/** A piece of work. Starts zeroed. */
struct pp_workload {
    struct pp_workload_amount amount[PP_WORKLOAD_AMOUNTS];
    size_t amounts;
};

/**
 * Add work. Amounts of one key add up.
 *
 * @param work     Grows.
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

/** As pp_workload_add(), for a row whose peak is "max": the source says itself what the maximum would have
 * been in the same time (Intel's max_equation). @retval -EINVAL also if the maximum is not > 0. */
__attribute__((warn_unused_result)) int pp_workload_add_of(struct pp_workload *work, const char *key,
                                                           double value, double maximum);

/** Texture lookups: threads x anisotropy (1 if below) bilinear samples, twice that for a filter called
 * "trilinear". Key tex_bilerp.FORMAT. Errors as pp_workload_add(). */
__attribute__((warn_unused_result)) int pp_workload_add_texture(struct pp_workload *work, double threads,
                                                                double anisotropy, const char *format,
                                                                const char *filter);

/** Vertex work: attribute fetch (vertices x vectors), and viewport, clip, cull (vertices, primitives,
 * vertices x output scalars). NaN where not known. Errors as pp_workload_add(). */
__attribute__((warn_unused_result)) int pp_workload_add_vertices(struct pp_workload *work, double vertices,
                                                                 double attributes, double primitives,
                                                                 double out_scalars);

/** Where pp_workload_collect() finds amounts: a decoder's columns, a session's row. */
struct pp_workload_lookup {
    /** Mandatory. The amount of a quantity, and for rows with a peak of "max" its maximum. @retval 0 both are
     * set.
     * @retval -ENODATA it was not measured. May not block. */
    int (*find)(void *self, const char *quantity, double *ret_value, double *ret_maximum);
    void *self;
};

/**
 * Add the quantity of every row of a table that @p lookup knows: counters and metrics for tables such as
 * "intel-oa" and "mali-g76". What it does not know stays without input.
 *
 * @return As pp_workload_add(); amounts that no hardware could have counted (negative, infinite) are -EINVAL.
 */
__attribute__((warn_unused_result)) int pp_workload_collect(struct pp_workload *work,
                                                            const struct pp_peak_table *table,
                                                            const struct pp_workload_lookup *lookup);

/* What bounded it. */

/** Was a unit seen, or why not. */
enum pp_bottleneck_seen {
    PP_BOTTLENECK_SEEN,
    PP_BOTTLENECK_NO_INPUT, /**< the table has its peak, the work does not say what was asked of it */
    PP_BOTTLENECK_NO_PEAK,  /**< the work says, the table has no peak (or one a second, and the clock is not
                               known) */
    PP_BOTTLENECK_UNKNOWN,  /**< an input was given as not known */
};

/** One unit. */
struct pp_bottleneck_unit {
    char name[32];
    double clocks;  /**< at its peak; NaN unless seen */
    double percent; /**< of the elapsed time; NaN unless seen */
    uint8_t seen;   /**< enum pp_bottleneck_seen */
    bool estimate;  /**< an input was an estimate: clocks is an upper bound */
    bool co_limit;  /**< at 95 % or more of the bound, the bound being at 60 % or more */
};

/** Class of the bound. */
enum pp_bottleneck_class {
    PP_BOTTLENECK_NO_WORK,    /**< no unit that was seen had anything to do */
    PP_BOTTLENECK_UNDER_USED, /**< below 60 %: look for latency, synchronisation, small work */
    PP_BOTTLENECK_MIXED,      /**< 60 % or more */
    PP_BOTTLENECK_SATURATED,  /**< 80 % or more */
    PP_BOTTLENECK_OVER_PEAK,  /**< above 100 %: inputs or clocks are wrong */
};

/** The verdict. */
struct pp_bottleneck {
    struct pp_bottleneck_unit unit[PP_BOTTLENECK_UNITS]; /**< in the order that breaks ties */
    size_t units;
    size_t bound; /**< index of the bound; `units` if there is none */
    enum pp_bottleneck_class class;
    size_t unseen;    /**< units with seen != PP_BOTTLENECK_SEEN */
    size_t unmatched; /**< amounts whose key neither the engine nor the table knows */
};

/** "no-work", "under-used", "mixed", "saturated", "over-peak"; never NULL. */
const char *pp_bottleneck_class_name(enum pp_bottleneck_class class);

/**
 * Judge a piece of work.
 *
 * Threads: any. Allocates, locks, logs nothing.
 *
 * @param table          Peaks of the GPU.
 * @param work           What was asked.
 * @param elapsed_clocks GPU clocks it took, > 0: nanoseconds x the clock measured meanwhile, less the
 * bracket's bias.
 * @param gpu_hz         That clock, for peaks a second; 0: not known.
 * @param variable       Values of the table's variables; where one is missing its rows are
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

/** Class and co-limits of units that are already filled in (clocks, seen), by any other means. Used by
 * pp_bottleneck_judge().
 * @retval -EINVAL as there. */
__attribute__((warn_unused_result)) int pp_bottleneck_decide(struct pp_bottleneck *verdict,
                                                             double elapsed_clocks);

/** Arm's cycle budget: shader-core cycles a pixel may cost, cores x Hz / (pixels x frames a second). Multiply
 * by 0.85 for what is realistic. NaN if the target is 0 pixels. The same as a verdict: table
 * "mali-g76-budget". */
double pp_bottleneck_cycle_budget(double cores, double gpu_hz, double pixels, double frames_per_second);

#endif
