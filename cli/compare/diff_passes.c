/** @file
 * See diff_build.h. */
#include "cli/compare/diff_build.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "pp_texts.h"

/* Columns of a pass in a note. */
#define NAME_COLUMNS 40U

/* The passes that any run of a side has, in their order in the frame: of each the first run's. */
struct side_passes {
    const struct pp_pass_figures **pass;
    size_t len;
};

static int
by_id_and_name(const void *a, const void *b)
{
    const struct pp_pass_figures *x = *(const struct pp_pass_figures *const *)a;
    const struct pp_pass_figures *y = *(const struct pp_pass_figures *const *)b;
    int order = strcmp(x->id, y->id);
    order = order ? order : strcmp(x->name, y->name);
    return order ? order : (x > y) - (x < y);
}

static int
by_place(const void *a, const void *b)
{
    const struct pp_pass_figures *x = *(const struct pp_pass_figures *const *)a;
    const struct pp_pass_figures *y = *(const struct pp_pass_figures *const *)b;
    if (x->place < y->place || x->place > y->place)
        return x->place < y->place ? -1 : 1;
    return by_id_and_name(a, b);
}

static int
collect(const struct pp_diff_side *side, const struct pp_run_surface **surface, struct side_passes *ret)
{
    size_t all = 0, kept = 0;
    for (size_t r = 0; r < side->runs; r++)
        all += surface[r] ? surface[r]->passes : 0;
    ret->pass = calloc(all + 1, sizeof(const struct pp_pass_figures *));
    if (!ret->pass)
        return -ENOMEM;
    for (size_t r = 0; r < side->runs; r++)
        for (size_t i = 0; surface[r] && i < surface[r]->passes; i++)
            if (pp_run_pass_counts(&surface[r]->pass[i]))
                ret->pass[ret->len++] = &surface[r]->pass[i];
    qsort(ret->pass, ret->len, sizeof(*ret->pass), by_id_and_name);
    for (size_t i = 0; i < ret->len; i++) {
        const struct pp_pass_figures *last = kept ? ret->pass[kept - 1] : NULL;
        if (!last || strcmp(last->id, ret->pass[i]->id) != 0 || strcmp(last->name, ret->pass[i]->name) != 0)
            ret->pass[kept++] = ret->pass[i];
    }
    ret->len = kept;
    qsort(ret->pass, ret->len, sizeof(*ret->pass), by_place);
    return 0;
}

static uint32_t
size_of(double size)
{
    return size > 0 && size < 1e9 ? (uint32_t)size : 0;
}

static struct pp_match_pass *
match_passes(const struct side_passes *side)
{
    struct pp_match_pass *ret = calloc(side->len + 1, sizeof(*ret));
    for (size_t i = 0; ret && i < side->len; i++) {
        const struct pp_pass_figures *pass = side->pass[i];
        double actions = pass->draws > 0 ? pass->draws : fmax(fmax(0, pass->dispatches), pass->copies);
        ret[i] = (struct pp_match_pass){.pass_id = pass->id,
                                        .kind = pass->kind,
                                        .label = pass->label,
                                        .name = pass->name,
                                        .attachments = pass->attachments,
                                        .width = size_of(pass->width),
                                        .height = size_of(pass->height),
                                        .samples = size_of(pass->samples),
                                        .draws = actions,
                                        .time = pass->frame_ns};
    }
    return ret;
}

/* What a run is asked for. */
struct pass_key {
    const struct pp_pass_figures *pass; /* of any run */
    enum pp_diff_stat stat;
    const char *metric; /* NULL: GPU time */
};

/* A counter in a frame; NaN: the pass lacks it. */
static double
count_of(const struct pp_pass_figures *pass, const char *metric)
{
    if (strcmp(metric, "draws") == 0)
        return pass->draws;
    return pp_json_get_number(pass->counters, metric) * pass->per_frame;
}

