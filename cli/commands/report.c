/** @file
 * `passprobe report`: what cost what, as text on stdout. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/surfaces.h"
#include "cli/commands/commands.h"
#include "cli/json/report_json.h"
#include "cli/launch/run.h"
#include "cli/print/counters.h"
#include "cli/print/damage.h"
#include "cli/print/draws.h"
#include "cli/print/format.h"
#include "cli/print/labels.h"
#include "cli/print/message.h"
#include "cli/print/not_measured.h"
#include "cli/print/one_frame.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "cli/print/slow_frames.h"
#include "cli/print/summary.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_open.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

#define FEW_DRAWS 20U

/* What the report shows. */
struct limits {
    size_t passes, others; /* rows of each table */
    size_t entries;        /* --entries; 0: all, or not given */
    bool all;              /* --entries 0: no row is left out or folded */
    bool verbose, json;
    const char *frame; /* --frame; NULL: not given */
    const char *worst; /* --worst; NULL: not given */
    struct pp_window_given window;
};

static int
usage(void)
{
    puts(PP_TEXT_USAGE_REPORT PP_HELP_REPORT);
    return 0;
}

/* Means of the values of all levels. */
static double
mean_of(const struct pp_saved_surface *s, bool gpu)
{
    double sum = 0, count = 0;
    for (size_t level = 0; level < PP_SAVED_LEVELS; level++) {
        const struct pp_series *series = gpu ? &s->times[level].gpu_time : &s->times[level].frame_time;
        for (size_t i = 0; i < series->len; i++)
            sum += series->value[i];
        count += (double)series->len;
    }
    return count > 0 ? sum / count : (double)NAN;
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
    struct pp_bracket_bias bias = pp_bias_of_scope(rec, "pass");
    if (bias.median_ns >= 0) {
        pp_print(stdout, PP_FORMAT_REPORT_BIAS, pp_format_duration(text, bias.median_ns));
        pp_print(stdout, PP_FORMAT_REPORT_SPREAD "\n", pp_format_duration(text, bias.spread_ns));
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
    if (end == PP_SAVED_KILLED)
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
print_tables(struct pp_saved_session *rec, const struct pp_surface_ranking *ranking,
             const struct limits *limits)
{
    const struct pp_pass_choice choice = {.fold = !limits->all};
    struct pp_pass_table table;
    if (pp_pass_table_make(rec, &choice, &table)) {
        pp_message(PP_TEXT_SUMMARY_MEMORY);
        return;
    }
    if (table.len)
        pp_passes_print_long(stdout, rec, &table, limits->passes);
    else if (pp_saved_frames(rec) == 0)
        puts(PP_TEXT_REPORT_NO_FRAMES);
    else if (pp_damage_missing_passes(rec) > 0)
        puts(PP_TEXT_REPORT_PASSES_LOST);
    else
        puts(PP_TEXT_REPORT_NO_PASSES);
    pp_pass_table_finish(&table);
    pp_draws_print_long(stdout, rec, limits->others);
    pp_labels_print(stdout, rec, limits->others);
    print_counters(rec, ranking, limits->others);
    pp_counters_print_passes(stdout, rec, limits->others);
}

/* Read a whole number. @return false: the text is none, or it is not in [from, to]. */
static bool
parse_number(const char *text, unsigned long long from, unsigned long long to, unsigned long long *ret)
{
    char *end = NULL;
    errno = 0;
    *ret = strtoull(text, &end, 10);
    return !errno && *text >= '0' && *text <= '9' && !*end && *ret >= from && *ret <= to;
}

/* Print what --frame or --worst asks for. @return Exit status. */
static int
print_frames(const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking,
             const struct limits *limits)
{
    unsigned long long number = 0;
    if (limits->frame && !parse_number(limits->frame, 0, UINT32_MAX, &number))
        return pp_fail(PP_FORMAT_REPORT_FRAME, limits->frame);
    if (limits->worst && !parse_number(limits->worst, 1, PP_SLOW_FRAMES_MAX, &number))
        return pp_fail(PP_FORMAT_REPORT_WORST, limits->worst);
    int rc = 0;
    if (limits->frame)
        rc = pp_one_frame_print(stdout, rec, (double)number);
    for (size_t i = 0; !limits->frame && rc == 0 && i < ranking->matter; i++)
        rc = pp_slow_frames_show(stdout, rec, ranking->rank[i].index, (size_t)number, true);
    if (rc == -ENOENT)
        return pp_fail(PP_FORMAT_REPORT_NO_FRAME, limits->frame);
    return rc ? pp_fail(PP_TEXT_COMMAND_MEMORY) : 0;
}

/* Print which option's value is wrong. @return PP_EXIT_FAILED. */
static int
wrong_window(const struct pp_window_given *given, const char *option)
{
    if (strcmp(option, "frames") == 0)
        return pp_fail(PP_FORMAT_REPORT_FRAMES, given->frames);
    if (strcmp(option, "time") == 0)
        return pp_fail(PP_FORMAT_REPORT_TIME, given->time);
    return pp_fail(PP_FORMAT_REPORT_BETWEEN, given->between);
}

/* Read the session. @return Exit status; 0: the caller finishes @p rec. @param damage PP_DAMAGE_MAX bytes.
 * @param ret_damaged As pp_damage_find(). */
static int
read_session(const struct pp_opened_session *session, const struct limits *limits,
             struct pp_saved_session *rec, char *damage, const char **ret_damaged)
{
    const char *dir = session->path;
    struct pp_frame_window window;
    const char *wrong = pp_frame_window_parse(&limits->window, &window);
    if (wrong)
        return wrong_window(&limits->window, wrong);
    pp_run_print_reading(session->is_archive ? session->unpacked.path : dir);
    int rc = pp_saved_read_window(session->fd, &window, limits->window.between, rec);
    if (rc == -ESRCH)
        return pp_fail(PP_FORMAT_REPORT_NO_MARKS, dir, limits->window.between);
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
    if (window.any && rec->frames && !pp_saved_frames(rec)) {
        pp_saved_finish(rec);
        return pp_fail(PP_FORMAT_REPORT_NO_WINDOW, dir);
    }
    return 0;
}

/* Print the summary and all tables. */
static void
print_report(struct pp_saved_session *rec, const struct pp_surface_ranking *ranking, const char *dir,
             const struct limits *limits)
{
    const struct pp_summary_look look = {.dir = dir,
                                         .end = "",
                                         .verbose = limits->verbose,
                                         .entries = limits->entries,
                                         .window = &limits->window};
    pp_summary_print(stdout, rec, &look);
    print_surfaces(rec, ranking);
    print_end(rec);
    print_legend(rec);
    print_tables(rec, ranking, limits);
}

/* Print what the options ask for. @return Exit status. */
static int
print_asked(struct pp_saved_session *rec, const char *dir, const struct limits *limits)
{
    struct pp_surface_ranking ranking;
    int rc = 0;
    int status = 0;
    if (pp_surfaces_rank(rec, &ranking))
        return pp_fail(PP_TEXT_COMMAND_MEMORY);
    pp_damage_print_left_out(rec, dir);
    if (limits->frame || limits->worst)
        status = print_frames(rec, &ranking, limits);
    else if (limits->json)
        rc = pp_report_json_write(stdout, rec, dir);
    else
        print_report(rec, &ranking, dir, limits);
    pp_surface_ranking_finish(&ranking);
    if (rc == 0 && fflush(stdout))
        rc = -errno;
    return rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : status;
}

static int
report_opened(const struct pp_opened_session *session, const struct limits *limits)
{
    struct pp_saved_session rec;
    char damage[PP_DAMAGE_MAX];
    const char *damaged = NULL;
    int status = read_session(session, limits, &rec, damage, &damaged);
    if (status)
        return status;
    status = print_asked(&rec, session->path, limits);
    pp_saved_finish(&rec);
    return status || !damaged ? status : pp_fail(PP_FORMAT_REPORT_DAMAGED, session->path, damaged, damage);
}

/* @param given As typed; NULL: nothing. */
static int
report(const char *given, const struct limits *limits)
{
    struct pp_opened_session session;
    char why[PP_SESSION_OPEN_WHY];
    if (pp_session_open(given, &session, why))
        return pp_fail("%s", why);
    int status = report_opened(&session, limits);
    pp_session_close(&session);
    return status;
}

/* Read a number of rows; 0 stands for all. @return false: the text is no such number. */
static bool
parse_entries(const char *text, struct limits *limits)
{
    char *end = NULL;
    errno = 0;
    unsigned long long rows = strtoull(text, &end, 10);
    if (errno || *text < '0' || *text > '9' || *end)
        return false;
    limits->passes = limits->others = rows ? (size_t)rows : SIZE_MAX;
    limits->all = !rows;
    limits->entries = limits->all ? SIZE_MAX : (size_t)rows;
    return true;
}

/* Remember an option that needs no check here. @return false: this is another one. */
static bool
take_option(struct limits *limits, int answer)
{
    const struct {
        int answer;
        const char **value;
    } text[] = {{'F', &limits->frame},
                {'W', &limits->worst},
                {'A', &limits->window.frames},
                {'T', &limits->window.time},
                {'B', &limits->window.between}};
    for (size_t i = 0; i < PP_ARRAY_SIZE(text); i++) {
        if (answer == text[i].answer) {
            *text[i].value = optarg;
            return true;
        }
    }
    limits->verbose |= answer == 'v';
    limits->json |= answer == 'J';
    return answer == 'v' || answer == 'J';
}

int
pp_cmd_report(int argc, char **argv)
{
    static const struct option longs[] = {{.name = "help", .val = 'h'},
                                          {.name = "entries", .has_arg = required_argument, .val = 'E'},
                                          {.name = "verbose", .val = 'v'},
                                          {.name = "frame", .has_arg = required_argument, .val = 'F'},
                                          {.name = "worst", .has_arg = required_argument, .val = 'W'},
                                          {.name = "json", .val = 'J'},
                                          {.name = "frames", .has_arg = required_argument, .val = 'A'},
                                          {.name = "time", .has_arg = required_argument, .val = 'T'},
                                          {.name = "between", .has_arg = required_argument, .val = 'B'},
                                          {.name = NULL}};
    struct limits limits = {.passes = SIZE_MAX, .others = FEW_DRAWS};
    opterr = 0;
    optind = 0;
    for (int answer = 0; (answer = getopt_long(argc, argv, ":hvE:", longs, NULL)) != -1;) {
        if (answer == 'h')
            return usage();
        if (take_option(&limits, answer))
            continue;
        if (answer == ':')
            return pp_fail(PP_FORMAT_REPORT_ARGUMENT, argv[optind - 1]);
        if (answer != 'E')
            return pp_fail(PP_FORMAT_REPORT_OPTION, argv[optind - 1]);
        if (!parse_entries(optarg, &limits))
            return pp_fail(PP_FORMAT_REPORT_ENTRIES, optarg);
    }
    if (argc - optind > 1)
        return pp_fail(PP_TEXT_REPORT_ONE);
    return report(optind < argc ? argv[optind] : NULL, &limits);
}
