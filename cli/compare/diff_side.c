/** @file
 * See diff_side.h. */
#include "cli/compare/diff_side.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compare/run_open.h"
#include "cli/session/runs_file.h"
#include "core/config/dir_content.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Append runs to a side. */
static int
append(struct pp_diff_side *side, const struct pp_run_figures *run, size_t runs)
{
    int rc = pp_grow_array(&side->run, &side->cap, side->runs + runs, sizeof(*side->run));
    if (rc)
        return rc;
    memcpy(side->run + side->runs, run, runs * sizeof(*run));
    side->runs += runs;
    return 0;
}

int
pp_diff_side_append(struct pp_diff_side *side, struct pp_run_figures *run)
{
    int rc = append(side, run, 1);
    if (rc == 0)
        *run = (struct pp_run_figures){.json = NULL};
    return rc;
}

/* Read the run of a session, or all runs of a file of summaries. */
static int
read_run(struct pp_diff_side *side, const char *path, const struct pp_window_given *window, char *why)
{
    struct pp_run_figures *run = NULL;
    size_t runs = 0;
    int rc = pp_run_figures_read(path, window, &run, &runs, why);
    if (rc)
        return rc;
    rc = append(side, run, runs);
    for (size_t i = 0; rc && i < runs; i++)
        pp_run_figures_finish(&run[i]);
    if (rc)
        snprintf(why, PP_RUN_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    free(run);
    return rc;
}

/* Is there a list of repeated runs at this path? Then it is read. @param ret Set with 0 and a length of
 * runs. @retval 0, -ENOENT (the path is something else), -errno: @p why is set. */
static int
read_list(const char *path, struct pp_run_list *ret, char *why)
{
    char wrong[256];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || faccessat(fd, "session.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
        faccessat(fd, PP_DIR_RUNS_FILE, F_OK, AT_SYMLINK_NOFOLLOW)) {
        if (fd >= 0)
            close(fd);
        return -ENOENT;
    }
    int rc = pp_runs_file_read(fd, ret, wrong);
    close(fd);
    if (rc)
        snprintf(why, PP_RUN_WHY, PP_FORMAT_RUNS_FILE_READ, path, wrong);
    return rc == -ENOENT ? -EIO : rc; /* it was there a moment ago */
}

static int
too_long(const char *path, char *why)
{
    snprintf(why, PP_RUN_WHY, PP_FORMAT_READ_BACK, path, strerror(ENAMETOOLONG));
    return -ENAMETOOLONG;
}

/* The first run that has frames, although it does not count; NULL: there is none. */
static const struct pp_listed_run *
failed_run(const struct pp_run_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        if (!list->run[i].counts && list->run[i].frames && *list->run[i].session)
            return &list->run[i];
    return NULL;
}

/* Read all runs of a folder that count. */
static int
read_folder(struct pp_diff_side *side, const char *path, const struct pp_run_list *list,
            const struct pp_window_given *window, char *why)
{
    char session[PATH_MAX + NAME_MAX + 2];
    size_t before = side->runs;
    int rc = 0;
    for (size_t i = 0; i < list->len && rc == 0; i++) {
        if (list->run[i].side) {
            snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_TWO_COMMANDS, path);
            rc = -EINVAL;
        } else if (list->run[i].counts && *list->run[i].session) {
            if (snprintf(session, sizeof(session), "%s/%s", path, list->run[i].session) <
                (int)sizeof(session))
                rc = read_run(side, session, window, why);
            else
                rc = too_long(path, why);
        }
    }
    if (rc == 0 && side->runs == before) {
        const struct pp_listed_run *failed = failed_run(list);
        if (failed)
            snprintf(why, PP_RUN_WHY, PP_FORMAT_RUNS_FILE_FAILED, path, failed->number,
                     (unsigned long long)failed->frames, failed->status, path, failed->session);
        else
            snprintf(why, PP_RUN_WHY, PP_FORMAT_RUNS_FILE_NONE, path, "", "", "");
        rc = -ENOENT;
    }
    return rc;
}

int
pp_diff_side_read(struct pp_diff_side *side, const char *path, const struct pp_window_given *window,
                  char *why)
{
    struct pp_run_list list;
    int rc = read_list(path, &list, why);
    if (rc == -ENOENT)
        return read_run(side, path, window, why);
    if (rc)
        return rc;
    rc = read_folder(side, path, &list, window, why);
    pp_run_list_finish(&list);
    return rc;
}

void
pp_diff_side_finish(struct pp_diff_side *side)
{
    for (size_t i = 0; i < side->runs; i++)
        pp_run_figures_finish(&side->run[i]);
    free(side->run);
    *side = (struct pp_diff_side){.runs = 0};
}
