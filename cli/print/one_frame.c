/** @file
 * See one_frame.h. */
#include "cli/print/one_frame.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/slow_causes.h"
#include "cli/analysis/slow_frames.h"
#include "cli/print/format.h"
#include "cli/print/print.h"
#include "cli/print/shorten.h"
#include "cli/print/slow_frames.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define PASS_COLUMNS   44U
#define NAME_COLUMNS   44U
#define BECAUSE_COLUMN 16U

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
             pp_format_name(name, sizeof(name), s->surface, NAME_COLUMNS),
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
    pp_format_wrap(p->out, BECAUSE_COLUMN, BECAUSE_COLUMN, text);
}

/* Why the frame is longer than usual. */
static void
print_causes(const struct printing *p)
{
    char text[PP_SLOW_TEXT_MAX], name[400];
    const struct pp_slow_frame *frame = p->frame;
    if (frame->mark)
        pp_print(p->out, "   marked here  \"%s\"\n",
                 pp_format_name(name, sizeof(name), frame->mark, NAME_COLUMNS));
    if (!p->slow->found)
        print_not_slow(p);
    if (!p->slow->longer)
        return;
    for (size_t i = 0; i + (frame->mark ? 1 : 0) < pp_slow_frame_texts(frame); i++) {
        pp_print(p->out, "%s", i ? "                " : "   because      ");
        pp_format_wrap(p->out, BECAUSE_COLUMN, BECAUSE_COLUMN,
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
                 pp_slow_pass_title(title, sizeof(title), p->rec, &pass[i], PASS_COLUMNS),
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
    pp_print(p->out, "   %-44s %12s %12s\n", pp_format_middle(title, sizeof(title), name, NAME_COLUMNS),
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
