/** @file
 * See report.h. */
#include "cli/print/report.h"

#include <math.h>
#include <string.h>

#include "cli/analysis/summary.h"
#include "cli/print/passes.h"
#include "cli/text/format.h"
#include "cli/text/print.h"
#include "counters/util/array_size.h"
#include "pp_texts.h"

#define UNIT_WIDEST 24U
#define SHORT_MOST  12U /* counters in the summary */

/* A value as it is printed. */
struct shown {
    char number[PP_FORMATTED_MAX];
    char unit[4 * UNIT_WIDEST + 8]; /* "" where the name says it all */
    char name[256];
};

/* Steps of a unit, the largest first. */
struct step {
    double size;
    const char *unit;
};

static const struct suffix {
    const char *text;
    struct step step[5];
} suffixes[] = {
    {"_ns", {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {0, "ns"}}},
    {"_bytes", {{1099511627776., "TiB"}, {1073741824., "GiB"}, {1048576., "MiB"}, {1024., "KiB"}, {0, "B"}}},
    {"_hz", {{1e9, "GHz"}, {1e6, "MHz"}, {1e3, "kHz"}, {0, "Hz"}}},
    {"_percent", {{0, "%"}}},
};

/* Choose a unit that suits a value. If the column's name ends in a unit, print the name without it.
 */
static void
show(struct shown *shown, const struct pp_saved_session *rec, const char *name, double value)
{
    size_t length = strlen(name);
    shown->unit[0] = '\0';
    if (pp_counter_is_metric(name)) {
        const char *unit = pp_counter_metric_unit(rec, name);
        pp_format_name(shown->unit, sizeof(shown->unit), strcmp(unit, "percent") == 0 ? "%" : unit,
                       UNIT_WIDEST);
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(suffixes) && !pp_counter_is_metric(name); i++) {
        size_t tail = strlen(suffixes[i].text);
        const struct step *step = suffixes[i].step;
        if (length <= tail || strcmp(name + length - tail, suffixes[i].text) != 0)
            continue;
        while (step->size > 0 && fabs(value) < step->size)
            step++;
        value /= step->size > 0 ? step->size : 1;
        snprintf(shown->unit, sizeof(shown->unit), "%s", step->unit);
        length -= tail;
        break;
    }
    pp_format_figure(shown->number, value);
    snprintf(shown->name, sizeof(shown->name), "%.*s", length < sizeof(shown->name) ? (int)length : 250,
             name);
}

/* The counters or metrics that are printed under one title. */
struct section {
    const struct pp_saved_session *rec;
    const struct pp_saved_surface *s;
    bool metrics; /* else counters */
    size_t unit_width;
    double most; /* frames that one of them has at most */
};

/* Compute the figures of a counter. @return false: it does not belong to the section, or has no values. */
static bool
figures_of(const struct section *of, size_t i, struct pp_counter_figures *ret)
{
    return pp_counter_figures_make(of->rec, of->s, i, ret) && ret->metric == of->metrics;
}

/* Find how many frames there are at most, and how wide the units are. */
static void
section_make(struct section *of, const struct pp_saved_session *rec, const struct pp_saved_surface *s,
             bool metrics)
{
    *of = (struct section){.rec = rec, .s = s, .metrics = metrics};
    for (size_t i = 0; i < rec->counters; i++) {
        struct shown shown;
        struct pp_counter_figures how;
        if (!figures_of(of, i, &how))
            continue;
        of->most = how.frames > of->most ? how.frames : of->most;
        if (how.zero)
            continue;
        show(&shown, rec, rec->counter[i], how.mean);
        of->unit_width = strlen(shown.unit) > of->unit_width ? strlen(shown.unit) : of->unit_width;
    }
    of->unit_width = of->unit_width < UNIT_WIDEST ? of->unit_width : UNIT_WIDEST;
}

static void
print_shown(FILE *out, const struct shown *shown, size_t unit_width, const char *after)
{
    char name[4 * 256 + 8];
    size_t used = 2 + 18 + (unit_width ? 1 + unit_width : 0) + 2 + strlen(after);
    size_t columns = pp_format_columns(out);
    pp_print(out, "  %18s", shown->number);
    if (unit_width)
        pp_print(out, " %-*s", (int)unit_width, shown->unit);
    pp_print(out, "  %s%s\n",
             pp_format_middle(name, sizeof(name), shown->name, pp_format_left(columns, used, 16)), after);
}

/* Format the remark on a rotated counter: its duty cycle, and the possible error of its mean. */
static void
format_rotation(char *out, size_t size, const struct pp_counter_figures *how)
{
    char number[PP_FORMATTED_MAX];
    double percent = 100 * how->error / fabs(how->mean);
    int n = snprintf(out, size, "  %s  duty %.1f%%", how->state ? "mean" : "scaled", 100 * how->duty);
    if (how->state || isnan(how->error) || n < 0 || (size_t)n >= size)
        return;
    if (how->error <= 0 || percent < 1000) /* round up: the figure is a bound */
        snprintf(out + n, size - (size_t)n, ", +-%.1f%%",
                 how->error > 0 ? ceil(10 * percent - 0.001) / 10 : 0);
    else /* the mean is nearly 0, so the error is not a share of it */
        snprintf(out + n, size - (size_t)n, ", +-%s", pp_format_figure(number, how->error));
}

