/** @file
 * See pass_table.h. */
#include "cli/analysis/pass_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/accuracy.h"
#include "counters/stats/stats.h"
#include "counters/util/array_size.h"

/* A region's time, with or without the regions inside. */
struct part {
    double all_ns; /* of all rows: those whose time was lost took as long as the others */
    double mean_ns, frame_ns;
    bool unresolved;
};

/* @param rows Of the region, with and without a time; @p brackets are those of all of them. */
static struct part
part_of(const struct pp_saved_session *rec, const struct pp_label_table *table,
        const struct pp_saved_sum *sum, double brackets, uint64_t rows)
{
    const struct pp_bracket_bias *bias = &table->bias;
    double none = (double)NAN;
    if (!sum->rows)
        return (struct part){none, none, none, false};
    if (sum->rows < rows) /* rows without a time are not in the sum */
        brackets *= (double)sum->rows / (double)rows;
    double net = pp_less(sum->sum, bias->median_ns * brackets);
    double all = pp_saved_scale(net, sum->rows, rows);
    return (struct part){.all_ns = all,
                         .mean_ns = net / (double)sum->rows,
                         .frame_ns = pp_ratio(all, (double)rec->measured_frames),
                         /* false where the spread is not known (NaN) */
                         .unresolved = net < 3 * bias->spread_ns * brackets};
}

