/** @file
 * See report_openmetrics.h. */
#include "cli/commands/report_openmetrics.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/json/report_json.h"
#include "cli/print/message.h"
#include "cli/print/report_forms.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

/* Make the text. @return Owned by the caller; NULL: no memory. */
static char *
make_text(struct pp_saved_session *rec, const char *dir, const struct pp_view *view, size_t *ret_len)
{
    char *text = NULL;
    json_t *report = pp_report_json_make(rec, dir, view);
    FILE *out = report ? open_memstream(&text, ret_len) : NULL;
    if (out)
        pp_openmetrics_write(out, report, rec->json);
    json_decref(report);
    if (out && fclose(out)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Replace a file by a text. */
static int
replace(const char *file, const char *text, size_t len)
{
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(file, '/');
    if (slash && (size_t)(slash - file) + 2 > sizeof(folder))
        return -ENAMETOOLONG;
    if (slash)
        snprintf(folder, sizeof(folder), "%.*s", (int)(slash - file) + 1, file);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    int rc = pp_write_file(fd, slash ? slash + 1 : file, fd, text, len);
    close(fd);
    return rc;
}

int
pp_report_openmetrics(struct pp_saved_session *rec, const char *dir, const char *file,
                      const struct pp_view *view)
{
    size_t len = 0;
    char *text = make_text(rec, dir, view, &len);
    int rc = text ? replace(file, text, len) : -ENOMEM;
    free(text);
    return rc ? pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, file, strerror(-rc)) : 0;
}
