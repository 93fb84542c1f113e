/** @file
 * See report_json.h. */
#include "cli/json/report_json.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/analysis/slow_frames.h"
#include "cli/analysis/summary.h"
#include "cli/print/gaps.h"
#include "cli/print/passes.h"
#include "cli/session/row_reader.h"
#include "cli/session/saved_session.h"
#include "cli/session/session_json.h"
#include "cli/session/session_shown.h"
#include "cli/text/json_values.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"

/** Groups of draws of a surface at most: those with the largest totals. */
#define PP_JSON_DRAW_GROUPS 128U

static void
put_means(json_t *object, char *const *name, const struct pp_saved_sum *sum, size_t sums)
{
    for (size_t i = 0; sum && i < sums; i++)
        if (sum[i].rows)
            pp_json_put(object, name[i], pp_json_number(sum[i].sum / (double)sum[i].rows));
}

/* A size, a count of layers or of samples: 0 is not known. */
static void
put_size(json_t *object, const char *name, uint32_t size)
{
    pp_json_put_number(object, name, size ? size : (double)NAN);
}

/* A pass with its figures and counters. @param title As tables print it; NULL: without. @return A new
 * reference. */
static json_t *
json_pass(const struct pp_saved_session *rec, const struct pp_pass_figures *row, const char *title)
{
    struct pp_pass_figures made = *row;
    json_t *counters = json_object();
    put_means(counters, rec->pass_counter, row->pass->count, rec->pass_counters);
    put_means(counters, rec->pass_metric, row->pass->metric, rec->pass_metrics);
    made.counters = counters;
    made.title = title;
    json_t *ret = pp_columns_json(&pp_pass_columns, &made, PP_IN_JSON | PP_IN_DATA);
    json_decref(counters);
    return ret;
}

/* Add the size of a surface, as its passes have it: the members `width` and `height`. They are those of the
 * last pass in the frame that renders in most frames; null: not known. */
static void
json_put_size(json_t *surface, const struct pp_pass_table *passes)
{
    const struct pp_saved_pass *last = NULL;
    for (size_t i = 0; i < passes->len; i++) {
        const struct pp_saved_pass *pass = passes->row[i].pass;
        if (pass->surface != PP_SAVED_NO_SURFACE && pass->width && pass->height &&
            passes->row[i].per_frame > 0.5 && strcmp(pass->kind, "render") == 0 &&
            (!last || pass->place > last->place))
            last = pass;
    }
    put_size(surface, "width", last ? last->width : 0);
    put_size(surface, "height", last ? last->height : 0);
}

/* Add the draws of the surface that the session shows, by shader program or pipeline: the member
 * `draw_groups`. @retval 0, -ENOMEM. */
static int
json_put_draw_groups(json_t *surface, struct pp_saved_session *rec)
{
    const struct pp_view view = {.by = PP_BY_PROGRAM};
    struct pp_draw_tables tables;
    json_t *list = json_array();
    int rc = pp_draw_tables_make(rec, &view, SIZE_MAX, &tables);
    for (size_t t = 0; rc == 0 && t < tables.len; t++)
        for (size_t i = 0; i < tables.table[t].len && json_array_size(list) < PP_JSON_DRAW_GROUPS; i++)
            pp_json_append(list, pp_columns_json(&pp_draw_columns, &tables.table[t].row[i], PP_IN_JSON));
    pp_draw_tables_finish(&tables);
    pp_json_put(surface, "draw_groups", list);
    return rc;
}

#define GROUPS_MOST   256U
#define TITLE_SIZE    4096U /* bytes of a title */
#define TITLE_COLUMNS 900U

/* Copy members of session.json that are objects, as they are. */
static void
put_copy(json_t *object, const char *name, const json_t *value)
{
    json_t *copy = json_is_object(value) ? json_deep_copy(value) : json_object();
    pp_json_put(object, name, copy);
}

