/** @file
 * What the rows mean that a database answers; see operands.h. */
#include "cli/operands/operands.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/summary.h"
#include "cli/compare/run.h"
#include "cli/push/server_answer.h"
#include "cli/text/json_values.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Runs that were read so far. */
struct fleet {
    const char *address;
    char asked[512];            /* the conditions in it, for the user */
    struct pp_run_figures *run; /* owned */
    size_t len, cap;
    char *why;
};

static int
give(struct fleet *fleet, int rc, const char *what)
{
    snprintf(fleet->why, PP_RUN_WHY, PP_FORMAT_DIFF_FLEET_FAILED, fleet->address, what);
    return rc;
}

/* A number of a list; NaN: it has none at this place. */
static double
number_at(const json_t *list, size_t i)
{
    return pp_json_value(json_array_get(list, i));
}

/* A text of a list; "": it has none at this place. */
static const char *
text_at(const json_t *list, size_t i)
{
    const char *value = json_string_value(json_array_get(list, i));
    return value ? value : "";
}

static void
put_share(json_t *to, const char *name, double sum, double of)
{
    pp_json_put_number(to, name, of > 0 ? sum / of : (double)NAN);
}

/* Figures of a pass, in the order of run_figures.sql, by their names in a report. */
static const char *const pass_figure[] = {"place",
                                          "width",
                                          "height",
                                          "layers",
                                          "samples",
                                          "count",
                                          "draws_per_frame",
                                          "dispatches_per_frame",
                                          "copies_per_frame",
                                          "gpu_ns_per_frame",
                                          "p5_ns",
                                          "p50_ns",
                                          "p95_ns",
                                          "p99_ns",
                                          "max_ns"};

/* Some of them. Sizes may be 0: not known. From draws to the sum of its times, SQL has sums of all frames. */
enum { WIDTH = 1, SAMPLES = 4, COUNT = 5, DRAWS = 6, SUM = 9 };

/* Make a pass of a report. @param figure Numbers of pass_figure[]. */
static json_t *
pass_of(const json_t *row, size_t i, const json_t *figure, double frames)
{
    static const char *const text[] = {"id", "kind", "name", "label", "attachments"};
    static const char *const list[] = {"pass_ids", "pass_kinds", "pass_names", "pass_labels",
                                       "pass_attachments"};
    json_t *pass = json_object();
    for (size_t t = 0; t < PP_ARRAY_SIZE(text); t++)
        pp_json_put_text(pass, text[t], text_at(json_object_get(row, list[t]), i));
    for (size_t f = 0; f < PP_ARRAY_SIZE(pass_figure); f++)
        if (f < WIDTH || f > SAMPLES || number_at(figure, f) > 0)
            put_share(pass, pass_figure[f], number_at(figure, f), f >= DRAWS && f <= SUM ? frames : 1);
    put_share(pass, "per_frame", number_at(figure, COUNT), frames);
    put_share(pass, "mean_ns", number_at(figure, SUM), number_at(figure, COUNT));
    return pass;
}

/* The kinds of times that run_figures.sql numbers. */
enum { ALL_FRAMES = 0, PLAIN_FRAMES = 6, PIPELINES = 12 };

/* Make the times of a report's surface. A percentile needs a whole frame beyond it.
 * @param list Of each kind of time: its number, frames, mean, p5, p50, p95, p99, max.
 * @param first ALL_FRAMES or PLAIN_FRAMES. */
static json_t *
times_of(const json_t *list, int first)
{
    static const char *const figure[] = {"frames", "mean_ns", "p5_ns", "p50_ns",
                                         "p95_ns", "p99_ns",  "max_ns"};
    json_t *times = json_object();
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i);
        double number = number_at(from, 0) - first;
        json_t *to = json_object();
        for (size_t f = 0; f < PP_ARRAY_SIZE(figure); f++)
            pp_json_put_number(to, figure[f], number_at(from, f + 1));
        if (!pp_low_enough(0.05, (size_t)fmin(1e9, fmax(0, number_at(from, 1)))))
            json_object_del(to, "p95_ns");
        if (!pp_low_enough(0.01, (size_t)fmin(1e9, fmax(0, number_at(from, 1)))))
            json_object_del(to, "p99_ns");
        if (number >= 0 && number < (double)PP_TIME_KINDS)
            json_object_set_new(times, pp_time_kind_name[(size_t)number], to);
        else
            json_decref(to);
    }
    return times;
}

/* Make the figures without the frames that created pipelines. @return null if no frame did, or most did. */
static json_t *
plain_of(const json_t *list, double frames)
{
    double left_out = 0, create_ns = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i);
        if (number_at(from, 0) >= PIPELINES) {
            left_out = number_at(from, 1);
            create_ns = left_out * number_at(from, 2);
        }
    }
    if (!(left_out > 0) || frames - left_out < left_out)
        return json_null();
    json_t *plain = json_object(), *times = times_of(list, PLAIN_FRAMES);
    double mean = json_number_value(json_object_get(json_object_get(times, "frame_time"), "mean_ns"));
    pp_json_put_number(plain, "left_out", left_out);
    pp_json_put_number(plain, "create_ns", create_ns);
    put_share(plain, "fps", 1e9, mean);
    json_object_set_new(plain, "times", times);
    return plain;
}

