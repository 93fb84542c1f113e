/** @file
 * `passprobe report`: what cost what, as text on stdout; with options as a page, a picture, a trace for
 * viewers of timelines, or figures for Prometheus. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/analysis/summary.h"
#include "cli/analysis/table.h"
#include "cli/commands/commands.h"
#include "cli/commands/output_file.h"
#include "cli/commands/shown_session.h"
#include "cli/compare/run.h"
#include "cli/export/export_session.h"
#include "cli/html/html_page.h"
#include "cli/json/report_json.h"
#include "cli/launch/run.h"
#include "cli/operands/operands.h"
#include "cli/options/options.h"
#include "cli/print/gaps.h"
#include "cli/print/passes.h"
#include "cli/print/report.h"
#include "cli/print/report_forms.h"
#include "cli/print/slow_frames.h"
#include "cli/session/frame_window.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_json.h"
#include "cli/session/session_open.h"
#include "cli/session/session_shown.h"
#include "cli/symbols/session_symbols.h"
#include "cli/symbols/symbols_file.h"
#include "cli/text/format.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "cli/trace/chrome.h"
#include "cli/trace/perfetto.h"
#include "cli/trace/trace_rows.h"
#include "cli/trace/trace_tracks.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_options.h"
#include "pp_texts.h"

/* What --trace asks for. Texts are borrowed from the command line. */
struct report_trace {
    const char *file; /**< "-": standard output; NULL: not given */
    bool chrome;      /**< Chrome's JSON instead of Perfetto's format */
    bool format;      /**< the format was named */
};

/* Make the text. @return Owned by the caller; NULL: no memory. */
static char *
make_text(struct pp_saved_session *rec, const char *dir, const struct pp_view *view, size_t *ret_len)
{
    char *text = NULL;
    json_t *report = pp_report_json_make(rec, dir, view);
    FILE *out = report ? open_memstream(&text, ret_len) : NULL;
    if (out)
        pp_openmetrics_write(out, report, rec->json);
    json_decref(report);
    if (out && fclose(out)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Replace a file by a text. */
static int
replace(const char *file, const char *text, size_t len)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(file, '/');
    if (slash && (size_t)(slash - file) + 2 > sizeof(folder))
        return -ENAMETOOLONG;
    if (slash)
        snprintf(folder, sizeof(folder), "%.*s", (int)(slash - file) + 1, file);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = pp_write_file(fd, slash ? slash + 1 : file, fd, text, len);
    close(fd);
    return rc;
}

/* Write the file, in place of an older one, in one step. Prints what fails. @param dir Path of the session,
 * for messages. @return Exit status. */
static int
report_openmetrics(struct pp_saved_session *rec, const char *dir, const char *file,
                   const struct pp_view *view)
{
    size_t len = 0;
    char *text = make_text(rec, dir, view, &len);
    int rc = text ? replace(file, text, len) : -ENOMEM;
    free(text);
    return rc ? pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, file, strerror(-rc)) : 0;
}

/* A session on its way into a trace. */
struct writing {
    const struct pp_opened_session *session;
    const struct report_trace *trace;
    bool as_file;
    bool begun; /* the stream was opened */
    struct pp_frame_window window;
    struct pp_call_stacks stacks;
    struct pp_trace_format *format;
    struct pp_export e;
    struct pp_trace_left_out left_out;
};

/* Take a value of --trace: the name of a format, or of the file. */
static void
report_trace_take(struct report_trace *trace, const char *value)
{
    if (strcmp(value, "chrome") == 0 || strcmp(value, "perfetto") == 0) {
        trace->format = true;
        trace->chrome = *value == 'c';
    } else {
        trace->file = value;
    }
}

