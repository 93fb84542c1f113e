/** @file
 * What a stream can show: colours, and bars of a chart; and the line that says how far a command is. Only
 * terminals get any of them, and the line only while the command reads for more than two seconds. There is
 * one line for the process, which has one thread; whatever else is printed erases it. */
#ifndef PP_CLI_TEXT_TERMINAL_H
#define PP_CLI_TEXT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
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

/** What is known of the line. */
struct pp_progress {
    const char *verb;  /**< what the command does; static */
    uint64_t begin_ns; /**< CLOCK_MONOTONIC: when reading began; 0: not yet */
    uint64_t note_ns;  /**< when it was noted the last time */
    uint64_t line_ns;  /**< when the line was printed the last time */
    bool terminal;     /**< stderr is one */
    bool shown;        /**< there is a line to erase */
};

/** Begin to show a line. @param verb Such as "reading"; static. @return The line; static. */
struct pp_progress *pp_progress_begin(const char *verb);

/** Show no line from now on. */
void pp_progress_stop(void);

/** Note that a file was read up to its current position: print the line again, if reading has taken two
 * seconds, and half a second since the last time. */
void pp_progress_note(int fd);

/** Erase the line. */
void pp_progress_erase(void);

#endif
