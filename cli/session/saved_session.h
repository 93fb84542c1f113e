/** @file
 * Reads a session directory back and adds its rows up. Accepts truncated and foreign directories; a
 * missing value stays missing. Knows the columns of docs/formats/session.md, but no statistics. See also
 * print/report.h, which prints it. */
#ifndef PP_CLI_SESSION_SAVED_SESSION_H
#define PP_CLI_SESSION_SAVED_SESSION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/session/frame_window.h"
#include "cli/session/frames_read.h"
#include "cli/session/passes_read.h"
#include "cli/session/row_blocks.h"
#include "cli/session/series.h"
#include "counters/stats/rotation_stats.h"

/** Levels as the column `level` names them. */
enum { PP_SAVED_FRAME, PP_SAVED_PASS, PP_SAVED_DRAW, PP_SAVED_LEVELS };

/** Verdicts as the column `bound_by` names them; NONE: the cell is empty or says something else. */
enum pp_verdict {
    PP_VERDICT_CPU,
    PP_VERDICT_GPU,
    PP_VERDICT_PRESENT,
    PP_VERDICT_SYNC,
    PP_VERDICT_SLEEP,
    PP_VERDICT_NONE,
    PP_VERDICT_COUNT
};

/** Sum of a column over the rows that have it. */
struct pp_saved_sum {
    double sum;
    uint64_t rows;
};

/** A count that most rows have. It is known (pp_saved_usual()) where three quarters of the rows have it. */
struct pp_usual_count {
    double value;
    uint64_t votes; /**< rows with this value less rows with others, since it was taken */
    uint64_t rows;
};

/** A row of frames.csv; NaN: not measured. */
struct pp_saved_row {
    double frame, start_ns; /**< its number, and its begin on CLOCK_MONOTONIC */
    bool outside;           /**< of the window: nothing of it counts */
    size_t level;
    double frame_time, cpu_busy, cpu_wait, gpu_time, gpu_busy, gpu_wait; /**< nanoseconds */
    double draws, dispatches, copies, passes;
    double pipelines, pipeline_ns; /**< created in this frame */
    enum pp_verdict verdict;
};

/** The frames of one surface at one level: brackets change what they measure, so levels are kept apart. */
struct pp_saved_times {
    struct pp_series frame_time, cpu_busy, cpu_wait, gpu_time, gpu_busy, gpu_wait;
    uint64_t verdict[PP_VERDICT_COUNT];
    uint64_t no_work; /**< frames without a verdict because the GPU had no work */
    struct pp_saved_sum draws, dispatches, copies;
    struct pp_usual_count usual_draws;
};

/** Times without the frames that created shader programs or pipelines, and without the first frames. */
struct pp_plain_times {
    uint64_t creating; /**< frames that created some; 0: there are no other times than pp_saved_times has */
    double create_ns;  /**< time that they took for it */
    struct pp_saved_times level[PP_SAVED_LEVELS]; /**< series only */
};

/** A counter column (`source:name` of frames.csv) in a surface's frames of one level, without the first
 * frames. */
struct pp_saved_count {
    double sum;
    uint64_t rows;                      /**< rows where it was measured */
    bool other;                         /**< one of them was not 0 */
    double weighted;                    /**< sum of value x GPU time over the rows with both */
    double weight;                      /**< sum of their GPU times */
    struct pp_rotation_sample rotation; /**< its values, and GPU times, which every frame has */
};

/** The frames of one surface. All but the rows leave the first frames out, which hold the application's
 * start (frame_window.h). */
