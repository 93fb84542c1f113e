/** @file
 * See gaps.h. */
#include "cli/print/gaps.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/session/session_shown.h"
#include "cli/text/format.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define GROUPS_MOST   32U
#define NAMES_MOST    3U
#define COVERAGE_MOST (4 * PP_FORMATTED_MAX + 200)

static uint64_t
count_of(const json_t *statistics, const char *name)
{
    const json_t *number = json_object_get(statistics, name);
    return json_is_integer(number) && json_integer_value(number) > 0 ? (uint64_t)json_integer_value(number)
                                                                     : 0;
}

/* How many passes of a device have pipeline statistics? */
enum coverage { ALL_PASSES, SOME_PASSES, NO_PASS };

/* Find out how many passes of a device have pipeline statistics. @param text Set unless these are all passes:
 * the numbers. */
static enum coverage
coverage_of(const json_t *device, char *text, size_t size)
{
    const json_t *statistics = json_object_get(device, "statistics");
    uint64_t passes = count_of(statistics, "passes"), of = count_of(statistics, "of_passes");
    char some[PP_FORMATTED_MAX], all[PP_FORMATTED_MAX], frames[PP_FORMATTED_MAX], of_frames[PP_FORMATTED_MAX];
    if (passes >= of)
        return ALL_PASSES;
    pp_format_count(all, (double)of, 0);
    if (!passes) {
        snprintf(text, size, "none of %s %s has them", all, pp_format_noun((double)of, "pass", "passes"));
        return NO_PASS;
    }
    pp_format_count(some, (double)passes, 0);
    pp_format_count(frames, (double)count_of(statistics, "frames"), 0);
    pp_format_count(of_frames, (double)count_of(statistics, "of_frames"), 0);
    snprintf(text, size,
             "%s of %s passes have pipeline statistics; frames.csv has sums for the %s of %s frames in which "
             "all passes have them, passes.csv has the statistics of each pass",
             some, all, frames, of_frames);
    return SOME_PASSES;
}

static void
print_coverage(FILE *out, const struct pp_saved_session *rec)
{
    const json_t *devices = pp_saved_json(rec, "devices"), *device;
    char text[COVERAGE_MOST];
    size_t i;
    json_array_foreach(devices, i, device)
    {
        enum coverage coverage = coverage_of(device, text, sizeof(text));
        if (coverage == ALL_PASSES)
            continue;
        if (coverage == NO_PASS)
            pp_print(out, PP_TEXT_NOT_MEASURED " %s:", PP_TEXT_PIPELINE_STATISTICS);
        else
            pp_print(out, "   measured in part:");
        pp_print(out, "\n%16s", "");
        pp_format_wrap(out, 16, 16, text);
    }
}

/* Print in one line the first event of each reason, and whether statistics are incomplete. */
static void
print_names(FILE *out, const struct pp_saved_session *rec, const struct pp_saved_missing *missing,
            size_t count)
{
    const json_t *devices = pp_saved_json(rec, "devices"), *device;
    char text[NAMES_MOST * 60 + 200] = "", event[200], unused[COVERAGE_MOST];
    size_t more = count > GROUPS_MOST ? count - GROUPS_MOST : 0, d;
    bool part = false;
    for (size_t i = 0; i < count && i < GROUPS_MOST; i++) {
        if (i < NAMES_MOST)
            pp_format_append(text, sizeof(text), "%s%s", i ? ", " : "",
                             pp_format_name(event, sizeof(event), missing[i].event, 50));
        more += missing[i].events - (i < NAMES_MOST);
    }
    if (more)
        pp_format_append(text, sizeof(text), PP_FORMAT_AND_MORE, more);
    json_array_foreach(devices, d, device)
    {
        part |= coverage_of(device, unused, sizeof(unused)) != ALL_PASSES;
    }
    if (part)
        pp_format_append(text, sizeof(text), "%s%s", *text ? ", " : "", "some pipeline statistics");
    if (!*text)
        return;
    pp_format_append(text, sizeof(text), "%s", " (reasons: -v)");
    pp_print(out, " not measured: ");
    pp_format_wrap(out, 15, 1, text);
}

