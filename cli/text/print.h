/** @file
 * How the command prints. Texts of applications, drivers, files and variables are made safe in every call.
 * The files that write to a stream by themselves are listed in tests/conventions.py (RAW_PRINT_FILES). */
#ifndef PP_CLI_TEXT_PRINT_H
#define PP_CLI_TEXT_PRINT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/**
 * Print as fprintf() does. In the arguments every character that pp_printable_next() refuses becomes '?', a
 * line break too; line breaks of @p format are kept.
 *
 * @param format Printed unchanged, except for its conversions; contains no '\n' between '%' and its letter.
 * @return Bytes.
 */
__attribute__((format(printf, 2, 3))) size_t pp_print(FILE *out, const char *format, ...);

/** Print as pp_print() does, with the arguments in a list. */
__attribute__((format(printf, 2, 0))) size_t pp_print_list(FILE *out, const char *format, va_list args);

/** Print the escape sequence after which a terminal shows text in a style, by its number in ECMA-48: 0
 * normal, 1 bold. */
void pp_print_style(FILE *out, unsigned style);

/** Print one '\n' or any other fixed character. */
void pp_print_char(FILE *out, char c);

#endif
