/** @file
 * `passprobe compare`: run two commands in turn, print what changed. The comparison is that of `passprobe
 * diff`. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/diff.h"
#include "cli/commands/run_summary.h"
#include "cli/compare/diff.h"
#include "cli/compare/diff_build.h"
#include "cli/launch/executable.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/run.h"
#include "cli/launch/runs.h"
#include "cli/operands/operands.h"
#include "cli/text/message.h"
#include "counters/stats/stats_runs.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define SIDES 2U

/* A comparison that runs. */
struct comparing {
    struct pp_command_line line[SIDES];
    struct pp_runs_options options[SIDES]; /* both are equal */
    char **argv[SIDES];                    /* command line of each side; owned */
    struct pp_diff_side side[SIDES];
    char (*session[SIDES])[NAME_MAX + 1]; /* names of the runs that count; owned */
    struct pp_diff_command diff;          /* what `passprobe diff` is to do with the runs */
    bool refused;                         /* the first pair is not comparable */
};

static const struct pp_option rows[] = {PP_COMPARE_ROWS(struct pp_run_given)};
static const struct pp_option diff_rows[] = {PP_COMPARE_DIFF_ROWS(struct pp_diff_command)};

/* Make the command line of one side: the options, and its command. @return NULL: no memory. */
static char **
side_argv(int options, char **argv, char **command, int words)
{
    char **ret = calloc((size_t)options + (size_t)words + 1, sizeof(*ret));
    for (int i = 0; ret && i < options; i++)
        ret[i] = argv[i];
    for (int i = 0; ret && i < words; i++)
        ret[options + i] = command[i];
    return ret;
}

/* Find the word between the two commands. @return Its index, -1: it is missing or not the only one, which was
 * reported. */
static int
find_separator(char **command, const char *separator)
{
    int at = -1;
    int words = 0;
    for (; command[words]; words++) {
        if (strcmp(command[words], separator) != 0)
            continue;
        if (at >= 0) {
            pp_message(PP_FORMAT_COMPARE_SEPARATORS, separator);
            return -1;
        }
        at = words;
    }
    if (at > 0 && at + 1 < words)
        return at;
    pp_message(PP_FORMAT_COMPARE_ONE, separator);
    return -1;
}

/* Read the command line. @param ret_help Is help asked for? @return Exit status. */
static int
read_line(struct comparing *c, int argc, char **argv, bool *ret_help)
{
    struct pp_command_line *line = &c->line[0];
    const struct pp_command_options own = {
        .name = "compare",
        .usage = PP_TEXT_USAGE_COMPARE,
        .of = {{rows, PP_ARRAY_SIZE(rows), NULL}, {diff_rows, PP_ARRAY_SIZE(diff_rows), &c->diff}}};
    c->diff.how = pp_diff_options_usual;
    if (pp_command_line_parse(line, &own, argc, argv))
        return PP_EXIT_FAILED;
    *ret_help = line->help;
    if (line->help)
        return 0;
    if (!line->command[0])
        return pp_fail(PP_TEXT_COMPARE_NO_COMMAND);
    int options = (int)(line->command - argv);
    int first = find_separator(line->command, line->own.separator);
    if (first < 0)
        return PP_EXIT_FAILED;
    char *const *second = line->command + first + 1;
    c->argv[0] = side_argv(options, argv, line->command, first);
    c->argv[1] = side_argv(options, argv, (char **)(uintptr_t)second, argc - options - first - 1);
    int count[SIDES] = {options + first, argc - first - 1};
    for (unsigned s = 0; s < SIDES; s++) {
        if (!c->argv[s])
            return pp_fail(PP_TEXT_OUT_OF_MEMORY);
        if (pp_command_line_parse(&c->line[s], &own, count[s], c->argv[s]) ||
            pp_runs_options_read(&c->line[s], "runs", &c->options[s]))
            return PP_EXIT_FAILED;
    }
    for (unsigned s = 0; s < SIDES; s++) {
        c->session[s] = calloc(c->options[0].runs_most, sizeof(*c->session[s]));
        if (!c->session[s])
            return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    }
    return 0;
}

static void
ended(void *data, const struct pp_runs_ended *run, struct pp_runs_left *ret)
{
    (void)data;
    pp_record_tell(run->line, run->dir, run->how, false, ret);
}

/* Is the first pair of runs not comparable? Then further runs would be useless. */
static bool
refuses(const struct comparing *c)
{
    struct pp_diff diff = {.parts = 0};
    bool refused = !c->diff.force &&
                   pp_diff_make(&c->side[0], &c->side[1], &pp_diff_options_usual, &diff) == 0 &&
                   diff.incomparable;
    pp_diff_finish(&diff);
    return refused;
}

/* Note a run that counts. */
static int
counted(void *data, unsigned side, const char *path)
{
    struct comparing *c = data;
    char why[PP_RUN_WHY];
    int rc = pp_diff_side_read(&c->side[side], path, NULL, why);
    if (rc) {
        pp_message("%s", why);
        return rc;
    }
    snprintf(c->session[side][c->side[side].runs - 1], NAME_MAX + 1, "%.255s", pp_base_name(path));
    c->refused = c->side[0].runs == 1 && c->side[1].runs == 1 && refuses(c);
    return c->refused ? -ECANCELED : 0;
}

/* Pairs of runs that are complete. */
static size_t
pairs(const struct comparing *c)
{
    return c->side[0].runs < c->side[1].runs ? c->side[0].runs : c->side[1].runs;
}