/* Read the call stacks, if the session has any. Wrong ones cost the trace its stacks only. */
static void
read_stacks(struct writing *w)
{
    struct pp_saved_session rec;
    char why[PP_CALL_STACKS_WHY];
    pp_saved_begin(&rec, w->session->fd);
    const struct pp_debug_places places = {.recorded_s = pp_session_recorded_s(&rec)};
    int rc = pp_session_symbols_read(&rec, &places, &w->stacks, why);
    if (rc && rc != -ENOENT)
        pp_message(PP_FORMAT_ANNOTATE_STACKS, w->session->path, why);
    pp_saved_finish(&rec);
}

/* Write the trace to a stream. @param data Address of a struct writing pointer. @return 0, -errno. */
static int
write_stream(FILE *out, const void *data)
{
    struct writing *w = *(struct writing *const *)data;
    w->begun = true;
    read_stacks(w);
    int rc = w->trace->chrome ? pp_trace_chrome_create(out, &w->stacks, &w->format)
                              : pp_trace_perfetto_create(out, &w->stacks, &w->format);
    rc = rc ? rc : pp_trace_rows_create(w->format, &w->e.rec, &w->e.format);
    rc = rc ? rc : pp_export_session(&w->e, w->session->fd);
    if (rc == 0)
        w->left_out = pp_trace_rows_left_out(w->e.format);
    return rc == 0 && !w->format->events ? -ENODATA : rc;
}

/* Print why there is no trace. @return Exit status. */
static int
print_failure(const struct writing *w, int rc)
{
    const char *target = w->as_file ? w->trace->file : "stdout", *path = w->session->path;
    if (!w->begun || w->e.error || rc == -EEXIST)
        return pp_output_file_error(target, rc);
    if (rc == -ESRCH)
        return pp_fail(PP_FORMAT_REPORT_NO_MARKS, path, w->e.between);
    if (rc == -ENODATA)
        return pp_fail(PP_FORMAT_TRACE_NOTHING, path);
    if (rc == -ENOMEM)
        return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    return rc == -ENOENT ? pp_fail(PP_FORMAT_REPORT_NO_SESSION, path)
                         : pp_fail(PP_FORMAT_READ_BACK, path, strerror(-rc));
}

/* Print what was written, and what the session lacks. @return Exit status. */
static int
print_result(const struct writing *w)
{
    const char *path = w->session->path;
    const char *look = w->trace->chrome ? PP_TEXT_TRACE_CHROME : PP_TEXT_TRACE_PERFETTO;
    char damage[PP_DAMAGE_MAX], count[PP_FORMATTED_MAX], bytes[PP_FORMATTED_MAX];
    struct stat st;
    if (w->as_file && stat(w->trace->file, &st) == 0)
        pp_print(stderr, PP_FORMAT_TRACE_DONE "\n", w->trace->file,
                 pp_format_count(count, (double)w->format->events, 0),
                 pp_format_bytes(bytes, (double)st.st_size), look);
    if (w->left_out.untimed)
        pp_message(PP_FORMAT_TRACE_UNTIMED, path, pp_format_count(count, (double)w->left_out.untimed, 0));
    if (w->left_out.crowded)
        pp_message(PP_FORMAT_TRACE_CROWDED, path, pp_format_count(count, (double)w->left_out.crowded, 0),
                   PP_TRACE_LANES);
    const char *damaged = pp_damage_find(&w->e.rec, damage, sizeof(damage));
    return damaged ? pp_fail(PP_FORMAT_EXPORT_DAMAGED, path, damaged, damage) : 0;
}

/* Free everything. */
static void
finish(struct writing *w)
{
    if (w->e.format)
        w->e.format->ops->destroy(w->e.format);
    if (w->format)
        w->format->ops->destroy(w->format);
    pp_call_stacks_finish(&w->stacks);
    pp_export_finish(&w->e);
}

