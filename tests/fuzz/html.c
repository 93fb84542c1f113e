/** @file
 * Fuzz target: a session, written as `passprobe report --html` does. The input is session.json, frames.csv,
 * passes.csv, draws.csv and labels.csv with a line "--" between them. The page must have no more scripts than
 * its template, and no image; its data must be JSON, and its size must not exceed what a page may have. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/html/html_out.h"
#include "cli/html/html_page.h"
#include "cli/session/saved_session.h"
#include "cli/symbols/session_symbols.h"

#define FILES 5U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** The template, as short as it can be: the scripts of the real one are no part of what is tested. */
const char pp_html_page[] =
    "<title><!--title--></title><!--run--><!--verdict--><!--strip--><!--slow--><!--passes-->"
    "<!--labels--><!--counters--><!--missing--><!--machine-->"
    "<script id=\"data\"><!--data--></script>";

static char folder[] = "/tmp/passprobe-fuzz-XXXXXX";
static const char *const file_name[FILES] = {"session.json", "frames.csv", "passes.csv", "draws.csv",
                                             "labels.csv"};
static int dir_fd = -1;

static void
must(bool holds)
{
    if (!holds)
        abort();
}

/* The target `symbols` has the readers of call stacks. */
double
pp_session_recorded_s(const struct pp_saved_session *rec)
{
    (void)rec;
    return 0;
}

int
pp_session_symbols_read(const struct pp_saved_session *rec, const struct pp_debug_places *places,
                        struct pp_call_stacks *ret, char *why)
{
    (void)rec;
    (void)places;
    (void)ret;
    *why = '\0';
    return -ENOENT;
}

/* Write the files of the session. */
static void
write_files(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < FILES; i++) {
        const uint8_t *end = i + 1 < FILES ? memmem(data, size, "\n--\n", 4) : NULL;
        size_t len = end ? (size_t)(end - data) + 1 : size;
        int fd = openat(dir_fd, file_name[i], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        must(fd >= 0 && write(fd, data, len) == (ssize_t)len);
        close(fd);
        data += end ? len + 3 : len;
        size -= end ? len + 3 : len;
    }
}

static void
remove_files(void)
{
    for (size_t i = 0; i < FILES; i++)
        (void)unlinkat(dir_fd, file_name[i], 0);
    (void)rmdir(folder);
}

static size_t
count(const char *text, const char *wanted)
{
    size_t found = 0;
    for (; (text = strcasestr(text, wanted)); text++)
        found++;
    return found;
}

/* Write a page, and look at it. */
static void
check_page(const json_t *data)
{
    static const char begin[] = "<script id=\"data\">", end[] = "</script>";
    char *page = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&page, &len);
    must(out && pp_html_report_write(out, data) == 0 && fclose(out) == 0 && strlen(page) == len);
    must(count(page, "<script") == 1 && count(page, end) == 1 && count(page, "<img") == 0 &&
         count(page, "<!--") == 0);
    const char *at = strstr(page, begin);
    must(at != NULL);
    at += strlen(begin);
    json_t *read = json_loadb(at, (size_t)(strstr(at, end) - at), JSON_REJECT_DUPLICATES, NULL);
    must(json_is_object(read));
    json_decref(read);
    free(page);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_saved_session rec;
    const struct pp_window_given given = {.frames = size % 5 ? NULL : "1-"};
    struct pp_frame_window window;
    json_t *page = NULL;
    if (dir_fd < 0) {
        must(mkdtemp(folder) != NULL);
        dir_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
        must(dir_fd >= 0 && atexit(remove_files) == 0);
    }
    write_files(data, size);
    must(!pp_frame_window_parse(&given, &window));
    if (pp_saved_read_window(dir_fd, &window, NULL, &rec))
        return 0;
    int rc = pp_html_data_make(&rec, "passprobe.data", &page);
    if (rc == 0)
        check_page(page);
    json_decref(page);
    pp_saved_finish(&rec);
    return 0;
}