static json_t *
histogram_json(const struct pp_surface_summary *of)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < PP_HISTOGRAM_BINS && of->histogram.from_ns[1] > 0; i++) {
        json_t *bin = json_object();
        pp_json_put_number(bin, "from_ns", of->histogram.from_ns[i]);
        pp_json_put_number(bin, "to_ns",
                           i + 1 < PP_HISTOGRAM_BINS ? of->histogram.from_ns[i + 1] : (double)NAN);
        pp_json_put_number(bin, "frames", (double)of->histogram.frames[i]);
        pp_json_append(ret, bin);
    }
    return ret;
}

static json_t *
counters_json(const struct pp_saved_session *rec, const struct pp_saved_surface *s)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < rec->counters; i++) {
        struct pp_counter_figures of;
        if (pp_counter_figures_make(rec, s, i, &of))
            pp_json_append(ret, pp_columns_json(&pp_counter_columns, &of, PP_IN_JSON));
    }
    return ret;
}

static double
sum_of(const struct pp_saved_sum *sum)
{
    return sum->rows ? sum->sum : (double)NAN;
}

/* What a comparison of sessions needs besides: the driver, the size, counts. */
static void
put_more(json_t *object, const struct pp_surface_summary *of)
{
    const struct pp_saved_surface *s = of->surface;
    const struct pp_saved_times *cpu = &s->times[of->cpu_level];
    pp_json_put_text(object, "driver", pp_json_get_text(of->device, "driver"));
    pp_json_put_text(object, "api_version", pp_json_get_text(of->device, "api_version"));
    json_put_size(object, &of->passes);
    pp_json_put_number(object, "draws_per_frame", pp_saved_mean(&cpu->draws));
    pp_json_put_number(object, "usual_draws", pp_saved_usual(&cpu->usual_draws));
    pp_json_put_number(object, "dispatches_per_frame", pp_saved_mean(&cpu->dispatches));
    pp_json_put_number(object, "copies_per_frame", pp_saved_mean(&cpu->copies));
    pp_json_put_number(object, "pipelines_created", sum_of(&s->pipelines));
    pp_json_put_number(object, "pipeline_create_ns", sum_of(&s->pipeline_ns));
}

static json_t *
all_times_json(const struct pp_time_figures *times)
{
    json_t *ret = json_object();
    for (size_t i = 0; i < PP_TIME_KINDS; i++)
        pp_json_put(ret, pp_time_kind_name[i], pp_columns_json(&pp_time_columns, &times[i], PP_IN_JSON));
    return ret;
}

/* Figures without the frames that created pipelines; null: all frames are such ones, or none is. */
static json_t *
plain_json(const struct pp_plain_summary *plain)
{
    json_t *ret = json_object();
    if (!plain->left_out) {
        json_decref(ret);
        return json_null();
    }
    pp_json_put_number(ret, "left_out", (double)plain->left_out);
    pp_json_put_number(ret, "create_ns", plain->create_ns);
    pp_json_put_number(ret, "fps", plain->fps);
    pp_json_put_number(ret, "low_1_percent_fps", plain->low_1_fps);
    pp_json_put(ret, "times", all_times_json(plain->time));
    return ret;
}

/* The passes of a surface. @param texts Also their titles, as tables print them. */
static json_t *
passes_json(const struct pp_saved_session *rec, const struct pp_pass_table *table, bool texts)
{
    char title[TITLE_SIZE];
    json_t *ret = json_array();
    for (size_t i = 0; i < table->len; i++) {
        if (texts)
            pp_pass_title(title, sizeof(title), rec, table->row[i].pass, TITLE_COLUMNS);
        pp_json_append(ret, json_pass(rec, &table->row[i], texts ? title : NULL));
    }
    return ret;
}

