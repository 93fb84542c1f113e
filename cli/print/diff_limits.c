/** @file
 * See diff_limits.h. */
#include "cli/print/diff_limits.h"

#include "cli/print/diff_cells.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "pp_texts.h"

#define TITLE_MOST    400U
#define TITLE_COLUMNS 40U
#define CHANGE_MOST   256U
/* Rows above one limit that are printed. */
#define ROWS_MOST 20U

static void
print_finding(FILE *out, const struct pp_limit_finding *finding)
{
    char title[TITLE_MOST], name[4 * TITLE_COLUMNS + 8], change[CHANGE_MOST];
    pp_diff_cell_title(title, sizeof(title), finding->row);
    pp_print(out, "           %s: %s\n", pp_format_name(name, sizeof(name), title, TITLE_COLUMNS),
             pp_diff_cell_change_as(change, sizeof(change), finding->row, finding->limit));
}

/* Print the rows of a limit that are above it. @return Their number. */
static size_t
print_above(FILE *out, const struct pp_limit_checks *checks, size_t limit)
{
    size_t above = 0;
    for (size_t i = 0; i < checks->findings; i++) {
        const struct pp_limit_finding *finding = &checks->finding[i];
        if (finding->limit != &checks->limit[limit] ||
            (finding->state != PP_LIMIT_FAILED && finding->state != PP_LIMIT_UNCLEAR))
            continue;
        if (above++ < ROWS_MOST)
            print_finding(out, finding);
    }
    if (above > ROWS_MOST)
        pp_print(out, "           %zu more rows above the limit\n", above - ROWS_MOST);
    return above;
}

void
pp_diff_limits_print(FILE *out, const struct pp_limit_checks *checks)
{
    if (checks->limits)
        pp_print(out, "\nlimits\n");
    for (size_t i = 0; i < checks->limits; i++) {
        const struct pp_limit_finding *worst = pp_limit_worst_row(checks, i);
        pp_print(out, "  %-8s %s\n", pp_limit_state_name(checks->state[i]), checks->limit[i].text);
        if (print_above(out, checks, i) == 0 && worst)
            print_finding(out, worst);
    }
}

void
pp_diff_limits_warn(const struct pp_limit_checks *checks)
{
    for (size_t i = 0; i < checks->limits; i++) {
        if (checks->state[i] == PP_LIMIT_UNCLEAR)
            pp_message(PP_FORMAT_LIMIT_CHANCE, checks->limit[i].text);
        if (checks->note[i])
            pp_message(PP_FORMAT_LIMIT_NOTE, checks->limit[i].text, checks->note[i]);
        else if (checks->state[i] == PP_LIMIT_NOTHING)
            pp_message(PP_FORMAT_LIMIT_UNJUDGED, checks->limit[i].text);
    }
}