static struct pp_label_figures
figures_make(const struct pp_saved_session *rec, const struct pp_label_table *table,
             struct pp_saved_label *label, double all_ns)
{
    const struct pp_series *times = &label->times;
    size_t n = label->times.len;
    double brackets = label->passes.sum + label->shared_actions;
    double self_brackets = fmax(label->self_passes, 0) + fmax(label->self_actions, 0);
    double bias = table->bias.median_ns * pp_ratio(brackets, (double)label->passes.rows);
    struct part whole = part_of(rec, table, &label->inclusive_ns, brackets, label->rows);
    struct part self = part_of(rec, table, &label->exclusive_ns, self_brackets, label->rows);
    pp_series_sort(&label->times);
    return (struct pp_label_figures){
        .saved = label,
        .label = label->label,
        .count = (double)label->rows,
        .share_percent = whole.unresolved ? (double)NAN : 100 * pp_ratio(whole.all_ns, all_ns),
        .frame_ns = whole.frame_ns,
        .self_frame_ns = self.frame_ns,
        .mean_ns = whole.mean_ns,
        .self_mean_ns = self.mean_ns,
        .p50_ns = pp_less(pp_series_quantile7(times, 0.50), bias),
        .p5_ns = pp_less(pp_series_quantile7(times, 0.05), bias),
        .p95_ns = pp_less(pp_series_quantile7(times, 0.95), bias),
        .p99_ns = pp_less(pp_series_quantile7(times, 0.99), bias),
        .max_ns = n ? pp_less(label->times.most, bias) : (double)NAN,
        .max_frame = n ? label->times.most_frame : (double)NAN,
        .spread = label->times.spread,
        .unresolved = whole.unresolved,
        .self_unresolved = self.unresolved,
    };
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Make a sorted list of the labels of passes that a view takes. */
static int
taken_make(const struct pp_saved_session *rec, const struct pp_view *view, const char ***ret, size_t *ret_len)
{
    const char **taken = calloc(rec->passes + 1, sizeof(*taken));
    size_t len = 0;
    if (!taken)
        return -ENOMEM;
    for (size_t i = 0; i < rec->passes && view->pass; i++)
        if (pp_view_takes_pass(view, &rec->pass[i]))
            taken[len++] = rec->pass[i].label;
    qsort(taken, len, sizeof(*taken), by_text);
    *ret = taken;
    *ret_len = len;
    return 0;
}

#define ROW struct pp_label_figures
/* Formats that show a figure of time. */
#define IN_FIGURES (PP_IN_TEXT | PP_IN_CSV | PP_IN_JSON | PP_IN_PAGE | PP_IN_SCRIPT)

static const struct pp_table_column columns[] = {
    {PP_CELL(ROW, title), .id = "title", .heading = "label region", .form = PP_FORM_TITLE,
     .in = PP_IN_PAGE | PP_IN_SCRIPT},
    {PP_CELL(ROW, label), .id = "label", .in = PP_IN_CSV | PP_IN_JSON},
    {PP_CELL(ROW, title), .id = "title", .heading = "label", .form = PP_FORM_TITLE,
     .in = PP_IN_TEXT | PP_IN_DATA},
    {PP_CELL(ROW, count), .id = "count", .in = PP_IN_CSV | PP_IN_JSON, .whole = true},
    {PP_CELL(ROW, share_percent), .id = "gpu_share_percent", .csv = "share_percent", .heading = "GPU %",
     .unit = "percent", .form = PP_FORM_PERCENT, .in = IN_FIGURES, .width = 6,
     .doc = "of the GPU time of all passes; null: below the resolution, or not known"},
    {PP_CELL(ROW, frame_ns), .id = "gpu_ns_per_frame", .heading = "/frame", .unit = "ns",
     .form = PP_FORM_TIME, .in = IN_FIGURES, .width = 8, .unresolved = PP_UNRESOLVED_JOINED, .sort = "total",
     .doc = "in a frame whose passes were measured"},
    {PP_CELL(ROW, self_frame_ns), .id = "self_ns_per_frame", .heading = "self", .unit = "ns",
     .form = PP_FORM_TIME, .in = PP_IN_TEXT | PP_IN_CSV, .width = 7, .unresolved = PP_UNRESOLVED_JOINED,
     .below_if = offsetof(ROW, self_unresolved), .doc = "likewise, without the regions inside"},
    {PP_CELL(ROW, mean_ns), .id = "inclusive_ns", .csv = "mean_ns", .heading = "mean", .unit = "ns",
     .form = PP_FORM_TIME, .in = IN_FIGURES, .width = 6, .shown = PP_SHOWN_ALL,
     .unresolved = PP_UNRESOLVED_JOINED, .sort = "mean",
     .doc = "mean of the frames with this region, with the regions inside"},
    {PP_CELL(ROW, self_mean_ns), .id = "exclusive_ns", .csv = "self_mean_ns", .heading = "self mean",
     .unit = "ns", .form = PP_FORM_TIME, .in = IN_FIGURES & ~(unsigned)PP_IN_TEXT,
     .doc = "mean of the frames with this region, without the regions inside"},
    {PP_CELL(ROW, p5_ns), .id = "p5_ns", .unit = "ns", .in = PP_IN_JSON, .since = 5,
     .doc = "5 % took less; from schema 5 on"},
    {PP_CELL(ROW, p50_ns), .id = "p50_ns", .unit = "ns", .in = PP_IN_JSON, .since = 2,
     .doc = "of frames with this region"},
    {PP_CELL(ROW, spread), .id = "within_run", .in = PP_IN_JSON, .since = 2},
    {PP_CELL(ROW, p95_ns), .id = "p95_ns", .heading = "p95", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .width = 5, .unresolved = PP_UNRESOLVED_JOINED, .below = true, .sort = "p95"},
    {PP_CELL(ROW, p99_ns), .id = "p99_ns", .heading = "p99", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .width = 5, .shown = PP_SHOWN_WIDE, .unresolved = PP_UNRESOLVED_JOINED, .below = true,
     .sort = "p99"},
    {PP_CELL(ROW, max_ns), .id = "max_ns", .heading = "max", .unit = "ns", .form = PP_FORM_TIME,
     .in = IN_FIGURES, .width = 6, .below = true, .sort = "max"},
    {PP_CELL(ROW, max_frame), .id = "max_frame", .heading = "frame", .form = PP_FORM_FRAME,
     .in = IN_FIGURES & ~(unsigned)PP_IN_PAGE, .width = 6, .doc = "the frame of the maximum"},
    {PP_CELL(ROW, count), .id = "count", .heading = "count", .form = PP_FORM_COUNT, .in = PP_IN_TEXT,
     .width = 7, .shown = PP_SHOWN_ALL, .sort = "count"},
    {PP_CELL(ROW, count), .id = "count", .heading = "frames", .form = PP_FORM_COUNT, .in = PP_IN_SCRIPT},
    {PP_CELL(ROW, unresolved), .id = "below_resolution", .in = PP_IN_JSON, .doc = "the times mean nothing"},
};

const struct pp_columns pp_label_columns = {"labels", "label", columns, PP_ARRAY_SIZE(columns), sizeof(ROW)};

static int
by_view(const void *a, const void *b, void *view)
{
    const struct pp_label_figures *x = a, *y = b;
    const struct pp_table_column *column = pp_columns_sort(&pp_label_columns, pp_view_sort_name(view));
    int order = pp_view_order(pp_column_number(column, x), pp_column_number(column, y));
    return order ? order : (x->saved > y->saved) - (x->saved < y->saved); /* as they are: by their totals */
}

int
pp_label_table_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_label_table *ret)
{
    struct pp_label_table table = {.bias = pp_bias_of_surface(rec, rec->shown)};
    struct pp_view order = *view; /* qsort_r() wants what is not const */
    double all_ns = pp_pass_table_total(rec);
    const char **taken = NULL;
    size_t len = 0;
    table.row = calloc(rec->labels + 1, sizeof(*table.row));
    int rc = table.row ? taken_make(rec, view, &taken, &len) : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < rec->labels; i++) {
        const char *path = rec->label[i].label;
        if (view->pass && !pp_view_matches(path, view->pass) &&
            !bsearch(&path, taken, len, sizeof(*taken), by_text))
            continue;
        table.row[table.len] = figures_make(rec, &table, &rec->label[i], all_ns);
        if (pp_view_takes_share(view, table.row[table.len].share_percent))
            table.len++;
        else
            table.left_out++;
    }
    free(taken);
    if (rc) {
        pp_label_table_finish(&table);
        return rc;
    }
    qsort_r(table.row, table.len, sizeof(*table.row), by_view, &order);
    *ret = table;
    return 0;
}

void
pp_label_table_finish(struct pp_label_table *table)
{
    free(table->row);
    *table = (struct pp_label_table){.len = 0};
}
