/** @file
 * See diff_json.h. */
#include "cli/json/diff_json.h"

#include <math.h>
#include <stdlib.h>

#include "cli/text/json_values.h"

static const char *const kind_name[PP_DIFF_KINDS] = {
    [PP_DIFF_FRAME] = "frame",  [PP_DIFF_PASS] = "pass",   [PP_DIFF_REST] = "rest",
    [PP_DIFF_LABEL] = "label",  [PP_DIFF_DRAWS] = "draws", [PP_DIFF_COUNTER] = "counter",
    [PP_DIFF_METRIC] = "metric"};

static const char *const unit_name[] = {
    [PP_DIFF_NS] = "ns", [PP_DIFF_FPS] = "fps", [PP_DIFF_COUNT] = "", [PP_DIFF_PER_MINUTE] = "per_minute"};

static const char *const verdict_name[PP_DIFF_VERDICTS] = {
    [PP_DIFF_FASTER] = "faster",     [PP_DIFF_SLOWER] = "slower",  [PP_DIFF_SAME] = "same",
    [PP_DIFF_UNCLEAR] = "unclear",   [PP_DIFF_NEW] = "new",        [PP_DIFF_GONE] = "gone",
    [PP_DIFF_FEW_RUNS] = "few_runs", [PP_DIFF_EQUAL] = "equal",    [PP_DIFF_CHANGED] = "changed",
    [PP_DIFF_MISSING] = "missing",   [PP_DIFF_NO_VERDICT] = "none"};

static void
put_truth(json_t *object, const char *name, bool value)
{
    (void)!json_object_set_new(object, name, json_boolean(value));
}

static json_t *
counts_json(const struct pp_diff_row *row)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < row->counts; i++) {
        json_t *count = json_object();
        pp_json_put_text(count, "name", row->count[i].name);
        pp_json_put_number(count, "old", row->count[i].old_value);
        pp_json_put_number(count, "new", row->count[i].new_value);
        (void)!json_array_append_new(ret, count);
    }
    return ret;
}

/* How a limit of --fail-above names a row: "pass:shadow map:mean"; null: it cannot. @return NULL: no memory.
 */
static json_t *
figure_json(const struct pp_diff_row *row)
{
    char *text = pp_limit_figure_of(row);
    json_t *ret = text ? pp_json_text(text) : json_null();
    free(text);
    return ret;
}

static json_t *
row_json(const struct pp_diff_part *part, const struct pp_diff_row *row)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "kind", kind_name[row->kind]);
    pp_json_put_text(ret, "name", row->name);
    pp_json_put_text(ret, "id", row->id);
    pp_json_put_text(ret, "unit", unit_name[row->unit]);
    pp_json_put_text(ret, "stat", pp_diff_stat_name(row->stat));
    pp_json_put_number(ret, "old", row->old_value);
    pp_json_put_number(ret, "new", row->new_value);
    pp_json_put_number(ret, "change", row->change);
    pp_json_put_number(ret, "percent", row->percent);
    pp_json_put_number(ret, "low_percent", row->low_percent);
    pp_json_put_number(ret, "high_percent", row->high_percent);
    put_truth(ret, "interval_of_frames", row->interval_of_frames);
    put_truth(ret, "relative", row->relative);
    pp_json_put_number(ret, "relative_percent", row->relative_percent);
    pp_json_put_number(ret, "relative_low_percent", row->relative_low_percent);
    pp_json_put_number(ret, "relative_high_percent", row->relative_high_percent);
    pp_json_put_number(ret, "relative_visible_percent", row->relative_visible_percent);
    pp_json_put_number(ret, "p", row->p);
    pp_json_put_number(ret, "q", row->q);
    pp_json_put_number(ret, "old_runs", (double)row->old_runs);
    pp_json_put_number(ret, "new_runs", (double)row->new_runs);
    pp_json_put_number(ret, "runs_needed", row->runs_needed ? (double)row->runs_needed : (double)NAN);
    pp_json_put_number(ret, "visible_percent", row->visible_percent);
    put_truth(ret, "near_threshold", row->near_threshold);
    put_truth(ret, "chosen", row->chosen);
    put_truth(ret, "disturbed", row->disturbed);
    pp_json_put_text(ret, "verdict", verdict_name[row->verdict]);
    put_truth(ret, "decides", row->decides);
    (void)!json_object_set_new(
        ret, "limit",
        row->limit == PP_LIMIT_NOTHING ? json_null() : pp_json_text(pp_limit_state_name(row->limit)));
    (void)!json_object_set_new(ret, "figure", figure_json(row));
    put_truth(ret, "aligned", row->aligned);
    (void)!json_object_set_new(ret, "perhaps",
                               row->renamed == PP_DIFF_NO_ROW ? json_null()
                                                              : pp_json_text(part->row[row->renamed].name));
    (void)!json_object_set_new(ret, "counts", counts_json(row));
    return ret;
}

