/** @file
 * How often is `passprobe diff --trend` right? Makes series whose truth is known, searches them with the
 * functions of the command, and counts change points that are none, and planted ones that were found. Prints
 * rows of a Markdown table for docs/internals/statistics.md.
 *
 * A series has one number for each build: 10 ms, with a random deviation of the logarithm. Deviations of
 * neighbours may be correlated (a first-order autoregressive series), drift (a random walk), or have
 * outliers. */
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "counters/stats/change_points.h"
#include "counters/util/random.h"

#define POINTS_MOST 1000U

/* A kind of series. */
struct scenario {
    const char *name;
    size_t points;
    double spread;      /* standard deviation of the points, relative */
    double correlation; /* of neighbours */
    double drift;       /* standard deviation of a random walk's steps, relative */
    double outliers;    /* share of points that are 20 % too high */
    size_t from, to;    /* points with another level; equal: none */
    double change;      /* of that level, relative */
};

/* What the searches said. */
struct answers {
    size_t series, any; /* series; those with a change point */
    size_t right;       /* those with one change point for each that was planted, each at most 2 points off */
    size_t held;        /* of these, those whose suspects have the true points */
};

static const struct scenario table[] = {
    {"no change", 60, 0.01, 0, 0, 0, 0, 0, 0},
    {"no change", 60, 0.02, 0, 0, 0, 0, 0, 0},
    {"no change", 200, 0.05, 0, 0, 0, 0, 0, 0},
    {"no change, neighbours correlated 0.5", 60, 0.01, 0.5, 0, 0, 0, 0, 0},
    {"no change, neighbours correlated 0.5", 60, 0.02, 0.5, 0, 0, 0, 0, 0},
    {"no change, neighbours correlated 0.5", 200, 0.02, 0.5, 0, 0, 0, 0, 0},
    {"no change, neighbours correlated 0.9", 60, 0.02, 0.9, 0, 0, 0, 0, 0},
    {"no change, but drift of 0.5 % a point", 60, 0.01, 0, 0.005, 0, 0, 0, 0},
    {"no change, 3 % of the points 20 % too high", 60, 0.02, 0, 0, 0.03, 0, 0, 0},
    {"+5 % in the middle", 60, 0.01, 0, 0, 0, 30, 60, 0.05},
    {"+5 % in the middle", 60, 0.02, 0, 0, 0, 30, 60, 0.05},
    {"+5 % in the middle, neighbours correlated 0.5", 60, 0.01, 0.5, 0, 0, 30, 60, 0.05},
    {"+5 % at the last 2 points", 60, 0.01, 0, 0, 0, 58, 60, 0.05},
    {"+5 % at the last 3 points", 60, 0.01, 0, 0, 0, 57, 60, 0.05},
    {"+5 % for 15 points", 60, 0.01, 0, 0, 0, 20, 35, 0.05},
    {"+5 % for 7 of 130 points", 130, 0.01, 0, 0, 0, 45, 52, 0.05},
    {"+5 % after 5 points", 12, 0.01, 0, 0, 0, 5, 12, 0.05},
};

static double
uniform(uint64_t *random)
{
    return ((double)(pp_splitmix64(random) >> 11) + 0.5) * 0x1p-53;
}

static double
normal(uint64_t *random)
{
    double u = uniform(random), v = uniform(random);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void
make_series(const struct scenario *of, double *value, uint64_t *random)
{
    double x = normal(random), step = sqrt(1 - of->correlation * of->correlation), drift = 0;
    for (size_t i = 0; i < of->points; i++) {
        bool changed = i >= of->from && i < of->to;
        value[i] = 10e6 * exp(of->spread * x + drift) * (changed ? 1 + of->change : 1) *
                   (uniform(random) < of->outliers ? 1.2 : 1);
        x = of->correlation * x + step * normal(random);
        drift += of->drift * normal(random);
    }
}

static bool
is_near(size_t index, size_t truth)
{
    return index + 2 >= truth && index <= truth + 2;
}

/* Count what one search says. */
static void
count(const struct scenario *of, const struct pp_change_point *point, size_t points, struct answers *to)
{
    const size_t truth[] = {of->from, of->to};
    size_t wanted = of->from == of->to ? 0 : 1 + (of->to < of->points);
    bool right = points == wanted && wanted, held = right;
    for (size_t i = 0; i < points && right; i++) {
        right = is_near(point[i].index, truth[i]);
        held = held && right && point[i].first <= truth[i] && point[i].last >= truth[i];
    }
    to->series++;
    to->any += points > 0;
    to->right += right;
    to->held += right && held;
}

static struct answers
simulate(const struct scenario *of, size_t series, uint64_t seed)
{
    struct answers answers = {.series = 0};
    double value[POINTS_MOST];
    uint64_t random = seed;
    for (size_t s = 0; s < series; s++) {
        struct pp_change_point *point = NULL;
        size_t points = 0;
        make_series(of, value, &random);
        if (pp_change_points(value, of->points, &pp_change_points_rule_usual, &point, &points))
            abort();
        count(of, point, points, &answers);
        free(point);
    }
    return answers;
}

static void
print_head(void)
{
    printf("| series | points | spread of points | any | right | true point among the suspects |\n|%s\n",
           " --- | --- | --- | --- | --- | --- |");
}

static void
print_row(const struct scenario *of, const struct answers *got)
{
    double all = (double)got->series / 100;
    printf("| %s | %zu | %g %% | ", of->name, of->points, 100 * of->spread);
    if (of->from == of->to)
        printf("%.1f %% | | |\n", (double)got->any / all);
    else
        printf("| %.1f %% | %.1f %% |\n", (double)got->right / all,
               got->right ? 100 * (double)got->held / (double)got->right : 0);
    fflush(stdout);
}

/* Few series, for ctest. @return Exit status. */
static int
check(void)
{
    bool good = true;
    print_head();
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        const struct scenario *of = &table[i];
        bool correlated = of->correlation >= 0.4 && of->correlation <= 0.6, none = of->from == of->to;
        if (of->points > 100 || (none && !correlated) || of->spread > 0.025)
            continue;
        struct answers got = simulate(of, 1000, 1);
        print_row(of, &got);
        good = good && (none ? got.any * 100 <= 6 * got.series : got.right * 100 >= got.series * 90);
    }
    puts(good ? "1 passed, 0 failed"
              : "0 passed, 1 failed: at most 6 % with a change point that is none, 90 % found");
    return good ? 0 : 1;
}

int
main(int argc, char **argv)
{
    static const struct option option[] = {
        {"series", 1, NULL, 's'}, {"seed", 1, NULL, 'r'}, {"check", 0, NULL, 'c'}, {NULL, 0, NULL, 0}};
    size_t series = 2000;
    uint64_t seed = 1;
    int c;
    while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
        if (c == 'c')
            return check();
        if (c == 's')
            series = strtoul(optarg, NULL, 10);
        else if (c == 'r')
            seed = strtoull(optarg, NULL, 10);
        else
            series = 0;
    }
    if (!series || optind != argc) {
        fputs("usage: trend_simulation [--series N] [--seed N]    the whole table\n"
              "       trend_simulation --check                    a small one, with bounds\n",
              stderr);
        return 2;
    }
    print_head();
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct answers got = simulate(&table[i], series, seed);
        print_row(&table[i], &got);
    }
    return 0;
}
