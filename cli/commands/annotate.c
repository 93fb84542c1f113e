/** @file
 * `passprobe annotate`: GPU time by function and source line of the application.
 * docs/formats/annotate.schema.json describes its JSON. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/analysis/annotation.h"
#include "cli/commands/commands.h"
#include "cli/commands/shown_session.h"
#include "cli/options/options.h"
#include "cli/print/annotation.h"
#include "cli/print/gaps.h"
#include "cli/session/frame_window.h"
#include "cli/session/session_json.h"
#include "cli/session/session_open.h"
#include "cli/symbols/session_symbols.h"
#include "cli/text/json_values.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "pp_options.h"
#include "pp_texts.h"

/* Version of the format. It rises when a member is added. */
#define PP_ANNOTATION_JSON_SCHEMA 2

static const char *const by_name[] = {"function", "line", "file", "module"};
static const char *const measure_name[] = {[PP_DRAWS_BY_INVOCATIONS] = "invocations",
                                           [PP_DRAWS_BY_VERTICES] = "vertices",
                                           [PP_DRAWS_BY_COUNT] = "draws"};

/* A GPU time, or null where it is not known. */
static void
put_cost(json_t *object, const char *name, const struct pp_annotation *a, double ns)
{
    pp_json_put_number(object, name, a->costs->measure == PP_DRAWS_BY_TIME ? ns : (double)NAN);
}

/* Work by the measure that replaces GPU times, if one does. */
static void
put_work(json_t *object, const char *name, const struct pp_annotation *a, double work)
{
    if (a->costs->measure != PP_DRAWS_BY_TIME)
        pp_json_put_number(object, name, work);
}

/* Callers of a row, or what it calls. */
static json_t *
neighbours_json(const struct pp_annotation *a, size_t row, bool callers)
{
    struct pp_annotated_neighbour *all = calloc(a->len + 1, sizeof(*all));
    json_t *ret = json_array();
    size_t len = 0;
    if (!all || pp_annotation_neighbours(a, row, callers, all, a->len + 1, &len)) {
        free(all);
        json_decref(ret);
        return NULL;
    }
    for (size_t i = 0; i < len; i++) {
        json_t *one = json_object();
        pp_json_put(one, "name",
                    all[i].row == PP_NO_ROW ? json_null() : pp_json_text(a->row[all[i].row].name));
        put_cost(one, "gpu_time_ns", a, all[i].ns);
        put_work(one, "work", a, all[i].ns);
        pp_json_append(ret, one);
    }
    free(all);
    return ret;
}

/* A number of actions, or null where actions were not recorded. */
static void
put_actions(json_t *object, const char *name, const struct pp_annotation *a, uint64_t actions)
{
    pp_json_put(object, name, a->costs->no_actions ? json_null() : json_integer((json_int_t)actions));
}

static json_t *
row_json(const struct pp_annotation *a, size_t i, const char *counter)
{
    const struct pp_annotated *row = &a->row[i];
    json_t *ret = json_object();
    pp_json_put_text(ret, "name", row->name);
    pp_json_put_known(ret, "function", row->function);
    pp_json_put_known(ret, "file", row->file);
    pp_json_put(ret, "line", row->line ? json_integer(row->line) : json_null());
    pp_json_put_known(ret, "module", row->module);
    pp_json_put_truth(ret, "inlined", row->inlined);
    put_cost(ret, "self_ns", a, pp_annotated_has_self(row) ? row->self_ns : (double)NAN);
    put_cost(ret, "total_ns", a, row->total_timed ? row->total_ns : (double)NAN);
    put_work(ret, "self_work", a, row->self_ns);
    put_work(ret, "total_work", a, row->total_ns);
    put_actions(ret, "self_actions", a, row->self_actions);
    put_actions(ret, "total_actions", a, row->total_actions);
    if (counter)
        pp_json_put_number(ret, "value", pp_annotated_value(a, row));
    pp_json_put(ret, "callers", neighbours_json(a, i, true));
    pp_json_put(ret, "callees", neighbours_json(a, i, false));
    return ret;
}

