/** @file
 * Room: saying where in a text a mistake is, the way compilers do. Knows no graphics API, no file, no thread.
 */
#ifndef PP_COUNTERS_UTIL_TEXT_PLACE_H
#define PP_COUNTERS_UTIL_TEXT_PLACE_H

#include <stddef.h>
#include <stdint.h>

/** A place in a text. */
struct pp_text_place {
    const char *name;      /**< of the text */
    const char *line_text; /**< the whole line, not terminated */
    size_t line_length;
    uint32_t line;   /**< from 1 */
    uint32_t column; /**< from 1, in bytes */
    uint32_t length; /**< bytes to underline; 0: just a caret */
};

/**
 * Write "NAME:LINE:COLUMN: MESSAGE", the line, and a line that underlines the place. Long lines are shown
 * around the place; control characters as blanks.
 *
 * @param buffer Receives the text, cut when too small, always terminated.
 */
void pp_text_place_format(const struct pp_text_place *place, const char *message, char *buffer, size_t size);

#endif
