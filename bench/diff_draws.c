/** @file
 * How often is `passprobe diff` right with recorded runs? Draws sides at random from pools of runs, compares
 * them with the functions of the command, and prints a row of a Markdown table. A part of bench/diff_pools,
 * which records the pools and prints the head of the table.
 *
 *     diff_draws [--draws N] [--runs N] [--seed N] [--rows] NAME BASE PLANTED PASS
 *
 * BASE and PLANTED are files of summaries (`report --json`); PASS begins the name of the pass that has 5 %
 * more work in PLANTED. "Equal" sides both come from BASE, without a common run; of "planted" ones the new
 * side comes from PLANTED. */
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/diff.h"
#include "cli/compare/limit_check.h"
#include "cli/compare/run.h"
#include "cli/operands/operands.h"
#include "counters/util/array_size.h"
#include "counters/util/random.h"

/* A comparison is too blunt if it cannot show the planted change. */
#define BLUNT 0.05
/* Limits that are checked, and names of wrong rows that are printed. */
#define LIMITS     3U
#define WRONG_MOST 64U

/* The runs that sides are drawn from. */
struct pool {
    struct pp_run_figures *run;
    size_t runs;
};

/* A row that was slower or faster though nothing changed, and how often. */
struct wrong {
    char name[128];
    size_t count;
};

/* What is drawn, and what the comparisons said. */
struct drawing {
    size_t draws, runs;
    const char *name, *pass; /* the pass that changed; NULL: none did */
    struct pp_limit limit[LIMITS];
    size_t exits;                     /* comparisons with exit status 1 */
    size_t any_wrong;                 /* comparisons with a row that claims a change of what did not change */
    size_t alarms;                    /* comparisons with one or the other; of planted ones the latter */
    size_t limit_exits;               /* comparisons with a limit that failed */
    size_t found;                     /* comparisons in which the changed pass is slower */
    size_t limit_found;               /* comparisons in which the limit of the changed pass failed */
    size_t wrong_kind[PP_DIFF_KINDS]; /* comparisons with such a row, by kind */
    size_t blunt;                     /* comparisons that --fail-blunt 5 fails */
    size_t pass_blunt;                /* comparisons that it fails with a limit of passes only */
    size_t unsaid;  /* comparisons with a row within its limit, and no smallest visible change */
    double visible; /* smallest visible change of the pass, summed; percent */
    struct wrong wrong[WRONG_MOST];   /* such rows */
    struct wrong blunted[WRONG_MOST]; /* rows for which --fail-blunt 5 fails */
};

/* The last one is of passes. */
static const char *const limit_text[LIMITS] = {"frame-time 3%", "gpu-time 3%", "pass:* 3%"};

static void
read_pool(const char *path, struct pool *ret)
{
    char why[PP_RUN_WHY];
    if (pp_run_figures_read(path, NULL, &ret->run, &ret->runs, why)) {
        fprintf(stderr, "diff_draws: %s\n", why);
        exit(1);
    }
}

/* Draw runs from a pool, without replacement. @param order Indexes of the pool's runs; shuffled. */
static void
draw_runs(const struct pool *pool, size_t *order, size_t first, size_t runs, struct pp_run_figures *ret,
          uint64_t *random)
{
    for (size_t i = first; i < first + runs; i++) {
        size_t other = i + (size_t)pp_random_below(random, pool->runs - i), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
        ret[i - first] = pool->run[order[i]];
    }
}

static bool
claims(const struct pp_diff_row *row)
{
    return row->verdict == PP_DIFF_SLOWER || row->verdict == PP_DIFF_FASTER;
}

/* Is this row about the pass that changed, or does it contain it? All times of frames do. */
static bool
has_change(const struct drawing *of, const struct pp_diff_row *row)
{
    if (!of->pass)
        return false;
    if (row->kind == PP_DIFF_PASS || row->kind == PP_DIFF_LABEL)
        return strncmp(row->name, of->pass, strlen(of->pass)) == 0;
    return true;
}

/* Count a name. @param list WRONG_MOST of them. */
static void
note(struct wrong *list, const char *name)
{
    for (size_t i = 0; i < WRONG_MOST; i++)
        if (!list[i].count || strcmp(list[i].name, name) == 0) {
            snprintf(list[i].name, sizeof(list[i].name), "%s", name);
            list[i].count++;
            return;
        }
}

