/** @file
 * Summaries and answers of a database that `diff` reads: any bytes either are refused with a message, or give
 * figures that are compared with those of the same and of a fixed summary, without a number that the summary
 * lacks. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/diff.h"
#include "cli/json/diff_json.h"
#include "cli/operands/operands.h"
#include "cli/print/diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char fixed[] =
    "{\"format\":\"passprobe-report\",\"schema\":4,\"options\":{\"level\":\"pass\"},\"surfaces\":[{\"api\":"
    "\"gl\","
    "\"device\":\"d\",\"surface\":\"w\",\"times\":{\"frame_time\":{\"frames\":9,\"p50_ns\":5,\"mean_ns\":6},"
    "\"gpu_time\":{\"frames\":9,\"p50_ns\":4,\"mean_ns\":4}},\"passes\":[{\"id\":\"a\",\"name\":\"n\","
    "\"place\":0,"
    "\"per_frame\":1,\"p50_ns\":3,\"gpu_ns_per_frame\":3,\"attachments\":\"color0=RGBA8:clear/store\"},"
    "{\"id\":\"b\",\"name\":\"n\",\"place\":1,\"per_frame\":2,\"p50_ns\":1,\"gpu_ns_per_frame\":2}],"
    "\"counters\":["
    "{\"name\":\"c\",\"mean\":7}],\"draw_groups\":[{\"name\":\"p\",\"measure\":\"gpu_ns\",\"measure_per_"
    "frame\":1}]}],"
    "\"labels\":[{\"label\":\"l\",\"gpu_ns_per_frame\":2}]}";

/* Take a summary. @return Was it taken? */
static bool
take(const char *text, size_t size, struct pp_run_figures *ret)
{
    static char why[PP_RUN_WHY];
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    if (!json)
        return false;
    why[0] = '\0';
    int rc = pp_run_figures_take(json, "side", ret, why);
    assert(rc == 0 || (rc == -EINVAL && *why));
    return rc == 0;
}

static void
check(const struct pp_diff_row *row)
{
    assert(row->name && row->id && row->kind < PP_DIFF_KINDS && row->verdict < PP_DIFF_VERDICTS);
    assert(!isnan(row->old_value) || row->verdict == PP_DIFF_NEW || row->verdict == PP_DIFF_MISSING ||
           row->verdict == PP_DIFF_NO_VERDICT || row->kind == PP_DIFF_REST);
    assert(row->counts <= PP_DIFF_COUNTS_MOST);
}

static void
compare(const struct pp_diff_side *olds, const struct pp_diff_side *news)
{
    static FILE *out;
    static const struct pp_limit_checks unlimited;
    const struct pp_diff_look look = {.all = true, .most = 1000};
    struct pp_diff diff;
    if (!out)
        out = fopen("/dev/null", "w");
    assert(pp_diff_make(olds, news, &pp_diff_options_usual, &diff) == 0);
    for (size_t p = 0; p < diff.parts; p++)
        for (size_t i = 0; i < diff.part[p].len; i++)
            check(&diff.part[p].row[i]);
    json_t *json = pp_diff_json_make(&diff, &unlimited, false);
    assert(json);
    json_decref(json);
    pp_diff_print(out, &diff, &look);
    pp_diff_finish(&diff);
}

/* Take the bytes as the answer of a database. */
static void
take_rows(const uint8_t *data, size_t size)
{
    static char why[PP_RUN_WHY];
    struct pp_run_figures *run = NULL;
    size_t runs = 0;
    char *text = strndup((const char *)data, size);
    assert(text);
    why[0] = '\0';
    int rc = pp_fleet_rows_take("clickhouse://h/d", text, &run, &runs, why);
    assert(rc == 0 ? runs > 0 : *why);
    free(text);
    if (rc == 0) {
        const struct pp_diff_side side = {.run = run, .runs = runs};
        compare(&side, &side);
    }
    for (size_t i = 0; i < runs; i++)
        pp_run_figures_finish(&run[i]);
    free(run);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    take_rows(data, size);
    struct pp_run_figures given = {.json = NULL}, known = {.json = NULL};
    const struct pp_diff_side olds = {.run = &known, .runs = 1}, news = {.run = &given, .runs = 1};
    if (take((const char *)data, size, &given)) {
        bool taken = take(fixed, strlen(fixed), &known);
        assert(taken);
        compare(&olds, &news);
        compare(&news, &olds);
        compare(&news, &news);
        struct pp_run_figures three[3] = {given, known, given}, alike[3] = {given, given, given};
        const struct pp_diff_side mixed = {.run = three, .runs = 3}, equal = {.run = alike, .runs = 3};
        compare(&mixed, &equal);
        compare(&equal, &equal);
    }
    pp_run_figures_finish(&given);
    pp_run_figures_finish(&known);
    return 0;
}