/* Has a stack an address of this module? */
static bool
has_address(const struct pp_call_stacks *stacks, size_t module)
{
    for (size_t i = 0; i < stacks->addresses; i++)
        if (stacks->address[i].module == module)
            return true;
    return false;
}

static json_t *
modules_json(const struct pp_annotation *a)
{
    static const char *const state[] = {[PP_MODULE_UNREAD] = "recorded",    [PP_MODULE_LINES] = "lines",
                                        [PP_MODULE_NO_LINES] = "functions", [PP_MODULE_STRIPPED] = "stripped",
                                        [PP_MODULE_NO_FILE] = "no_file",    [PP_MODULE_OTHER] = "other_build",
                                        [PP_MODULE_NO_ID] = "no_build_id",  [PP_MODULE_BROKEN] = "unreadable",
                                        [PP_MODULE_SLOW] = "too_slow"};
    json_t *ret = json_array();
    for (size_t i = 0; i < a->stacks->modules; i++) {
        const struct pp_saved_module *module = &a->stacks->module[i];
        if (!has_address(a->stacks, i))
            continue;
        json_t *one = json_object();
        pp_json_put_text(one, "path", module->path);
        pp_json_put_known(one, "build_id", module->build_id);
        pp_json_put_text(one, "symbols", state[module->state]);
        pp_json_append(ret, one);
    }
    return ret;
}

/* Make the JSON of an annotation.
 *
 * @param dir     Path of the session.
 * @param counter Name of the counter; NULL: none.
 * @param takes   Which rows; NULL: all.
 * @return A new reference; NULL: no memory. */
static json_t *
annotation_json_make(const struct pp_annotation *a, const char *dir, const char *counter,
                     bool (*takes)(void *data, const struct pp_annotated *row), void *data)
{
    json_t *ret = json_object(), *rows = json_array();
    pp_json_put_text(ret, "format", "passprobe-annotate");
    pp_json_put_number(ret, "schema", PP_ANNOTATION_JSON_SCHEMA);
    pp_json_put_text(ret, "session", dir);
    pp_json_put_text(ret, "by", by_name[a->by]);
    if (counter)
        pp_json_put_text(ret, "counter", counter);
    pp_json_put(ret, "frames", json_integer((json_int_t)a->costs->frames));
    bool by_time = a->costs->measure == PP_DRAWS_BY_TIME;
    if (!by_time)
        pp_json_put_text(ret, "measure", measure_name[a->costs->measure]);
    put_work(ret, "work", a, a->costs->total_ns);
    pp_json_put_number(ret, "gpu_time_ns", a->costs->gpu_ns);
    pp_json_put_number(ret, "gpu_time_with_stack_ns", by_time ? a->costs->stacked_ns : 0);
    if (a->costs->undivided_ns > 0)
        pp_json_put_number(ret, "gpu_time_undivided_ns", a->costs->undivided_ns);
    for (size_t i = 0; i < a->len; i++)
        if (a->row[i].heaviest != PP_NO_STACK && (!takes || takes(data, &a->row[i])))
            pp_json_append(rows, row_json(a, i, counter));
    pp_json_put(ret, "rows", rows);
    pp_json_put(ret, "modules", modules_json(a));
    return ret;
}

/** Functions of a target at most; those with the most GPU time are taken. */
#define PP_TARGET_FUNCTIONS 16U

/** A target. Begin with all zero: then it takes all rows. */
struct pp_annotation_target {
    const char *function[PP_TARGET_FUNCTIONS]; /**< names, borrowed from the annotation */
    size_t functions;
    const char *file; /**< path, borrowed from the annotation; NULL: the target is no file */
    uint32_t line;    /**< 0: all lines */
};

/* How a word may name a function, the best first. */
enum match { MATCH_WHOLE, MATCH_LAST, MATCH_PART, MATCHES };

static bool
names(const char *function, const char *word, enum match match)
{
    size_t len = strlen(function), wanted = strlen(word);
    if (!*function)
        return false;
    if (match == MATCH_WHOLE)
        return strcmp(function, word) == 0;
    if (match == MATCH_PART)
        return strstr(function, word);
    return len > wanted + 2 && strcmp(function + len - wanted, word) == 0 &&
           strncmp(function + len - wanted - 2, "::", 2) == 0;
}