static void
note_wrong(struct drawing *of, const struct pp_diff_row *row)
{
    char name[128];
    snprintf(name, sizeof(name), "%d %.80s %s", (int)row->kind, row->name, pp_diff_stat_name(row->stat));
    note(of->wrong, name);
}

/* Count the figure that the message of --fail-blunt begins with. */
static void
note_blunt(struct drawing *of, const char *message)
{
    char name[64];
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(message, "0123456789+"), message);
    note(of->blunted, name);
}

/* Count what the rows of a comparison say. @return Is one wrong? */
static bool
count_rows(struct drawing *of, const struct pp_diff *diff)
{
    bool wrong = false, kind[PP_DIFF_KINDS] = {false};
    for (size_t p = 0; p < diff->parts; p++)
        for (size_t i = 0; i < diff->part[p].len; i++) {
            const struct pp_diff_row *row = &diff->part[p].row[i];
            if (row->kind == PP_DIFF_PASS && of->pass && has_change(of, row)) {
                of->found += row->verdict == PP_DIFF_SLOWER;
                of->visible += fmin(row->visible_percent, row->relative_visible_percent); /* ignores NaN */
            }
            if (!claims(row) || (has_change(of, row) && row->verdict == PP_DIFF_SLOWER))
                continue;
            if (has_change(of, row) && row->unit == PP_DIFF_FPS && row->percent < 0)
                continue;
            wrong = kind[row->kind] = true;
            note_wrong(of, row);
        }
    for (size_t k = 0; k < PP_DIFF_KINDS; k++)
        of->wrong_kind[k] += kind[k];
    return wrong;
}

/* Count what limits say of a comparison. */
static void
count_limits(struct drawing *of, const struct pp_limit_checks *checks)
{
    bool unsaid = false, found = false;
    for (size_t i = 0; i < checks->findings; i++) {
        const struct pp_limit_finding *finding = &checks->finding[i];
        unsaid |= finding->state == PP_LIMIT_PASSED && !isfinite(finding->row->visible_percent);
        found |= finding->state == PP_LIMIT_FAILED && finding->row->kind == PP_DIFF_PASS &&
                 has_change(of, finding->row);
    }
    of->unsaid += unsaid;
    of->limit_found += found;
    of->limit_exits += pp_limit_worst(checks) == PP_LIMIT_FAILED;
}

/* Compare two sides, and count. */
static void
count(struct drawing *of, const struct pp_diff_side *olds, const struct pp_diff_side *news)
{
    struct pp_diff diff;
    struct pp_limit_checks checks, blunt, pass_blunt;
    if (pp_diff_make(olds, news, &pp_diff_options_usual, &diff) || !diff.parts ||
        pp_limit_check(of->limit, LIMITS, &diff, &checks) || pp_limit_check(NULL, 0, &diff, &blunt) ||
        pp_limit_find_blunt(&blunt, &diff, BLUNT) ||
        pp_limit_check(&of->limit[LIMITS - 1], 1, &diff, &pass_blunt) ||
        pp_limit_find_blunt(&pass_blunt, &diff, BLUNT))
        abort();
    bool exits = pp_diff_slower(&diff), wrong = count_rows(of, &diff);
    of->exits += exits;
    of->any_wrong += wrong;
    of->alarms += wrong || (exits && !of->pass);
    of->blunt += blunt.blunt != NULL;
    if (blunt.blunt)
        note_blunt(of, blunt.blunt);
    of->pass_blunt += pass_blunt.blunt != NULL;
    count_limits(of, &checks);
    pp_limit_checks_finish(&pass_blunt);
    pp_limit_checks_finish(&blunt);
    pp_limit_checks_finish(&checks);
    pp_diff_finish(&diff);
}

/* Draw sides and compare them. @param news The same as @p olds: sides are equal. */
static void
draw(struct drawing *of, const struct pool *olds, const struct pool *news, uint64_t random)
{
    struct pp_run_figures *old_run = calloc(of->runs, sizeof(*old_run)),
                          *new_run = calloc(of->runs, sizeof(*new_run));
    size_t *old_order = calloc(olds->runs, sizeof(*old_order)),
           *new_order = calloc(news->runs, sizeof(*new_order));
    const struct pp_diff_side old_side = {.run = old_run, .runs = of->runs},
                              new_side = {.run = new_run, .runs = of->runs};
    if (!old_run || !new_run || !old_order || !new_order)
        abort();
    for (size_t d = 0; d < of->draws; d++) {
        for (size_t i = 0; i < olds->runs; i++)
            old_order[i] = i;
        for (size_t i = 0; i < news->runs; i++)
            new_order[i] = i;
        draw_runs(olds, old_order, 0, of->runs, old_run, &random);
        if (olds == news)
            draw_runs(olds, old_order, of->runs, of->runs, new_run, &random);
        else
            draw_runs(news, new_order, 0, of->runs, new_run, &random);
        count(of, &old_side, &new_side);
    }
    free(old_run);
    free(new_run);
    free(old_order);
    free(new_order);
}