void
pp_not_measured_print(FILE *out, const struct pp_saved_session *rec, bool reasons)
{
    struct pp_saved_missing missing[GROUPS_MOST];
    size_t count = pp_saved_missing(rec, PP_SAVED_ALL_DEVICES, missing, GROUPS_MOST);
    char event[200];
    if (!reasons) {
        print_names(out, rec, missing, count);
        return;
    }
    for (size_t i = 0; i < count && i < GROUPS_MOST; i++) {
        pp_print(out, PP_TEXT_NOT_MEASURED " %s", pp_format_name(event, sizeof(event), missing[i].event, 50));
        if (missing[i].events > 1)
            pp_print(out, PP_FORMAT_AND_MORE, missing[i].events - 1);
        pp_print(out, ":\n%16s", "");
        pp_format_wrap(out, 16, 16, missing[i].reason);
    }
    print_coverage(out, rec);
    if (count > GROUPS_MOST)
        pp_print(out, "%s %zu further %s: see session.json\n", PP_TEXT_NOT_MEASURED, count - GROUPS_MOST,
                 pp_format_noun((double)(count - GROUPS_MOST), "event", "events"));
}

void
pp_not_measured_message(const struct pp_saved_session *rec)
{
    struct pp_saved_missing missing[GROUPS_MOST];
    size_t count = pp_saved_missing(rec, PP_SAVED_ALL_DEVICES, missing, GROUPS_MOST);
    for (size_t i = 0; i < count && i < GROUPS_MOST; i++) {
        if (missing[i].events > 1)
            pp_message(PP_FORMAT_MISSING_SEVERAL, missing[i].event, missing[i].events - 1, missing[i].reason);
        else
            pp_message(PP_FORMAT_MISSING_ONE, missing[i].event, missing[i].reason);
    }
    const json_t *devices = pp_saved_json(rec, "devices"), *device;
    char text[COVERAGE_MOST];
    size_t d;
    json_array_foreach(devices, d, device)
    {
        enum coverage coverage = coverage_of(device, text, sizeof(text));
        if (coverage == NO_PASS)
            pp_message(PP_FORMAT_MISSING_ONE, PP_TEXT_PIPELINE_STATISTICS, text);
        else if (coverage == SOME_PASSES)
            pp_message(PP_FORMAT_MISSING_IN_PART, text);
    }
    if (count > GROUPS_MOST)
        pp_message(PP_FORMAT_MISSING_MORE, count - GROUPS_MOST,
                   pp_format_noun((double)(count - GROUPS_MOST), "event", "events"));
}

/* A number of session.json; 0 where it is not there. */
static double
number_of(const struct pp_saved_session *rec, const char *path)
{
    const json_t *number = pp_saved_json(rec, path);
    return json_is_number(number) ? json_number_value(number) : 0;
}

/* Write ", 22 % of them", or nothing where the whole is not known. */
static void
put_share(char *out, size_t size, double part, double whole)
{
    out[0] = '\0';
    if (whole >= part && whole > 0)
        snprintf(out, size, part < whole / 10 ? ", %.2g %% of them" : ", %.0f %% of them",
                 100 * part / whole);
}

size_t
pp_losses_list(const struct pp_saved_session *rec, bool damage, char text[PP_LOSSES_MAX][PP_LOSS_TEXT])
{
    static const struct {
        const char *path, *one, *many;
        bool brackets; /* one a bracket */
    } loss[] = {
        {"dropped.frames", "frame was dropped", "frames were dropped", false},
        {"dropped.frames_incomplete", "frame lacks GPU results that did not arrive",
         "frames lack GPU results that did not arrive", false},
        {"dropped.kept_frames", "frame near a slow one without rows of passes and draws (too many waited)",
         "frames near slow ones without rows of passes and draws (too many waited)", false},
        {"dropped.coarser_frames",
         "frame is at level pass instead of draw because memory was short (--max-memory)",
         "frames are at level pass instead of draw because memory was short (--max-memory)", false},
        {"dropped.brackets", "GPU bracket was not measured because memory was short (--max-memory)",
         "GPU brackets were not measured because memory was short (--max-memory)", true},
        {"dropped.times_not_landed", "GPU time did not arrive", "GPU times did not arrive", true},
        {"dropped.times_rejected", "GPU time was rejected: it contradicts the CPU's clock",
         "GPU times were rejected: they contradict the CPU's clock", true},
        {"dropped.counters_lost", "result of a counter did not arrive", "results of counters did not arrive",
         false},
        {"dropped.counters_rejected", "result of a counter was rejected", "results of counters were rejected",
         false},
    };
    size_t lines = 0;
    char share[32];
    for (size_t i = 0; i < PP_ARRAY_SIZE(loss); i++) {
        double many = number_of(rec, loss[i].path);
        if (!(many > 0))
            continue;
        put_share(share, sizeof(share), many, loss[i].brackets ? number_of(rec, "counts.brackets") : 0);
        snprintf(text[lines++], PP_LOSS_TEXT, "%.0f %s%s", many,
                 pp_format_noun(many, loss[i].one, loss[i].many), share);
    }
    char what[PP_DAMAGE_MAX];
    const char *damaged = damage ? pp_damage_find(rec, what, sizeof(what)) : NULL;
    if (damaged)
        snprintf(text[lines++], PP_LOSS_TEXT, "the session %s: %.120s%s", damaged, what,
                 strlen(what) > 120 ? "..." : "");
    return lines;
}