/* The frames of a surface: rates, times, verdicts. */
static json_t *
surface_json(const struct pp_saved_session *rec, const struct pp_surface_summary *of, double share,
             bool texts)
{
    static const char *const level[PP_SAVED_LEVELS] = {"frame", "pass", "draw"};
    json_t *ret = json_object(), *bound = json_object();
    pp_json_put_text(ret, "api", of->surface->api);
    pp_json_put_text(ret, "device", of->surface->device);
    pp_json_put_text(ret, "surface", of->surface->surface);
    pp_json_put_truth(ret, "software", of->software);
    pp_json_put_number(ret, "frames", (double)of->surface->frames);
    pp_json_put_number(ret, "first_frame_ns",
                       of->surface->first_inside ? of->surface->first.frame_time : (double)NAN);
    pp_json_put_number(ret, "first_frames",
                       of->surface->first_inside ? (double)of->surface->first.frames : 0);
    pp_json_put_number(ret, "gpu_share_percent", 100 * share);
    pp_json_put_text(ret, "cpu_level", level[of->cpu_level]);
    pp_json_put_text(ret, "gpu_level", level[of->gpu_level]);
    pp_json_put_number(ret, "fps", of->fps);
    pp_json_put_number(ret, "low_1_percent_fps", of->low_1_fps);
    pp_json_put_number(ret, "low_01_percent_fps", of->low_01_fps);
    pp_json_put(ret, "times", all_times_json(of->time));
    pp_json_put(ret, "plain", plain_json(&of->plain));
    pp_json_put(ret, "histogram", histogram_json(of));
    for (size_t i = 0; i < PP_VERDICT_COUNT; i++)
        pp_json_put_number(bound, pp_saved_verdict_name((enum pp_verdict)i), (double)of->verdict[i]);
    pp_json_put(ret, "bound_by", bound);
    pp_json_put(ret, "passes", passes_json(rec, &of->passes, texts));
    pp_json_put(ret, "counters", counters_json(rec, of->surface));
    pp_json_put_slow_frames(ret, rec, of->index, texts);
    put_more(ret, of);
    return ret;
}

/* Which frames the figures of passes are of, where others are left out because of their level. */
static void
put_pass_level(json_t *surface, const struct pp_saved_surface *s)
{
    if (!s->other_level)
        return;
    pp_json_put_text(surface, "pass_level", s->pass_level == PP_SAVED_PASS ? "pass" : "draw");
    pp_json_put_number(surface, "pass_frames_left_out", (double)s->other_level);
}

static int
put_surfaces(json_t *object, struct pp_saved_session *rec, const struct pp_view *view)
{
    struct pp_view unfolded = *view;
    unfolded.fold = false;
    unfolded.by = PP_BY_USUAL;
    struct pp_surface_ranking ranking;
    struct pp_surface_summary of;
    json_t *list = json_array();
    int rc = pp_surfaces_rank(rec, &ranking);
    if (rc) {
        json_decref(list);
        return rc;
    }
    for (size_t i = 0; rc == 0 && i < ranking.len; i++) {
        rc = pp_surface_summary_make(rec, ranking.rank[i].index, i == 0, &unfolded, &of);
        if (rc)
            break;
        json_t *surface = surface_json(rec, &of, ranking.rank[i].share, view->texts);
        put_pass_level(surface, of.surface);
        rc = json_put_draw_groups(surface, rec);
        pp_json_append(list, surface);
        pp_surface_summary_finish(&of);
    }
    pp_surface_ranking_finish(&ranking);
    pp_json_put(object, "surfaces", list);
    return rc;
}

static int
put_labels(json_t *object, struct pp_saved_session *rec, const struct pp_view *view)
{
    char title[TITLE_SIZE];
    json_t *list = json_array();
    struct pp_label_table table;
    int rc = pp_label_table_make(rec, view, &table);
    for (size_t i = 0; rc == 0 && i < table.len; i++) {
        struct pp_label_figures *row = &table.row[i];
        if (view->texts)
            row->title = pp_saved_label_text(rec, row->label, row->label, title, sizeof(title));
        pp_json_append(list, pp_columns_json(&pp_label_columns, row, PP_IN_JSON | PP_IN_DATA));
    }
    if (rc == 0)
        pp_label_table_finish(&table);
    pp_json_put(object, "labels", list);
    return rc;
}