static struct pp_diff_number
ask_pass(const struct pp_run_figures *run, const struct pp_run_surface *surface, const void *key)
{
    const struct pass_key *of = key;
    bool lacks = false;
    const struct pp_pass_figures *pass = pp_run_find_cost(surface, of->pass->id, of->pass->name, &lacks);
    (void)run;
    if (!pass)
        return pp_diff_number(lacks ? 0 : (double)NAN);
    if (of->metric)
        return pp_diff_number(count_of(pass, of->metric));
    const double value[PP_DIFF_STATS] = {
        [PP_DIFF_P5] = pass->p5_ns,      [PP_DIFF_P50] = pass->p50_ns, [PP_DIFF_MEAN] = pass->frame_ns,
        [PP_DIFF_P95] = pass->p95_ns,    [PP_DIFF_P99] = pass->p99_ns, [PP_DIFF_MAX] = pass->max_ns,
        [PP_DIFF_TOTAL] = pass->frame_ns};
    struct pp_diff_number ret = pp_diff_number(value[of->stat]);
    ret.half = pp_diff_half_of(&pass->spread, of->stat);
    if (of->stat == PP_DIFF_MEAN)
        ret.half *= pass->per_frame;
    ret.too_correlated = pass->spread.correlated;
    return ret;
}

/* Does a pass run once in each frame, in all runs that have it? Then the median of its times is the median of
 * its cost in a frame. */
static bool
runs_once(const struct pp_diff_side *side, const struct pp_run_surface **surface,
          const struct pp_pass_figures *wanted)
{
    for (size_t r = 0; wanted && r < side->runs; r++) {
        const struct pp_pass_figures *pass =
            surface[r] ? pp_run_find_pass(surface[r], wanted->id, wanted->name) : NULL;
        if (pass && !(pass->per_frame >= 1 && pass->per_frame <= 1 && !isnan(pass->p50_ns)))
            return false;
    }
    return true;
}

/* Note a count that changed. */
static void
note_count(struct pp_diff_row *row, const char *name, double old_value, double new_value, bool exact)
{
    if (row->counts < PP_DIFF_COUNTS_MOST && pp_diff_count_changed(old_value, new_value, exact))
        row->count[row->counts++] = (struct pp_diff_count){name, old_value, new_value};
}

/* Note the counts of a pass that changed: of its actions, and of its counters. */
static void
note_counts(struct pp_diff_row *row, const struct pp_pass_figures *old_pass,
            const struct pp_pass_figures *new_pass)
{
    bool usual = !isnan(old_pass->usual_draws) && !isnan(new_pass->usual_draws) && old_pass->per_frame >= 1 &&
                 new_pass->per_frame >= 1;
    const char *name = NULL;
    json_t *value = NULL;
    if (usual)
        note_count(row, "draws", old_pass->usual_draws, new_pass->usual_draws, true);
    else
        note_count(row, "draws", old_pass->draws, new_pass->draws, false);
    note_count(row, "dispatches", old_pass->dispatches, new_pass->dispatches, false);
    note_count(row, "copies", old_pass->copies, new_pass->copies, false);
    json_object_foreach((json_t *)(uintptr_t)old_pass->counters, name, value)
    {
        const json_t *other = json_object_get(new_pass->counters, name);
        if (strncmp(name, "pipeline:", strlen("pipeline:")) == 0 && json_is_number(value) &&
            json_is_number(other))
            note_count(row, name, json_number_value(value), json_number_value(other), false);
    }
}

char *
pp_diff_pass_title(const struct pp_pass_figures *pass)
{
    size_t size = strlen(pass->label) + strlen(pass->name) + strlen(pass->kind) + 4;
    const char *name = *pass->name ? pass->name : pass->kind, *last = strrchr(pass->label, '/');
    if (strcmp(last ? last + 1 : pass->label, name) == 0)
        return strdup(pass->label);
    char *ret = malloc(size);
    if (ret)
        snprintf(ret, size, "%s%s%s", pass->label, *pass->label ? ": " : "", name);
    return ret;
}

