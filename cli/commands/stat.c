/** @file
 * `passprobe stat`: run an application, print a summary to stderr at exit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/keep_symbols.h"
#include "cli/json/report_json.h"
#include "cli/launch/run.h"
#include "cli/print/damage.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/summary.h"
#include "cli/session/saved_session.h"
#include "pp_texts.h"

static int
usage(void)
{
    puts(PP_TEXT_USAGE_STAT);
    pp_command_line_help("stat");
    return 0;
}

/* Make the session directory. If the default directory cannot be used, a temporary one replaces it; a
 * directory that the user chose is never replaced. */
static int
prepare(const struct pp_command_line *line, struct pp_session_dir *dir)
{
    char why[PP_SESSION_DIR_WHY];
    struct pp_config defaults;
    pp_config_init(&defaults);
    int rc = pp_session_dir_prepare(line->config.output, line->command[0], dir, why);
    if (rc == 0)
        return 0;
    if (strcmp(line->config.output, defaults.output) != 0) {
        pp_message("%s", why);
        return rc;
    }
    rc = pp_session_dir_temporary(dir);
    if (rc)
        pp_message(PP_FORMAT_STAT_NO_DIRECTORY, why, strerror(-rc));
    else
        pp_message(PP_FORMAT_STAT_TEMPORARY, why, dir->path);
    return rc;
}

/* Print the summary to stderr, or to the file of --summary. */
static void
print_summary(const struct pp_command_line *line, struct pp_saved_session *rec,
              const struct pp_summary_look *look)
{
    const char *path = pp_command_line_own(line, "summary");
    FILE *out = path ? fopen(path, "we") : stderr;
    if (!out) {
        pp_message(PP_FORMAT_STAT_NOT_WRITTEN, path, strerror(errno));
        out = stderr;
    }
    pp_summary_print(out, rec, look);
    if (out != stderr && fclose(out))
        pp_message(PP_FORMAT_STAT_NOT_WRITTEN, path, strerror(errno));
}

/* Write the JSON file of --json. */
static void
write_json(const struct pp_command_line *line, struct pp_saved_session *rec, const char *dir)
{
    const char *path = pp_command_line_own(line, "json");
    if (!path)
        return;
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    int rc = out ? pp_report_json_write(out, rec, dir, &(struct pp_view){.fold = false}) : -errno;
    if (out && out != stdout && fclose(out) && rc == 0)
        rc = -errno;
    if (rc)
        pp_message(PP_FORMAT_STAT_NOT_WRITTEN, path, strerror(-rc));
}

/* Print the summary of CMD's session, or why there is none. @return Number of its frames. */
static uint64_t
print(const struct pp_command_line *line, const struct pp_session_dir *dir, const struct pp_run *run)
{
    char command[256];
    char ending[PP_ENDING_MAX];
    struct pp_saved_session rec;
    struct pp_sessions sessions;
    pp_format_short_command(command, sizeof(command), PP_SUMMARY_TITLE_COLUMNS,
                            (const char **)(uintptr_t)line->command);
    pp_session_dir_find(dir, run->start_s, &sessions);
    pp_run_print_killed(run, command);
    pp_keep_symbols(line, &sessions);
    if (line->config.verbosity >= 0)
        pp_run_print_reading(sessions.by_frames[0].path);
    int rc = pp_saved_read_at(sessions.by_frames[0].fd, PP_SAVED_WHOLE, &rec);
    if (rc == 0 && pp_run_print_frames_gone(&rec, sessions.by_frames[0].path)) {
        /* the rest of the session is kept */
    } else if (rc == -ENOENT || (rc == 0 && rec.frames == 0)) {
        if (pp_run_print_left_behind(dir, command)) {
            /* its session comes later */
        } else {
            if (!pp_run_print_gone(dir))
                pp_run_explain_no_data(line, run, command, rc ? NULL : &rec);
            pp_session_dir_drop_empty(dir);
        }
    } else if (rc) {
        pp_message(PP_FORMAT_READ_BACK, sessions.by_frames[0].path, strerror(-rc));
    } else {
        pp_damage_print(&rec, sessions.by_frames[0].path);
        const struct pp_summary_look look = {.command = command,
                                             .dir = sessions.by_frames[0].path,
                                             .end = pp_run_ending(ending, run, command, &rec),
                                             .verbose = line->config.verbosity > 0};
        print_summary(line, &rec, &look);
        write_json(line, &rec, sessions.by_frames[0].path);
        pp_run_print_others(&sessions);
        pp_run_print_window(&rec);
        if (line->config.verbosity >= 0)
            pp_run_print_previous(dir);
    }
    uint64_t frames = rc == 0 ? rec.frames : 0;
    if (rc == 0)
        pp_saved_finish(&rec);
    pp_sessions_finish(&sessions);
    return frames;
}

int
pp_cmd_stat(int argc, char **argv)
{
    struct pp_command_line line;
    struct pp_session_dir dir;
    struct pp_run run;
    if (pp_command_line_parse(&line, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return usage();
    if (!line.command[0])
        return pp_fail(PP_TEXT_STAT_NO_COMMAND);
    if (prepare(&line, &dir))
        return PP_EXIT_FAILED;
    if (pp_run_profiled(&line, &dir, &run)) {
        pp_session_dir_drop_empty(&dir);
        return PP_EXIT_FAILED;
    }
    if (!run.exec_errno)
        return pp_run_status(&line, &run, print(&line, &dir, &run));
    pp_session_dir_drop_empty(&dir);
    return run.exit_status;
}
