/** @file
 * See report.h. */
#include "cli/print/report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/analysis/summary.h"
#include "cli/print/gaps.h"
#include "cli/print/passes.h"
#include "cli/print/slow_frames.h"
#include "cli/print/table.h"
#include "cli/session/row_reader.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_shown.h"
#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "counters/util/array_size.h"
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
                         "are those of level %s, and the draws those of level draw",
                         a, b, c, level_name[s->pass_level]);
    else
        pp_format_append(line, size, "; of all %s frames, %s are at level %s: the passes%s below are theirs",
                         a, draws > 0 ? c : b, level_name[draws > 0 ? PP_SAVED_DRAW : PP_SAVED_PASS],
                         draws > 0 ? " and draws" : "");
}

/* Print frame rates, lows, and how many frames they count. */
static void
frame_rates_print(FILE *out, const struct pp_surface_summary *of)
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

/* Print the table of times. @param all Also the kinds of time that are left out otherwise. */
static void
frame_times_print(FILE *out, const struct pp_surface_summary *of, bool all)
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

/* Print how many frames took how long, with bars on a terminal. Nothing where no frame time is known. */
static void
frame_histogram_print(FILE *out, const struct pp_surface_summary *of)
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

/* Print what bounded how many of the frames whose GPU times are known. */
static void
frame_verdicts_print(FILE *out, const struct pp_surface_summary *of)
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

static void
print_mark(FILE *out, const json_t *mark, double start_ns)
{
    char frame[PP_FORMATTED_MAX], at[PP_FORMATTED_MAX], label[400];
    const char *text = json_string_value(json_object_get(mark, "label"));
    pp_print(out, "%8s %9s  %s\n", pp_format_count(frame, pp_json_get_number(mark, "frame"), 0),
             pp_format_fixed(at, (pp_json_get_number(mark, "at_ns") - start_ns) / 1e9, 3),
             pp_format_name(label, sizeof(label), text ? text : "", 60));
}

/* Print the marks that the application or `passprobe ctl` set, in order: frame, seconds since the session
 * began, text. Prints nothing if there are none. @param most Rows at most; the last line says how many there
 * are more. */
static void
marks_print(FILE *out, const struct pp_saved_session *rec, size_t most)
{
    const json_t *marks = pp_saved_json(rec, "marks");
    double start_ns = pp_saved_number(rec, "program.start_monotonic_ns");
    size_t len = json_array_size(marks);
    if (!len)
        return;
    pp_print(out, "\n # Marks\n%8s %9s  %s\n", "frame", "seconds", "text");
    for (size_t i = 0; i < len && i < most; i++)
        print_mark(out, json_array_get(marks, i), start_ns);
    if (len > most)
        pp_print(out, "   and %zu more %s: --entries 0\n", len - most,
                 pp_format_noun((double)(len - most), "mark", "marks"));
}

#define TOP_PASSES   10U
#define TOP_DRAWS    8U
#define MARKS_MOST   20U
#define TOP_SLOW     12U
#define OTHER_PASSES 5U /* of a surface after the first one */
#define OTHER_DRAWS  4U

/* A text of session.json by its path; "" if there is none. */
static const char *
text_of(const struct pp_saved_session *rec, const char *path)
{
    const char *text = json_string_value(pp_saved_json(rec, path));
    return text ? text : "";
}

/* Write the command that was recorded, as session.json has it. */
static void
recorded_command(char *text, size_t size, const struct pp_saved_session *rec)
{
    const char *argv[64] = {NULL};
    const json_t *words = pp_saved_json(rec, "program.command");
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(words) && count + 1 < PP_ARRAY_SIZE(argv); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (word)
            argv[count++] = word;
    }
    if (!count && *text_of(rec, "program.executable"))
        argv[0] = text_of(rec, "program.executable");
    pp_format_short_command(text, size, PP_SUMMARY_TITLE_COLUMNS, argv);
}

