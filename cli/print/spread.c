/** @file
 * See spread.h. */
#include "cli/print/spread.h"

#include <math.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define NAME_COLUMNS 24U
#define ROWS_MOST    12U /* passes, and counters, without verbose */

/* A number of a row, in the unit of the table. */
static const char *
value_text(char text[PP_FORMATTED_MAX], const struct pp_runs_spread_row *row, double value,
           const struct pp_time_unit *unit)
{
    if (!isfinite(value))
        return "-";
    if (row->kind == PP_SPREAD_TIME || row->kind == PP_SPREAD_PASS)
        return pp_format_time(text, value, unit);
    return row->kind == PP_SPREAD_FPS ? pp_format_fixed(text, value, 1) : pp_format_rough_count(text, value);
}

/* A share in percent, "-" where it is not known. */
static const char *
share_text(char text[PP_FORMATTED_MAX], double share)
{
    if (!isfinite(share))
        return "-";
    snprintf(text, PP_FORMATTED_MAX, share >= 9.995 ? "%.0f%%" : "%.1f%%", share * 100);
    return text;
}

/* The name of a row. Texts of sessions are made safe. */
static const char *
row_name(char *text, size_t size, const struct pp_runs_spread_row *row)
{
    static const struct {
        const char *name, *title;
    } of[] = {{"fps", "FPS"},
              {"frame_time", PP_TEXT_TIME_FRAME},
              {"cpu_busy", PP_TEXT_TIME_CPU_BUSY},
              {"gpu_time", PP_TEXT_BY_GPU_TIME},
              {"gpu_busy", PP_TEXT_TIME_GPU_BUSY}};
    char path[1024];
    const char *name = row->name;
    for (size_t i = 0; i < PP_ARRAY_SIZE(of) && row->kind <= PP_SPREAD_TIME; i++)
        if (strcmp(row->name, of[i].name) == 0)
            name = of[i].title;
    if (row->kind == PP_SPREAD_PASS && *row->label)
        name = pp_format_unescaped(path, sizeof(path), pp_format_last_name(row->label));
    if (row->kind == PP_SPREAD_COUNTER && strncmp(name, "pipeline:", strlen("pipeline:")) == 0)
        name += strlen("pipeline:");
    return row->kind == PP_SPREAD_COUNTER ? pp_format_middle(text, size, name, NAME_COLUMNS)
                                          : pp_format_name(text, size, name, NAME_COLUMNS);
}

static void
print_row(FILE *out, const struct pp_runs_spread *spread, const struct pp_runs_spread_row *row,
          const struct pp_time_unit *unit)
{
    char name[4 * NAME_COLUMNS + 4], mean[PP_FORMATTED_MAX], half[PP_FORMATTED_MAX], sd[PP_FORMATTED_MAX],
        least[PP_FORMATTED_MAX], most[PP_FORMATTED_MAX], p95[PP_FORMATTED_MAX], p99[PP_FORMATTED_MAX];
    const struct pp_run_spread *between = &row->between;
    row_name(name, sizeof(name), row);
    pp_print(out, " %s%*s", name, (int)(NAME_COLUMNS - pp_format_width(name)), "");
    pp_print(out, " %7s %6s %6s %7s %7s", value_text(mean, row, between->mean, unit),
             share_text(half, between->half_share), share_text(sd, between->deviation_share),
             value_text(least, row, between->least, unit), value_text(most, row, between->most, unit));
    if (isfinite(row->p95))
        pp_print(out, " %8s %7s", value_text(p95, row, row->p95, unit), value_text(p99, row, row->p99, unit));
    if (between->runs < spread->runs)
        pp_print(out, " (%zu of %zu runs)", between->runs, spread->runs);
    pp_print_char(out, '\n');
}

/* Print what is above the rows of a kind. */
static void
print_title(FILE *out, enum pp_runs_spread_kind kind, const struct pp_time_unit *unit)
{
    if (kind == PP_SPREAD_COUNTER)
        pp_print(out, " counters in a frame\n");
    else if (kind == PP_SPREAD_PASS)
        pp_print(out, " passes, GPU time in a frame, %s\n", unit->name);
    else
        pp_print(out, " times in %s\n", unit->name);
}

/* Print the rows of some kinds. @param most Rows at most; SIZE_MAX: also counters that are 0 in each run. */
static void
print_rows(FILE *out, const struct pp_runs_spread *spread, enum pp_runs_spread_kind first,
           enum pp_runs_spread_kind last, size_t most)
{
    double largest = 0;
    size_t shown = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < spread->len; i++)
        if ((spread->row[i].kind == PP_SPREAD_TIME || spread->row[i].kind == PP_SPREAD_PASS) &&
            spread->row[i].kind >= first && spread->row[i].kind <= last)
            largest = fmax(largest, spread->row[i].between.mean);
    const struct pp_time_unit *unit = pp_time_unit_for(largest);
    for (size_t i = 0; i < spread->len; i++) {
        const struct pp_runs_spread_row *row = &spread->row[i];
        bool zero = row->kind == PP_SPREAD_COUNTER && row->between.least == 0 && row->between.most == 0;
        if (row->kind < first || row->kind > last || (zero && most != SIZE_MAX))
            continue;
        if (shown == most) {
            left_out++;
            continue;
        }
        if (shown++ == 0)
            print_title(out, first, unit);
        print_row(out, spread, row, unit);
    }
    if (left_out)
        pp_print(out, " and %zu more; -v prints them\n", left_out);
}

void
pp_runs_spread_print(FILE *out, const struct pp_runs_spread *spread, const struct pp_runs_spread_look *look)
{
    double frames = 0;
    char count[PP_FORMATTED_MAX];
    size_t most = look->verbose ? SIZE_MAX : ROWS_MOST;
    for (size_t i = 0; i < spread->runs; i++)
        frames += spread->run[i].surfaces ? spread->run[i].surface[0].frames : 0;
    pp_print(out, "\n Summary of %zu %s of '%s' (%s %s in all)\n\n", spread->runs,
             pp_format_noun((double)spread->runs, "run", "runs"), look->command,
             pp_format_count(count, frames, 0), pp_format_noun(frames, "frame", "frames"));
    pp_print(out, "#                            mean of each run, over the runs     within a run\n#          "
                  "               mean    +-     sd   least    most      p95     p99\n");
    print_rows(out, spread, PP_SPREAD_FPS, PP_SPREAD_TIME, SIZE_MAX);
    print_rows(out, spread, PP_SPREAD_PASS, PP_SPREAD_PASS, most);
    print_rows(out, spread, PP_SPREAD_COUNTER, PP_SPREAD_COUNTER, most);
    pp_print(out, "\n# Each run counts as one number: its mean. FPS: its frames divided by its time.\n# +-: "
                  "half of the mean's interval at 95 percent. sd: standard deviation of runs.\n");
    if (spread->runs < 2)
        pp_print(out, "# One run: how much runs differ is not known; give -r 3 or more.\n");
    if (spread->other_surfaces)
        pp_print(out, "# The figures describe the window or swapchain with the most GPU time.\n");
    pp_print(out, "\n sessions: %s\n", look->folder);
}
