/** @file
 * See diff.h. */
#include "cli/print/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/diff_cells.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "counters/stats/stats_runs.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

/* Usual numbers of runs. */
#define RUNS_FEW  3U
#define RUNS_GOOD 5U

/* The row of the frame that decides and changed most, of those that are no guess; NULL: none is above the
 * threshold. */
static const struct pp_diff_row *
largest(const struct pp_diff *diff)
{
    const struct pp_diff_row *ret = NULL;
    for (size_t p = 0; p < diff->parts; p++)
        for (size_t i = 0; i < diff->part[p].len; i++) {
            const struct pp_diff_row *row = &diff->part[p].row[i];
            if (row->kind == PP_DIFF_FRAME && row->decides && row->verdict == PP_DIFF_FEW_RUNS &&
                fabs(row->percent) > 100 * diff->options.threshold &&
                (!ret || fabs(row->percent) > fabs(ret->percent)))
                ret = row;
        }
    return ret;
}

/* Print why the largest change of the frame that decides cannot be judged, and how many runs would decide.
 * Prints nothing if there are enough runs, or if no such change is above the threshold. */
static void
diff_hint_print(FILE *out, const struct pp_diff *diff)
{
    static const char *const why[] = {[PP_DIFF_GUESSED] = "",
                                      [PP_DIFF_NO_INTERVAL] = PP_TEXT_DIFF_NO_INTERVAL,
                                      [PP_DIFF_CORRELATED] = PP_TEXT_DIFF_CORRELATED,
                                      [PP_DIFF_WITHIN_RUN] = PP_TEXT_DIFF_WITHIN_RUN,
                                      [PP_DIFF_SMALL_CHANGE] = PP_TEXT_DIFF_SMALL_CHANGE};
    const struct pp_diff_row *row = largest(diff);
    char title[64], percent[PP_FORMATTED_MAX], line[800];
    if (!row)
        return;
    pp_diff_cell_percent(percent, row->percent);
    snprintf(
        line, sizeof(line),
        "%s %s%s cannot be judged from these runs: %s. Record %u runs per side: enough if runs of one build "
        "differ by at most %.1f %%. %u runs: at most %.1f %%. passprobe compare -n 3 -- CMD_OLD -- CMD_NEW",
        pp_diff_cell_title(title, sizeof(title), row), percent, pp_diff_cell_sign(percent),
        why[row->no_guess], RUNS_FEW, 100 * pp_change_spread_most(row->percent / 100, RUNS_FEW), RUNS_GOOD,
        100 * pp_change_spread_most(row->percent / 100, RUNS_GOOD));
    pp_format_wrap(out, 0, 2, line);
}

#define NAME_COLUMNS   23U /* at least */
#define NAME_MOST      60U
#define NAME_WHOLE     2048U /* bytes of a whole name */
#define WHOLE_COLUMNS  200U  /* of one, at most */
#define SIGN_COLUMNS   12U   /* after a name: " mean #12345" */
#define VALUE_COLUMNS  8
#define CHANGE_COLUMNS 9
#define RANGE_COLUMNS  15
#define MORE_COLUMN    4U /* of a line below a row */
#define HEAD_COLUMNS   8U /* of a session's name above its column */
#define TAGS_COLUMNS   70U

/* What the rows of a table have in common. */
struct table {
    const struct pp_diff *diff;
    const struct pp_diff_part *part;
    const struct pp_diff_look *look;
    const struct pp_time_unit *unit;
    size_t name_columns;
    FILE *out;
};

/* Has a side too few runs for a test? */
static bool
few_runs(const struct pp_diff *diff)
{
    return diff->olds->runs < PP_RUNS_LEAST || diff->news->runs < PP_RUNS_LEAST;
}

static const char *
value_text(char text[PP_FORMATTED_MAX], const struct table *table, enum pp_diff_unit unit, double value)
{
    if (!isfinite(value))
        return "-";
    if (unit == PP_DIFF_NS && value < 0) {
        char less[PP_FORMATTED_MAX];
        snprintf(text, PP_FORMATTED_MAX, "-%.40s", pp_format_time(less, -value, table->unit));
        return text;
    }
    if (unit == PP_DIFF_NS)
        return pp_format_time(text, value, table->unit);
    return unit == PP_DIFF_COUNT ? pp_format_rough_count(text, value) : pp_format_fixed(text, value, 1);
}

