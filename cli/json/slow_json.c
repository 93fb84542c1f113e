/** @file
 * See report_json.h. */
#include "cli/json/report_json.h"

#include <math.h>
#include <stdlib.h>

#include "cli/print/slow_frames.h"
#include "cli/session/session_shown.h"
#include "cli/text/json_values.h"

static const char *const kind_name[PP_CAUSE_KINDS] = {[PP_CAUSE_PIPELINES] = "pipelines",
                                                      [PP_CAUSE_PASS] = "pass",
                                                      [PP_CAUSE_GPU] = "gpu",
                                                      [PP_CAUSE_PRESENT] = "present",
                                                      [PP_CAUSE_ACQUIRE] = "acquire",
                                                      [PP_CAUSE_SYNC] = "sync",
                                                      [PP_CAUSE_FAULTS] = "page_faults",
                                                      [PP_CAUSE_DELAY] = "no_processor",
                                                      [PP_CAUSE_WORK] = "cpu_work",
                                                      [PP_CAUSE_SLEEP] = "cpu_sleep",
                                                      [PP_CAUSE_OWN] = "cpu",
                                                      [PP_CAUSE_CLOCK] = "gpu_clock",
                                                      [PP_CAUSE_MAJOR] = "major_faults",
                                                      [PP_CAUSE_DRAWS] = "draws",
                                                      [PP_CAUSE_DISPATCHES] = "dispatches",
                                                      [PP_CAUSE_COPIES] = "copies",
                                                      [PP_CAUSE_CREATED] = "pipelines_created",
                                                      [PP_CAUSE_PREEMPTED] = "involuntary_switches",
                                                      [PP_CAUSE_FRAGMENTS] = "fragments",
                                                      [PP_CAUSE_APP] = "user_counter"};

static json_t *
cause_json(const struct pp_cause *cause)
{
    json_t *ret = json_object();
    bool count = cause->kind >= PP_CAUSE_FACTS;
    pp_json_put_text(ret, "kind", kind_name[cause->kind]);
    pp_json_put_truth(ret, "explains_time", cause->kind < PP_CAUSE_FACTS);
    pp_json_put_truth(ret, "at_the_same_time", cause->meanwhile);
    pp_json_put_text(ret, "unit", cause->kind == PP_CAUSE_CLOCK ? "hz" : count ? "" : "ns");
    pp_json_put_number(ret, "value", cause->value);
    pp_json_put_number(ret, "usual", cause->usual);
    if (cause->kind == PP_CAUSE_PIPELINES)
        pp_json_put_number(ret, "pipelines", cause->count);
    pp_json_put_number(ret, "longer_ns", cause->kind < PP_CAUSE_FACTS ? cause->part_ns : (double)NAN);
    if (cause->kind >= PP_CAUSE_DELAY && cause->kind <= PP_CAUSE_OWN) {
        pp_json_put_number(ret, "ran_ns", cause->ran_ns);
        pp_json_put_number(ret, "ran_most_ns", cause->ran_most_ns);
        pp_json_put_number(ret, "usual_ran_ns", cause->usual_ran_ns);
        pp_json_put_number(ret, "no_processor_ns", cause->delay_ns);
        pp_json_put_number(ret, "not_run_ns", cause->slept_ns);
        pp_json_put_truth(ret, "perhaps_gpu", cause->maybe_gpu);
        pp_json_put_truth(ret, "perhaps_passprobe", cause->read_draws > 0);
    }
    if (cause->kind == PP_CAUSE_PASS || cause->kind == PP_CAUSE_GPU) {
        pp_json_put_number(ret, "frame", cause->frame);
        pp_json_put_truth(ret, "same_work", cause->same_work);
        pp_json_put_truth(ret, "perhaps_cpu", cause->maybe_own);
    }
    if (cause->pass && (cause->kind != PP_CAUSE_GPU || cause->most_passes > 0)) {
        pp_json_put_text(ret, "pass_id", cause->pass->pass_id);
        pp_json_put_text(ret, "pass", cause->pass->name);
        pp_json_put_text(ret, "label", cause->pass->label);
    }
    if (cause->name)
        pp_json_put_text(ret, "counter", cause->name);
    return ret;
}

json_t *
pp_json_slow_frame(const struct pp_slow_frame *frame)
{
    json_t *ret = json_object(), *causes = json_array();
    pp_json_put_number(ret, "frame", frame->frame);
    pp_json_put_number(ret, "at_s", frame->at_s);
    pp_json_put_number(ret, "frame_time_ns", frame->time_ns);
    pp_json_put_number(ret, "usual_ns", frame->usual_ns);
    pp_json_put_number(ret, "every_frames", frame->every ? (double)frame->every : (double)NAN);
    pp_json_put_text(ret, "mark", frame->mark);
    for (size_t i = 0; i < frame->causes; i++)
        pp_json_append(causes, cause_json(&frame->cause[i]));
    pp_json_put(ret, "causes", causes);
    return ret;
}

/* Why a frame was slow, as tables print it: a list of texts. */
static json_t *
texts_json(const struct pp_saved_session *rec, const struct pp_slow_frame *frame)
{
    char text[PP_SLOW_TEXT_MAX];
    json_t *ret = json_array();
    for (size_t i = 0; i < pp_slow_frame_texts(frame); i++)
        pp_json_append(ret, pp_json_text(pp_slow_frame_text(text, sizeof(text), rec, frame, i)));
    return ret;
}

/* The time of all frames of a series; NaN: the series has the frames that give the surface's frame times. */
static double
time_of_other_level(const struct pp_saved_session *rec, size_t surface, const struct pp_frame_series *series)
{
    const struct pp_saved_frame *row = series->table->row;
    double sum = 0;
    if (!series->len || row[series->row[0]].level == pp_levels_cpu(&rec->surface[surface]))
        return (double)NAN;
    for (size_t i = 0; i < series->len; i++)
        sum += isnan(row[series->row[i]].time_ns) ? 0 : row[series->row[i]].time_ns;
    return sum;
}

void
pp_json_put_slow_frames(json_t *object, const struct pp_saved_session *rec, size_t surface, bool texts)
{
    char title[PP_SLOW_TEXT_MAX] = "";
    struct pp_slow_frames *slow = calloc(1, sizeof(*slow));
    json_t *list = json_null();
    double found = (double)NAN, searched = (double)NAN;
    if (slow && pp_slow_frames_find(rec, surface, 0, slow) == 0) {
        list = json_array();
        found = (double)slow->found;
        searched = time_of_other_level(rec, surface, &slow->series);
        for (size_t i = 0; i < slow->len; i++)
            pp_json_append(list, pp_json_slow_frame(&slow->frame[i]));
        for (size_t i = 0; texts && i < slow->len; i++)
            pp_json_put(json_array_get(list, i), "texts", texts_json(rec, &slow->frame[i]));
        if (texts)
            pp_json_put_text(object, "slow_frames_title", pp_slow_frames_title(title, sizeof(title), slow));
    }
    if (slow)
        pp_slow_frames_finish(slow);
    free(slow);
    pp_json_put(object, "slow_frames", list);
    pp_json_put_number(object, "slow_frames_found", found);
    if (!isnan(searched))
        pp_json_put_number(object, "slow_frames_of_ns", searched);
}
