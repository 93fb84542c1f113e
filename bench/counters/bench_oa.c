/** @file
 * bench_oa [--check]: the time from a million pairs of OA reports to the metrics of RenderBasic, compared
 * with its natural limits; see README.md. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"
#include "counters/oa/oa_set.h"
#include "straight_oa.h"

#define REPORT  256U
#define STRIDE  (2 * (size_t)REPORT) /* begin and end are neighbours in memory */
#define PAIRS   (1U << 20)           /* decoded in one measurement */
#define POOL    (1U << 17)           /* distinct pairs in memory: 64 MiB, more than the caches */
#define BATCH   4096U                /* pairs a call */
#define COLUMN  (BATCH + 8)          /* between result columns, so that they are in different cache sets */
#define REPEATS 9
#define METRICS PP_STRAIGHT_METRICS

/** The data of the measured loops. */
struct bench {
    struct pp_oa_set *set;
    struct straight_variables variables;
    uint8_t *reports; /**< POOL pairs */
    size_t pool;
    union pp_metric_number *ours, *straight; /**< METRICS columns of BATCH rows, or BATCH rows of METRICS */
    uint8_t *status;
    struct pp_metric_result result[METRICS];
    union pp_metric_number *column[METRICS];
    void *workspace;
    uint64_t sink;
};

