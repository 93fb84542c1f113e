/** @file
 * What report and annotate print about a window; see window_error.h. */
#include "cli/commands/window_error.h"
#include "cli/commands/session_operand.h"

#include <string.h>

#include "cli/print/format.h"
#include "cli/print/message.h"
#include "pp_texts.h"

int
pp_window_error_value(const struct pp_window_given *given, const char *option)
{
    if (strcmp(option, "frames") == 0)
        return pp_fail(PP_FORMAT_REPORT_FRAMES, given->frames);
    if (strcmp(option, "time") == 0)
        return pp_fail(PP_FORMAT_REPORT_TIME, given->time);
    return pp_fail(PP_FORMAT_REPORT_BETWEEN, given->between);
}

int
pp_window_error_missed(const struct pp_saved_session *rec, const char *dir)
{
    if (!rec->window.recorded)
        return pp_fail(PP_FORMAT_REPORT_NO_WINDOW, dir);
    char operand[PP_SESSION_OPERAND];
    return pp_fail(PP_FORMAT_REPORT_WINDOW_MISSED, dir, rec->window.recorded, rec->frames,
                   pp_format_noun((double)rec->frames, "frame", "frames"), pp_session_operand(operand, dir));
}
