/** @file
 * `passprobe record`: run an application, write a session directory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/run_summary.h"
#include "cli/launch/events.h"
#include "cli/launch/run.h"
#include "cli/launch/runs.h"
#include "cli/merge/merge_run.h"
#include "cli/print/gaps.h"
#include "cli/session/session_json.h"
#include "cli/text/message.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define FOLDERS 1000U

/* The options and the directories of all runs. */
struct runs_for {
    struct pp_command_line line; /* with all events */
    char events[sizeof(((struct pp_config *)NULL)->events)];
    const char *list; /* of --runs-for */
    struct pp_session_dir dir;
    char folder[PATH_MAX];
    bool keep;
};

/* Join the lists of --events and --runs-for. */
static int
set_events(struct runs_for *all)
{
    if (all->line.config.events_change) {
        pp_message("%s", PP_TEXT_RUNS_FOR_CHANGES);
        return -EINVAL;
    }
    int length =
        snprintf(all->events, sizeof(all->events), "%s,%s",
                 all->line.config.events_given ? all->line.config.events : "time,pipeline", all->list);
    if (length >= (int)sizeof(all->events)) {
        pp_message("%s", PP_TEXT_RUNS_FOR_LONG);
        return -EINVAL;
    }
    int rc = pp_command_line_set(&all->line, "events", all->events);
    return rc ? rc : pp_events_check(&all->line.config, "--runs-for");
}

static int
set_options(struct runs_for *all, const struct pp_runs_options *options)
{
    const struct pp_run_given *own = &all->line.own;
    const char *other = options->is_repeated && own->repeat_given        ? "repeat"
                        : options->is_repeated && own->warm_up           ? "warm-up"
                        : options->is_repeated && own->until_percent > 0 ? "until"
                        : pp_command_line_gave(&all->line, "only-set")   ? "only-set"
                                                                         : NULL;
    if (other) {
        pp_message(PP_FORMAT_RUNS_FOR_OTHER, other);
        return -EINVAL;
    }
    all->list = all->line.own.runs_for;
    all->keep = all->line.own.keep_runs;
    return set_events(all);
}

/* Make the folder of the runs: DIR.runs, or DIR.runs.1 and so on. */
static int
make_folder(struct runs_for *all)
{
    const char *path = *all->dir.wanted ? all->dir.wanted : all->dir.path;
    for (unsigned i = 0; i < FOLDERS; i++) {
        int length = i ? snprintf(all->folder, sizeof(all->folder), "%s.runs.%u", path, i)
                       : snprintf(all->folder, sizeof(all->folder), "%s.runs", path);
        if (length >= (int)sizeof(all->folder))
            return -ENAMETOOLONG;
        if (mkdir(all->folder, 0755) == 0)
            return 0;
        if (errno != EEXIST)
            return -errno;
    }
    return -EEXIST;
}

/* Print how the runs agree, as the merged session says it. */
static void
print_agreement(const struct runs_for *all)
{
    struct pp_runs_for_texts texts;
    char why[256];
    bool missing = false;
    json_t *json = pp_saved_load_json(all->dir.fd, why, sizeof(why), &missing);
    pp_runs_for_texts(json, &texts);
    json_decref(json);
    if (*texts.agree)
        pp_message("%s", texts.agree);
    if (*texts.left_out)
        pp_message("%s", texts.left_out);
    if (*texts.columns)
        pp_message("%s", texts.columns);
    if (all->keep)
        pp_message(PP_FORMAT_RUNS_FOR_KEPT, all->folder);
}

/* Merge the runs. @retval 0, -errno. */
static int
merge(const struct runs_for *all, const struct pp_set_runs *runs)
{
    int *dir_fd = calloc(runs->runs, sizeof(*dir_fd));
    const char **place = calloc(runs->runs, sizeof(char *));
    const struct pp_merge_request request = {.dir_fd = dir_fd,
                                             .place = place,
                                             .runs = runs->runs,
                                             .events = all->events,
                                             .runs_for = all->list,
                                             .wanted = runs->wanted,
                                             .ended = *runs->ended ? runs->ended : NULL};
    int rc = dir_fd && place ? 0 : -ENOMEM;
    for (unsigned i = 0; rc == 0 && i < runs->runs; i++) {
        dir_fd[i] = runs->run[i].fd;
        place[i] = all->keep ? runs->run[i].path : NULL;
    }
    rc = rc ? rc : pp_merge(&request, all->dir.fd);
    free(dir_fd);
    free((void *)place);
    return rc;
}

/* Find the symbols of the first run's call stacks: the merged session has copies of these files. */
static void
keep_symbols(const struct runs_for *all, const struct pp_set_runs *runs)
{
    struct pp_sessions sessions;
    pp_session_dir_find(&runs->run[0].dir, &sessions);
    pp_keep_symbols(&all->line, &sessions);
    pp_sessions_finish(&sessions);
}

