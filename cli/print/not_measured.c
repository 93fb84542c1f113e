/** @file
 * See not_measured.h. */
#include "cli/print/not_measured.h"
#include "cli/session/session_missing.h"

#include <stdio.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
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
