/** @file
 * See summary.h. */
#include "cli/print/summary.h"
#include "cli/session/session_shown.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/surfaces.h"
#include "cli/print/cost.h"
#include "cli/print/counters.h"
#include "cli/print/draws.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/not_measured.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define TOP_PASSES   10U
#define TOP_DRAWS    8U
#define OTHER_PASSES 5U /* of a surface after the first one */
#define OTHER_DRAWS  4U
#define WORST_SHARE  0.01
#define LAST_PERCENT 0.999

/* The levels whose frames the table of times shows. Finer brackets change the times that they measure, so no
 * row mixes levels. */
struct populations {
    size_t cpu;        /* the coarsest level that at least a tenth of the frames have */
    size_t gpu;        /* the same, among the frames whose GPU times are known */
    uint64_t left_out; /* frames with times at other levels than `cpu` */
};

/* A level with a smaller share of all frames does not represent them. */
#define FEW_SHARE 0.1

/* Find the coarsest level whose frames may represent all frames. */
static size_t
coarsest(const size_t frames[PP_SAVED_LEVELS])
{
    size_t all = 0;
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        all += frames[i];
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        if (all && (double)frames[i] >= FEW_SHARE * (double)all)
            return i;
    return 0; /* no level has frames */
}

static struct populations
populations_of(const struct pp_saved_surface *s)
{
    struct populations ret = {.left_out = 0};
    size_t cpu[PP_SAVED_LEVELS], busy[PP_SAVED_LEVELS], gpu[PP_SAVED_LEVELS], with_gpu = 0;
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++) {
        cpu[i] = s->times[i].frame_time.len;
        busy[i] = s->times[i].gpu_busy.len;
        gpu[i] = s->times[i].gpu_time.len;
        with_gpu += busy[i];
    }
    ret.cpu = coarsest(cpu);
    ret.gpu = coarsest(with_gpu ? busy : gpu);
    for (size_t i = 0; i < PP_SAVED_LEVELS; i++)
        ret.left_out += i == ret.cpu ? 0 : cpu[i];
    return ret;
}

static const char *const level_name[PP_SAVED_LEVELS] = {"frame", "pass", "draw"};

static void
print_title(FILE *out, const struct pp_saved_session *rec, const char *command)
{
    char name[400];
    bool serialized = json_is_true(pp_saved_json(rec, "options.serialize"));
    pp_print(out, "\n" PP_FORMAT_SUMMARY_TITLE "\n",
             pp_format_middle(name, sizeof(name), command, serialized ? 42 : 54),
             serialized ? ", serialized" : "");
}

static void
print_head(FILE *out, const struct pp_saved_surface *s, const struct populations *of)
{
    const struct pp_series *times = &s->times[of->cpu].frame_time;
    char text[PP_FORMATTED_MAX];
    char name[400];
    char rate[PP_FORMATTED_MAX], seconds[PP_FORMATTED_MAX];
    double fps = pp_average_fps(times->value, times->len, 1e9);
    pp_print(out, "\n   %s on ", pp_format_name(name, sizeof(name), s->api, 10));
    pp_print(out, "%s", pp_format_name(name, sizeof(name), s->device, 40));
    pp_print(out, "%s%s\n\n", *s->surface ? ", " : "", pp_format_name(name, sizeof(name), s->surface, 18));
    pp_print(out, "  %12s  %s", pp_format_count(text, (double)s->frames, 0),
             pp_format_noun((double)s->frames, "frame", "frames"));
    if (isfinite(fps) && fps > 0)
        pp_print(out, "      #  %s FPS: %s %s / %s s%s%s", pp_format_fixed(rate, fps, 2),
                 pp_format_count(text, (double)times->len, 0),
                 pp_format_noun((double)times->len, "frame", "frames"),
                 pp_format_fixed(seconds, (double)times->len / fps, 3), of->left_out ? PP_TEXT_AT_LEVEL : "",
                 of->left_out ? level_name[of->cpu] : "");
    pp_print(out, "\n" PP_FORMAT_SUMMARY_SECONDS "\n", pp_format_fixed(text, s->total_ns / 1e9, 3),
             pp_format_fixed(seconds, isnan(s->first.frame_time) ? 0 : s->first.frame_time / 1e9, 3));
    uint64_t finer = s->by_level[PP_SAVED_PASS] + s->by_level[PP_SAVED_DRAW];
    if (finer && finer < s->frames)
        pp_print(out, PP_FORMAT_SUMMARY_FINER "\n", pp_format_count(text, (double)finer, 0),
                 level_name[s->by_level[PP_SAVED_DRAW] ? PP_SAVED_DRAW : PP_SAVED_PASS],
                 s->by_level[PP_SAVED_DRAW] ? PP_TEXT_SUMMARY_AND_DRAWS : "");
}

/* Print that the figures are those of a part of the run. */
static void
print_stopped(FILE *out, const struct pp_saved_session *rec)
{
    const char *why = NULL;
    if (pp_saved_end(rec, &why) != PP_SAVED_STOPPED)
        return;
    pp_print(out, PP_TEXT_SUMMARY_STOPPED);
    pp_format_wrap(out, 50, 16, why);
}

