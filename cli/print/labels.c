/** @file
 * See labels.h. */
#include "cli/print/labels.h"

#include <math.h>

#include "cli/print/format.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "pp_texts.h"

/* A region's part in the times of all passes, and its time a frame; times are less @p bias_ns. */
struct part {
    double percent, mean_ns;
};

static struct part
part_of(const struct pp_saved_sum *sum, double bias_ns, double all_ns)
{
    double net = pp_less(sum->sum, bias_ns);
    return (struct part){.percent = sum->rows && all_ns > 0 ? 100 * net / all_ns : (double)NAN,
                         .mean_ns = sum->rows ? net / (double)sum->rows : (double)NAN};
}

void
pp_labels_print(FILE *out, const struct pp_saved_session *rec, size_t most)
{
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX];
    char name[1024], plain[4096];
    if (!rec->labels)
        return;
    struct pp_bracket_bias bias = pp_bias_of_scope(rec, "pass");
    double all = pp_passes_total(rec, &bias);
    double most_ns = rec->label[0].inclusive_ns.sum / fmax((double)rec->label[0].rows, 1);
    const struct pp_time_unit *unit = pp_time_unit_for(most_ns);
    pp_print(out, PP_TEXT_LABELS_TITLE "\n");
    pp_print(out, "#    Total    Self  mean %s  self %s      Count  Label\n#\n", unit->name, unit->name);
    for (size_t i = 0; i < rec->labels && i < most; i++) {
        const struct pp_saved_label *label = &rec->label[i];
        struct part whole = part_of(&label->inclusive_ns, bias.median_ns * label->passes.sum, all);
        struct part self = part_of(&label->exclusive_ns, bias.median_ns * fmax(label->self_passes, 0), all);
        pp_print_char(out, ' ');
        pp_print_percent(out, whole.percent);
        pp_print_percent(out, self.percent);
        pp_print(out, " %8s %8s %10llu", pp_format_time(a, whole.mean_ns, unit),
                 pp_format_time(b, self.mean_ns, unit), (unsigned long long)label->rows);
        pp_print(out, "  %s\n",
                 pp_format_middle(name, sizeof(name),
                                  pp_saved_label_text(rec, label->label, label->label, plain, sizeof(plain)),
                                  200));
    }
    if (rec->labels > most)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", rec->labels - most,
                 pp_format_noun((double)(rec->labels - most), "label", "labels"));
}
