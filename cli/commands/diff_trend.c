/** @file
 * See diff_trend.h. */
#include "cli/commands/diff_trend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare/trend.h"
#include "cli/json/json_values.h"
#include "cli/json/trend_json.h"
#include "cli/print/message.h"
#include "cli/print/trend.h"
#include "pp_texts.h"

/* Write a trend. @retval 0, -errno. */
static int
write_trend(const struct pp_trend *trend, const struct pp_diff_command *command)
{
    if (!command->json) {
        const struct pp_diff_look look = {.all = command->all, .most = command->entries};
        pp_trend_print(stdout, trend, command->how.threshold, &look);
        return fflush(stdout) ? -errno : 0;
    }
    json_t *json = pp_trend_json_make(trend, &command->how);
    int rc = pp_json_write(stdout, json);
    json_decref(json);
    return rc;
}

int
pp_diff_trend(const struct pp_diff_command *command)
{
    struct pp_trend trend = {.len = 0};
    char why[PP_RUN_WHY] = "";
    int status = 0;
    if (pp_trend_points_read(command->old_path, command->olds, &command->window, &trend.points, why))
        status = pp_fail("%s", why);
    else if (pp_trend_make(&trend, &command->how))
        status = pp_fail(PP_TEXT_COMMAND_MEMORY);
    else if (command->how.metric && !trend.len)
        status = pp_fail(PP_FORMAT_DIFF_METRIC, command->how.metric);
    if (!status) {
        int rc = write_trend(&trend, command);
        status = rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : 0;
    }
    pp_trend_finish(&trend);
    return status;
}