struct pp_saved_surface {
    char *api, *device, *surface;                 /**< owned */
    uint64_t rows;                                /**< of frames.csv */
    uint64_t frames;                              /**< rows inside the window, the first ones included */
    bool first_inside;                            /**< first frames were left out of the window */
    struct pp_saved_first first;                  /**< the frames that are left out */
    uint64_t by_level[PP_SAVED_LEVELS];           /**< frames by level, the first ones included */
    double total_ns;                              /**< sum of frame_time_ns without the first frames */
    struct pp_saved_sum pipelines, pipeline_ns;   /**< created inside the window, first frames included */
    struct pp_saved_times times[PP_SAVED_LEVELS]; /**< never of the first frames */
    struct pp_plain_times plain;                  /**< times without frames that created pipelines */
    struct pp_saved_count *count; /**< [counter * PP_SAVED_LEVELS + level]; owned; NULL: too many */
    struct pp_rotation_frames
        all[PP_SAVED_LEVELS]; /**< frames by level, of which count[].rotation is a sample */
    uint64_t action_rows;     /**< rows of draws.csv, without those of the first frames */
    size_t pass_level; /**< the one whose frames give the figures of passes and label regions: PP_SAVED_PASS
                          or PP_SAVED_DRAW, by the rule of session_shown.h */
    uint64_t other_level;    /**< frames at the other one, which are left out there */
    uint64_t measured;       /**< frames whose passes were bracketed: those at pass_level. With
                                keep_ns: frames with rows of passes */
    uint64_t draws_measured; /**< frames whose draws were bracketed: at level draw, or with draws_by_rows
                                those with rows of draws */
    bool draws_by_rows;      /**< not all frames at level draw have rows: with keep_ns, and in Vulkan
                                after a change of the level, which recorded command buffers keep */
    struct pp_first_frames leading; /**< while frames.csv is read */
};

/** Verdicts kept for a pass. */
#define PP_SAVED_BOUNDS 6

/** Rows of a pass that one unit bounded. */
struct pp_saved_bound {
    char unit[24];
    uint64_t rows;
};

/** Instead of a surface: work of no frame; or all surfaces. */
#define PP_SAVED_NO_SURFACE SIZE_MAX

/** Call stacks that are kept for one pass or draw at most. */
#define PP_SAVED_STACKS 4U

/** The calls of the application in the rows of a pass or draw. */
struct pp_saved_calls {
    uint32_t stack[PP_SAVED_STACKS]; /**< different values of the column `stack`, the first ones */
    uint32_t stacks;                 /**< 0: the rows name none */
    char *at;     /**< where the first one is, as pp_call_places_find() writes it; owned; NULL: not known */
    bool several; /**< calls at other places are among these stacks, too */
};

/** All rows of passes.csv with one pass_id in the frames of one surface. Times leave out the passes of
 * each surface's first frames, and those of frames at another level than its pass_level. */
struct pp_saved_pass {
    char *pass_id, *name, *label, *kind, *queue; /**< owned */
    uint64_t rows;
    uint64_t kept;            /**< rows without those of first frames and of frames at another level */
    uint64_t other_level;     /**< rows of frames at another level */
    uint64_t frames;          /**< frames with such rows */
    double last_frame;        /**< of the last such row, while passes.csv is read */
    uint64_t place;           /**< in the frame, of the last row */
    size_t surface;           /**< index of the surface whose frames it is in; PP_SAVED_NO_SURFACE: in none */
    bool twin;                /**< another pass has the same label, name and surface */
    bool same_place;          /**< another pass has the same label, name, surface and place */
    uint32_t width, height;   /**< of its render target, of the last row; 0: not known */
    uint32_t layers, samples; /**< likewise */
    char *attachments;        /**< of the first row; owned; "": not known */
    bool by_place;            /**< its id is by its place among equals only */
    struct pp_saved_sum draws, dispatches, copies; /**< without those of first frames */
    struct pp_usual_count usual_draws;
    struct pp_saved_sum *metric; /**< rec->pass_metrics sums without first frames; owned; NULL: none */
    struct pp_saved_sum *count;  /**< likewise rec->pass_counters sums */
    struct pp_series gpu_time;   /**< of the rows where it was measured, raw nanoseconds */
    struct pp_series usual_time; /**< with keep_ns: of these, the rows of frames that are not slower */
    double total_ns;             /**< sum of gpu_time */
    struct pp_saved_bound bound[PP_SAVED_BOUNDS]; /**< by bound_by; those beyond are not counted */
    struct pp_saved_calls calls;                  /**< that began it */
};

/** All rows of draws.csv with one draw_id in the frames of one surface, without those of first frames where
 * there are others. */
