/** @file
 * See slow_frames.h. */
#include "cli/print/slow_frames.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/passes.h"
#include "cli/text/format.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define BECAUSE_COLUMN 29U
#define NAME_COLUMNS   40U
/* From this share of a wait on, the text names longer work of the GPU as a part of it. */
#define LONGER_SHARE 0.2
/* If less than this share of a pass, or of the GPU's longer time, is in the slow frame, the text says how
 * much is. */
#define HERE_SHARE 0.8

/* The pass of a row: by its id and its name, also where the session shows another surface now. */
static const struct pp_saved_pass *
pass_of(const struct pp_saved_session *rec, const struct pp_near_pass *near)
{
    if (near->at < rec->passes && rec->pass[near->at].pass_id == near->pass_id)
        return &rec->pass[near->at];
    for (size_t i = 0; i < rec->passes; i++)
        if (rec->pass[i].pass_id == near->pass_id)
            return &rec->pass[i];
    return NULL;
}

/* The title of a pass, as tables have it. @return @p text. */
static const char *
title_of_pass(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_near_pass *pass,
              size_t columns)
{
    const struct pp_saved_pass *of = pass_of(rec, pass);
    return of ? pp_pass_title(text, size, rec, of, columns) : pp_format_name(text, size, pass->name, columns);
}

/* The name of a pass in a sentence: its label, where no other pass has it. */
static const char *
name_of(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_near_pass *near)
{
    const struct pp_saved_pass *pass = pass_of(rec, near);
    size_t same = 0;
    for (size_t i = 0; pass && i < rec->passes; i++)
        same += rec->pass[i].surface == pass->surface && strcmp(rec->pass[i].label, pass->label) == 0;
    if (!pass || !*pass->label || same > 1)
        return title_of_pass(text, size, rec, near, NAME_COLUMNS);
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
    [PP_CAUSE_OWN] = {"cpu: the application's own time was ", "", " (how long its thread ran is not known)"},
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
    const bool one = cause->kind == PP_CAUSE_MAJOR && cause->value <= 1;
    if (cause->kind == PP_CAUSE_PRESENT && cause->ran_ns >= LONGER_SHARE * cause->part_ns) {
        char ran[PP_FORMATTED_MAX];
        snprintf(text, size, "present: %s in present, usually %s; the thread ran %s longer there",
                 pp_format_rough(value, cause->value, 3), pp_format_rough(usual, cause->usual, 3),
                 pp_format_rough(ran, cause->ran_ns, 3));
        return;
    }
    snprintf(text, size, "%s%s%s", words[cause->kind].lead,
             time ? pp_format_rough(value, cause->value, 3) : figure(value, cause, cause->value),
             one ? " page fault that read from a disk" : words[cause->kind].what);
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
own_text(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_cause *cause)
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
    char upper[PP_FORMATTED_MAX], name[400];
    bool unsure = !isnan(cause->ran_most_ns);
    pp_format_fixed(upper, cause->ran_most_ns / 1e6, decimals);
    snprintf(text, size, "cpu: %s ms: ran %s%s%s (usually %s)", whole, ran, unsure ? " to " : "",
             unsure ? upper : "", usual);
    if (unsure)
        pp_format_append(text, size, ", else slept or had no processor");
    else if (isnan(cause->delay_ns))
        pp_format_append(text, size, ", slept or had no processor %s", slept);
    if (part[1] >= 1)
        pp_format_append(text, size, ", no processor %s", delay);
    if (!isnan(cause->delay_ns) && part[2] >= 1)
        pp_format_append(text, size, ", slept %s", slept);
    if (cause->maybe_gpu && isnan(cause->late))
        pp_format_append(text, size, ", perhaps in a wait for the GPU%s",
                         rec->keep_ns > 0 ? "" : " (level pass shows that)");
    else if (cause->maybe_gpu && cause->pass)
        pp_format_append(text, size, ", perhaps in a wait for the GPU: %s %s, usually %s",
                         name_of(name, sizeof(name), rec, cause->pass),
                         pp_format_rough(whole, cause->pass->time_ns, 3),
                         pp_format_rough(usual, cause->pass->usual_ns, 3));
    else if (cause->maybe_gpu && cause->late <= 0)
        pp_format_append(text, size, "%s", ", perhaps in a wait for the GPU");
    else if (cause->maybe_gpu)
        pp_format_append(text, size, ", perhaps in a wait for the GPU, which was %.0f %s late", cause->late,
                         pp_format_noun(cause->late, "frame", "frames"));
    if (cause->read_draws > 0)
        pp_format_append(text, size,
                         ", perhaps in passprobe, which reads the results of the %s draws of frame %.0f",
                         pp_format_count(whole, cause->read_draws, 0), cause->of_frame);
}

