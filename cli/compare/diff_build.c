/** @file
 * See diff_build.h. */
#include "cli/compare/diff_build.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

bool
pp_diff_takes(const struct pp_diff_build *build, const char *name)
{
    const char *metric = build->diff->options.metric;
    return !metric || fnmatch(metric, name, 0) == 0;
}

struct pp_diff_number
pp_diff_number(double value)
{
    return (struct pp_diff_number){.value = value, .half = (double)NAN};
}

double
pp_diff_half_of(const struct pp_spread *within, enum pp_diff_stat stat)
{
    const double half[PP_DIFF_STATS] = {[PP_DIFF_P5] = within->p5_half,     [PP_DIFF_P50] = within->p50_half,
                                        [PP_DIFF_MEAN] = within->mean_half, [PP_DIFF_P95] = within->p95_half,
                                        [PP_DIFF_P99] = within->p99_half,   [PP_DIFF_MAX] = (double)NAN,
                                        [PP_DIFF_TOTAL] = (double)NAN};
    return half[stat];
}

struct pp_diff_number
pp_diff_stat_of(const struct pp_time_figures *times, enum pp_diff_stat stat)
{
    const double value[PP_DIFF_STATS] = {
        [PP_DIFF_P5] = times->p5_ns,     [PP_DIFF_P50] = times->p50_ns, [PP_DIFF_MEAN] = times->mean_ns,
        [PP_DIFF_P95] = times->p95_ns,   [PP_DIFF_P99] = times->p99_ns, [PP_DIFF_MAX] = times->max_ns,
        [PP_DIFF_TOTAL] = times->mean_ns};
    struct pp_diff_number ret = pp_diff_number(value[stat]);
    ret.half = pp_diff_half_of(&times->spread, stat);
    ret.too_correlated = times->spread.correlated;
    return ret;
}

/* Ask each run of a side. @param first The first number that is known. */
static void
ask_side(const struct pp_diff_side *side, const struct pp_run_surface **surface, pp_diff_ask *ask,
         const void *key, double *value, struct pp_diff_number *first)
{
    *first = pp_diff_number((double)NAN);
    for (size_t i = 0; i < side->runs; i++) {
        struct pp_diff_number number = pp_diff_number((double)NAN);
        if (key)
            number = ask(&side->run[i], surface[i], key);
        value[i] = number.value;
        if (isnan(first->value))
            *first = number;
    }
}

void
pp_diff_ask_runs(struct pp_diff_build *build, pp_diff_ask *ask, const struct pp_diff_keys *keys)
{
    struct pp_diff_number first;
    ask_side(build->diff->olds, build->old_surface, ask, keys->olds, build->olds, &first);
    ask_side(build->diff->news, build->new_surface, ask, keys->news, build->news, &first);
}

/* Keep the numbers of a pass, for the comparison with the other passes. */
static int
keep_values(const struct pp_diff_build *build, struct pp_diff_row *row)
{
    const size_t olds = build->diff->olds->runs, news = build->diff->news->runs;
    row->value = calloc(olds + news + 1, sizeof(*row->value));
    if (!row->value)
        return -ENOMEM;
    memcpy(row->value, build->olds, olds * sizeof(*row->value));
    memcpy(row->value + olds, build->news, news * sizeof(*row->value));
    return 0;
}

int
pp_diff_add(struct pp_diff_build *build, const struct pp_diff_row *row, const char *name, pp_diff_ask *ask,
            const void *old_key, const void *new_key, struct pp_diff_row **ret)
{
    const struct pp_diff *diff = build->diff;
    struct pp_diff_part *part = build->part;
    struct pp_diff_number old_first, new_first;
    int rc = pp_grow_array(&part->row, &part->cap, part->len + 1, sizeof(*part->row));
    if (rc)
        return rc;
    ask_side(diff->olds, build->old_surface, ask, old_key, build->olds, &old_first);
    ask_side(diff->news, build->new_surface, ask, new_key, build->news, &new_first);
    bool times = (row->unit == PP_DIFF_NS || row->unit == PP_DIFF_FPS) && !diff->options.pairs;
    size_t left_out =
        times ? pp_diff_leave_out(build->olds, diff->olds->runs, build->news, diff->news->runs) : 0;
    const struct pp_diff_values values = {.olds = build->olds,
                                          .news = build->news,
                                          .old_runs = diff->olds->runs,
                                          .new_runs = diff->news->runs,
                                          .old_half = old_first.half,
                                          .new_half = new_first.half,
                                          .too_correlated =
                                              old_first.too_correlated || new_first.too_correlated,
                                          .counts_changed = row->counts > 0};
    struct pp_diff_row *to = &part->row[part->len];
    *to = *row;
    to->id = row->id ? row->id : "";
    to->label = row->label ? row->label : "";
    to->name = strdup(name);
    to->left_out = left_out;
    rc = to->name ? pp_diff_judge(to, &values, &diff->options) : -ENOMEM;
    if (rc) {
        free(to->name);
        return rc;
    }
    part->len++;
    if (ret)
        *ret = to;
    return row->kind == PP_DIFF_PASS && times ? keep_values(build, to) : 0;
}
