/** @file
 * Module: what a table is: a list of columns, and which rows are shown in which order. A column names a
 * member of a row, and says how each format shows it. Text, CSV, JSON, HTML, the schema of the JSON and the
 * tables of docs/ are made from the list; a comparison reads rows back from JSON by it. The list is in the
 * file that computes the rows (for example pass_table.c). A view is --by, --sort, --pass and --percent-limit.
 * cli/print/table.h, cli/text/json_values.h and cli/html/html_out.h write tables. Prints nothing. */
#ifndef PP_CLI_ANALYSIS_TABLE_H
#define PP_CLI_ANALYSIS_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/session/saved_session.h"
#include "cli/session/series.h"

/** The type of a member: what PP_CELL() finds out. */
enum pp_column_type {
    PP_TYPE_TEXT,   /**< const char *; NULL: no cell */
    PP_TYPE_NUMBER, /**< double; NaN: not known */
    PP_TYPE_COUNT,  /**< size_t; 0: not known, unless the column is `whole` */
    PP_TYPE_CHOICE, /**< an enum: the place of its text in `values` */
    PP_TYPE_TRUTH,  /**< bool */
    PP_TYPE_SPREAD, /**< struct pp_spread: how far the figures of this run may be wrong */
    PP_TYPE_OBJECT, /**< json_t *: an object that only JSON has; NULL: none */
};

/** How a cell is shown to people. CSV and JSON have numbers with all their digits. */
enum pp_column_form {
    PP_FORM_PLAIN,
    PP_FORM_TITLE,   /**< what the row is called: text that may be long */
    PP_FORM_PERCENT, /**< with one decimal */
    PP_FORM_TIME,    /**< nanoseconds, in the unit that the table has */
    PP_FORM_COUNT,   /**< a whole number */
    PP_FORM_ROUGH,   /**< a count, as "1.2 M" where it is large */
    PP_FORM_FIGURE,  /**< any number, with the digits that it needs */
    PP_FORM_MEAN,    /**< mean of a count: with a decimal, where it is not whole */
    PP_FORM_FRAME,   /**< number of the frame that has the maximum */
    PP_FORM_SIZE,    /**< width and height of the row, in the page with scripts */
};

/** Formats that a column is in. A column whose place differs between formats is in the list twice. */
enum {
    PP_IN_TEXT = 1,      /**< the table of `report` */
    PP_IN_CSV = 2,       /**< `report --csv` */
    PP_IN_JSON = 4,      /**< `report --json`, and its schema */
    PP_IN_DATA = 8,      /**< the JSON in passprobe's own page */
    PP_IN_PAGE = 16,     /**< the page's table without scripts */
    PP_IN_SCRIPT = 32,   /**< the page's table that can be sorted */
    PP_IN_COUNTS = 64,   /**< the table of `report` whose rows have counts and no times */
    PP_IN_METRICS = 128, /**< `report --openmetrics`: a percentile, as its heading says */
    PP_IN_LIMITS = 256,  /**< `diff --json`: the rows that a limit is about */
};

/** When a table of text has a column: always, or only then. It also has the column by which it is sorted. */
enum pp_column_shown {
    PP_SHOWN,
    PP_SHOWN_ALL,  /**< with all columns (-v) */
    PP_SHOWN_WIDE, /**< in PP_WIDE_COLUMNS */
    PP_SHOWN_SORTED,
    PP_SHOWN_ELSE, /**< unless a column of the kind before is shown, whose place it has */
};

/** What text shows in a row whose times are below the resolution of brackets. */
enum pp_column_unresolved {
    PP_UNRESOLVED_SHOWN, /**< the cell */
    PP_UNRESOLVED_DASH,
    PP_UNRESOLVED_JOINED, /**< neighbouring columns of this kind say so together */
};

/** A column. */
struct pp_table_column {
    const char *id;      /**< member of JSON */
    const char *csv;     /**< column of CSV; NULL: `id` */
    const char *heading; /**< for people; one that begins with '/' follows the table's unit */
    const char *unit;    /**< "ns", "percent", ...; NULL: none, or a text */
    const char *doc;     /**< what it is, for documents; NULL: the name says it */
    const char *schema;  /**< of an object: its definition in report.schema.json */
    const char *values;  /**< of a text or choice: all that it may be, with '|' between; NULL: any text */
    enum pp_column_type type;
    size_t at; /**< of the member in the row */
    enum pp_column_form form;
    unsigned in;    /**< PP_IN_x */
    unsigned since; /**< version of the JSON format that has it first; 0: all have it */
    size_t only_if; /**< of a member of type bool: only rows where it is true have the cell; 0: all have */
    bool whole;     /**< a whole number that is always known, or an object that is always there */
    bool null;      /**< a missing text, or the choice "", is null in JSON; otherwise JSON leaves it out */
    bool usually;   /**< of a truth: what JSON without the member means */
    int width;      /**< columns of text; below 0: aligned to the left; 0: as the table says */
    enum pp_column_shown shown;
    enum pp_column_unresolved unresolved;
    bool below;       /**< a time that text calls "below" where it is below the resolution */
    size_t below_if;  /**< of a member of type bool that says the same; 0: none */
    const char *sort; /**< value of --sort that ranks rows by it; NULL: none */
};

