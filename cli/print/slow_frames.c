/** @file
 * See slow_frames.h. */
#include "cli/print/slow_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/slow_causes.h"
#include "cli/print/format.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "cli/print/shorten.h"
#include "pp_texts.h"

#define BECAUSE_COLUMN 29U
#define NAME_COLUMNS   40U

const char *
pp_slow_pass_title(char *text, size_t size, const struct pp_saved_session *rec,
                   const struct pp_near_pass *pass, size_t columns)
{
    if (pass->at < rec->passes && rec->pass[pass->at].pass_id == pass->pass_id)
        return pp_pass_title(text, size, rec, &rec->pass[pass->at], columns);
    for (size_t i = 0; i < rec->passes; i++) /* the session shows another surface now */
        if (rec->pass[i].pass_id == pass->pass_id)
            return pp_pass_title(text, size, rec, &rec->pass[i], columns);
    return pp_format_name(text, size, pass->name, columns);
}

/* The name of a pass in a sentence: its label, where no other pass has it. */
static const char *
name_of(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_near_pass *near)
{
    const struct pp_saved_pass *pass = NULL;
    size_t same = 0;
    for (size_t i = 0; i < rec->passes && !pass; i++)
        pass = rec->pass[i].pass_id == near->pass_id ? &rec->pass[i] : NULL;
    for (size_t i = 0; pass && i < rec->passes; i++)
        same += rec->pass[i].surface == pass->surface && strcmp(rec->pass[i].label, pass->label) == 0;
    if (!pass || !*pass->label || same > 1)
        return pp_slow_pass_title(text, size, rec, near, NAME_COLUMNS);
    char label[4096];
    return pp_format_middle(
        text, size, pp_saved_label_text(rec, pass->label, pass->label, label, sizeof(label)), NAME_COLUMNS);
}

/* A count or a clock as text. */
static const char *
figure(char text[PP_FORMATTED_MAX], const struct pp_cause *cause, double value)
{
    if (cause->kind != PP_CAUSE_CLOCK)
        return pp_format_figure(text, value);
    snprintf(text, PP_FORMATTED_MAX, "%.0f MHz", value / 1e6);
    return text;
}

/* The words around the figure of a cause. */
static const struct {
    const char *lead, *what, *end;
} words[PP_CAUSE_KINDS] = {
    [PP_CAUSE_PRESENT] = {PP_TEXT_CAUSE_PRESENT_LEAD, PP_TEXT_CAUSE_PRESENT_WHAT, ""},
    [PP_CAUSE_ACQUIRE] = {PP_TEXT_CAUSE_ACQUIRE_LEAD, PP_TEXT_CAUSE_ACQUIRE_WHAT, ""},
    [PP_CAUSE_SYNC] = {PP_TEXT_CAUSE_SYNC_LEAD, PP_TEXT_CAUSE_SYNC_WHAT, PP_TEXT_CAUSE_SYNC_END},
    [PP_CAUSE_FAULTS] = {PP_TEXT_CAUSE_FAULTS_LEAD, PP_TEXT_CAUSE_FAULTS_WHAT, ""},
    [PP_CAUSE_DELAY] = {PP_TEXT_CAUSE_DELAY_LEAD, PP_TEXT_CAUSE_DELAY_WHAT, ""},
    [PP_CAUSE_WORK] = {PP_TEXT_CAUSE_WORK_LEAD, "", ""},
    [PP_CAUSE_OWN] = {PP_TEXT_CAUSE_OWN_LEAD, "", PP_TEXT_CAUSE_OWN_END},
    [PP_CAUSE_CLOCK] = {PP_TEXT_CAUSE_CLOCK_LEAD, "", ""},
    [PP_CAUSE_MAJOR] = {"", PP_TEXT_CAUSE_MAJOR_WHAT, ""},
    [PP_CAUSE_DRAWS] = {"", PP_TEXT_CAUSE_DRAWS_WHAT, ""},
    [PP_CAUSE_DISPATCHES] = {"", PP_TEXT_CAUSE_DISPATCHES_WHAT, ""},
    [PP_CAUSE_COPIES] = {"", PP_TEXT_CAUSE_COPIES_WHAT, ""},
};

