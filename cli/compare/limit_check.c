/** @file
 * See limit_check.h. */
#include "cli/compare/limit_check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/table.h"
#include "cli/compare/diff.h"
#include "cli/compare/limit.h"
#include "cli/text/format.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Frames that a percentile needs: the share above it holds a whole frame. 0: it is no such percentile. */
static unsigned
frames_needed(enum pp_diff_stat stat)
{
    return stat == PP_DIFF_P99 ? 100 : stat == PP_DIFF_P95 ? 20 : 0;
}

/* The most frames of a run of a side: those that a limit of frames or of passes looks at. */
static double
most_frames(const struct pp_diff_side *side)
{
    double most = 0;
    for (size_t i = 0; i < side->runs; i++)
        if (side->run[i].surfaces)
            most = fmax(most, side->run[i].surface[0].plain.time[PP_TIME_FRAME].frames); /* not NaN */
    return most;
}

/*
 * Note of a limit without any row to check: do the runs have too few frames for its percentile?
 *
 * @param ret Owned by the caller; NULL: this is not the reason.
 * @retval 0, -ENOMEM.
 */
static int
limit_note_frames(const struct pp_limit *limit, const struct pp_diff *diff, char **ret)
{
    double olds = most_frames(diff->olds), news = most_frames(diff->news);
    unsigned needed = frames_needed(limit->stat);
    char *text = NULL;
    if (fmin(olds, news) < needed &&
        asprintf(&text, PP_FORMAT_LIMIT_FEW_FRAMES, pp_diff_stat_name(limit->stat), needed, olds, news) < 0)
        return -ENOMEM;
    *ret = text;
    return 0;
}

/* Note of a limit that names a statistic: by p5, this row is above it. @param ret Owned by the caller.
 * @retval 0, -ENOMEM. */
static int
limit_note_p5(const struct pp_diff_row *row, char **ret)
{
    char *figure = pp_limit_figure_of(row), *text = NULL;
    int length = figure ? asprintf(&text, PP_FORMAT_LIMIT_P5_ABOVE, figure, row->percent) : -1;
    free(figure);
    if (length < 0)
        return -ENOMEM;
    *ret = text;
    return 0;
}

/* Has a row this name, or does the pattern match it? A name may hold characters of patterns itself. */
static bool
is_named(const char *name, const char *pattern)
{
    char plain[4096];
    pp_format_unescaped(plain, sizeof(plain), name);
    return strcasecmp(name, pattern) == 0 || strcasecmp(plain, pattern) == 0 ||
           pp_view_matches(name, pattern) || pp_view_matches(plain, pattern);
}

/* Does only the new side have this pass or label region? */
static bool
is_new_work(const struct pp_diff_row *row)
{
    return row->verdict == PP_DIFF_NEW && (row->kind == PP_DIFF_PASS || row->kind == PP_DIFF_LABEL);
}

/* Is a row what a limit is about? A pass that does not run once in each frame has no median of its cost in a
 * frame: diff takes the mean, and so do limits. */
static bool
is_about(const struct pp_limit *limit, const struct pp_diff_row *row)
{
    if (row->kind != limit->kind)
        return false;
    if (!limit->stat_given && row->kind != PP_DIFF_FRAME && row->kind != PP_DIFF_COUNTER &&
        row->kind != PP_DIFF_METRIC)
        return is_named(row->name, limit->name);
    switch (limit->kind) {
    case PP_DIFF_FRAME:
        return (limit->stat_given ? row->stat == limit->stat : row->chosen) &&
               strcmp(row->name, limit->name) == 0;
    case PP_DIFF_PASS:
        if (row->stat != limit->stat && !(pp_diff_stat_is_typical(limit->stat) && row->stat == PP_DIFF_MEAN))
            return false;
        break;
    case PP_DIFF_LABEL:
        if (row->stat != limit->stat)
            return false;
        break;
    case PP_DIFF_REST:
    case PP_DIFF_DRAWS:
    case PP_DIFF_COUNTER:
    case PP_DIFF_METRIC:
    case PP_DIFF_KINDS:
        break;
    }
    return is_named(row->name, limit->name);
}

/* How much worse work became that only the new side has. Where it may be a pass of the old side by another
 * name, it is compared with that one. Otherwise it took no time before. */
static double
worse_than_nothing(const struct pp_limit *limit, const struct pp_diff_part *part,
                   const struct pp_diff_row *row)
{
    double before = row->renamed == PP_DIFF_NO_ROW ? 0 : part->row[row->renamed].old_value;
    double more = row->new_value - before;
    if (!limit->relative || isnan(more))
        return more;
    return before > 0 ? more / before : more > 0 ? HUGE_VAL : 0;
}

