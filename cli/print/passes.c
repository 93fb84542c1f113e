/** @file
 * See passes.h. */
#include "cli/print/passes.h"

#include <math.h>
#include <string.h>

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "counters/stats/stats.h"
#include "pp_texts.h"

/* Statistics of one pass, minus what an empty bracket measures. */
struct row {
    double share_percent, mean, p50, p95, p99;
    bool unresolved; /* the mean is below the resolution of brackets */
};

/* Sum of a pass's times, minus the empty brackets. */
static double
net_total(const struct pp_saved_pass *pass, const struct pp_bracket_bias *bias)
{
    return pp_less(pass->total_ns, bias->median_ns * (double)pass->gpu_time.len);
}

static void
row_make(struct row *row, struct pp_saved_pass *pass, double all_ns, const struct pp_bracket_bias *bias)
{
    double *t = pass->gpu_time.value;
    size_t n = pass->gpu_time.len;
    pp_stats_sort(t, n);
    row->share_percent = all_ns > 0 ? 100 * net_total(pass, bias) / all_ns : (double)NAN;
    row->mean = pp_less(pp_stats_mean(t, n), bias->median_ns);
    row->p50 = pp_less(pp_quantile7(t, n, 0.50), bias->median_ns);
    row->p95 = pp_less(pp_quantile7(t, n, 0.95), bias->median_ns);
    row->p99 = pp_less(pp_quantile7(t, n, 0.99), bias->median_ns);
    row->unresolved = row->mean < 3 * bias->spread_ns; /* false where the spread is not known (NaN) */
}

double
pp_passes_total(const struct pp_saved_session *rec, const struct pp_bracket_bias *bias)
{
    double all = 0;
    for (size_t i = 0; i < rec->shown_passes; i++)
        all += net_total(&rec->pass[i], bias);
    return all;
}

/* The unit in which the most expensive pass reads best. */
static const struct pp_time_unit *
table_unit(const struct pp_saved_session *rec)
{
    const struct pp_series *t = &rec->pass[0].gpu_time;
    return pp_time_unit_for(t->len ? rec->pass[0].total_ns / (double)t->len : 0);
}

/* Are there rows of several surfaces in the tables? */
static bool
several(const struct pp_saved_session *rec)
{
    return rec->shown == PP_SAVED_NO_SURFACE && rec->surfaces > 1;
}

/* Name of a pass. If there are several surfaces, the surface replaces "window". */
static const char *
name_of(const struct pp_saved_session *rec, const struct pp_saved_pass *pass)
{
    if (several(rec) && pass->surface < rec->surfaces && strcmp(pass->name, "window") == 0)
        return rec->surface[pass->surface].surface;
    return *pass->name ? pass->name : *pass->kind ? pass->kind : "(no name)";
}

const char *
pp_pass_title(char *text, size_t size, const struct pp_saved_session *rec, const struct pp_saved_pass *pass,
              size_t columns)
{
    char joined[8192];
    char which[160] = "";
    char label[4096];
    const char *name = name_of(rec, pass);
    const char *path = pp_saved_label_text(rec, pass->label, pass->label, label, sizeof(label));
    bool same = strcmp(pp_format_last_name(pass->label), name) == 0 || strcmp(pass->label, name) == 0;
    if (pass->surface == PP_SAVED_NO_SURFACE && rec->frames)
        snprintf(which, sizeof(which), PP_TEXT_PASS_NO_FRAME);
    else if (pass->twin || (pass->kept == 0 && rec->measured_frames))
        snprintf(which, sizeof(which), " (pass %llu%s%.8s%s)", (unsigned long long)pass->place,
                 pass->same_place ? ", id " : "", pass->same_place ? pass->pass_id : "",
                 pass->kept ? "" : PP_TEXT_PASS_FIRST_ONLY);
    if (several(rec) && pass->surface < rec->surfaces && name != rec->surface[pass->surface].surface)
        pp_format_append(which, sizeof(which), ", %.40s", rec->surface[pass->surface].surface);
    if (!*pass->label || same)
        snprintf(joined, sizeof(joined), "%.4000s%s", *pass->label ? path : name, which);
    else
        snprintf(joined, sizeof(joined), "%.4000s: %.4000s%s", path, name, which);
    return pp_format_middle(text, size, joined, columns);
}

void
pp_print_percent(FILE *out, double percent)
{
    char text[PP_FORMATTED_MAX];
    if (!isfinite(percent))
        pp_print(out, "       -");
    else
        pp_print(out, " %6s%%", pp_format_fixed(text, percent, 2));
}

