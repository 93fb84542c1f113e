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
#include "cli/print/table.h"
#include "pp_texts.h"

/* Print a table that has rows. */
static void
print_table(struct pp_text_table *text, const struct pp_saved_session *rec,
            const struct pp_label_table *table, size_t most)
{
    char name[1024], plain[4096];
    double largest = 0;
    bool shared = false;
    for (size_t i = 0; i < table->len; i++)
        largest = table->row[i].mean_ns > largest ? table->row[i].mean_ns : largest;
    text->unit = pp_time_unit_for(largest);
    pp_text_table_begin(text);
    for (size_t i = 0; i < table->len && i < most; i++) {
        const struct pp_label_figures *row = &table->row[i];
        const char *label = pp_saved_label_text(rec, row->label, row->label, plain, sizeof(plain));
        pp_text_table_row(text, row, pp_format_words(name, sizeof(name), label, text->title_columns));
        shared |= isnan(row->frame_ns) && !(row->saved->passes.sum > 0);
    }
    if (shared)
        pp_print(
            text->out,
            "# -: the region has no pass of its own. The region in which its pass began has the time.\n");
    if (table->len > most)
        pp_print(text->out, PP_FORMAT_MORE_ENTRIES "\n", table->len - most,
                 pp_format_noun((double)(table->len - most), "label", "labels"));
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
    struct pp_text_table text = {.out = out,
                                 .in = PP_IN_TEXT,
                                 .columns = &pp_label_columns,
                                 .view = view,
                                 .least_ns = 3 * table.bias.spread_ns};
    pp_print(out, "#\n# Labels: GPU time including inner regions; self: without them\n#\n");
    if (table.len)
        print_table(&text, rec, &table, most);
    if (table.left_out)
        pp_print(out, "# left out by --percent-limit: %zu %s\n", table.left_out,
                 pp_format_noun((double)table.left_out, "label", "labels"));
    else if (!table.len)
        pp_print(out, "# No label has a name like --pass %s, or a pass with such a name.\n",
                 pp_format_name(pattern, sizeof(pattern), view->pass, 60));
    pp_label_table_finish(&table);
}
