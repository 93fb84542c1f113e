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
#include "cli/commands/diff_files.h"
#include "cli/commands/diff_options.h"
#include "cli/commands/record_tell.h"
#include "cli/compare/diff.h"
#include "cli/compare/diff_build.h"
#include "cli/compare/diff_steady.h"
#include "cli/launch/executable.h"
#include "cli/launch/install_paths.h"
#include "cli/launch/run.h"
#include "cli/launch/runs.h"
#include "cli/print/message.h"
#include "counters/stats/stats_runs.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define SIDES      2U
#define RUNS_USUAL 6U

/* A comparison that runs. */
struct comparing {
    struct pp_command_line line[SIDES];
    struct pp_runs_options options[SIDES]; /* both are equal */
    char **argv[SIDES];                    /* command line of each side; owned */
    struct pp_diff_side side[SIDES];
    char (*session[SIDES])[NAME_MAX + 1]; /* names of the runs that count; owned */
    bool force;                           /* compare also what is not comparable */
    struct pp_diff_options how;           /* of passprobe diff; without a metric */
    bool refused;                         /* the first pair is not comparable */
};

static int
usage(void)
{
    puts(PP_TEXT_USAGE_COMPARE);
    pp_command_line_help("compare");
    return 0;
}

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
    if (pp_command_line_parse(line, argc, argv))
        return PP_EXIT_FAILED;
    *ret_help = line->help;
    if (line->help)
        return 0;
    if (!line->command[0])
        return pp_fail(PP_TEXT_COMPARE_NO_COMMAND);
    const char *given = pp_command_line_own(line, "separator");
    int options = (int)(line->command - argv);
    int first = find_separator(line->command, given ? given : "--");
    if (first < 0)
        return PP_EXIT_FAILED;
    char *const *second = line->command + first + 1;
    c->argv[0] = side_argv(options, argv, line->command, first);
    c->argv[1] = side_argv(options, argv, (char **)(uintptr_t)second, argc - options - first - 1);
    int count[SIDES] = {options + first, argc - first - 1};
    for (unsigned s = 0; s < SIDES; s++) {
        if (!c->argv[s])
            return pp_fail(PP_TEXT_COMMAND_MEMORY);
        if (pp_command_line_parse(&c->line[s], count[s], c->argv[s]) ||
            pp_runs_options_read(&c->line[s], "runs", RUNS_USUAL, &c->options[s]))
            return PP_EXIT_FAILED;
    }
    for (unsigned s = 0; s < SIDES; s++) {
        c->session[s] = calloc(c->options[0].runs_most, sizeof(*c->session[s]));
        if (!c->session[s])
            return pp_fail(PP_TEXT_COMMAND_MEMORY);
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
    bool refused = !c->force && pp_diff_make(&c->side[0], &c->side[1], &pp_diff_options_usual, &diff) == 0 &&
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
    for (size_t i = 0; i < PP_ARRAY_SIZE(kind); i++)
        ret = fmax(ret, known_of(c, kind[i], pp_diff_stat_for(&c->how, &c->side[0], &c->side[1], kind[i])));
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

/* The command line of `passprobe diff`. */
struct diff_line {
    char **word; /* owned */
    int words;
    char (*text)[PATH_MAX]; /* of words; owned */
};

static void
diff_line_finish(struct diff_line *diff)
{
    free(diff->word);
    free(diff->text);
}

/* Make the command line for the first pairs of runs. @param checked The line is only checked: any names
 * will do. @retval 0, -ENOMEM. @retval -ENAMETOOLONG An option or a path is. */
static int
diff_line_make(const struct comparing *c, const char *folder, size_t n, bool checked, struct diff_line *ret)
{
    static char plain[][8] = {"diff", "--pairs", "--"};
    const struct pp_command_line *line = &c->line[0];
    size_t used = 0;
    bool cut = false;
    struct diff_line diff = {.word = calloc(2 * line->ons + 2 * n + 4, sizeof(*diff.word)),
                             .text = calloc(line->ons + 2 * n, sizeof(*diff.text))};
    if (!diff.word || !diff.text) {
        diff_line_finish(&diff);
        return -ENOMEM;
    }
    diff.word[diff.words++] = plain[0];
    for (size_t i = 0; i < line->ons; i++, used++) {
        const struct pp_given_own *on = &line->on[i];
        cut |= snprintf(diff.text[used], PATH_MAX, "--%s%s%s", on->name, on->value ? "=" : "",
                        on->value ? on->value : "") >= PATH_MAX;
        diff.word[diff.words++] = diff.text[used];
    }
    diff.word[diff.words++] = plain[1];
    for (size_t s = 0; s < SIDES; s++) {
        if (s)
            diff.word[diff.words++] = plain[2];
        for (size_t i = 0; i < n; i++, used++) {
            cut |= snprintf(diff.text[used], PATH_MAX, "%s/%s", folder, checked ? "run" : c->session[s][i]) >=
                   PATH_MAX;
            diff.word[diff.words++] = diff.text[used];
        }
    }
    if (cut) {
        diff_line_finish(&diff);
        return -ENAMETOOLONG;
    }
    *ret = diff;
    return 0;
}

/* Are the options of `passprobe diff` right, and can its files be written? Reports what is wrong, before
 * anything runs. @return Exit status. */
static int
check_diff_options(struct comparing *c)
{
    struct diff_line diff;
    struct pp_diff_command command;
    int rc = diff_line_make(c, ".", 1, true, &diff);
    if (rc)
        return pp_fail("%s", strerror(-rc));
    int status = pp_diff_options_read(diff.words, diff.word, &command);
    if (status == 0) {
        status = pp_diff_files_check(&command);
        c->force = command.force;
        c->how = command.how;
        c->how.choose_stat = command.how.choose_stat && !command.how.metric;
        c->how.metric = NULL; /* it belongs to the words that end here */
        pp_diff_options_finish(&command);
    }
    diff_line_finish(&diff);
    return status;
}

/* Run `passprobe diff` on the pairs that are complete. @return Exit status. */
static int
run_diff(const struct comparing *c, const char *folder)
{
    struct diff_line diff;
    int rc = diff_line_make(c, folder, pairs(c), false, &diff);
    if (rc)
        return pp_fail("%s: %s", folder, strerror(-rc));
    int status = pp_cmd_diff(diff.words, diff.word);
    diff_line_finish(&diff);
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
    if (check_diff_options(c) || check_commands(c))
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
        return pp_fail(PP_TEXT_COMMAND_MEMORY);
    int status = read_line(c, argc, argv, &help);
    if (status == 0)
        status = help ? usage() : compare(c);
    for (size_t s = 0; s < SIDES; s++) {
        pp_diff_side_finish(&c->side[s]);
        free(c->session[s]);
        free(c->argv[s]);
    }
    free(c);
    return status;
}