/* A name that fits. Of passes without label the end says least: formats of attachments. */
static void
fit_name(char *text, size_t size, const struct pp_diff_row *row, const char *name, size_t columns)
{
    const char *source = strchr(name, ':');
    bool end = row->kind == PP_DIFF_PASS && !*row->label;
    if (row->kind == PP_DIFF_COUNTER && source && pp_format_width(name) > columns)
        name = source + 1;
    if (end)
        pp_format_name(text, size, name, columns);
    else
        pp_format_middle(text, size, name, columns);
}

/* The name of a row. Texts of sessions are made safe. */
static void
row_title(char *text, size_t size, const struct table *table, const struct pp_diff_row *row)
{
    char name[NAME_WHOLE], which[16] = "";
    pp_diff_cell_title(name, sizeof(name), row);
    if ((row->kind == PP_DIFF_PASS || row->kind == PP_DIFF_LABEL) && row->stat != table->diff->options.stat &&
        pp_diff_stat_is_typical(table->diff->options.stat) && !table->diff->options.metric)
        pp_format_append(which, sizeof(which), " %s", pp_diff_stat_name(row->stat));
    if (row->kind == PP_DIFF_PASS && row->twin)
        pp_format_append(which, sizeof(which), " #%.5s", row->id);
    text[0] = row->aligned ? '~' : ' ';
    fit_name(text + 1, size - 1, row, name, table->name_columns - strlen(which));
    pp_format_append(text, size, "%s", which);
}

/* What is below a row: its counts that changed, and another name. */
static void
print_more(const struct table *table, const struct pp_diff_row *row)
{
    char text[1200] = "", name[400], from[PP_FORMATTED_MAX], to[PP_FORMATTED_MAX];
    for (size_t i = 0; i < row->counts; i++) {
        const struct pp_diff_count *count = &row->count[i];
        const char *short_name = strchr(count->name, ':') ? strchr(count->name, ':') + 1 : count->name;
        pp_format_rough_count(from, count->old_value);
        pp_format_rough_count(to, count->new_value);
        if (strcmp(from, to) == 0) { /* means, of which few frames differ */
            pp_format_fixed(from, count->old_value, 2);
            pp_format_fixed(to, count->new_value, 2);
        }
        pp_format_append(text, sizeof(text), "%s%s %s -> %s", i ? ", " : "",
                         pp_format_name(name, sizeof(name), short_name, 60), from, to);
    }
    if (row->renamed != PP_DIFF_NO_ROW)
        pp_format_append(text, sizeof(text), "perhaps the same as %s",
                         pp_format_name(name, sizeof(name), table->part->row[row->renamed].name, 60));
    if (!*text)
        return;
    pp_print(table->out, "%*s", (int)MORE_COLUMN, "");
    pp_format_wrap(table->out, MORE_COLUMN, MORE_COLUMN, text);
}

/* Colours are those of diff(1): red is worse. */
static enum pp_style
style_of(const struct pp_diff_row *row)
{
    return row->verdict == PP_DIFF_SLOWER   ? PP_STYLE_RED
           : row->verdict == PP_DIFF_FASTER ? PP_STYLE_GREEN
                                            : PP_STYLE_NORMAL;
}

