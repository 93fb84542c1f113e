/** @file
 * See lake_push.h. */
#include "cli/push/lake_push.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/push/lake_csv.h"
#include "cli/push/lake_views.h"
#include "pp_texts.h"

/* A session on its way into a lake. */
struct filling {
    struct pp_lake_entry entry;
    struct pp_lake_csv csv[PP_PUSH_TABLES];
    int fd[PP_PUSH_TABLES]; /* -1: the table has no file yet */
};

static const char *
reason(int rc)
{
    switch (rc) {
    case -ENOTEMPTY:
        return PP_TEXT_LAKE_OTHER_FILES;
    case -ELOOP:
        return PP_TEXT_LAKE_LINK;
    case -EBADMSG:
        return PP_TEXT_LAKE_NOTE;
    case -ENOTDIR:
        return PP_TEXT_LAKE_NO_FOLDER;
    default:
        return strerror(-rc);
    }
}

/* Make the file of a table. */
static int
begin_file(struct filling *f, enum pp_push_table table)
{
    f->fd[table] = pp_lake_entry_file(&f->entry, pp_push_model_of(table)->name);
    return f->fd[table] < 0 ? f->fd[table] : pp_lake_csv_begin(f->fd[table], table, &f->csv[table]);
}

static int
take_row(void *data, enum pp_push_table table, const struct pp_push_row *row)
{
    struct filling *f = data;
    int rc = f->fd[table] < 0 ? begin_file(f, table) : 0;
    return rc ? rc : pp_lake_csv_row(&f->csv[table], row);
}

/* End all files. A table without rows has a file, too: engines want one at least. */
static int
end_files(struct filling *f, int rc, struct pp_push_result *result)
{
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        struct stat st;
        if (rc == 0 && f->fd[i] < 0)
            rc = begin_file(f, (enum pp_push_table)i);
        if (f->fd[i] < 0)
            continue;
        int ended = pp_lake_csv_end(&f->csv[i]);
        rc = rc ? rc : ended;
        if (fstat(f->fd[i], &st) == 0)
            result->sent_bytes += (uint64_t)st.st_size;
        close(f->fd[i]);
    }
    return rc;
}

/* Write the session's files, and publish them. */
static int
fill(struct filling *f, int dir_fd, const struct pp_push_facts *facts, bool draws, struct pp_push_result *ret)
{
    const struct pp_push_sink sink = {.row = take_row, .data = f};
    const char *table[PP_PUSH_TABLES];
    char content[PP_SHA256_DIGITS + 1] = "";
    const struct pp_lake_session session = {
        .id = facts->session_id, .content = content, .day = facts->day, .build = facts->build};
    for (unsigned i = 0; i < PP_PUSH_TABLES; i++) {
        f->fd[i] = -1;
        table[i] = pp_push_model_of((enum pp_push_table)i)->name;
    }
    int rc = pp_push_read_rows(dir_fd, facts, &sink, draws, ret, content);
    rc = end_files(f, rc, ret);
    return rc ? rc : pp_lake_entry_publish(&f->entry, &session, table, PP_PUSH_TABLES);
}

int
pp_lake_push(const struct pp_lake *lake, int dir_fd, const struct pp_push_facts *facts, bool draws,
             struct pp_push_result *ret)
{
    struct filling f = {.entry.fd = -1};
    *ret = (struct pp_push_result){.outcome = PP_PUSH_FAILED, .facts = *facts};
    int rc = pp_lake_entry_begin(lake, &f.entry);
    if (rc == 0) {
        rc = fill(&f, dir_fd, facts, draws, ret);
        pp_lake_entry_end(&f.entry);
    }
    if (rc >= 0) {
        ret->outcome = rc ? PP_PUSH_WAS_THERE : PP_PUSH_DONE;
        return 0;
    }
    if (rc == -EEXIST)
        pp_push_error_set(&ret->error, PP_PUSH_REFUSED, PP_FORMAT_PUSH_OTHER_CONTENT, facts->session_id);
    else if (rc != -EPROTO) /* then the error is set */
        pp_push_error_set(&ret->error, rc == -ENOENT ? PP_PUSH_REFUSED : PP_PUSH_GIVE_UP, "%s",
                          rc == -ENOENT ? PP_TEXT_PUSH_NO_FILES : reason(rc));
    return -EIO;
}

/* Write the file of an engine. */
static int
write_views(const struct pp_lake *lake, enum pp_lake_engine engine)
{
    char *text = pp_lake_views_text(engine);
    int rc = text ? pp_lake_write(lake, pp_lake_views_name(engine), text, strlen(text)) : -ENOMEM;
    free(text);
    return rc;
}

int
pp_lake_begin(const char *path, struct pp_lake *ret, const char **ret_why)
{
    struct pp_lake lake;
    int rc = pp_lake_open(path, &lake);
    bool opened = rc == 0;
    for (unsigned i = 0; i < PP_LAKE_ENGINES && rc == 0; i++)
        rc = write_views(&lake, (enum pp_lake_engine)i);
    if (rc && opened)
        pp_lake_close(&lake);
    if (rc)
        *ret_why = reason(rc);
    else
        *ret = lake;
    return rc;
}