/* Write the trace. @param given The frames that are asked for. @return Exit status. */
static int
report_trace(const struct pp_opened_session *session, const struct report_trace *trace,
             const struct pp_window_given *given)
{
    struct writing w = {.session = session, .trace = trace, .as_file = strcmp(trace->file, "-") != 0};
    struct writing *data = &w;
    const char *wrong = pp_frame_window_parse(given, &w.window);
    if (wrong)
        return pp_window_error_value(given, wrong);
    if (!w.as_file && pp_terminal(stdout))
        return pp_fail(PP_TEXT_TRACE_TERMINAL);
    if (w.as_file && pp_output_file_taken(trace->file))
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, trace->file, pp_output_file_taken(trace->file));
    w.e.window = &w.window;
    w.e.between = given->between;
    int rc = w.as_file ? pp_export_file_write(trace->file, write_stream, &data) : write_stream(stdout, &data);
    int status = rc ? print_failure(&w, rc) : print_result(&w);
    finish(&w);
    return status;
}

static int
write_page(FILE *out, const void *data)
{
    return pp_html_report_write(out, data);
}

/* Write the page. @param rec Read from a directory. @param dir Path of the session. @param file Name of the
 * page, which must not exist: FILE.html. @return Exit status; a message was printed if it is not 0. */
static int
report_html(struct pp_saved_session *rec, const char *dir, const char *file)
{
    json_t *data = NULL;
    int rc = pp_html_data_make(rec, dir, &data);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, dir, strerror(-rc));
    int status = pp_output_file_write(file, write_page, data);
    json_decref(data);
    if (status == 0)
        pp_output_file_print(file, PP_TEXT_FILE_BROWSER);
    return status;
}

static bool
ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), wanted = strlen(end);
    return len > wanted && strcmp(text + len - wanted, end) == 0;
}

/* What the picture shows. */
struct picture {
    const struct pp_flame_tree *tree;
    const struct pp_flame_look *look;
};

static int
write_picture(FILE *out, const void *data)
{
    const struct picture *picture = data;
    pp_flame_print_picture(out, picture->tree, picture->look);
    return 0;
}

/* Write the tree in the form that was asked for. @return Exit status. */
static int
write_tree(const struct pp_flame_tree *tree, const struct pp_stack_costs *costs, const char *dir,
           const char *file)
{
    if (!file) {
        pp_flame_print_folded(stdout, tree);
        return fflush(stdout) ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(errno)) : 0;
    }
    const struct pp_flame_look look = {
        .title = dir, .frames = (double)costs->frames, .html = ends_with(file, ".html")};
    const struct picture picture = {tree, &look};
    int status = pp_output_file_write(file, write_picture, &picture);
    if (status == 0)
        pp_output_file_print(file, PP_TEXT_FILE_BROWSER);
    return status;
}

/*
 * Write the tree.
 *
 * @param rec  Read from a directory; counts of rows in it grow.
 * @param dir  Path of the session.
 * @param file Name of the picture, which must not exist: FILE.svg or FILE.html. NULL: collapsed stacks to
 * stdout.
 * @return Exit status; a message was printed if it is not 0.
 */
static int
report_flame(struct pp_saved_session *rec, const char *dir, const char *file)
{
    static const struct pp_stack_costs_wanted wanted = {.detail = true};
    const struct pp_debug_places places = {.recorded_s = pp_session_recorded_s(rec)};
    struct pp_call_stacks stacks = {.modules = 0};
    struct pp_stack_costs costs = {.len = 0};
    struct pp_flame_tree tree = {.len = 0};
    char why[PP_CALL_STACKS_WHY];
    int status = 0;
    int rc = pp_session_symbols_read(rec, &places, &stacks, why);
    if (rc && rc != -ENOENT)
        return pp_fail(PP_FORMAT_ANNOTATE_STACKS, dir, why);
    rc = pp_stack_costs_read(rec, &stacks, &wanted, &costs);
    rc = rc ? rc : pp_flame_tree_make(&stacks, &costs, &tree);
    if (rc)
        status = pp_fail(PP_FORMAT_READ_BACK, dir, strerror(-rc));
    else if (costs.total_ns <= 0)
        status = pp_fail(PP_FORMAT_ANNOTATE_NO_WORK, dir);
    else
        status = write_tree(&tree, &costs, dir, file);
    pp_flame_tree_finish(&tree);
    pp_stack_costs_finish(&costs);
    pp_call_stacks_finish(&stacks);
    return status;
}