struct pp_saved_draw {
    char *draw_id, *call, *label, *pipeline; /**< owned */
    char *pass_id;                           /**< of its pass; owned; NULL: not known */
    size_t surface;                          /**< as in struct pp_saved_pass */
    double frame;                            /**< a row's frame and pass, by which pass_id was found */
    double pass;
    uint64_t place; /**< in the frame, of the last row */
    uint64_t rows;
    uint64_t by_place;             /**< rows whose id is by place only */
    struct pp_series gpu_time;     /**< raw nanoseconds of one row in rec->draw_times_every */
    uint64_t timed;                /**< rows where it was measured */
    double total_ns;               /**< sum of all of them */
    struct pp_saved_sum vertices;  /**< the column vertices */
    struct pp_saved_sum instances; /**< the column instances, of the rows with vertices */
    double vertex_runs; /**< sum of vertices x instances, of one instance where these are not known */
    struct pp_saved_sum invocations; /**< of shaders of any kind */
    struct pp_saved_calls calls;     /**< that issued it */
};

/** All rows of labels.csv with one label path, without those of first frames where there are others. */
struct pp_saved_label {
    char *label; /**< owned */
    uint64_t rows;
    struct pp_saved_sum inclusive_ns, exclusive_ns, passes, draws;
    struct pp_series times; /**< gpu_inclusive_ns of the rows where it was measured, raw nanoseconds */
    double shared_actions;  /**< sum of the actions of rows in whose region no pass began */
    double self_passes, self_actions; /**< the sums of both without those of the regions inside */
};

/** A frame and its surface. A session may have millions of frames, so this is small. */
struct pp_saved_frame {
    double number;
    double time_ns;      /**< frame_time_ns; NaN: not measured */
    uint32_t surface;    /**< index */
    uint8_t level : 4;   /**< PP_SAVED_FRAME ... */
    uint8_t verdict : 4; /**< enum pp_verdict */
    bool outside;        /**< of the window: nothing of it counts */
    bool slower;         /**< slower than --keep-slower-than */
};

/** Cells in columns of numbers that hold none: they were forged or damaged. */
struct pp_saved_wrong {
    uint64_t cells;
    const char *file; /**< of the first one; static */
    uint64_t line;    /**< from 1, if no cell before has a line break */
    size_t column;    /**< from 1 */
};

