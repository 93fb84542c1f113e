/** @file
 * See annotation.h. */
#include "cli/print/annotation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/print/passes.h"
#include "cli/text/format.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

#define NEIGHBOURS   8U
#define FILE_COLUMNS 18U /* of a file's name after a function */
#define CHAIN        6U  /* callers after a row */

static const char *const what[] = {"function", "line", "file", "module"};

/* Mean of a sum in each measured frame. */
static double
a_frame(const struct pp_annotation *a, double sum)
{
    return sum / fmax((double)a->costs->frames, 1);
}

static double
share(const struct pp_annotation *a, double ns)
{
    return a->costs->total_ns > 0 ? 100 * ns / a->costs->total_ns : (double)NAN;
}

/* A function's name for tables: without the words for a namespace that has no name. */
static void
plain_name(char *text, size_t size, const char *name)
{
    static const char unnamed[] = "(anonymous namespace)::";
    *text = '\0';
    for (const char *at = name, *next = NULL; *at; at = next) {
        next = strstr(at, unnamed);
        size_t len = next ? (size_t)(next - at) : strlen(at);
        pp_format_append(text, size, "%.*s", (int)len, at);
        next = next ? next + sizeof(unnamed) - 1 : at + len;
    }
}

/* What a row is called: its name, and where it is. A long name is cut in its middle. */
static void
title_of(char *text, size_t size, const struct pp_annotation *a, const struct pp_annotated *row,
         size_t columns)
{
    const char *slash = strrchr(row->file, '/');
    const char *file = slash && slash[1] ? slash + 1 : row->file;
    bool functions = a->by == PP_ANNOTATE_FUNCTION;
    bool lined = a->by == PP_ANNOTATE_LINE && *row->file && row->line;
    const char *function = functions || !lined ? row->name : row->function;
    char place[512] = "", name[2048], cut[4 * 512 + 4], shown[4 * FILE_COLUMNS + 4];
    if (functions && *file && row->line)
        snprintf(place, sizeof(place), "  %s:%u", pp_format_middle(shown, sizeof(shown), file, FILE_COLUMNS),
                 (unsigned)row->line);
    if (row->inlined)
        pp_format_append(place, sizeof(place), " %s", "(inlined)");
    plain_name(name, sizeof(name), function);
    *text = '\0';
    if (lined && *function)
        pp_format_append(text, size, "%s  ", row->name);
    else if (lined)
        pp_format_append(text, size, "%s", row->name);
    size_t used = pp_format_width(text) + pp_format_width(place);
    size_t left = pp_format_left(columns, used, 10);
    pp_format_append(text, size, "%s%s", pp_format_middle(cut, sizeof(cut), name, left < 500 ? left : 500),
                     place);
}

/* Add the callers of a row in its most expensive stack, as far as the line has columns. */
static void
add_chain(char *text, size_t size, const struct pp_annotation *a, size_t row, size_t columns)
{
    struct pp_annotated_place place[512];
    char caller[2048], name[2000];
    size_t stack = a->row[row].heaviest;
    size_t len = stack == PP_NO_STACK ? 0 : pp_annotation_stack(a, stack, place, PP_ARRAY_SIZE(place));
    size_t at = 0;
    while (at < len && place[at].row != row)
        at++;
    for (size_t i = at + 1; i < len && i <= at + CHAIN; i++) {
        const struct pp_annotated *next = &a->row[place[i].row];
        plain_name(name, sizeof(name),
                   a->by == PP_ANNOTATE_LINE && *next->function ? next->function : next->name);
        snprintf(caller, sizeof(caller), " < %s", name);
        if (pp_format_width(text) + pp_format_width(caller) > columns)
            return;
        pp_format_append(text, size, "%s", caller);
    }
}

/* Print the rows that call a row, or that it calls. */
static int
print_neighbours(FILE *out, const struct pp_annotation *a, size_t row, bool callers)
{
    struct pp_annotated_neighbour neighbour[NEIGHBOURS];
    char name[1024], plain[2048];
    size_t len = 0;
    int rc = pp_annotation_neighbours(a, row, callers, neighbour, NEIGHBOURS, &len);
    for (size_t i = 0; i < len; i++) {
        const char *text = neighbour[i].row != PP_NO_ROW ? a->row[neighbour[i].row].name
                           : callers                     ? "[begin]"
                                                         : "[graphics API]";
        plain_name(plain, sizeof(plain), text);
        pp_print_percent(out, share(a, neighbour[i].ns));
        pp_print(out, "%26s %s %s\n", "", callers ? "called by" : "calls",
                 pp_format_middle(name, sizeof(name), plain, 200));
    }
    return rc;
}

/* Number of actions in a frame; "-" where actions were not recorded. @param text PP_FORMATTED_MAX bytes. */
static const char *
actions_text(char *text, const struct pp_annotation *a, uint64_t actions)
{
    double mean = a_frame(a, (double)actions);
    return a->costs->no_actions ? "-" : pp_format_count(text, mean, mean < 10 && mean > floor(mean));
}