static void
print_row(const struct table *table, const struct pp_diff_row *row)
{
    char title[NAME_WHOLE + 32], from[PP_FORMATTED_MAX], to[PP_FORMATTED_MAX], by[PP_FORMATTED_MAX],
        range[2 * PP_FORMATTED_MAX], verdict[PP_FORMATTED_MAX];
    row_title(title, sizeof(title), table, row);
    pp_print(table->out, "%s", title);
    pp_print(table->out, "%*s", (int)(table->name_columns + 1 - pp_format_width(title)), "");
    pp_print(table->out, "%*s%*s", VALUE_COLUMNS, value_text(from, table, row->unit, row->old_value),
             VALUE_COLUMNS, value_text(to, table, row->unit, row->new_value));
    pp_diff_cell_verdict(verdict, row);
    const char *percent = pp_diff_cell_percent(by, row->percent), *interval = pp_diff_cell_range(range, row);
    if (*verdict || *percent || *interval)
        pp_print(table->out, "%*s", CHANGE_COLUMNS, percent);
    if (*verdict || *interval)
        pp_print(table->out, "%*s", RANGE_COLUMNS, interval);
    if (*verdict) {
        pp_print(table->out, "  ");
        pp_terminal_style(table->out, style_of(row));
        pp_print(table->out, "%s", verdict);
        pp_terminal_style(table->out, PP_STYLE_NORMAL);
    }
    if (row->limit >= PP_LIMIT_UNCLEAR)
        pp_print(table->out, " %s", row->limit == PP_LIMIT_FAILED ? "!" : "!?");
    pp_print_char(table->out, '\n');
    print_more(table, row);
}

/* Did anything of a row change, or can that not be said? */
static bool
is_news(const struct pp_diff_row *row)
{
    return row->verdict != PP_DIFF_EQUAL && row->verdict != PP_DIFF_SAME &&
           row->verdict != PP_DIFF_NO_VERDICT;
}

/* Is a row of frames shown? */
static bool
shows_frame(const struct table *table, const struct pp_diff_row *row)
{
    bool time = row->stat != PP_DIFF_TOTAL;
    bool usual = row->chosen || (strcmp(row->name, "frame_time") == 0 && row->stat != PP_DIFF_P5 &&
                                 row->stat != PP_DIFF_MEAN && row->stat != PP_DIFF_MAX);
    bool zero = !(row->old_value > 0) && !(row->new_value > 0);
    if (table->look->all)
        return true;
    if (time)
        return usual;
    if (strcmp(row->name, "passes") == 0) /* the head names them */
        return false;
    return row->unit == PP_DIFF_FPS || (row->unit == PP_DIFF_PER_MINUTE && !zero) || row->unit == PP_DIFF_NS
               ? !zero
               : is_news(row);
}

static bool
shows(const struct table *table, const struct pp_diff_row *row)
{
    if (table->look->all || row->limit >= PP_LIMIT_UNCLEAR)
        return true;
    switch (row->kind) {
    case PP_DIFF_FRAME:
        return shows_frame(table, row);
    case PP_DIFF_PASS:
        return !row->small;
    case PP_DIFF_LABEL:
        return !row->repeats;
    case PP_DIFF_REST:
        return true;
    case PP_DIFF_DRAWS:
    case PP_DIFF_COUNTER:
    case PP_DIFF_METRIC:
    case PP_DIFF_KINDS:
        break;
    }
    return is_news(row);
}

/* The unit in which the rows of a kind read best. */
static const struct pp_time_unit *
unit_of(const struct pp_diff_part *part, enum pp_diff_kind kind)
{
    double most = 0;
    for (size_t i = 0; i < part->len; i++)
        if (part->row[i].kind == kind && part->row[i].unit == PP_DIFF_NS && part->row[i].stat != PP_DIFF_MAX)
            most = fmax(most, fmax(part->row[i].old_value, part->row[i].new_value));
    return pp_time_unit_for(most);
}

/* How a limit of --fail-above names a row of this kind; "": it cannot. */
static const char *
limit_form(enum pp_diff_kind kind)
{
    static const char *const form[PP_DIFF_KINDS] = {
        "frame-time:p50 3%", "pass:NAME 10%",  "", "label:NAME 10%", "",
        "counter:NAME 10%",  "metric:NAME 10%"};
    return form[kind];
}

static void
print_title(const struct table *table, enum pp_diff_kind kind)
{
    bool timed = kind == PP_DIFF_FRAME || kind == PP_DIFF_PASS || kind == PP_DIFF_LABEL;
    if (kind != PP_DIFF_FRAME)
        pp_print_char(table->out, '\n');
    pp_print(table->out, "%s", pp_diff_cell_table(kind));
    if (timed)
        pp_print(table->out, ", %s", table->unit->name);
    pp_print(table->out, "%s", kind == PP_DIFF_FRAME ? "" : " a frame");
    if (table->look->all && *limit_form(kind))
        pp_print(table->out, "   (--fail-above '%s')", limit_form(kind));
    pp_print_char(table->out, '\n');
}