/* Print what ran: the command; when, where, and how it was recorded. */
static void
print_title(FILE *out, const struct pp_saved_session *rec, const char *command)
{
    char name[400], recorded[1024], line[1024] = "";
    const char *level = text_of(rec, "options.level");
    bool serialized = json_is_true(pp_saved_json(rec, "options.serialize"));
    if (!command) {
        recorded_command(recorded, sizeof(recorded), rec);
        command = recorded;
    }
    pp_print(out, "\n ");
    pp_terminal_bold(out, true);
    pp_print(out, "%s",
             pp_format_middle(name, sizeof(name), *command ? command : "(no command is recorded)",
                              PP_SUMMARY_TITLE_COLUMNS));
    pp_terminal_bold(out, false);
    pp_print(out, "%s\n", serialized ? ", serialized" : "");
    if (*text_of(rec, "program.start"))
        pp_format_append(line, sizeof(line), "%.40s, ", text_of(rec, "program.start"));
    const char *host = text_of(rec, "host.name");
    host = *host ? host : text_of(rec, "host.id"); /* of a session that was redacted */
    if (*host)
        pp_format_append(line, sizeof(line), "on %.60s (%.60s), ", host, text_of(rec, "host.kernel"));
    if (*text_of(rec, "passprobe"))
        pp_format_append(line, sizeof(line), "passprobe %.40s, ", text_of(rec, "passprobe"));
    if (*level)
        pp_format_append(line, sizeof(line), "level %.20s, ", level);
    if (strlen(line) > 2) {
        line[strlen(line) - 2] = '\0'; /* the last comma */
        pp_print(out, "   ");
        pp_format_wrap(out, 3, 3, line);
    }
}

/* Print of which frames the figures are. */
static void
print_window(FILE *out, const struct pp_saved_session *rec, const struct pp_window_given *given)
{
    char why[1024] = "", line[1400] = "";
    double first = 0, last = 0;
    if (!rec->window.any)
        return;
    if (rec->window.recorded)
        pp_format_append(why, sizeof(why), " %s", rec->window.recorded);
    if (given && given->frames)
        pp_format_append(why, sizeof(why), " --frames %.60s", given->frames);
    if (given && given->time)
        pp_format_append(why, sizeof(why), " --time %.60s", given->time);
    if (given && given->between)
        pp_format_append(why, sizeof(why), " --between %.600s", given->between);
    uint64_t inside = pp_saved_inside(rec, &first, &last);
    if (inside > 1)
        pp_format_append(line, sizeof(line), "only frames %.0f-%.0f of %zu: %s", first, last, rec->frames,
                         why + (*why == ' '));
    else if (inside)
        pp_format_append(line, sizeof(line), "only frame %.0f of %zu: %s", first, rec->frames,
                         why + (*why == ' '));
    else
        pp_format_append(line, sizeof(line), "no frame of %zu is in the window: %s", rec->frames,
                         why + (*why == ' '));
    pp_print(out, "   ");
    pp_format_wrap(out, 3, 5, line);
}

/* The API's name for a reader. */
static const char *
api_name(const char *api)
{
    return strcmp(api, "gl") == 0       ? "OpenGL"
           : strcmp(api, "gles") == 0   ? "OpenGL ES"
           : strcmp(api, "vulkan") == 0 ? "Vulkan"
                                        : api;
}

/* Print on what a surface was rendered. */
static void
print_head(FILE *out, const struct pp_surface_summary *of)
{
    const struct pp_saved_surface *s = of->surface;
    const char *version = json_string_value(json_object_get(of->device, "api_version"));
    const char *driver = json_string_value(json_object_get(of->device, "driver"));
    char name[700], line[1400] = "";
    if (!*s->api && !*s->device && !*s->surface)
        return;
    pp_format_append(line, sizeof(line), "%s%s%s", api_name(pp_format_name(name, sizeof(name), s->api, 10)),
                     version ? " " : "", version ? version : "");
    pp_format_append(line, sizeof(line), " on %s", pp_format_name(name, sizeof(name), s->device, 60));
    if (driver && *driver && strcmp(s->api, "vulkan") == 0) /* OpenGL's version names the driver */
        pp_format_append(line, sizeof(line), " (%.60s)", driver);
    if (*s->surface)
        pp_format_append(line, sizeof(line), ", %s", pp_format_name(name, sizeof(name), s->surface, 40));
    pp_print(out, "   ");
    pp_format_wrap(out, 3, 5, line);
    if (of->software)
        pp_print(out, "   software driver: times of the GPU are times of the CPU\n");
}

