/** @file
 * See runs_options.h. */
#include "cli/launch/runs_options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/message.h"
#include "core/config/config_number.h"
#include "pp_texts.h"

/* Read an option that is a number of runs. @return false: the value is wrong, and this was reported. */
static bool
read_runs(const struct pp_command_line *line, const char *name, unsigned least, unsigned *ret)
{
    const char *text = pp_command_line_own(line, name);
    uint64_t value = *ret;
    if (text && !pp_config_number_whole(text, least, PP_RUNS_MAX, &value)) {
        pp_message(PP_FORMAT_RUNS_NUMBER, name, text, least, PP_RUNS_MAX);
        return false;
    }
    *ret = (unsigned)value;
    return true;
}

/* --discard: leave out frames, or a time. */
static int
read_discard(struct pp_command_line *line, struct pp_runs_options *options)
{
    const char *text = pp_command_line_own(line, "discard");
    uint64_t value = 0;
    if (!text)
        return 0;
    bool is_frames = text[0] && text[strspn(text, "0123456789")] == '\0';
    const char *same = is_frames ? "frames" : "delay";
    if (is_frames ? !pp_config_number_whole(text, 0, UINT64_MAX, &value)
                  : pp_config_number_time(text, 1, &value) != 0) {
        pp_message(PP_FORMAT_RUNS_DISCARD, text);
        return -EINVAL;
    }
    if (pp_command_line_gave(line, same)) {
        pp_message(PP_FORMAT_RUNS_DISCARD_TWICE, text, same);
        return -EINVAL;
    }
    snprintf(options->discard, sizeof(options->discard), "%llu-", (unsigned long long)value);
    return pp_command_line_set(line, same, is_frames ? options->discard : text);
}

/* --until: a percentage above 0. */
static int
read_until(const struct pp_command_line *line, double *ret)
{
    const char *text = pp_command_line_own(line, "until");
    char number[32] = "";
    uint64_t value = 0;
    if (!text)
        return 0;
    size_t len = strlen(text);
    len -= len && text[len - 1] == '%';
    if (len < sizeof(number))
        snprintf(number, sizeof(number), "%.*s", (int)len, text);
    if (pp_config_number_decimal(number, 1000, &value) || value == 0 || value > 100000) {
        pp_message(PP_FORMAT_RUNS_UNTIL, text);
        return -EINVAL;
    }
    *ret = (double)value / 1000 / 100;
    return 0;
}

/* --until and --max-runs: how many runs there may be. */
static int
read_bounds(const struct pp_command_line *line, const char *count, struct pp_runs_options *options)
{
    int rc = read_until(line, &options->until);
    if (rc)
        return rc;
    if (options->until > 0 && options->runs < PP_RUNS_UNTIL_LEAST)
        options->runs = PP_RUNS_UNTIL_LEAST;
    options->runs_most =
        options->until > 0 && options->runs < PP_RUNS_UNTIL_MOST ? PP_RUNS_UNTIL_MOST : options->runs;
    if (!pp_command_line_own(line, "max-runs"))
        return 0;
    if (options->until <= 0) {
        pp_message(PP_TEXT_RUNS_MAX_ALONE);
        return -EINVAL;
    }
    if (!read_runs(line, "max-runs", PP_RUNS_UNTIL_LEAST, &options->runs_most))
        return -EINVAL;
    if (options->runs_most < options->runs) {
        pp_message(PP_FORMAT_RUNS_MAX_LESS, options->runs_most, count, options->runs);
        return -EINVAL;
    }
    return 0;
}

int
pp_runs_options_read(struct pp_command_line *line, const char *count, unsigned usual,
                     struct pp_runs_options *ret)
{
    *ret = (struct pp_runs_options){.runs = pp_command_line_own(line, "until") ? PP_RUNS_UNTIL_LEAST : usual};
    if (!read_runs(line, count, 1, &ret->runs) || !read_runs(line, "warm-up", 0, &ret->warm_ups) ||
        read_bounds(line, count, ret))
        return -EINVAL;
    ret->ignore_failure = pp_command_line_own(line, "ignore-failure") != NULL;
    ret->is_repeated = ret->runs_most > 1 || ret->warm_ups || pp_command_line_own(line, count);
    return read_discard(line, ret);
}
