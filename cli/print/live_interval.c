/** @file
 * See live_interval.h. */
#include "cli/print/live_interval.h"

#include "cli/print/format.h"
#include "cli/print/print.h"
#include "cli/print/shorten.h"

#define LINE_COLUMNS   79U
#define FIGURE_COLUMNS 51U /* before the passes */
#define SHARE_COLUMNS  8U  /* around a pass's name: "   " and " 61 %" */
#define NAME_COLUMNS   20U

void
pp_live_interval_print(FILE *out, double at_s, const struct pp_live_interval_figures *figures)
{
    char p99[PP_FORMATTED_MAX];
    char gpu[PP_FORMATTED_MAX];
    if (!figures->frames) {
        pp_print(out, "%7.1f s   no frames\n", at_s);
        return;
    }
    pp_print(out, "%7.1f s %6.1f FPS   p99 %s   GPU %s   slow %zu", at_s, figures->fps,
             pp_format_fixed(p99, figures->p99_ns / 1e6, 1), pp_format_fixed(gpu, figures->gpu_ns / 1e6, 1),
             figures->slow);
    size_t left = LINE_COLUMNS - FIGURE_COLUMNS;
    for (size_t i = 0; i < figures->passes; i++) {
        char name[PP_LIVE_NAME];
        char cut[4 * NAME_COLUMNS + 4];
        pp_format_unescaped(name, sizeof(name), pp_format_last_name(figures->pass[i].name));
        size_t wide = SHARE_COLUMNS + pp_format_width(pp_format_middle(cut, sizeof(cut), name, NAME_COLUMNS));
        if (wide > left)
            break;
        pp_print(out, "%s%s %.0f %%", i ? "  " : "   ", cut, figures->pass[i].percent);
        left -= wide;
    }
    pp_print_char(out, '\n');
}
