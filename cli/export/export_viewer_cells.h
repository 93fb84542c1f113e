/** @file
 * Cells of a file for viewers of frame times: texts and times. Viewers split lines at commas and line breaks,
 * and do not know quotes. */
#ifndef PP_CLI_EXPORT_EXPORT_VIEWER_CELLS_H
#define PP_CLI_EXPORT_EXPORT_VIEWER_CELLS_H

#include <stdint.h>
#include <stdio.h>

/**
 * Write a text without commas, double quotes and characters that are not printable: a blank represents
 * consecutive ones of them. No blanks are at the begin and at the end.
 *
 * @param text    NULL: none.
 * @param instead Written as it is if nothing is left of the text.
 */
void pp_viewer_put_text(FILE *out, const char *text, const char *instead);

/** Write a whole number. @param value PP_VIEWER_NONE: @p none is written. */
void pp_viewer_put_number(FILE *out, int64_t value, const char *none);

/** Write a number with six decimals, so that nanoseconds become milliseconds. @param millionths As for
 * pp_viewer_put_number(). */
void pp_viewer_put_millionths(FILE *out, int64_t millionths, const char *none);

/** Write a number with nine decimals, so that nanoseconds become seconds. @param billionths As for
 * pp_viewer_put_number(). */
void pp_viewer_put_billionths(FILE *out, int64_t billionths, const char *none);

/** Write a number as an address: "0x" and 16 digits. */
void pp_viewer_put_address(FILE *out, uint64_t value);

/** The sum of two times. @return PP_VIEWER_NONE if one of them is. */
int64_t pp_viewer_sum(int64_t a, int64_t b);

/** The difference of two times. @return PP_VIEWER_NONE if one of them is. */
int64_t pp_viewer_difference(int64_t a, int64_t b);

#endif
