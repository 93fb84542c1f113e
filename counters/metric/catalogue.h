/** @file
 * The metrics that are compiled in. The data files of each vendor become one catalogue: sets of metrics with
 * unit, description and formula, for `passprobe list` and for lookups by name. Text only: metric.h makes
 * numbers of formulas. Knows no graphics API, no file, no thread. */
#ifndef PP_COUNTERS_METRIC_CATALOGUE_H
#define PP_COUNTERS_METRIC_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/metric/metric.h"
#include "counters/snapshot/value.h"

/** One metric. All text is static UTF-8 and never NULL; "" means there is none. */
struct pp_catalogue_metric {
    const char *symbol;      /**< its name in formulas and columns: "EuActive" */
    const char *name;        /**< for people: "EU Active" */
    const char *description; /**< a sentence or two */
    const char *unit;    /**< as the source spells it: "percent", "threads", "eu sends to l3 cache lines" */
    const char *formula; /**< in pp_catalogue.lang */
    const char *max_formula;  /**< of the largest possible value */
    const char *availability; /**< nonzero where the metric exists; "" everywhere */
    const char *group;        /**< as the vendor groups metrics: "EU Array/Pixel Shader" */
    enum pp_unit unit_id;     /**< the unit as value.h knows it; events of any kind are PP_UNIT_COUNT */
    enum pp_metric_type type; /**< PP_METRIC_U64 or PP_METRIC_F64 */
};

/** Metrics that are measured together. All text is static UTF-8 and never NULL. */
struct pp_catalogue_set {
    const char *gpu;    /**< its GPU: "kblgt2", "mali-g76" */
    const char *symbol; /**< "RenderBasic" */
    const char *name;   /**< for people: "Render Metrics Basic set" */
    const char *guid;   /**< the kernel's name of the set; "" where there is none */
    uint32_t metrics;   /**< how many */
};

/** All sets of one vendor. */
struct pp_catalogue {
    const char *vendor;       /**< "intel", "mali": what `passprobe list -e` takes */
    enum pp_metric_lang lang; /**< language of all its formulas */
    uint32_t sets;            /**< number of sets; sets of one GPU are neighbours */

    /** Mandatory. Describe set @p set (< sets). Any thread; does not block. */
    void (*set)(uint32_t set, struct pp_catalogue_set *ret);

    /** Mandatory. Describe metric @p metric (< metrics of that set), in the source's order. Any thread; does
     * not block. */
    void (*metric)(uint32_t set, uint32_t metric, struct pp_catalogue_metric *ret);
};

/** The @p index-th catalogue; NULL past the last. */
const struct pp_catalogue *pp_catalogue_at(size_t index);

/** The catalogue of a vendor; NULL when there is none. */
const struct pp_catalogue *pp_catalogue_find(const char *vendor);

/**
 * Find a set by GPU and symbol (or GUID).
 *
 * @return Its index, or -ENOENT.
 */
int64_t pp_catalogue_find_set(const struct pp_catalogue *catalogue, const char *gpu, const char *symbol);

/**
 * Name of a metric's column in CSV: its symbol, ending in its unit ("GpuTime_ns", "EuActive_percent",
 * "PsThreads"); a unit that the symbol ends in already is not repeated.
 *
 * @param metric The metric.
 * @param name   Buffer for the name, cut when too small.
 * @param size   Bytes of it, at least 1.
 * @return Bytes of the whole name without the final 0, as snprintf().
 */
int pp_catalogue_column_name(const struct pp_catalogue_metric *metric, char *name, size_t size);

/* The catalogues, for catalogue.c only. */
extern const struct pp_catalogue pp_catalogue_intel;
extern const struct pp_catalogue pp_catalogue_mali;

#endif