/** A session. Everything in it is owned; begin with all zero. */
struct pp_saved_session {
    int dir_fd;                    /**< the session's directory; borrowed until pp_saved_finish() */
    struct pp_frame_window window; /**< frames that count; all zero or without `any`: all frames. If none
                                      was asked for, the one that was recorded */
    double keep_ns; /**< passes.csv, draws.csv and labels.csv have only rows of frames slower than this, and
                       of those around them (--keep-slower-than); 0: of all */
    json_t *json;   /**< session.json; NULL if missing or broken */
    bool json_missing; /**< there is no such file */
    struct pp_saved_surface *surface;
    size_t surfaces, surface_cap;
    char **counter; /**< names of the columns source:name of frames.csv */
    size_t counters;
    struct pp_saved_pass *pass; /**< sorted: those that are shown first, then by total_ns, descending */
    size_t passes, pass_cap;
    uint64_t pass_rows;
    char **pass_metric;     /**< names of the columns metric:NAME of passes.csv */
    size_t *pass_metric_at; /**< places of these columns */
    size_t pass_metrics;
    char **pass_counter; /**< names of the other columns source:name of passes.csv */
    size_t *pass_counter_at;
    size_t pass_counters;
    struct pp_saved_draw *draw; /**< those that are shown first */
    size_t draws, draw_cap;
    size_t draw_times_most;    /**< most times of draws that are kept; 0: 64 MiB of them */
    uint64_t draw_times_every; /**< 1: all times of draws are kept; else percentiles describe a part */
    uint64_t passes_left_out;  /**< rows of passes that were ignored, because there are too many different
                                    passes */
    uint64_t labels_left_out;
    uint64_t draws_left_out;      /**< rows of draws that were ignored, because there are too many different
                                       draws */
    struct pp_saved_label *label; /**< sorted by inclusive time, descending */
    size_t labels, label_cap;
    const char **plain; /**< labels that no other one is mistaken for without '\\' in its names; sorted */
    size_t plains;
    size_t shown;             /**< surface whose passes and draws tables hold; PP_SAVED_NO_SURFACE: all */
    bool frames_only;         /**< tables hold no passes and draws of no frame */
    size_t shown_passes;      /**< of pass, from the first on */
    size_t shown_draws;       /**< of draw, from the first on */
    uint64_t measured_frames; /**< the sum over the surfaces that are shown */
    uint64_t draws_frames;    /**< likewise of draws_measured */
    uint64_t early_rows;      /**< rows of frames that frames.csv does not have: it was cut, or copied while
                                 the application ran */
    struct pp_saved_frame *frame; /**< rows of frames.csv by number, ascending */
    size_t frames, frame_cap;
    struct pp_saved_wrong wrong;
    uint64_t bad_rows;     /**< rows without a usable frame number */
    uint64_t damaged_rows; /**< rows that hold a NUL byte: a file system writes them after a crash */
    uint64_t passes_rows;  /**< rows of passes.csv, whether or not they could be used */
    uint64_t draws_rows;   /**< likewise of draws.csv */
    uint64_t labels_rows;  /**< likewise of labels.csv */
    double frames_passes;  /**< rows of passes.csv that the frames have, as frames.csv says */
    double frames_actions; /**< rows of draws.csv that they have at least */
    double framed_passes;  /**< rows of these frames in passes.csv */
    double framed_actions; /**< likewise in draws.csv */
    bool whole;            /**< read with PP_SAVED_WHOLE */
    const char *operand; /**< what follows `passprobe report` in hints, so that it reads this session: " DIR";
                            borrowed; NULL: nothing */
    bool of_schema_2;    /**< the files have schema 2 or newer: the session had all files from the begin */
    bool in_use;         /**< a process writes the session */
    bool passes_unread;  /**< passes.csv was not read, so nothing is known of its rows */
    int frames_error;    /**< -errno of reading frames.csv; 0: read */
    int passes_error;    /**< -errno of reading passes.csv; -ENOENT is normal at level frame */
    int draws_error;     /**< -errno of reading draws.csv; -ENOENT is normal at other levels */
    int labels_error;    /**< -errno of reading labels.csv */
    int stacks_error;    /**< -errno of reading stacks.csv; 0, too, if the session has no call stacks */
    int modules_error;   /**< likewise of modules.csv */
    uint64_t stacks_rows; /**< rows of stacks.csv */
    struct pp_row_blocks
        pass_blocks; /**< places of rows in passes.csv; none while a process writes the session */
    struct pp_row_blocks frame_blocks; /**< likewise in frames.csv */
    struct pp_row_blocks draw_blocks;  /**< likewise in draws.csv */
    char json_error[256];
};

/** How much of a session is read. */
enum pp_saved_extent {
    PP_SAVED_HEADLINES, /**< session.json, frames and passes; draws and labels as if there were none */
    PP_SAVED_WHOLE,
};

/** Read what is known before frames.csv is read: session.json, and whether the session is in use.
 * pp_saved_read_at() does this, too. @param dir_fd Borrowed until pp_saved_finish(), which is due. */
void pp_saved_begin(struct pp_saved_session *ret, int dir_fd);

/**
 * Find the window of frames that count: the given one, with its bounds as times of CLOCK_MONOTONIC, or the
 * recorded one. After pp_saved_begin(), before a file is read.
 *
 * @param window NULL, or without `any`: the recorded one.
 * @param between Value of --between, which narrows the window; NULL: not given.
 * @retval 0, -ESRCH: the session has no such marks.
 */
__attribute__((warn_unused_result)) int pp_saved_place_window(struct pp_saved_session *rec,
                                                              const struct pp_frame_window *window,
                                                              const char *between);

/** Has the directory no file of a session? Of a session whose files have been read. */
bool pp_saved_is_none(const struct pp_saved_session *rec);

/**
 * Read a directory. If a window was recorded, only its frames count.
 *
 * @param dir_fd Borrowed until pp_saved_finish(); O_PATH is enough; -1: there is none, -ENOENT. What cannot
 * be read is noted in the result and is no failure.
 * @retval 0        There is a file of a session.
 * @retval -ENOENT  No file of a session.
 * @retval -ENOMEM  No memory.
 */