const char *
pp_damage_error_text(int error)
{
    if (error == -EINVAL)
        return "not written by passprobe";
    if (error == -ENODATA)
        return "its first row is missing or cut";
    if (error == -ENOTSUP)
        return PP_TEXT_NOT_REGULAR;
    if (error == -EFBIG)
        return "too many surfaces";
    if (error == -EMSGSIZE)
        return "a row is larger than any that passprobe writes; this row and the rows after it are not read";
    return strerror(-error);
}

/* May a file that could not be read be whole? True for errors that do not come from its content. */
static bool
is_unread(int error)
{
    return error && error != -EINVAL && error != -ENODATA && error != -ENOTSUP && error != -ENOENT &&
           error != -EMSGSIZE;
}

/* Append what cannot be read back of one file; append nothing if that is no loss. */
static void
add_error(char *text, size_t size, const char *file, int error, int normal)
{
    if (error && error != normal)
        pp_format_append(text, size, "%s%s: %s", *text ? "; " : "", file, pp_damage_error_text(error));
}

static void
add_rows(char *text, size_t size, const char *file, double rows, const char *what)
{
    if (rows > 0)
        pp_format_append(text, size, "%s%s: %.15g %s %s", *text ? "; " : "", file, rows,
                         pp_format_noun(rows, "row", "rows"), what);
}

/* Since session.json has revisions, it never counts rows that the files do not have, and a frame's row is
 * written after its other rows. */
static bool
is_ordered(const struct pp_saved_session *rec)
{
    return rec->of_schema_2 || pp_saved_json(rec, "revision");
}

/* Can rows be compared with what session.json says of them? */
static bool
is_counted(const struct pp_saved_session *rec)
{
    return is_ordered(rec) || (rec->json && pp_saved_end(rec, NULL) == PP_SAVED_ENDED);
}

/* Rows of a file that session.json counts and the file does not have. A file that cannot be read is reported
 * for this reason already. */
static double
missing_rows(const struct pp_saved_session *rec, const char *count, uint64_t rows, int error)
{
    double written = json_number_value(pp_saved_json(rec, count));
    return is_counted(rec) && (error == 0 || error == -ENOENT) ? written - (double)rows : 0;
}

/* Rows of a file that frames.csv counts and the file does not have. A session that still runs may change
 * between the reading of two files; with --keep-slower-than, only some frames have rows. */
static double
missing_of_frames(const struct pp_saved_session *rec, double counted, double rows, int error)
{
    bool all_frames = rec->json && !(rec->keep_ns > 0);
    bool comparable = is_ordered(rec) && all_frames && !rec->in_use && !rec->frames_error;
    return comparable && (error == 0 || error == -ENOENT) ? counted - rows : 0;
}

double
pp_damage_missing_passes(const struct pp_saved_session *rec)
{
    if (rec->passes_unread)
        return 0;
    return fmax(missing_rows(rec, "counts.passes", rec->passes_rows, rec->passes_error),
                missing_of_frames(rec, rec->frames_passes, rec->framed_passes, rec->passes_error));
}

static double
missing_labels(const struct pp_saved_session *rec)
{
    return missing_rows(rec, "counts.labels", rec->labels_rows, rec->labels_error);
}

/* A stack may be counted before it is written: only a session that ended counts what was written. With
 * --keep-slower-than, stacks of frames without rows are counted, but never written. */
static double
missing_stacks(const struct pp_saved_session *rec)
{
    bool ended = rec->json && !(rec->keep_ns > 0) && pp_saved_end(rec, NULL) == PP_SAVED_ENDED;
    return ended ? missing_rows(rec, "stacks.count", rec->stacks_rows, rec->stacks_error) : 0;
}

