/** @file
 * See report_baseline.h. */
#include "cli/commands/report_baseline.h"

#include <stdio.h>
#include <string.h>

#include "cli/compare/diff_side.h"
#include "cli/json/baseline_json.h"
#include "cli/print/message.h"
#include "pp_texts.h"

int
pp_report_baseline(const struct pp_opened_session *session, const struct pp_window_given *window)
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