static json_t *
part_json(const struct pp_diff_part *part)
{
    json_t *ret = json_object(), *rows = json_array();
    pp_json_put_text(ret, "api", part->old_surface->api);
    pp_json_put_text(ret, "device", part->old_surface->device);
    pp_json_put_text(ret, "surface", part->old_surface->surface);
    pp_json_put_number(ret, "old_gpu_ns", part->old_gpu_ns);
    pp_json_put_number(ret, "new_gpu_ns", part->new_gpu_ns);
    for (size_t i = 0; i < part->len; i++)
        (void)!json_array_append_new(rows, row_json(part, &part->row[i]));
    (void)!json_object_set_new(ret, "rows", rows);
    return ret;
}

static json_t *
side_json(const struct pp_diff_side *side)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < side->runs; i++) {
        const struct pp_run_figures *run = &side->run[i];
        json_t *one = json_object();
        pp_json_put_text(one, "session", run->name);
        pp_json_put_text(one, "start", run->start);
        pp_json_put_text(one, "executable", run->executable);
        pp_json_put_text(one, "host", run->host);
        (void)!json_object_set_new(one, "tags",
                                   json_is_object(run->tags) ? json_deep_copy(run->tags) : json_object());
        pp_json_put_number(one, "frames", run->surface[0].frames);
        (void)!json_array_append_new(ret, one);
    }
    return ret;
}

static json_t *
how_json(const struct pp_diff *diff)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "stat", pp_diff_stat_name(diff->options.stat));
    (void)!json_object_set_new(ret, "metric",
                               diff->options.metric ? pp_json_text(diff->options.metric) : json_null());
    pp_json_put_number(ret, "threshold_percent", 100 * diff->options.threshold);
    pp_json_put_number(ret, "equivalence_percent", 100 * diff->options.equivalence);
    pp_json_put_number(ret, "alpha", diff->options.alpha);
    pp_json_put_number(ret, "min_ns", diff->options.min_ns);
    put_truth(ret, "pairs", diff->options.pairs);
    return ret;
}

static json_t *
finding_json(const struct pp_limit_finding *finding)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "kind", kind_name[finding->row->kind]);
    pp_json_put_text(ret, "name", finding->row->name);
    pp_json_put_text(ret, "id", finding->row->id);
    pp_json_put_text(ret, "surface", finding->part->new_surface->surface);
    pp_json_put_text(ret, "unit", unit_name[finding->row->unit]);
    pp_json_put_text(ret, "stat", pp_diff_stat_name(finding->row->stat));
    pp_json_put_number(ret, "old", finding->row->old_value);
    pp_json_put_number(ret, "new", finding->row->new_value);
    pp_json_put_number(ret, "worse", finding->worse);
    pp_json_put_text(ret, "state", pp_limit_state_name(finding->state));
    return ret;
}

/* The limits of --fail-above, and the rows that each is about. */
static json_t *
limits_json(const struct pp_limit_checks *checks)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < checks->limits; i++) {
        json_t *limit = json_object(), *rows = json_array();
        pp_json_put_text(limit, "limit", checks->limit[i].text);
        put_truth(limit, "relative", checks->limit[i].relative);
        pp_json_put_number(limit, "above", checks->limit[i].most);
        pp_json_put_text(limit, "state", pp_limit_state_name(checks->state[i]));
        (void)!json_object_set_new(limit, "note",
                                   checks->note[i] ? pp_json_text(checks->note[i]) : json_null());
        for (size_t k = 0; k < checks->findings; k++)
            if (checks->finding[k].limit == &checks->limit[i])
                (void)!json_array_append_new(rows, finding_json(&checks->finding[k]));
        (void)!json_object_set_new(limit, "rows", rows);
        (void)!json_array_append_new(ret, limit);
    }
    return ret;
}

json_t *
pp_diff_json_make(const struct pp_diff *diff, const struct pp_limit_checks *checks)
{
    json_t *ret = json_object(), *notes = json_array(), *parts = json_array();
    pp_json_put_text(ret, "format", "passprobe-diff");
    pp_json_put_number(ret, "schema", PP_DIFF_JSON_SCHEMA);
    (void)!json_object_set_new(ret, "old", side_json(diff->olds));
    (void)!json_object_set_new(ret, "new", side_json(diff->news));
    (void)!json_object_set_new(ret, "options", how_json(diff));
    put_truth(ret, "comparable", !diff->incomparable);
    put_truth(ret, "slower", pp_diff_slower(diff) != NULL);
    for (size_t i = 0; i < diff->notes; i++) {
        json_t *note = json_object();
        pp_json_put_text(note, "text", diff->note[i].text);
        put_truth(note, "refuses", diff->note[i].refuses);
        (void)!json_array_append_new(notes, note);
    }
    (void)!json_object_set_new(ret, "notes", notes);
    for (size_t p = 0; p < diff->parts; p++)
        (void)!json_array_append_new(parts, part_json(&diff->part[p]));
    (void)!json_object_set_new(ret, "surfaces", parts);
    (void)!json_object_set_new(ret, "limits", limits_json(checks));
    return ret;
}
