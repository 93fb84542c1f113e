/** @file
 * `passprobe diff`: what changed between sessions. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/commands/commands.h"
#include "cli/commands/diff_files.h"
#include "cli/commands/diff_options.h"
#include "cli/commands/diff_output.h"
#include "cli/commands/diff_trend.h"
#include "cli/compare/diff.h"
#include "cli/print/message.h"
#include "cli/push/push_url.h"
#include "pp_options.h"
#include "pp_texts.h"

static int
usage(void)
{
    puts(PP_TEXT_USAGE_DIFF PP_HELP_DIFF);
    return 0;
}

/* Read the runs of a side. @return Exit status. */
static int
read_side(struct pp_diff_side *side, char *const *path, size_t paths, const struct pp_diff_command *command)
{
    char why[PP_RUN_WHY];
    for (size_t i = 0; i < paths; i++)
        if (pp_diff_side_read(side, path[i], &command->window, why))
            return pp_diff_output_not_compared(command, why);
    return 0;
}

/* Compare, and print. @return Exit status. */
static int
compare(const struct pp_diff_side *olds, const struct pp_diff_side *news,
        const struct pp_diff_command *command)
{
    struct pp_diff diff;
    char why[PP_RUN_WHY];
    int status = 0;
    if (pp_diff_make(olds, news, &command->how, &diff)) {
        status = pp_diff_output_not_compared(command, PP_TEXT_COMMAND_MEMORY);
    } else if (command->how.metric && !pp_diff_has_metric(&diff)) {
        snprintf(why, sizeof(why), PP_FORMAT_DIFF_METRIC, command->how.metric);
        status = pp_diff_output_not_compared(command, why);
    } else {
        status = pp_diff_output(&diff, command);
    }
    pp_diff_finish(&diff);
    return status;
}

/* Would the password go to one of these sides without encryption? */
static bool
is_plain(char *const *path, size_t paths)
{
    struct pp_push_url url;
    const char *why = NULL;
    for (size_t i = 0; i < paths; i++)
        if (pp_push_is_url(path[i]) && pp_push_url_read(path[i], &url, &why) == 0 &&
            pp_push_url_is_plain(&url))
            return true;
    return false;
}

/* Warn, as push does, of a password that others on the network can read. */
static void
warn_of_plain(const struct pp_diff_command *command)
{
    const char *password = getenv("PASSPROBE_PUSH_PASSWORD");
    if (password && *password &&
        (is_plain(command->old_path, command->olds) || is_plain(command->new_path, command->news)))
        pp_message("%s", PP_TEXT_PUSH_PLAIN);
}

int
pp_cmd_diff(int argc, char **argv)
{
    struct pp_diff_command command;
    struct pp_diff_side olds = {.runs = 0}, news = {.runs = 0};
    int status = pp_diff_options_read(argc, argv, &command);
    if (status)
        return status;
    if (!command.help)
        warn_of_plain(&command);
    if (command.help || command.trend) {
        status = command.help ? usage() : pp_diff_trend(&command);
        pp_diff_options_finish(&command);
        return status;
    }
    status = pp_diff_files_check(&command);
    status = status ? status : read_side(&olds, command.old_path, command.olds, &command);
    status = status ? status : read_side(&news, command.new_path, command.news, &command);
    status = status ? status : compare(&olds, &news, &command);
    pp_diff_side_finish(&olds);
    pp_diff_side_finish(&news);
    pp_diff_options_finish(&command);
    return status;
}