/* How much worse a row became, as the limit counts; NaN: not known. */
static double
worse_by(const struct pp_limit *limit, const struct pp_diff_part *part, const struct pp_diff_row *row)
{
    double sign = row->unit == PP_DIFF_FPS ? -1 : 1;
    if (is_new_work(row))
        return worse_than_nothing(limit, part, row);
    if (row->relative)
        return row->relative_percent / 100 * (limit->relative ? 1 : row->old_value);
    if (!limit->relative)
        return sign * row->change;
    if (row->verdict == PP_DIFF_NEW)
        return (double)NAN;
    if (!isnan(row->percent))
        return sign * row->percent / 100;
    if (isnan(row->change))
        return (double)NAN;
    return sign * row->change > 0 ? HUGE_VAL : 0; /* the old value is 0 */
}

/* Is a worse row worse by more than chance? */
static bool
is_sure(const struct pp_diff_row *row, const struct pp_diff_options *options)
{
    if (row->disturbed)
        return false;
    bool is_fact =
        row->verdict == PP_DIFF_NEW || row->verdict == PP_DIFF_CHANGED || row->verdict == PP_DIFF_EQUAL;
    if (is_fact)
        return row->renamed == PP_DIFF_NO_ROW;
    if (!isnan(row->q) || !isnan(row->p))
        return (isnan(row->q) ? row->p : row->q) <= options->alpha;
    if (isnan(row->low_percent) || isnan(row->high_percent))
        return true;
    return row->unit == PP_DIFF_FPS ? row->high_percent < 0 : row->low_percent > 0;
}

static enum pp_limit_state
judge(const struct pp_limit *limit, const struct pp_diff_part *part, const struct pp_diff_row *row,
      const struct pp_diff_options *options, double *ret_worse)
{
    *ret_worse = worse_by(limit, part, row);
    /* a pass that is gone may have another name now: the limit says nothing about it any more */
    if (row->verdict == PP_DIFF_GONE || isnan(*ret_worse))
        return PP_LIMIT_NOTHING;
    if (*ret_worse <= limit->most)
        return PP_LIMIT_PASSED;
    return is_sure(row, options) ? PP_LIMIT_FAILED : PP_LIMIT_UNCLEAR;
}

static int
add_finding(struct pp_limit_checks *checks, const struct pp_limit_finding *finding)
{
    int rc = pp_grow_array(&checks->finding, &checks->cap, checks->findings + 1, sizeof(*checks->finding));
    if (rc == 0)
        checks->finding[checks->findings++] = *finding;
    return rc;
}

/* The row that is above a limit by most, if the limit named no statistic; NULL: none is. */
static const struct pp_diff_row *
above_by_chosen(const struct pp_limit *given, const struct pp_diff *diff)
{
    struct pp_limit limit = *given;
    const struct pp_diff_row *ret = NULL;
    double most = 0;
    limit.stat_given = false;
    for (size_t p = 0; p < diff->parts && diff->options.choose_stat; p++) {
        const struct pp_diff_part *part = &diff->part[p];
        for (size_t i = 0; i < part->len; i++) {
            const struct pp_diff_row *row = &part->row[i];
            double worse = 0;
            if (is_about(&limit, row) && row->stat == PP_DIFF_P5 && isfinite(row->percent) &&
                !(row->small && limit.pattern) &&
                judge(&limit, part, row, &diff->options, &worse) == PP_LIMIT_FAILED &&
                (!ret || worse > most)) {
                ret = row;
                most = worse;
            }
        }
    }
    return ret;
}

/* Note what a user must know of a limit. */
static int
make_note(struct pp_limit_checks *checks, size_t at, const struct pp_diff *diff)
{
    const struct pp_limit *limit = &checks->limit[at];
    const struct pp_diff_row *above = NULL;
    if (checks->state[at] == PP_LIMIT_NOTHING)
        return limit_note_frames(limit, diff, &checks->note[at]);
    if (limit->stat_given && checks->state[at] != PP_LIMIT_FAILED)
        above = above_by_chosen(limit, diff);
    return above ? limit_note_p5(above, &checks->note[at]) : 0;
}

/* Has a comparison the rows that a limit may be about? Rows of passes and labels have one statistic, and
 * --metric leaves rows out. */
static bool
has_rows(const struct pp_diff *diff, const struct pp_limit *limit)
{
    bool chosen = limit->kind == PP_DIFF_PASS || limit->kind == PP_DIFF_LABEL;
    return !diff->options.metric && (!chosen || !limit->stat_given || limit->stat == diff->options.stat);
}

