/** @file
 * Foreign names that are too long for a table: what is left out of them. See also format.h. */
#ifndef PP_CLI_PRINT_SHORTEN_H
#define PP_CLI_PRINT_SHORTEN_H

#include <stddef.h>

/** As pp_format_name(), but what is cut off is cut from the middle: paths and numbered names differ at their
 * ends. Words are kept whole where that leaves two thirds of the text. @return text. */
const char *pp_format_middle(char *text, size_t size, const char *name, size_t columns);

/** As pp_format_middle(), but no word is cut, except one that alone is too wide: whole words are left out.
 * The last word is kept where it fits. @return text. */
const char *pp_format_words(char *text, size_t size, const char *name, size_t columns);

#endif