__attribute__((warn_unused_result)) int pp_saved_read_at(int dir_fd, enum pp_saved_extent extent,
                                                         struct pp_saved_session *ret);

/**
 * Read the frames of a window, and all files, as pp_saved_read_at() does.
 *
 * @param window  The frames that count; without `any`: those of the recorded window.
 * @param between Value of --between, which narrows the window; NULL: not given.
 * @retval -ESRCH The session has no such marks.
 */
__attribute__((warn_unused_result)) int pp_saved_read_window(int dir_fd, const struct pp_frame_window *window,
                                                             const char *between,
                                                             struct pp_saved_session *ret);

/** Free everything. */
void pp_saved_finish(struct pp_saved_session *rec);

/** The coarsest level at which counter @p i was measured for a surface, as for times: finer brackets change
 * what they measure. @return PP_SAVED_LEVELS: nowhere. */
size_t pp_saved_counted_at(const struct pp_saved_surface *s, size_t i);

/** Does counter @p i rotate, according to the sets in session.json? */
bool pp_saved_rotates(const struct pp_saved_session *rec, size_t i);

/** Did the session end in its first moments, before session.json existed? Then only the last moments are
 * lost, as in any killed session. */
bool pp_saved_is_short(const struct pp_saved_session *rec);

/** The count that most rows have; NaN: there is none. */
double pp_saved_usual(const struct pp_usual_count *usual);

/** The mean of a sum's rows; NaN: there are none. */
double pp_saved_mean(const struct pp_saved_sum *sum);

/** Extend a sum of @p of values to @p to values, where those that were lost are as large as the others. */
double pp_saved_scale(double sum, uint64_t of, uint64_t to);

/** How a session ended. */
enum pp_saved_end {
    PP_SAVED_ENDED,   /**< with the application, or it is not said */
    PP_SAVED_KILLED,  /**< the application was killed, or still runs */
    PP_SAVED_STOPPED, /**< profiling ended before the application */
};

/** Find out how a session ended. @param ret_why Why profiling stopped, if it did. Borrowed; may be NULL. */
enum pp_saved_end pp_saved_end(const struct pp_saved_session *rec, const char **ret_why);

/** Is counter @p i a state or a ratio, so that values of several frames must not be added? The answer comes
 * from session.json, or else from the counter's unit. */
bool pp_saved_is_state(const struct pp_saved_session *rec, size_t i);

/** The unit that bounded most rows of a pass; "" if none did. */
const char *pp_saved_bound(const struct pp_saved_pass *pass);

/** Rows of frames.csv inside the window, and the numbers of the first and the last of them. @param ret_first
 * Unchanged, like @p ret_last, if there are none. */
uint64_t pp_saved_inside(const struct pp_saved_session *rec, double *ret_first, double *ret_last);

/** Frames of all surfaces inside the window. All rows of frames.csv are rec->frames. */
uint64_t pp_saved_frames(const struct pp_saved_session *rec);

/** What follows `passprobe report` in a hint, so that it reads this session: " DIR", or "". */
const char *pp_saved_operand(const struct pp_saved_session *rec);

/** A number of session.json by its path, "a.b.c"; NaN if there is no such number. */
double pp_saved_number(const struct pp_saved_session *rec, const char *path);

/** A member of session.json by its path, "a.b.c"; NULL if any part is missing. Borrowed. */
json_t *pp_saved_json(const struct pp_saved_session *rec, const char *path);

/** Find the device of a surface in session.json, by API and name. @return NULL: not known. Borrowed. */
const json_t *pp_saved_device(const struct pp_saved_session *rec, const struct pp_saved_surface *s);

/** The pass of this id in a surface's frames; NULL if there is none. */
const struct pp_saved_pass *pp_saved_pass(const struct pp_saved_session *rec, const char *pass_id,
                                          size_t surface);

/** Free what is in a pass or draw, which is all zero then. For the files of this folder only. */
void pp_saved_pass_finish(struct pp_saved_pass *pass);
void pp_saved_draw_finish(struct pp_saved_draw *draw);

#endif
