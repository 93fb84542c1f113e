/** @file
 * Reads a session and gives its tables to a format, row by row. Prints nothing. */
#ifndef PP_CLI_EXPORT_EXPORT_SESSION_H
#define PP_CLI_EXPORT_EXPORT_SESSION_H

#include <stdint.h>

#include "cli/export/export_format.h"
#include "cli/session/saved_session.h"

/** An export. The caller sets what is borrowed, the rest begins with zero. */
struct pp_export {
    struct pp_export_format *format;      /**< borrowed */
    const struct pp_frame_window *window; /**< the frames that are written; NULL: all. Borrowed */
    const char *between;                  /**< value of --between, which narrows the window; NULL: none */
    struct pp_saved_session rec; /**< what is known of the session: its frames, session.json, what is damaged.
                                    No passes, draws and labels */
    uint64_t rows;               /**< that were written */
    uint64_t bad_cells; /**< cells of columns of numbers that hold something else: they became NULL */
    int error;          /**< of the format: format->why says more */
};

/**
 * Write the tables of a session: all its CSV files, and `session`, `devices`, `surfaces`, `marks`,
 * `first_frames` and `app_counters`. What cannot be read is noted in e->rec, as pp_saved_read_at() does, and
 * is no failure.
 *
 * @param dir_fd Borrowed until pp_export_finish().
 * @param e      pp_export_finish() must be called, whatever is returned.
 * @retval 0       All was written.
 * @retval -ENOENT There is neither a session.json nor a frames.csv.
 * @retval -ESRCH  The session has no such marks as e->between names.
 * @retval -ENOMEM No memory.
 * @retval -errno  e->error: the format failed.
 */
__attribute__((warn_unused_result)) int pp_export_session(struct pp_export *e, int dir_fd);

/** Free what was read. The format is not touched. */
void pp_export_finish(struct pp_export *e);

/** Begin a table. For the files of this folder. @retval 0, e->error. */
__attribute__((warn_unused_result)) int pp_export_table(struct pp_export *e, const char *name,
                                                        const struct pp_export_column *column, size_t columns,
                                                        void **ret_table);

/** Write a row, and count it. For the files of this folder. @retval 0, e->error. */
__attribute__((warn_unused_result)) int pp_export_row(struct pp_export *e, void *table,
                                                      const struct pp_export_value *value);

/** What the columns `device` and `surface` hold: names in schema 1, numbers in later ones; PP_EXPORT_ANY
 * without session.json. */
enum pp_export_type pp_export_place_type(const struct pp_export *e);

#endif