/* In how many frames a pass is that the frames around lack. */
static void
append_rare(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_near_pass *near)
{
    char in[PP_FORMATTED_MAX], of[PP_FORMATTED_MAX];
    const struct pp_saved_pass *pass = pass_of(rec, near);
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

/* That no more work was counted. */
static void
append_same_work(char *text, size_t size, const struct pp_cause *cause)
{
    if (cause->same_work)
        pp_format_append(text, size, ", with about as many draws and fragments as usual%s",
                         cause->on_cpu ? " (shaders ran longer, or the driver's threads lacked processors)"
                                       : "");
}

/* Which passes have most of what all took longer. */
static void
append_most(char *text, size_t size, const char *lead, const struct pp_saved_session *rec,
            const struct pp_cause *cause)
{
    char name[400];
    const struct pp_near_pass *pass = cause->pass;
    if (cause->most_passes == 1)
        pp_format_append(text, size, "%s %s", lead, name_of(name, sizeof(name), rec, pass));
    else if (cause->most_passes > 1)
        pp_format_append(text, size, "%s %s (%zu passes)", lead, pass->label[0] ? pass->label : pass->name,
                         cause->most_passes);
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
        snprintf(text, size, "gpu: all passes together %s longer than usual",
                 pp_format_rough(time, cause->part_ns, 3));
        append_most(text, size, ", most of it in", rec, cause);
        if (cause->frame < frame->frame)
            pp_format_append(text, size, " in frame %.0f", cause->frame);
        append_same_work(text, size, cause);
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
    else if (cause->kind == PP_CAUSE_PASS && !(cause->usual > 0)) /* also NaN */
        append_rare(text, size, rec, cause->pass);
    else if (isnan(cause->usual))
        pp_format_append(text, size, ", in no frame around it");
    else
        pp_format_append(text, size, ", usually %s", pp_format_rough(usual, cause->usual, 3));
    if (cause->whole)
        append_most(text, size, ", of the passes most in", rec, cause);
    if (cause->whole && cause->pass && cause->most_passes == 1 && !(cause->pass->usual_ns > 0))
        append_rare(text, size, rec, cause->pass);
    append_same_work(text, size, cause);
    if (cause->maybe_own)
        pp_format_append(text, size, ", unless the application slept meanwhile%s",
                         rec->keep_ns > 0 ? "" : " (level pass shows that)");
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
        own_text(text, size, rec, cause);
    else if (cause->kind == PP_CAUSE_APP)
        snprintf(text, size, "%s %s, usually %s",
                 pp_format_name(name, sizeof(name), cause->name, NAME_COLUMNS),
                 pp_format_figure(value, cause->value), pp_format_figure(usual, cause->usual));
    else
        figure_text(text, size, frame, cause);
    if (cause->meanwhile)
        pp_format_append(text, size,
                         cause->contains ? ", with the time above in it" : ", during the time above");
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

/* Print a table of slow frames. If there is none, print that for @p worst, else nothing.
 * @param most  At most this many rows: those of the longest frames; 0: all.
 * @param worst `--worst` asked for the table: its frames need not be slow. */
static void
print_slow(FILE *out, const struct pp_saved_session *rec, const struct pp_slow_frames *slow, size_t most,
           bool worst)
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
        print_slow(out, rec, slow, most, worst);
    pp_slow_frames_finish(slow);
    free(slow);
    return rc;
}

#define PASS_COLUMNS  44U
#define TITLE_COLUMNS 44U
#define WHY_COLUMN    16U

/* A frame that is printed. */
struct printing {
    FILE *out;
    const struct pp_saved_session *rec;
    const struct pp_slow_frames *slow;
    const struct pp_slow_frame *frame;
    const struct pp_saved_frame *row;
};

static const char *const level_name[PP_SAVED_LEVELS] = {"frame", "pass", "draw"};

static double
value_of(const struct printing *p, size_t column)
{
    return pp_frame_cell(&p->slow->table, p->row, column);
}

static double
usual_of(const struct printing *p, size_t column)
{
    return pp_baseline_usual(&p->slow->series, p->frame->index, column, NULL);
}

static void
print_head(const struct printing *p)
{
    char name[400], at[PP_FORMATTED_MAX], time[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    const struct pp_saved_surface *s = &p->rec->surface[p->row->surface];
    double often = usual_of(p, PP_CELL_FRAME_TIME); /* as in the table below */
    pp_print(p->out, "frame %.0f of %s, begins at %s s, level %s\n", p->frame->frame,
             pp_format_name(name, sizeof(name), s->surface, TITLE_COLUMNS),
             pp_format_fixed(at, p->frame->at_s, 2), level_name[p->row->level]);
    pp_print(p->out, "   frame time   %s, usually %s\n", pp_format_rough(time, p->frame->time_ns, 3),
             isnan(often) ? "-" : pp_format_rough(usual, often, 3));
}

/* Say why a frame is not in the list of slow frames. */
static void
print_not_slow(const struct printing *p)
{
    char time[PP_FORMATTED_MAX], why[400], common[PP_FORMATTED_MAX];
    const struct pp_baseline *base = &p->slow->base;
    if (!p->slow->longer) {
        pp_print(p->out, "   not slow     as long as the frames around it, or nearly\n");
        return;
    }
    snprintf(why, sizeof(why), "%s",
             base->rule == PP_SLOW_FACTOR   ? PP_TEXT_SLOW_RULE_FACTOR
             : base->rule == PP_SLOW_SPREAD ? PP_TEXT_SLOW_RULE_SPREAD
                                            : "2 ms more than usual");
    if (base->rule == PP_SLOW_COMMON)
        snprintf(why, sizeof(why), PP_FORMAT_SLOW_RULE_COMMON, pp_format_rough(common, base->common_ns, 3));
    char text[PP_SLOW_TEXT_MAX];
    snprintf(text, sizeof(text), "slow frames begin at %s here: %s", pp_format_rough(time, base->slow_ns, 3),
             why);
    pp_print(p->out, "%s", "   not slow     ");
    pp_format_wrap(p->out, WHY_COLUMN, WHY_COLUMN, text);
}

/* Why the frame is longer than usual. */
static void
print_causes(const struct printing *p)
{
    char text[PP_SLOW_TEXT_MAX], name[400];
    const struct pp_slow_frame *frame = p->frame;
    if (frame->mark)
        pp_print(p->out, "   marked here  \"%s\"\n",
                 pp_format_name(name, sizeof(name), frame->mark, TITLE_COLUMNS));
    if (!p->slow->found)
        print_not_slow(p);
    if (!p->slow->longer)
        return;
    for (size_t i = 0; i + (frame->mark ? 1 : 0) < pp_slow_frame_texts(frame); i++) {
        pp_print(p->out, "%s", i ? "                " : "   because      ");
        pp_format_wrap(p->out, WHY_COLUMN, WHY_COLUMN,
                       pp_slow_frame_text(text, sizeof(text), p->rec, frame, i));
    }
}

static void
print_times(const struct printing *p)
{
    static const struct {
        const char *name;
        size_t column;
    } rows[] = {{PP_TEXT_TIME_FRAME, PP_CELL_FRAME_TIME},
                {PP_TEXT_TIME_CPU_BUSY, PP_CELL_CPU_BUSY},
                {"  of it waits for the GPU", PP_CELL_CPU_SYNC},
                {"  of it waits for an image to render to", PP_CELL_CPU_ACQUIRE},
                {"  creating pipelines", PP_CELL_PIPELINE_TIME},
                {"CPU wait", PP_CELL_CPU_WAIT},
                {PP_TEXT_BY_GPU_TIME, PP_CELL_GPU_TIME},
                {PP_TEXT_TIME_GPU_BUSY, PP_CELL_GPU_BUSY},
                {"the thread ran (cpu:task-clock)", PP_CELL_TASK_CLOCK},
                {"the thread had no processor (cpu:run-delay)", PP_CELL_RUN_DELAY}};
    char value[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    pp_print(p->out, "\n   times                                             this frame      usually\n");
    for (size_t i = 0; i < PP_ARRAY_SIZE(rows); i++) {
        double time = value_of(p, rows[i].column);
        if (isnan(time))
            continue;
        double often = usual_of(p, rows[i].column);
        pp_print(p->out, "   %-44s %12s %12s\n", rows[i].name, pp_format_duration(value, time),
                 isnan(often) ? "-" : pp_format_duration(usual, often));
    }
}

static int
longest_first(const void *a, const void *b)
{
    const struct pp_near_pass *x = a;
    const struct pp_near_pass *y = b;
    double s = isnan(x->time_ns) ? -1 : x->time_ns;
    double t = isnan(y->time_ns) ? -1 : y->time_ns;
    return (s < t) - (s > t);
}

/* The passes of the frame, the longest first. */
static int
print_passes(const struct printing *p)
{
    size_t passes = 0;
    const struct pp_near_pass *first = pp_near_passes_of(&p->slow->near, p->frame->frame, &passes);
    char title[400], value[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    if (!first && p->slow->kept_only)
        pp_print(p->out, "\n   passes       rows are kept of slow frames and of those around them only "
                         "(--keep-slower-than)\n");
    if (!first)
        return 0;
    struct pp_near_pass *pass = malloc(passes * sizeof(*pass));
    if (!pass)
        return -ENOMEM;
    memcpy(pass, first, passes * sizeof(*pass));
    qsort(pass, passes, sizeof(*pass), longest_first);
    pp_print(p->out, "\n   passes                                            this frame      usually\n");
    for (size_t i = 0; i < passes; i++)
        pp_print(p->out, "   %-44s %12s %12s\n",
                 title_of_pass(title, sizeof(title), p->rec, &pass[i], PASS_COLUMNS),
                 isnan(pass[i].time_ns) ? "-" : pp_format_duration(value, pass[i].time_ns),
                 isnan(pass[i].usual_ns) ? "-" : pp_format_duration(usual, pass[i].usual_ns));
    free(pass);
    return 0;
}

/* Print a count, where it was measured. */
static void
print_count(const struct printing *p, const char *name, size_t column)
{
    char title[400], value[PP_FORMATTED_MAX], usual[PP_FORMATTED_MAX];
    double count = value_of(p, column);
    double often = usual_of(p, column);
    if (isnan(count))
        return;
    pp_print(p->out, "   %-44s %12s %12s\n", pp_format_middle(title, sizeof(title), name, TITLE_COLUMNS),
             pp_format_figure(value, count), isnan(often) ? "-" : pp_format_figure(usual, often));
}

static void
print_counts(const struct printing *p)
{
    pp_print(p->out, "\n   counts and counters                               this frame      usually\n");
    print_count(p, "draws", PP_CELL_DRAWS);
    print_count(p, "dispatches", PP_CELL_DISPATCHES);
    print_count(p, "copies", PP_CELL_COPIES);
    print_count(p, "pipelines_created", PP_CELL_PIPELINES);
    print_count(p, "cpu:page-faults", PP_CELL_PAGE_FAULTS);
    print_count(p, "cpu:major-faults", PP_CELL_MAJOR_FAULTS);
    print_count(p, "cpu:involuntary-switches", PP_CELL_PREEMPTED);
    print_count(p, "pipeline:fragment_shader_invocations", PP_CELL_FRAGMENTS);
    for (size_t i = 0; i < p->slow->table.extras; i++)
        print_count(p, p->slow->table.extra[i], PP_FRAME_CELLS + i);
}

int
pp_one_frame_print(FILE *out, const struct pp_saved_session *rec, double frame)
{
    struct pp_slow_frames *slow = malloc(sizeof(*slow));
    if (!slow)
        return -ENOMEM;
    int rc = pp_slow_frames_look_at(rec, frame, slow);
    if (rc == 0) {
        const struct printing p = {.out = out,
                                   .rec = rec,
                                   .slow = slow,
                                   .frame = &slow->frame[0],
                                   .row = &slow->table.row[slow->series.row[slow->frame[0].index]]};
        print_head(&p);
        print_causes(&p);
        print_times(&p);
        rc = print_passes(&p);
        print_counts(&p);
    }
    pp_slow_frames_finish(slow);
    free(slow);
    return rc;
}