/* The comparison that has these rows: the one that was asked for, or another one of the same sides. */
static int
find_diff(struct pp_limit_checks *checks, const struct pp_limit *limit, const struct pp_diff *diff,
          const struct pp_diff **ret)
{
    enum pp_diff_stat stat =
        limit->stat_given && limit->stat != PP_DIFF_TOTAL ? limit->stat : diff->options.stat;
    struct pp_diff *other = &checks->other[stat];
    *ret = diff;
    if (has_rows(diff, limit))
        return 0;
    if (!other->olds) {
        struct pp_diff_options options = diff->options;
        options.stat = stat;
        options.choose_stat = options.choose_stat && !limit->stat_given;
        options.metric = NULL;
        int rc = pp_diff_make(diff->olds, diff->news, &options, other);
        if (rc)
            return rc;
    }
    *ret = other;
    return 0;
}

static int
check_limit(struct pp_limit_checks *checks, size_t at, const struct pp_diff *asked)
{
    const struct pp_limit *limit = &checks->limit[at];
    const struct pp_diff *diff = NULL;
    int rc = find_diff(checks, limit, asked, &diff);
    for (size_t p = 0; rc == 0 && p < diff->parts; p++) {
        const struct pp_diff_part *part = &diff->part[p];
        for (size_t i = 0; rc == 0 && i < part->len; i++) {
            const struct pp_diff_row *row = &part->row[i];
            if (!is_about(limit, row) || (row->small && limit->pattern))
                continue;
            struct pp_limit_finding finding = {.limit = &checks->limit[at], .part = part, .row = row};
            finding.state = judge(limit, part, row, &diff->options, &finding.worse);
            if (finding.state > checks->state[at])
                checks->state[at] = finding.state;
            rc = add_finding(checks, &finding);
        }
    }
    return rc ? rc : make_note(checks, at, asked);
}

/* Order of rows by what they are about, whatever their statistic; of frames by their statistic, too. */
static int
by_subject(const void *a, const void *b)
{
    const struct pp_diff_row *x = *(const struct pp_diff_row *const *)a;
    const struct pp_diff_row *y = *(const struct pp_diff_row *const *)b;
    int order = x->kind < y->kind ? -1 : x->kind > y->kind;
    order = order ? order : strcmp(x->name, y->name);
    order = order ? order : strcmp(x->id, y->id);
    if (order || x->kind != PP_DIFF_FRAME)
        return order;
    return x->stat < y->stat ? -1 : x->stat > y->stat;
}

/* Mark the rows of a part with the worst that limits say about them. */
static int
mark_rows(const struct pp_limit_checks *checks, struct pp_diff_part *part)
{
    struct pp_diff_row **row = calloc(part->len + 1, sizeof(struct pp_diff_row *));
    if (!row)
        return -ENOMEM;
    for (size_t i = 0; i < part->len; i++)
        row[i] = &part->row[i];
    qsort(row, part->len, sizeof(*row), by_subject);
    for (size_t i = 0; i < checks->findings; i++) {
        const struct pp_limit_finding *finding = &checks->finding[i];
        if (finding->part->new_surface != part->new_surface)
            continue;
        struct pp_diff_row **found = bsearch(&finding->row, row, part->len, sizeof(*row), by_subject);
        if (found && (unsigned)finding->state > (*found)->limit)
            (*found)->limit = (unsigned)finding->state;
    }
    free(row);
    return 0;
}

int
pp_limit_check(const struct pp_limit *limit, size_t limits, struct pp_diff *diff, struct pp_limit_checks *ret)
{
    *ret = (struct pp_limit_checks){.limit = limit, .limits = limits};
    ret->state = calloc(limits + 1, sizeof(*ret->state)); /* PP_LIMIT_NOTHING */
    ret->note = calloc(limits + 1, sizeof(*ret->note));
    int rc = ret->state && ret->note ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < limits; i++)
        rc = check_limit(ret, i, diff);
    for (size_t p = 0; rc == 0 && p < diff->parts; p++)
        rc = mark_rows(ret, &diff->part[p]);
    return rc;
}

/* A pass below this share of the GPU time makes no comparison blunt, unless a limit names it. */
#define BLUNT_SHARE 0.05

/* The smallest visible change of a row, a share; HUGE_VAL: not known; 0: the row is no measured value.
 * @param whole The whole GPU time is looked at, too: it shows a change of all passes together, so that for a
 * pass the change relative to the others is enough. */
static double
bluntness(const struct pp_diff_row *row, bool whole)
{
    bool measured = row->unit == PP_DIFF_NS || row->unit == PP_DIFF_FPS;
    if (!measured || row->verdict == PP_DIFF_NEW || row->verdict == PP_DIFF_GONE)
        return 0;
    double percent = whole ? fmin(row->visible_percent, row->relative_visible_percent) /* ignores NaN */
                           : row->visible_percent;
    return isnan(percent) ? HUGE_VAL : percent / 100;
}

