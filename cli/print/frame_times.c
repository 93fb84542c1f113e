/** @file
 * See frame_times.h. */
#include "cli/print/frame_times.h"

#include <math.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "cli/print/table.h"
#include "cli/print/terminal.h"
#include "cli/session/row_reader.h"
#include "pp_texts.h"

static const char *const level_name[PP_SAVED_LEVELS] = {"frame", "pass", "draw"};

/* A frame rate: more digits than this are noise. */
static const char *
text_fps(char text[PP_FORMATTED_MAX], double fps)
{
    return pp_format_fixed(text, isfinite(fps) && fps > 0 ? fps : (double)NAN,
                           fps >= 1000  ? 0
                           : fps >= 100 ? 1
                                        : 2);
}

/* Append how many frames of each finer level there are. */
static void
add_finer(char *line, size_t size, const struct pp_surface_summary *of)
{
    const struct pp_saved_surface *s = of->surface;
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX], c[PP_FORMATTED_MAX];
    double passes = (double)s->by_level[PP_SAVED_PASS], draws = (double)s->by_level[PP_SAVED_DRAW];
    pp_format_count(a, (double)s->frames, 0);
    pp_format_count(b, passes, 0);
    pp_format_count(c, draws, 0);
    if (passes > 0 && draws > 0)
        pp_format_append(line, size,
                         "; of all %s frames, %s are at level pass and %s at level draw: the passes below "
                         "are theirs, and the draws those of level draw",
                         a, b, c);
    else
        pp_format_append(line, size, "; of all %s frames, %s are at level %s: the passes%s below are theirs",
                         a, draws > 0 ? c : b, level_name[draws > 0 ? PP_SAVED_DRAW : PP_SAVED_PASS],
                         draws > 0 ? " and draws" : "");
}

void
pp_frame_rates_print(FILE *out, const struct pp_surface_summary *of)
{
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX], c[PP_FORMATTED_MAX], line[400] = "";
    const struct pp_saved_surface *s = of->surface;
    double frames = of->time[PP_TIME_FRAME].frames;
    pp_print(out, "\n   ");
    pp_terminal_bold(out, true);
    pp_print(out, "%s FPS", text_fps(a, of->fps));
    pp_terminal_bold(out, false);
    pp_print(out, "      1%% low %s   0.1%% low %s\n", text_fps(b, of->low_1_fps),
             text_fps(c, of->low_01_fps));
    if (isfinite(of->fps) && of->fps > 0)
        pp_format_append(line, sizeof(line), "%s %s in %s s", pp_format_count(a, frames, 0),
                         pp_format_noun(frames, "frame", "frames"), pp_format_fixed(b, frames / of->fps, 3));
    else
        pp_format_append(line, sizeof(line), "%s %s", pp_format_count(a, (double)s->frames, 0),
                         pp_format_noun((double)s->frames, "frame", "frames"));
    if (of->left_out)
        pp_format_append(line, sizeof(line), "%s%s", ", at level ", level_name[of->cpu_level]);
    if (s->first_inside && s->first.frames == 1 && s->first.frame_time > 0)
        pp_format_append(line, sizeof(line), ", without the first one (%s s)",
                         pp_format_fixed(c, s->first.frame_time / 1e9, 3));
    else if (s->first_inside && s->first.frames > 1)
        pp_format_append(line, sizeof(line), ", without the first %s (%s s)",
                         pp_format_count(b, (double)s->first.frames, 0),
                         pp_format_fixed(c, s->first.frame_time / 1e9, 3));
    if (of->finer && of->finer < s->frames)
        add_finer(line, sizeof(line), of);
    pp_print(out, "   ");
    pp_format_wrap(out, 3, 3, line);
}

static void
print_row(FILE *out, const char *name, const struct pp_time_figures *row, const struct pp_time_unit *unit)
{
    char text[PP_FORMATTED_MAX];
    if (!(row->frames > 0)) {
        pp_print(out, "   %-12s not measured\n", name);
        return;
    }
    pp_print(out, "   %-12s", name);
    for (size_t i = 0; i < pp_time_columns.len; i++) {
        const struct pp_table_column *column = &pp_time_columns.column[i];
        if (column->in & PP_IN_TEXT)
            pp_print(out, " %*s", column->width,
                     pp_text_cell(text, column, pp_column_number(column, row), unit));
    }
    pp_print_char(out, '\n');
}

