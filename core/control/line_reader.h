/** @file
 * Splits the bytes of a connection into lines of limited length. Knows no descriptor. */
#ifndef PP_CORE_CONTROL_LINE_READER_H
#define PP_CORE_CONTROL_LINE_READER_H

#include <stdbool.h>
#include <stddef.h>

/** Most bytes of a line, with its line end. */
#define PP_LINE_BYTES ((size_t)1024)

/** What pp_line_reader_take() found. */
enum pp_line {
    PP_LINE_NONE,    /**< no whole line yet */
    PP_LINE_TEXT,    /**< a line */
    PP_LINE_TOO_LONG /**< a line that was too long; it is skipped up to its end */
};

/** Bytes that came and are not taken. All zero: none. */
struct pp_line_reader {
    char text[PP_LINE_BYTES];
    size_t len;
    bool skipping; /**< the begin of a line that was too long is gone already */
};

/** Where the next bytes of the connection belong. @param ret_size How many have space there; 0 only if a
 * whole line waits to be taken. */
char *pp_line_reader_space(struct pp_line_reader *reader, size_t *ret_size);

/** Commit @p bytes that the caller wrote into pp_line_reader_space(). */
void pp_line_reader_add(struct pp_line_reader *reader, size_t bytes);

/** Is there a whole line? */
bool pp_line_reader_has_line(const struct pp_line_reader *reader);

/** Take the next line. @param ret_line PP_LINE_BYTES bytes: the line without its end, NUL-terminated; a NUL
 * byte of the client becomes 0x01, so that the line stays whole. Empty unless PP_LINE_TEXT. */
enum pp_line pp_line_reader_take(struct pp_line_reader *reader, char *ret_line);

#endif