/* The statistic of a pass: the mean of one that does not run once in each frame, and of a counter. */
static enum pp_diff_stat
stat_of(struct pp_diff_build *build, const struct pp_pass_figures *old_pass,
        const struct pp_pass_figures *new_pass, bool once)
{
    const struct pp_diff_options *options = &build->diff->options;
    const struct pass_key old_p50 = {.pass = old_pass, .stat = PP_DIFF_P50},
                          new_p50 = {.pass = new_pass, .stat = PP_DIFF_P50},
                          old_p5 = {.pass = old_pass, .stat = PP_DIFF_P5},
                          new_p5 = {.pass = new_pass, .stat = PP_DIFF_P5};
    const struct pp_diff_keys p50 = {old_pass ? &old_p50 : NULL, new_pass ? &new_p50 : NULL},
                              p5 = {old_pass ? &old_p5 : NULL, new_pass ? &new_p5 : NULL};
    if (options->metric || (pp_diff_stat_is_typical(options->stat) && !once))
        return PP_DIFF_MEAN;
    return pp_diff_steadiest(build, ask_pass, &p50, &p5);
}

static int
add_row(struct pp_diff_build *build, const struct pp_match_row *match, const struct side_passes *olds,
        const struct side_passes *news, size_t first_row)
{
    const struct pp_diff_options *options = &build->diff->options;
    const struct pp_pass_figures *old_pass =
        match->old_at == PP_MATCH_NONE ? NULL : olds->pass[match->old_at];
    const struct pp_pass_figures *new_pass =
        match->new_at == PP_MATCH_NONE ? NULL : news->pass[match->new_at];
    const struct pp_pass_figures *any = new_pass ? new_pass : old_pass;
    if (!any) /* a row of a match has one of them */
        return 0;
    bool once = runs_once(build->diff->olds, build->old_surface, old_pass) &&
                runs_once(build->diff->news, build->new_surface, new_pass);
    const enum pp_diff_stat stat = stat_of(build, old_pass, new_pass, once);
    const struct pass_key old_key = {old_pass, stat, options->metric},
                          new_key = {new_pass, stat, options->metric};
    struct pp_diff_row row = {.kind = PP_DIFF_PASS,
                              .unit = options->metric ? PP_DIFF_COUNT : PP_DIFF_NS,
                              .stat = stat,
                              .chosen = true,
                              .id = any->id,
                              .label = any->label,
                              .aligned = match->how == PP_MATCH_ALIGNED,
                              .renamed = match->renamed == PP_MATCH_NONE ? PP_DIFF_NO_ROW
                                                                         : first_row + match->renamed};
    struct pp_diff_row *made = NULL;
    if (old_pass && new_pass)
        note_counts(&row, old_pass, new_pass);
    char *name = pp_diff_pass_title(any);
    const struct pp_diff_keys keys = {old_pass ? &old_key : NULL, new_pass ? &new_key : NULL};
    int rc = name ? pp_diff_add(build, &row, name, ask_pass, keys.olds, keys.news, &made) : -ENOMEM;
    free(name);
    if (rc)
        return rc;
    if (!made->old_runs && !made->new_runs) { /* neither has the counter */
        free(made->name);
        free(made->value);
        build->part->len--;
        return 0;
    }
    double larger = fmax(made->old_value, made->new_value); /* fmax() ignores NaN */
    double frame = fmax(build->part->old_gpu_ns, build->part->new_gpu_ns);
    double least = isnan(options->min_ns) ? fmin(PP_DIFF_MIN_NS, PP_DIFF_MIN_SHARE * frame) : options->min_ns;
    bool unresolved = (!old_pass || old_pass->unresolved) && (!new_pass || new_pass->unresolved);
    made->small = !options->metric && (!(larger >= least) || unresolved);
    made->decides = !made->small && !made->interval_of_frames;
    return 0;
}

/* What is left of the GPU time: overlaps of passes, gaps between them, and what their medians do not add up
 * to. */
static int
add_rest(struct pp_diff_build *build)
{
    struct pp_diff_part *part = build->part;
    struct pp_diff_row row = {.kind = PP_DIFF_REST,
                              .unit = PP_DIFF_NS,
                              .stat = part->stat[PP_TIME_GPU],
                              .chosen = true,
                              .renamed = PP_DIFF_NO_ROW};
    struct pp_diff_row *made = NULL;
    double old_rest = part->old_gpu_ns, new_rest = part->new_gpu_ns;
    if (isnan(old_rest) || isnan(new_rest))
        return 0;
    for (size_t i = 0; i < part->len; i++) {
        if (part->row[i].kind != PP_DIFF_PASS)
            continue;
        old_rest -= fmax(0, part->row[i].old_value); /* fmax() ignores NaN */
        new_rest -= fmax(0, part->row[i].new_value);
    }
    int rc = pp_diff_add(build, &row, "", NULL, NULL, NULL, &made);
    if (rc)
        return rc;
    made->old_value = old_rest;
    made->new_value = new_rest;
    made->change = new_rest - old_rest;
    made->verdict = PP_DIFF_NO_VERDICT;
    return 0;
}