/* Append the rows that draws.csv lacks. frames.csv does not count clears. */
static void
add_draws(const struct pp_saved_session *rec, char *text, size_t size)
{
    double rows = missing_rows(rec, "counts.draws", rec->draws_rows, rec->draws_error);
    double least = missing_of_frames(rec, rec->frames_actions, rec->framed_actions, rec->draws_error);
    if (least > rows && least > 0)
        pp_format_append(text, size, *text ? "; " PP_FORMAT_ROWS_AT_LEAST : PP_FORMAT_ROWS_AT_LEAST,
                         "draws.csv", least, pp_format_noun(least, "row", "rows"));
    else
        add_rows(text, size, "draws.csv", rows, PP_TEXT_ROWS_MISSING);
}

/* Append the rows that files lack. */
static void
add_missing(const struct pp_saved_session *rec, char *text, size_t size)
{
    double frames = json_number_value(pp_saved_json(rec, "counts.frames"));
    if (!rec->frames_error && is_counted(rec))
        add_rows(text, size, "frames.csv", frames - (double)rec->frames, PP_TEXT_ROWS_MISSING);
    add_rows(text, size, "passes.csv", pp_damage_missing_passes(rec), PP_TEXT_ROWS_MISSING);
    if (!rec->whole)
        return;
    add_draws(rec, text, size);
    add_rows(text, size, "labels.csv", missing_labels(rec), PP_TEXT_ROWS_MISSING);
    add_rows(text, size, "stacks.csv", missing_stacks(rec), PP_TEXT_ROWS_MISSING);
}

const char *
pp_damage_find(const struct pp_saved_session *rec, char *text, size_t size)
{
    /* From schema 2 on, passes.csv and labels.csv are there from the begin. */
    bool passes_needed = rec->of_schema_2 && pp_damage_missing_passes(rec) <= 0;
    bool labels_needed = rec->of_schema_2 && rec->whole && missing_labels(rec) <= 0;
    const struct {
        const char *file;
        int error, normal;
    } files[] = {{"frames.csv", rec->frames_error, 0},
                 {"passes.csv", rec->passes_error, passes_needed ? 0 : -ENOENT},
                 {"draws.csv", rec->draws_error, -ENOENT},
                 {"labels.csv", rec->labels_error, labels_needed ? 0 : -ENOENT},
                 {"stacks.csv", rec->stacks_error, missing_stacks(rec) <= 0 ? 0 : -ENOENT},
                 {"modules.csv", rec->modules_error, 0}};
    bool is_short = pp_saved_is_short(rec);
    bool ended = rec->json && pp_saved_end(rec, NULL) == PP_SAVED_ENDED;
    size_t unread = 0;
    *text = '\0';
    for (size_t i = 0; i < PP_ARRAY_SIZE(files); i++)
        if (is_unread(files[i].error) && ++unread)
            add_error(text, size, files[i].file, files[i].error, files[i].normal);
    size_t used = strlen(text);
    if (!rec->json && !is_short)
        pp_format_append(text, size, "%ssession.json: %s", *text ? "; " : "", rec->json_error);
    for (size_t i = 0; i < PP_ARRAY_SIZE(files); i++)
        if (!is_unread(files[i].error))
            add_error(text, size, files[i].file, files[i].error, files[i].normal);
    if (rec->wrong.cells)
        pp_format_append(
            text, size,
            "%s*.csv: %llu %s no number in a column of numbers, the first in %s, line %llu, column %zu",
            *text ? "; " : "", (unsigned long long)rec->wrong.cells,
            pp_format_noun((double)rec->wrong.cells, "cell has", "cells have"), rec->wrong.file,
            (unsigned long long)rec->wrong.line, rec->wrong.column);
    add_rows(text, size, "*.csv", (double)rec->bad_rows, "without a frame number");
    add_rows(text, size, "*.csv", (double)rec->damaged_rows, "with NUL bytes");
    add_missing(rec, text, size);
    if (ended && !rec->frames_error)
        add_rows(text, size, "the other files", (double)rec->early_rows, "of frames that frames.csv lacks");
    if (strlen(text) > used)
        return "is damaged";
    return unread > 0 ? "cannot be read completely" : NULL;
}

static void
print_left_out(const char *dir, const char *file, uint64_t rows, const char *why)
{
    if (rows)
        pp_message(PP_FORMAT_LEFT_OUT, dir, file, (unsigned long long)rows,
                   pp_format_noun((double)rows, PP_TEXT_ROW_WAS, PP_TEXT_ROWS_WERE), why);
}