/* Half of the interval of the change of a time of frames, as a share. NaN: not known. */
static double
known_of(const struct comparing *c, enum pp_time_kind kind, enum pp_diff_stat stat)
{
    size_t n = pairs(c);
    struct pp_run_change change;
    double half = NAN;
    double *value = n ? calloc(2 * n, sizeof(*value)) : NULL;
    if (!value)
        return NAN;
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < SIDES; s++) {
            const struct pp_run_figures *run = &c->side[s].run[i];
            value[s * n + i] =
                run->surfaces ? pp_diff_stat_of(&run->surface[0].time[kind], stat).value : (double)NAN;
        }
    if (pp_compare_pairs(value, value + n, n, &pp_change_rule_usual, &change) == 0)
        half = (change.interval.high - change.interval.low) / 2;
    free(value);
    return half;
}

/* How well the change of the frame is known: the wider interval of frame time and GPU time. */
static double
known(const struct comparing *c)
{
    if (!pairs(c))
        return NAN;
    static const enum pp_time_kind kind[] = {PP_TIME_FRAME, PP_TIME_GPU};
    double ret = NAN;
    struct pp_diff_options how = c->diff.how; /* the change of the frame decides, whatever --metric is */
    how.choose_stat = how.choose_stat && !how.metric;
    how.metric = NULL;
    for (size_t i = 0; i < PP_ARRAY_SIZE(kind); i++)
        ret = fmax(ret, known_of(c, kind[i], pp_diff_stat_for(&how, &c->side[0], &c->side[1], kind[i])));
    return ret;
}

static bool
enough(void *data)
{
    const struct comparing *c = data;
    return c->options[0].until > 0 && known(c) <= c->options[0].until;
}

/* Do the runs. The applications' standard output goes to stderr, because the comparison has stdout. */
static void
do_runs(struct comparing *c, struct pp_session_dir *dir, struct pp_runs_end *ret)
{
    static const struct pp_runs_ops ops = {.ended = ended, .counted = counted, .enough = enough};
    const struct pp_runs runs = {
        .options = &c->options[0], .line = {&c->line[0], &c->line[1]}, .sides = SIDES, .folder = dir};
    (void)fflush(stdout);
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    (void)dup2(STDERR_FILENO, STDOUT_FILENO);
    pp_runs_run(&runs, &ops, c, ret);
    if (out >= 0) {
        (void)dup2(out, STDOUT_FILENO);
        close(out);
    } else {
        close(STDOUT_FILENO); /* as it was */
    }
}

/* Compare the pairs that are complete, as `passprobe diff` does. @return Exit status. */
static int
run_diff(struct comparing *c, const char *folder)
{
    size_t n = pairs(c);
    bool cut = false;
    char **path = calloc(SIDES * n, sizeof(*path));
    char(*text)[PATH_MAX] = calloc(SIDES * n, sizeof(*text));
    for (size_t i = 0; path && text && i < SIDES * n; i++) {
        path[i] = text[i];
        cut |= snprintf(text[i], PATH_MAX, "%s/%s", folder, c->session[i / n][i % n]) >= PATH_MAX;
    }
    c->diff.how.pairs = true;
    c->diff.old_path = path;
    c->diff.new_path = path + n;
    c->diff.olds = c->diff.news = n;
    int status = !path || !text ? pp_fail(PP_TEXT_OUT_OF_MEMORY)
                 : cut          ? pp_fail("%s: %s", folder, strerror(ENAMETOOLONG))
                                : pp_diff_run(&c->diff);
    free(path);
    free(text);
    return status;
}

/* Can both commands be started? Else the runs of the other one would be useless. @return Exit status. */
static int
check_commands(const struct comparing *c)
{
    char path[PATH_MAX];
    for (unsigned s = 0; s < SIDES; s++) {
        int rc = pp_executable_find(c->line[s].command[0], path);
        if (rc)
            return pp_fail(PP_FORMAT_COMPARE_COMMAND, c->line[s].command[0], strerror(-rc));
    }
    return 0;
}

/* Run, and compare what was complete. @return Exit status. */
static int
compare(struct comparing *c)
{
    struct pp_session_dir dir;
    struct pp_runs_end end;
    char why[PP_SESSION_DIR_WHY];
    const struct pp_command_line *line = &c->line[0];
    if (pp_diff_command_check(&c->diff) || pp_diff_files_check(&c->diff) || check_commands(c))
        return PP_EXIT_FAILED;
    if (pp_session_dir_prepare(line->config.output, line->command[0], &dir, why))
        return pp_fail("%s", why);
    do_runs(c, &dir, &end);
    bool complete = end.status == 0 && !end.signal;
    int status = !pairs(c) ? PP_EXIT_FAILED : run_diff(c, dir.path);
    if (!pairs(c))
        pp_message(PP_TEXT_COMPARE_NO_PAIR);
    else if (complete && c->options[0].until > 0 && !enough(c))
        pp_message(PP_FORMAT_COMPARE_NOT_REACHED, pairs(c), known(c) * 100, c->options[0].until * 100);
    if (line->config.verbosity >= 0)
        pp_run_print_previous(&dir);
    if (end.signal)
        return PP_EXIT_SIGNAL_BASE + end.signal;
    return complete || c->refused ? status : PP_EXIT_FAILED;
}

int
pp_cmd_compare(int argc, char **argv)
{
    bool help = false;
    struct comparing *c = calloc(1, sizeof(*c));
    if (!c)
        return pp_fail(PP_TEXT_OUT_OF_MEMORY);
    int status = read_line(c, argc, argv, &help);
    if (status == 0)
        status = help ? 0 : compare(c);
    pp_diff_command_finish(&c->diff);
    for (size_t s = 0; s < SIDES; s++) {
        pp_diff_side_finish(&c->side[s]);
        free(c->session[s]);
        free(c->argv[s]);
    }
    free(c);
    return status;
}