/* Print one row of the table of times. */
static void
print_times(FILE *out, const char *name, struct pp_series *series, const struct pp_time_unit *unit)
{
    static const double p[] = {0.50, 0.95, 0.99, LAST_PERCENT};
    char text[PP_FORMATTED_MAX];
    if (!series->len) {
        pp_print(out, PP_FORMAT_SUMMARY_NONE "\n", name);
        return;
    }
    pp_stats_sort(series->value, series->len);
    pp_print(out, "   %-12s %10s", name,
             pp_format_time(text, pp_stats_mean(series->value, series->len), unit));
    for (size_t i = 0; i < PP_ARRAY_SIZE(p); i++) {
        bool enough = i == 0 || pp_low_enough(1 - p[i], series->len);
        double value = enough ? pp_quantile7(series->value, series->len, p[i]) : (double)NAN;
        pp_print(out, " %10s", pp_format_time(text, value, unit));
    }
    pp_print(out, " %9s\n", pp_format_count(text, (double)series->len, 0));
}

static void
print_worst(FILE *out, const struct pp_series *sorted, const struct pp_time_unit *unit)
{
    char text[PP_FORMATTED_MAX];
    double fps = pp_low_fps(PP_LOW_WORST_MEAN, WORST_SHARE, sorted->value, sorted->len, 1e9);
    if (pp_low_enough(WORST_SHARE, sorted->len))
        pp_print(out, PP_FORMAT_SUMMARY_WORST "\n", pp_format_time(text, 1e9 / fps, unit));
    else
        pp_print(out, PP_FORMAT_SUMMARY_FEW "\n");
}

static void
print_table(FILE *out, struct pp_saved_surface *s, const struct populations *of)
{
    struct pp_saved_times *cpu = &s->times[of->cpu];
    struct pp_saved_times *gpu = &s->times[of->gpu];
    struct pp_series *times = &cpu->frame_time;
    double mean = pp_stats_mean(times->value, times->len);
    const struct pp_time_unit *unit = pp_time_unit_for(isnan(mean) ? 0 : mean);
    pp_print(out, "\n   in %-9s %10s %10s %10s %10s %10s %9s\n", unit->name, "mean", "p50", "p95", "p99",
             "p99.9", "frames");
    print_times(out, PP_TEXT_TIME_FRAME, times, unit);
    print_times(out, PP_TEXT_TIME_CPU_BUSY, &cpu->cpu_busy, unit);
    print_times(out, PP_TEXT_TIME_CPU_WAIT, &cpu->cpu_wait, unit);
    print_times(out, PP_TEXT_BY_GPU_TIME, &gpu->gpu_time, unit);
    print_times(out, PP_TEXT_TIME_GPU_BUSY, &gpu->gpu_busy, unit);
    print_times(out, PP_TEXT_TIME_GPU_WAIT, &gpu->gpu_wait, unit);
    if (times->len)
        print_worst(out, times, unit);
}

/* Print the verdicts of the frames whose GPU times are known. */
static void
print_verdicts(FILE *out, const struct pp_saved_surface *s, const struct populations *of)
{
    static const char *const name[PP_VERDICT_NONE] = {"cpu", "gpu", "present", "sync"};
    const uint64_t *verdict = s->times[of->gpu].verdict;
    uint64_t known = 0;
    for (size_t i = 0; i < PP_VERDICT_NONE; i++)
        known += verdict[i];
    if (!known)
        return;
    pp_print(out, PP_TEXT_SUMMARY_BOUND);
    const char *separator = " ";
    for (size_t i = 0; i < PP_VERDICT_NONE; i++) {
        if (!verdict[i])
            continue;
        pp_print(out, "%s%s %.1f%%", separator, name[i], 100.0 * (double)verdict[i] / (double)known);
        separator = ", ";
    }
    char a[PP_FORMATTED_MAX];
    char b[PP_FORMATTED_MAX];
    uint64_t unknown = verdict[PP_VERDICT_NONE];
    if (unknown)
        pp_print(out, "\n" PP_FORMAT_SUMMARY_UNKNOWN, "", pp_format_count(a, (double)known, 0),
                 pp_format_noun((double)known, "frame", "frames"), pp_format_count(b, (double)unknown, 0),
                 pp_format_noun((double)unknown, "other", "others"));
    else if (of->gpu != of->cpu)
        pp_print(out, ", of %s %s", pp_format_count(a, (double)known, 0),
                 pp_format_noun((double)known, "frame", "frames"));
    pp_print_char(out, '\n');
}

/* Print what measuring changed, as the devices report it. */
static void
print_changes(FILE *out, const struct pp_saved_session *rec)
{
    json_t *devices = pp_saved_json(rec, "devices");
    for (size_t d = 0; d < json_array_size(devices); d++) {
        json_t *notes = json_object_get(json_array_get(devices, d), "notes");
        for (size_t i = 0; i < json_array_size(notes); i++) {
            const char *note = json_string_value(json_array_get(notes, i));
            if (!note)
                continue;
            pp_print(out, "   note         ");
            pp_format_wrap(out, 16, 16, note);
        }
    }
}