static bool
has_function(const struct pp_annotation_target *target, const char *function)
{
    for (size_t i = 0; i < target->functions; i++)
        if (strcmp(target->function[i], function) == 0)
            return true;
    return false;
}

/* Does a path end with these parts? */
static bool
ends_with(const char *path, const char *end, size_t len)
{
    size_t path_len = strlen(path);
    if (!len || path_len < len || strncmp(path + path_len - len, end, len) != 0)
        return false;
    return path_len == len || *end == '/' || path[path_len - len - 1] == '/';
}

/* Find a file, and the line after its name. */
static bool
find_file(const struct pp_annotation *lines, const char *word, struct pp_annotation_target *ret)
{
    const char *colon = strrchr(word, ':');
    char *end = NULL;
    unsigned long line = colon && colon[1] >= '0' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
    bool lined = line > 0 && line <= UINT32_MAX && !*end;
    size_t len = lined ? (size_t)(colon - word) : strlen(word);
    for (size_t i = 0; i < lines->len && !ret->file; i++)
        if (lines->row[i].heaviest != PP_NO_STACK && ends_with(lines->row[i].file, word, len) &&
            (!lined || lines->row[i].line == line))
            ret->file = lines->row[i].file;
    ret->line = lined ? (uint32_t)line : 0;
    return ret->file;
}

/*
 * Find what a word means: a function by its whole name, by its name without namespaces and classes, or by a
 * part of its name; else a file by the end of its path, with ":LINE" after it or not.
 *
 * @param functions An annotation by function.
 * @param lines     An annotation by line.
 * @return Is there such a function or file?
 */
static bool
annotation_target_find(const struct pp_annotation *functions, const struct pp_annotation *lines,
                       const char *word, struct pp_annotation_target *ret)
{
    *ret = (struct pp_annotation_target){.functions = 0};
    for (int match = MATCH_WHOLE; *word && match < MATCHES && !ret->functions; match++) {
        for (size_t i = 0; i < functions->len && ret->functions < PP_TARGET_FUNCTIONS; i++) {
            const struct pp_annotated *row = &functions->row[i];
            if (row->heaviest != PP_NO_STACK && names(row->function, word, (enum match)match) &&
                !has_function(ret, row->function))
                ret->function[ret->functions++] = row->function;
        }
        if (match == MATCH_LAST && !ret->functions && find_file(lines, word, ret))
            return true; /* "draw.c" is rather a file than a part of a name */
    }
    return ret->functions;
}

/* Is a row of the target? @param target A struct pp_annotation_target. */
static bool
annotation_target_takes(void *data, const struct pp_annotated *row)
{
    const struct pp_annotation_target *target = data;
    if (target->file)
        return strcmp(row->file, target->file) == 0 && (!target->line || row->line == target->line);
    return !target->functions || has_function(target, row->function);
}

/* Sources of this many functions are printed if none is asked for. */
#define TOP_SOURCES 3U

/* What the command line says. Texts are borrowed from it. */
struct options {
    struct pp_window_given window;
    enum pp_annotate_sort ranked_by;
    const char *counter; /* of --sort; NULL: none */
    enum pp_annotate_by rows;
    const char *word[2]; /* session and target, or one of them; NULL: not given */
    PP_ANNOTATE_OPTIONS
};

/* What is annotated. */
struct annotated {
    const struct options *options;
    const char *word; /* the target; NULL: none */
    bool is_archive;
    struct pp_saved_session rec;
    struct pp_call_stacks stacks;
    struct pp_stack_costs costs;
    struct pp_annotation shown, functions, lines;
    struct pp_annotation_target target;
};

/* Keep only the line that was asked for. */
static void
keep_line(struct pp_source_costs *costs, uint32_t line)
{
    size_t len = 0;
    for (size_t i = 0; i < costs->len; i++)
        if (costs->line[i].line == line)
            costs->line[len++] = costs->line[i];
    costs->len = len;
}