/* Print a row. @param unit Of its time in a frame. */
static int
print_row(FILE *out, const struct pp_annotation *a, size_t i, const struct pp_annotation_look *look,
          const struct pp_time_unit *unit)
{
    const struct pp_annotated *row = &a->row[i];
    char ns[PP_FORMATTED_MAX], actions[PP_FORMATTED_MAX], value[PP_FORMATTED_MAX];
    char title[8192];
    size_t used = 37;
    bool has_self = pp_annotated_has_self(row), by_time = a->costs->measure == PP_DRAWS_BY_TIME;
    pp_print_percent(out, row->total_timed ? share(a, row->total_ns) : (double)NAN);
    pp_print_percent(out, has_self ? share(a, row->self_ns) : (double)NAN);
    pp_print(out, " %8s %8s",
             pp_format_time(ns, has_self && by_time ? a_frame(a, row->self_ns) : (double)NAN, unit),
             actions_text(actions, a, row->self_actions));
    if (look->counter) {
        double number = pp_annotated_value(a, row);
        pp_print(out, " %12s", isnan(number) ? "-" : pp_format_figure(value, number));
        used += 13;
    }
    size_t columns = pp_format_left(pp_format_columns(out), used, 30);
    title_of(title, sizeof(title), a, row, columns);
    if (!look->callers && a->by <= PP_ANNOTATE_LINE)
        add_chain(title, sizeof(title), a, i, columns);
    pp_print(out, "  %s\n", title);
    int rc = look->callers ? print_neighbours(out, a, i, true) : 0;
    return rc || !look->callees ? rc : print_neighbours(out, a, i, false);
}

/* Print the row of passes whose time cannot be divided among their actions. */
static void
print_undivided(FILE *out, const struct pp_annotation *a, const struct pp_annotation_look *look,
                const struct pp_time_unit *unit)
{
    char ns[PP_FORMATTED_MAX];
    if (a->costs->undivided_ns <= 0)
        return;
    pp_print_percent(out, share(a, a->costs->undivided_ns));
    pp_print_percent(out, share(a, a->costs->undivided_ns));
    pp_print(out, " %8s %8s%s  %s\n", pp_format_time(ns, a_frame(a, a->costs->undivided_ns), unit), "-",
             look->counter ? "            -" : "", "[actions without a time of their own]");
}

/* Print the row of work without a stack: with it, and that of undivided time, the shares add up. */
static void
print_no_stack(FILE *out, const struct pp_annotation *a, const struct pp_annotation_look *look,
               const struct pp_time_unit *unit)
{
    char ns[PP_FORMATTED_MAX], actions[PP_FORMATTED_MAX];
    double without = fmax(a->costs->total_ns - a->costs->stacked_ns - a->costs->undivided_ns, 0);
    uint64_t count = 0, passes = 0, timed = 0;
    for (size_t i = 0; i < a->costs->len; i++) {
        if (a->costs->cost[i].stack != PP_NO_STACK)
            continue;
        count += a->costs->cost[i].actions;
        passes += a->costs->cost[i].passes;
        timed += a->costs->cost[i].timed;
    }
    if (!count && !passes)
        return;
    without = timed ? without : (double)NAN;
    pp_print_percent(out, share(a, without));
    pp_print_percent(out, share(a, without));
    if (a->costs->measure != PP_DRAWS_BY_TIME)
        without = (double)NAN; /* shares have another measure */
    pp_print(out, " %8s %8s%s  %s\n", pp_format_time(ns, a_frame(a, without), unit),
             actions_text(actions, a, count), look->counter ? "            -" : "",
             PP_TEXT_ANNOTATE_NO_STACK);
}

/* Print the measure of shares, where draws have no times. */
static void
print_work_head(FILE *out, const struct pp_annotation *a, const struct pp_annotation_look *look)
{
    static const char *const measure[] = {[PP_DRAWS_BY_INVOCATIONS] = "Invocations of shaders",
                                          [PP_DRAWS_BY_VERTICES] = "Vertices",
                                          [PP_DRAWS_BY_COUNT] = "Draws"};
    char all[PP_FORMATTED_MAX];
    pp_print(out, "# %s by %s (%llu %s)\n", measure[a->costs->measure], what[a->by],
             (unsigned long long)a->costs->frames,
             pp_format_noun((double)a->costs->frames, "frame", "frames"));
    pp_print(out, "%s\n", "# The driver has no GPU time of single draws, so shares refer to this count.");
    if (!look->serialized)
        pp_print(out, "# Passes took %s a frame: `record -g -l draw --serialize` may divide it.\n",
                 pp_format_duration(all, a_frame(a, a->costs->gpu_ns)));
}

/* Print that one function hides its callers, and how to see through it. */
static void
print_wrapper(FILE *out, const struct pp_annotation *a, size_t row)
{
    const char *function = a->row[row].function;
    char name[2048], shown[400];
    plain_name(name, sizeof(name), *function ? function : a->row[row].name);
    pp_format_middle(shown, sizeof(shown), name, 22);
    pp_print(out,
             *function ? "# %s() draws for its callers: --skip-function names them.\n"
                       : "# %s draws for its callers: --skip-function names them.\n",
             shown);
}

