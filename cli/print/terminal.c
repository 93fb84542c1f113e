/** @file
 * See terminal.h. */
#include "cli/print/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/print/print.h"
#include "counters/util/array_size.h"

#define EIGHTHS 8U

bool
pp_terminal(FILE *out)
{
    return isatty(fileno(out));
}

static const char *
variable(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* Source: no-color.org. */
static bool
has_colour(FILE *out)
{
    const char *term = variable("TERM");
    return pp_terminal(out) && !*variable("NO_COLOR") && *term && strcmp(term, "dumb") != 0;
}

void
pp_terminal_style(FILE *out, enum pp_style style)
{
    if (has_colour(out))
        pp_print_style(out, (unsigned)style);
}

void
pp_terminal_bold(FILE *out, bool on)
{
    pp_terminal_style(out, on ? PP_STYLE_BOLD : PP_STYLE_NORMAL);
}

/* Source: POSIX, the order of these variables. */
bool
pp_terminal_is_utf8(void)
{
    static const char *const name[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(name); i++)
        if (*variable(name[i]))
            return strcasestr(variable(name[i]), "UTF-8") || strcasestr(variable(name[i]), "utf8");
    return false;
}

void
pp_terminal_bar(FILE *out, double share, size_t columns)
{
    static const char *const part[EIGHTHS] = {"",       "\u258f", "\u258e", "\u258d",
                                              "\u258c", "\u258b", "\u258a", "\u2589"};
    if (!pp_terminal(out) || !(share > 0) || share > 1)
        return;
    size_t eighths = (size_t)(share * (double)(columns * EIGHTHS) + 0.5);
    if (!pp_terminal_is_utf8())
        eighths = (eighths + EIGHTHS / 2) / EIGHTHS * EIGHTHS;
    for (size_t i = 0; i < eighths / EIGHTHS; i++)
        pp_print(out, "%s", pp_terminal_is_utf8() ? "\u2588" : "#");
    pp_print(out, "%s", part[eighths % EIGHTHS]);
}