/* The window of frames that the figures describe. */
static void
put_window(json_t *object, const struct pp_saved_session *rec)
{
    const struct pp_frame_window *window = &rec->window;
    double first = (double)NAN, last = (double)NAN;
    json_t *ret = window->any ? json_object() : json_null();
    if (window->any) {
        pp_json_put_number(ret, "first_frame", window->first);
        pp_json_put_number(ret, "last_frame", window->last);
        pp_json_put_number(ret, "from_ns", window->from_ns);
        pp_json_put_number(ret, "to_ns", window->to_ns);
        pp_json_put_number(ret, "frames", (double)pp_saved_inside(rec, &first, &last));
        pp_json_put_number(ret, "of_frames", (double)rec->frames);
        pp_json_put_number(ret, "first_inside", first);
        pp_json_put_number(ret, "last_inside", last);
        pp_json_put_text(ret, "recorded", window->recorded);
    }
    pp_json_put(object, "window", ret);
}

/* With --keep-slower-than: which frames the figures of passes, draws and labels describe. */
static void
put_kept(json_t *object, const struct pp_saved_session *rec)
{
    bool any = rec->keep_ns > 0;
    json_t *ret = any ? json_object() : json_null();
    uint64_t frames = 0;
    for (size_t i = 0; i < rec->surfaces; i++)
        frames += rec->surface[i].measured;
    if (any) {
        pp_json_put_number(ret, "slower_than_ns", rec->keep_ns);
        pp_json_put_number(ret, "around", pp_saved_number(rec, "options.keep_around"));
        pp_json_put_number(ret, "frames", (double)frames);
    }
    pp_json_put(object, "kept", ret);
}

static void
put_missing(json_t *object, const struct pp_saved_session *rec)
{
    struct pp_saved_missing missing[GROUPS_MOST];
    size_t count = pp_saved_missing(rec, PP_SAVED_ALL_DEVICES, missing, GROUPS_MOST);
    json_t *list = json_array();
    for (size_t i = 0; i < count && i < GROUPS_MOST; i++) {
        json_t *row = json_object();
        pp_json_put_text(row, "event", missing[i].event);
        pp_json_put_text(row, "reason", missing[i].reason);
        pp_json_put_number(row, "events", (double)missing[i].events);
        pp_json_append(list, row);
    }
    pp_json_put(object, "not_measured", list);
}

static void
put_session_id(json_t *object, const struct pp_saved_session *rec)
{
    char id[PP_SESSION_ID_MAX];
    int rc = pp_session_id(rec->json, id);
    pp_json_put(object, "session_id", rc ? json_null() : json_string(id));
}

/* With --runs-for: how the runs agree; null: it is one run. */
static void
put_runs_for(json_t *object, const struct pp_saved_session *rec)
{
    const json_t *runs_for = pp_saved_json(rec, "runs_for");
    json_t *copy = json_is_object(runs_for) ? json_deep_copy(runs_for) : json_null();
    pp_json_put(object, "runs_for", copy);
}

/* What was lost, as `stat` prints it: a list of texts. */
static json_t *
losses_json(const struct pp_saved_session *rec)
{
    char losses[PP_LOSSES_MAX][PP_LOSS_TEXT];
    json_t *ret = json_array();
    size_t lost = pp_losses_list(rec, true, losses);
    for (size_t i = 0; i < lost; i++)
        pp_json_append(ret, pp_json_text(losses[i]));
    return ret;
}

json_t *
pp_report_json_make(struct pp_saved_session *rec, const char *dir, const struct pp_view *view)
{
    json_t *ret = json_object();
    pp_json_put_text(ret, "format", "passprobe-report");
    pp_json_put_number(ret, "schema", PP_REPORT_JSON_SCHEMA);
    pp_json_put_text(ret, "session", dir);
    put_session_id(ret, rec);
    pp_json_put_text(ret, "recorded_by", json_string_value(pp_saved_json(rec, "passprobe")));
    pp_json_put_text(ret, "ended", json_string_value(pp_saved_json(rec, "ended")));
    put_copy(ret, "program", pp_saved_json(rec, "program"));
    put_copy(ret, "host", pp_saved_json(rec, "host"));
    put_copy(ret, "options", pp_saved_json(rec, "options"));
    put_copy(ret, "tags", pp_saved_json(rec, "tags"));
    put_window(ret, rec);
    put_kept(ret, rec);
    int rc = put_surfaces(ret, rec, view);
    pp_saved_show(rec, PP_SAVED_NO_SURFACE); /* shares of labels count the passes of all surfaces */
    rc = rc ? rc : put_labels(ret, rec, view);
    put_missing(ret, rec);
    put_runs_for(ret, rec);
    put_copy(ret, "own_cost", pp_saved_json(rec, pp_cost_path(rec)));
    put_copy(ret, "dropped", pp_saved_json(rec, "dropped"));
    if (view->texts)
        pp_json_put(ret, "losses", losses_json(rec));
    if (rc == 0 && ret)
        return ret;
    json_decref(ret);
    return NULL;
}