#define FEW_ROWS 20U /* of the tables of draws, labels and counters */

/* What the command line says. Texts are borrowed from it. */
struct options {
    struct pp_view view;
    struct pp_window_given window;
    struct report_trace traced;
    size_t passes, others; /* rows of each table */
    const char *session;   /* NULL: the newest one */
    PP_REPORT_OPTIONS
};

/* The mean of the values of one level, which represents all frames. */
static double
mean_of(const struct pp_saved_surface *s, bool gpu)
{
    size_t frames[PP_SAVED_LEVELS];
    double sum = 0;
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        frames[i] = gpu ? s->times[i].gpu_time.len : s->times[i].frame_time.len;
    const struct pp_saved_times *times = &s->times[pp_levels_coarsest(frames)];
    const struct pp_series *series = gpu ? &times->gpu_time : &times->frame_time;
    for (size_t i = 0; i < series->len; i++)
        sum += pp_series_at(series, i);
    return series->len ? sum / (double)series->len : (double)NAN;
}

/* Print the mean times of one of several surfaces. Surfaces without tables in `stat` have this line, too. */
static void
print_means(const struct pp_saved_surface *s, const struct pp_surface_rank *rank)
{
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX];
    pp_print(stdout, PP_FORMAT_REPORT_MEANS, pp_format_duration(a, mean_of(s, false)),
             pp_format_duration(b, mean_of(s, true)));
    if (isfinite(rank->share))
        pp_print(stdout, PP_FORMAT_REPORT_SHARE, 100 * rank->share);
    pp_print_char(stdout, '\n');
}

/* Print the frames of each of several surfaces. */
static void
print_surfaces(const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking)
{
    char name[600];
    for (size_t i = 0; ranking->len > 1 && i < ranking->len; i++) {
        const struct pp_saved_surface *s = &rec->surface[ranking->rank[i].index];
        pp_print(stdout, "# %llu %s: %s on ", (unsigned long long)s->frames,
                 pp_format_noun((double)s->frames, "frame", "frames"),
                 pp_format_name(name, sizeof(name), s->api, 10));
        pp_print(stdout, "%s", pp_format_name(name, sizeof(name), s->device, 60));
        pp_print(stdout, "%s%s\n", *s->surface ? ", " : "",
                 pp_format_name(name, sizeof(name), s->surface, 40));
        print_means(s, &ranking->rank[i]);
    }
}

/* Print what the tables below have in common. */
static void
print_legend(const struct pp_saved_session *rec)
{
    char text[PP_FORMATTED_MAX];
    struct pp_bracket_bias bias = pp_bias_of_surface(rec, rec->shown);
    if (bias.median_ns >= 0) {
        pp_print(stdout, PP_FORMAT_REPORT_BIAS, pp_format_duration(text, bias.median_ns));
        pp_print(stdout, PP_FORMAT_REPORT_SPREAD "\n", pp_format_duration(text, bias.spread_ns));
        if (bias.spread_ns > 0)
            puts(PP_TEXT_REPORT_BELOW);
    }
    fputs(PP_TEXT_REPORT_LEGEND, stdout);
}

/* Print what the session lacks because it ended early. */
static void
print_end(const struct pp_saved_session *rec)
{
    const char *why = NULL;
    enum pp_saved_end end = pp_saved_end(rec, &why);
    char text[1024];
    if (end == PP_SAVED_KILLED && rec->in_use)
        fputs(PP_TEXT_REPORT_RUNNING, stdout);
    else if (end == PP_SAVED_KILLED)
        fputs(PP_TEXT_REPORT_KILLED, stdout);
    else if (pp_saved_is_short(rec))
        puts(PP_TEXT_REPORT_SHORT);
    else if (end == PP_SAVED_STOPPED)
        pp_print(stdout, PP_FORMAT_REPORT_STOPPED "\n", pp_format_name(text, sizeof(text), why, 200));
    if (rec->early_rows)
        pp_print(stdout, PP_FORMAT_REPORT_EARLY "\n", (unsigned long long)rec->early_rows,
                 pp_format_noun((double)rec->early_rows, "row", "rows"),
                 pp_format_noun((double)rec->early_rows, "is", "are"));
}

