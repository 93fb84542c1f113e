/** @file
 * Module: the figures of one run that a comparison needs. They are read from the JSON of `report --json` only
 * (json/report_json.h): a session and an archive become that JSON first. So a summary of some KB that was
 * saved compares like its session. Prints nothing. Next: diff.h. */
#ifndef PP_CLI_COMPARE_RUN_H
#define PP_CLI_COMPARE_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/analysis/draw_table.h"
#include "cli/analysis/pass_table.h"
#include "cli/analysis/summary.h"
#include "cli/session/frame_window.h"
#include "cli/session/session_open.h"

/** Bytes of a summary file at most. */
#define PP_RUN_FILE_MOST ((size_t)64 << 20)
/** Surfaces, and elements of each list, that are taken from a summary. */
#define PP_RUN_SURFACES_MOST 1024U
#define PP_RUN_ROWS_MOST     65536U
/** Size of the text that says why a run cannot be read. */
#define PP_RUN_WHY PP_SESSION_OPEN_WHY

/** Figures of the frames that created no shader programs or pipelines, or of all frames where there are no
 * such figures. */
struct pp_run_plain {
    double left_out, create_ns; /**< frames that created some, and the time they took for it; 0: the figures
                                   are of all frames */
    double fps, low_1_fps;
    struct pp_time_figures time[PP_TIME_KINDS];
};

/** The frames of a window, pbuffer or swapchain. */
struct pp_run_surface {
    const char *api, *device, *driver, *api_version, *surface, *cpu_level, *gpu_level;
    bool software; /**< the driver renders on the CPU */
    double width, height;
    double frames; /**< rows of frames.csv */
    double fps, low_1_fps, low_01_fps;
    double slow_frames;       /**< found */
    double slow_frames_of_ns; /**< in frames that took this time; NaN: in those of `time` */
    double draws, usual_draws, dispatches, copies; /**< in a frame */
    double pipelines_created, pipeline_create_ns;  /**< in all frames */
    struct pp_time_figures time[PP_TIME_KINDS];
    struct pp_run_plain plain;
    struct pp_pass_figures *pass; /**< owned; by id and name */
    size_t passes;
    struct pp_counter_figures *counter; /**< owned; by name */
    size_t counters;
    struct pp_draw_figures *draw; /**< owned; by name */
    size_t draw_groups;
};

/** A run. Begin with all zero. Texts belong to the JSON. */
struct pp_run_figures {
    json_t *json; /**< the report; owned */
    char *name;   /**< path; owned */
    const char
        *asked; /**< the conditions that chose a session of a database; "": it is none, or all were taken */
    const char *host, *cpu, *kernel, *executable, *level, *events, *recorded_by, *start, *ended;
    const json_t *tags;             /**< object of texts, as commit and build; NULL: none */
    double start_ns;                /**< since 1970; NaN: not known */
    bool serialize;                 /**< --serialize */
    bool window;                    /**< a part of the frames */
    double slower_ns;               /**< --keep-slower-than; 0: all frames have passes */
    struct pp_run_surface *surface; /**< owned; by GPU time, the largest first */
    size_t surfaces;
    struct pp_label_figures *label; /**< owned; by path */
    size_t labels;
};

/**
 * Take the figures from a report's JSON.
 *
 * @param json Its reference is taken, also on failure.
 * @param name Names the run in tables and messages; copied.
 * @param ret  The caller finishes it; unchanged on failure.
 * @param why  PP_RUN_WHY bytes: a whole message that names the run; set on failure.
 * @retval 0, -ENOMEM. @retval -EINVAL It is no such JSON, or has no frames.
 */
__attribute__((warn_unused_result)) int pp_run_figures_take(json_t *json, const char *name,
                                                            struct pp_run_figures *ret, char *why);

/** Find a pass by its id and name. @return NULL: the surface has none. */
const struct pp_pass_figures *pp_run_find_pass(const struct pp_run_surface *surface, const char *id,
                                               const char *name);

/** Is a pass work of frames that statistics count? A pass that only first frames have has no cost in a frame.
 */
bool pp_run_pass_counts(const struct pp_pass_figures *pass);

/**
 * Find a pass that counts, by its id and name.
 *
 * @param ret_lacks Set to true if the run measured passes, and its frames have no such pass: its cost in a
 * frame is 0. Else set to false.
 * @return NULL: the run lacks the pass, or has no passes.
 */
const struct pp_pass_figures *pp_run_find_cost(const struct pp_run_surface *surface, const char *id,
                                               const char *name, bool *ret_lacks);

/** Find a label region by its path. @return NULL: the run has none. */
const struct pp_label_figures *pp_run_find_label(const struct pp_run_figures *run, const char *path);

/** Find a counter or metric by its name. @return NULL: the surface has none. */
const struct pp_counter_figures *pp_run_find_counter(const struct pp_run_surface *surface, const char *name);

/** Find a group of draws by its name. @return NULL: the surface has none. */
const struct pp_draw_figures *pp_run_find_draws(const struct pp_run_surface *surface, const char *name);

/** Free everything; the struct is all zero then. */
void pp_run_figures_finish(struct pp_run_figures *run);

/** What a user calls a run: the conditions that chose it in a database, or its path. @return Borrowed. */
const char *pp_run_title(const struct pp_run_figures *run);

/** A side. Begin with all zero. */
struct pp_diff_side {
    struct pp_run_figures *run; /**< owned */
    size_t runs, cap;
};

/** Append a run to a side. @param run All zero then; unchanged on failure. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_side_append(struct pp_diff_side *side,
                                                            struct pp_run_figures *run);

/** Free the runs of a side; the struct is all zero then. */
void pp_diff_side_finish(struct pp_diff_side *side);

#endif
