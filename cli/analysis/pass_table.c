/** @file
 * See pass_table.h. */
#include "cli/analysis/pass_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analysis/series_spread.h"
#include "counters/stats/stats.h"

/* Passes that ran once are folded if there are at least this many of them, and if each has little of the GPU
 * time. */
#define FOLD_LEAST         3U
#define FOLD_SHARE_PERCENT 1.0
#define FOLD_FRAMES        10U /* in a session with fewer measured frames, nothing is folded */

/* Sum of a pass's times, less the empty brackets. */
static double
net_total(const struct pp_saved_pass *pass, const struct pp_bracket_bias *bias)
{
    return pp_less(pass->total_ns, bias->median_ns * (double)pass->gpu_time.len);
}

double
pp_pass_table_total(const struct pp_saved_session *rec, const struct pp_bracket_bias *bias)
{
    double all = 0;
    for (size_t i = 0; i < rec->shown_passes; i++)
        all += net_total(&rec->pass[i], bias);
    return all;
}

bool
pp_pass_table_any(const struct pp_saved_session *rec)
{
    for (size_t i = 0; i < rec->shown_passes; i++)
        if (rec->pass[i].surface != PP_SAVED_NO_SURFACE || strcmp(rec->pass[i].kind, "frame") != 0)
            return true;
    return false;
}

static double
ratio(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

static void
figures_make(struct pp_pass_figures *row, struct pp_saved_pass *pass, const struct pp_pass_table *table,
             uint64_t frames)
{
    const struct pp_series *times = &pass->gpu_time;
    size_t n = pass->gpu_time.len;
    double bias = table->bias.median_ns, net = net_total(pass, &table->bias);
    pp_series_sort(&pass->gpu_time);
    *row = (struct pp_pass_figures){
        .pass = pass,
        .count = pass->kept ? pass->kept : pass->rows,
        .per_frame = ratio((double)pass->kept, (double)frames),
        .draws = pass->draws.rows ? ratio(pass->draws.sum, (double)frames) : (double)NAN,
        .share_percent = n ? 100 * ratio(net, table->all_ns) : (double)NAN,
        .frame_ns = n ? ratio(net, (double)frames) : (double)NAN,
        .mean_ns = pp_less(pp_series_mean(times), bias),
        .p5_ns = pp_less(pp_series_quantile7(times, 0.05), bias),
        .p50_ns = pp_less(pp_series_quantile7(times, 0.50), bias),
        .p95_ns = pp_less(pp_series_quantile7(times, 0.95), bias),
        .p99_ns = pp_less(pp_series_quantile7(times, 0.99), bias),
        .max_ns = n ? pp_less(pass->gpu_time.most, bias) : (double)NAN,
        .max_frame = n ? pass->gpu_time.most_frame : (double)NAN,
    };
    row->unresolved =
        row->mean_ns < 3 * table->bias.spread_ns; /* false where the spread is not known (NaN) */
}

/* Passes that share a row. */
enum fold { FOLD_NONE, FOLD_ONE_OFF, FOLD_FRAMELESS, FOLDS };

/* With which other passes does this one share a row: one that cost little, and ran once, or only in first
 * frames, or in no frame? */
static enum fold
fold_of(const struct pp_pass_figures *row, const struct pp_saved_session *rec)
{
    if (row->share_percent >= FOLD_SHARE_PERCENT)
        return FOLD_NONE;
    if (row->pass->surface == PP_SAVED_NO_SURFACE)
        return rec->frames ? FOLD_FRAMELESS : FOLD_NONE;
    if (row->pass->kept == 0 && rec->measured_frames)
        return FOLD_ONE_OFF;
    return row->pass->kept <= 1 && rec->measured_frames >= FOLD_FRAMES ? FOLD_ONE_OFF : FOLD_NONE;
}

static double
larger(double a, double b)
{
    return isnan(a) || b > a ? b : a;
}

static void
add_to_fold(struct pp_pass_figures *fold, const struct pp_pass_figures *row)
{
    bool only_first = row->pass->kept == 0;
    if (!fold->folded++) {
        *fold = *row;
        fold->folded = 1;
        fold->only_first = only_first;
        fold->unresolved = false;
        fold->mean_ns = fold->p5_ns = fold->p50_ns = fold->p95_ns = fold->p99_ns = (double)NAN;
        return;
    }
    fold->only_first = fold->only_first && only_first;
    fold->count += row->count;
    fold->per_frame += row->per_frame;
    fold->draws += isnan(row->draws) ? 0 : row->draws;
    fold->share_percent = isnan(row->share_percent)    ? fold->share_percent
                          : isnan(fold->share_percent) ? row->share_percent
                                                       : fold->share_percent + row->share_percent;
    fold->frame_ns = isnan(row->frame_ns)    ? fold->frame_ns
                     : isnan(fold->frame_ns) ? row->frame_ns
                                             : fold->frame_ns + row->frame_ns;
    if (larger(fold->max_ns, row->max_ns) > fold->max_ns || isnan(fold->max_ns)) {
        fold->max_ns = row->max_ns;
        fold->max_frame = row->max_frame;
    }
}

/* Put the passes that ran once, and those of no frame, into a row each, at the end. */
static void
fold_rows(struct pp_pass_table *table, const struct pp_saved_session *rec)
{
    struct pp_pass_figures fold[FOLDS] = {{.folded = 0}};
    size_t count[FOLDS] = {0}, kept = 0;
    for (size_t i = 0; i < table->len; i++)
        count[fold_of(&table->row[i], rec)]++;
    for (size_t i = 0; i < table->len; i++) {
        enum fold of = fold_of(&table->row[i], rec);
        if (of != FOLD_NONE && count[of] >= FOLD_LEAST)
            add_to_fold(&fold[of], &table->row[i]);
        else
            table->row[kept++] = table->row[i];
    }
    fold[FOLD_FRAMELESS].frameless = true;
    for (size_t of = FOLD_ONE_OFF; of < FOLDS; of++)
        if (fold[of].folded)
            table->row[kept++] = fold[of];
    table->len = kept;
}

static int
by_queue(const void *a, const void *b)
{
    const struct pp_pass_figures *x = a, *y = b;
    int order = strcmp(x->pass->queue, y->pass->queue);
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass);
}

