/** @file
 * See label_table.h. */
#include "cli/analysis/label_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/pass_table.h"
#include "cli/analysis/series_spread.h"
#include "counters/stats/stats.h"

static double
ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

/* A region's time, with or without the regions inside. */
struct part {
    double net_ns, mean_ns, frame_ns;
    bool unresolved;
};

static struct part
part_of(const struct pp_saved_session *rec, const struct pp_label_table *table,
        const struct pp_saved_sum *sum, double passes)
{
    const struct pp_bracket_bias *bias = &table->bias;
    double none = (double)NAN;
    if (!sum->rows)
        return (struct part){none, none, none, false};
    double net = pp_less(sum->sum, bias->median_ns * passes);
    return (struct part){.net_ns = net,
                         .mean_ns = net / (double)sum->rows,
                         .frame_ns = ratio(net, (double)rec->measured_frames),
                         /* false where the spread is not known (NaN) */
                         .unresolved = net < 3 * bias->spread_ns * passes};
}

static struct pp_label_figures
figures_make(const struct pp_saved_session *rec, const struct pp_label_table *table,
             struct pp_saved_label *label, double all_ns)
{
    const struct pp_series *times = &label->times;
    size_t n = label->times.len;
    double bias = table->bias.median_ns * ratio(label->passes.sum, (double)label->passes.rows);
    struct part whole = part_of(rec, table, &label->inclusive_ns, label->passes.sum);
    struct part self = part_of(rec, table, &label->exclusive_ns, fmax(label->self_passes, 0));
    pp_series_sort(&label->times);
    return (struct pp_label_figures){
        .label = label,
        .count = label->rows,
        .share_percent = whole.unresolved ? (double)NAN : 100 * ratio(whole.net_ns, all_ns),
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

static struct pp_sort_key
key_of(const struct pp_label_figures *row)
{
    return (struct pp_sort_key){{[PP_SORT_TOTAL] = row->frame_ns,
                                 [PP_SORT_MEAN] = row->mean_ns,
                                 [PP_SORT_P95] = row->p95_ns,
                                 [PP_SORT_P99] = row->p99_ns,
                                 [PP_SORT_MAX] = row->max_ns,
                                 [PP_SORT_COUNT] = (double)row->count}};
}

static int
by_view(const void *a, const void *b, void *view)
{
    const struct pp_label_figures *x = a, *y = b;
    struct pp_sort_key first = key_of(x), second = key_of(y);
    int order = pp_view_order(view, &first, &second);
    return order ? order : (x->label > y->label) - (x->label < y->label); /* as they are: by their totals */
}

int
pp_label_table_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_label_table *ret)
{
    struct pp_label_table table = {.bias = pp_bias_of_scope(rec, "pass")};
    struct pp_view order = *view; /* qsort_r() wants what is not const */
    double all_ns = pp_pass_table_total(rec, &table.bias);
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
