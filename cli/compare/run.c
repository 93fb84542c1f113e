/** @file
 * See run.h: from a report's JSON. cli/operands/ finds the JSON. */
#include "cli/compare/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/csv_read.h"
#include "cli/session/session_json.h"
#include "cli/text/json_values.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* A number; NaN: there is none, or it is one that only a damaged file has. */
static double
number(const json_t *object, const char *name)
{
    double value = pp_json_get_number(object, name);
    return fabs(value) <= PP_CELL_MOST ? value : (double)NAN;
}

static const char *
text(const json_t *object, const char *name)
{
    const char *value = pp_json_get_text(object, name);
    return value ? value : "";
}

static bool
truth(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

/* Comparisons for qsort() and bsearch(). */
static int
by_id_and_name(const void *a, const void *b)
{
    const struct pp_pass_figures *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    return order ? order : strcmp(x->name, y->name);
}

static int
by_path(const void *a, const void *b)
{
    const struct pp_label_figures *x = a, *y = b;
    return strcmp(x->label, y->label);
}

static int
by_counter(const void *a, const void *b)
{
    const struct pp_counter_figures *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int
by_group(const void *a, const void *b)
{
    const struct pp_draw_figures *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* How a list of the JSON is read: its rows have these columns, and its name is theirs. */
struct list {
    const struct pp_columns *columns;
    int (*order)(const void *a, const void *b);
};

static const struct list passes = {&pp_pass_columns, by_id_and_name};
static const struct list labels = {&pp_label_columns, by_path};
static const struct list counters = {&pp_counter_columns, by_counter};
static const struct list groups = {&pp_draw_columns, by_group};

/* Read a list of objects into a new array, and sort it. A list that is missing is empty.
 * @retval 0, -ENOMEM. @retval -EINVAL It is no list of objects, or too long. */
static int
list_take(const json_t *object, const struct list *of, void *ret_array, size_t *ret_len)
{
    const json_t *list = json_object_get(object, of->columns->name);
    size_t len = json_array_size(list), size = of->columns->row_size;
    if ((list && !json_is_array(list)) || len > PP_RUN_ROWS_MOST)
        return -EINVAL;
    char *array = calloc(len + 1, size);
    if (!array)
        return -ENOMEM;
    memcpy(ret_array, &array, sizeof(array));
    for (size_t i = 0; i < len; i++) {
        const json_t *element = json_array_get(list, i);
        if (!json_is_object(element))
            return -EINVAL;
        pp_columns_read(of->columns, element, array + i * size);
    }
    qsort(array, len, size, of->order);
    *ret_len = len;
    return 0;
}

static void
all_times_take(struct pp_time_figures *to, const json_t *times)
{
    for (size_t i = 0; i < PP_TIME_KINDS; i++)
        pp_columns_read(&pp_time_columns, json_object_get(times, pp_time_kind_name[i]), &to[i]);
}

/* Older summaries have no such figures. */
static void
plain_take(struct pp_run_surface *to, const json_t *plain)
{
    struct pp_run_plain *ret = &to->plain;
    if (!json_is_object(plain)) {
        *ret = (struct pp_run_plain){.fps = to->fps, .low_1_fps = to->low_1_fps};
        memcpy(ret->time, to->time, sizeof(ret->time));
        return;
    }
    *ret = (struct pp_run_plain){.left_out = fmax(0, number(plain, "left_out")), /* fmax() ignores NaN */
                                 .create_ns = fmax(0, number(plain, "create_ns")),
                                 .fps = number(plain, "fps"),
                                 .low_1_fps = number(plain, "low_1_percent_fps")};
    all_times_take(ret->time, json_object_get(plain, "times"));
}

static int
surface_take(struct pp_run_surface *to, const json_t *from)
{
    const json_t *times = json_object_get(from, "times");
    if (!json_is_object(from) || !json_is_object(times))
        return -EINVAL;
    *to = (struct pp_run_surface){
        .api = text(from, "api"),
        .device = text(from, "device"),
        .driver = text(from, "driver"),
        .api_version = text(from, "api_version"),
        .surface = text(from, "surface"),
        .cpu_level = text(from, "cpu_level"),
        .gpu_level = text(from, "gpu_level"),
        .software = truth(from, "software"),
        .width = number(from, "width"),
        .height = number(from, "height"),
        .frames = number(from, "frames"),
        .fps = number(from, "fps"),
        .low_1_fps = number(from, "low_1_percent_fps"),
        .low_01_fps = number(from, "low_01_percent_fps"),
        .slow_frames = number(from, "slow_frames_found"),
        .slow_frames_of_ns = number(from, "slow_frames_of_ns"),
        .draws = number(from, "draws_per_frame"),
        .usual_draws = number(from, "usual_draws"),
        .dispatches = number(from, "dispatches_per_frame"),
        .copies = number(from, "copies_per_frame"),
        .pipelines_created = number(from, "pipelines_created"),
        .pipeline_create_ns = number(from, "pipeline_create_ns"),
    };
    all_times_take(to->time, times);
    plain_take(to, json_object_get(from, "plain"));
    int rc = list_take(from, &passes, &to->pass, &to->passes);
    rc = rc ? rc : list_take(from, &counters, &to->counter, &to->counters);
    return rc ? rc : list_take(from, &groups, &to->draw, &to->draw_groups);
}

/* What the whole run has in common. */
static void
head_take(struct pp_run_figures *run)
{
    const json_t *json = run->json, *options = json_object_get(json, "options");
    const json_t *host = json_object_get(json, "host"), *program = json_object_get(json, "program");
    run->asked = "";
    run->host = text(host, "name");
    run->cpu = text(host, "cpu");
    run->kernel = text(host, "kernel");
    run->executable = text(program, "executable");
    run->start = text(program, "start");
    run->start_ns = number(program, "start_realtime_ns");
    run->level = text(options, "level");
    run->events = text(options, "events");
    run->serialize = truth(options, "serialize");
    run->tags = json_object_get(json, "tags");
    run->recorded_by = text(json, "recorded_by");
    run->ended = text(json, "ended");
    run->window = json_is_object(json_object_get(json, "window"));
    run->slower_ns =
        fmax(0, number(json_object_get(json, "kept"), "slower_than_ns")); /* fmax() ignores NaN */
}

static int
surfaces_take(struct pp_run_figures *run)
{
    const json_t *list = json_object_get(run->json, "surfaces");
    size_t len = json_array_size(list);
    if (!json_is_array(list) || len > PP_RUN_SURFACES_MOST)
        return -EINVAL;
    run->surface = calloc(len + 1, sizeof(*run->surface));
    if (!run->surface)
        return -ENOMEM;
    for (size_t i = 0; i < len; i++) {
        run->surfaces = i + 1;
        int rc = surface_take(&run->surface[i], json_array_get(list, i));
        if (rc)
            return rc;
    }
    return 0;
}

/* Is this JSON what `report --json` writes? A newer one has more members. */
static bool
is_report(const json_t *json)
{
    const json_t *schema = json_object_get(json, "schema");
    return json_is_object(json) && strcmp(text(json, "format"), "passprobe-report") == 0 &&
           json_is_integer(schema) && json_integer_value(schema) >= 1;
}

int
pp_run_figures_take(json_t *json, const char *name, struct pp_run_figures *ret, char *why)
{
    struct pp_run_figures run = {.json = json, .name = strdup(name)};
    char key[128];
    char wrong[160];
    int rc = run.name && json ? 0 : -ENOMEM;
    if (rc == 0 && !is_report(json)) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_REPORT, name);
        rc = -EINVAL;
    } else if (rc == 0 && pp_json_wrong_number(json, true, key, sizeof(key))) {
        snprintf(wrong, sizeof(wrong), PP_FORMAT_JSON_WRONG_NUMBER, key);
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_WRONG_NUMBER, name, wrong);
        rc = -EINVAL;
    } else if (rc == 0) {
        head_take(&run);
        rc = surfaces_take(&run);
        rc = rc ? rc : list_take(json, &labels, &run.label, &run.labels);
        if (rc == -EINVAL)
            snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_BROKEN_REPORT, name);
    }
    if (rc == 0 && !run.surfaces) {
        snprintf(why, PP_RUN_WHY, PP_FORMAT_DIFF_NO_FRAMES, name);
        rc = -EINVAL;
    }
    if (rc == -ENOMEM)
        snprintf(why, PP_RUN_WHY, "%s", PP_TEXT_OUT_OF_MEMORY);
    if (rc)
        pp_run_figures_finish(&run);
    else
        *ret = run;
    return rc;
}

