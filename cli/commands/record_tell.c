/** @file
 * See record_tell.h. */
#include "cli/commands/record_tell.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/keep_symbols.h"
#include "cli/commands/shown_session.h"
#include "cli/launch/run.h"
#include "cli/print/format.h"
#include "cli/print/gaps.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/session/saved_session.h"
#include "pp_texts.h"

/* Print which data the files lack although the user asked for it. */
static void
print_losses(const struct pp_saved_session *rec)
{
    char losses[PP_LOSSES_MAX][PP_LOSS_TEXT];
    size_t lost = pp_losses_list(rec, losses);
    bool hint = json_number_value(pp_saved_json(rec, "dropped.frames")) > 0;
    for (size_t i = 0; i < lost; i++)
        pp_message("%s%s", losses[i], hint && i == 0 ? PP_TEXT_RECORD_DROPPED : "");
}

/* Print why the run left no frame. @param rec What was read of its session; NULL: nothing. */
static void
tell_no_frame(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run,
              const char *command, const struct pp_saved_session *rec)
{
    if (pp_run_print_left_behind(dir, command))
        return; /* its session comes later */
    if (!pp_run_print_gone(dir))
        pp_run_explain_no_data(line, run, command, rec);
    pp_session_dir_drop_empty(dir);
}

/* Print what the session has, and what it lacks. */
static void
tell_frames(const struct pp_session_dir *dir, const struct pp_sessions *sessions,
            const struct pp_saved_session *rec, bool closing_line, bool discarded)
{
    const char *stopped = NULL;
    if (closing_line)
        pp_print(stderr, PP_FORMAT_RECORD_DONE "\n", (unsigned long long)rec->frames,
                 pp_format_noun((double)rec->frames, "frame", "frames"), (unsigned long long)rec->passes_rows,
                 pp_format_noun((double)rec->passes_rows, "pass", "passes"), sessions->by_frames[0].path);
    (void)pp_saved_end(rec, &stopped);
    print_losses(rec);
    if (stopped)
        pp_message(PP_FORMAT_RECORD_STOPPED, stopped);
    if (closing_line)
        pp_not_measured_message(rec);
    pp_run_print_others(sessions);
    if (!discarded)
        pp_run_print_window(rec);
    pp_run_print_previous(dir);
}

void
pp_record_tell(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run,
               bool closing_line, struct pp_runs_left *ret)
{
    struct pp_saved_session rec;
    struct pp_sessions sessions;
    char command[256], operand[PP_SESSION_OPERAND];
    pp_session_dir_find(dir, &sessions);
    const char *path = sessions.by_frames[0].path;
    pp_format_command(command, sizeof(command), line->command);
    pp_run_print_killed(line, run, command);
    pp_keep_symbols(line, &sessions);
    int rc = pp_saved_read_at(sessions.by_frames[0].fd, PP_SAVED_HEADLINES, &rec);
    uint64_t frames = rc == 0 ? rec.frames : 0;
    if (rc == 0)
        rec.operand = pp_session_operand(operand, path);
    bool discarded = rc == 0 && pp_run_print_discarded(line, &rec);
    bool gone = rc == 0 && frames == 0 && pp_run_print_frames_gone(&rec, path);
    if (rc && rc != -ENOENT)
        pp_message(PP_FORMAT_READ_BACK, path, strerror(-rc));
    else if (frames == 0 && !gone) /* if they are gone, the rest of the session is kept */
        tell_no_frame(line, dir, run, command, rc ? NULL : &rec);
    else if (frames && line->config.verbosity >= 0)
        tell_frames(dir, &sessions, &rec, closing_line, discarded);
    if (rc == 0) {
        if (frames)
            pp_damage_print(&rec, path);
        pp_saved_finish(&rec);
    }
    ret->frames = frames;
    ret->discarded = discarded;
    snprintf(ret->session, sizeof(ret->session), "%.255s", pp_base_name(path));
    pp_sessions_finish(&sessions);
}