/* Print the table of one kind, with its title if it has rows. What is left of the frame follows its passes.
 */
static void
print_kind(struct table *table, enum pp_diff_kind kind)
{
    size_t printed = 0, left = 0;
    if (kind != PP_DIFF_REST)
        table->unit = unit_of(table->part, kind);
    for (size_t i = 0; i < table->part->len; i++) {
        const struct pp_diff_row *row = &table->part->row[i];
        if (row->kind != kind)
            continue;
        if (!shows(table, row) || (printed >= table->look->most && kind != PP_DIFF_FRAME)) {
            left++;
            continue;
        }
        if (!printed++ && kind != PP_DIFF_REST)
            print_title(table, kind);
        print_row(table, row);
    }
    if (left && printed && kind != PP_DIFF_FRAME)
        pp_print(table->out, " (%zu more %s: --all)\n", left, pp_format_noun((double)left, "row", "rows"));
}

/* The name of a side above its column: that of its session, if it is one and short. */
static const char *
head_of(char *text, size_t size, const struct pp_diff_side *side, const char *usual)
{
    const char *name = side->run[0].name, *last = strrchr(name, '/');
    last = last && last[1] ? last + 1 : name;
    if (side->runs > 1 || pp_format_width(last) > HEAD_COLUMNS || last != name)
        return usual;
    return pp_format_name(text, size, last, HEAD_COLUMNS);
}

static void
print_side(FILE *out, const char *which, const struct pp_diff_side *side)
{
    const struct pp_run_figures *run = &side->run[0];
    char name[600], tags[600], frames[PP_FORMATTED_MAX];
    size_t columns = *run->asked ? 60 : 40; /* conditions are longer than names of sessions */
    double all = 0;
    for (size_t i = 0; i < side->runs; i++)
        all += fmax(0, side->run[i].surface[0].time[PP_TIME_FRAME].frames);
    pp_print(out, "%s  %s: %zu %s, %s frames", which,
             pp_format_middle(name, sizeof(name), pp_run_title(&side->run[0]), columns), side->runs,
             pp_format_noun((double)side->runs, "run", "runs"), pp_format_count(frames, all, 0));
    if (*run->start)
        pp_print(out, ", %.16s", run->start);
    if (*pp_diff_cell_tags(side, tags, sizeof(tags)))
        pp_print(out, "\n     %s", pp_format_name(name, sizeof(name), tags, TAGS_COLUMNS));
    pp_print_char(out, '\n');
}

/* Print what the sides are. */
static void
print_head(FILE *out, const struct pp_diff *diff)
{
    const struct pp_run_figures *run = &diff->olds->run[0];
    const struct pp_run_surface *surface = &run->surface[0];
    char device[600], program[600];
    const char *last = strrchr(run->executable, '/');
    print_side(out, "old", diff->olds);
    print_side(out, "new", diff->news);
    pp_print(out, "     %s%s",
             pp_format_name(program, sizeof(program), last ? last + 1 : run->executable, 30),
             *run->executable ? ", " : "");
    pp_print(out, "%s", pp_format_name(device, sizeof(device), surface->device, 40));
    pp_print(out, "%s\n", surface->software ? PP_TEXT_DIFF_ON_CPU : "");
    if (few_runs(diff))
        pp_format_wrap(out, 0, 0,
                       diff->olds->runs > 1 || diff->news->runs > 1
                           ? "Fewer than three runs on a side: too few for intervals of the change between "
                             "builds. Record five runs per side."
                           : "One run per side: no verdict, or only a guess ('?'), because runs differ. "
                             "Record five runs per side: passprobe diff OLD... -- NEW...");
}