/* Print the source of a function, or of a file. @param function NULL: of all functions. */
static int
print_source(const struct annotated *a, const char *file, const char *function)
{
    struct pp_source_costs costs = {.len = 0};
    const struct pp_source_places places = {.map = a->options->prefix_map.value,
                                            .maps = a->options->prefix_map.len,
                                            .only_mapped = a->is_archive || !pp_session_is_from_here(&a->rec),
                                            .recorded_s = pp_session_recorded_s(&a->rec)};
    int rc = pp_source_costs_make(&a->functions, file, function, &costs);
    if (rc == 0 && a->target.line)
        keep_line(&costs, a->target.line);
    if (rc == 0 && costs.len)
        pp_source_text_print(stdout, file, &costs, a->costs.total_ns, &places);
    free(costs.line);
    return rc;
}

/* Print the sources of the target, or of the functions with the most GPU time. */
static int
print_sources(struct annotated *a)
{
    size_t printed = 0;
    int rc = 0;
    if (a->target.file)
        return print_source(a, a->target.file, NULL);
    for (size_t i = 0; rc == 0 && i < a->functions.len && printed < TOP_SOURCES; i++) {
        const struct pp_annotated *row = &a->functions.row[i];
        if (!*row->file || !row->line || row->heaviest == PP_NO_STACK ||
            !annotation_target_takes(&a->target, row) ||
            (!a->word && !row->self_actions && row->self_ns <= 0))
            continue;
        rc = print_source(a, row->file, row->function);
        printed++;
    }
    return rc;
}

/* Print the table, the sources, and why symbols are missing. @return 0, -errno. */
static int
print_text(struct annotated *a)
{
    struct pp_annotation_look look = {.counter = a->options->counter,
                                      .entries = a->options->entries,
                                      .callers = a->options->callers || a->target.functions,
                                      .callees = a->options->callees || a->target.functions,
                                      .wrapper = PP_NO_ROW,
                                      .serialized = json_is_true(pp_saved_json(&a->rec, "options.serialize")),
                                      .takes = a->word ? annotation_target_takes : NULL,
                                      .data = &a->target};
    int rc = a->word || a->shown.by > PP_ANNOTATE_LINE ? 0 : pp_annotation_wrapper(&a->shown, &look.wrapper);
    look.callers = look.callers || look.wrapper != PP_NO_ROW;
    rc = rc ? rc : pp_annotation_print(stdout, &a->shown, &look);
    rc = rc ? rc : print_sources(a);
    pp_annotation_print_modules(stdout, &a->functions);
    return rc;
}

static int
print_json(struct annotated *a, const char *dir)
{
    json_t *json = annotation_json_make(&a->shown, dir, a->options->counter,
                                        a->word ? annotation_target_takes : NULL, &a->target);
    errno = EIO; /* if the system says nothing */
    int rc = !json ? -ENOMEM : json_dumpf(json, stdout, JSON_INDENT(1)) ? -errno : 0;
    if (rc == 0)
        puts("");
    json_decref(json);
    return rc;
}

/* Make the rows by function and by line, and those that are shown. @return 0, -ENOMEM; -ESRCH: there is no
 * such target. */
static int
make(struct annotated *a)
{
    struct pp_annotation_wanted wanted = {.by = PP_ANNOTATE_FUNCTION,
                                          .sort = a->options->ranked_by,
                                          .skip = a->options->skip_module.value,
                                          .skips = a->options->skip_module.len,
                                          .skip_function = a->options->skip_function.value,
                                          .skip_functions = a->options->skip_function.len};
    int rc = pp_annotation_make(&a->stacks, &a->costs, &wanted, &a->functions);
    wanted.by = PP_ANNOTATE_LINE;
    rc = rc ? rc : pp_annotation_make(&a->stacks, &a->costs, &wanted, &a->lines);
    if (rc == 0 && a->word && !annotation_target_find(&a->functions, &a->lines, a->word, &a->target))
        return -ESRCH;
    wanted.by = a->options->by_given ? a->options->rows
                : a->target.file     ? PP_ANNOTATE_LINE
                                     : PP_ANNOTATE_FUNCTION;
    return rc ? rc : pp_annotation_make(&a->stacks, &a->costs, &wanted, &a->shown);
}

