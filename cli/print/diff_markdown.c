/** @file
 * See diff_markdown.h. Tables are those of GitHub Flavored Markdown, which GitLab, Gitea and Forgejo have,
 * too. */
#include "cli/print/diff_markdown.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/diff_cells.h"
#include "cli/print/diff_limits.h"
#include "cli/print/escape.h"
#include "cli/print/print.h"
#include "counters/stats/stats_runs.h"

#define NAME_MOST   2048U
#define CHANGE_MOST 256U
/* Passes of a surface that are shown. */
#define PASSES_MOST 20U

/* Print a text of an application as code. */
static int
print_code(FILE *out, const char *text)
{
    char *escaped = pp_escape_markdown(text);
    if (!escaped)
        return -ENOMEM;
    pp_print(out, "%s", escaped);
    free(escaped);
    return 0;
}

static int
print_side(FILE *out, const char *which, const struct pp_diff_side *side)
{
    char tags[NAME_MOST];
    pp_print(out, "* %s: ", which);
    int rc = print_code(out, pp_run_title(&side->run[0]));
    pp_print(out, ", %zu %s, ", side->runs, pp_format_noun((double)side->runs, "run", "runs"));
    rc = rc ? rc : print_code(out, side->run[0].surface[0].device);
    if (rc == 0 && *pp_diff_cell_tags(side, tags, sizeof(tags))) {
        pp_print(out, ", ");
        rc = print_code(out, tags);
    }
    pp_print(out, "\n");
    return rc;
}

static void
print_title(FILE *out, const struct pp_diff *diff, const struct pp_limit_checks *checks, bool refused)
{
    size_t failed = 0;
    for (size_t i = 0; i < checks->limits; i++)
        failed += checks->state[i] == PP_LIMIT_FAILED;
    pp_print(out, "### passprobe: ");
    if (refused)
        pp_print(out, "%s", "not comparable");
    else if (failed)
        pp_print(out, "%zu of %zu limits failed", failed, checks->limits);
    else if (checks->limits && !checks->blunt)
        pp_print(out, "%s",
                 pp_limit_worst(checks) == PP_LIMIT_PASSED ? "all limits are kept"
                                                           : "it is unclear whether all limits are kept");
    else if (checks->blunt)
        pp_print(out, "%s", "too blunt to decide");
    else
        pp_print(out, "%s", pp_diff_slower(diff) ? "slower" : "nothing slower");
    pp_print(out, "\n\n");
}

/* Print the name of a row: fixed words, or an application's name as code. */
static int
print_name(FILE *out, const struct pp_diff_row *row)
{
    char title[NAME_MOST];
    pp_diff_cell_title(title, sizeof(title), row);
    if (row->aligned)
        pp_print(out, "\\~ ");
    if (row->kind != PP_DIFF_FRAME && row->kind != PP_DIFF_REST)
        return print_code(out, title);
    pp_print(out, "%s", title);
    return 0;
}

static int
print_counts(FILE *out, const struct pp_diff_row *row)
{
    char from[PP_FORMATTED_MAX], to[PP_FORMATTED_MAX];
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < row->counts; i++) {
        const struct pp_diff_count *count = &row->count[i];
        pp_print(out, "%s", i ? ", " : "");
        rc = print_code(out, count->name);
        pp_print(out, " %s -> %s", pp_format_rough_count(from, count->old_value),
                 pp_format_rough_count(to, count->new_value));
    }
    return rc;
}

static int
print_row(FILE *out, const struct pp_diff_row *row)
{
    char from[PP_FORMATTED_MAX], to[PP_FORMATTED_MAX], by[PP_FORMATTED_MAX], range[PP_DIFF_CELL_MAX],
        verdict[PP_FORMATTED_MAX];
    const char *strong = row->verdict == PP_DIFF_SLOWER || row->limit == PP_LIMIT_FAILED ? "**" : "";
    pp_print(out, "| ");
    int rc = print_name(out, row);
    pp_print(out, " | %s | %s", pp_diff_cell_value(from, row->unit, row->old_value),
             pp_diff_cell_value(to, row->unit, row->new_value));
    pp_diff_cell_percent(by, row->percent);
    pp_print(out, " | %s%s | %s", isfinite(row->percent) ? by : "",
             isfinite(row->percent) ? pp_diff_cell_sign(by) : "", pp_diff_cell_range(range, row));
    pp_print(out, " | %s%s%s%s%s | ", strong, pp_diff_cell_verdict(verdict, row),
             *verdict && *pp_diff_cell_limit(row) ? ", " : "", pp_diff_cell_limit(row), strong);
    rc = rc ? rc : print_counts(out, row);
    pp_print(out, " |\n");
    return rc;
}