/* Print the counters of each surface that matters; with --entries 0, of all surfaces. */
static void
print_counters(const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking, size_t most)
{
    size_t surfaces = most == SIZE_MAX ? ranking->len : ranking->matter;
    for (size_t i = 0; i < surfaces; i++)
        pp_counters_print(stdout, rec, &rec->surface[ranking->rank[i].index], true);
    if (surfaces < ranking->len && rec->counters)
        pp_print(stdout, PP_FORMAT_REPORT_OTHERS "\n", ranking->len - surfaces,
                 pp_format_noun((double)(ranking->len - surfaces), "surface", "surfaces"));
}

static void
print_passes(struct pp_saved_session *rec, const struct options *options)
{
    struct pp_pass_table table;
    char name[400];
    if (pp_pass_table_make(rec, &options->view, &table)) {
        pp_message(PP_TEXT_SUMMARY_MEMORY);
        return;
    }
    if (table.len || table.left_out)
        pp_passes_print_long(stdout, rec, &table, &options->view, options->passes);
    else if (rec->passes && options->view.pass) /* the pattern is that of a label */
        pp_print(stdout, PP_FORMAT_REPORT_NO_SUCH_PASS "\n",
                 pp_format_name(name, sizeof(name), options->view.pass, 60));
    else if (pp_session_never_recorded(rec->json))
        puts(PP_TEXT_REPORT_PAUSED);
    else if (pp_saved_frames(rec) == 0)
        puts(PP_TEXT_REPORT_NO_FRAMES);
    else if (pp_damage_missing_passes(rec) > 0)
        puts(PP_TEXT_REPORT_PASSES_LOST);
    else if (rec->keep_ns > 0)
        puts(PP_TEXT_REPORT_NONE_KEPT);
    else
        puts(PP_TEXT_REPORT_NO_PASSES);
    pp_pass_table_finish(&table);
}

/* Print the tables that --by asks for. */
static void
print_tables(struct pp_saved_session *rec, const struct pp_surface_ranking *ranking,
             const struct options *options)
{
    enum pp_by by = options->view.by;
    bool usual = by == PP_BY_USUAL;
    bool draws = by == PP_BY_PROGRAM || by == PP_BY_CALL || by == PP_BY_DRAW;
    if (usual || by == PP_BY_PASS || by == PP_BY_QUEUE)
        print_passes(rec, options);
    if (usual || draws)
        pp_draws_print_long(stdout, rec, &options->view, options->others);
    if (draws && !rec->shown_draws)
        puts(PP_TEXT_REPORT_NO_DRAWS);
    if (usual || by == PP_BY_LABEL)
        pp_labels_print(stdout, rec, &options->view, options->others);
    if (by == PP_BY_LABEL && !rec->labels)
        puts(PP_TEXT_REPORT_NO_LABELS);
    if (!usual)
        return;
    print_counters(rec, ranking, options->others);
    pp_counters_print_passes(stdout, rec, options->others);
}

/* Write a frame as JSON. @retval 0, -ENOMEM, -errno. @retval -ENOENT There is no such frame. */
static int
write_frame(const struct pp_saved_session *rec, const char *dir, double number)
{
    json_t *frame = NULL;
    int rc = pp_frame_json_make(rec, dir, number, &frame);
    if (rc == 0)
        rc = pp_json_write(stdout, frame);
    json_decref(frame);
    return rc;
}

