/** @file
 * `passprobe export`: a session as a database or as JSON lines, its frames as viewers of frame times read
 * them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands/commands.h"
#include "cli/commands/output_file.h"
#include "cli/commands/shown_session.h"
#include "cli/export/export_format.h"
#include "cli/export/export_session.h"
#include "cli/export/export_viewer.h"
#include "cli/options/options.h"
#include "cli/print/gaps.h"
#include "cli/session/session_open.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

/* The values of --as. */
static const struct {
    const char *name;
    const struct pp_export_choice *choice;
} formats[] = {
#define ROW(name) {#name, &pp_export_as_##name},
    PP_EXPORT_CHOICES(ROW)
#undef ROW
};

/* What the command line says. */
struct options {
    PP_EXPORT_OPTIONS
};

/* A session on its way into a file or to stdout. */
struct writing {
    const struct pp_export_choice *as;
    const char *target;         /* for messages */
    struct pp_export_file file; /* of as_file */
    bool as_file;
    FILE *out; /* NULL: the format opens the file by itself */
    struct pp_export e;
    struct pp_viewer_left_out left_out; /* of formats for viewers */
};

/* The name of the file if none is given: that of the session, without what an archive adds. @param ret
 * NAME_MAX + 16 bytes. */
static void
usual_name(const char *path, const struct pp_export_choice *as, char *ret)
{
    static const char *const archive[] = {".tar.zst", ".tar"};
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    size_t begin = len;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    for (size_t i = 0; i < PP_ARRAY_SIZE(archive); i++) {
        size_t tail = strlen(archive[i]);
        if (len - begin > tail && strncmp(path + len - tail, archive[i], tail) == 0)
            len -= tail;
    }
    size_t most = len - begin < 240 ? len - begin : 240;
    bool usable = path[begin] != '.' && path[begin] != '/' && most;
    snprintf(ret, NAME_MAX + 16, "%.*s.%s", usable ? (int)most : 14, usable ? path + begin : "passprobe.data",
             as->ending);
}

/* Make what the format writes into. @return Exit status. */
static int
begin_format(struct writing *w)
{
    char why[512];
    if (!w->as->opens_path) {
        int copy = w->as_file ? dup(w->file.fd) : -1;
        w->out = w->as_file ? fdopen(copy, "w") : stdout;
        int error = errno;
        if (!w->out && copy >= 0)
            close(copy);
        if (!w->out)
            return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, w->target, strerror(error));
    }
    if (w->as->viewer)
        return 0;
    int rc = w->as->create(w->as_file ? w->file.unfinished : NULL, w->out, &w->e.format, why, sizeof(why));
    return rc ? pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, w->target, why) : 0;
}

/* Write everything. @return Exit status. */
static int
write_all(struct writing *w, const struct pp_opened_session *session)
{
    char damage[PP_DAMAGE_MAX];
    const struct pp_viewer_format *viewer = w->as->viewer;
    int rc = viewer ? pp_viewer_export(&w->e, session->fd, viewer, w->out, &w->left_out)
                    : pp_export_session(&w->e, session->fd);
    if (rc && w->e.error)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, w->target, viewer ? strerror(-rc) : w->e.format->why);
    if (rc == -ENOENT)
        return pp_fail(PP_FORMAT_REPORT_NO_SESSION, session->path);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(-rc));
    if (viewer ? !w->e.rows : w->e.rec.frames_error && !w->e.rec.passes_rows) {
        const char *damaged = pp_damage_find(&w->e.rec, damage, sizeof(damage));
        const char *why = w->e.rec.frames ? PP_TEXT_EXPORT_NO_FRAMES : PP_TEXT_REPORT_NO_FIRST;
        return pp_fail(PP_FORMAT_EXPORT_NOTHING, session->path, damaged ? damage : why);
    }
    return 0;
}

/* Print how many frames a file for viewers does not have, and why. */
static void
print_left_out(const struct pp_viewer_left_out *left_out, const char *path)
{
    const struct {
        uint64_t frames;
        const char *one, *several;
    } why[] = {{left_out->first, "first frame", "first frames"},
               {left_out->outside, PP_TEXT_EXPORT_OUTSIDE_ONE, PP_TEXT_EXPORT_OUTSIDE},
               {left_out->level, PP_TEXT_EXPORT_LEVEL_ONE, PP_TEXT_EXPORT_LEVEL},
               {left_out->untimed, PP_TEXT_EXPORT_UNTIMED_ONE, PP_TEXT_EXPORT_UNTIMED},
               {left_out->surface, PP_TEXT_EXPORT_SURFACE_ONE, PP_TEXT_EXPORT_SURFACE}};
    char list[512] = "", count[PP_FORMATTED_MAX];
    for (size_t i = 0; i < PP_ARRAY_SIZE(why); i++)
        if (why[i].frames)
            pp_format_append(list, sizeof(list), "%s%s %s", *list ? ", " : "",
                             pp_format_count(count, (double)why[i].frames, 0),
                             pp_format_noun((double)why[i].frames, why[i].one, why[i].several));
    if (*list)
        pp_message(PP_FORMAT_EXPORT_LEFT_OUT, path, list);
}

