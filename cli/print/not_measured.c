/** @file
 * See not_measured.h. */
#include "cli/print/not_measured.h"
#include "cli/session/session_missing.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define GROUPS_MOST   32U
#define COVERAGE_MOST (4 * PP_TEXT_MAX + 200)

static uint64_t
count_of(const json_t *statistics, const char *name)
{
    const json_t *number = json_object_get(statistics, name);
    return json_is_integer(number) && json_integer_value(number) > 0 ? (uint64_t)json_integer_value(number)
                                                                     : 0;
}

/* Say which part of a device's work has pipeline statistics. @return false: all of it, or there are none.
 */
static bool
covers_part(const json_t *device, char *text, size_t size)
{
    const json_t *statistics = json_object_get(device, "statistics");
    uint64_t passes = count_of(statistics, "passes"), of = count_of(statistics, "of_passes");
    char some[PP_TEXT_MAX], all[PP_TEXT_MAX], frames[PP_TEXT_MAX], of_frames[PP_TEXT_MAX];
    if (passes >= of)
        return false;
    pp_text_count(some, (double)passes, 0);
    pp_text_count(all, (double)of, 0);
    pp_text_count(frames, (double)count_of(statistics, "frames"), 0);
    pp_text_count(of_frames, (double)count_of(statistics, "of_frames"), 0);
    snprintf(text, size, PP_FORMAT_COVERED, some, all, frames, of_frames);
    return true;
}

static void
print_coverage(FILE *out, const struct pp_saved_session *rec, const char *lead)
{
    const json_t *devices = pp_saved_json(rec, "devices"), *device;
    char text[COVERAGE_MOST];
    size_t i;
    json_array_foreach(devices, i, device)
    {
        if (!covers_part(device, text, sizeof(text)))
            continue;
        pp_print(out, "%s\n%s%*s", *lead ? PP_TEXT_IN_PART_REPORT : PP_TEXT_IN_PART, lead, *lead ? 4 : 16,
                 "");
        pp_text_wrap_behind(out, lead, strlen(lead) + (*lead ? 4 : 16), strlen(lead) + (*lead ? 4 : 16),
                            text);
    }
}

void
pp_not_measured_print(FILE *out, const struct pp_saved_session *rec, const char *lead)
{
    struct pp_saved_missing missing[GROUPS_MOST];
    size_t count = pp_saved_missing(rec, PP_SAVED_ALL_DEVICES, missing, GROUPS_MOST);
    size_t indent = *lead ? strlen(lead) + 4 : 16;
    char event[200];
    for (size_t i = 0; i < count && i < GROUPS_MOST; i++) {
        if (!i && !*lead)
            pp_print_char(out, '\n');
        pp_print(out, "%s %s", *lead ? PP_TEXT_NOT_MEASURED_REPORT : PP_TEXT_NOT_MEASURED,
                 pp_text_name(event, sizeof(event), missing[i].event, 50));
        if (missing[i].events > 1)
            pp_print(out, PP_FORMAT_AND_MORE, missing[i].events - 1);
        pp_print(out, ":\n%s%*s", lead, (int)(indent - strlen(lead)), "");
        pp_text_wrap_behind(out, lead, indent, indent, missing[i].reason);
    }
    print_coverage(out, rec, lead);
    if (count > GROUPS_MOST)
        pp_print(out, PP_FORMAT_MISSING_FURTHER "\n",
                 *lead ? PP_TEXT_NOT_MEASURED_REPORT : PP_TEXT_NOT_MEASURED, count - GROUPS_MOST,
                 pp_text_noun((double)(count - GROUPS_MOST), "event", "events"));
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
        if (covers_part(device, text, sizeof(text)))
            pp_message(PP_FORMAT_MISSING_IN_PART, text);
    }
    if (count > GROUPS_MOST)
        pp_message(PP_FORMAT_MISSING_MORE, count - GROUPS_MOST,
                   pp_text_noun((double)(count - GROUPS_MOST), "event", "events"));
}

static const char *
error_text(int error)
{
    if (error == -EINVAL)
        return PP_TEXT_NOT_OURS;
    if (error == -ENOTSUP)
        return PP_TEXT_NOT_REGULAR;
    if (error == -EFBIG)
        return PP_TEXT_MANY_SURFACES;
    if (error == -EMSGSIZE)
        return PP_TEXT_LARGE_ROW;
    return strerror(-error);
}

/* May a file that could not be read be whole? True for errors that do not come from its content. */
static bool
is_unread(int error)
{
    return error && error != -EINVAL && error != -ENOTSUP && error != -ENOENT && error != -EMSGSIZE;
}

