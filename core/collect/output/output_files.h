/** @file
 * The session directory and its files: the CSV files of the writers, and session.json. Watches --max-size,
 * and stops profiling when a file cannot be written. Collector thread only, except for init, refuse and
 * finish, which the creating thread calls. This file knows no graphics API. */
#ifndef PP_CORE_COLLECT_OUTPUT_OUTPUT_FILES_H
#define PP_CORE_COLLECT_OUTPUT_OUTPUT_FILES_H

#include "core/collect/output/session_json.h"
#include "core/config/session_dir.h"
#include "core/engine/session_private.h"
#include "core/report/writer.h"

/** The files. Zero the struct, then pp_output_files_init(). */
struct pp_output_files {
    struct pp_session *session;
    struct pp_dir dir;
    struct pp_writers *writers; /**< NULL: none has begun */
    struct pp_replaced json;
    struct pp_session_state state;
    uint64_t rows_bytes;  /**< of the CSV files, after the last frame */
    uint64_t frame_bytes; /**< most that a frame has added to them */
    bool near_limit;      /**< session.json was written with the session's devices to know its size */
    bool discarding;      /**< profiling stopped: batches are only freed */
    bool full;            /**< a write failed: more rows are counted than the files have */
    struct pp_overhead frame_overhead[PP_LEVEL_DRAW + 1]; /**< a frame's batches, by its level */
    uint64_t rest_overhead_ns;                            /**< of actions of no frame */
    uint32_t described_surfaces;                          /**< surfaces that session.json names */
    uint64_t described_drops;                             /**< dropped frames that session.json counts */
    uint64_t described_pauses; /**< frames that were not recorded and that session.json counts */
};

/** Prepare the struct; opens nothing. */
void pp_output_files_init(struct pp_output_files *files, struct pp_session *session);

/** Make the session directory, begin the writers and make session.json. With the session's lock, which the
 * creating thread holds meanwhile. Errors are reported on stderr. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_output_files_open(struct pp_output_files *files);

/** Write only a session.json with the reason @p why into the session directory that the command made. The
 * session must not be locked. Prints nothing. */
void pp_output_files_refuse(struct pp_output_files *files, const char *why);

/** Write all rows to the files. A failure stops profiling. */
void pp_output_files_flush(struct pp_output_files *files);

/** Stop profiling because a file cannot be written. @param error The errno. */
void pp_output_files_fail(struct pp_output_files *files, int error);

/** Stop profiling because the user wished it. */
void pp_output_files_quit(struct pp_output_files *files);

/** Time in passprobe's hooks so far, on the application's threads. */
uint64_t pp_output_files_hooks_ns(const struct pp_output_files *files);

/** Stop before a frame that would exceed --max-size, if the frame is no larger than those before. */
void pp_output_files_check_size(struct pp_output_files *files);

/** A frame of a surface becomes rows. If session.json does not name the surface yet, or does not count the
 * frames before it that were not recorded, session.json is written before these rows. */
void pp_output_files_note_surface(struct pp_output_files *files, const struct pp_timeline *timeline);

/** Bytes of all rows, and of the largest session.json to expect. */
uint64_t pp_output_files_size_at_most(const struct pp_output_files *files);

/** Write session.json if it is due, or if it lacks dropped frames, surfaces or reasons of empty cells. Call
 * it before the rows that show them are written, so that each gap of frame numbers has its count and each
 * empty cell its reason. @return True: it was written. */
bool pp_output_files_describe(struct pp_output_files *files, bool due);

/** Write everything, close the CSV files, and write the last session.json. */
void pp_output_files_end(struct pp_output_files *files);

/** Close everything that is open. Call it before pp_output_files_finish(), in the thread that opened the
 * files. */
void pp_output_files_close(struct pp_output_files *files);

/** Free everything. */
void pp_output_files_finish(struct pp_output_files *files);

#endif
