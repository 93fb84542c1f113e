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

#define BECAUSE_COLUMN 29U
#define NAME_COLUMNS   40U
/* From this share of a wait on, the text names longer work of the GPU as a part of it. */
#define LONGER_SHARE 0.2
/* If less than this share of a pass, or of the GPU's longer time, is in the slow frame, the text says how
 * much is. */
#define HERE_SHARE 0.8

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
    [PP_CAUSE_PRESENT] = {"present: the application waited ", " in present", ""},
    [PP_CAUSE_ACQUIRE] = {"present: the application waited ", " for an image to render to", ""},
    [PP_CAUSE_SYNC] = {"sync: the application waited ", " for the GPU",
                       ", though the GPU had no more work than usual"},
    [PP_CAUSE_FAULTS] = {"", " page faults", ""},
    [PP_CAUSE_CREATED] = {"new pipelines or shader programs: ", "",
                          " (drivers compile them when they are created or first used)"},
    [PP_CAUSE_PREEMPTED] = {"", " times the kernel gave the processor to others", ""},
    [PP_CAUSE_FRAGMENTS] = {"fragments in all passes ", "", ""},
    [PP_CAUSE_DELAY] = {"cpu: the application's thread waited ", " for a processor", ""},
    [PP_CAUSE_OWN] = {"cpu: the application's own time was ", "",
                      " (whether its thread ran was not measured)"},
    [PP_CAUSE_CLOCK] = {"the GPU's clock was ", "", ""},
    [PP_CAUSE_MAJOR] = {"", " page faults that read from a disk", ""},
    [PP_CAUSE_DRAWS] = {"", " draws", ""},
    [PP_CAUSE_DISPATCHES] = {"", " dispatches", ""},
    [PP_CAUSE_COPIES] = {"", " copies", ""},
};

/* Did the frame give the GPU more commands than usual? */
static bool
has_more_work(const struct pp_slow_frame *frame)
{
    for (size_t i = 0; i < frame->causes; i++)
        if (frame->cause[i].kind >= PP_CAUSE_DRAWS && frame->cause[i].kind <= PP_CAUSE_FRAGMENTS)
            return true;
    return frame->gpu_is_behind;
}