/* Print what --frame or --worst asks for. @return Exit status. */
static int
print_frames(const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking, const char *dir,
             const struct options *options)
{
    char name[400];
    int rc = 0;
    if (options->frame_given && options->json)
        rc = write_frame(rec, dir, (double)options->frame);
    else if (options->frame_given)
        rc = pp_one_frame_print(stdout, rec, (double)options->frame);
    for (size_t i = 0; !options->frame_given && rc == 0 && i < ranking->matter; i++) {
        const struct pp_saved_surface *s = &rec->surface[ranking->rank[i].index];
        if (ranking->matter > 1)
            pp_print(stdout,
                     "\n"
                     "   frames of %s:"
                     "\n",
                     pp_format_name(name, sizeof(name), s->surface, 60));
        rc = pp_slow_frames_show(stdout, rec, ranking->rank[i].index, options->worst, true);
    }
    if (rc == -ENOENT)
        return pp_fail(PP_FORMAT_REPORT_NO_FRAME, (unsigned long long)options->frame);
    if (rc == -ENOMEM)
        return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    return rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : 0;
}

/* Read the session. @return Exit status; 0: the caller finishes @p rec. @param damage PP_DAMAGE_MAX bytes.
 * @param ret_damaged As pp_damage_find(). */
static int
read_session(const struct pp_opened_session *session, const struct options *options,
             struct pp_saved_session *rec, char *damage, const char **ret_damaged)
{
    const char *dir = session->path;
    struct pp_frame_window window;
    const char *wrong = pp_frame_window_parse(&options->window, &window);
    if (wrong)
        return pp_window_error_value(&options->window, wrong);
    window.any = window.any || options->frame_given; /* --frame names a frame, which may be outside */
    pp_run_print_reading(session->is_archive ? session->unpacked.path : dir);
    int rc = pp_saved_read_window(session->fd, &window, options->window.between, rec);
    if (rc == -ESRCH)
        return pp_fail(PP_FORMAT_REPORT_NO_MARKS, dir, options->window.between);
    if (rc == -ENOENT)
        return pp_fail(PP_FORMAT_REPORT_NO_SESSION, dir);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, dir, strerror(-rc));
    *ret_damaged = pp_damage_find(rec, damage, PP_DAMAGE_MAX);
    if (rec->frames_error && !rec->passes) {
        bool is_short = pp_saved_is_short(rec);
        pp_saved_finish(rec);
        return pp_fail(PP_FORMAT_REPORT_NOTHING, dir, is_short ? PP_TEXT_REPORT_NO_FIRST : damage);
    }
    if (rec->window.any && rec->frames && !pp_saved_frames(rec)) {
        int status = pp_window_error_missed(rec, dir);
        pp_saved_finish(rec);
        return status;
    }
    if (!pp_view_takes_any(&options->view, rec)) {
        pp_saved_finish(rec);
        return pp_fail(PP_FORMAT_REPORT_NO_PASS, dir, options->view.pass);
    }
    return 0;
}

/* Print the summary and all tables. */
static void
print_report(struct pp_saved_session *rec, const struct pp_surface_ranking *ranking, const char *dir,
             const struct options *options)
{
    char operand[PP_SESSION_OPERAND];
    const struct pp_summary_look look = {.dir = dir,
                                         .operand = pp_session_operand(operand, dir),
                                         .end = "",
                                         .tables_follow = true,
                                         .verbose = options->verbose,
                                         .entries = options->entries,
                                         .view = &options->view,
                                         .window = &options->window};
    pp_summary_print(stdout, rec, &look);
    print_surfaces(rec, ranking);
    print_end(rec);
    print_legend(rec);
    print_tables(rec, ranking, options);
}

/* Print what the options ask for. @return Exit status. */
static int
print_asked(struct pp_saved_session *rec, const char *dir, const struct options *options)
{
    struct pp_surface_ranking ranking;
    int rc = 0;
    int status = 0;
    if (pp_surfaces_rank(rec, &ranking))
        return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    pp_damage_print_left_out(rec, dir);
    if (options->frame_given || options->worst)
        status = print_frames(rec, &ranking, dir, options);
    else if (options->json)
        rc = pp_report_json_write(stdout, rec, dir, &options->view);
    else if (options->csv)
        rc = pp_report_csv_write(stdout, rec, &options->view);
    else
        print_report(rec, &ranking, dir, options);
    pp_surface_ranking_finish(&ranking);
    if (rc == 0 && fflush(stdout))
        rc = -errno;
    return rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : status;
}