static uint64_t
splitmix(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void
put32(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Fill a pair as after a pass of some milliseconds: random first values, plausible differences. */
static void
fill_pair(uint8_t *begin, uint64_t *seed)
{
    const struct pp_layout *layout = pp_layout_find(PP_STRAIGHT_LAYOUT);
    uint8_t *end = begin + REPORT;
    uint64_t clocks = 1000000 + splitmix(seed) % 10000000;
    for (uint32_t i = 0; i < layout->fields; i++) {
        const struct pp_field *field = &layout->field[i];
        uint64_t first = splitmix(seed), work = splitmix(seed) % (clocks * 24);
        if (strcmp(field->name, "GPU_TIME") == 0)
            work = clocks / 90;
        else if (strcmp(field->name, "GPU_CLOCK") == 0)
            work = clocks;
        else if (field->part[1].bits == 0)
            work %= clocks;
        put32(begin + field->part[0].offset, first);
        put32(end + field->part[0].offset, first + work);
        if (field->part[1].bits) {
            begin[field->part[1].offset] = (uint8_t)(first >> 32);
            end[field->part[1].offset] = (uint8_t)((first + work) >> 32);
        }
    }
}

static void
run_ours(struct bench *bench, size_t first)
{
    struct pp_snapshot_pairs pairs = {.begin = bench->reports + first * STRIDE,
                                      .begin_stride = STRIDE,
                                      .end = bench->reports + first * STRIDE + REPORT,
                                      .end_stride = STRIDE,
                                      .pairs = BATCH};
    pp_oa_set_eval_pairs(bench->set, &pairs, bench->result, bench->workspace);
}

static void
run_columns(struct bench *bench, size_t first)
{
    const uint8_t *begin = bench->reports + first * STRIDE;
    straight_columns(begin, begin + REPORT, STRIDE, BATCH, &bench->variables, bench->column);
}

static void
run_rows(struct bench *bench, size_t first)
{
    const uint8_t *begin = bench->reports + first * STRIDE;
    straight_rows(begin, begin + REPORT, STRIDE, BATCH, &bench->variables, bench->straight);
}

static void
run_read(struct bench *bench, size_t first)
{
    const uint8_t *at = bench->reports + first * STRIDE;
    uint64_t sum[8] = {0};
    for (size_t i = 0; i < BATCH * STRIDE; i += sizeof(sum)) {
        uint64_t line[8];
        memcpy(line, at + i, sizeof(line));
        for (int k = 0; k < 8; k++)
            sum[k] += line[k];
    }
    for (int k = 0; k < 8; k++)
        bench->sink += sum[k];
}

static double
now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts); /* time of other processes does not count */
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/** Nanoseconds a pair, over PAIRS. */
static double
pass(struct bench *bench, void (*run)(struct bench *, size_t))
{
    double start = now_ns();
    for (size_t done = 0; done < PAIRS; done += BATCH)
        run(bench, done % bench->pool);
    return (now_ns() - start) / PAIRS;
}

/** The measured functions, one after the other, so that a busy machine disturbs all of them; the fastest pass
 * of each counts. */
enum way { OURS, COLUMNS, ROWS, READ, WAYS };

static void
measure(struct bench *bench, double best[WAYS])
{
    void (*const run[WAYS])(struct bench *, size_t) = {run_ours, run_columns, run_rows, run_read};
    for (int way = 0; way < WAYS; way++)
        best[way] = INFINITY;
    for (int i = 0; i < REPEATS; i++) {
        for (int way = 0; way < WAYS; way++)
            best[way] = fmin(best[way], pass(bench, run[way]));
    }
}

static void
report(struct bench *bench)
{
    double ns[WAYS];
    measure(bench, ns);
    double limit = fmin(ns[COLUMNS], ns[ROWS]);
    printf("%u pairs of %u-byte reports, %s, %d metrics each; one core, best of %d\n", PAIRS, REPORT,
           PP_STRAIGHT_SET, METRICS, REPEATS);
    printf("passprobe          %8.1f ns/pair %8.2f M pairs/s %6.2f ns/value\n", ns[OURS], 1e3 / ns[OURS],
           ns[OURS] / METRICS);
    printf("straight C columns %8.1f ns/pair %8.2f M pairs/s %6.2f ns/value\n", ns[COLUMNS],
           1e3 / ns[COLUMNS], ns[COLUMNS] / METRICS);
    printf("straight C rows    %8.1f ns/pair %8.2f M pairs/s %6.2f ns/value\n", ns[ROWS], 1e3 / ns[ROWS],
           ns[ROWS] / METRICS);
    printf("reading only       %8.1f ns/pair %8.2f GB/s; passprobe needs %.2f GB/s\n", ns[READ],
           (double)STRIDE / ns[READ], (double)STRIDE / ns[OURS]);
    printf("of the natural limit: %.2f\n", limit / ns[OURS]);
}

static int
check(struct bench *bench)
{
    unsigned long values = 0, differences = 0;
    for (size_t first = 0; first < bench->pool; first += BATCH) {
        run_ours(bench, first);
        run_rows(bench, first);
        run_columns(bench, first); /* overwrites the rows: columns are compared */
        for (size_t m = 0; m < METRICS; m++) {
            for (size_t i = 0; i < BATCH; i++, values++) {
                if (bench->status[m * COLUMN + i] != PP_OK)
                    continue; /* not available on this machine */
                differences += bench->ours[m * COLUMN + i].u != bench->column[m][i].u;
            }
        }
    }
    printf("%lu values, %lu differ from straight C\n", values, differences);
    return differences != 0;
}

static int
prepare(struct bench *bench, size_t pool)
{
    struct pp_oa_gpu gpu;
    struct pp_metric_variable variable[PP_OA_GPU_VARIABLES];
    int64_t index = pp_catalogue_find_set(&pp_catalogue_intel, "kblgt2", PP_STRAIGHT_SET);
    if (pp_oa_gpu_find("kblgt2", &gpu) < 0 || index < 0)
        return -1;
    size_t variables = pp_oa_gpu_variables(&gpu, variable);
    for (size_t i = 0; i < variables; i++) {
        if (strcmp(variable[i].name, "EuCoresTotalCount") == 0)
            bench->variables.EuCoresTotalCount = variable[i].value.u;
        if (strcmp(variable[i].name, "GpuTimestampFrequency") == 0)
            bench->variables.GpuTimestampFrequency = variable[i].value.u;
    }
    if (pp_oa_set_create((uint32_t)index, gpu.layout, variable, variables, NULL, 0, 0, &bench->set, NULL) <
            0 ||
        pp_oa_set_outputs(bench->set) != METRICS)
        return -1;
    bench->pool = pool;
    bench->reports = aligned_alloc(64, pool * STRIDE);
    bench->ours = aligned_alloc(64, sizeof(*bench->ours) * METRICS * COLUMN);
    bench->straight = aligned_alloc(64, sizeof(*bench->straight) * METRICS * COLUMN);
    bench->status = calloc(METRICS, COLUMN);
    bench->workspace = aligned_alloc(64, (pp_oa_set_workspace_bytes(bench->set) + 63) / 64 * 64);
    if (!bench->reports || !bench->ours || !bench->straight || !bench->status || !bench->workspace)
        return -1;
    for (size_t m = 0; m < METRICS; m++) {
        bench->result[m] = (struct pp_metric_result){.value = bench->ours + m * COLUMN,
                                                     .status = bench->status + m * COLUMN};
        bench->column[m] = bench->straight + m * COLUMN;
    }
    uint64_t seed = 20260101;
    for (size_t i = 0; i < pool; i++)
        fill_pair(bench->reports + i * STRIDE, &seed);
    return 0;
}

int
main(int argc, char **argv)
{
    bool only_check = argc == 2 && strcmp(argv[1], "--check") == 0;
    static struct bench bench;
    int rc = 0;
    if (argc > 1 && !only_check) {
        fprintf(stderr, "usage: %s [--check]\n", argv[0]);
        return 2;
    }
    if (prepare(&bench, only_check ? 4 * BATCH : POOL) < 0) {
        fprintf(stderr, "%s: cannot be set up\n", argv[0]);
        return 2;
    }
    if (only_check)
        rc = check(&bench);
    else
        report(&bench);
    pp_oa_set_destroy(bench.set);
    free(bench.reports);
    free(bench.ours);
    free(bench.straight);
    free(bench.status);
    free(bench.workspace);
    return bench.sink == 1 ? 2 : rc; /* the sum is used, so that reading cannot be left out */
}
