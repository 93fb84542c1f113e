/** @file
 * Reads what a server answers in the format TabSeparated. The bytes may be of any server. */
#ifndef PP_CLI_PUSH_ANSWER_ROWS_H
#define PP_CLI_PUSH_ANSWER_ROWS_H

#include <stddef.h>
#include <stdint.h>

/** Read lines of one number each. @return How many there are, at most @p most; SIZE_MAX: a line is no
 * number. */
size_t pp_answer_numbers(const char *text, uint64_t *ret, size_t most);

/**
 * Read the next line, of a number and a text of hexadecimal digits.
 *
 * @param io_text After the line afterwards.
 * @param ret_hex @p digits + 1 bytes.
 * @retval 1, 0 (there is no line), -1 (the line is another one).
 */
int pp_answer_number_and_hex(const char **io_text, uint64_t *ret_number, char *ret_hex, size_t digits);

#endif
