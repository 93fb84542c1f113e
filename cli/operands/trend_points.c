/** @file
 * See trend.h. */
#include "cli/operands/operands.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/compare/diff_build.h"
#include "cli/compare/run.h"
#include "cli/push/push_url.h"
#include "core/config/dir_content.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

static bool
is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool
has_file(const char *folder, const char *name)
{
    char path[PATH_MAX];
    struct stat status;
    return snprintf(path, sizeof(path), "%s/%s", folder, name) < (int)sizeof(path) &&
           stat(path, &status) == 0;
}

static bool
is_session(const char *path)
{
    return has_file(path, "session.json");
}

/* Is this a folder that may hold sessions without a list of them? In a folder with a list, the list says
 * which runs count. */
static bool
is_unlisted_folder(const char *path)
{
    return is_folder(path) && !is_session(path) && !has_file(path, PP_DIR_RUNS_FILE);
}

/* Is a file's name that of an archive or of a summary? */
static bool
is_file_of_runs(const char *name)
{
    static const char *const ending[] = {".json", ".zst"};
    size_t len = strlen(name);
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        if (len > strlen(ending[i]) && strcmp(name + len - strlen(ending[i]), ending[i]) == 0)
            return true;
    return false;
}

static int
no_memory(char *why)
{
    snprintf(why, PP_RUN_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    return -ENOMEM;
}

/* Note what is left out. */
static int
leave_out(struct pp_trend_points *points, const char *name, const char *reason)
{
    if (pp_grow_array(&points->left_out, &points->left_cap, points->left + 1, sizeof(*points->left_out)))
        return -ENOMEM;
    struct pp_trend_left_out out = {.name = strdup(name), .reason = strdup(reason)};
    if (!out.name || !out.reason) {
        free(out.name);
        free(out.reason);
        return -ENOMEM;
    }
    points->left_out[points->left++] = out;
    return 0;
}

/* Append a point. Takes its contents on success. */
static int
add_point(struct pp_trend_points *points, const struct pp_trend_point *point)
{
    int rc = pp_grow_array(&points->point, &points->cap, points->len + 1, sizeof(*points->point));
    if (rc == 0)
        points->point[points->len++] = *point;
    return rc;
}

/* Entries of a folder, by name, without hidden ones. @return Their number; -1: it cannot be read. */
static int
entries_of(const char *folder, struct dirent ***ret)
{
    return scandir(folder, ret, NULL, alphasort);
}

static void
entries_finish(struct dirent **entry, int len)
{
    for (int i = 0; i < len; i++)
        free(entry[i]);
    free(entry);
}

/* The path of an entry. @return false: it is hidden, or too long. */
static bool
entry_path(const char *folder, const struct dirent *entry, char path[PATH_MAX])
{
    return entry->d_name[0] != '.' && snprintf(path, PATH_MAX, "%s/%s", folder, entry->d_name) < PATH_MAX;
}

/* Read all sessions of a folder as one side. @retval -ENOENT There are none. */
static int
read_folder(struct pp_diff_side *side, const char *folder, const struct pp_window_given *window, char *why)
{
    struct dirent **entry = NULL;
    char path[PATH_MAX];
    int len = entries_of(folder, &entry), rc = len < 0 ? -errno : 0;
    if (rc)
        snprintf(why, PP_RUN_WHY, PP_FORMAT_READ_BACK, folder, strerror(-rc));
    for (int i = 0; rc == 0 && i < len; i++)
        if (entry_path(folder, entry[i], path) && is_session(path))
            rc = pp_diff_side_read(side, path, window, why);
    entries_finish(entry, len);
    return rc || side->runs ? rc : -ENOENT;
}

/* Read a point. @retval -ENOENT It is a folder without sessions. */
static int
read_point(struct pp_trend_points *points, const char *path, const char *name,
           const struct pp_window_given *window, char *why)
{
    struct pp_trend_point point = {.name = strdup(name)};
    int rc = point.name ? 0 : no_memory(why);
    if (rc == 0 && is_unlisted_folder(path))
        rc = read_folder(&point.runs, path, window, why);
    else if (rc == 0)
        rc = pp_diff_side_read(&point.runs, path, window, why);
    if (rc == 0 && points->len == PP_TREND_POINTS_MOST) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_TREND_POINTS_MOST, PP_TREND_POINTS_MOST);
        rc = -EINVAL;
    }
    if (rc == 0 && add_point(points, &point))
        rc = no_memory(why);
    if (rc)
        pp_trend_point_finish(&point);
    return rc;
}

/* Each entry of a folder that has runs is a point. */
static int
read_entries(struct pp_trend_points *points, const char *folder, const struct pp_window_given *window,
             char *why)
{
    struct dirent **entry = NULL;
    char path[PATH_MAX];
    int len = entries_of(folder, &entry), rc = 0;
    for (int i = 0; rc == 0 && i < len; i++) {
        if (!entry_path(folder, entry[i], path) || (!is_folder(path) && !is_file_of_runs(path)))
            continue;
        rc = read_point(points, path, entry[i]->d_name, window, why);
        if (rc == -ENOENT && is_unlisted_folder(path))
            rc = 0; /* a folder of something else */
        else if (rc && rc != -ENOMEM && points->len < PP_TREND_POINTS_MOST)
            rc = leave_out(points, entry[i]->d_name, why) ? no_memory(why) : 0;
    }
    entries_finish(entry, len);
    return rc;
}

