/** @file
 * See terminal.h. */
#include "cli/text/terminal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/text/format.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "counters/util/monotonic.h"

#define EIGHTHS 8U

bool
pp_terminal(FILE *out)
{
    return isatty(fileno(out));
}

static const char *
variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* Source: no-color.org. */
static bool
has_colour(FILE *out)
{
    const char *term = variable("TERM");
    return pp_terminal(out) && !*variable("NO_COLOR") && *term && strcmp(term, "dumb") != 0;
}

void
pp_terminal_style(FILE *out, enum pp_style style)
{
    if (has_colour(out))
        pp_print_style(out, (unsigned)style);
}

void
pp_terminal_bold(FILE *out, bool on)
{
    pp_terminal_style(out, on ? PP_STYLE_BOLD : PP_STYLE_NORMAL);
}

/* Source: POSIX, the order of these variables. */
bool
pp_terminal_is_utf8(void)
{
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(name); i++)
        if (*variable(name[i]))
            return strcasestr(variable(name[i]), "UTF-8") || strcasestr(variable(name[i]), "utf8");
    return false;
}

void
pp_terminal_bar(FILE *out, double share, size_t columns)
{
    static const char *const part[EIGHTHS] = {"",       "\u258f", "\u258e", "\u258d",
                                              "\u258c", "\u258b", "\u258a", "\u2589"};
    if (!pp_terminal(out) || !(share > 0) || share > 1)
        return;
    size_t eighths = (size_t)(share * (double)(columns * EIGHTHS) + 0.5);
    if (!pp_terminal_is_utf8())
        eighths = (eighths + EIGHTHS / 2) / EIGHTHS * EIGHTHS;
    for (size_t i = 0; i < eighths / EIGHTHS; i++)
        pp_print(out, "%s", pp_terminal_is_utf8() ? "\u2588" : "#");
    pp_print(out, "%s", part[eighths % EIGHTHS]);
}

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
