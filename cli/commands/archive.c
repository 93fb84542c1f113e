/** @file
 * `passprobe archive`: one file of a session. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/archive/archive_write.h"
#include "cli/commands/commands.h"
#include "cli/commands/output_file.h"
#include "cli/commands/shown_session.h"
#include "cli/options/options.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/print/terminal.h"
#include "cli/redact/redact_json.h"
#include "cli/redact/redact_show.h"
#include "cli/session/session_json.h"
#include "cli/session/session_open.h"
#include "core/config/dir_content.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

/* The last part of a path without slashes at its end. @param ret NAME_MAX + 1 bytes. */
static void
last_name(const char *path, char *ret)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    size_t begin = len;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    snprintf(ret, NAME_MAX + 1, "%.*s", (int)(len - begin), path + begin);
    if (!*ret || strcmp(ret, ".") == 0 || strcmp(ret, "..") == 0)
        snprintf(ret, NAME_MAX + 1, "passprobe.data");
}

/* Print what an archive would say. @param redact NULL: everything. @return Exit status. */
static int
show(const struct pp_opened_session *session, struct pp_redaction *redact)
{
    static const char *const file[] = {"frames.csv",  "passes.csv",  "draws.csv", "labels.csv",
                                       "modules.csv", "symbols.csv", NULL};
    char why[512];
    bool missing = false;
    json_t *json = pp_saved_load_json(session->fd, why, sizeof(why), &missing);
    int rc = json && redact ? pp_redact_json(redact, json) : 0;
    rc = rc ? rc : pp_redact_show(stdout, redact, session->fd, json, file);
    json_decref(json);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(-rc));
    return json || missing ? 0 : pp_fail(PP_FORMAT_READ_BACK, session->path, why);
}

static int
write_archive(const struct pp_opened_session *session, const char *name, const char *file,
              struct pp_redaction *redact)
{
    struct pp_archive_written written;
    char why[512];
    char files[PP_FORMATTED_MAX], bytes[PP_FORMATTED_MAX];
    struct stat st = {.st_size = 0};
    int dir_fd = openat(session->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(errno));
    if (pp_dir_is_in_use(dir_fd)) {
        close(dir_fd);
        return pp_fail(PP_FORMAT_ARCHIVE_IN_USE, session->path);
    }
    int out = open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (out < 0) {
        int rc = -errno;
        close(dir_fd);
        return pp_output_file_error(file, rc);
    }
    (void)pp_progress_begin("packing");
    int rc = pp_archive_write(dir_fd, name, redact, out, &written, why, sizeof(why));
    if (rc == 0 && (fstat(out, &st) || fsync(out))) {
        snprintf(why, sizeof(why), "%s", strerror(errno));
        rc = -EIO;
    }
    close(dir_fd);
    close(out);
    if (rc) {
        (void)unlink(file);
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, file, why);
    }
    pp_print(stderr, PP_FORMAT_ARCHIVE_DONE "\n", written.files,
             pp_format_bytes(files, (double)written.bytes), pp_format_bytes(bytes, (double)st.st_size), file,
             redact ? PP_TEXT_REDACTED : "");
    return 0;
}

/* What the command line says. */
struct options {
    PP_ARCHIVE_OPTIONS
};

int
pp_cmd_archive(int argc, char **argv)
{
    static const struct pp_option rows[] = {PP_ARCHIVE_ROWS(struct options)};
    struct options options = {.output = NULL};
    const struct pp_command_options own = {
        .name = "archive", .usage = PP_TEXT_USAGE_ARCHIVE, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    struct pp_opened_session session;
    struct pp_redaction redaction = {.users = 0};
    char why[PP_SESSION_OPEN_WHY];
    char name[NAME_MAX + 1];
    char file[NAME_MAX + 16];
    if (pp_options_read(&own, argc, argv, &given))
        return pp_fail("%s", given.error);
    if (given.help)
        return 0;
    if (given.words > 1)
        return pp_fail(PP_TEXT_ARCHIVE_ONE);
    if (pp_session_open(given.word[0], &session, why))
        return pp_fail("%s", why);
    pp_shown_run_note(&session);
    last_name(session.path, name);
    snprintf(file, sizeof(file), "%s.tar.zst", name);
    pp_redaction_init(&redaction);
    struct pp_redaction *redact = options.no_redact ? NULL : &redaction;
    int status = options.show ? show(&session, redact)
                 : session.is_archive
                     ? pp_fail(PP_FORMAT_ARCHIVE_IS_ONE, session.path)
                     : write_archive(&session, name, options.output ? options.output : file, redact);
    pp_redaction_finish(&redaction);
    pp_session_close(&session);
    return status;
}
