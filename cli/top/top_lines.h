/** @file
 * Module: the lines of the screen of `top`, as text. Knows no terminal. See also live_view.h, which has the
 * figures, and screen.h, which shows the lines. */
#ifndef PP_CLI_TOP_TOP_LINES_H
#define PP_CLI_TOP_TOP_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/top/live_view.h"

/** Most lines and columns of a screen; what is beyond stays empty. */
#define PP_TOP_LINES_MAX   200U
#define PP_TOP_COLUMNS_MAX 300U

/** How a line looks. */
enum pp_top_style { PP_TOP_PLAIN, PP_TOP_BOLD, PP_TOP_REVERSE, PP_TOP_WARNING };

/** A line. */
struct pp_top_line {
    char text[4 * PP_TOP_COLUMNS_MAX + 4]; /**< safe for a terminal; UTF-8 */
    enum pp_top_style style;
    char chart[4 * PP_TOP_COLUMNS_MAX + 4]; /**< bars after the text, from chart_column on; "": none */
    size_t chart_column;
};

/** What the screen shows, besides figures. */
struct pp_top_look {
    size_t lines, columns;   /**< of the screen */
    bool utf8;               /**< the terminal has the characters of bars, and those of foreign names */
    const char *application; /**< foreign text */
    long pid;                /**< 0: not known */
    bool software;           /**< times of the GPU are times of the CPU */
    enum pp_live_sort sort;
    enum pp_live_by by;
    size_t scroll;      /**< rows of the table that are above the screen */
    bool help;          /**< show the help instead of the table */
    const char *notice; /**< what happened; "": nothing */
};

/** Make the lines. @param ret PP_TOP_LINES_MAX lines. @return How many there are: as many as the screen has.
 */
size_t pp_top_lines_make(const struct pp_live_view *view, const struct pp_top_look *look,
                         struct pp_top_line *ret);

/** Rows of the table that a screen of this many lines shows. */
size_t pp_top_lines_rows(size_t lines);

#endif