/* The build of a run of a database. */
static const char *
build_of(const struct pp_run_figures *run)
{
    const char *build = json_string_value(json_object_get(json_object_get(run->json, "tags"), "build"));
    return build ? build : "";
}

/* Move a run to the point of its build, which is made if there is none. The run is all zero then. */
static int
add_run_of_build(struct pp_trend_points *points, struct pp_run_figures *run)
{
    struct pp_trend_point *point = points->point;
    while (point < points->point + points->len && strcmp(point->name, build_of(run)) != 0)
        point++;
    if (point == points->point + points->len) {
        struct pp_trend_point made = {.name = strdup(build_of(run))};
        if (!made.name || add_point(points, &made)) {
            free(made.name);
            return -ENOMEM;
        }
        point = &points->point[points->len - 1];
    }
    return pp_diff_side_append(&point->runs, run);
}

/* Each build of a database is a point. */
static int
read_builds(struct pp_trend_points *points, const char *address, const struct pp_window_given *window,
            char *why)
{
    struct pp_run_figures *run = NULL;
    size_t runs = 0;
    int rc = pp_run_figures_read(address, window, &run, &runs, why);
    if (rc)
        return rc;
    for (size_t i = 0; i < runs; i++) {
        if (rc == 0 && add_run_of_build(points, &run[i]))
            rc = no_memory(why);
        pp_run_figures_finish(&run[i]);
    }
    free(run);
    return rc;
}

static int
by_time(const void *a, const void *b)
{
    const struct pp_trend_point *p = a, *q = b;
    double x = p->runs.run[0].start_ns, y = q->runs.run[0].start_ns;
    return x < y ? -1 : x > y ? 1 : strcmp(p->name, q->name);
}

/* Order by time, where all points have one. */
static void
order(struct pp_trend_points *points)
{
    for (size_t i = 0; i < points->len; i++)
        if (isnan(points->point[i].runs.run[0].start_ns))
            return;
    if (points->len)
        qsort(points->point, points->len, sizeof(*points->point), by_time);
}

/* What differs so much that points do not belong to one series; NULL: nothing. */
static const char *
differs(const struct pp_run_figures *a, const struct pp_run_figures *b)
{
    const struct pp_run_surface *x = &a->surface[0], *y = &b->surface[0];
    if (strcmp(x->api, y->api) != 0)
        return "API";
    if (!pp_diff_same_device(x->device, y->device))
        return "device";
    if (strcmp(a->level, b->level) != 0)
        return "--level";
    if (x->width > 0 && y->width > 0 && (fabs(x->width - y->width) > 0 || fabs(x->height - y->height) > 0))
        return "resolution";
    return a->serialize != b->serialize ? "--serialize" : NULL;
}

/* Leave out points that are not of the newest point's kind. */
static int
keep_alike(struct pp_trend_points *points)
{
    size_t kept = 0, len = points->len;
    int rc = 0;
    for (size_t i = 0; i < len; i++) {
        char reason[PP_RUN_WHY];
        const char *what = differs(&points->point[i].runs.run[0], &points->point[len - 1].runs.run[0]);
        struct pp_trend_point point = points->point[i];
        if (!what) {
            points->point[kept++] = point;
            continue;
        }
        snprintf(reason, sizeof(reason), PP_FORMAT_TREND_OTHER, what);
        rc = rc ? rc : leave_out(points, point.name, reason);
        pp_trend_point_finish(&point);
    }
    points->len = kept;
    return rc;
}

int
pp_trend_points_read(char *const *path, size_t paths, const struct pp_window_given *window,
                     struct pp_trend_points *ret, char *why)
{
    int rc = 0;
    *ret = (struct pp_trend_points){.len = 0};
    if (paths == 1 && pp_push_is_url(path[0])) {
        rc = read_builds(ret, path[0], window, why);
    } else if (paths == 1 && has_file(path[0], PP_DIR_RUNS_FILE) && !is_session(path[0])) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_TREND_ONE_POINT, path[0]);
        rc = -EINVAL;
    } else if (paths == 1 && is_folder(path[0]) && !is_session(path[0])) {
        rc = read_entries(ret, path[0], window, why);
    } else {
        for (size_t i = 0; rc == 0 && i < paths; i++) {
            rc = read_point(ret, path[i], path[i], window, why);
            if (rc == -ENOENT && is_folder(path[i])) {
                snprintf(why, PP_RUN_WHY, PP_FORMAT_TREND_NO_SESSIONS, path[i]);
                rc = -EINVAL;
            }
        }
    }
    if (rc == 0 && !ret->len) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_TREND_NO_SESSIONS, path[0]);
        rc = -EINVAL;
    }
    if (rc)
        return rc;
    order(ret);
    return keep_alike(ret) ? no_memory(why) : 0;
}
