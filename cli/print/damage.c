/** @file
 * See damage.h. */
#include "cli/print/damage.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/message.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

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
