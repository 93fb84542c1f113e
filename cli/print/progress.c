/** @file
 * See progress.h. */
#include "cli/print/progress.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "cli/print/terminal.h"
#include "counters/util/monotonic.h"

#define FIRST_NS UINT64_C(2000000000)
#define EACH_NS  UINT64_C(500000000)
#define PAUSE_NS UINT64_C(2000000000) /* reading that was noted so long ago has ended */
#define COLUMNS  78

static struct pp_progress line;

struct pp_progress *
pp_progress_begin(const char *verb)
{
    line = (struct pp_progress){.verb = verb, .terminal = pp_terminal(stderr), .shown = line.shown};
    return &line;
}

void
pp_progress_stop(void)
{
    pp_progress_erase();
    line.terminal = false;
}

/* The name of an open file, without its folder. @param path PATH_MAX bytes. */
static const char *
name_of(int fd, char *path)
{
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, PATH_MAX - 1);
    path[len > 0 ? len : 0] = '\0';
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void
print_line(int fd)
{
    char path[PATH_MAX], name[4 * 40 + 4];
    char done[PP_FORMATTED_MAX], whole[PP_FORMATTED_MAX];
    struct stat st;
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0 || fstat(fd, &st))
        return;
    pp_progress_erase();
    pp_print(stderr, "%s %s: %s of %s", line.verb, pp_format_name(name, sizeof(name), name_of(fd, path), 40),
             pp_format_bytes(done, (double)at), pp_format_bytes(whole, (double)st.st_size));
    (void)fflush(stderr);
    line.shown = true;
}

void
pp_progress_note(int fd)
{
    if (!line.terminal)
        return;
    uint64_t now = pp_monotonic_ns();
    if (!line.begin_ns || now - line.note_ns > PAUSE_NS)
        line.begin_ns = now;
    line.note_ns = now;
    if (now - line.begin_ns < FIRST_NS || now - line.line_ns < EACH_NS)
        return;
    line.line_ns = now;
    print_line(fd);
}

void
pp_progress_erase(void)
{
    if (!line.shown)
        return;
    line.shown = false; /* first, because pp_print() calls this function */
    pp_print_char(stderr, '\r');
    pp_print(stderr, "%*s", COLUMNS, "");
    pp_print_char(stderr, '\r');
}