void
pp_damage_print_left_out(const struct pp_saved_session *rec, const char *dir)
{
    print_left_out(dir, "passes.csv", rec->passes_left_out,
                   "too many different passes; do labels contain numbers?");
    print_left_out(dir, "draws.csv", rec->draws_left_out,
                   "too many different draws; do labels contain numbers?");
    print_left_out(dir, "labels.csv", rec->labels_left_out,
                   "too many different labels; do labels contain numbers?");
}

void
pp_damage_print(const struct pp_saved_session *rec, const char *dir)
{
    char text[PP_DAMAGE_MAX];
    const char *what = pp_damage_find(rec, text, sizeof(text));
    if (what)
        pp_message("%s %s: %s", dir, what, text);
    pp_damage_print_left_out(rec, dir);
}

/* Fill in how many rows agree. */
static void
set_agree(const json_t *runs_for, size_t merged, struct pp_runs_for_texts *ret)
{
    static const char *const file[] = {"draws.csv", "passes.csv", "frames.csv"};
    static const char *const noun[] = {"draws", "passes", "frames"};
    const json_t *agreement = json_object_get(runs_for, "agreement");
    bool differ = false;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file); i++) {
        const json_t *of = json_object_get(agreement, file[i]);
        json_int_t rows = json_integer_value(json_object_get(of, "rows"));
        json_int_t agree = json_integer_value(json_object_get(of, "agree"));
        if (rows <= 0 || agree < 0)
            continue;
        differ |= agree < rows;
        if (*ret->agree)
            pp_format_append(ret->agree, sizeof(ret->agree), ", ");
        pp_format_append(ret->agree, sizeof(ret->agree), "%llu of %llu %s", (unsigned long long)agree,
                         (unsigned long long)rows, noun[i]);
    }
    if (*ret->agree)
        pp_format_append(ret->agree, sizeof(ret->agree), " agree in all %zu runs%s", merged,
                         differ ? "; where they differ, cells are empty (reasons: runs_for in session.json)"
                                : "");
}

/* Fill in how many columns did not fit, of the file that lacks most of them. */
static void
set_columns(const json_t *runs_for, struct pp_runs_for_texts *ret)
{
    const json_t *left_out = json_object_get(runs_for, "columns_left_out");
    size_t most = 0;
    for (size_t i = 0; i < json_array_size(left_out); i++) {
        char name[128];
        const json_t *one = json_array_get(left_out, i);
        const char *file = json_string_value(json_object_get(one, "file"));
        size_t columns = json_array_size(json_object_get(one, "columns"));
        if (!file || columns <= most)
            continue;
        most = columns;
        snprintf(ret->columns, sizeof(ret->columns),
                 "%zu counters are missing in %s, because it has at most 4096 columns; name fewer events",
                 columns, pp_format_name(name, sizeof(name), file, 40));
    }
}

void
pp_runs_for_texts(const json_t *json, struct pp_runs_for_texts *ret)
{
    const json_t *runs_for = json_object_get(json, "runs_for");
    const json_t *runs = json_object_get(runs_for, "runs");
    const char *ended = json_string_value(json_object_get(runs_for, "ended"));
    size_t left_out = 0;
    *ret = (struct pp_runs_for_texts){.agree = ""};
    for (size_t i = json_array_size(runs); i-- > 0;) {
        char name[300];
        const char *why = json_string_value(json_object_get(json_array_get(runs, i), "left_out"));
        if (!why)
            continue;
        snprintf(ret->left_out, sizeof(ret->left_out), "run %zu of %zu is not merged: %s%s", i + 1,
                 json_array_size(runs), pp_format_name(name, sizeof(name), why, 70),
                 left_out ? PP_TEXT_RUNS_FOR_MORE : "");
        left_out++;
    }
    set_columns(runs_for, ret);
    if (ended)
        (void)pp_format_name(ret->ended, sizeof(ret->ended), ended, 120);
    if (json_array_size(runs) > left_out + 1)
        set_agree(runs_for, json_array_size(runs) - left_out, ret);
}

void
pp_runs_for_print(FILE *out, const json_t *json)
{
    struct pp_runs_for_texts texts;
    pp_runs_for_texts(json, &texts);
    const char *const text[] = {texts.agree, texts.left_out, texts.columns, texts.ended};
    for (size_t i = 0; i < PP_ARRAY_SIZE(text); i++) {
        if (!*text[i])
            continue;
        pp_print_char(out, ' ');
        pp_format_wrap(out, 1, 1, text[i]);
    }
}
