/** @file
 * vectors_statistics [DIR]: samples of frame times in ms with all named statistics of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/bootstrap.h"
#include "counters/stats/stats.h"
#include "counters/stats/stats_compare.h"
#include "tests/unit/counters/vector_programs/vectors.h"

#define TOLERANCE 1e-12
#define MS        1e3

/** A sample as measured and sorted. */
struct sample {
    size_t n;
    double *value, *sorted;
};

static struct sample
sample_read(const json_t *array)
{
    struct sample s = {.n = json_array_size(array)};
    s.value = calloc(s.n + 1, sizeof(*s.value));
    s.sorted = calloc(s.n + 1, sizeof(*s.sorted));
    if (!s.value || !s.sorted)
        abort();
    for (size_t i = 0; i < s.n; i++)
        s.sorted[i] = s.value[i] = json_number_value(json_array_get(array, i));
    pp_stats_sort(s.sorted, s.n);
    return s;
}

static void
sample_free(struct sample *s)
{
    free(s->value);
    free(s->sorted);
}

static double
number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A low is called DEFINITION_PERCENT, e.g. "mangohud_0.1". */
static double
low(const struct sample *s, const char *key)
{
    static const struct {
        const char *prefix;
        enum pp_low low;
    } by_name[] = {
        {"mangohud_", PP_LOW_MANGOHUD},
        {"presentmon_p", PP_LOW_PRESENTMON},
        {"capframex_P", PP_LOW_CAPFRAMEX_P},
        {"capframex_low_average_", PP_LOW_CAPFRAMEX_AVERAGE},
        {"afterburner_low_integral_", PP_LOW_INTEGRAL},
        {"worst_n_mean_", PP_LOW_WORST_MEAN},
    };
    for (size_t i = 0; i < sizeof(by_name) / sizeof(by_name[0]); i++) {
        size_t len = strlen(by_name[i].prefix);
        if (!strncmp(key, by_name[i].prefix, len))
            return pp_low_fps(by_name[i].low, strtod(key + len, NULL) / 100, s->sorted, s->n, MS);
    }
    return NAN;
}

static void
check_lows(struct vec *vec, const struct sample *s, json_t *lows)
{
    const char *key;
    json_t *want;
    json_object_foreach(lows, key, want)
    {
        double got = low(s, key);
        if (!strcmp(key, "avg_fps")) {
            got = pp_average_fps(s->value, s->n, MS);
        } else if (!strcmp(key, "median_ft")) {
            got = pp_median(s->sorted, s->n);
        } else if (!strcmp(key, "mean_of_fps_WRONG")) {
            got = 0; /* a figure that must not be printed: the mean of rates */
            for (size_t i = 0; i < s->n; i++)
                got += MS / s->value[i] / (double)s->n;
        }
        vec_close(vec, key, got, json_number_value(want), TOLERANCE);
    }
}

static void
check_bootstrap(struct vec *vec, const struct sample *a, const struct sample *b, const json_t *want)
{
    const char *stat = json_string_value(json_object_get(want, "stat"));
    const json_t *interval = json_object_get(want, "ci95");
    struct pp_bootstrap how = {.replicates = (size_t)number(want, "B"),
                               .block = (size_t)number(want, "block"),
                               .seed = (uint64_t)json_integer_value(json_object_get(want, "seed")),
                               .level = 0.95,
                               .quantile = 0.5};
    struct pp_interval got = {NAN, NAN, NAN};
    vec_true(vec, stat && !strcmp(stat, "median(B)-median(A)"), "unknown statistic '%s'", stat ? stat : "");
    int err = pp_bootstrap_shift(a->value, a->n, b->value, b->n, &how, &got);
    vec_close(vec, "bootstrap's error", err, 0, 0);
    vec_close(vec, "boot.point", got.point, number(want, "point"), TOLERANCE);
    vec_close(vec, "boot.ci95[0]", got.low, json_number_value(json_array_get(interval, 0)), TOLERANCE);
    vec_close(vec, "boot.ci95[1]", got.high, json_number_value(json_array_get(interval, 1)), TOLERANCE);
}

static void
check_compare(struct vec *vec, const struct sample *a, const struct sample *b, json_t *compare)
{
    const char *key;
    json_t *want;
    struct pp_mann_whitney mw;
    pp_mann_whitney(a->sorted, a->n, b->sorted, b->n, &mw);
    json_object_foreach(compare, key, want)
    {
        if (!strcmp(key, "mwu")) {
            vec_close(vec, "U1", mw.u1, number(want, "U1"), TOLERANCE);
            /* The direction is in U1 and in Cliff's delta; z is taken without a sign. */
            vec_close(vec, "z", mw.z, fabs(number(want, "z")), TOLERANCE);
            vec_close(vec, "p_two_sided", mw.p_two_sided, number(want, "p_two_sided"), TOLERANCE);
            vec_close(vec, "cliffs_delta", mw.cliffs_delta, number(want, "cliffs_delta"), TOLERANCE);
        } else if (!strcmp(key, "hodges_lehmann")) {
            double got = pp_hodges_lehmann(a->sorted, a->n, b->sorted, b->n);
            vec_close(vec, key, got, json_number_value(want), TOLERANCE);
        } else if (json_object_get(want, "block")) {
            check_bootstrap(vec, a, b, want);
        } else {
            vec_true(vec, false, "unknown key compare.%s", key);
        }
    }
}

static void
check(struct vec *vec, json_t *root)
{
    struct sample a = sample_read(json_object_get(root, "a"));
    struct sample b = sample_read(json_object_get(root, "b"));
    const char *key;
    json_t *want;
    json_object_foreach(json_object_get(root, "expected"), key, want)
    {
        if (!strcmp(key, "lows"))
            check_lows(vec, &a, want);
        else if (!strcmp(key, "compare"))
            check_compare(vec, &a, &b, want);
        else
            vec_true(vec, false, "unknown key %s", key);
    }
    sample_free(&a);
    sample_free(&b);
}

int
main(int argc, char **argv)
{
    return vec_main(argc, argv, PP_VECTORS "/statistics", check);
}