/* A cause with one time or count, and the usual one. */
static void
figure_text(char *text, size_t size, const struct pp_slow_frame *frame, const struct pp_cause *cause)
{
    bool sync = cause->kind == PP_CAUSE_SYNC;
    char value[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    bool time = isnan(cause->count);
    snprintf(text, size, "%s%s%s", words[cause->kind].lead,
             time ? pp_format_rough(value, cause->value, 3) : figure(value, cause, cause->value),
             words[cause->kind].what);
    if (cause->kind >= PP_CAUSE_FACTS && cause->frame < frame->frame)
        pp_format_append(text, size, " in frame %.0f", cause->frame);
    pp_format_append(text, size, ", usually %s%s",
                     time ? pp_format_rough(usual, cause->usual, 3) : figure(usual, cause, cause->usual),
                     sync ? "" : words[cause->kind].end);
    if (sync && cause->gpu_ns >= LONGER_SHARE * cause->part_ns)
        pp_format_append(text, size, ", %s of that because the GPU worked longer",
                         pp_format_rough(value, cause->gpu_ns, 3));
    else if (sync && !isnan(cause->gpu_ns) && !has_more_work(frame))
        pp_format_append(text, size, "%s", words[cause->kind].end);
}

/* The application's own time and its parts, rounded so that they add up. */
static void
own_text(char *text, size_t size, const struct pp_cause *cause)
{
    char whole[PP_FORMATTED_MAX], ran[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX], delay[PP_FORMATTED_MAX],
        slept[PP_FORMATTED_MAX];
    int decimals = cause->value >= 100e6 ? 0 : cause->value >= 10e6 ? 1 : 2;
    double scale = pow(10, decimals) / 1e6, delay_ns = isnan(cause->delay_ns) ? 0 : cause->delay_ns;
    double part[] = {round(cause->ran_ns * scale), round(delay_ns * scale), round(cause->slept_ns * scale)};
    double sum = round((cause->ran_ns + delay_ns + cause->slept_ns) * scale);
    size_t most = part[0] >= part[1] && part[0] >= part[2] ? 0 : part[1] >= part[2] ? 1 : 2;
    part[most] += sum - (part[0] + part[1] + part[2]);
    pp_format_fixed(whole, sum / pow(10, decimals), decimals);
    pp_format_fixed(ran, part[0] / pow(10, decimals), decimals);
    pp_format_fixed(usual, cause->usual_ran_ns / 1e6,
                    part[0] < 1                  ? decimals
                    : cause->usual_ran_ns < 10e6 ? 1
                                                 : decimals);
    pp_format_fixed(delay, part[1] / pow(10, decimals), decimals);
    pp_format_fixed(slept, part[2] / pow(10, decimals), decimals);
    snprintf(text, size, "cpu: %s ms: ran %s (usually %s)", whole, ran, usual);
    if (isnan(cause->delay_ns))
        pp_format_append(text, size, ", slept or had no processor %s", slept);
    if (part[1] >= 1)
        pp_format_append(text, size, ", no processor %s", delay);
    if (!isnan(cause->delay_ns) && part[2] >= 1)
        pp_format_append(text, size, ", slept %s", slept);
    if (cause->maybe_gpu && isnan(cause->late))
        pp_format_append(text, size, "%s", ", perhaps in a wait for the GPU (level pass tells)");
    else if (cause->maybe_gpu)
        pp_format_append(text, size, ", perhaps in a wait for the GPU, which was %.0f %s late", cause->late,
                         pp_format_noun(cause->late, "frame", "frames"));
}

/* In how many frames a pass is that the frames around lack. */
static void
append_rare(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_near_pass *near)
{
    char in[PP_FORMATTED_MAX], of[PP_FORMATTED_MAX];
    const struct pp_saved_pass *pass = pp_saved_pass(rec, near->pass_id, near->surface);
    if (pass && pass->surface < rec->surfaces && pass->frames > 1 && !(rec->keep_ns > 0))
        pp_format_append(text, size, ", in %s of %s frames", pp_format_count(in, (double)pass->frames, 0),
                         pp_format_count(of, (double)rec->surface[pass->surface].measured, 0));
    else
        pp_format_append(text, size, "%s",
                         pass && pass->frames == 1 && !pass->other_level && !(rec->keep_ns > 0)
                             ? ", in no other frame"
                             : ", in no frame around it");
}

/* "2nd", "50th". */
static const char *
ordinal(char text[PP_FORMATTED_MAX], size_t number)
{
    static const char *const end[] = {"th", "st", "nd", "rd"};
    size_t last = number % 100 / 10 == 1 ? 0 : number % 10;
    snprintf(text, PP_FORMATTED_MAX, "%zu%s", number, end[last < 4 ? last : 0]);
    return text;
}

/* Work of the GPU: of which frame, and what it usually takes. */
static void
gpu_text(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_slow_frame *frame,
         const struct pp_cause *cause)
{
    char name[400] = "all work together", time[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    if (cause->kind == PP_CAUSE_PASS)
        name_of(name, sizeof(name), rec, cause->pass);
    if (cause->kind == PP_CAUSE_GPU && cause->pass && !cause->whole) {
        snprintf(text, size, "gpu: all passes together %s longer than usual, most of it in %s",
                 pp_format_rough(time, cause->part_ns, 3), name_of(name, sizeof(name), rec, cause->pass));
        if (cause->frame < frame->frame)
            pp_format_append(text, size, " in frame %.0f", cause->frame);
        return;
    }
    bool partly = cause->whole && cause->part_ns < HERE_SHARE * (cause->value - cause->usual);
    snprintf(text, size, "gpu: %s %s", name,
             pp_format_rough(time, partly ? cause->part_ns : cause->value, 3));
    if (cause->frame < frame->frame)
        pp_format_append(text, size, " in frame %.0f", cause->frame);
    if (cause->kind == PP_CAUSE_PASS && cause->in_frame_ns < HERE_SHARE * cause->value)
        pp_format_append(text, size, " (%s of it in this frame)",
                         pp_format_rough(usual, cause->in_frame_ns, 3));
    if (partly)
        pp_format_append(text, size, " longer than usual");
    else if (isnan(cause->usual))
        pp_format_append(text, size, ", in no other frame");
    else if (cause->kind == PP_CAUSE_PASS && !(cause->usual > 0))
        append_rare(text, size, rec, cause->pass);
    else
        pp_format_append(text, size, ", usually %s", pp_format_rough(usual, cause->usual, 3));
    if (cause->whole && cause->pass)
        pp_format_append(text, size, ", of the passes most in %s",
                         name_of(name, sizeof(name), rec, cause->pass));
    if (cause->whole && cause->pass && !(cause->pass->usual_ns > 0))
        append_rare(text, size, rec, cause->pass);
}

const char *
pp_slow_cause_text(char *text, size_t size, const struct pp_saved_session *rec,
                   const struct pp_slow_frame *frame, const struct pp_cause *cause)
{
    char name[400], value[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    if (cause->kind == PP_CAUSE_PASS || cause->kind == PP_CAUSE_GPU)
        gpu_text(text, size, rec, frame, cause);
    else if (cause->kind == PP_CAUSE_PIPELINES)
        snprintf(text, size, "cpu: %s %s created in %s", pp_format_count(value, cause->count, 0),
                 pp_format_noun(cause->count, "pipeline", "pipelines"),
                 pp_format_rough(usual, cause->value, 3));
    else if (cause->kind >= PP_CAUSE_DELAY && cause->kind <= PP_CAUSE_OWN && !isnan(cause->ran_ns))
        own_text(text, size, cause);
    else if (cause->kind == PP_CAUSE_APP)
        snprintf(text, size, "%s %s, usually %s",
                 pp_format_name(name, sizeof(name), cause->name, NAME_COLUMNS),
                 pp_format_figure(value, cause->value), pp_format_figure(usual, cause->usual));
    else
        figure_text(text, size, frame, cause);
    return text;
}

size_t
pp_slow_frame_texts(const struct pp_slow_frame *frame)
{
    return frame->causes + !pp_slow_frame_is_explained(frame) + (frame->every > 0) + (frame->mark != NULL);
}

const char *
pp_slow_frame_text(char *text, size_t size, const struct pp_saved_session *rec,
                   const struct pp_slow_frame *frame, size_t index)
{
    char name[400], number[PP_FORMATTED_MAX];
    size_t none = frame->causes + !pp_slow_frame_is_explained(frame);
    if (index < frame->causes)
        return pp_slow_cause_text(text, size, rec, frame, &frame->cause[index]);
    if (index < none)
        snprintf(text, size, "%s", "no cause in what was measured");
    else if (index == none && frame->every)
        snprintf(text, size, "every %s frame", ordinal(number, frame->every));
    else
        snprintf(text, size, "marked here: \"%s\"",
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
    snprintf(text, size, "slow frames: %s of %s, at least %sx as long as the frames around them",
             pp_format_count(count, (double)slow->found, 0),
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
        pp_print(out, "\n   no frame is longer than the frames around it\n");
    if (!slow->len)
        return;
    if (worst)
        pp_print(out, "\n   the %zu longest %s, in order of time\n", shown,
                 pp_format_noun((double)shown, "frame", "frames"));
    else
        pp_print(out, "\n   %s\n", pp_slow_frames_title(title, sizeof(title), slow));
    if (worst && !slow->found)
        pp_print(out, "   none of them is slow: a slow frame is much longer than the frames around it\n");
    pp_print(out, "      frame    at s      ms  because\n");
    for (size_t i = 0; i < slow->len; i++)
        if (is_among(slow, i, shown))
            print_row(out, rec, &slow->frame[i]);
    if (!worst && slow->found > shown)
        pp_print(out, "   the %zu longest, in order of time; %zu more: passprobe report --worst 64%s\n",
                 shown, slow->found - shown, pp_saved_operand(rec));
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
