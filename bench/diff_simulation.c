/** @file
 * How often is `passprobe diff` right? Makes runs whose truth is known, as the JSON of `report --json`,
 * compares them with the functions of the command, and counts false alarms and planted changes that were
 * found. Prints rows of a Markdown table for docs/internals/statistics.md.
 *
 * A run has a random offset, of which a half (of the variance) is that of all passes and a half the pass's.
 * Its frames are an autoregressive series of the logarithms: neighbours are correlated. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/compare/diff.h"
#include "counters/stats/stats.h"
#include "counters/util/random.h"

/* What is simulated. */
struct scenario {
    size_t trials, runs, passes, frames;
    double correlation; /* of neighbouring frames */
    double spread;      /* standard deviation between runs, relative */
    double noise;       /* standard deviation of frames in a run, relative */
    double planted;     /* relative change of one pass of the new side; 0: nothing changes */
    bool pairs;
    uint64_t seed;
};

/* What the comparisons said. */
struct answers {
    size_t alarms;      /* comparisons with exit status 1 */
    size_t rows, wrong; /* rows of passes without a change; those slower or faster */
    size_t any_wrong;   /* comparisons with such a row, or with a row of frames that claims what is not so */
    size_t found;       /* comparisons in which the changed pass is slower */
    size_t only;        /* and no other pass is slower or faster */
    size_t same;        /* rows of passes without a change that are the same */
    size_t sums;        /* comparisons whose rows add up to the change of the GPU time */
};