/* A cause with one time or count, and the usual one. */
static void
figure_text(char *text, size_t size, const struct pp_cause *cause)
{
    char value[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    bool time = isnan(cause->count);
    snprintf(text, size, PP_FORMAT_CAUSE_FIGURE, words[cause->kind].lead,
             time ? pp_format_rough(value, cause->value, 3) : figure(value, cause, cause->value),
             words[cause->kind].what,
             time ? pp_format_rough(usual, cause->usual, 3) : figure(usual, cause, cause->usual),
             words[cause->kind].end);
}

/* Work of the GPU: of which frame, and what it usually takes. */
static void
gpu_text(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_slow_frame *frame,
         const struct pp_cause *cause)
{
    char name[400] = PP_TEXT_CAUSE_ALL_PASSES, time[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    if (cause->kind == PP_CAUSE_PASS)
        name_of(name, sizeof(name), rec, cause->pass);
    if (cause->kind == PP_CAUSE_GPU && cause->pass) {
        snprintf(text, size, PP_FORMAT_CAUSE_GPU_MORE, pp_format_rough(time, cause->part_ns, 3),
                 name_of(name, sizeof(name), rec, cause->pass));
        return;
    }
    snprintf(text, size, PP_FORMAT_CAUSE_GPU, name, pp_format_rough(time, cause->value, 3));
    if (cause->frame < frame->frame)
        pp_format_append(text, size, PP_FORMAT_CAUSE_OF_FRAME, cause->frame);
    if (isnan(cause->usual))
        pp_format_append(text, size, PP_TEXT_CAUSE_NOT_BEFORE);
    else
        pp_format_append(text, size, PP_FORMAT_CAUSE_USUALLY, pp_format_rough(usual, cause->usual, 3));
}

const char *
pp_slow_cause_text(char *text, size_t size, const struct pp_saved_session *rec,
                   const struct pp_slow_frame *frame, const struct pp_cause *cause)
{
    char name[400], value[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    if (cause->kind == PP_CAUSE_PASS || cause->kind == PP_CAUSE_GPU)
        gpu_text(text, size, rec, frame, cause);
    else if (cause->kind == PP_CAUSE_PIPELINES)
        snprintf(text, size, PP_FORMAT_CAUSE_PIPELINES, pp_format_count(value, cause->count, 0),
                 pp_format_noun(cause->count, "pipeline", "pipelines"),
                 pp_format_rough(usual, cause->value, 3));
    else if (cause->kind == PP_CAUSE_SLEEP)
        snprintf(text, size, PP_FORMAT_CAUSE_SLEEP, pp_format_rough(value, cause->value, 3));
    else if (cause->kind == PP_CAUSE_APP)
        snprintf(text, size, PP_FORMAT_CAUSE_APP,
                 pp_format_name(name, sizeof(name), cause->name, NAME_COLUMNS),
                 pp_format_figure(value, cause->value), pp_format_figure(usual, cause->usual));
    else
        figure_text(text, size, cause);
    return text;
}

size_t
pp_slow_frame_texts(const struct pp_slow_frame *frame)
{
    return frame->causes + !pp_slow_frame_is_explained(frame) + (frame->mark != NULL);
}

const char *
pp_slow_frame_text(char *text, size_t size, const struct pp_saved_session *rec,
                   const struct pp_slow_frame *frame, size_t index)
{
    char name[400];
    if (index < frame->causes)
        return pp_slow_cause_text(text, size, rec, frame, &frame->cause[index]);
    if (index == frame->causes && !pp_slow_frame_is_explained(frame))
        snprintf(text, size, "%s", PP_TEXT_CAUSE_NONE);
    else
        snprintf(text, size, PP_FORMAT_CAUSE_MARK,
                 pp_format_name(name, sizeof(name), frame->mark ? frame->mark : "", NAME_COLUMNS));
    return text;
}

static void
print_row(FILE *out, const struct pp_saved_session *rec, const struct pp_slow_frame *frame)
{
    char because[4000] = "", text[PP_SLOW_TEXT_MAX], at[PP_FORMATTED_MAX], time[PP_FORMATTED_MAX];
    for (size_t i = 0; i < pp_slow_frame_texts(frame); i++)
        pp_format_append(because, sizeof(because), "%s%s", i ? "; " : "",
                         pp_slow_frame_text(text, sizeof(text), rec, frame, i));
    pp_print(out, "   %8.0f %7s %7s  ", frame->frame, pp_format_fixed(at, frame->at_s, 2),
             pp_format_fixed(time, frame->time_ns / 1e6, 1));
    pp_format_wrap(out, BECAUSE_COLUMN, BECAUSE_COLUMN, because);
}

const char *
pp_slow_frames_title(char *text, size_t size, const struct pp_slow_frames *slow)
{
    char factor[PP_FORMATTED_MAX], count[PP_FORMATTED_MAX], all[PP_FORMATTED_MAX];
    snprintf(text, size, PP_FORMAT_SLOW_TITLE, pp_format_count(count, (double)slow->found, 0),
             pp_format_count(all, (double)slow->series.len, 0), pp_format_fixed(factor, slow->factor, 1));
    return text;
}

/* Is this frame among the @p most longest? */
static bool
is_among(const struct pp_slow_frames *slow, size_t i, size_t most)
{
    size_t longer = 0;
    for (size_t j = 0; j < slow->len; j++)
        longer += slow->frame[j].time_ns > slow->frame[i].time_ns;
    return longer < most;
}

void
pp_slow_frames_print(FILE *out, const struct pp_saved_session *rec, const struct pp_slow_frames *slow,
                     size_t most, bool worst)
{
    char title[PP_SLOW_TEXT_MAX];
    size_t shown = most && most < slow->len ? most : slow->len;
    if (worst && !slow->len)
        pp_print(out, "\n" PP_TEXT_WORST_NONE "\n");
    if (!slow->len)
        return;
    if (worst)
        pp_print(out, "\n" PP_FORMAT_WORST_TITLE "\n", shown,
                 pp_format_noun((double)shown, "frame", "frames"));
    else
        pp_print(out, "\n   %s\n", pp_slow_frames_title(title, sizeof(title), slow));
    if (worst && !slow->found)
        pp_print(out, PP_TEXT_WORST_NONE_SLOW "\n");
    pp_print(out, PP_TEXT_SLOW_HEAD "\n");
    for (size_t i = 0; i < slow->len; i++)
        if (is_among(slow, i, shown))
            print_row(out, rec, &slow->frame[i]);
    if (!worst && slow->found > shown)
        pp_print(out, PP_FORMAT_SLOW_MORE "\n", slow->found - shown, pp_saved_operand(rec));
}

int
pp_slow_frames_show(FILE *out, const struct pp_saved_session *rec, size_t surface, size_t most, bool worst)
{
    struct pp_slow_frames *slow = malloc(sizeof(*slow));
    if (!slow)
        return -ENOMEM;
    int rc = pp_slow_frames_find(rec, surface, worst ? most : 0, slow);
    if (rc == 0)
        pp_slow_frames_print(out, rec, slow, most, worst);
    pp_slow_frames_finish(slow);
    free(slow);
    return rc;
}
