/** @file
 * See gaps.h: what measuring cost. */
#include "cli/print/gaps.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/accuracy.h"
#include "cli/text/format.h"
#include "cli/text/print.h"

#define BURDEN_PERCENT 10
#define MEAN_TELLS     1.5 /* times the median: then the mean is printed, too */
#define MEAN_POINTS    5.0 /* percentage points above it: then the share by the mean is, too */

/* A number about the cost; see pp_cost_path(). */
static double
cost_of(const struct pp_saved_session *rec, const char *name)
{
    char path[64];
    snprintf(path, sizeof(path), "%s.%s", pp_cost_path(rec), name);
    return pp_saved_number(rec, path);
}

/* A number of the frames whose cost is known: as cost_of() or, in sessions of older versions, of the counts.
 */
static double
count_of(const struct pp_saved_session *rec, const char *name)
{
    char path[64];
    double count = cost_of(rec, name);
    snprintf(path, sizeof(path), "counts.%s", name);
    return isnan(count) ? pp_saved_number(rec, path) : count;
}

/* Are the figures of a window for which the cost is not known? */
static bool
is_of_whole(const struct pp_saved_session *rec)
{
    return rec->window.any && !rec->window.recorded;
}

/* Time that passprobe's calls took on the application's threads: the usual time, if the session has it. */
static double
overhead_hooks_ns(const struct pp_saved_session *rec)
{
    double usual = cost_of(rec, "hooks_usual_ns");
    return isnan(usual) ? cost_of(rec, "hooks_cpu_ns") : usual;
}

/* passprobe's CPU time, of all its threads and calls, as a share of all frames' time. Older sessions know
 * only that of the calls. */
static double
overhead_percent(const struct pp_saved_session *rec)
{
    double percent = cost_of(rec, "percent");
    double frames = cost_of(rec, "frame_time_ns");
    return isnan(percent) ? 100 * overhead_hooks_ns(rec) / frames : percent;
}

/* That share by the mean of the calls' times, where that is much larger; 0: it is not. Calls take longer
 * in frames with much more work, and while other programs run on the same CPU. */
static double
mean_percent(const struct pp_saved_session *rec)
{
    double percent = cost_of(rec, "percent");
    double mean = 100 * (cost_of(rec, "hooks_cpu_ns") + cost_of(rec, "collector_cpu_ns")) /
                  cost_of(rec, "frame_time_ns");
    return isfinite(mean) && mean > MEAN_TELLS * percent && mean > percent + MEAN_POINTS ? mean : 0;
}

void
pp_cost_print_burden(FILE *out, const struct pp_saved_session *rec)
{
    double percent = overhead_percent(rec);
    if (!isfinite(percent) || percent < BURDEN_PERCENT)
        return;
    char text[160];
    const char *level = json_string_value(pp_saved_json(rec, "options.level"));
    snprintf(text, sizeof(text), "%.0f%% of all frames' time is passprobe's overhead on the CPU: %s%s",
             percent,
             percent >= 50 ? "this is not the application's speed"
                           : "without passprobe the application may be faster",
             level && strcmp(level, "frame") == 0 ? "" : "; a coarser --level costs less");
    pp_print(out, "   ");
    pp_format_wrap(out, 3, 3, text);
}

/* Print the CPU overhead of a frame. Medians are printed where they exist, because a sum of times includes
 * what other programs did on the same CPU. A median is exact to one part in thirty, a sum to the clock's
 * resolution.
 */
static void
print_overhead(FILE *out, const struct pp_saved_session *rec, double frames)
{
    char a[PP_FORMATTED_MAX];
    char text[400] = "";
    double hooks = overhead_hooks_ns(rec);
    double sum = cost_of(rec, "hooks_cpu_ns");
    double collector = cost_of(rec, "collector_cpu_ns");
    double percent = overhead_percent(rec);
    if (isnan(hooks) || !(frames > 0))
        return;
    bool median = !isnan(cost_of(rec, "hooks_usual_ns"));
    pp_format_append(text, sizeof(text), "CPU: %s a frame in the application's threads, ",
                     pp_format_rough(a, hooks / frames, median ? 2 : 3));
    pp_format_append(text, sizeof(text), "%s in other threads", pp_format_rough(a, collector / frames, 3));
    if (isfinite(percent))
        pp_format_append(text, sizeof(text), " (together %.*f%% of all frames' time, without the GPU's)",
                         percent < 10 ? 1 : 0, percent);
    if (sum > MEAN_TELLS * hooks)
        pp_format_append(
            text, sizeof(text),
            "; the first figure is a median, its mean is %s (frames with much more work, and other "
            "programs on the same CPU, raise the mean)",
            pp_format_rough(a, sum / frames, 3));
    pp_print(out, "   overhead     ");
    pp_format_wrap(out, 16, 16, text);
}

