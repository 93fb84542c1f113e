/** @file
 * Fuzz target: a session directory's files, read and printed as `stat` and `report` do. The input is split at
 * its first bytes 0xff: session.json, frames.csv, passes.csv, draws.csv, labels.csv. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json/report_json.h"
#include "cli/print/gaps.h"
#include "cli/print/passes.h"
#include "cli/print/report.h"
#include "cli/print/report_forms.h"
#include "cli/session/saved_session.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The part up to the next 0xff. */
static size_t
part_length(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;
    return end ? (size_t)(end - data) : size;
}

/* The next part of what is left. */
static size_t
take(const uint8_t **data, size_t *size, const char **ret_text)
{
    size_t len = part_length(*data, *size);
    *ret_text = (const char *)*data;
    *data += len + (len < *size);
    *size -= len + (len < *size);
    return len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *null;
    if (!null)
        null = fopen("/dev/null", "w");
    struct pp_saved_session rec;
    const char *text[5];
    size_t len[5];
    size_t whole = size;
    memset(&rec, 0, sizeof(rec));
    for (size_t i = 0; i < 5; i++)
        len[i] = take(&data, &size, &text[i]);
    rec.json = json_loadb(text[0], len[0], JSON_REJECT_DUPLICATES, NULL);
    rec.window = pp_frame_window_recorded(pp_saved_json(&rec, "window"));
    if (whole % 3 == 0) {
        rec.window.any = true;
        rec.window.first = (double)(whole % 5);
    }
    double keep_ns = pp_saved_number(&rec, "options.keep_slower_than_ns");
    rec.keep_ns = keep_ns > 0 ? keep_ns : 0;
    (void)!pp_saved_read_frames(&rec, NULL, text[1], len[1]);
    (void)!pp_saved_read_draws(&rec, NULL, text[3], len[3]);
    (void)!pp_saved_read_passes(&rec, NULL, text[2], len[2]);
    (void)!pp_saved_read_labels(&rec, NULL, text[4], len[4]);
    const struct pp_view view = {.fold = whole % 2 == 0,
                                 .by = (enum pp_by)(whole % PP_BYS),
                                 .sort = (enum pp_sort)(whole % PP_SORTS),
                                 .pass = whole % 7 ? NULL : "*a*",
                                 .percent_limit = whole % 11 ? 0 : 5};
    const struct pp_summary_look look = {
        .dir = "passprobe.data", .end = "", .verbose = true, .view = whole % 2 ? NULL : &view};
    struct pp_pass_table table = {.len = 0};
    pp_summary_print(null, &rec, &look);
    if (pp_pass_table_make(&rec, &view, &table) == 0)
        pp_passes_print_long(null, &rec, &table, &view, SIZE_MAX);
    pp_pass_table_finish(&table);
    pp_draws_print_long(null, &rec, &view, whole % 13);
    (void)!pp_report_csv_write(null, &rec, &view);
    pp_labels_print(null, &rec, &view, SIZE_MAX);
    for (size_t i = 0; i < rec.surfaces; i++)
        pp_counters_print(null, &rec, &rec.surface[i], true);
    pp_counters_print_passes(null, &rec, SIZE_MAX);
    pp_not_measured_print(null, &rec, false);
    json_decref(pp_report_json_make(&rec, "passprobe.data", &view));
    pp_saved_finish(&rec);
    return 0;
}
