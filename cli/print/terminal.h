/** @file
 * What a stream can show: colours, and bars of a chart. Only terminals get either. */
#ifndef PP_CLI_PRINT_TERMINAL_H
#define PP_CLI_PRINT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Is this stream a terminal? */
bool pp_terminal(FILE *out);

/** Do the variables of the locale say that terminals have all characters (UTF-8)? */
bool pp_terminal_is_utf8(void);

/** Styles by their numbers in ECMA-48. */
enum pp_style { PP_STYLE_NORMAL = 0, PP_STYLE_BOLD = 1, PP_STYLE_RED = 31, PP_STYLE_GREEN = 32 };

/** Print what begins a style; PP_STYLE_NORMAL ends it. Nothing where the stream is no terminal, where
 * NO_COLOR is set, or where TERM is missing or "dumb". */
void pp_terminal_style(FILE *out, enum pp_style style);

/** Print what makes the text that follows bold, and what ends that, as pp_terminal_style() does. */
void pp_terminal_bold(FILE *out, bool on);

/**
 * Print a bar: of blocks, or of '#' where the locale is not UTF-8. Nothing where the stream is no terminal.
 *
 * @param share   Of the longest bar, 0 to 1; anything else prints nothing.
 * @param columns Of the longest bar.
 */
void pp_terminal_bar(FILE *out, double share, size_t columns);

#endif
