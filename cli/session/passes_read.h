/** @file
 * Reads draws.csv, passes.csv and labels.csv of a session; see saved_session.h. Also says how much work a
 * draw was. */
#ifndef PP_CLI_SESSION_PASSES_READ_H
#define PP_CLI_SESSION_PASSES_READ_H

#include <stddef.h>

struct pp_cell;
struct pp_row_reader;
struct pp_saved_session;

/** Read draws.csv, by its name in the session directory or, for the fuzz target, from memory (@p name is
 * NULL). After frames.csv.
 * @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_saved_read_draws(struct pp_saved_session *rec, const char *name,
                                                            const char *text, size_t len);

/** Read passes.csv, by its name in the session directory or, for the fuzz target, from memory (@p name is
 * NULL). After draws.csv.
 * @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_saved_read_passes(struct pp_saved_session *rec, const char *name,
                                                             const char *text, size_t len);

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

struct pp_saved_session;

/** Read labels.csv, by its name in the session directory or, for the fuzz target, from memory (@p name is
 * NULL). After passes.csv.
 * @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_saved_read_labels(struct pp_saved_session *rec, const char *name,
                                                             const char *text, size_t len);

/** A label path for tables: as the application wrote its names, where no other path of the session looks the
 * same then; else with '\\' in front of '/' and '\\' in them. @param part The path, or its end. @return @p
 * part, or @p text. */
const char *pp_saved_label_text(const struct pp_saved_session *rec, const char *path, const char *part,
                                char *text, size_t size);

#endif
