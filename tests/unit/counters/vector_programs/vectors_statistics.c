/** @file
 * vectors_statistics [DIR]: samples of frame times in ms with all named statistics of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stats/stats.h"
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
check(struct vec *vec, json_t *root)
{
    struct sample a = sample_read(json_object_get(root, "a"));
    const char *key;
    json_t *want;
    json_object_foreach(json_object_get(root, "expected"), key, want)
    {
        if (!strcmp(key, "lows"))
            check_lows(vec, &a, want);
        else
            vec_true(vec, false, "unknown key %s", key);
    }
    sample_free(&a);
}

int
main(int argc, char **argv)
{
    return vec_main(argc, argv, PP_VECTORS "/statistics", check);
}