static int
report_opened(const struct pp_opened_session *session, const struct options *options)
{
    struct pp_saved_session rec;
    char damage[PP_DAMAGE_MAX];
    const char *damaged = NULL;
    int status = read_session(session, options, &rec, damage, &damaged);
    if (status)
        return status;
    if (options->folded || options->flame)
        status = report_flame(&rec, session->path, options->flame);
    else if (pp_call_places_find(&rec))
        status = pp_fail(PP_TEXT_OUT_OF_MEMORY);
    else
        status = options->html ? report_html(&rec, session->path, options->html)
                 : options->openmetrics
                     ? report_openmetrics(&rec, session->path, options->openmetrics, &options->view)
                     : print_asked(&rec, session->path, options);
    pp_saved_finish(&rec);
    return status || !damaged ? status : pp_fail(PP_FORMAT_REPORT_DAMAGED, session->path, damaged, damage);
}

/* Write a baseline to stdout: one line for each run. @param session Opened; of a folder with repeated runs,
 * all runs that count are written. @return Exit status. */
static int
write_baseline(const struct pp_opened_session *session, const struct pp_window_given *window)
{
    struct pp_diff_side side = {.runs = 0};
    char why[PP_RUN_WHY];
    const char *path = *session->folder ? session->folder : session->path;
    int status = pp_diff_side_read(&side, path, window, why) ? pp_fail("%s", why) : 0;
    for (size_t i = 0; status == 0 && i < side.runs; i++) {
        json_t *baseline = pp_baseline_json_make(side.run[i].json);
        int rc = pp_baseline_json_write(stdout, baseline);
        json_decref(baseline);
        status = rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : 0;
    }
    pp_diff_side_finish(&side);
    return status;
}

static int
report(const struct options *options)
{
    struct pp_opened_session session;
    char why[PP_SESSION_OPEN_WHY];
    if (pp_session_open(options->session, &session, why))
        return pp_fail("%s", why);
    if (!options->baseline)
        pp_shown_run_note(&session);
    int status = options->baseline      ? write_baseline(&session, &options->window)
                 : options->traced.file ? report_trace(&session, &options->traced, &options->window)
                                        : report_opened(&session, options);
    pp_session_close(&session);
    return status;
}

/* Take the options whose values are more than a text or a number, and the session. @return Exit status. */
static int
take_values(struct options *o, const struct pp_given_options *given)
{
    int words = given->words;
    char **word = given->word;
    for (size_t i = 0; i < o->trace.len; i++)
        report_trace_take(&o->traced, o->trace.value[i]);
    if (o->traced.format && !o->traced.file && words > 0) {
        o->traced.file = *word++;
        words--;
    }
    if (o->traced.format && !o->traced.file)
        return pp_fail(PP_TEXT_REPORT_TRACE);
    if (words > 1)
        return pp_fail(PP_TEXT_REPORT_ONE);
    bool all = o->entries_given && !o->entries;
    o->entries = all ? SIZE_MAX : o->entries;
    o->passes = o->entries_given ? o->entries : SIZE_MAX;
    o->others = o->entries_given ? o->entries : FEW_ROWS;
    o->view.fold = !all;
    o->view.all_columns = o->verbose;
    o->view.by = o->by_given ? (enum pp_by)(PP_BY_PASS + o->by) : PP_BY_USUAL;
    o->session = *word;
    return 0;
}

int
pp_cmd_report(int argc, char **argv)
{
    struct options options = {.session = NULL};
    static const struct pp_option rows[] = {PP_REPORT_ROWS(struct options)};
    const struct pp_command_options own = {
        .name = "report", .usage = PP_TEXT_USAGE_REPORT, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
    int status = take_values(&options, &given);
    return status ? status : report(&options);
}
