/** @file
 * Which characters of a foreign text may be printed. Names come from applications, drivers, files and
 * variables; a terminal obeys some of their characters, and others hide or reorder text. Knows no file. */
#ifndef PP_COUNTERS_UTIL_PRINTABLE_H
#define PP_COUNTERS_UTIL_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Is the first character of a text printable?
 *
 * Not printable are: control characters (C0 with tab and line break, DEL, C1), marks that set the direction
 * of writing, line and paragraph separators, characters without a shape of their own (zero-width and
 * soft-hyphen characters, variation selectors, tags), bytes that are no UTF-8.
 *
 * @param text Not at its end; a NUL ends it also inside a character.
 * @param ret_printable False: print something else instead.
 * @return The bytes of the character; 1 for a byte that is no UTF-8.
 */
size_t pp_printable_next(const char *text, bool *ret_printable);

/** Length of the well-formed UTF-8 sequence at @p p, or 0. Source: Unicode 15, table 3-7. */
size_t pp_utf8_length(const unsigned char *p);

/** Replace every character that is not printable by @p instead, in place. Any thread; no allocation, no
 * locale.
 * @return @p text, which does not grow. */
char *pp_printable_clean(char *text, char instead);

#endif
