/** @file
 * See marks.h. */
#include "cli/print/marks.h"

#include <math.h>

#include "cli/print/format.h"
#include "cli/print/print.h"

static double
number_of(const json_t *object, const char *name)
{
    const json_t *member = json_object_get(object, name);
    return json_is_number(member) ? json_number_value(member) : (double)NAN;
}

static void
print_mark(FILE *out, const json_t *mark, double start_ns)
{
    char frame[PP_FORMATTED_MAX], at[PP_FORMATTED_MAX], label[400];
    const char *text = json_string_value(json_object_get(mark, "label"));
    pp_print(out, "%8s %9s  %s\n", pp_format_count(frame, number_of(mark, "frame"), 0),
             pp_format_fixed(at, (number_of(mark, "at_ns") - start_ns) / 1e9, 3),
             pp_format_name(label, sizeof(label), text ? text : "", 60));
}

void
pp_marks_print(FILE *out, const struct pp_saved_session *rec, size_t most)
{
    const json_t *marks = pp_saved_json(rec, "marks");
    double start_ns = pp_saved_number(rec, "program.start_monotonic_ns");
    size_t len = json_array_size(marks);
    if (!len)
        return;
    pp_print(out, "\n # Marks\n%8s %9s  %s\n", "frame", "seconds", "text");
    for (size_t i = 0; i < len && i < most; i++)
        print_mark(out, json_array_get(marks, i), start_ns);
    if (len > most)
        pp_print(out, "   and %zu more %s: --entries 0\n", len - most,
                 pp_format_noun((double)(len - most), "mark", "marks"));
}
