/** @file
 * Numbers and foreign names as text for an 80-column terminal, whatever the locale, and what is left out of
 * names that are too long. Knows no session. */
#ifndef PP_CLI_TEXT_FORMAT_H
#define PP_CLI_TEXT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Size of any text that the functions below make, except pp_format_name(). */
#define PP_FORMATTED_MAX 48

/** One unit for a table of times, so that its columns can be compared by eye. */
struct pp_time_unit {
    const char *name; /**< "ms", "us", "s" */
    double ns;        /**< nanoseconds in it */
    int decimals;
};

/** The unit in which @p largest_ns reads best: at least microseconds. Static. */
const struct pp_time_unit *pp_time_unit_for(double largest_ns);

/** A number with @p decimals; "-" if it is not finite, with an exponent if it is too large for a column.
 * @return text. */
const char *pp_format_fixed(char text[PP_FORMATTED_MAX], double value, int decimals);

/** A time in a table's unit, with four digits at most, "<0.001" if it is smaller than the last digit, "-" if
 * it is not a number. @return text. */
const char *pp_format_time(char text[PP_FORMATTED_MAX], double ns, const struct pp_time_unit *unit);

/** A time with a fitting unit: "412 ns", "1.23 ms". @return text. */
const char *pp_format_duration(char text[PP_FORMATTED_MAX], double ns);

/** A time with a unit, and with as many digits as are known, at most 3: "1.2 us", "130 us". @return text. */
const char *pp_format_rough(char text[PP_FORMATTED_MAX], double ns, int digits);

/** A count with thousands separated by commas: "12,345" or, where @p decimals is 1, "12,345.0". @return text.
 */
const char *pp_format_count(char text[PP_FORMATTED_MAX], double value, int decimals);

/** A count with at most five digits: "12,345", "393 k", "1.45 M", "20 G". @return text. */
const char *pp_format_rough_count(char text[PP_FORMATTED_MAX], double value);

/** The number of the frame that has a maximum; in words where rows of no frame have it; "-" without a
 * maximum.
 * @return text. */
const char *pp_format_frame(char text[PP_FORMATTED_MAX], double frame, double most);

/** A number of bytes with a fitting unit of 1024: "812 B", "1.2 MiB". @return text. */
const char *pp_format_bytes(char text[PP_FORMATTED_MAX], double bytes);

/**
 * A foreign name made safe and at most @p columns wide: control characters, escape sequences and broken UTF-8
 * become '?', what is cut off is shown as "...".
 *
 * @param text At least 4 * columns + 4 bytes. @return text.
 */
const char *pp_format_name(char *text, size_t size, const char *name, size_t columns);

/** How many columns a text takes. */
size_t pp_format_width(const char *text);

/** How many columns the first @p length bytes of a text take. */
size_t pp_format_width_of(const char *text, size_t length);

/** Add to the end of a text as printf() would; what is beyond its @p size is cut off. */
__attribute__((format(printf, 3, 4))) void pp_format_append(char *text, size_t size, const char *format, ...);

/** Where a label path's last name begins; in names '/' and '\\' have a '\\' in front. @return @p path itself
 * if it has one name. */
const char *pp_format_last_name(const char *path);

/** A label path, or the end of one, as the application wrote it: without the '\\' in front of '/' and '\\' in
 * names. @return text, cut off at its size. */
const char *pp_format_unescaped(char *text, size_t size, const char *path);

/** The word for as many as @p count. @return one of the two. */
const char *pp_format_noun(double count, const char *one, const char *several);

/** A number of any kind: whole numbers, and others from 1,000 on, with thousands separated, others with four
 * significant digits.
 * @return text. */
const char *pp_format_figure(char text[PP_FORMATTED_MAX], double value);

/** Columns of a line: those of the terminal @p out, else those of the variable COLUMNS, at most 160. Without
 * both, or with 60 columns or fewer, which hold no table: 79. */
size_t pp_format_columns(FILE *out);

/** In this many columns a table has those that a narrower one leaves out. */
#define PP_WIDE_COLUMNS 100U

/** Columns of a row of a table in report: those of the terminal, or of COLUMNS, as pp_format_columns().
 * Without both, and if @p whole, enough for whole names: a file or another program reads the table. */
size_t pp_format_row_columns(FILE *out, bool whole);

/** Columns of a line that has @p columns and of which @p used are taken: at least @p least. */
size_t pp_format_left(size_t columns, size_t used, size_t least);

/**
 * Print a foreign text and end its line, broken between words before column 80 or the terminal's end; control
 * characters become '?'.
 *
 * @param column Where the line is already. @param indent Of the lines that follow.
 */
void pp_format_wrap(FILE *out, size_t column, size_t indent, const char *text);

/** Wrap a foreign text as pp_format_wrap() does, in lines that begin with @p lead, such as "# ". @p lead
 * counts as part of @p indent. */
void pp_format_wrap_behind(FILE *out, const char *lead, size_t column, size_t indent, const char *text);

/** A command line as a shell would take it: arguments with special characters are quoted; control characters
 * become '?'. @return text. */
const char *pp_format_command(char *text, size_t size, char *const *argv);

/** A command line as pp_format_command() writes it. One wider than @p columns is written without the
 * directory of its executable, so that the name is not cut off. @param argv As it was on return; changed
 * meanwhile. @return text. */
const char *pp_format_short_command(char *text, size_t size, size_t columns, const char **argv);

/** As pp_format_name(), but what is cut off is cut from the middle: paths and numbered names differ at their
 * ends. Words are kept whole where that leaves two thirds of the text. @return text. */
const char *pp_format_middle(char *text, size_t size, const char *name, size_t columns);

/** As pp_format_middle(), but no word is cut, except one that alone is too wide: whole words are left out.
 * The last word is kept where it fits. @return text. */
const char *pp_format_words(char *text, size_t size, const char *name, size_t columns);

#endif
