/** @file
 * See frame_json.h. */
#include "cli/json/frame_json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "cli/analysis/slow_frames.h"
#include "cli/json/json_values.h"
#include "cli/json/slow_json.h"

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
                           pp_baseline_usual(&w->slow->series, w->slow->frame[0].index, i, NULL));
        (void)!json_array_append_new(ret, cell);
    }
    return ret;
}

/* The passes of the frame, in the order of passes.csv. */
static json_t *
passes_json(const struct writing *w)
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
        (void)!json_array_append_new(ret, row);
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
    (void)!json_object_set_new(ret, "is_slow", json_boolean(w->slow->found > 0));
    (void)!json_object_update_new(ret, pp_json_slow_frame(&w->slow->frame[0]));
    pp_json_put_number(ret, "slow_from_ns", w->slow->base.slow_ns);
    (void)!json_object_set_new(ret, "cells", cells_json(w));
    (void)!json_object_set_new(ret, "passes", passes_json(w));
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