/* Make the one surface of a report. */
static json_t *
surface_of(const json_t *row)
{
    json_t *surface = json_object(), *passes = json_array();
    json_t *times = times_of(json_object_get(row, "times"), ALL_FRAMES);
    const json_t *figures = json_object_get(row, "pass_figures");
    const json_t *frame_time = json_object_get(times, "frame_time");
    double frames = json_number_value(json_object_get(frame_time, "frames"));
    double mean = json_number_value(json_object_get(frame_time, "mean_ns"));
    for (size_t i = 0; i < json_array_size(figures); i++)
        json_array_append_new(passes, pass_of(row, i, json_array_get(figures, i), frames));
    json_object_set(surface, "api", json_object_get(row, "api"));
    json_object_set(surface, "device", json_object_get(row, "gpu"));
    json_object_set(surface, "driver", json_object_get(row, "driver"));
    json_object_set_new(surface, "software",
                        json_boolean(pp_summary_is_software(pp_json_get_text(row, "gpu")) ||
                                     pp_summary_is_software(pp_json_get_text(row, "driver"))));
    pp_json_put_number(surface, "frames", frames);
    put_share(surface, "fps", 1e9, mean);
    json_object_set_new(surface, "times", times);
    json_object_set_new(surface, "plain", plain_of(json_object_get(row, "times"), frames));
    json_object_set_new(surface, "passes", passes);
    return surface;
}

/* Make an object of members of a row, each with another name: pairs of names, and NULL. */
static json_t *
part_of(const json_t *row, const char *const *names)
{
    json_t *ret = json_object();
    for (; names[0]; names += 2)
        json_object_set(ret, names[0], json_object_get(row, names[1]));
    return ret;
}

/* Make the JSON of a report from a row of the answer. */
static json_t *
report_of(const json_t *row)
{
    static const char *const program[] = {"executable", "program", "start_realtime_ns", "start_ns", NULL};
    static const char *const host[] = {"cpu", "cpu", NULL};
    static const char *const options[] = {"level", "level", "events", "events", NULL};
    static const char *const tags[] = {"build", "build", "scene", "scene", NULL};
    json_t *report = json_object(), *surfaces = json_array();
    json_array_append_new(surfaces, surface_of(row));
    pp_json_put_text(report, "format", "passprobe-report");
    json_object_set_new(report, "schema", json_integer(1));
    json_object_set(report, "session", json_object_get(row, "session_id"));
    json_object_set_new(report, "program", part_of(row, program));
    json_object_set_new(report, "host", part_of(row, host));
    json_object_set_new(report, "options", part_of(row, options));
    json_object_set_new(report, "tags", part_of(row, tags));
    json_object_set_new(report, "surfaces", surfaces);
    return report;
}

/* Append a run. @param line A row of the answer. */
static int
take_line(struct fleet *fleet, const char *line, size_t len)
{
    char name[PP_RUN_WHY];
    if (fleet->len == PP_RUN_FILE_RUNS_MOST) {
        snprintf(fleet->why, PP_RUN_WHY, PP_FORMAT_DIFF_RUNS_MOST, fleet->address, PP_RUN_FILE_RUNS_MOST);
        return -E2BIG;
    }
    if (pp_grow_array(&fleet->run, &fleet->cap, fleet->len + 1, sizeof(*fleet->run)))
        return give(fleet, -ENOMEM, strerror(ENOMEM));
    json_t *row = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(row)) {
        json_decref(row);
        return give(fleet, -EINVAL, PP_TEXT_PUSH_ANSWER_ODD);
    }
    const char *id = json_string_value(json_object_get(row, "session_id"));
    snprintf(name, sizeof(name), PP_FORMAT_DIFF_FLEET_RUN, fleet->address, id ? id : "?");
    json_t *report = report_of(row);
    json_decref(row);
    pp_json_put_text(report, "asked", fleet->asked);
    struct pp_run_figures *run = &fleet->run[fleet->len];
    int rc = pp_run_figures_take(report, name, run, fleet->why);
    if (rc)
        return rc;
    const char *asked = pp_json_get_text(run->json, "asked");
    run->asked = asked ? asked : "";
    fleet->len++;
    return 0;
}

/* Runs of several GPUs or drivers are no sample of one thing. */
static int
check_alike(struct fleet *fleet, const struct pp_run_surface *a, const struct pp_run_surface *b)
{
    bool gpu = strcmp(a->device, b->device) != 0;
    if (!gpu && strcmp(a->driver, b->driver) == 0)
        return 0;
    snprintf(fleet->why, PP_RUN_WHY, PP_FORMAT_DIFF_FLEET_MIXED, fleet->address, gpu ? a->device : a->driver,
             gpu ? b->device : b->driver, gpu ? "gpu" : "driver");
    return -EINVAL;
}

/* Take all rows of an answer. */
static int
take_answer(struct fleet *fleet, const char *text)
{
    int rc = 0;
    for (size_t len = 0; rc == 0 && *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        rc = take_line(fleet, text, len);
    }
    if (rc == 0 && !fleet->len)
        return give(fleet, -EINVAL, PP_TEXT_DIFF_FLEET_NONE);
    for (size_t i = 1; rc == 0 && i < fleet->len; i++)
        rc = check_alike(fleet, &fleet->run[0].surface[0], &fleet->run[i].surface[0]);
    return rc;
}

int
pp_fleet_rows_take(const char *address, const char *text, struct pp_run_figures **ret, size_t *ret_runs,
                   char *why)
{
    struct fleet fleet = {.address = address, .why = why};
    const char *query = strchr(address, '?');
    pp_fleet_question_words(query ? query + 1 : "", fleet.asked, sizeof(fleet.asked));
    int rc = take_answer(&fleet, text);
    if (rc == 0) {
        *ret = fleet.run;
        *ret_runs = fleet.len;
        return 0;
    }
    for (size_t i = 0; i < fleet.len; i++)
        pp_run_figures_finish(&fleet.run[i]);
    free(fleet.run);
    return rc;
}