/* Print that the figures are those of a part of the run. */
static void
print_stopped(FILE *out, const struct pp_saved_session *rec)
{
    const char *why = NULL;
    if (pp_saved_end(rec, &why) != PP_SAVED_STOPPED)
        return;
    pp_print(out, "   stopped early, while the application went on: ");
    pp_format_wrap(out, 50, 16, why);
}

/* Print what measuring changed, as the devices report it. */
static void
print_changes(FILE *out, const struct pp_saved_session *rec)
{
    json_t *devices = pp_saved_json(rec, "devices");
    for (size_t d = 0; d < json_array_size(devices); d++) {
        json_t *notes = json_object_get(json_array_get(devices, d), "notes");
        for (size_t i = 0; i < json_array_size(notes); i++) {
            const char *note = json_string_value(json_array_get(notes, i));
            if (!note)
                continue;
            pp_print(out, "   note         ");
            pp_format_wrap(out, 16, 16, note);
        }
    }
}

/* Print the surfaces without a table. */
static void
print_other_surfaces(FILE *out, const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking)
{
    size_t surfaces = ranking->len - ranking->matter;
    uint64_t frames = 0;
    double share = 0;
    for (size_t i = ranking->matter; i < ranking->len; i++) {
        frames += rec->surface[ranking->rank[i].index].frames;
        share += ranking->rank[i].share;
    }
    pp_print(out, " %zu other %s with %llu %s", surfaces,
             pp_format_noun((double)surfaces, "surface", "surfaces"), (unsigned long long)frames,
             pp_format_noun((double)frames, "frame", "frames"));
    if (isfinite(share))
        pp_print(out, ", %.1f %% of the GPU time", 100 * share);
    pp_print(out, ": passprobe report%s\n", pp_saved_operand(rec));
}

/* Print which frames the headline figures contain. */
static void
print_population(FILE *out, const struct pp_saved_session *rec, const struct pp_surface_summary *of)
{
    const struct pp_saved_surface *s = of->surface;
    if (s->other_level)
        pp_print(out, " Passes and label regions: of frames at level %s; left out: %llu at level %s.\n",
                 level_name[s->pass_level], (unsigned long long)s->other_level,
                 level_name[s->pass_level == PP_SAVED_PASS ? PP_SAVED_DRAW : PP_SAVED_PASS]);
    if (!of->left_out)
        return;
    bool coarser = of->cpu_level != PP_SAVED_FRAME && s->times[PP_SAVED_FRAME].frame_time.len;
    pp_print(out, " Frame and CPU times: of frames at level %s; left out: %llu at %s",
             level_name[of->cpu_level], (unsigned long long)of->left_out,
             coarser ? "another" : "a finer level");
    if (of->gpu_level != of->cpu_level)
        pp_print(out, ";\n GPU times and verdicts: frames at level %s", level_name[of->gpu_level]);
    pp_print(out, ".\n");
    if (pp_saved_number(rec, "options.slower_than_ns") > 0)
        pp_print(out,
                 " --slower-than chose the levels: frames at level %s followed slow frames, so\n neither "
                 "part represents all frames.\n",
                 level_name[of->gpu_level > of->cpu_level ? of->gpu_level
                            : s->by_level[PP_SAVED_DRAW]  ? PP_SAVED_DRAW
                                                          : PP_SAVED_PASS]);
}

/* With --keep-slower-than: print which frames the tables of passes, draws and labels describe. */
static void
print_kept(FILE *out, const struct pp_saved_session *rec, const struct pp_surface_summary *of)
{
    char near[64] = "", count[PP_FORMATTED_MAX], line[300] = "";
    double frames = (double)of->surface->measured, around = pp_saved_number(rec, "options.keep_around");
    if (!(rec->keep_ns > 0))
        return;
    if (around > 0)
        snprintf(near, sizeof(near), ", and %.0f before and after each", around);
    if (frames > 0)
        pp_format_append(line, sizeof(line),
                         "%s %s: those slower than %.4g ms%s; the tables of passes, draws and labels show "
                         "only these (--keep-slower-than)",
                         pp_format_count(count, frames, 0), pp_format_noun(frames, "frame", "frames"),
                         rec->keep_ns / 1e6, near);
    else
        pp_format_append(line, sizeof(line),
                         "no frame was slower than %.4g ms, so there are no rows of passes, draws and labels "
                         "(--keep-slower-than)",
                         rec->keep_ns / 1e6);
    pp_print(out, "   kept         ");
    pp_format_wrap(out, 16, 16, line);
}