static void
print_column_heads(const struct table *table)
{
    char old_name[4 * HEAD_COLUMNS + 8], new_name[4 * HEAD_COLUMNS + 8];
    pp_print(table->out, "\n%*s", (int)table->name_columns + 1, "");
    pp_print(table->out, "%*s", VALUE_COLUMNS, head_of(old_name, sizeof(old_name), table->diff->olds, "old"));
    pp_print(table->out, "%*s", VALUE_COLUMNS, head_of(new_name, sizeof(new_name), table->diff->news, "new"));
    pp_print(table->out, "%*s%*s\n", CHANGE_COLUMNS, "change %", RANGE_COLUMNS,
             few_runs(table->diff) ? "within run" : "95 % interval");
}

/* Print the tables of one surface. */
static void
print_part(struct table *table)
{
    const struct pp_diff_part *part = table->part;
    char name[400];
    if (table->diff->parts > 1)
        pp_print(table->out, "\n# %s\n", pp_format_name(name, sizeof(name), part->old_surface->surface, 60));
    print_column_heads(table);
    for (unsigned kind = 0; kind < PP_DIFF_KINDS; kind++)
        print_kind(table, (enum pp_diff_kind)kind);
}

/* Does any row have such a verdict? */
static bool
any_row(const struct pp_diff *diff, bool (*is)(const struct pp_diff_row *row))
{
    for (size_t p = 0; p < diff->parts; p++)
        for (size_t i = 0; i < diff->part[p].len; i++)
            if (is(&diff->part[p].row[i]))
                return true;
    return false;
}

static bool
needs_runs(const struct pp_diff_row *row)
{
    return row->verdict == PP_DIFF_UNCLEAR && row->runs_needed > 0;
}

static bool
is_aligned(const struct pp_diff_row *row)
{
    return row->aligned;
}

static bool
is_guess(const struct pp_diff_row *row)
{
    return row->interval_of_frames && (row->verdict == PP_DIFF_SLOWER || row->verdict == PP_DIFF_FASTER);
}

static bool
is_mean_of_passes(const struct pp_diff_row *row)
{
    return row->kind == PP_DIFF_PASS && row->stat == PP_DIFF_MEAN;
}

static bool
is_above(const struct pp_diff_row *row)
{
    return row->limit >= PP_LIMIT_UNCLEAR;
}

/* Print what signs in the tables mean. */
static void
print_legend(FILE *out, const struct pp_diff *diff)
{
    if (any_row(diff, needs_runs))
        pp_format_wrap(out, 0, 2, "unclear (N): undecided; about N runs per side would decide.");
    if (any_row(diff, is_aligned))
        pp_format_wrap(out, 0, 2,
                       "~: matched by its place among the passes of a frame, because its id differs.");
    if (any_row(diff, is_guess))
        pp_format_wrap(out, 0, 2,
                       "?: a guess from too few runs: the change is large, or counts changed with it.");
    if (any_row(diff, is_above))
        pp_format_wrap(out, 0, 2, "!: above a limit of --fail-above. !?: above it, but this may be chance.");
    if (pp_diff_stat_is_typical(diff->options.stat) && any_row(diff, is_mean_of_passes))
        pp_format_wrap(
            out, 0, 2,
            "mean: the pass does not run once in each frame, so its mean cost in a frame is compared.");
    char visible[PP_DIFF_VISIBLE_MOST];
    if (*pp_diff_cell_visible(visible, diff))
        pp_format_wrap(out, 0, 2, visible);
}

/* Columns of names: what the others leave; of a table with all rows, enough for whole names. */
static size_t
name_columns(FILE *out, const struct pp_diff_part *part, bool whole)
{
    char name[NAME_WHOLE];
    size_t columns = pp_format_columns(out), usual = 80;
    size_t more = columns > usual ? columns - usual : 0;
    size_t ret = NAME_COLUMNS + more < NAME_MOST ? NAME_COLUMNS + more : NAME_MOST;
    for (size_t i = 0; whole && i < part->len; i++) {
        size_t width = pp_format_width(pp_diff_cell_title(name, sizeof(name), &part->row[i])) + SIGN_COLUMNS;
        ret = width > ret ? width : ret;
    }
    return ret < WHOLE_COLUMNS ? ret : WHOLE_COLUMNS;
}

