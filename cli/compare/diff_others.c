/** @file
 * See diff_build.h. */
#include "cli/compare/diff_build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/summary.h"
#include "counters/util/grow_array.h"

/* Names that any run has. */
struct names {
    const char **name;
    size_t len, cap;
};

static int
add_name(struct names *names, const char *name)
{
    int rc = pp_grow_array(&names->name, &names->cap, names->len + 1, sizeof(*names->name));
    if (rc == 0)
        names->name[names->len++] = name;
    return rc;
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sort the names, and remove those that are there twice. */
static void
sort_names(struct names *names)
{
    size_t kept = 0;
    if (names->len)
        qsort(names->name, names->len, sizeof(*names->name), by_text);
    for (size_t i = 0; i < names->len; i++)
        if (!kept || strcmp(names->name[kept - 1], names->name[i]) != 0)
            names->name[kept++] = names->name[i];
    names->len = kept;
}

/* Collect the names of one run. */
typedef int collect_names(struct names *names, const struct pp_run_figures *run,
                          const struct pp_run_surface *surface);

static int
collect_side(struct names *names, const struct pp_diff_side *side, const struct pp_run_surface **surface,
             collect_names *collect)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < side->runs; i++)
        if (surface[i])
            rc = collect(names, &side->run[i], surface[i]);
    return rc;
}

/* Collect the names of all runs. */
static int
collect_all(struct names *names, const struct pp_diff_build *build, collect_names *collect)
{
    int rc = collect_side(names, build->diff->olds, build->old_surface, collect);
    rc = rc ? rc : collect_side(names, build->diff->news, build->new_surface, collect);
    if (rc == 0)
        sort_names(names);
    return rc;
}

static int
collect_labels(struct names *names, const struct pp_run_figures *run, const struct pp_run_surface *surface)
{
    int rc = 0;
    (void)surface;
    for (size_t i = 0; rc == 0 && i < run->labels; i++)
        rc = add_name(names, run->label[i].label);
    return rc;
}

/* The cost of a region in a frame: the median or p5, if it is in each frame of each run; else the mean. */
struct label_key {
    const char *path;
    enum pp_diff_stat stat;
};

static struct pp_diff_number
ask_label(const struct pp_run_figures *run, const struct pp_run_surface *surface, const void *key)
{
    const struct label_key *of = key;
    const struct pp_label_figures *label = pp_run_find_label(run, of->path);
    (void)surface;
    if (!label)
        return pp_diff_number((double)NAN);
    if (of->stat == PP_DIFF_MEAN)
        return pp_diff_number(label->frame_ns);
    return (struct pp_diff_number){.value = of->stat == PP_DIFF_P5 ? label->p5_ns : label->p50_ns,
                                   .half = pp_diff_half_of(&label->spread, of->stat),
                                   .too_correlated = label->spread.correlated};
}

/* Is a region in about each frame of the runs that have it? Then its mean in a frame is that of the frames
 * with it. */
static bool
is_in_each_frame(const struct pp_diff_side *side, const struct pp_run_surface **surface, const char *path)
{
    for (size_t i = 0; i < side->runs; i++) {
        const struct pp_label_figures *label = pp_run_find_label(&side->run[i], path);
        double frames = surface[i] ? surface[i]->time[PP_TIME_GPU].frames : 0;
        if (label && (label->count < frames || isnan(label->p50_ns)))
            return false;
    }
    return true;
}

int
pp_diff_add_labels(struct pp_diff_build *build)
{
    struct names names = {.len = 0};
    int rc = collect_all(&names, build, collect_labels);
    for (size_t i = 0; rc == 0 && i < names.len; i++) {
        bool typical = pp_diff_stat_is_typical(build->diff->options.stat) &&
                       is_in_each_frame(build->diff->olds, build->old_surface, names.name[i]) &&
                       is_in_each_frame(build->diff->news, build->new_surface, names.name[i]);
        struct label_key key = {.path = names.name[i], .stat = PP_DIFF_P50}, p5 = key;
        const struct pp_diff_keys p50_keys = {&key, &key}, p5_keys = {&p5, &p5};
        p5.stat = PP_DIFF_P5;
        key.stat = typical ? pp_diff_steadiest(build, ask_label, &p50_keys, &p5_keys) : PP_DIFF_MEAN;
        const struct pp_diff_row row = {.kind = PP_DIFF_LABEL,
                                        .unit = PP_DIFF_NS,
                                        .stat = key.stat,
                                        .chosen = true,
                                        .renamed = PP_DIFF_NO_ROW};
        rc = pp_diff_add(build, &row, names.name[i], ask_label, &key, &key, NULL);
    }
    free(names.name);
    return rc;
}

/* Order of characters in paths: the end, '/', all others. So the labels in a region are neighbours. */
static int
rank(char c)
{
    return c == '/' ? 1 : c ? 1 + (unsigned char)c : 0;
}

/* Compare a label with a region: 0 if it is the region or is in it. */
static int
in_region(const char *label, const char *region)
{
    size_t same = 0;
    while (region[same] && label[same] == region[same])
        same++;
    if (!region[same])
        return rank(label[same]) > 1;
    return rank(label[same]) - rank(region[same]);
}

