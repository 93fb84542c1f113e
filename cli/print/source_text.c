/** @file
 * See source_text.h. */
#include "cli/print/source_text.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/print/format.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "counters/util/fd.h"

#define AROUND       3U /* lines before and after one with costs */
#define MAX_BYTES    ((off_t)64 << 20)
#define TAB          8U
#define LINE_COLUMNS 1024U

/* A source file in memory. */
struct source {
    char *text;    /* NUL-terminated; NULL: it cannot be read */
    char *at;      /* begin of the next line; NULL: the end */
    uint32_t line; /* its number */
    bool changed;  /* after the session was recorded */
};

/* Find the path here: by the first map that fits. @return false: none fits. */
static bool
map_path(char *path, size_t size, const char *file, const struct pp_source_places *places)
{
    snprintf(path, size, "%s", file);
    for (size_t i = 0; i < places->maps; i++) {
        const char *equal = strchr(places->map[i], '=');
        size_t len = equal ? (size_t)(equal - places->map[i]) : 0;
        if (!equal || strncmp(file, places->map[i], len) != 0)
            continue;
        snprintf(path, size, "%s%s", equal + 1, file + len);
        return true;
    }
    return false;
}

static void
source_open(struct source *source, const char *path, double recorded_s)
{
    struct stat st;
    *source = (struct source){.line = 1};
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY);
    if (fd < 0)
        return;
    size_t size = fstat(fd, &st) == 0 && st.st_size <= MAX_BYTES ? (size_t)st.st_size : 0;
    source->text = malloc(size + 1);
    size_t used = 0;
    for (ssize_t got = 1; source->text && got > 0 && used<size; used += got> 0 ? (size_t)got : 0)
        got = read(fd, source->text + used, size - used);
    close(fd);
    if (!source->text)
        return;
    source->text[used] = '\0';
    source->at = used ? source->text : NULL;
    source->changed = (double)st.st_mtim.tv_sec > recorded_s;
}

/* Take the next line. @return NULL: there is none. */
static const char *
source_next(struct source *source)
{
    char *line = source->at;
    if (!line)
        return NULL;
    char *end = strchr(line, '\n');
    source->at = end && end[1] ? end + 1 : NULL;
    if (end)
        *end = '\0';
    source->line++;
    return line;
}

/* Copy a line with blanks for tabs, and without a carriage return at its end. */
static void
expand(char *to, size_t size, const char *line)
{
    size_t column = 0;
    for (; *line && column + 1 < size; line++) {
        if (*line == '\t')
            do
                to[column++] = ' ';
            while (column % TAB && column + 1 < size);
        else if (*line != '\r' || line[1])
            to[column++] = *line;
    }
    to[column] = '\0';
}

/* Print a line after its costs. @param cost NULL: it has none. */
static void
print_line(FILE *out, uint32_t number, const char *text, const struct pp_source_cost *cost, double all_ns)
{
    char expanded[LINE_COLUMNS];
    expand(expanded, sizeof(expanded), text);
    if (cost && all_ns > 0) {
        pp_print_percent(out, cost->total_timed ? 100 * cost->total_ns / all_ns : (double)NAN);
        if (cost->self_ns > 0 || cost->self_actions)
            pp_print_percent(out, cost->self_timed ? 100 * cost->self_ns / all_ns : (double)NAN);
        else
            pp_print(out, "%8s", "");
    } else {
        pp_print(out, "%16s", "");
    }
    pp_print(out, *expanded ? " %7u | %s\n" : " %7u |%s\n", (unsigned)number, expanded);
}

/* Print lines of the source, and dots where lines are left out. */
static void
print_source(FILE *out, struct source *source, const struct pp_source_costs *costs, double all_ns)
{
    size_t next = 0; /* the next line with costs */
    uint32_t printed = 0;
    for (const char *text = NULL; next < costs->len || (printed && source->line <= printed + AROUND);) {
        uint32_t number = source->line;
        text = source_next(source);
        if (!text)
            break;
        bool costly = next < costs->len && costs->line[next].line == number;
        bool before = next < costs->len && costs->line[next].line - number <= AROUND;
        bool after = next > 0 && number - costs->line[next - 1].line <= AROUND;
        if (!costly && !before && !after)
            continue;
        if (printed && number > printed + 1)
            pp_print(out, "%24s |\n", "...");
        print_line(out, number, text, costly ? &costs->line[next] : NULL, all_ns);
        printed = number;
        next += costly;
    }
    for (; next < costs->len; next++) /* the file is shorter than it was */
        print_line(out, costs->line[next].line, "", &costs->line[next], all_ns);
}

void
pp_source_text_print(FILE *out, const char *file, const struct pp_source_costs *costs, double all_ns,
                     const struct pp_source_places *places)
{
    char path[2 * PATH_MAX];
    struct source source = {.text = NULL};
    bool mapped = map_path(path, sizeof(path), file, places);
    if (mapped || !places->only_mapped)
        source_open(&source, path, places->recorded_s);
    pp_print(out, "\n# %s\n", path);
    if (!mapped && places->only_mapped)
        pp_print(out, "# The session is an archive or from another machine: its sources are read only where "
                      "--prefix-map OLD=NEW says.\n");
    else if (!source.text)
        pp_print(out, "# The source is not here: --prefix-map OLD=NEW says where it is\n");
    else if (source.changed)
        pp_print(out, "# The source was changed after the session was recorded: lines may have moved\n");
    pp_print(out, "#%7s%8s %7s\n#\n", "Total", "Self", "Line");
    if (source.text) {
        print_source(out, &source, costs, all_ns);
    } else {
        for (size_t i = 0; i < costs->len; i++)
            print_line(out, costs->line[i].line, "", &costs->line[i], all_ns);
    }
    free(source.text);
}