static void
print_row(const struct drawing *of, bool rows)
{
    double all = (double)of->draws / 100;
    printf("| %s | %s | %zu | %.1f %% | %.1f %% | %.1f %% | %.1f %% | ", of->name,
           of->pass ? "planted" : "equal", of->draws, (double)of->exits / all, (double)of->any_wrong / all,
           (double)of->alarms / all, (double)of->limit_exits / all);
    if (of->pass)
        printf("%.1f %% | %.1f %% | %.1f %% | ", (double)of->found / all, (double)of->limit_found / all,
               of->visible / (double)of->draws);
    else
        printf("| | | ");
    printf("%.1f %% | %.1f %% | %zu |\n", (double)of->blunt / all, (double)of->pass_blunt / all, of->unsaid);
    for (size_t k = 0; rows && k < PP_DIFF_KINDS; k++)
        if (of->wrong_kind[k])
            printf("    kind %zu: %.1f %%\n", k, (double)of->wrong_kind[k] / all);
    for (size_t i = 0; rows && i < WRONG_MOST && of->wrong[i].count; i++)
        printf("    %zu wrong: %s\n", of->wrong[i].count, of->wrong[i].name);
    for (size_t i = 0; rows && i < WRONG_MOST && of->blunted[i].count; i++)
        printf("    %zu blunt: %s\n", of->blunted[i].count, of->blunted[i].name);
}

static int
usage(void)
{
    fputs("usage: diff_draws [--draws N] [--runs N] [--seed N] [--rows] NAME BASE PLANTED PASS\n", stderr);
    return 2;
}

int
main(int argc, char **argv)
{
    struct drawing equal = {.draws = 1000, .runs = 5};
    struct pool base = {.runs = 0}, planted = {.runs = 0};
    uint64_t seed = 1;
    bool rows = false;
    static const struct option option[] = {{"draws", 1, NULL, 'd'},
                                           {"runs", 1, NULL, 'r'},
                                           {"seed", 1, NULL, 's'},
                                           {"rows", 0, NULL, 'w'},
                                           {NULL, 0, NULL, 0}};
    for (int c = 0; (c = getopt_long(argc, argv, "", option, NULL)) != -1;) {
        if (c == 'd')
            equal.draws = strtoul(optarg, NULL, 10);
        else if (c == 'r')
            equal.runs = strtoul(optarg, NULL, 10);
        else if (c == 's')
            seed = strtoul(optarg, NULL, 10);
        else if (c == 'w')
            rows = true;
        else
            return usage();
    }
    if (argc - optind != 4 || !equal.draws || equal.runs < 3)
        return usage();
    equal.name = argv[optind];
    read_pool(argv[optind + 1], &base);
    read_pool(argv[optind + 2], &planted);
    if (base.runs < 2 * equal.runs || planted.runs < equal.runs) {
        fprintf(stderr, "diff_draws: too few runs: %zu, and %zu planted\n", base.runs, planted.runs);
        return 1;
    }
    for (size_t i = 0; i < LIMITS; i++) {
        struct pp_limit_error error;
        if (pp_limit_parse(limit_text[i], &equal.limit[i], &error))
            abort();
    }
    struct drawing changed = equal;
    changed.pass = argv[optind + 3];
    draw(&equal, &base, &base, seed);
    draw(&changed, &base, &planted, seed);
    print_row(&equal, rows);
    print_row(&changed, rows);
    for (size_t i = 0; i < LIMITS; i++)
        pp_limit_finish(&equal.limit[i]);
    for (size_t i = 0; i < base.runs; i++)
        pp_run_figures_finish(&base.run[i]);
    for (size_t i = 0; i < planted.runs; i++)
        pp_run_figures_finish(&planted.run[i]);
    free(base.run);
    free(planted.run);
    return 0;
}