int
pp_report_json_write(FILE *out, struct pp_saved_session *rec, const char *dir, const struct pp_view *view)
{
    json_t *report = pp_report_json_make(rec, dir, view);
    int rc = pp_json_write(out, report);
    json_decref(report);
    return rc;
}

/* A frame that is written. */
struct writing {
    const struct pp_saved_session *rec;
    const struct pp_slow_frames *slow;
    const struct pp_saved_frame *row;
};

/* The cells of the frame that were measured, with what is usual. */
static json_t *
cells_json(const struct writing *w)
{
    json_t *ret = json_array();
    for (size_t i = 0; i < PP_FRAME_CELLS + w->slow->table.extras; i++) {
        double value = pp_frame_cell(&w->slow->table, w->row, i);
        if (isnan(value) || i == PP_CELL_CPU_START || i == PP_CELL_GPU_START)
            continue;
        json_t *cell = json_object();
        pp_json_put_text(cell, "name", pp_frame_cell_name(&w->slow->table, i));
        pp_json_put_number(cell, "value", value);
        pp_json_put_number(cell, "usual",
                           i == PP_CELL_FRAME_TIME
                               ? w->slow->frame[0].usual_ns
                               : pp_baseline_usual(&w->slow->series, w->slow->frame[0].index, i, NULL));
        pp_json_append(ret, cell);
    }
    return ret;
}

/* The passes of the frame, in the order of passes.csv. */
static json_t *
passes_of_frame(const struct writing *w)
{
    json_t *ret = json_array();
    size_t passes = 0;
    const struct pp_near_pass *pass = pp_near_passes_of(&w->slow->near, w->slow->frame[0].frame, &passes);
    for (size_t i = 0; i < passes; i++) {
        json_t *row = json_object();
        pp_json_put_text(row, "id", pass[i].pass_id);
        pp_json_put_text(row, "name", pass[i].name);
        pp_json_put_text(row, "label", pass[i].at < w->rec->passes ? w->rec->pass[pass[i].at].label : "");
        pp_json_put_number(row, "gpu_start_ns", pass[i].start_ns);
        pp_json_put_number(row, "gpu_time_ns", pass[i].time_ns);
        pp_json_put_number(row, "usual_ns", pass[i].usual_ns);
        pp_json_append(ret, row);
    }
    return ret;
}

/* Write the frame that was looked at. */
static json_t *
frame_json(const struct writing *w, const char *dir)
{
    static const char *const level[PP_SAVED_LEVELS] = {"frame", "pass", "draw"};
    const struct pp_saved_surface *s = &w->rec->surface[w->row->surface];
    json_t *ret = json_object();
    pp_json_put_text(ret, "format", "passprobe-frame");
    pp_json_put_number(ret, "schema", PP_FRAME_JSON_SCHEMA);
    pp_json_put_text(ret, "session", dir);
    pp_json_put_text(ret, "api", s->api);
    pp_json_put_text(ret, "device", s->device);
    pp_json_put_text(ret, "surface", s->surface);
    pp_json_put_text(ret, "level", level[w->row->level]);
    pp_json_put_truth(ret, "is_slow", w->slow->found > 0);
    (void)!json_object_update_new(ret, pp_json_slow_frame(&w->slow->frame[0]));
    pp_json_put_number(ret, "slow_from_ns", w->slow->base.slow_ns);
    pp_json_put(ret, "cells", cells_json(w));
    pp_json_put(ret, "passes", passes_of_frame(w));
    return ret;
}

