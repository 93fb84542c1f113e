/** @file
 * The line that says how far a command is. Only a terminal gets it, and only while the command reads for more
 * than two seconds. There is one line for the process, which has one thread; whatever else is printed erases
 * it. */
#ifndef PP_CLI_PRINT_PROGRESS_H
#define PP_CLI_PRINT_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

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