/** The type and the place of a member: two members of an initializer of struct pp_table_column. */
#define PP_CELL(row, member)                                                                                 \
    .type = _Generic(((row *)0)->member,                                                                     \
        char *: PP_TYPE_TEXT,                                                                              \
        const char *: PP_TYPE_TEXT,                                                                        \
        double: PP_TYPE_NUMBER,                                                                            \
        size_t: PP_TYPE_COUNT,                                                                             \
        unsigned: PP_TYPE_CHOICE,                                                                          \
        bool: PP_TYPE_TRUTH,                                                                               \
        struct pp_spread: PP_TYPE_SPREAD,                                                                  \
        json_t *: PP_TYPE_OBJECT),                                                                         \
    .at = offsetof(row, member)

/** The columns of a kind of table. */
struct pp_columns {
    const char *name; /**< of the kind: "passes"; its rows have this name in JSON */
    const char *row;  /**< of a row, in the schema of the JSON */
    const struct pp_table_column *column;
    size_t len;
    size_t row_size;
};

/** The cell of a number, text, truth, spread or object. Counts are numbers here. The caller has checked the
 * column's type. */
double pp_column_number(const struct pp_table_column *column, const void *row);
const char *pp_column_text(const struct pp_table_column *column, const void *row);
bool pp_column_truth(const struct pp_table_column *column, const void *row);
const struct pp_spread *pp_column_spread(const struct pp_table_column *column, const void *row);
json_t *pp_column_object(const struct pp_table_column *column, const void *row);

/** Find the column by which a value of --sort ranks. @return NULL: none. */
const struct pp_table_column *pp_columns_sort(const struct pp_columns *columns, const char *sort);

/** A row as JSON. @param in PP_IN_x: its members are the columns that are in any of them. A text or an object
 * that is NULL is left out. @return A new reference. */
json_t *pp_columns_json(const struct pp_columns *columns, const void *row, unsigned in);

/** Read the members of JSON into a row. What the object lacks is NaN, "", false or NULL. @param row
 * columns->row_size bytes; texts and objects are those of @p from. */
void pp_columns_read(const struct pp_columns *columns, const json_t *from, void *row);

/** By which figure the rows of a table are ranked, in the order of --sort in docs/options.yaml. */
enum pp_sort { PP_SORT_TOTAL, PP_SORT_MEAN, PP_SORT_P95, PP_SORT_P99, PP_SORT_MAX, PP_SORT_COUNT, PP_SORTS };

/** What a row of a table is, in the order of --by in docs/options.yaml. */
enum pp_by {
    PP_BY_USUAL, /**< tables of passes, draws and labels */
    PP_BY_PASS,
    PP_BY_LABEL,
    PP_BY_PROGRAM, /**< draws with the same shader program or pipeline */
    PP_BY_CALL,    /**< draws of the same call */
    PP_BY_QUEUE,   /**< passes of the same queue */
    PP_BY_DRAW,
    PP_BYS
};

/** Rows that tables show. All zero: all rows, by their total. */
struct pp_view {
    bool fold;            /**< passes that ran once and cost little share one row */
    enum pp_by by;        /**< what a row is */
    enum pp_sort sort;    /**< the largest first */
    const char *pass;     /**< pattern: only passes that match it; NULL: all. Borrowed */
    bool all_columns;     /**< also the columns that few need: mean, count, ids */
    double percent_limit; /**< rows with a smaller share are left out */
    bool texts;           /**< JSON for passprobe's own page: also texts, as tables print them */
};

/** The name of the sort order of a view: of a column, as struct pp_table_column.sort has it. Static. */
const char *pp_view_sort_name(const struct pp_view *view);

/** Does a name match a pattern? A pattern with `*`, `?` or `[` fits the whole name, another one a part of
 * it; the case of letters does not matter. An empty pattern matches. */
bool pp_view_matches(const char *name, const char *pattern);

/** Does a view show a pass: does its label, its name, "label: name" or its pass_id match? */
bool pp_view_takes_pass(const struct pp_view *view, const struct pp_saved_pass *pass);

/** Does any pass or label of a session match? true, if the view has no pattern. */
bool pp_view_takes_any(const struct pp_view *view, const struct pp_saved_session *rec);

/** Is a share, NaN where it is not known, large enough? */
bool pp_view_takes_share(const struct pp_view *view, double percent);

/** Compare the figures of two rows for qsort(): the larger one comes first, an unknown one (NaN) last; 0:
 * equal. */
int pp_view_order(double a, double b);

#endif