/* Print the surfaces without a table. */
static void
print_other_surfaces(FILE *out, const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking)
{
    size_t surfaces = ranking->len - ranking->matter;
    uint64_t frames = 0;
    double share = 0;
    for (size_t i = ranking->matter; i < ranking->len; i++) {
        frames += rec->surface[ranking->rank[i].index].frames;
        share += ranking->rank[i].share;
    }
    pp_print(out, PP_FORMAT_SURFACES_OTHER, surfaces, pp_format_noun((double)surfaces, "surface", "surfaces"),
             (unsigned long long)frames, pp_format_noun((double)frames, "frame", "frames"));
    if (isfinite(share))
        pp_print(out, PP_FORMAT_SURFACES_SHARE, 100 * share);
    pp_print(out, PP_TEXT_SEE_REPORT "\n");
}

/* Print which frames the headline figures contain. */
static void
print_population(FILE *out, const struct pp_saved_session *rec, const struct pp_saved_surface *s, bool named)
{
    const struct populations populations = populations_of(s), *of = &populations;
    char name[200];
    if (!of->left_out)
        return;
    if (named)
        pp_print(out, " Of %s:\n", pp_format_name(name, sizeof(name), s->surface, 40));
    bool coarser = of->cpu != PP_SAVED_FRAME && s->times[PP_SAVED_FRAME].frame_time.len;
    pp_print(out, PP_FORMAT_POPULATION_CPU, level_name[of->cpu], (unsigned long long)of->left_out,
             coarser ? "another" : PP_TEXT_POPULATION_FINER);
    if (of->gpu != of->cpu)
        pp_print(out, PP_FORMAT_POPULATION_GPU, level_name[of->gpu]);
    pp_print(out, ".\n");
    if (pp_saved_number(rec, "options.slower_than_ns") > 0)
        pp_print(out, PP_FORMAT_POPULATION_SLOWER "\n",
                 level_name[of->gpu > of->cpu            ? of->gpu
                            : s->by_level[PP_SAVED_DRAW] ? PP_SAVED_DRAW
                                                         : PP_SAVED_PASS]);
}

static void
print_notes(FILE *out, const struct pp_saved_session *rec, const struct pp_surface_ranking *ranking,
            const char *dir, const char *end)
{
    char name[600];
    pp_print(out, "\n" PP_TEXT_SUMMARY_LEGEND);
    for (size_t i = 0; i < ranking->matter; i++)
        print_population(out, rec, &rec->surface[ranking->rank[i].index], ranking->matter > 1);
    if (json_is_true(pp_saved_json(rec, "options.serialize")))
        pp_print(out, PP_TEXT_SUMMARY_SERIALIZED "\n");
    if (ranking->matter < ranking->len)
        print_other_surfaces(out, rec, ranking);
    if (!rec->json)
        pp_print(out, PP_FORMAT_SUMMARY_NO_JSON "\n",
                 pp_format_name(name, sizeof(name), rec->json_error, 48));
    if (*end) {
        pp_print_char(out, ' ');
        pp_format_wrap(out, 1, 1, end);
    }
    pp_print(out, " Session: %s\n\n", pp_format_name(name, sizeof(name), dir, 140));
}

/* Print the times, passes, draws and counters of a surface. The first surface also shows work without a
 * frame. */
static void
print_surface(FILE *out, struct pp_saved_session *rec, size_t index, bool first)
{
    struct pp_saved_surface *s = &rec->surface[index];
    struct populations of = populations_of(s);
    pp_saved_show(rec, index);
    if (!first)
        pp_saved_show_frames_only(rec);
    print_head(out, s, &of);
    if (first) {
        print_stopped(out, rec);
        pp_cost_print_burden(out, rec);
    }
    print_table(out, s, &of);
    print_verdicts(out, s, &of);
    pp_passes_print_short(out, rec, first ? TOP_PASSES : OTHER_PASSES);
    pp_draws_print_short(out, rec, first ? TOP_DRAWS : OTHER_DRAWS);
    pp_counters_print(out, rec, s, false);
}

void
pp_summary_print(FILE *out, struct pp_saved_session *rec, const char *command, const char *dir,
                 const char *end)
{
    struct pp_surface_ranking ranking;
    if (!rec->surfaces)
        return;
    if (pp_surfaces_rank(rec, &ranking)) {
        pp_message(PP_TEXT_SUMMARY_MEMORY);
        return;
    }
    print_title(out, rec, command);
    for (size_t i = 0; i < ranking.matter; i++)
        print_surface(out, rec, ranking.rank[i].index, i == 0);
    pp_not_measured_print(out, rec, "");
    pp_cost_print(out, rec);
    print_changes(out, rec);
    print_notes(out, rec, &ranking, dir, end);
    pp_surface_ranking_finish(&ranking);
    fflush(out);
}