/* Is a row of frames shown? */
static bool
shows_frame(const struct pp_diff_row *row)
{
    bool known = row->old_value > 0 || row->new_value > 0;
    if (row->stat == PP_DIFF_TOTAL)
        return known && strcmp(row->name, "passes") != 0 &&
               (row->unit == PP_DIFF_FPS || row->verdict == PP_DIFF_CHANGED);
    return row->chosen || (strcmp(row->name, "frame_time") == 0 && row->stat != PP_DIFF_P5 &&
                           row->stat != PP_DIFF_MEAN && row->stat != PP_DIFF_MAX);
}

static int
print_part(FILE *out, const struct pp_diff *diff, const struct pp_diff_part *part)
{
    bool few = diff->olds->runs < PP_RUNS_LEAST || diff->news->runs < PP_RUNS_LEAST;
    size_t passes = 0;
    int rc = 0;
    if (diff->parts > 1) {
        rc = print_code(out, part->old_surface->surface);
        pp_print(out, "\n\n");
    }
    if (few)
        pp_print(out, "| | old | new | change | within the run | | |\n|:--|--:|--:|--:|:-:|:--|:--|\n");
    else
        pp_print(out, "| | old | new | change | 95 %% interval | | |\n|:--|--:|--:|--:|:-:|:--|:--|\n");
    for (size_t i = 0; rc == 0 && i < part->len; i++) {
        const struct pp_diff_row *row = &part->row[i];
        bool is_pass = row->kind == PP_DIFF_PASS && !row->small;
        passes += is_pass;
        if ((row->kind == PP_DIFF_FRAME && shows_frame(row)) || (is_pass && passes <= PASSES_MOST) ||
            row->kind == PP_DIFF_REST)
            rc = print_row(out, row);
    }
    if (passes > PASSES_MOST)
        pp_print(out, "\n%zu more passes: see the JSON, or `passprobe diff --all`\n", passes - PASSES_MOST);
    pp_print(out, "\n");
    return rc;
}

/* Print what a user must know of the limits. */
static int
print_limit_notes(FILE *out, const struct pp_limit_checks *checks)
{
    size_t notes = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < checks->limits; i++) {
        if (!checks->note[i])
            continue;
        notes++;
        pp_print(out, "* ");
        rc = print_code(out, checks->limit[i].text);
        pp_print(out, ": ");
        rc = rc ? rc : print_code(out, checks->note[i]);
        pp_print(out, "\n");
    }
    if (notes)
        pp_print(out, "\n");
    return rc;
}

static int
print_limits(FILE *out, const struct pp_limit_checks *checks)
{
    char title[NAME_MOST], change[CHANGE_MOST];
    int rc = 0;
    if (checks->limits)
        pp_print(out, "| limit | | worst row | |\n|:--|:--|:--|:--|\n");
    for (size_t i = 0; rc == 0 && i < checks->limits; i++) {
        const struct pp_limit_finding *worst = pp_limit_worst_row(checks, i);
        bool strong = checks->state[i] == PP_LIMIT_FAILED;
        pp_print(out, "| ");
        rc = print_code(out, checks->limit[i].text);
        pp_print(out, " | %s%s%s | ", strong ? "**" : "", pp_limit_state_name(checks->state[i]),
                 strong ? "**" : "");
        if (rc == 0 && worst)
            rc = print_code(out, pp_diff_cell_title(title, sizeof(title), worst->row));
        pp_print(out, " | %s |\n",
                 worst ? pp_diff_cell_change_as(change, sizeof(change), worst->row, worst->limit) : "");
    }
    if (checks->limits)
        pp_print(out, "\n");
    return rc ? rc : print_limit_notes(out, checks);
}

int
pp_diff_markdown_write(FILE *out, const struct pp_diff *diff, const struct pp_limit_checks *checks,
                       bool refused)
{
    print_title(out, diff, checks, refused);
    int rc = print_side(out, "old", diff->olds);
    rc = rc ? rc : print_side(out, "new", diff->news);
    pp_print(out, "\n");
    char visible[PP_DIFF_VISIBLE_MOST];
    if (!refused && rc == 0 && *pp_diff_cell_visible(visible, diff)) {
        rc = print_code(out, visible);
        pp_print(out, "\n\n");
    }
    if (!refused)
        rc = rc ? rc : print_limits(out, checks);
    for (size_t p = 0; !refused && rc == 0 && p < diff->parts; p++)
        rc = print_part(out, diff, &diff->part[p]);
    for (size_t i = 0; rc == 0 && i < diff->notes; i++) {
        pp_print(out, "* ");
        rc = print_code(out, diff->note[i].text);
        pp_print(out, "\n");
    }
    return rc;
}

int
pp_diff_markdown_not_compared(FILE *out, const char *why)
{
    pp_print(out, "### passprobe: %s\n\n", "not compared");
    int rc = print_code(out, why);
    pp_print(out, "\n");
    return rc;
}