const struct pp_pass_figures *
pp_run_find_pass(const struct pp_run_surface *surface, const char *id, const char *name)
{
    const struct pp_pass_figures key = {.id = id, .name = name};
    return bsearch(&key, surface->pass, surface->passes, sizeof(key), by_id_and_name);
}

bool
pp_run_pass_counts(const struct pp_pass_figures *pass)
{
    return pass->in_a_frame && pass->per_frame > 0;
}

const struct pp_pass_figures *
pp_run_find_cost(const struct pp_run_surface *surface, const char *id, const char *name, bool *ret_lacks)
{
    const struct pp_pass_figures *pass = surface ? pp_run_find_pass(surface, id, name) : NULL;
    bool counts = pass && pp_run_pass_counts(pass);
    *ret_lacks = !counts && surface && surface->passes;
    return counts ? pass : NULL;
}

const struct pp_label_figures *
pp_run_find_label(const struct pp_run_figures *run, const char *path)
{
    const struct pp_label_figures key = {.label = path};
    return bsearch(&key, run->label, run->labels, sizeof(key), by_path);
}

const struct pp_counter_figures *
pp_run_find_counter(const struct pp_run_surface *surface, const char *name)
{
    const struct pp_counter_figures key = {.name = name};
    return bsearch(&key, surface->counter, surface->counters, sizeof(key), by_counter);
}

const struct pp_draw_figures *
pp_run_find_draws(const struct pp_run_surface *surface, const char *name)
{
    const struct pp_draw_figures key = {.name = name};
    return bsearch(&key, surface->draw, surface->draw_groups, sizeof(key), by_group);
}

void
pp_run_figures_finish(struct pp_run_figures *run)
{
    for (size_t i = 0; i < run->surfaces; i++) {
        free(run->surface[i].pass);
        free(run->surface[i].counter);
        free(run->surface[i].draw);
    }
    free(run->surface);
    free(run->label);
    free(run->name);
    json_decref(run->json);
    *run = (struct pp_run_figures){.json = NULL};
}

const char *
pp_run_title(const struct pp_run_figures *run)
{
    return *run->asked ? run->asked : run->name;
}

int
pp_diff_side_append(struct pp_diff_side *side, struct pp_run_figures *run)
{
    int rc = pp_grow_array(&side->run, &side->cap, side->runs + 1, sizeof(*side->run));
    if (rc)
        return rc;
    side->run[side->runs++] = *run;
    *run = (struct pp_run_figures){.json = NULL};
    return 0;
}

void
pp_diff_side_finish(struct pp_diff_side *side)
{
    for (size_t i = 0; i < side->runs; i++)
        pp_run_figures_finish(&side->run[i]);
    free(side->run);
    *side = (struct pp_diff_side){.runs = 0};
}
