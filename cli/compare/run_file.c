/** @file
 * See run_file.h. */
#include "cli/compare/run_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Runs that were read so far. */
struct runs {
    struct pp_run_figures *run; /* owned */
    size_t len, cap;
    const char *path;
    char *why;
};

/* Is this the begin of a text in JSON? */
static bool
is_json(int fd)
{
    char begin[64];
    ssize_t len = pread(fd, begin, sizeof(begin) - 1, 0);
    if (len <= 0)
        return false;
    begin[len] = '\0';
    const char first = begin[strspn(begin, " \t\r\n")];
    return first == '{' || first == '[';
}

FILE *
pp_run_file_open(const char *path)
{
    struct stat st;
    int fd =
        open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a FIFO would block, and is no file */
    FILE *ret = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_json(fd) ? fdopen(fd, "r") : NULL;
    if (!ret && fd >= 0)
        close(fd);
    return ret;
}

static int
out_of_memory(const struct runs *runs)
{
    snprintf(runs->why, PP_RUN_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    return -ENOMEM;
}

/* Append a run. Of a file with several ones, each is named by its number, too. @param json Its reference is
 * taken. */
static int
take_run(struct runs *runs, json_t *json)
{
    char name[PP_RUN_WHY];
    if (runs->len == PP_RUN_FILE_RUNS_MOST) {
        json_decref(json);
        snprintf(runs->why, PP_RUN_WHY, PP_FORMAT_DIFF_RUNS_MOST, runs->path, PP_RUN_FILE_RUNS_MOST);
        return -E2BIG;
    }
    if (pp_grow_array(&runs->run, &runs->cap, runs->len + 1, sizeof(*runs->run))) {
        json_decref(json);
        return out_of_memory(runs);
    }
    if (runs->len)
        snprintf(name, sizeof(name), PP_FORMAT_DIFF_RUN_OF_FILE, runs->path, runs->len + 1);
    else
        snprintf(name, sizeof(name), "%s", runs->path);
    int rc = pp_run_figures_take(json, name, &runs->run[runs->len], runs->why);
    runs->len += rc == 0;
    return rc;
}

/* Append a run, or the runs of a list. @param json Its reference is taken. */
static int
take_value(struct runs *runs, json_t *json)
{
    int rc = 0;
    if (!json_is_array(json))
        return take_run(runs, json);
    for (size_t i = 0; rc == 0 && i < json_array_size(json); i++)
        rc = take_run(runs, json_incref(json_array_get(json, i)));
    json_decref(json);
    return rc;
}

/* Is there more than blanks after the last value? */
static bool
has_more(FILE *in)
{
    int c = ' ';
    while (c == ' ' || c == '\t' || c == '\r' || c == '\n')
        c = getc(in);
    return c != EOF && ungetc(c, in) != EOF;
}

static int
read_values(struct runs *runs, FILE *in)
{
    int rc = 0;
    while (rc == 0 && has_more(in)) {
        json_error_t error;
        json_t *json = json_loadf(in, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &error);
        if (!json) {
            snprintf(runs->why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_JSON, runs->path, error.line, error.text);
            return -EINVAL;
        }
        rc = take_value(runs, json);
    }
    if (rc == 0 && runs->len == 0) {
        snprintf(runs->why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_FRAMES, runs->path);
        rc = -EINVAL;
    }
    return rc;
}

int
pp_run_file_read(FILE *in, const char *path, struct pp_run_figures **ret, size_t *ret_runs, char *why)
{
    struct runs runs = {.path = path, .why = why};
    struct stat st = {.st_size = 0};
    int rc = fstat(fileno(in), &st) ? -errno : 0;
    if (rc) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_READ_BACK, path, strerror(-rc));
    } else if ((size_t)st.st_size > PP_RUN_FILE_MOST) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_LARGE, path, PP_RUN_FILE_MOST >> 20);
        rc = -EFBIG;
    }
    rc = rc ? rc : read_values(&runs, in);
    if (rc == 0) {
        *ret = runs.run;
        *ret_runs = runs.len;
        return 0;
    }
    for (size_t i = 0; i < runs.len; i++)
        pp_run_figures_finish(&runs.run[i]);
    free(runs.run);
    return rc;
}