/* Add a row of frames: how many passes only one side has. Counts decide nothing without a limit. */
static int
add_changed(struct pp_diff_build *build, size_t first_row)
{
    struct pp_diff_part *part = build->part;
    const struct pp_diff_row row = {.kind = PP_DIFF_FRAME,
                                    .unit = PP_DIFF_COUNT,
                                    .stat = PP_DIFF_TOTAL,
                                    .chosen = true,
                                    .renamed = PP_DIFF_NO_ROW};
    struct pp_diff_row *made = NULL;
    double changed = 0;
    for (size_t i = first_row; i < part->len; i++)
        changed += part->row[i].kind == PP_DIFF_PASS &&
                   (part->row[i].verdict == PP_DIFF_NEW || part->row[i].verdict == PP_DIFF_GONE);
    int rc = pp_diff_add(build, &row, "passes", NULL, NULL, NULL, &made);
    if (rc)
        return rc;
    made->old_value = 0;
    made->new_value = made->change = changed;
    made->old_runs = build->diff->olds->runs;
    made->new_runs = build->diff->news->runs;
    made->verdict = changed > 0 ? PP_DIFF_CHANGED : PP_DIFF_EQUAL;
    return 0;
}

/* Append the names of the passes with a verdict. @return The same text. */
static char *
names_of(char *text, size_t size, const struct pp_diff_part *part, enum pp_diff_verdict verdict)
{
    char name[4 * NAME_COLUMNS + 8];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < part->len && used < size; i++) {
        const struct pp_diff_row *row = &part->row[i];
        if (row->kind == PP_DIFF_PASS && row->verdict == verdict)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     pp_format_name(name, sizeof(name), row->name, NAME_COLUMNS));
    }
    return text;
}

int
pp_diff_note_passes(struct pp_diff *diff, const struct pp_diff_part *part)
{
    char names[400];
    int rc = 0;
    if (*names_of(names, sizeof(names), part, PP_DIFF_GONE))
        rc = pp_diff_note_add(diff, false, PP_FORMAT_DIFF_PASSES_GONE, names);
    if (rc == 0 && *names_of(names, sizeof(names), part, PP_DIFF_NEW))
        rc = pp_diff_note_add(diff, false, PP_FORMAT_DIFF_PASSES_NEW, names);
    return rc;
}

/* Do the costs of passes add up to the GPU time by this statistic? */
static bool
adds_up(enum pp_diff_stat stat)
{
    return pp_diff_stat_is_typical(stat) || stat == PP_DIFF_MEAN;
}

int
pp_diff_add_passes(struct pp_diff_build *build)
{
    struct side_passes olds = {.len = 0}, news = {.len = 0};
    struct pp_match_pass *old_match = NULL, *new_match = NULL;
    struct pp_match match = {.len = 0};
    size_t first_row = build->part->len;
    int rc = collect(build->diff->olds, build->old_surface, &olds);
    rc = rc ? rc : collect(build->diff->news, build->new_surface, &news);
    if (rc == 0) {
        old_match = match_passes(&olds);
        new_match = match_passes(&news);
        rc = old_match && new_match ? pp_match_make(old_match, olds.len, new_match, news.len, &match)
                                    : -ENOMEM;
    }
    for (size_t i = 0; rc == 0 && i < match.len && olds.len && news.len; i++)
        rc = add_row(build, &match.row[i], &olds, &news, first_row);
    build->part->capped = match.capped;
    if (rc == 0 && olds.len && news.len && !build->diff->options.metric && adds_up(build->diff->options.stat))
        rc = add_rest(build);
    if (rc == 0 && olds.len && news.len && !build->diff->options.metric)
        rc = add_changed(build, first_row);
    pp_match_finish(&match);
    free(old_match);
    free(new_match);
    free(olds.pass);
    free(news.pass);
    return rc;
}
