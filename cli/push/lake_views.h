/** @file
 * Files with which engines read a lake: a type for each column of each table. Knows no folder. See also
 * lake_csv.h. */
#ifndef PP_CLI_PUSH_LAKE_VIEWS_H
#define PP_CLI_PUSH_LAKE_VIEWS_H

/** An engine that reads files. */
enum pp_lake_engine {
    PP_LAKE_DUCKDB,     /**< SQL: views over the files, by paths relative to the lake */
    PP_LAKE_CLICKHOUSE, /**< the same with file(); from version 24.8 on: docs/fleet.md */
    PP_LAKE_PANDAS,     /**< JSON: an object of each table, with the dtype of each column */
    PP_LAKE_ENGINES
};

/** Name of the file of an engine in a lake. @return Static. */
const char *pp_lake_views_name(enum pp_lake_engine engine);

/** Write the file of an engine. @return Owned by the caller; NULL: no memory. */
char *pp_lake_views_text(enum pp_lake_engine engine);

#endif