static int
by_path(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    size_t same = 0;
    while (x[same] && x[same] == y[same])
        same++;
    return rank(x[same]) - rank(y[same]);
}

/* The first label, of sorted ones, that is not in front of a region. */
static size_t
first_in(const struct names *labels, const char *region)
{
    size_t low = 0, high = labels->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (in_region(labels->name[middle], region) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int
pp_diff_mark_repeats(struct pp_diff_part *part)
{
    struct names labels = {.len = 0};
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < part->len; i++)
        if (part->row[i].kind == PP_DIFF_PASS && *part->row[i].label)
            rc = add_name(&labels, part->row[i].label);
    if (labels.len)
        qsort(labels.name, labels.len, sizeof(*labels.name), by_path);
    for (size_t i = 0; rc == 0 && i < part->len; i++) {
        struct pp_diff_row *row = &part->row[i];
        size_t first = row->kind == PP_DIFF_LABEL ? first_in(&labels, row->name) : labels.len;
        row->repeats = first < labels.len && in_region(labels.name[first], row->name) == 0 &&
                       (first + 1 == labels.len || in_region(labels.name[first + 1], row->name) != 0);
    }
    free(labels.name);
    return rc;
}

static int
collect_draws(struct names *names, const struct pp_run_figures *run, const struct pp_run_surface *surface)
{
    int rc = 0;
    (void)run;
    for (size_t i = 0; rc == 0 && i < surface->draw_groups; i++)
        rc = add_name(names, surface->draw[i].name);
    return rc;
}

/* Draws are compared by GPU time, if all runs have it, else by their number. */
struct draws_key {
    const char *name;
    bool timed;
};

static struct pp_diff_number
ask_draws(const struct pp_run_figures *run, const struct pp_run_surface *surface, const void *key)
{
    const struct draws_key *of = key;
    const struct pp_draw_figures *draws = surface ? pp_run_find_draws(surface, of->name) : NULL;
    (void)run;
    if (!draws)
        return pp_diff_number((double)NAN);
    return pp_diff_number(of->timed ? draws->per_frame : draws->rows_per_frame);
}

static bool
is_timed(const struct pp_diff_side *side, const struct pp_run_surface **surface, const char *name)
{
    for (size_t i = 0; i < side->runs; i++) {
        const struct pp_draw_figures *draws = surface[i] ? pp_run_find_draws(surface[i], name) : NULL;
        if (draws && strcmp(draws->ranked_by, "gpu_ns") != 0)
            return false;
    }
    return true;
}

int
pp_diff_add_draws(struct pp_diff_build *build)
{
    struct names names = {.len = 0};
    int rc = collect_all(&names, build, collect_draws);
    for (size_t i = 0; rc == 0 && i < names.len; i++) {
        const struct draws_key key = {.name = names.name[i],
                                      .timed =
                                          is_timed(build->diff->olds, build->old_surface, names.name[i]) &&
                                          is_timed(build->diff->news, build->new_surface, names.name[i])};
        const struct pp_diff_row row = {.kind = PP_DIFF_DRAWS,
                                        .unit = key.timed ? PP_DIFF_NS : PP_DIFF_COUNT,
                                        .stat = PP_DIFF_MEAN,
                                        .chosen = true,
                                        .renamed = PP_DIFF_NO_ROW};
        rc = pp_diff_add(build, &row, names.name[i], ask_draws, &key, &key, NULL);
    }
    free(names.name);
    return rc;
}

static int
collect_counters(struct names *names, const struct pp_run_figures *run, const struct pp_run_surface *surface)
{
    int rc = 0;
    (void)run;
    for (size_t i = 0; rc == 0 && i < surface->counters; i++)
        rc = add_name(names, surface->counter[i].name);
    return rc;
}

static struct pp_diff_number
ask_counter(const struct pp_run_figures *run, const struct pp_run_surface *surface, const void *key)
{
    const struct pp_counter_figures *counter = surface ? pp_run_find_counter(surface, key) : NULL;
    (void)run;
    if (!counter)
        return pp_diff_number((double)NAN);
    return (struct pp_diff_number){.value = counter->mean, .half = counter->error};
}

int
pp_diff_add_counters(struct pp_diff_build *build)
{
    struct names names = {.len = 0};
    int rc = collect_all(&names, build, collect_counters);
    for (size_t i = 0; rc == 0 && i < names.len; i++) {
        const char *name = names.name[i];
        bool metric = pp_counter_is_metric(name);
        if (!pp_diff_takes(build, name))
            continue;
        const struct pp_diff_row row = {.kind = metric ? PP_DIFF_METRIC : PP_DIFF_COUNTER,
                                        .unit = PP_DIFF_COUNT,
                                        .stat = PP_DIFF_MEAN,
                                        .chosen = true,
                                        .renamed = PP_DIFF_NO_ROW};
        rc = pp_diff_add(build, &row, name, ask_counter, name, name, NULL);
    }
    free(names.name);
    return rc;
}