void
pp_diff_print(FILE *out, const struct pp_diff *diff, const struct pp_diff_look *look)
{
    print_head(out, diff);
    for (size_t i = 0; i < diff->notes; i++) {
        pp_print(out, "%s", diff->note[i].refuses ? "! " : "* ");
        pp_format_wrap(out, 2, 2, diff->note[i].text);
    }
    for (size_t p = 0; p < diff->parts; p++) {
        struct table table = {.diff = diff,
                              .part = &diff->part[p],
                              .look = look,
                              .name_columns = name_columns(out, &diff->part[p], look->all),
                              .out = out};
        print_part(&table);
    }
    pp_print_char(out, '\n');
    print_legend(out, diff);
    diff_hint_print(out, diff);
}

void
pp_diff_print_refusal(const struct pp_diff *diff)
{
    for (size_t i = 0; i < diff->notes; i++)
        if (diff->note[i].refuses)
            pp_message(PP_FORMAT_DIFF_REFUSED, diff->note[i].text);
    pp_message("%s", PP_TEXT_DIFF_FORCE);
}

/* Is a row unclear that would decide? */
static bool
is_unclear(const struct pp_diff_row *row)
{
    return row->decides && row->kind == PP_DIFF_FRAME &&
           (row->verdict == PP_DIFF_UNCLEAR || row->verdict == PP_DIFF_FEW_RUNS);
}

bool
pp_diff_print_unclear(const struct pp_diff *diff)
{
    bool unclear = any_row(diff, is_unclear);
    if (unclear)
        pp_message("%s", PP_TEXT_DIFF_UNCLEAR);
    return unclear;
}

#define TITLE_MOST    400U
#define TITLE_COLUMNS 40U
#define CHANGE_MOST   256U
/* Rows above one limit that are printed. */
#define ROWS_MOST 20U

static void
print_finding(FILE *out, const struct pp_limit_finding *finding)
{
    char title[TITLE_MOST], name[4 * TITLE_COLUMNS + 8], change[CHANGE_MOST];
    pp_diff_cell_title(title, sizeof(title), finding->row);
    pp_print(out, "           %s: %s\n", pp_format_name(name, sizeof(name), title, TITLE_COLUMNS),
             pp_diff_cell_change_as(change, sizeof(change), finding->row, finding->limit));
}

/* Print the rows of a limit that are above it. @return Their number. */
static size_t
print_above(FILE *out, const struct pp_limit_checks *checks, size_t limit)
{
    size_t above = 0;
    for (size_t i = 0; i < checks->findings; i++) {
        const struct pp_limit_finding *finding = &checks->finding[i];
        if (finding->limit != &checks->limit[limit] ||
            (finding->state != PP_LIMIT_FAILED && finding->state != PP_LIMIT_UNCLEAR))
            continue;
        if (above++ < ROWS_MOST)
            print_finding(out, finding);
    }
    if (above > ROWS_MOST)
        pp_print(out, "           %zu more rows above the limit\n", above - ROWS_MOST);
    return above;
}

void
pp_diff_limits_print(FILE *out, const struct pp_limit_checks *checks)
{
    if (checks->limits)
        pp_print(out, "\nlimits\n");
    for (size_t i = 0; i < checks->limits; i++) {
        const struct pp_limit_finding *worst = pp_limit_worst_row(checks, i);
        pp_print(out, "  %-8s %s\n", pp_limit_state_name(checks->state[i]), checks->limit[i].text);
        if (print_above(out, checks, i) == 0 && worst)
            print_finding(out, worst);
    }
}

void
pp_diff_limits_warn(const struct pp_limit_checks *checks)
{
    for (size_t i = 0; i < checks->limits; i++) {
        if (checks->state[i] == PP_LIMIT_UNCLEAR)
            pp_message(PP_FORMAT_LIMIT_CHANCE, checks->limit[i].text);
        if (checks->note[i])
            pp_message(PP_FORMAT_LIMIT_NOTE, checks->limit[i].text, checks->note[i]);
        else if (checks->state[i] == PP_LIMIT_NOTHING)
            pp_message(PP_FORMAT_LIMIT_UNJUDGED, checks->limit[i].text);
    }
}
