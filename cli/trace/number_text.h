/** @file
 * Numbers as decimal text, without the formats of printf(): a trace has more numbers than anything else. Any
 * thread; no allocation. */
#ifndef PP_CLI_TRACE_NUMBER_TEXT_H
#define PP_CLI_TRACE_NUMBER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/** Bytes that a number needs at most, with its NUL. */
#define PP_NUMBER_TEXT_MAX 32U

/** Write a number as `%d` does. @param ret PP_NUMBER_TEXT_MAX bytes. @return Its length. */
size_t pp_number_text_i64(int64_t number, char *ret);

/** Write a number as `%u` does. @param ret PP_NUMBER_TEXT_MAX bytes. @return Its length. */
size_t pp_number_text_u64(uint64_t number, char *ret);

/** Write a number that is finite as `%.17g` does, which reads back as the same number. @param ret
 * PP_NUMBER_TEXT_MAX bytes. @return Its length. */
size_t pp_number_text_double(double number, char *ret);

#endif
