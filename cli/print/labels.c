/** @file
 * See labels.h. */
#include "cli/print/labels.h"

#include <math.h>
#include <stdbool.h>

#include "cli/print/format.h"
#include "cli/print/passes.h"
#include "cli/print/print.h"
#include "pp_texts.h"

/* A region's part in the times of all passes, and its time a frame; times are less the bias. */
struct part {
    double percent, mean_ns;
    bool unresolved; /* below the resolution of brackets, as the pass table says it */
};

static struct part
part_of(const struct pp_saved_sum *sum, const struct pp_bracket_bias *bias, double passes, double all_ns)
{
    double net = pp_less(sum->sum, bias->median_ns * passes);
    bool unresolved = net < 3 * bias->spread_ns * passes; /* false where the spread is not known (NaN) */
    return (struct part){.percent = sum->rows && all_ns > 0 && !unresolved ? 100 * net / all_ns : (double)NAN,
                         .mean_ns = sum->rows ? net / (double)sum->rows : (double)NAN,
                         .unresolved = sum->rows && unresolved};
}

static const char *
text_of(char text[PP_FORMATTED_MAX], const struct part *part, const struct pp_time_unit *unit)
{
    if (part->unresolved) {
        snprintf(text, PP_FORMATTED_MAX, "%s", PP_TEXT_BELOW);
        return text;
    }
    return pp_format_time(text, part->mean_ns, unit);
}

void
pp_labels_print(FILE *out, const struct pp_saved_session *rec, size_t most)
{
    char a[PP_FORMATTED_MAX], b[PP_FORMATTED_MAX];
    char name[1024], plain[4096];
    if (!rec->labels)
        return;
    struct pp_bracket_bias bias = pp_bias_of_scope(rec, "pass");
    double all = pp_pass_table_total(rec, &bias);
    double most_ns = rec->label[0].inclusive_ns.sum / fmax((double)rec->label[0].rows, 1);
    const struct pp_time_unit *unit = pp_time_unit_for(most_ns);
    pp_print(out, PP_TEXT_LABELS_TITLE "\n");
    pp_print(out, "#    Total    Self  mean %s  self %s      Count  Label\n#\n", unit->name, unit->name);
    for (size_t i = 0; i < rec->labels && i < most; i++) {
        const struct pp_saved_label *label = &rec->label[i];
        struct part whole = part_of(&label->inclusive_ns, &bias, label->passes.sum, all);
        struct part self = part_of(&label->exclusive_ns, &bias, fmax(label->self_passes, 0), all);
        pp_print_char(out, ' ');
        pp_print_percent(out, whole.percent);
        pp_print_percent(out, self.percent);
        pp_print(out, " %8s %8s %10llu", text_of(a, &whole, unit), text_of(b, &self, unit),
                 (unsigned long long)label->rows);
        pp_print(out, "  %s\n",
                 pp_format_middle(name, sizeof(name),
                                  pp_saved_label_text(rec, label->label, label->label, plain, sizeof(plain)),
                                  200));
    }
    if (rec->labels > most)
        pp_print(out, PP_FORMAT_MORE_ENTRIES "\n", rec->labels - most,
                 pp_format_noun((double)(rec->labels - most), "label", "labels"));
}