int
pp_frame_json_make(const struct pp_saved_session *rec, const char *dir, double frame, json_t **ret)
{
    struct pp_slow_frames *slow = calloc(1, sizeof(*slow));
    if (!slow)
        return -ENOMEM;
    int rc = pp_slow_frames_look_at(rec, frame, slow);
    if (rc == 0) {
        const struct writing w = {rec, slow, &slow->table.row[slow->series.row[slow->frame[0].index]]};
        *ret = frame_json(&w, dir);
        rc = *ret ? 0 : -ENOMEM;
    }
    pp_slow_frames_finish(slow);
    free(slow);
    return rc;
}

/* Members that no comparison reads, wherever they are. What is not named here stays. */
static const char *const left_out[] = {
    "at",           "bound_by",          "dropped",   "exclusive_ns", "first_frame_ns",
    "first_frames", "gpu_share_percent", "histogram", "inclusive_ns", "is_call",
    "max_frame",    "not_measured",      "own_cost",  "runs_for",     "share_percent",
    "slow_frames"};

/* Objects of session.json, and what a comparison reads of them. */
static const struct {
    const char *name;
    const char *member[4];
} kept[] = {{"program", {"executable", "start", "start_realtime_ns"}},
            {"host", {"name", "cpu", "kernel"}},
            {"options", {"level", "events", "serialize"}}};

static bool
is_left_out(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(left_out); i++)
        if (strcmp(name, left_out[i]) == 0)
            return true;
    return false;
}

/* Does a member say no more than one that is missing? Readers take what is missing as not known, empty or
 * false; only in_a_frame is true then. */
static bool
says_nothing(const char *name, const json_t *member)
{
    const char *text = json_string_value(member);
    return json_is_null(member) || (text && !*text) ||
           (json_is_object(member) && !json_object_size(member)) ||
           (json_is_false(member) && strcmp(name, "in_a_frame") != 0);
}

/* Copy a value without the members that are left out. @return A new reference; NULL: no memory. */
static json_t *
pruned(const json_t *value)
{
    const char *name = NULL;
    json_t *member = NULL;
    json_t *ret = json_is_object(value) ? json_object() : json_is_array(value) ? json_array() : NULL;
    if (!json_is_object(value) && !json_is_array(value))
        return json_deep_copy(value);
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        if (!says_nothing(name, member) && !is_left_out(name) &&
            json_object_set_new(ret, name, pruned(member)))
            goto drop;
    }
    for (size_t i = 0; i < json_array_size(value); i++)
        if (json_array_append_new(ret, pruned(json_array_get(value, i))))
            goto drop;
    return ret;
drop:
    json_decref(ret);
    return NULL;
}

/* Is the member of an object of session.json read? */
static bool
is_kept(size_t object, const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(kept[object].member); i++)
        if (kept[object].member[i] && strcmp(kept[object].member[i], name) == 0)
            return true;
    return false;
}

json_t *
pp_baseline_json_make(const json_t *report)
{
    json_t *ret = pruned(report);
    for (size_t i = 0; ret && i < PP_ARRAY_SIZE(kept); i++) {
        json_t *object = json_object_get(ret, kept[i].name), *member = NULL;
        const char *name = NULL;
        void *next = NULL;
        json_object_foreach_safe(object, next, name, member)
        {
            if (!is_kept(i, name))
                (void)json_object_del(object, name);
        }
    }
    return ret;
}

int
pp_baseline_json_write(FILE *out, const json_t *baseline)
{
    if (!baseline)
        return -ENOMEM;
    errno = EIO; /* if the system says nothing */
    if (json_dumpf(baseline, out, JSON_COMPACT | JSON_REAL_PRECISION(12)))
        return -errno;
    pp_print_char(out, '\n');
    return fflush(out) || ferror(out) ? -errno : 0;
}