/* Is this pass or region too small to matter for the frame? */
static bool
is_small_part(const struct pp_diff_part *part, const struct pp_diff_row *row)
{
    bool is_part = row->kind == PP_DIFF_PASS || row->kind == PP_DIFF_LABEL;
    double frame = fmax(part->old_gpu_ns, part->new_gpu_ns); /* fmax() ignores NaN */
    return is_part && row->unit == PP_DIFF_NS && fmax(row->old_value, row->new_value) < BLUNT_SHARE * frame;
}

/* Is the row the GPU's time of whole frames? */
static bool
is_whole_gpu(const struct pp_diff_row *row)
{
    return row->kind == PP_DIFF_FRAME &&
           (strcmp(row->name, "gpu_time") == 0 || strcmp(row->name, "gpu_busy") == 0);
}

/* The bluntest row that limits are about; NULL: there is none. @param small Also passes below BLUNT_SHARE
 * that a pattern matches. */
static const struct pp_diff_row *
bluntest_finding(const struct pp_limit_checks *checks, bool whole, bool small)
{
    const struct pp_diff_row *ret = NULL;
    for (size_t i = 0; i < checks->findings; i++) {
        const struct pp_limit_finding *of = &checks->finding[i];
        if (!small && of->limit->pattern && is_small_part(of->part, of->row))
            continue;
        if (!ret || bluntness(of->row, whole) > bluntness(ret, whole))
            ret = of->row;
    }
    return ret;
}

/* The bluntest row that decides the exit status; NULL: there is none. */
static const struct pp_diff_row *
bluntest_row(const struct pp_diff *diff)
{
    const struct pp_diff_row *ret = NULL;
    for (size_t p = 0; p < diff->parts; p++)
        for (size_t i = 0; i < diff->part[p].len; i++) {
            const struct pp_diff_row *row = &diff->part[p].row[i];
            if (row->decides && !is_small_part(&diff->part[p], row) &&
                (!ret || bluntness(row, true) > bluntness(ret, true)))
                ret = row;
        }
    return ret;
}

int
pp_limit_find_blunt(struct pp_limit_checks *checks, const struct pp_diff *diff, double most)
{
    bool whole = checks->limits == 0;
    for (size_t i = 0; i < checks->findings; i++)
        whole = whole || is_whole_gpu(checks->finding[i].row);
    const struct pp_diff_row *found =
        checks->limits ? bluntest_finding(checks, whole, false) : bluntest_row(diff);
    if (!found && checks->limits) /* all are small */
        found = bluntest_finding(checks, whole, true);
    const double visible = found ? bluntness(found, whole) : 0;
    if (!found || !(visible > most)) /* also without a limit, NaN */
        return 0;
    char *figure = pp_limit_figure_of(found);
    int length = !figure ? -1
                 : isfinite(visible)
                     ? asprintf(&checks->blunt, PP_FORMAT_LIMIT_BLUNT, figure, 100 * visible, 100 * most)
                     : asprintf(&checks->blunt, PP_FORMAT_LIMIT_BLUNT_UNKNOWN, figure);
    free(figure);
    if (length < 0)
        checks->blunt = NULL;
    return length < 0 ? -ENOMEM : 0;
}

enum pp_limit_state
pp_limit_worst(const struct pp_limit_checks *checks)
{
    static const enum pp_limit_state order[] = {PP_LIMIT_FAILED, PP_LIMIT_NOTHING, PP_LIMIT_UNCLEAR};
    for (size_t k = 0; k < sizeof(order) / sizeof(*order); k++)
        for (size_t i = 0; i < checks->limits; i++)
            if (checks->state[i] == order[k])
                return order[k];
    return PP_LIMIT_PASSED;
}

const char *
pp_limit_state_name(enum pp_limit_state state)
{
    static const char *const name[] = {[PP_LIMIT_NOTHING] = "nothing",
                                       [PP_LIMIT_PASSED] = "passed",
                                       [PP_LIMIT_UNCLEAR] = "unclear",
                                       [PP_LIMIT_FAILED] = "failed"};
    return name[state];
}

const struct pp_limit_finding *
pp_limit_worst_row(const struct pp_limit_checks *checks, size_t limit)
{
    const struct pp_limit_finding *worst = NULL;
    for (size_t i = 0; i < checks->findings; i++) {
        const struct pp_limit_finding *finding = &checks->finding[i];
        if (finding->limit == &checks->limit[limit] && finding->state == checks->state[limit] &&
            (!worst || finding->worse > worst->worse))
            worst = finding;
    }
    return worst;
}

void
pp_limit_checks_finish(struct pp_limit_checks *checks)
{
    free(checks->blunt);
    for (size_t i = 0; i < PP_DIFF_STATS; i++)
        pp_diff_finish(&checks->other[i]);
    for (size_t i = 0; checks->note && i < checks->limits; i++)
        free(checks->note[i]);
    free(checks->note);
    free(checks->finding);
    free(checks->state);
    *checks = (struct pp_limit_checks){.limits = 0};
}