/* Merge the runs, and print what came of it. @return Exit status. */
static int
finish(struct runs_for *all, struct pp_set_runs *runs)
{
    struct pp_runs_left left;
    bool quiet = all->line.config.verbosity < 0;
    keep_symbols(all, runs);
    int rc = merge(all, runs);
    if (rc) {
        pp_message(PP_FORMAT_RUNS_FOR_MERGE, all->dir.path,
                   rc == -ENODATA ? PP_TEXT_RUNS_FOR_FIRST : strerror(-rc), all->folder);
        all->keep = true;
        return PP_EXIT_FAILED;
    }
    (void)pp_session_dir_replace_older(&all->dir, true);
    pp_record_tell(&all->line, &all->dir, &runs->first, true, &left);
    if (!quiet && runs->wanted == 1)
        pp_message(PP_FORMAT_RUNS_FOR_NONE, all->list);
    if (!quiet)
        print_agreement(all);
    const struct pp_run how = {.exit_status = runs->status};
    int status = pp_run_status(&all->line, &how, left.frames);
    return status == 0 && left.discarded ? PP_EXIT_FAILED : status;
}

/* The first run left no session: print why. @return Exit status. */
static int
tell_nothing(const struct runs_for *all, const struct pp_set_runs *runs)
{
    struct pp_runs_left left = {.frames = 0};
    if (runs->first_ended && !runs->first.exec_errno && runs->runs)
        pp_record_tell(&all->line, &runs->run[0].dir, &runs->first, true, &left);
    const struct pp_run how = {.exit_status = runs->status};
    return runs->status ? runs->status : pp_run_status(&all->line, &how, left.frames);
}

/* Run CMD once without hardware counters, and once for each counter set that the events need here. Merge the
 * sessions. @return Exit status. */
static int
record_runs_for(const struct pp_command_line *line, const struct pp_runs_options *options)
{
    struct runs_for *all = calloc(1, sizeof(*all));
    char why[PP_SESSION_DIR_WHY];
    int status = PP_EXIT_FAILED;
    if (!all)
        return pp_fail("%s", strerror(ENOMEM));
    all->line = *line;
    if (set_options(all, options))
        goto free_all;
    if (pp_session_dir_prepare(all->line.config.output, all->line.command[0], &all->dir, why)) {
        pp_message("%s", why);
        goto free_all;
    }
    int rc = make_folder(all);
    if (rc) {
        pp_message("%s: %s", all->folder, strerror(-rc));
        goto drop_dir;
    }
    struct pp_set_runs runs = {
        .line = &all->line, .folder = all->folder, .ignore_failure = options->ignore_failure};
    rc = pp_set_runs_do(&runs);
    bool any = runs.runs && runs.run[0].frames > 0;
    status = any ? finish(all, &runs) : rc ? PP_EXIT_FAILED : tell_nothing(all, &runs);
    pp_set_runs_finish(&runs, all->keep);
    (void)rmdir(all->folder); /* if it is empty */
drop_dir:
    pp_session_dir_drop_empty(&all->dir);
free_all:
    free(all);
    return status;
}

static const struct pp_option rows[] = {PP_RECORD_ROWS(struct pp_run_given)};
static const struct pp_command_options own = {
    .name = "record", .usage = PP_TEXT_USAGE_RECORD, .of = {{rows, PP_ARRAY_SIZE(rows), NULL}}};

/* Run CMD several times. @return Exit status. */
static int
run_repeatedly(const struct pp_command_line *line, const struct pp_runs_options *options,
               struct pp_session_dir *dir)
{
    struct pp_repeated_runs repeated = {.closing_line = true, .figures = options->until > 0};
    struct pp_runs_end end;
    pp_repeated_run(&repeated, line, options, dir, &end);
    pp_repeated_finish(&repeated);
    if (line->config.verbosity >= 0)
        pp_run_print_previous(dir);
    return end.status;
}

int
pp_cmd_record(int argc, char **argv)
{
    struct pp_command_line line;
    struct pp_runs_options options;
    struct pp_session_dir dir;
    char why[PP_SESSION_DIR_WHY];
    if (pp_command_line_parse(&line, &own, argc, argv))
        return PP_EXIT_FAILED;
    if (line.help)
        return 0;
    if (!line.command[0])
        return pp_fail(PP_TEXT_RECORD_NO_COMMAND);
    if (pp_runs_options_read(&line, "repeat", &options))
        return PP_EXIT_FAILED;
    if (line.own.runs_for)
        return record_runs_for(&line, &options);
    if (pp_session_dir_prepare(line.config.output, line.command[0], &dir, why))
        return pp_fail("%s", why);
    return options.is_repeated ? run_repeatedly(&line, &options, &dir) : pp_run_once(&line, &dir, false);
}