static void
print_head(FILE *out, const struct pp_annotation *a, const struct pp_annotation_look *look,
           const struct pp_time_unit *unit)
{
    char all[PP_FORMATTED_MAX], stacked[PP_FORMATTED_MAX];
    bool by_time = a->costs->measure == PP_DRAWS_BY_TIME;
    if (by_time)
        pp_print(out, "# GPU time by %s: %s a frame, %s with call stack (%llu %s)\n", what[a->by],
                 pp_format_duration(all, a_frame(a, a->costs->total_ns)),
                 pp_format_duration(stacked, a_frame(a, a->costs->stacked_ns)),
                 (unsigned long long)a->costs->frames,
                 pp_format_noun((double)a->costs->frames, "frame", "frames"));
    else
        print_work_head(out, a, look);
    if (a->costs->no_actions)
        pp_print(out, "# level pass: a pass's time is at the call that began it. `record -g -l draw`\n# "
                      "divides it; some drivers also need --serialize.\n");
    if (look->wrapper != PP_NO_ROW)
        print_wrapper(out, a, look->wrapper);
    if (a->costs->untimed && by_time)
        pp_print(out,
                 "# %s actions a frame have no time of their own:\n# the rest of the time of their passes is "
                 "in the last row\n",
                 pp_format_count(all, a_frame(a, (double)a->costs->untimed), 0));
    if (look->counter)
        pp_print(out,
                 a->costs->is_ratio ? "# Value: %s, mean by GPU time over all work that was asked for\n"
                                    : "# Value: %s, sum over all work that was asked for\n",
                 look->counter);
    pp_print(out, "#%7s%8s  %s %s %8s%s  %c%s\n#\n", "Total", "Self", "self", unit->name, "actions",
             look->counter ? "        Value" : "", what[a->by][0] - 'a' + 'A', what[a->by] + 1);
}

int
pp_annotation_print(FILE *out, const struct pp_annotation *a, const struct pp_annotation_look *look)
{
    size_t printed = 0, more = 0;
    double most = 0;
    int rc = 0;
    for (size_t i = 0; i < a->len; i++)
        most = fmax(most, a_frame(a, a->row[i].self_ns));
    const struct pp_time_unit *unit = pp_time_unit_for(most);
    print_head(out, a, look, unit);
    for (size_t i = 0; rc == 0 && i < a->len; i++) {
        if (a->row[i].heaviest == PP_NO_STACK || (look->takes && !look->takes(look->data, &a->row[i])))
            continue;
        if (printed++ < look->entries)
            rc = print_row(out, a, i, look, unit);
        else
            more++;
    }
    print_no_stack(out, a, look, unit);
    print_undivided(out, a, look, unit);
    if (more)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", more, pp_format_noun((double)more, "row", "rows"));
    return rc;
}

const char *
pp_annotation_why(enum pp_module_state state)
{
    static const char *const why[] = {[PP_MODULE_UNREAD] = NULL,
                                      [PP_MODULE_LINES] = NULL,
                                      [PP_MODULE_NO_LINES] = PP_TEXT_MODULE_NO_LINES,
                                      [PP_MODULE_STRIPPED] = PP_TEXT_MODULE_STRIPPED,
                                      [PP_MODULE_NO_FILE] = PP_TEXT_MODULE_NO_FILE,
                                      [PP_MODULE_OTHER] = PP_TEXT_MODULE_OTHER,
                                      [PP_MODULE_NO_ID] = PP_TEXT_MODULE_NO_ID,
                                      [PP_MODULE_BROKEN] = PP_TEXT_MODULE_BROKEN,
                                      [PP_MODULE_SLOW] = PP_TEXT_MODULE_SLOW};
    return (size_t)state < PP_ARRAY_SIZE(why) ? why[state] : NULL;
}

/* Did a function of this module issue work? */
static bool
issued_work(const struct pp_annotation *a, const struct pp_saved_module *module)
{
    for (size_t i = 0; i < a->len; i++)
        if (a->row[i].module == module->path && (a->row[i].self_ns > 0 || a->row[i].self_actions))
            return true;
    return false;
}

const struct pp_saved_module *
pp_annotation_lacking(const struct pp_annotation *a, const struct pp_saved_module *after)
{
    for (size_t i = after ? (size_t)(after - a->stacks->module) + 1 : 0; i < a->stacks->modules; i++)
        if (pp_annotation_why(a->stacks->module[i].state) && issued_work(a, &a->stacks->module[i]))
            return &a->stacks->module[i];
    return NULL;
}

void
pp_annotation_print_modules(FILE *out, const struct pp_annotation *a)
{
    const struct pp_saved_module *module = pp_annotation_lacking(a, NULL);
    if (module)
        pp_print(out, "#\n");
    for (; module; module = pp_annotation_lacking(a, module))
        pp_print(out, "# %s: %s\n", module->path, pp_annotation_why(module->state));
}

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
