/** @file
 * See cost.h. */
#include "cli/print/cost.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/bracket_bias.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "pp_texts.h"

#define BURDEN_PERCENT 10
#define MEAN_TELLS     1.5 /* times the median: then the mean is printed, too */

/* Time that passprobe's calls took on the application's threads: the usual time, if the session has it. */
static double
overhead_hooks_ns(const struct pp_saved_session *rec)
{
    double usual = pp_saved_number(rec, "own_cost.hooks_usual_ns");
    return isnan(usual) ? pp_saved_number(rec, "own_cost.hooks_cpu_ns") : usual;
}

void
pp_cost_print_burden(FILE *out, const struct pp_saved_session *rec)
{
    double hooks = overhead_hooks_ns(rec);
    double frames = pp_saved_number(rec, "own_cost.frame_time_ns");
    double percent = 100 * hooks / frames;
    if (!isfinite(percent) || percent < BURDEN_PERCENT)
        return;
    char text[160];
    const char *level = json_string_value(pp_saved_json(rec, "options.level"));
    snprintf(text, sizeof(text), PP_FORMAT_SUMMARY_BURDEN, percent,
             percent >= 50 ? PP_TEXT_SUMMARY_NOT_REAL : PP_TEXT_SUMMARY_FASTER,
             level && strcmp(level, "frame") == 0 ? "" : PP_TEXT_SUMMARY_COARSER);
    pp_print(out, "%31s", "#  ");
    pp_format_wrap(out, 31, 31, text);
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
    double sum = pp_saved_number(rec, "own_cost.hooks_cpu_ns");
    double collector = pp_saved_number(rec, "own_cost.collector_cpu_ns");
    double percent = pp_saved_number(rec, "own_cost.percent");
    if (isnan(hooks) || !(frames > 0))
        return;
    bool median = !isnan(pp_saved_number(rec, "own_cost.hooks_usual_ns"));
    pp_format_append(text, sizeof(text), PP_FORMAT_OVERHEAD_THREADS,
                     pp_format_rough(a, hooks / frames, median ? 2 : 3));
    pp_format_append(text, sizeof(text), PP_FORMAT_OVERHEAD_COLLECTOR,
                     pp_format_rough(a, collector / frames, 3));
    if (!isnan(percent))
        pp_format_append(text, sizeof(text), PP_FORMAT_OVERHEAD_PERCENT, percent < 10 ? 1 : 0, percent);
    if (sum > MEAN_TELLS * hooks)
        pp_format_append(text, sizeof(text), PP_FORMAT_OVERHEAD_MEAN, pp_format_rough(a, sum / frames, 3));
    pp_print(out, PP_TEXT_OVERHEAD_LABEL);
    pp_format_wrap(out, 16, 16, text);
}

/* Print the GPU overhead of brackets, as far as it is known. */
static void
print_brackets(FILE *out, const struct pp_saved_session *rec, double frames)
{
    char a[PP_FORMATTED_MAX];
    char text[400] = "";
    struct pp_bracket_bias bias = pp_bias_of_scope(rec, "pass");
    double a_frame = pp_saved_number(rec, "counts.brackets") / frames;
    const char *level = json_string_value(pp_saved_json(rec, "options.level"));
    if (isnan(bias.median_ns))
        return;
    pp_format_append(text, sizeof(text), PP_FORMAT_BRACKETS_EMPTY, pp_format_rough(a, bias.median_ns, 3));
    pp_format_append(text, sizeof(text), PP_FORMAT_BRACKETS_SPREAD, pp_format_rough(a, bias.spread_ns, 2));
    if (a_frame > 0 && frames > 0)
        pp_format_append(text, sizeof(text), PP_FORMAT_BRACKETS_FRAME, a_frame < 100 ? 1 : 0, a_frame,
                         pp_format_rough(a, a_frame * bias.median_ns, 2),
                         level && strcmp(level, "frame") == 0 ? "" : PP_TEXT_BRACKETS_STALLS);
    pp_print(out, "   brackets     ");
    pp_format_wrap(out, 16, 16, text);
}

/* Print which frames, times and counters the rows lack. */
static void
print_lost(FILE *out, const struct pp_saved_session *rec)
{
    static const char *const member[] = {
        "dropped.frames",        "dropped.times_rejected",    "dropped.times_not_landed",
        "dropped.counters_lost", "dropped.counters_rejected", "dropped.frames_incomplete",
        "dropped.brackets"};
    enum { FRAMES, REJECTED, LATE, COUNTS_LOST, COUNTS_REJECTED, INCOMPLETE, BRACKETS, MEMBERS };
    double many[MEMBERS];
    bool any = rec->bad_rows > 0, known = !isnan(pp_saved_number(rec, member[FRAMES]));
    for (int i = 0; i < MEMBERS; i++) {
        many[i] = pp_saved_number(rec, member[i]);
        many[i] = isnan(many[i]) ? 0 : many[i];
        any |= many[i] > 0;
    }
    if (!any && known)
        pp_print(out, PP_TEXT_LOST_NOTHING "\n");
    if (!any)
        return;
    pp_print(out, PP_FORMAT_LOST_LINE "\n", many[FRAMES], pp_format_noun(many[FRAMES], "frame", "frames"),
             many[REJECTED], pp_format_noun(many[REJECTED], "time", "times"),
             many[REJECTED] > 0 ? PP_TEXT_LOST_CONTRADICT : "", many[LATE]);
    if (many[COUNTS_LOST] > 0 || many[COUNTS_REJECTED] > 0)
        pp_print(out, PP_FORMAT_LOST_LINE_COUNTERS "\n", many[COUNTS_LOST],
                 pp_format_noun(many[COUNTS_LOST], "result", "results"), many[COUNTS_REJECTED]);
    if (many[INCOMPLETE] > 0)
        pp_print(out, PP_FORMAT_LOST_LINE_FRAMES "\n", many[INCOMPLETE],
                 pp_format_noun(many[INCOMPLETE], PP_TEXT_LOST_LACKS, PP_TEXT_LOST_LACK));
    if (many[BRACKETS] > 0)
        pp_print(out, PP_FORMAT_LOST_LINE_BRACKETS "\n", many[BRACKETS],
                 pp_format_noun(many[BRACKETS], PP_TEXT_LOST_BRACKET_WAS, PP_TEXT_LOST_BRACKETS_WERE));
}

void
pp_cost_print(FILE *out, const struct pp_saved_session *rec)
{
    double counted =
        pp_saved_number(rec, "counts.frames"); /* from session.json, which exists also after a kill */
    double frames = isnan(counted) ? (double)pp_saved_frames(rec) : counted;
    pp_print_char(out, '\n');
    print_overhead(out, rec, frames);
    print_brackets(out, rec, frames);
    print_lost(out, rec);
    if (rec->bad_rows)
        pp_print(out, "   unreadable   %llu %s\n", (unsigned long long)rec->bad_rows,
                 pp_format_noun((double)rec->bad_rows, "row", "rows"));
}
