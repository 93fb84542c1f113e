/** @file
 * Room: a session directory read back: what its rows add up to. Takes truncated and foreign directories as
 * they come; a value that is not there stays missing. Knows the columns of docs/session-files.md, no
 * statistics. Next rooms: summary.h and report.c print it. */
#ifndef PP_CLI_RECORDING_H
#define PP_CLI_RECORDING_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/multiplex.h"

/** Values that were present, in the order of the rows. */
struct pp_series {
    double *value; /**< owned */
    size_t len, cap;
};

/** Levels as the column `level` names them. */
enum { PP_REC_FRAME, PP_REC_PASS, PP_REC_DRAW, PP_REC_LEVELS };

/** Verdicts as the column `bound_by` names them; NONE: the cell is empty or says something else. */
enum pp_verdict {
    PP_VERDICT_CPU,
    PP_VERDICT_GPU,
    PP_VERDICT_PRESENT,
    PP_VERDICT_SYNC,
    PP_VERDICT_NONE,
    PP_VERDICT_COUNT
};

/** The frames of one surface. Series leave the first frame out: it holds the program's start. */
struct pp_rec_surface {
    char *api, *device, *surface; /**< owned */
    uint64_t frames;              /**< rows, the first one included */
    double first_frame;           /**< number of the first one */
    uint64_t by_level[PP_REC_LEVELS];
    uint64_t verdict[PP_VERDICT_COUNT];
    double total_ns;      /**< sum of frame_time_ns without the first frame */
    double first_time_ns; /**< frame_time_ns of the first frame; 0 if it is not known */
    struct pp_series frame_time[PP_REC_LEVELS];
    struct pp_series cpu_busy, cpu_wait, gpu_time, gpu_busy, gpu_wait, gpu_latency;
    double passes, draws, dispatches, copies; /**< sums over all rows */
};

/** A counter column (`source:name`) of frames.csv: sum over the rows that have it. */
struct pp_rec_counter {
    char *name; /**< owned */
    double sum;
    uint64_t rows;          /**< rows where it was measured */
    bool other;             /**< one of them was not 0 */
    double weighted;        /**< sum of value x GPU time over the rows with both */
    double weight;          /**< sum of their GPU times */
    struct pp_mux_event at; /**< its turns, a frame a period, GPU time as the always-on counter */
};

/** Verdicts kept for a pass. */
#define PP_REC_BOUNDS 6

/** Rows of a pass that one unit bounded. */
struct pp_rec_bound {
    char unit[24];
    uint64_t rows;
};

/** All rows of passes.csv with one pass_id. Times leave the passes of each surface's first frame out. */
struct pp_rec_pass {
    char *pass_id, *name, *label, *kind; /**< owned */
    uint64_t rows;
    struct pp_series gpu_time;                /**< of the rows where it was measured, raw nanoseconds */
    double total_ns;                          /**< sum of gpu_time */
    struct pp_rec_bound bound[PP_REC_BOUNDS]; /**< by bound_by; those beyond are not counted */
};

/** A session. Everything in it is owned; begin with all zero. */
struct pp_recording {
    json_t *json; /**< session.json; NULL if missing or broken */
    struct pp_rec_surface *surface;
    size_t surfaces, surface_cap;
    struct pp_rec_counter *counter;
    size_t counters;
    struct pp_mux mux;        /**< frames as periods; its events are counter[].at, see pp_recording_mux() */
    struct pp_rec_pass *pass; /**< sorted by total_ns, descending */
    size_t passes, pass_cap;
    uint64_t pass_rows;
    uint64_t bad_rows; /**< rows without a usable frame number */
    int frames_error;  /**< -errno of reading frames.csv; 0: read */
    int passes_error;  /**< -errno of reading passes.csv; -ENOENT is normal at level frame */
    char json_error[256];
};

/**
 * Read a directory.
 *
 * @param dir Path. What cannot be read is noted in the result and is no failure.
 * @retval 0        There is a session.json or a frames.csv.
 * @retval -ENOENT  Neither: no session.
 * @retval -ENOMEM  No memory.
 */
__attribute__((warn_unused_result)) int pp_recording_read(const char *dir, struct pp_recording *ret);

/** Free everything. */
void pp_recording_finish(struct pp_recording *rec);

/** How counter @p i was measured: in every frame, or in turn with others. */
void pp_recording_mux(const struct pp_recording *rec, size_t i, struct pp_mux_value *ret);

/** Is counter @p i a state or a ratio, whose frames do not add up? As session.json says, else by its unit. */
bool pp_recording_is_state(const struct pp_recording *rec, size_t i);

/** The unit that bounded most rows of a pass; "" if none did. */
const char *pp_recording_bound(const struct pp_rec_pass *pass);

/** Frames of all surfaces. */
uint64_t pp_recording_frames(const struct pp_recording *rec);

/** The surface with the most frames; NULL if there is none. */
const struct pp_rec_surface *pp_recording_main_surface(const struct pp_recording *rec);

/** A member of session.json by its path, "a.b.c"; NULL if any part is missing. Borrowed. */
json_t *pp_recording_json(const struct pp_recording *rec, const char *path);

/** Events that a device could not measure, for one reason. Borrowed from session.json. */
struct pp_rec_missing {
    const char *event; /**< the first of them */
    const char *reason;
    size_t events;
};

/**
 * Gather the events_missing of a device by reason; with those of the first one what frames lack beside the
 * GPU's work.
 *
 * @param device  Index in session.json's devices.
 * @param ret     Room for @p cap groups.
 * @return Groups written; 0 if nothing is missing or there is no such device.
 */
size_t pp_recording_missing(const struct pp_recording *rec, size_t device, struct pp_rec_missing *ret,
                            size_t cap);

/* For the fuzz target: the two files from memory. */
__attribute__((warn_unused_result)) int pp_recording_frames_text(struct pp_recording *rec, const char *text,
                                                                 size_t len);
__attribute__((warn_unused_result)) int pp_recording_passes_text(struct pp_recording *rec, const char *text,
                                                                 size_t len);

#endif