/* Print what was written, and what the session lacks. @return Exit status. */
static int
print_result(const struct writing *w, const struct pp_opened_session *session)
{
    const struct pp_saved_session *rec = &w->e.rec;
    char damage[PP_DAMAGE_MAX];
    char rows[PP_FORMATTED_MAX], bytes[PP_FORMATTED_MAX];
    struct stat st;
    int status = 0;
    if (w->as_file && stat(w->target, &st) == 0)
        pp_print(stderr, PP_FORMAT_EXPORT_DONE "\n", pp_format_count(rows, (double)w->e.rows, 0),
                 session->path, pp_format_bytes(bytes, (double)st.st_size), w->target);
    if (rec->early_rows)
        pp_message(PP_FORMAT_EXPORT_EARLY, session->path, pp_format_count(rows, (double)rec->early_rows, 0),
                   pp_format_noun((double)rec->early_rows, PP_TEXT_ROW_WAS, PP_TEXT_ROWS_WERE));
    print_left_out(&w->left_out, session->path);
    if (w->e.bad_cells)
        status = pp_fail(w->as->viewer ? PP_FORMAT_EXPORT_UNUSABLE : PP_FORMAT_EXPORT_CELLS, session->path,
                         pp_format_count(rows, (double)w->e.bad_cells, 0),
                         pp_format_noun((double)w->e.bad_cells, "cell", "cells"));
    const char *damaged = pp_damage_find(rec, damage, sizeof(damage));
    return damaged ? pp_fail(PP_FORMAT_EXPORT_DAMAGED, session->path, damaged, damage) : status;
}

/* Write the session, and give the file its name. @return Exit status. */
static int export(struct writing *w, const struct pp_opened_session *session)
{
    int rc = w->as_file ? pp_export_file_begin(w->target, false, &w->file) : 0;
    if (rc)
        return pp_output_file_error(w->target, rc);
    (void)pp_progress_begin("exporting");
    if (!w->as_file && pp_terminal(stdout)) /* the rows are on the same terminal */
        pp_progress_stop();
    int status = begin_format(w);
    status = status ? status : write_all(w, session);
    pp_progress_erase();
    if (w->e.format)
        w->e.format->ops->destroy(w->e.format);
    if (w->as_file && w->out)
        (void)fclose(w->out); /* end() has flushed it */
    if (w->as_file && status)
        pp_export_file_drop(&w->file);
    rc = w->as_file && !status ? pp_export_file_finish(&w->file) : 0;
    if (rc)
        status = pp_output_file_error(w->target, rc);
    status = status ? status : print_result(w, session);
    pp_export_finish(&w->e);
    return status;
}

/* Find the format. @return NULL: unknown, and printed. */
static const struct pp_export_choice *
format_of(const char *name)
{
    char names[256] = "";
    for (size_t i = 0; i < PP_ARRAY_SIZE(formats); i++) {
        const char *before = i == 0 ? "" : i + 1 < PP_ARRAY_SIZE(formats) ? ", " : name ? " and " : " or ";
        pp_format_append(names, sizeof(names), "%s%s", before, formats[i].name);
        if (name && strcmp(name, formats[i].name) == 0)
            return formats[i].choice;
    }
    if (name && strcmp(name, "parquet") == 0)
        (void)pp_fail(PP_TEXT_EXPORT_PARQUET);
    else if (name)
        (void)pp_fail(PP_FORMAT_EXPORT_UNKNOWN, name, names);
    else
        (void)pp_fail(PP_FORMAT_EXPORT_AS, names);
    return NULL;
}

int
pp_cmd_export(int argc, char **argv)
{
    static const struct pp_option rows[] = {PP_EXPORT_ROWS(struct options)};
    struct options options = {.as = NULL};
    const struct pp_command_options own = {
        .name = "export", .usage = PP_TEXT_USAGE_EXPORT, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    struct pp_opened_session session;
    char why[PP_SESSION_OPEN_WHY];
    char name[NAME_MAX + 16];
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
    if (given.words > 1)
        return pp_fail(PP_TEXT_EXPORT_ONE);
    const struct pp_export_choice *as = format_of(options.as);
    bool to_stdout = options.output && strcmp(options.output, "-") == 0;
    if (!as)
        return PP_EXIT_FAILED;
    if (as->opens_path && to_stdout)
        return pp_fail(PP_TEXT_EXPORT_STDOUT);
    if (pp_session_open(given.word[0], &session, why))
        return pp_fail("%s", why);
    pp_shown_run_note(&session);
    usual_name(session.path, as, name);
    struct writing w = {.as = as, .as_file = !to_stdout, .target = options.output ? options.output : name};
    if (to_stdout)
        w.target = "stdout";
    int status = export(&w, &session);
    pp_session_close(&session);
    return status;
}
