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

/* --discard: leave out frames, or a time. */
static int
read_discard(struct pp_command_line *line, struct pp_runs_options *options)
{
    const char *text = line->own.discard;
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

int
pp_runs_options_read(struct pp_command_line *line, const char *count, struct pp_runs_options *ret)
{
    const struct pp_run_given *own = &line->own;
    bool repeats = strcmp(count, "repeat") == 0;
    bool given = repeats ? own->repeat_given : own->runs_given;
    uint64_t runs = repeats ? own->repeat_given ? own->repeat : 1 : own->runs;
    *ret = (struct pp_runs_options){.runs = (unsigned)runs,
                                    .until = own->until_percent / 100,
                                    .warm_ups = (unsigned)own->warm_up,
                                    .ignore_failure = own->ignore_failure};
    if (ret->until > 0 && (!given || ret->runs < PP_RUNS_UNTIL_LEAST))
        ret->runs = PP_RUNS_UNTIL_LEAST;
    ret->runs_most = ret->runs;
    if (ret->until > 0 && (own->max_runs_given || ret->runs < own->max_runs))
        ret->runs_most = (unsigned)own->max_runs;
    if (ret->runs_most < ret->runs) {
        pp_message(PP_FORMAT_RUNS_MAX_LESS, ret->runs_most, count, ret->runs);
        return -EINVAL;
    }
    ret->is_repeated = ret->runs_most > 1 || ret->warm_ups || given;
    return read_discard(line, ret);
}
