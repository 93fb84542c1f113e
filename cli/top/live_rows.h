/** @file
 * The last seconds of a session that may still grow: its frames from frames.csv, and its passes, label
 * regions or shader programs from passes.csv, labels.csv or draws.csv. Computes nothing: see live_view.h. */
#ifndef PP_CLI_TOP_LIVE_ROWS_H
#define PP_CLI_TOP_LIVE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/session/follow.h"
#include "cli/session/row_reader.h"
#include "cli/session/saved_session.h"

/** How far back the frames reach, and most frames. With more of them, they reach less far. */
#define PP_LIVE_WINDOW_NS  10e9
#define PP_LIVE_FRAMES_MAX ((size_t)1 << 17)

/** Most surfaces; further ones count as the last of them. */
#define PP_LIVE_SURFACES_MAX 16U

/** Columns of frames.csv that are read. */
#define PP_LIVE_FRAME_COLUMNS 6U

/** A frame. */
struct pp_live_frame {
    double number;
    double start_ns, time_ns; /**< CLOCK_MONOTONIC; frame time, above 0 */
    enum pp_verdict bound_by;
    size_t level;   /**< PP_SAVED_FRAME and so on */
    size_t surface; /**< from 0, as they came */
};

/** The frames of a session. Begin with all zero. */
struct pp_live_frames {
    struct pp_follow file;
    struct pp_live_frame *frame; /**< in the order of frames.csv; owned */
    size_t len, cap;
    char surface[PP_LIVE_SURFACES_MAX][64];
    size_t surfaces;
    double newest_ns;                     /**< end of the newest frame; 0: there was none */
    uint64_t total;                       /**< frames that were read so far */
    size_t column[PP_LIVE_FRAME_COLUMNS]; /* of the file that is read */
    int error;
};

/**
 * Read the frames that are new, and drop those that ended more than PP_LIVE_WINDOW_NS before the newest one.
 *
 * @retval 0       Also where there is no frames.csv yet.
 * @retval -errno  The file cannot be read, or there is no memory.
 */
__attribute__((warn_unused_result)) int pp_live_frames_read(struct pp_live_frames *frames, int dir_fd);

/** Free everything; the struct is all zero then. */
void pp_live_frames_finish(struct pp_live_frames *frames);

/** What a row of the table is. */
enum pp_live_by { PP_LIVE_BY_PASS, PP_LIVE_BY_LABEL, PP_LIVE_BY_PROGRAM, PP_LIVE_BYS };

/** Most rows that are kept, the newest ones, and most names that they have. Further names count as one,
 * "(others)". */
#define PP_LIVE_ROWS_MAX  ((size_t)1 << 19)
#define PP_LIVE_NAMES_MAX 4096U

/** Columns of a file that are read. */
#define PP_LIVE_ROW_COLUMNS 9U

/** A row of the file. */
struct pp_live_row {
    double frame;
    double gpu_ns; /**< NaN: not measured */
    float draws;   /**< NaN: not known */
    uint32_t name; /**< in pp_live_rows.name */
};

/** A pass, region or shader program. */
struct pp_live_name {
    char *key;      /**< what identifies it; owned */
    char *title;    /**< as shown; foreign text; owned */
    uint64_t place; /**< of a pass in its frame, of its last row */
};

/** Rows of one file. Begin with all zero, then pp_live_rows_begin(). */
struct pp_live_rows {
    enum pp_live_by by;
    struct pp_follow file;
    struct pp_live_row *row; /**< in the order of the file; owned */
    size_t len, cap;
    struct pp_live_name *name; /**< owned */
    size_t names, names_cap;
    struct pp_row_index index;          /* of name */
    bool begun;                         /**< there was a row */
    double torn_frame;                  /**< rows of this frame may be missing; NaN: of none */
    double dropped;                     /**< rows of frames up to this one were dropped; NaN: none */
    size_t column[PP_LIVE_ROW_COLUMNS]; /* of the file that is read */
    int error;
};

/** Begin to read another kind of rows; frees what was read before. */
void pp_live_rows_begin(struct pp_live_rows *rows, enum pp_live_by by);

/**
 * Read the rows that are new. Call it after pp_live_frames_read(): then the rows of every frame that was read
 * are there, because the row of a frame is written last.
 *
 * @param oldest Rows of frames before this number are dropped.
 * @retval 0       Also where the file does not exist.
 * @retval -errno  The file cannot be read, or there is no memory.
 */
__attribute__((warn_unused_result)) int pp_live_rows_read(struct pp_live_rows *rows, int dir_fd,
                                                          double oldest);

/** Free everything; the struct is all zero then. */
void pp_live_rows_finish(struct pp_live_rows *rows);

#endif