void
pp_frame_times_print(FILE *out, const struct pp_surface_summary *of, bool all)
{
    static const char *const name[PP_TIME_KINDS] = {PP_TEXT_TIME_FRAME,  PP_TEXT_TIME_CPU_BUSY, "CPU wait",
                                                    PP_TEXT_BY_GPU_TIME, PP_TEXT_TIME_GPU_BUSY, "GPU wait"};
    double mean = of->time[PP_TIME_FRAME].mean_ns;
    const struct pp_time_unit *unit = pp_time_unit_for(isnan(mean) ? 0 : mean);
    pp_print(out, "\n   %-12s", unit->name);
    for (size_t i = 0; i < pp_time_columns.len; i++)
        if (pp_time_columns.column[i].in & PP_IN_TEXT)
            pp_print(out, " %*s", pp_time_columns.column[i].width, pp_time_columns.column[i].heading);
    pp_print_char(out, '\n');
    for (size_t i = 0; i < PP_TIME_KINDS; i++) {
        /* GPU time replaces GPU busy where only that is known, as at level frame */
        bool usual = i == PP_TIME_FRAME || i == PP_TIME_CPU_BUSY ||
                     i == (of->time[PP_TIME_GPU_BUSY].frames > 0 ? PP_TIME_GPU_BUSY : PP_TIME_GPU);
        if (usual || all)
            print_row(out, name[i], &of->time[i], unit);
    }
}

/* An edge of a bin, in a unit: "12", "0.75". */
static const char *
text_edge(char text[PP_FORMATTED_MAX], double ns, const struct pp_time_unit *unit)
{
    snprintf(text, PP_FORMATTED_MAX, "%.4g", ns / unit->ns);
    return text;
}

#define HISTOGRAM_BAR 12U

void
pp_frame_histogram_print(FILE *out, const struct pp_surface_summary *of)
{
    const struct pp_histogram *h = &of->histogram;
    const struct pp_time_unit *unit = pp_time_unit_for(h->from_ns[PP_HISTOGRAM_BINS - 1]);
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX];
    uint64_t most = 0;
    size_t used = 3 + strlen(unit->name);
    for (size_t i = 0; i < PP_HISTOGRAM_BINS; i++)
        most = h->frames[i] > most ? h->frames[i] : most;
    if (!most)
        return;
    for (size_t i = 0; i < PP_HISTOGRAM_BINS; i++)
        used += 7 + 2 * strlen(text_edge(a, h->from_ns[i], unit)) +
                strlen(pp_format_count(b, (double)h->frames[i], 0));
    size_t left = pp_format_columns(out) > used ? (pp_format_columns(out) - used) / 3 : 0;
    size_t bar = left < HISTOGRAM_BAR ? left : HISTOGRAM_BAR;
    for (size_t i = 0; i < PP_HISTOGRAM_BINS; i++) {
        bool last = i + 1 == PP_HISTOGRAM_BINS;
        pp_print(out, "   %s%s%s%s%s: ", text_edge(a, h->from_ns[i], unit), last ? "+" : "-",
                 last ? "" : text_edge(b, h->from_ns[i + 1], unit), i ? "" : " ", i ? "" : unit->name);
        if (bar && h->frames[i] && pp_terminal(out)) {
            pp_terminal_bar(out, (double)h->frames[i] / (double)most, bar);
            pp_print_char(out, ' ');
        }
        pp_print(out, "%s", pp_format_count(a, (double)h->frames[i], 0));
    }
    pp_print_char(out, '\n');
}

/* Print how many frames have no verdict, and why. @p known Frames with a verdict. */
static void
print_without_verdict(FILE *out, const struct pp_surface_summary *of, uint64_t known)
{
    char text[PP_FORMATTED_MAX], line[300] = "";
    double unknown = (double)(of->verdict[PP_VERDICT_NONE] - of->no_work), idle = (double)of->no_work;
    if (of->verdict[PP_VERDICT_NONE] == 0)
        return;
    pp_format_append(line, sizeof(line), "%16sof %s %s", "", pp_format_count(text, (double)known, 0),
                     pp_format_noun((double)known, "frame", "frames"));
    if (unknown > 0)
        pp_format_append(line, sizeof(line), "; the GPU times of %s %s are not known",
                         pp_format_count(text, unknown, 0), pp_format_noun(unknown, "other", "others"));
    if (idle > 0)
        pp_format_append(line, sizeof(line), "; %s %s had no work for the GPU",
                         pp_format_count(text, idle, 0), pp_format_noun(idle, "other", "others"));
    pp_print(out, "\n%s", line);
}

void
pp_frame_verdicts_print(FILE *out, const struct pp_surface_summary *of)
{
    uint64_t known = 0;
    for (size_t i = 0; i < PP_VERDICT_NONE; i++)
        known += of->verdict[i];
    if (!known)
        return;
    pp_print(out, "   bound by    ");
    const char *separator = " ";
    for (size_t i = 0; i < PP_VERDICT_NONE; i++) {
        if (!of->verdict[i])
            continue;
        pp_print(out, "%s%s %.1f%%", separator, pp_saved_verdict_name((enum pp_verdict)i),
                 100.0 * (double)of->verdict[i] / (double)known);
        separator = ", ";
    }
    print_without_verdict(out, of, known);
    char a[PP_FORMATTED_MAX];
    if (of->verdict[PP_VERDICT_NONE] == 0 && of->gpu_level != of->cpu_level)
        pp_print(out, ", of %s %s", pp_format_count(a, (double)known, 0),
                 pp_format_noun((double)known, "frame", "frames"));
    pp_print_char(out, '\n');
}