/* Warn of patterns of --skip-function that no function matches. */
static void
warn_unmatched(const struct annotated *a)
{
    const struct pp_option_texts *skip = &a->options->skip_function;
    for (size_t i = 0; i < skip->len; i++) {
        bool any = false;
        for (size_t k = 0; !any && k < a->functions.len; k++)
            any = pp_annotation_function_matches(a->functions.row[k].function, skip->value[i]);
        if (!any)
            pp_message(PP_FORMAT_ANNOTATE_SKIP_FUNCTION, skip->value[i]);
    }
}

/* Print that there is no such target, and why, where symbols are missing. @return PP_EXIT_FAILED. */
static int
no_target(const struct annotated *a, const char *dir)
{
    const struct pp_saved_module *module = pp_annotation_lacking(&a->functions, NULL);
    if (!module)
        return pp_fail(PP_FORMAT_ANNOTATE_TARGET, dir, a->word);
    return pp_fail(PP_FORMAT_ANNOTATE_TARGET_WHY, dir, a->word, module->path,
                   pp_annotation_why(module->state));
}

/* Add up the costs, and print. @return Exit status. */
static int
annotate_stacks(struct annotated *a, const char *dir)
{
    const struct pp_stack_costs_wanted wanted = {.rank = true, .counter = a->options->counter};
    int rc = pp_stack_costs_read(&a->rec, &a->stacks, &wanted, &a->costs);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, dir, strerror(-rc));
    if (!a->costs.len)
        return pp_fail(PP_FORMAT_ANNOTATE_NO_WORK, dir);
    if (a->options->counter && !a->costs.has_counter)
        return pp_fail(PP_FORMAT_ANNOTATE_SORT, a->options->counter);
    rc = make(a);
    if (rc == -ESRCH)
        return no_target(a, dir);
    if (rc == 0)
        warn_unmatched(a);
    rc = rc ? rc : a->options->json ? print_json(a, dir) : print_text(a);
    if (rc == 0 && fflush(stdout))
        rc = -errno;
    return rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : 0;
}

/* Read the session's rows. @return Exit status; 0: the caller finishes a->rec. */
static int
read_rows(struct annotated *a, const struct pp_opened_session *session)
{
    struct pp_frame_window window;
    const char *wrong = pp_frame_window_parse(&a->options->window, &window);
    if (wrong)
        return pp_window_error_value(&a->options->window, wrong);
    int rc = pp_saved_read_window(session->fd, &window, a->options->window.between, &a->rec);
    if (rc == -ESRCH)
        return pp_fail(PP_FORMAT_REPORT_NO_MARKS, session->path, a->options->window.between);
    if (rc == -ENOENT)
        return pp_fail(PP_FORMAT_REPORT_NO_SESSION, session->path);
    if (rc)
        return pp_fail(PP_FORMAT_READ_BACK, session->path, strerror(-rc));
    if (!a->rec.window.any || !a->rec.frames || pp_saved_frames(&a->rec))
        return 0;
    int status = pp_window_error_missed(&a->rec, session->path);
    pp_saved_finish(&a->rec);
    return status;
}

static int
annotate_rows(struct annotated *a, const char *dir)
{
    char why[PP_CALL_STACKS_WHY], damage[PP_DAMAGE_MAX];
    const struct pp_debug_places places = {.folder = a->options->debug_dir.value,
                                           .folders = a->options->debug_dir.len,
                                           .debuginfod = a->options->debuginfod,
                                           .recorded_s = pp_session_recorded_s(&a->rec)};
    const char *damaged = pp_damage_find(&a->rec, damage, sizeof(damage));
    int rc = pp_session_symbols_read(&a->rec, &places, &a->stacks, why);
    if (rc == -ENOENT && !pp_saved_json(&a->rec, "stacks"))
        return pp_fail(PP_FORMAT_ANNOTATE_NO_STACKS, dir);
    if (rc)
        return pp_fail(PP_FORMAT_ANNOTATE_STACKS, dir, why);
    int status = annotate_stacks(a, dir);
    pp_annotation_finish(&a->functions);
    pp_annotation_finish(&a->lines);
    pp_annotation_finish(&a->shown);
    pp_stack_costs_finish(&a->costs);
    pp_call_stacks_finish(&a->stacks);
    return status || !damaged ? status : pp_fail(PP_FORMAT_REPORT_DAMAGED, dir, damaged, damage);
}