static size_t
rows_of(const struct pp_summary_look *look, size_t usual)
{
    return look->entries ? look->entries : usual;
}

/* Print the times, passes, draws and counters of a surface. The first surface also shows work without a
 * frame. */
static int
print_surface(FILE *out, struct pp_saved_session *rec, size_t index, bool first,
              const struct pp_summary_look *look)
{
    const struct pp_view view =
        look->view ? *look->view : (struct pp_view){.fold = look->entries != SIZE_MAX};
    struct pp_surface_summary of;
    if (pp_surface_summary_make(rec, index, first, &view, &of))
        return -1;
    if (!first)
        pp_print_char(out, '\n');
    print_head(out, &of);
    frame_rates_print(out, &of);
    if (first) {
        print_stopped(out, rec);
        pp_cost_print_burden(out, rec);
    }
    frame_verdicts_print(out, &of);
    print_population(out, rec, &of);
    print_kept(out, rec, &of);
    frame_times_print(out, &of, look->verbose);
    frame_histogram_print(out, &of);
    if (!look->tables_follow) {
        pp_passes_print_short(out, rec, &of.passes, rows_of(look, first ? TOP_PASSES : OTHER_PASSES));
        pp_draws_print_short(out, rec, &view, rows_of(look, first ? TOP_DRAWS : OTHER_DRAWS));
        pp_counters_print(out, rec, of.surface, false);
    }
    pp_surface_summary_finish(&of);
    return pp_slow_frames_show(out, rec, index, rows_of(look, TOP_SLOW), false) ? -1 : 0;
}

/* Print what concerns all surfaces. */
static void
print_rest(FILE *out, const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking,
           const struct pp_summary_look *look)
{
    char name[600];
    pp_print_char(out, '\n');
    pp_not_measured_print(out, rec, look->verbose);
    pp_runs_for_print(out, rec->json);
    pp_cost_print(out, rec, look->verbose);
    bool serialized = json_is_true(pp_saved_json(rec, "options.serialize"));
    if (look->verbose || serialized)
        print_changes(out, rec);
    if (look->verbose) {
        marks_print(out, rec, rows_of(look, MARKS_MOST));
        pp_print(out, "\n Percentiles: type 7 (as Excel, NumPy, PresentMon); -: too few frames for it.\n "
                      "Only the count of frames includes first frames. CPU wait is time in present;\n waits "
                      "for results of the GPU count as busy, as in PresentMon.\n");
    }
    if (serialized)
        pp_print(out, " Serialized (see the note): do not compare these times with those of other runs.\n");
    if (ranking->matter < ranking->len)
        print_other_surfaces(out, rec, ranking);
    if (!rec->json)
        pp_print(out, " session.json cannot be read: %s\n",
                 pp_format_name(name, sizeof(name), rec->json_error, 48));
    if (*look->end) {
        pp_print_char(out, ' ');
        pp_format_wrap(out, 1, 1, look->end);
    }
    pp_print(out, " Session: %s\n\n", pp_format_name(name, sizeof(name), look->dir, 140));
}

void
pp_summary_print(FILE *out, struct pp_saved_session *rec, const struct pp_summary_look *look)
{
    struct pp_surface_ranking ranking;
    char pattern[400];
    memset(&ranking, 0, sizeof(ranking));
    rec->operand = look->operand;
    bool memory = pp_surfaces_rank(rec, &ranking) == 0;
    print_title(out, rec, look->command);
    print_window(out, rec, look->window);
    bool missed = rec->window.any && !pp_saved_frames(rec);
    if (look->view && look->view->pass)
        pp_print(out, "   only the passes of   --pass %s\n",
                 pp_format_name(pattern, sizeof(pattern), look->view->pass, 50));
    for (size_t i = 0; memory && !missed && i < ranking.matter; i++)
        memory = print_surface(out, rec, ranking.rank[i].index, i == 0, look) == 0;
    if (memory)
        print_rest(out, rec, &ranking, look);
    else
        pp_message(PP_TEXT_SUMMARY_MEMORY);
    pp_surface_ranking_finish(&ranking);
    pp_saved_show(rec, PP_SAVED_NO_SURFACE);
    fflush(out);
}
