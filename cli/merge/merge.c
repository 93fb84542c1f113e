/** @file
 * See merge.h. */
#include "cli/merge/merge.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/merge/merge_cells.h"
#include "cli/merge/merge_frames.h"
#include "cli/merge/merge_json.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "counters/util/grow_array.h"

#define COPY_SIZE ((size_t)64 << 10)

/* Create a file of the merged session. */
static int
create(int dir_fd, const char *name)
{
    int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
    return fd < 0 ? -errno : fd;
}

/* A text that is being made. */
struct text {
    char *byte; /* owned */
    size_t len, cap;
    bool failed; /* there was no memory */
};

/* Append a part of a text; called by jansson. */
static int
add_text(const char *part, size_t len, void *data)
{
    struct text *text = data;
    text->failed = text->failed || pp_grow_array(&text->byte, &text->cap, text->len + len, 1);
    if (text->failed)
        return -1;
    memcpy(text->byte + text->len, part, len);
    text->len += len;
    return 0;
}

/* Make the text of a value. json_dumps() of jansson 2.14 goes on where it had no memory for the name of a
 * member.
 * @retval 0, -ENOMEM. */
static int
make_text(const json_t *json, struct text *ret)
{
    *ret = (struct text){.len = 0};
    if (json && json_dump_callback(json, add_text, ret, JSON_INDENT(1)) == 0 && !ret->failed)
        return 0;
    free(ret->byte);
    return -ENOMEM;
}

/* Write session.json in one step. */
static int
write_json(const struct pp_merge *merge, const struct pp_merge_request *request, int out_fd, bool finished)
{
    json_t *json = pp_merge_json_make(merge, request, finished);
    struct text text;
    int rc = make_text(json, &text);
    json_decref(json);
    if (rc)
        return rc;
    int fd = create(out_fd, "session.json.new");
    rc = fd < 0 ? fd : pp_write_all(fd, text.byte, text.len);
    free(text.byte);
    if (fd >= 0 && close(fd) && rc == 0)
        rc = -errno;
    if (rc == 0 && renameat(out_fd, "session.json.new", out_fd, "session.json"))
        rc = -errno;
    if (rc)
        (void)unlinkat(out_fd, "session.json.new", 0);
    return rc;
}

/* Copy a file of the first run. It is no error if there is none. */
static int
copy_file(int from_fd, int out_fd, const char *name)
{
    int from = pp_open_regular(from_fd, name, O_RDONLY);
    if (from < 0)
        return from == -ENOENT ? 0 : from;
    char *buffer = malloc(COPY_SIZE);
    int to = buffer ? create(out_fd, name) : -ENOMEM;
    int rc = to < 0 ? to : 0;
    ssize_t got = 0;
    while (rc == 0 && (got = read(from, buffer, COPY_SIZE)) != 0) {
        if (got > 0)
            rc = pp_write_all(to, buffer, (size_t)got);
        else if (errno != EINTR)
            rc = -errno;
    }
    if (to >= 0 && close(to) && rc == 0)
        rc = -errno;
    close(from);
    free(buffer);
    return rc;
}

/* Open a merged file, and write its header. */
static int
begin_file(struct pp_merge *merge, enum pp_merge_file file, int out_fd)
{
    if (!merge->run[0].table[file].there)
        return 0;
    int rc = pp_merge_columns_make(merge->run, merge->runs, file, &merge->columns[file]);
    int fd = rc ? rc : create(out_fd, pp_merge_file_name(file));
    if (fd < 0)
        return fd;
    merge->out[file] = fdopen(fd, "w");
    if (!merge->out[file]) {
        close(fd);
        return -ENOMEM;
    }
    (void)setvbuf(merge->out[file], NULL, _IOFBF, (size_t)1 << 20);
    pp_merge_cells_header(merge->out[file], &merge->columns[file]);
    return 0;
}

/* Write the files of the merged session. */
static int
write_session(struct pp_merge *merge, const struct pp_merge_request *request, int out_fd)
{
    static const char *const copied[] = {"labels.csv", "stacks.csv", "modules.csv", "symbols.csv"};
    int rc = 0;
    for (unsigned f = 0; f < PP_MERGE_FILES && rc == 0; f++)
        rc = begin_file(merge, (enum pp_merge_file)f, out_fd);
    rc = rc ? rc : write_json(merge, request, out_fd, false);
    for (size_t i = 0; i < PP_ARRAY_SIZE(copied) && rc == 0; i++)
        rc = copy_file(merge->run[0].dir_fd, out_fd, copied[i]);
    rc = rc ? rc : pp_merge_frames(merge);
    for (unsigned f = 0; f < PP_MERGE_FILES; f++) {
        errno = EIO;
        bool failed = merge->out[f] && ferror(merge->out[f]);
        if (merge->out[f] && fclose(merge->out[f]) && rc == 0)
            rc = -errno;
        else if (failed && rc == 0)
            rc = -EIO;
    }
    return rc ? rc : write_json(merge, request, out_fd, true);
}

int
pp_merge(const struct pp_merge_request *request, int out_fd)
{
    struct pp_merge merge = {.runs = request->runs};
    size_t opened = 0;
    int rc = 0;
    merge.run = calloc(request->runs, sizeof(*merge.run));
    if (!merge.run)
        return -ENOMEM;
    (void)!pp_random_id(merge.session_id); /* without it, readers make an id from other members */
    while (opened < merge.runs && rc == 0) {
        rc = pp_merge_run_open(&merge.run[opened], request->dir_fd[opened]);
        opened++;
    }
    if (rc == 0 && merge.run[0].left_out)
        rc = -ENODATA;
    for (size_t r = 1; r < opened && rc == 0; r++) {
        pp_merge_run_check(&merge.run[r], &merge.run[0]);
        merge.merged_runs += !merge.run[r].left_out;
    }
    rc = rc ? rc : write_session(&merge, request, out_fd);
    for (unsigned f = 0; f < PP_MERGE_FILES; f++)
        pp_merge_columns_finish(&merge.columns[f]);
    for (size_t r = 0; r < opened; r++)
        pp_merge_run_finish(&merge.run[r]);
    free(merge.run);
    return rc;
}
