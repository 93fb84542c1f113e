/** @file
 * `passprobe diff`: what changed between sessions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/diff_options.h"
#include "cli/compare/diff.h"
#include "cli/json/diff_json.h"
#include "cli/json/json_values.h"
#include "cli/print/diff.h"
#include "cli/print/message.h"
#include "pp_options.h"
#include "pp_texts.h"

/* Exit statuses, as those of diff(1). */
enum { EXIT_SAME = 0, EXIT_SLOWER = 1, EXIT_INCOMPARABLE = 2 };

static int
usage(void)
{
    puts(PP_TEXT_USAGE_DIFF PP_HELP_DIFF);
    return 0;
}

/* Read the runs of a side. @return Exit status. */
static int
read_side(struct pp_diff_side *side, char *const *path, size_t paths, const struct pp_window_given *window)
{
    char why[PP_RUN_WHY];
    for (size_t i = 0; i < paths; i++)
        if (pp_diff_side_read(side, path[i], window, why))
            return pp_fail("%s", why);
    return 0;
}

static int
write_json(const struct pp_diff *diff)
{
    json_t *json = pp_diff_json_make(diff);
    int rc = pp_json_write(stdout, json);
    json_decref(json);
    return rc;
}

/* Print the comparison. @return Exit status. */
static int
show(const struct pp_diff *diff, const struct pp_diff_command *command)
{
    const struct pp_diff_look look = {.all = command->all, .most = command->entries};
    bool refused = diff->incomparable && !command->force;
    int rc = 0;
    if (command->json)
        rc = write_json(diff);
    else if (!refused)
        pp_diff_print(stdout, diff, &look);
    if (rc == 0 && fflush(stdout))
        rc = -errno;
    if (rc)
        return pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc));
    if (refused) {
        pp_diff_print_refusal(diff);
        return EXIT_INCOMPARABLE;
    }
    bool unclear = pp_diff_print_unclear(diff);
    return pp_diff_slower(diff) || (unclear && command->strict) ? EXIT_SLOWER : EXIT_SAME;
}

/* Compare, and print. @return Exit status. */
static int
compare(const struct pp_diff_side *olds, const struct pp_diff_side *news,
        const struct pp_diff_command *command)
{
    struct pp_diff diff;
    int rc = pp_diff_make(olds, news, &command->how, &diff);
    int status = rc ? pp_fail(PP_TEXT_COMMAND_MEMORY)
                 : command->how.metric && !pp_diff_has_metric(&diff)
                     ? pp_fail(PP_FORMAT_DIFF_METRIC, command->how.metric)
                     : show(&diff, command);
    pp_diff_finish(&diff);
    return status;
}

int
pp_cmd_diff(int argc, char **argv)
{
    struct pp_diff_command command;
    struct pp_diff_side olds = {.runs = 0}, news = {.runs = 0};
    int status = pp_diff_options_read(argc, argv, &command);
    if (status)
        return status;
    if (command.help)
        return usage();
    status = read_side(&olds, command.old_path, command.olds, &command.window);
    status = status ? status : read_side(&news, command.new_path, command.news, &command.window);
    status = status ? status : compare(&olds, &news, &command);
    pp_diff_side_finish(&olds);
    pp_diff_side_finish(&news);
    return status;
}
