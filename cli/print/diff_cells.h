/** @file
 * Texts of the cells of a comparison, for tables, Markdown and JUnit XML. Names of applications in them are
 * as they were recorded: the printer makes them safe. See compare/diff.h. */
#ifndef PP_CLI_PRINT_DIFF_CELLS_H
#define PP_CLI_PRINT_DIFF_CELLS_H

#include "cli/compare/diff.h"
#include "cli/compare/limit.h"
#include "cli/text/format.h"

/** Size of a range and of a verdict. */
#define PP_DIFF_CELL_MAX 96U

/** Size of pp_diff_cell_visible()'s text. */
#define PP_DIFF_VISIBLE_MOST 512U

/** The whole name of a row, with its statistic if it is a row of frames. @return text, cut off at its size.
 */
const char *pp_diff_cell_title(char *text, size_t size, const struct pp_diff_row *row);

/** The title of a figure of frames, by its name in the JSON. @return Static, or the name. */
const char *pp_diff_cell_frame(const char *name);

/** The title of the table in which `diff` prints rows of a kind. Static. */
const char *pp_diff_cell_table(enum pp_diff_kind kind);

/** A value with its unit: "16.7 ms", "58.3", "40". "-" if it is not known. @return text. */
const char *pp_diff_cell_value(char text[PP_FORMATTED_MAX], enum pp_diff_unit unit, double value);

/** A signed percentage with at most four digits, without its sign: "+7.3". A larger one is a factor: "x103".
 * "" if it is not known. @return text. */
const char *pp_diff_cell_percent(char text[PP_FORMATTED_MAX], double percent);

/** The sign after what pp_diff_cell_percent() made: " %", or "" after a factor. Static. */
const char *pp_diff_cell_sign(const char *percent);

/** The interval of a relative change: "+5.9 .. +8.8"; "" if there is none. @return text. */
const char *pp_diff_cell_range(char text[PP_DIFF_CELL_MAX], const struct pp_diff_row *row);

/** A verdict in one word, with the runs that an unclear one needs. @return text. */
const char *pp_diff_cell_verdict(char text[PP_FORMATTED_MAX], const struct pp_diff_row *row);

/** What limits say of a row that is above one: "above limit", "perhaps above limit"; "" for other rows.
 * Static. */
const char *pp_diff_cell_limit(const struct pp_diff_row *row);

/** The change of a row in a sentence: "16.7 ms -> 17.9 ms, +7.3 % (+5.9 .. +8.8); smallest visible change
 * 1.9 %". @return text. */
const char *pp_diff_cell_change(char *text, size_t size, const struct pp_diff_row *row);

/** The change of a row as its limit is given: in percent, or "16.7 ms -> 17.9 ms, +1.20 ms (+0.990 ..
 * +1.47)".
 * @return text. */
const char *pp_diff_cell_change_as(char *text, size_t size, const struct pp_diff_row *row,
                                   const struct pp_limit *limit);

/** The smallest changes that a comparison can show in the rows that decide, as a sentence; "": not known.
 * @return text. */
const char *pp_diff_cell_visible(char text[PP_DIFF_VISIBLE_MOST], const struct pp_diff *diff);

/** Write the tags of a side's runs: "commit=1a2b build=77". A tag of which runs have different values ends in
 * "=...". @return text; "": no tags. */
const char *pp_diff_cell_tags(const struct pp_diff_side *side, char *text, size_t size);

#endif
