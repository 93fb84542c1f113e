/** @file
 * How much work a row of draws.csv says that its draw was: invocations of shaders, and vertices. */
#ifndef PP_CLI_SESSION_DRAW_WORK_H
#define PP_CLI_SESSION_DRAW_WORK_H

#include "cli/session/row_reader.h"

/** Kinds of shaders whose invocations drivers count. */
#define PP_DRAW_SHADERS 5U

/** Columns of the invocations of each kind of shader; SIZE_MAX: the file has none. */
struct pp_draw_work_columns {
    size_t at[PP_DRAW_SHADERS];
};

/** Find the columns in the head of draws.csv. */
struct pp_draw_work_columns pp_draw_work_find(const struct pp_cell *cell, size_t cells);

/** Invocations of shaders of any kind. @return NaN: none was counted. */
double pp_draw_work_invocations(const struct pp_draw_work_columns *columns, const struct pp_cell *cell);

/** Read vertices and instances of a row. @param ret_instances NaN: the row has none. @return Vertices of one
 * instance; NaN: not known. */
double pp_draw_work_vertices(const struct pp_row_reader *reader, const struct pp_cell *cell,
                             double *ret_instances);

#endif
