/** @file
 * See shown_session.h. */
#include "cli/commands/shown_session.h"

#include <stdio.h>
#include <string.h>

#include "cli/text/format.h"
#include "cli/text/message.h"
#include "pp_texts.h"

void
pp_shown_run_note(const struct pp_opened_session *session)
{
    if (session->runs)
        pp_message(PP_FORMAT_RUNS_SHOWN, session->folder, session->runs, session->path);
}

const char *
pp_session_operand(char text[PP_SESSION_OPERAND], const char *dir)
{
    char path[PATH_MAX];
    char *const argv[] = {path, NULL};
    snprintf(path, sizeof(path), "%s", dir);
    text[0] = '\0';
    if (pp_session_is_usual(dir))
        return text;
    text[0] = ' ';
    (void)pp_format_command(text + 1, PP_SESSION_OPERAND - 1, argv);
    return text;
}

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