bool
pp_passes_any(const struct pp_saved_session *rec)
{
    for (size_t i = 0; i < rec->shown_passes; i++)
        if (rec->pass[i].surface != PP_SAVED_NO_SURFACE || strcmp(rec->pass[i].kind, "frame") != 0)
            return true;
    return false;
}

void
pp_passes_print_short(FILE *out, struct pp_saved_session *rec, size_t most)
{
    if (!pp_passes_any(rec))
        return;
    const struct pp_time_unit *unit = table_unit(rec);
    struct pp_bracket_bias bias = pp_bias_of_scope(rec, "pass");
    double all = pp_passes_total(rec, &bias);
    double frames = (double)rec->measured_frames;
    size_t columns = pp_format_columns(out);
    char a[PP_FORMATTED_MAX];
    char b[PP_FORMATTED_MAX];
    char name[4 * 160 + 8];
    /* Passes are sorted by time. At the end are passes that only the first frame had: they are left out if
     * others have times. */
    size_t passes = rec->shown_passes;
    while (passes > 1 && rec->pass[0].gpu_time.len && !rec->pass[passes - 1].gpu_time.len)
        passes--;
    pp_print(out, "\n   GPU %%  mean %s   p95 %s  /frame  pass\n", unit->name, unit->name);
    for (size_t i = 0; i < passes && i < most; i++) {
        struct row row;
        row_make(&row, &rec->pass[i], all, &bias);
        pp_print_percent(out, row.unresolved ? (double)NAN : row.share_percent);
        if (row.unresolved)
            pp_print(out, "%18s", PP_TEXT_BELOW_RESOLUTION);
        else
            pp_print(out, " %8s %8s", pp_format_time(a, row.mean, unit), pp_format_time(b, row.p95, unit));
        const char *bound = pp_saved_bound(&rec->pass[i]);
        char unit_name[4 * sizeof(rec->pass[i].bound[0].unit) + 8];
        /* a narrow terminal cuts the unit, then the title */
        pp_format_name(unit_name, sizeof(unit_name), bound, pp_format_left(columns, 36 + 3 + 12, 8));
        size_t width = pp_format_left(columns, 36 + (*bound ? strlen(unit_name) + 3 : 0), 12);
        pp_print(out, " %7.2f  %s", frames > 0 ? (double)rec->pass[i].kept / frames : 0.0,
                 pp_pass_title(name, sizeof(name), rec, &rec->pass[i], width));
        pp_print(out, *bound ? " [%s]\n" : "%s\n", unit_name);
    }
    if (passes > most)
        pp_print(out, PP_FORMAT_MORE_ENTRIES_SHORT "\n", passes - most,
                 pp_format_noun((double)(passes - most), "pass", "passes"));
}

void
pp_passes_print_long(FILE *out, struct pp_saved_session *rec, size_t most)
{
    if (!pp_passes_any(rec))
        return;
    const struct pp_time_unit *unit = table_unit(rec);
    struct pp_bracket_bias bias = pp_bias_of_scope(rec, "pass");
    double all = pp_passes_total(rec, &bias);
    char a[PP_FORMATTED_MAX];
    char b[PP_FORMATTED_MAX];
    char c[PP_FORMATTED_MAX];
    char d[PP_FORMATTED_MAX];
    char name[1024];
    pp_print(out, "#   Share  mean %s    p50 %s    p95 %s    p99 %s      Count  Pass\n#\n", unit->name,
             unit->name, unit->name, unit->name);
    for (size_t i = 0; i < rec->shown_passes && i < most; i++) {
        struct row row;
        row_make(&row, &rec->pass[i], all, &bias);
        pp_print_char(out, ' ');
        pp_print_percent(out, row.unresolved || !rec->pass[i].gpu_time.len ? (double)NAN : row.share_percent);
        if (row.unresolved)
            pp_print(out, "%39s", PP_TEXT_BELOW_RESOLUTION);
        else
            pp_print(out, " %8s %9s %9s %9s", pp_format_time(a, row.mean, unit),
                     pp_format_time(b, row.p50, unit), pp_format_time(c, row.p95, unit),
                     pp_format_time(d, row.p99, unit));
        const char *bound = pp_saved_bound(&rec->pass[i]);
        uint64_t count = rec->pass[i].kept ? rec->pass[i].kept : rec->pass[i].rows;
        pp_print(out, " %10llu  %s", (unsigned long long)count,
                 pp_pass_title(name, sizeof(name), rec, &rec->pass[i], 200));
        pp_print(out, *bound ? " [%s]\n" : "%s\n", bound);
    }
    if (rec->shown_passes > most)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", rec->shown_passes - most,
                 pp_format_noun((double)(rec->shown_passes - most), "pass", "passes"));
}