/* Make one row of the passes of a queue. */
static int
queue_make(const struct pp_pass_table *table, const struct pp_pass_figures *row, size_t rows,
           struct pp_pass_figures *ret)
{
    struct pp_pass_figures all = {.folded = 0};
    struct pp_series times = {.len = 0};
    double net = 0, bias = table->bias.median_ns;
    for (size_t i = 0; i < rows; i++) {
        add_to_fold(&all, &row[i]);
        net += net_total(row[i].pass, &table->bias);
        if (pp_series_append(&times, &row[i].pass->gpu_time)) {
            pp_series_finish(&times);
            return -ENOMEM;
        }
    }
    pp_series_order(&times);
    all.queue = row->pass->queue;
    all.mean_ns = times.len ? net / (double)times.len : (double)NAN;
    all.p5_ns = pp_less(pp_series_quantile7(&times, 0.05), bias);
    all.p50_ns = pp_less(pp_series_quantile7(&times, 0.50), bias);
    all.p95_ns = pp_less(pp_series_quantile7(&times, 0.95), bias);
    all.p99_ns = pp_less(pp_series_quantile7(&times, 0.99), bias);
    all.unresolved = all.mean_ns < 3 * table->bias.spread_ns;
    pp_series_finish(&times);
    *ret = all;
    return 0;
}

/* Make one row for each queue. Times of a row are those of single passes. */
static int
group_by_queue(struct pp_pass_table *table)
{
    size_t queues = 0;
    if (!table->len)
        return 0;
    qsort(table->row, table->len, sizeof(*table->row), by_queue);
    for (size_t i = 0; i < table->len;) {
        size_t rows = 1;
        struct pp_pass_figures queue;
        while (i + rows < table->len &&
               strcmp(table->row[i + rows].pass->queue, table->row[i].pass->queue) == 0)
            rows++;
        int rc = queue_make(table, &table->row[i], rows, &queue);
        if (rc)
            return rc;
        table->row[queues++] = queue;
        i += rows;
    }
    table->len = queues;
    return 0;
}

/* Leave out the rows that the view does not show. */
static void
leave_out(struct pp_pass_table *table, const struct pp_view *view)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->len; i++) {
        const struct pp_pass_figures *row = &table->row[i];
        if (pp_view_takes_share(view, row->share_percent)) {
            table->row[kept++] = *row;
            continue;
        }
        table->left_out += row->folded ? row->folded : 1;
        table->left_out_percent += isnan(row->share_percent) ? 0 : row->share_percent;
    }
    table->len = kept;
}

static struct pp_sort_key
key_of(const struct pp_pass_figures *row)
{
    return (struct pp_sort_key){{[PP_SORT_TOTAL] = row->frame_ns,
                                 [PP_SORT_MEAN] = row->mean_ns,
                                 [PP_SORT_P95] = row->p95_ns,
                                 [PP_SORT_P99] = row->p99_ns,
                                 [PP_SORT_MAX] = row->max_ns,
                                 [PP_SORT_COUNT] = (double)row->count}};
}

/* Compare two rows in the order of a view. A row of several passes stays at the end. */
static int
by_view(const void *a, const void *b, void *view)
{
    const struct pp_pass_figures *x = a, *y = b;
    struct pp_sort_key first = key_of(x), second = key_of(y);
    if (!x->queue && !x->folded != !y->folded)
        return x->folded ? 1 : -1;
    int order = pp_view_order(view, &first, &second);
    return order ? order : (x->pass > y->pass) - (x->pass < y->pass); /* as they are: by their totals */
}

int
pp_pass_table_make(struct pp_saved_session *rec, const struct pp_view *view, struct pp_pass_table *ret)
{
    struct pp_pass_table table = {.bias = pp_bias_of_scope(rec, "pass")};
    if (!pp_pass_table_any(rec)) {
        *ret = table;
        return 0;
    }
    table.row = calloc(rec->shown_passes + 1, sizeof(*table.row));
    if (!table.row)
        return -ENOMEM;
    table.all_ns = pp_pass_table_total(rec, &table.bias);
    for (size_t i = 0; i < rec->shown_passes; i++)
        if (pp_view_takes_pass(view, &rec->pass[i]))
            figures_make(&table.row[table.len++], &rec->pass[i], &table, rec->measured_frames);
    int rc = view->by == PP_BY_QUEUE ? group_by_queue(&table) : 0;
    if (rc) {
        pp_pass_table_finish(&table);
        return rc;
    }
    if (view->by != PP_BY_QUEUE && view->fold)
        fold_rows(&table, rec);
    leave_out(&table, view);
    struct pp_view order = *view; /* qsort_r() wants what is not const */
    if (view->sort != PP_SORT_TOTAL || view->by == PP_BY_QUEUE)
        qsort_r(table.row, table.len, sizeof(*table.row), by_view, &order);
    *ret = table;
    return 0;
}

void
pp_pass_table_finish(struct pp_pass_table *table)
{
    free(table->row);
    *table = (struct pp_pass_table){.len = 0};
}
