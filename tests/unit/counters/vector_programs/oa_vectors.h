/** @file
 * Shared by the parts of vectors_intel_oa: machines, evaluating, comparing, counting. */
#ifndef PP_TESTS_OA_VECTORS_H
#define PP_TESTS_OA_VECTORS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_report.h"
#include "counters/oa/oa_set.h"

#define MAX_DEVICES   64
#define MAX_VARIABLES 32

/** A machine of the vectors. */
struct device {
    char name[64];
    struct pp_oa_gpu gpu; /**< gpu.name NULL: its description is not compiled in */
    unsigned gen;
    char variable_name[MAX_VARIABLES][48];
    struct pp_metric_variable variable[MAX_VARIABLES];
    size_t variables;
};

/** Results up to now. */
struct tally {
    struct device device[MAX_DEVICES];
    size_t devices;
    unsigned cases, failed;
    unsigned long values;    /**< values compared */
    unsigned long floats;    /**< floats among these values */
    unsigned long exact;     /**< floats that equal the expected double to the last bit */
    const char *file, *id;   /**< the current case */
    unsigned long id_values; /**< values compared in this case */
    unsigned misses;         /**< of this case */
};

void case_begin(struct tally *tally, const char *file, const char *id);
void case_end(struct tally *tally);

/** Report a wrong value of the current case; at most a few are printed. */
__attribute__((format(printf, 2, 3))) void miss(struct tally *tally, const char *format, ...);

/** Count one comparison. */
void compare_u64(struct tally *tally, const char *what, uint64_t got, uint64_t expected);

/** Metrics of a set, one row. */
struct metrics {
    struct pp_oa_set *set;
    struct pp_catalogue_set about;
    uint32_t index; /**< of the set in the catalogue */
    union pp_metric_number *value;
    uint8_t *status;
    struct pp_metric_result *result;
    void *workspace;
    bool *seen; /**< for each metric: the vectors have a value for it */
};

/** Compile a set for a machine. @return NULL after a miss. */
struct metrics *metrics_create(struct tally *tally, const struct device *device, const char *set,
                               const struct pp_layout *layout);
void metrics_destroy(struct metrics *metrics);

/** Fill the metrics from two snapshots, through the columns that whole frames go through. */
void metrics_from_pair(struct metrics *metrics, const uint8_t *begin, const uint8_t *end);

/** Fill the metrics from a sum. */
void metrics_from_sum(struct metrics *metrics, const struct pp_oa_sum *sum);

/** An expected value. */
struct expected {
    bool is_float, has_bits;
    uint64_t u;
    double f;
    uint32_t f32;
};

/** Compare one metric, or its maximum; marks it as seen. */
void compare_metric(struct tally *tally, struct metrics *metrics, const char *symbol, bool maximum,
                    const struct expected *expected);

/** The vectors state that this metric does not exist in this format. */
void compare_unavailable(struct tally *tally, struct metrics *metrics, const char *symbol);

/** Call after all metrics of a set: metrics that the vectors do not mention must not have a value. */
void compare_rest(struct tally *tally, const struct metrics *metrics);

/** The machine of this name: of the JSON files, else as compiled in; NULL after a miss. */
const struct device *find_device(struct tally *tally, const char *name);

/** Read the machines of a JSON file. */
void read_devices(struct tally *tally, json_t *root);

/** The layout that the vectors call @p format ("A32u40_A4u32_B8_C8") on a generation; NULL after a miss. */
const struct pp_layout *find_format(struct tally *tally, const char *format, unsigned gen);

/** Bytes of a hex string, or NULL after a miss. Free it. */
uint8_t *from_hex(struct tally *tally, const char *hex, size_t *ret_size);

/** A report of exactly layout->size bytes from hex, or NULL after a miss. Free it. */
uint8_t *report_from_hex(struct tally *tally, const char *hex, const struct pp_layout *layout);

/** All vectors of one JSON file. */
void run_json(struct tally *tally, const char *file, json_t *root);

/** Cases DIR/NAME.tsv with NAME-deltas.tsv and NAME-metrics.tsv; nothing if there is none. */
void run_tsv(struct tally *tally, const char *directory, const char *name, bool sequences);

#endif