/* Print the GPU overhead of brackets, as far as it is known. */
static void
print_brackets(FILE *out, const struct pp_saved_session *rec, double frames)
{
    char a[PP_FORMATTED_MAX];
    char text[400] = "";
    struct pp_bracket_bias bias = pp_bias_of_surface(rec, rec->shown);
    double a_frame = count_of(rec, "brackets") / frames;
    const char *level = json_string_value(pp_saved_json(rec, "options.level"));
    if (isnan(bias.median_ns))
        return;
    pp_format_append(text, sizeof(text), "an empty bracket measures %s, ",
                     pp_format_rough(a, bias.median_ns, 3));
    pp_format_append(
        text, sizeof(text),
        "spread %s; passprobe subtracts this from each pass, but not from GPU time and GPU busy of frames",
        pp_format_rough(a, bias.spread_ns, 2));
    if (a_frame > 0 && frames > 0)
        pp_format_append(text, sizeof(text), "; estimated GPU overhead: %.*f brackets a frame take %s%s",
                         a_frame < 100 ? 1 : 0, a_frame, pp_format_rough(a, a_frame * bias.median_ns, 2),
                         level && strcmp(level, "frame") == 0
                             ? ""
                             : "; to see stalls that brackets cause, compare with a --level frame run");
    pp_print(out, "   brackets     ");
    pp_format_wrap(out, 16, 16, text);
}

/* Print the one line on what measuring cost and on what was lost. */
static void
print_line(FILE *out, const struct pp_saved_session *rec)
{
    double percent = overhead_percent(rec), mean = mean_percent(rec);
    bool known = !isnan(pp_saved_number(rec, "dropped.frames"));
    char losses[PP_LOSSES_MAX][PP_LOSS_TEXT], text[PP_LOSSES_MAX * PP_LOSS_TEXT + 300] = "";
    char frames[PP_FORMATTED_MAX];
    size_t lost = pp_losses_list(rec, true, losses);
    if (isfinite(percent) && mean > 0)
        pp_format_append(text, sizeof(text), "measuring cost %.*f to %.0f %% of frame time",
                         percent < 10 ? 1 : 0, percent, mean);
    else if (isfinite(percent))
        pp_format_append(text, sizeof(text), "measuring cost %.*f %% of frame time", percent < 10 ? 1 : 0,
                         percent);
    else
        pp_format_append(text, sizeof(text), "the cost of measuring is not known");
    if (isfinite(percent) && is_of_whole(rec))
        pp_format_append(text, sizeof(text), " of the whole session");
    if (known && !lost)
        pp_format_append(text, sizeof(text), ", nothing lost%s (-v: details)",
                         pp_saved_end(rec, NULL) == PP_SAVED_STOPPED ? " until profiling stopped" : "");
    for (size_t i = 0; i < lost; i++)
        pp_format_append(text, sizeof(text), "; %s", losses[i]);
    double stopped = count_of(rec, "not_recorded_frames");
    if (stopped > 0)
        pp_format_append(text, sizeof(text), "; recording was stopped during %s more %s",
                         pp_format_count(frames, stopped, 0), pp_format_noun(stopped, "frame", "frames"));
    pp_print_char(out, ' ');
    pp_format_wrap(out, 1, 1, text);
}

void
pp_cost_print(FILE *out, const struct pp_saved_session *rec, bool verbose)
{
    /* from session.json, which exists also after a kill */
    double counted = count_of(rec, "frames");
    double frames = isnan(counted) ? (double)pp_saved_frames(rec) : counted;
    print_line(out, rec);
    if (!verbose)
        return;
    print_overhead(out, rec, frames);
    print_brackets(out, rec, frames);
}

const char *
pp_cost_path(const struct pp_saved_session *rec)
{
    if (rec->window.recorded)
        return "window.own_cost";
    return pp_saved_number(rec, "own_cost.without_first.frames") > 0 ? "own_cost.without_first" : "own_cost";
}