/* Append what cannot be read back of one file; append nothing if that is no loss. */
static void
add_error(char *text, size_t size, const char *file, int error, int normal)
{
    if (error && error != normal)
        pp_text_append(text, size, "%s%s: %s", *text ? "; " : "", file, error_text(error));
}

static void
add_rows(char *text, size_t size, const char *file, double rows, const char *what)
{
    if (rows > 0)
        pp_text_append(text, size, "%s%s: %.0f %s %s", *text ? "; " : "", file, rows,
                       pp_text_noun(rows, "row", "rows"), what);
}

/* Rows of a file that session.json counts and the file does not have. A file that cannot be read is reported
 * for this reason already. */
static double
missing_rows(const struct pp_saved_session *rec, const char *count, uint64_t rows, int error)
{
    double written = json_number_value(pp_saved_json(rec, count));
    return error == 0 || error == -ENOENT ? written - (double)rows : 0;
}

double
pp_damage_missing_passes(const struct pp_saved_session *rec)
{
    return missing_rows(rec, "counts.passes", rec->passes_rows, rec->passes_error);
}

const char *
pp_damage_find(const struct pp_saved_session *rec, char *text, size_t size)
{
    const struct {
        const char *file;
        int error, normal;
    } files[] = {{"frames.csv", rec->frames_error, 0},
                 {"passes.csv", rec->passes_error, -ENOENT},
                 {"draws.csv", rec->draws_error, -ENOENT},
                 {"labels.csv", rec->labels_error, -ENOENT}};
    bool is_short = pp_saved_is_short(rec);
    bool ended = rec->json && pp_saved_end(rec, NULL) == PP_SAVED_ENDED;
    double written = json_number_value(pp_saved_json(rec, "counts.frames"));
    size_t unread = 0;
    *text = '\0';
    for (size_t i = 0; i < PP_ARRAY_SIZE(files); i++)
        if (is_unread(files[i].error) && ++unread)
            add_error(text, size, files[i].file, files[i].error, files[i].normal);
    size_t used = strlen(text);
    if (!rec->json && !is_short)
        pp_text_append(text, size, "%ssession.json: %s", *text ? "; " : "", rec->json_error);
    for (size_t i = 0; i < PP_ARRAY_SIZE(files); i++)
        if (!is_unread(files[i].error))
            add_error(text, size, files[i].file, files[i].error, files[i].normal);
    add_rows(text, size, "*.csv", (double)rec->bad_rows, PP_TEXT_ROWS_UNNUMBERED);
    add_rows(text, size, "*.csv", (double)rec->damaged_rows, PP_TEXT_ROWS_NUL);
    /* With revisions, session.json never counts rows that the files do not have. */
    bool exact = pp_saved_json(rec, "revision") != NULL;
    if ((ended || exact) && !rec->frames_error)
        add_rows(text, size, "frames.csv", written - (double)pp_saved_frames(rec), "missing");
    if (ended || exact)
        add_rows(text, size, "passes.csv", pp_damage_missing_passes(rec), "missing");
    if ((ended || exact) && rec->whole)
        add_rows(text, size, "draws.csv",
                 missing_rows(rec, "counts.draws", rec->draws_rows, rec->draws_error), "missing");
    if (ended && !rec->frames_error)
        add_rows(text, size, PP_TEXT_FILES_OTHERS, (double)rec->early_rows, PP_TEXT_ROWS_EARLY);
    if (strlen(text) > used)
        return PP_TEXT_IS_DAMAGED;
    return unread > 0 ? PP_TEXT_IS_INCOMPLETE : NULL;
}

static void
print_left_out(const char *dir, const char *file, uint64_t rows, const char *why)
{
    if (rows)
        pp_message(PP_FORMAT_LEFT_OUT, dir, file, (unsigned long long)rows,
                   pp_text_noun((double)rows, PP_TEXT_ROW_WAS, PP_TEXT_ROWS_WERE), why);
}

void
pp_left_out_print(const struct pp_saved_session *rec, const char *dir)
{
    print_left_out(dir, "passes.csv", rec->passes_left_out, PP_TEXT_MANY_PASSES);
    print_left_out(dir, "draws.csv", rec->draws_left_out, PP_TEXT_MANY_DRAWS);
    print_left_out(dir, "labels.csv", rec->labels_left_out, PP_TEXT_MANY_LABELS);
}

void
pp_damage_print(const struct pp_saved_session *rec, const char *dir)
{
    char text[PP_DAMAGE_MAX];
    const char *what = pp_damage_find(rec, text, sizeof(text));
    if (what)
        pp_message("%s %s: %s", dir, what, text);
    pp_left_out_print(rec, dir);
}
