/** @file
 * See labels.h. */
#include "cli/print/labels.h"

#include <math.h>
#include <stdbool.h>

#include "cli/analysis/label_table.h"
#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "cli/print/shorten.h"
#include "pp_texts.h"

/* A table on its way to a stream. */
struct printing {
    FILE *out;
    const struct pp_saved_session *rec;
    const struct pp_label_table *table;
    const struct pp_time_unit *unit;
    bool mean, p99, count; /* these columns are printed */
    size_t columns, name;  /* most of a row, of a name */
};

/* A time, or "below": it is below the resolution of brackets. */
static const char *
text_time(char text[PP_FORMATTED_MAX], double ns, bool unresolved, const struct pp_time_unit *unit)
{
    if (unresolved && !isnan(ns)) {
        snprintf(text, PP_FORMATTED_MAX, "%s", PP_TEXT_BELOW);
        return text;
    }
    return pp_format_time(text, ns, unit);
}

static void
print_row(const struct printing *p, const struct pp_label_figures *row)
{
    char text[PP_FORMATTED_MAX], name[1024], plain[4096];
    const char *label = row->label->label;
    double least = 3 * p->table->bias.spread_ns; /* NaN: not known */
    pp_print(p->out, " %6s", pp_format_fixed(text, row->share_percent, 1));
    if (row->unresolved) {
        pp_print(p->out, " %*s", 22 + (p->mean ? 7 : 0) + (p->p99 ? 6 : 0), PP_TEXT_BELOW_RESOLUTION);
    } else {
        pp_print(p->out, " %8s", pp_format_time(text, row->frame_ns, p->unit));
        pp_print(p->out, " %7s", text_time(text, row->self_frame_ns, row->self_unresolved, p->unit));
        if (p->mean)
            pp_print(p->out, " %6s", pp_format_time(text, row->mean_ns, p->unit));
        pp_print(p->out, " %5s", text_time(text, row->p95_ns, row->p95_ns < least, p->unit));
        if (p->p99)
            pp_print(p->out, " %5s", text_time(text, row->p99_ns, row->p99_ns < least, p->unit));
    }
    pp_print(p->out, " %6s", text_time(text, row->max_ns, row->max_ns < least, p->unit));
    pp_print(p->out, " %6s", pp_format_frame(text, row->max_frame, row->max_ns));
    if (p->count)
        pp_print(p->out, " %7llu", (unsigned long long)row->count);
    label = pp_saved_label_text(p->rec, label, label, plain, sizeof(plain));
    pp_print(p->out, "  %s\n", pp_format_words(name, sizeof(name), label, p->name));
}

/* Print a table that has rows. */
static void
print_table(struct printing *p, size_t most)
{
    double largest = 0;
    bool shared = false;
    for (size_t i = 0; i < p->table->len; i++)
        largest = p->table->row[i].mean_ns > largest ? p->table->row[i].mean_ns : largest;
    p->unit = pp_time_unit_for(largest);
    p->name =
        pp_format_left(p->columns, 46U + (p->mean ? 7U : 0) + (p->p99 ? 6U : 0) + (p->count ? 8U : 0), 24);
    pp_print(p->out, "# GPU %% %2s/frame    self%s   p95%s    max  frame%s  label\n#\n", p->unit->name,
             p->mean ? "   mean" : "", p->p99 ? "   p99" : "", p->count ? "   count" : "");
    for (size_t i = 0; i < p->table->len && i < most; i++) {
        const struct pp_label_figures *row = &p->table->row[i];
        print_row(p, row);
        shared |= isnan(row->frame_ns) && !(row->label->passes.sum > 0);
    }
    if (shared)
        pp_print(p->out, PP_TEXT_LABELS_SHARED "\n");
    if (p->table->len > most)
        pp_print(p->out, PP_FORMAT_MORE_ENTRIES "\n", p->table->len - most,
                 pp_format_noun((double)(p->table->len - most), "label", "labels"));
}

void
pp_labels_print(FILE *out, struct pp_saved_session *rec, const struct pp_view *view, size_t most)
{
    struct pp_label_table table;
    char pattern[400];
    if (!rec->labels)
        return;
    if (pp_label_table_make(rec, view, &table)) {
        pp_message(PP_TEXT_SUMMARY_MEMORY);
        return;
    }
    struct printing p = {.out = out, .rec = rec, .table = &table};
    p.mean = view->all_columns || view->sort == PP_SORT_MEAN;
    p.columns = pp_format_row_columns(out, view->all_columns);
    p.p99 = view->sort == PP_SORT_P99 || p.columns >= PP_WIDE_COLUMNS;
    p.count = view->all_columns || view->sort == PP_SORT_COUNT;
    pp_print(out, PP_TEXT_LABELS_TITLE "\n");
    if (table.len)
        print_table(&p, most);
    if (table.left_out)
        pp_print(out, PP_FORMAT_LABELS_LEFT_OUT "\n", table.left_out,
                 pp_format_noun((double)table.left_out, "label", "labels"));
    else if (!table.len)
        pp_print(out, PP_FORMAT_LABELS_NONE "\n", pp_format_name(pattern, sizeof(pattern), view->pass, 60));
    pp_label_table_finish(&table);
}