static void
print_counter(FILE *out, const struct section *of, const struct pp_counter_figures *how)
{
    struct shown shown;
    char after[120] = "";
    show(&shown, of->rec, how->name, how->mean);
    if (how->rotated)
        format_rotation(after, sizeof(after), how);
    else if (how->frames < of->most)
        snprintf(after, sizeof(after), "  %sof %.0f %s", how->state ? "mean " : "", how->frames,
                 pp_format_noun(how->frames, "frame", "frames"));
    else if (how->state)
        snprintf(after, sizeof(after), "  mean");
    print_shown(out, &shown, of->unit_width, after);
}

static void
print_title(FILE *out, const struct section *of, bool report)
{
    char count[PP_FORMATTED_MAX];
    char name[200];
    bool several = report && of->rec->surfaces > 1;
    const char *what = of->metrics ? "metrics" : "per frame";
    pp_format_count(count, of->most, 0);
    pp_print(out, report ? "#\n# %c%s" : "\n   %c%s", report ? what[0] - 'a' + 'A' : what[0], what + 1);
    if (several)
        pp_print(out, " of %s", pp_format_name(name, sizeof(name), of->s->surface, 40));
    pp_print(out, ", mean of %s %s\n", count, pp_format_noun(of->most, "frame", "frames"));
    if (report)
        pp_print(out, "#\n");
}

/* Print the counters that were measured and always 0. */
static void
print_zeros(FILE *out, const struct section *of, size_t zeros, const char *last, bool others)
{
    char name[512];
    pp_print(out, "  %18s%*s  in every frame: ", "0", of->unit_width ? (int)of->unit_width + 1 : 0, "");
    if (zeros == 1)
        pp_print(out, "%s\n", pp_format_middle(name, sizeof(name), last, 40));
    else
        pp_print(out, "%s %zu\n", others ? "the other" : "all", zeros);
}

static void
print_section(FILE *out, const struct pp_saved_session *rec, const struct pp_saved_surface *s, bool metrics,
              bool report)
{
    struct section of;
    size_t zeros = 0, zero = 0, shown = 0, most = report ? SIZE_MAX : SHORT_MOST; /* of counters of others */
    bool title = false;
    section_make(&of, rec, s, metrics);
    for (size_t i = 0; i < rec->counters; i++) {
        struct pp_counter_figures how;
        if (!figures_of(&of, i, &how))
            continue;
        if (how.zero) {
            zeros++;
            zero = i;
            continue;
        }
        if (!title)
            print_title(out, &of, report);
        title = true;
        bool of_user = metrics || strncmp(rec->counter[i], "app:", 4) == 0;
        if (shown < most || of_user)
            print_counter(out, &of, &how);
        shown += !of_user;
    }
    if (shown > most)
        pp_print(out, PP_FORMAT_MORE_ENTRIES_SHORT "\n", shown - most,
                 pp_format_noun((double)(shown - most), "counter", "counters"), pp_saved_operand(rec));
    if (zeros && !title)
        print_title(out, &of, report);
    if (zeros)
        print_zeros(out, &of, zeros, rec->counter[zero], title);
}

void
pp_counters_print(FILE *out, const struct pp_saved_session *rec, const struct pp_saved_surface *s,
                  bool report)
{
    print_section(out, rec, s, false, report);
    print_section(out, rec, s, true, report);
}

/* Print the metrics of one pass. */
static void
print_pass(FILE *out, const struct pp_saved_session *rec, const struct pp_saved_pass *pass)
{
    char title[1024];
    struct shown shown;
    size_t width = 0;
    bool any = false;
    for (size_t i = 0; i < rec->pass_metrics; i++) {
        show(&shown, rec, rec->pass_metric[i], 0);
        width = strlen(shown.unit) > width ? strlen(shown.unit) : width;
    }
    for (size_t i = 0; i < rec->pass_metrics; i++) {
        const struct pp_saved_sum *sum = &pass->metric[i];
        if (!sum->rows)
            continue;
        if (!any)
            pp_print(out, "  %s\n",
                     pp_pass_title(title, sizeof(title), rec, pass,
                                   pp_format_left(pp_format_columns(out), 2, 16)));
        any = true;
        show(&shown, rec, rec->pass_metric[i], sum->sum / (double)sum->rows);
        print_shown(out, &shown, width < UNIT_WIDEST ? width : UNIT_WIDEST, "");
    }
}

void
pp_counters_print_passes(FILE *out, const struct pp_saved_session *rec, size_t most)
{
    bool title = false;
    for (size_t i = 0; i < rec->passes && i < most; i++) {
        const struct pp_saved_pass *pass = &rec->pass[i];
        bool any = false;
        for (size_t m = 0; pass->metric && m < rec->pass_metrics && !any; m++)
            any = pass->metric[m].rows > 0;
        if (!any)
            continue;
        if (!title)
            pp_print(out, "#\n# Metrics by pass: means of its rows without first frames\n#\n");
        title = true;
        print_pass(out, rec, pass);
    }
}