/* Is there a session at this path? */
static bool
is_session(const char *path)
{
    char why[PP_SESSION_OPEN_WHY];
    struct pp_opened_session session;
    if (pp_session_open(path, &session, why))
        return false;
    bool is = faccessat(session.fd, pp_saved_frames_file(session.fd), F_OK, 0) == 0;
    pp_session_close(&session);
    return is;
}

/* Open the session that both words name. @return Exit status. */
static int
open_first(const char *const *word, struct pp_opened_session *ret)
{
    char why[PP_SESSION_OPEN_WHY];
    int rc = pp_session_open(word[0], ret, why);
    if (rc == 0)
        return 0;
    return rc != -EPROTO && is_session(word[1]) ? pp_fail(PP_FORMAT_ANNOTATE_ORDER, word[1], word[0])
                                                : pp_fail("%s", why);
}

/* Open the session. One word alone is a session if it is one, and else a target. @return Exit status. */
static int
open_session(const struct options *options, struct pp_opened_session *ret, const char **ret_word)
{
    char why[PP_SESSION_OPEN_WHY];
    *ret_word = options->word[1];
    if (options->word[1])
        return open_first(options->word, ret);
    if (!options->word[0])
        return pp_session_open(options->word[0], ret, why) ? pp_fail("%s", why) : 0;
    int rc = pp_session_open(options->word[0], ret, why);
    if (rc == -EPROTO)
        return pp_fail("%s", why);
    if (rc == 0)
        return 0;
    *ret_word = options->word[0];
    return pp_session_open(NULL, ret, why) ? pp_fail("%s", why) : 0;
}

/* Take the options whose values are more than a text. @return Exit status. */
static int
take_values(struct options *o)
{
    o->entries = o->entries ? o->entries : SIZE_MAX;
    o->ranked_by = strcmp(o->sort, "self") == 0    ? PP_ANNOTATE_SELF
                   : strcmp(o->sort, "total") == 0 ? PP_ANNOTATE_TOTAL
                                                   : PP_ANNOTATE_COUNTER;
    if (o->ranked_by == PP_ANNOTATE_COUNTER)
        o->counter = o->sort;
    for (size_t i = 0; i < o->prefix_map.len; i++)
        if (!strchr(o->prefix_map.value[i], '='))
            return pp_fail(PP_FORMAT_ANNOTATE_MAP, o->prefix_map.value[i]);
    if (pp_annotate_by_parse(o->by, &o->rows))
        return 0;
    const char *near = pp_annotate_by_near(o->by);
    return near ? pp_fail(PP_FORMAT_ANNOTATE_BY_NEAR, o->by, near) : pp_fail(PP_FORMAT_ANNOTATE_BY, o->by);
}

int
pp_cmd_annotate(int argc, char **argv)
{
    struct options options = {.counter = NULL};
    static const struct pp_option rows[] = {PP_ANNOTATE_ROWS(struct options)};
    const struct pp_command_options own = {
        .name = "annotate", .usage = PP_TEXT_USAGE_ANNOTATE, .of = {{rows, PP_ARRAY_SIZE(rows), &options}}};
    struct pp_given_options given;
    struct pp_opened_session session;
    struct annotated a = {.options = &options};
    int read = pp_options_read(&own, argc, argv, &given);
    if (read)
        return read < 0 ? pp_fail("%s", given.error) : 0;
    if (given.words > 2)
        return pp_fail(PP_TEXT_ANNOTATE_TWO);
    for (int i = 0; i < given.words; i++)
        options.word[i] = given.word[i];
    int status = take_values(&options);
    status = status ? status : open_session(&options, &session, &a.word);
    if (status)
        return status;
    pp_shown_run_note(&session);
    a.is_archive = session.is_archive;
    status = read_rows(&a, &session);
    if (status == 0) {
        status = annotate_rows(&a, session.path);
        pp_saved_finish(&a.rec);
    }
    pp_session_close(&session);
    return status;
}
