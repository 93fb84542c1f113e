/** @file
 * Interface of a writer, and the writers of a session. Each written format is one file of this folder and one
 * line of PP_WRITERS in core/CMakeLists.txt. A writer gets finished rows (core/model/row.h) and computes
 * nothing. Writers run only on the collector thread. They may allocate memory and write files. They return
 * errors instead of logging them. This file knows no graphics API. */
#ifndef PP_CORE_REPORT_WRITER_H
#define PP_CORE_REPORT_WRITER_H

#include <stdint.h>

#include "core/config/config.h"
#include "core/model/row.h"

struct pp_csv_files;
struct pp_session;

/** Where a writer begins. */
struct pp_writer_place {
    struct pp_session *session;
    int dir_fd;                 /**< session directory; stays open as long as the writer */
    struct pp_csv_files *files; /**< CSV files of the session, see csv_file.h */
};

/** A writer. `self` is the implementation's object. Writers begin and take frames in the order of
 * PP_WRITERS, and end in reverse order. */
struct pp_writer_ops {
    /** The file is an object of csv_file.h, which drops the rows of a draft by itself. Otherwise the writer
     * gets no draft rows, see pp_writers_draft_begin(). */
    bool takes_drafts;

    /** The rows of the file are frames; other files have fine rows (enum pp_row_choice). */
    bool of_frames;

    /** Optional. Is the file written with this configuration? NULL: always. */
    bool (*wanted)(const struct pp_config *config);

    /** Mandatory. Make the file. The file must not exist. @p place is borrowed for the writer's life.
     * @retval 0, -errno: no object. */
    int (*begin)(const struct pp_writer_place *place, void **ret_self);

    /** Mandatory. Take the rows of a frame. Rows of passes.csv, labels.csv and draws.csv are written
     * before the row of frames.csv that names them. @retval 0, -errno: the file ends with the last
     * complete row. */
    int (*frame)(void *self, const struct pp_frame_row *frame);

    /** Mandatory. Write everything taken so far, so that it survives a SIGKILL. Called several times a
     * second. @retval 0, -errno. */
    int (*flush)(void *self);

    /** Mandatory. Bytes of all rows taken so far, including rows that wait to be written. */
    uint64_t (*size)(const void *self);

    /** Mandatory. Flush the file and free the object. @p self may be NULL. */
    void (*end)(void *self);
};

/** The writers of a session. */
struct pp_writers;

/**
 * Begin all writers that the session's configuration wants.
 *
 * @param dir_fd      Session directory; borrowed until pp_writers_destroy().
 * @param ret_writers For pp_writers_destroy().
 * @retval 0, -errno: no writer has begun; files that were made stay.
 */
__attribute__((warn_unused_result)) int pp_writers_create(struct pp_session *session, int dir_fd,
                                                          struct pp_writers **ret_writers);

/** Begin those writers that are missing and that a configuration wants whose level is this one. So a file may
 * begin late, when the user wishes a finer level. @retval 0, -errno: a writer cannot begin; those before it
 * have begun, and stay. */
__attribute__((warn_unused_result)) int pp_writers_begin_level(struct pp_writers *writers,
                                                               enum pp_level level);

/** Give the rows of a frame to all writers. @retval 0, -errno of the first writer that failed. */
__attribute__((warn_unused_result)) int pp_writers_frame(struct pp_writers *writers,
                                                         const struct pp_frame_row *frame);

/** Write all rows to the files. @retval 0, -errno of the first writer that failed. */
__attribute__((warn_unused_result)) int pp_writers_flush(struct pp_writers *writers);

/** Bytes of all rows taken so far. */
uint64_t pp_writers_size(const struct pp_writers *writers);

/** Rows from now on are a draft: later rows may replace them, see pp_writers_draft_drop(). Only writers with
 * takes_drafts get them. */
void pp_writers_draft_begin(struct pp_writers *writers);

/** Drop the draft, if there is one: its rows do not count any more, and later rows will replace them. NULL is
 * allowed. */
void pp_writers_draft_drop(struct pp_writers *writers);

/** Flush and close all files. The object stays, without writers. NULL is allowed. */
void pp_writers_end(struct pp_writers *writers);

/** End the writers and free the object. NULL is allowed. */
void pp_writers_destroy(struct pp_writers *writers);

/* The list: one object `pp_writer_NAME` for each line NAME=FILE of PP_WRITERS. */
#define PP_WRITER(name, file) extern const struct pp_writer_ops pp_writer_##name;
#include "pp_writers.h"
#undef PP_WRITER

#endif