static double
normal(uint64_t *random)
{
    double u = ((double)(pp_splitmix64(random) >> 11) + 0.5) * 0x1p-53;
    double v = ((double)(pp_splitmix64(random) >> 11) + 0.5) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static void
set_times(json_t *to, const double *sorted, size_t n)
{
    json_object_set_new(to, "mean_ns", json_real(pp_stats_mean(sorted, n)));
    json_object_set_new(to, "p50_ns", json_real(pp_median(sorted, n)));
    json_object_set_new(to, "p95_ns", json_real(pp_quantile7(sorted, n, 0.95)));
    json_object_set_new(to, "p99_ns", json_real(pp_quantile7(sorted, n, 0.99)));
    json_object_set_new(to, "max_ns", json_real(sorted[n - 1]));
}

/* Times of a pass in all frames: a run's level, and frames around it. */
static void
make_pass(const struct scenario *of, double level_ns, double *time, uint64_t *random)
{
    double x = normal(random), step = sqrt(1 - of->correlation * of->correlation);
    for (size_t i = 0; i < of->frames; i++) {
        time[i] = level_ns * exp(of->noise * x);
        x = of->correlation * x + step * normal(random);
    }
}

static json_t *
pass_json(size_t index, double *time, size_t frames)
{
    char name[32];
    snprintf(name, sizeof(name), "pass-%zu", index);
    json_t *pass = json_pack("{s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f}", "id", name, "kind", "render", "name",
                             name, "label", name, "place", (int)index, "count", (int)frames, "per_frame", 1,
                             "draws_per_frame", 10.0);
    json_object_set_new(pass, "gpu_ns_per_frame", json_real(pp_stats_mean(time, frames)));
    pp_stats_sort(time, frames);
    set_times(pass, time, frames);
    return pass;
}

static json_t *
frames_json(double *total, size_t frames)
{
    json_t *times = json_object(), *kind = json_pack("{s:i}", "frames", (int)frames);
    pp_stats_sort(total, frames);
    set_times(kind, total, frames);
    json_object_set(times, "gpu_time", kind);
    json_object_set(times, "gpu_busy", kind);
    json_object_set_new(times, "frame_time", kind);
    return times;
}

/* The report of a run. @param changed Factor of the pass in the middle. */
static json_t *
make_run(const struct scenario *of, double changed, uint64_t *random)
{
    double *time = calloc(of->frames, sizeof(*time)), *total = calloc(of->frames, sizeof(*total));
    json_t *passes = json_array();
    double common = normal(random);
    if (!time || !total || !passes)
        abort();
    for (size_t p = 0; p < of->passes; p++) {
        double offset = of->spread * sqrt(0.5) * (common + normal(random));
        double level = 100e3 * (double)(1 + p % 7) * exp(offset) * (p == of->passes / 2 ? changed : 1);
        make_pass(of, level, time, random);
        for (size_t i = 0; i < of->frames; i++)
            total[i] += time[i];
        json_array_append_new(passes, pass_json(p, time, of->frames));
    }
    double fps = pp_average_fps(total, of->frames, 1e9);
    json_t *surface = json_pack("{s:s, s:s, s:s, s:s, s:i, s:f, s:o, s:o}", "api", "sim", "device", "0",
                                "driver", "sim", "surface", "window 0", "frames", (int)of->frames, "fps", fps,
                                "times", frames_json(total, of->frames), "passes", passes);
    free(time);
    free(total);
    return json_pack("{s:s, s:i, s:{s:s, s:s}, s:[o]}", "format", "passprobe-report", "schema", 4, "options",
                     "level", "pass", "events", "time", "surfaces", surface);
}

static void
add_run(struct pp_diff_side *side, json_t *json)
{
    char why[PP_RUN_WHY] = "no JSON";
    struct pp_run_figures *run = reallocarray(side->run, side->runs + 1, sizeof(*run));
    if (!run)
        abort();
    side->run = run;
    if (!json || pp_run_figures_take(json, "run", &side->run[side->runs], why)) {
        fprintf(stderr, "%s\n", why);
        exit(1);
    }
    side->cap = ++side->runs;
}

/* Is a row slower or faster? */
static bool
claims(const struct pp_diff_row *row)
{
    return row->verdict == PP_DIFF_SLOWER || row->verdict == PP_DIFF_FASTER;
}

/* Count what one comparison says. */
static void
count(const struct scenario *of, const struct pp_diff *diff, struct answers *to)
{
    const struct pp_diff_part *part = &diff->part[0];
    char changed[32];
    size_t wrong = 0, wrong_frames = 0;
    bool found = false;
    double sum = 0;
    snprintf(changed, sizeof(changed), "pass-%zu", of->passes / 2);
    for (size_t i = 0; i < part->len; i++) {
        const struct pp_diff_row *row = &part->row[i];
        if (row->kind == PP_DIFF_PASS || row->kind == PP_DIFF_REST)
            sum += row->change;
        if (row->kind == PP_DIFF_FRAME)
            wrong_frames +=
                claims(row) && (!(of->planted > 0) || row->verdict == PP_DIFF_FASTER) && row->decides;
        if (row->kind != PP_DIFF_PASS)
            continue;
        if (of->planted > 0 && strcmp(row->id, changed) == 0) {
            found = row->verdict == PP_DIFF_SLOWER;
            continue;
        }
        to->rows++;
        wrong += claims(row);
        to->same += row->verdict == PP_DIFF_SAME;
    }
    to->alarms += pp_diff_slower(diff) != NULL;
    to->wrong += wrong;
    to->any_wrong += wrong || wrong_frames;
    to->found += found;
    to->only += found && !wrong && !wrong_frames;
    to->sums += fabs(sum - (part->new_gpu_ns - part->old_gpu_ns)) <= 1e-6 * part->old_gpu_ns;
}

static struct answers
simulate(const struct scenario *of)
{
    struct answers answers = {.rows = 0};
    uint64_t random = of->seed;
    for (size_t t = 0; t < of->trials; t++) {
        struct pp_diff_side olds = {.runs = 0}, news = {.runs = 0};
        struct pp_diff_options options = pp_diff_options_usual;
        struct pp_diff diff;
        options.pairs = of->pairs;
        for (size_t r = 0; r < of->runs; r++) {
            add_run(&olds, make_run(of, 1, &random));
            add_run(&news, make_run(of, 1 + of->planted, &random));
        }
        if (pp_diff_make(&olds, &news, &options, &diff) || !diff.parts)
            abort();
        count(of, &diff, &answers);
        pp_diff_finish(&diff);
        pp_diff_side_finish(&olds);
        pp_diff_side_finish(&news);
    }
    return answers;
}

static void
print_head(void)
{
    printf("| correlation | passes | runs a side | planted | exit 1 | a wrong row | wrong rows | found | "
           "found, and no wrong "
           "row | same |\n|%s\n",
           " --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
}

static void
print_row(const struct scenario *of, const struct answers *got)
{
    double all = (double)of->trials / 100, rows = (double)got->rows / 100;
    printf("| %.1f | %zu | %zu%s | ", of->correlation, of->passes, of->runs, of->pairs ? " pairs" : "");
    if (of->planted > 0)
        printf("%+.0f %%", 100 * of->planted);
    else
        printf("nothing");
    printf(" | %.1f %% | %.1f %% | %zu of %zu | ", (double)got->alarms / all, (double)got->any_wrong / all,
           got->wrong, got->rows);
    if (of->planted > 0)
        printf("%.1f %% | %.1f %% | ", (double)got->found / all, (double)got->only / all);
    else
        printf("| | ");
    printf("%.0f %% |%s\n", rows > 0 ? (double)got->same / rows : 0,
           got->sums == of->trials ? "" : " (rows do not add up)");
    fflush(stdout);
}

/* The table: nothing changed, and one pass changed. */
static void
table(struct scenario of)
{
    static const double correlation[] = {0, 0.5, 0.9};
    static const size_t passes[] = {10, 200};
    print_head();
    for (size_t planted = 0; planted < 2; planted++)
        for (size_t p = 0; p < 2; p++)
            for (size_t c = 0; c < 3; c++) {
                struct scenario one = of;
                one.planted = planted ? 0.05 : 0;
                one.correlation = correlation[c];
                one.passes = passes[p];
                one.trials = passes[p] > 100 ? of.trials / 5 : of.trials;
                struct answers got = simulate(&one);
                print_row(&one, &got);
            }
}

/* A small simulation for ctest. @return Exit status. */
static int
check(void)
{
    struct scenario of = {.trials = 40,
                          .runs = 5,
                          .passes = 10,
                          .frames = 300,
                          .correlation = 0.5,
                          .spread = 0.01,
                          .noise = 0.05,
                          .seed = 1};
    struct answers equal = simulate(&of);
    print_head();
    print_row(&of, &equal);
    of.planted = 0.05;
    struct answers changed = simulate(&of);
    print_row(&of, &changed);
    bool good = equal.any_wrong * 20 <= of.trials && equal.sums == of.trials && changed.sums == of.trials &&
                changed.only * 100 >= of.trials * 90 && changed.alarms >= changed.found;
    puts(good ? "1 passed, 0 failed"
              : "0 passed, 1 failed: at most 5 % false alarms, 90 % found, rows that add up");
    return good ? 0 : 1;
}

static int
usage(void)
{
    fputs(
        "usage: diff_simulation [--trials N] [--runs N] [--passes N] [--frames N] [--correlation R] "
        "[--spread PERCENT]\n"
        "           [--noise PERCENT] [--planted PERCENT] [--pairs] [--seed N]    without --passes: the "
        "whole table\n"
        "       diff_simulation --check                                          a small one, with bounds\n",
        stderr);
    return 2;
}

int
main(int argc, char **argv)
{
    struct scenario of = {.trials = 500, .runs = 5, .frames = 1000, .spread = 0.01, .noise = 0.05, .seed = 1};
    enum { TRIALS = 256, RUNS, PASSES, FRAMES, CORRELATION, SPREAD, NOISE, PLANTED, PAIRS, SEED, CHECK };
    static const struct option option[] = {{"trials", 1, NULL, TRIALS},
                                           {"runs", 1, NULL, RUNS},
                                           {"passes", 1, NULL, PASSES},
                                           {"frames", 1, NULL, FRAMES},
                                           {"correlation", 1, NULL, CORRELATION},
                                           {"spread", 1, NULL, SPREAD},
                                           {"noise", 1, NULL, NOISE},
                                           {"planted", 1, NULL, PLANTED},
                                           {"pairs", 0, NULL, PAIRS},
                                           {"seed", 1, NULL, SEED},
                                           {"check", 0, NULL, CHECK},
                                           {NULL, 0, NULL, 0}};
    int c;
    while ((c = getopt_long(argc, argv, "", option, NULL)) != -1) {
        switch (c) {
        case TRIALS:
            of.trials = strtoul(optarg, NULL, 10);
            break;
        case RUNS:
            of.runs = strtoul(optarg, NULL, 10);
            break;
        case PASSES:
            of.passes = strtoul(optarg, NULL, 10);
            break;
        case FRAMES:
            of.frames = strtoul(optarg, NULL, 10);
            break;
        case CORRELATION:
            of.correlation = strtod(optarg, NULL);
            break;
        case SPREAD:
            of.spread = strtod(optarg, NULL) / 100;
            break;
        case NOISE:
            of.noise = strtod(optarg, NULL) / 100;
            break;
        case PLANTED:
            of.planted = strtod(optarg, NULL) / 100;
            break;
        case PAIRS:
            of.pairs = true;
            break;
        case SEED:
            of.seed = strtoull(optarg, NULL, 10);
            break;
        case CHECK:
            return check();
        default:
            return usage();
        }
    }
    if (optind != argc || !of.trials || !of.runs || !of.frames)
        return usage();
    if (!of.passes) {
        table(of);
        return 0;
    }
    struct answers got = simulate(&of);
    print_head();
    print_row(&of, &got);
    return 0;
}
