/** @file
 * Messages about a place in a text, in the form that compilers use. Knows no graphics API, no file, no
 * thread.
 */
#ifndef PP_COUNTERS_UTIL_TEXT_PLACE_H
#define PP_COUNTERS_UTIL_TEXT_PLACE_H

#include <stddef.h>
#include <stdint.h>

/** A place in a text. */
struct pp_text_place {
    const char *name;      /**< name of the text, such as its file */
    const char *line_text; /**< the whole line, not terminated */
    size_t line_length;
    uint32_t line;   /**< from 1 */
    uint32_t column; /**< from 1, in bytes */
    uint32_t length; /**< bytes to underline; 0: only a caret */
};

/**
 * Write "NAME:LINE:COLUMN: MESSAGE", the line, and a line that underlines the place. Of a long line, only the
 * part around the place is shown. Control characters become blanks.
 *
 * @param buffer Receives the text, cut when too small, always terminated.
 */
void pp_text_place_format(const struct pp_text_place *place, const char *message, char *buffer, size_t size);

#endif
