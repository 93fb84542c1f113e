/** @file
 * How a comparison is made. A part of diff.h and trend.h, for their files only.
 *
 * - Rows: each run is asked for its number (diff_build.c), for passes (diff_passes.c), label regions, draws,
 *   counters and metrics (diff_others.c).
 * - Which number of a run is compared where the user did not choose one: the median, or on a software driver
 *   p5, in each row whose runs differ less then. Which runs differ from the others, and did other programs
 *   disturb them? (diff_steady.c)
 * - The verdict of a row, and of rows together (diff_judge.c).
 * - Can two sides be compared? (comparable.c)
 *
 * The rules are in docs/internals/statistics.md. */
#ifndef PP_CLI_COMPARE_DIFF_BUILD_H
#define PP_CLI_COMPARE_DIFF_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/compare/diff.h"

/** The number of a run. */
struct pp_diff_number {
    double value;        /**< NaN: the run lacks it */
    double half;         /**< half of its interval from within the run; NaN: not known */
    bool too_correlated; /**< the half is too small */
};

/** Asks a run. @param surface NULL: the run lacks the surface. @param key As given to pp_diff_add(). */
typedef struct pp_diff_number pp_diff_ask(const struct pp_run_figures *run,
                                          const struct pp_run_surface *surface, const void *key);

/** A part that is being made. */
struct pp_diff_build {
    const struct pp_diff *diff;
    struct pp_diff_part *part;
    const struct pp_run_surface **old_surface, **new_surface; /**< of each run; NULL: it lacks the surface */
    double *olds, *news;                                      /**< a number for each run */
};

/** What the runs of both sides are asked for; NULL: the runs of a side lack it, and are not asked. */
struct pp_diff_keys {
    const void *olds, *news;
};

/** Ask all runs: build->olds and build->news have their numbers then. */
void pp_diff_ask_runs(struct pp_diff_build *build, pp_diff_ask *ask, const struct pp_diff_keys *keys);

/** Append a row.
 * @param row      Kind, unit, stat, and what the values do not say; its name is copied.
 * @param old_key  For runs of the old side; NULL: these lack it, and are not asked.
 * @param new_key  Likewise of the new side.
 * @param ret      The row, until the next one is added; NULL: not wanted.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add(struct pp_diff_build *build,
                                                    const struct pp_diff_row *row, const char *name,
                                                    pp_diff_ask *ask, const void *old_key,
                                                    const void *new_key, struct pp_diff_row **ret);

/** Is this a time, count or counter that the options ask for? */
bool pp_diff_takes(const struct pp_diff_build *build, const char *name);

/** A number without an interval. */
struct pp_diff_number pp_diff_number(double value);

/** Half of the interval of a statistic from within the run; NaN: not known. */
double pp_diff_half_of(const struct pp_spread *within, enum pp_diff_stat stat);

/** The number of a statistic; NaN where the JSON has none. */
struct pp_diff_number pp_diff_stat_of(const struct pp_time_figures *times, enum pp_diff_stat stat);

/** A number of each run; NaN: the run lacks it. Borrowed. */
struct pp_diff_values {
    const double *olds, *news;
    size_t old_runs, new_runs;
    double old_half, new_half; /**< half of the interval within the first run of a side; NaN: not known */
    bool too_correlated;       /**< these halves are too small */
    bool counts_changed;       /**< counts of draws or the like changed, too */
};

/** Set the numbers and the verdict of a row that has kind, unit and stat. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_judge(struct pp_diff_row *row,
                                                      const struct pp_diff_values *values,
                                                      const struct pp_diff_options *options);

/** Find the verdicts of a part's rows together: they share what is known about the spread of runs
 * (stats_spread.h), and their number is taken into account (Benjamini and Hochberg). @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_correct(struct pp_diff_part *part, enum pp_diff_kind kind,
                                                        const struct pp_diff_options *options);

/**
 * Compare each pass with the other passes of its runs, where this is surer: a machine that is slower during
 * one run makes all passes of it longer. A pass that is slower or faster by this comparison, and not by the
 * plain one, gets that verdict. Not with --pairs, which cancel most of this by themselves, and not if the
 * passes changed together by more than chance.
 *
 * @param build The rows of passes are made and corrected.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_diff_judge_relative(struct pp_diff_build *build);

/** Take into account how many rows of frames a part has: they are many numbers of the same few times, so that
 * one of them differs by chance more often than in 5 % (Benjamini and Hochberg). @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_correct_frames(struct pp_diff_part *part,
                                                               const struct pp_diff_options *options);

/** Did a count change? @param exact Both are the same in each run: any difference counts. */
bool pp_diff_count_changed(double old_value, double new_value, bool exact);

/** Is the median known badly, and p5 better, by their spreads (shares; NaN: not known)? */
bool pp_diff_is_steadier(double p50_spread, double p5_spread);

/** The statistic of a row: that of the options, or of p50 and p5 the one whose runs differ less, where the
 * comparison may choose. @param p50, p5 Keys for @p ask. */
enum pp_diff_stat pp_diff_steadiest(struct pp_diff_build *build, pp_diff_ask *ask,
                                    const struct pp_diff_keys *p50, const struct pp_diff_keys *p5);

/** pp_diff_steadiest() for a time of frames of each side's first surface, without a comparison. Each side has
 * a run. */
enum pp_diff_stat pp_diff_stat_for(const struct pp_diff_options *options, const struct pp_diff_side *olds,
                                   const struct pp_diff_side *news, enum pp_time_kind kind);

/** Leave out the run whose time is far from all others: on a side with five runs or more, if it is away from
 * the nearest other one by more than 2 %, and by more than five times the range of the others and that of the
 * other side. Where a machine has two speeds, both sides have such runs, and none is left out.
 * @param olds, news A time of each run of a side; that of the run becomes NaN. @return Runs left out: 0 or 1.
 */
size_t pp_diff_leave_out(double *olds, size_t old_runs, double *news, size_t new_runs);

/** Set disturbed and spread of the part that is made. @param frame_p50 Keys of the median frame time. */
void pp_diff_find_disturbed(struct pp_diff_build *build, pp_diff_ask *ask,
                            const struct pp_diff_keys *frame_p50);

/** Note the runs whose number differs from all others of their side. @param figure Its name, for people.
 * @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_apart(struct pp_diff *diff, struct pp_diff_build *build,
                                                           pp_diff_ask *ask, const struct pp_diff_keys *keys,
                                                           const char *figure);

/** Note which statistics were chosen, and that other programs disturbed the runs. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_steady(struct pp_diff *diff,
                                                            const struct pp_diff_part *part);

/** Add the rows of passes, and of what is left of the GPU time. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_passes(struct pp_diff_build *build);

/** A pass's name for tables: "label: name", or the label if its last part is the name. @return Owned by the
 * caller; NULL: no memory. */
char *pp_diff_pass_title(const struct pp_pass_figures *pass);

/** Note the passes that are gone, and the new ones. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_passes(struct pp_diff *diff,
                                                            const struct pp_diff_part *part);

/** Mark the rows of regions that have one pass: its row says the same. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_mark_repeats(struct pp_diff_part *part);

/** Add the rows of label regions. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_labels(struct pp_diff_build *build);

/** Add the rows of groups of draws. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_draws(struct pp_diff_build *build);

/** Add the rows of counters and metrics. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_add_counters(struct pp_diff_build *build);

/** Append a note, as printf() makes it. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result, format(printf, 3, 4))) int
pp_diff_note_add(struct pp_diff *diff, bool refuses, const char *format, ...);

/** Are these names of the same device? Versions of drivers in parentheses after them may differ: Mesa names
 * "AMD Radeon RX 6800 (radeonsi, navi21, LLVM 15.0.6, DRM 3.49, 6.1.0-13-amd64)". */
bool pp_diff_same_device(const char *a, const char *b);

/** Note how the sides of a part differ, and how the runs of a side do: what makes them incomparable, and what
 * makes times doubtful. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_diff_note_differences(struct pp_diff *diff,
                                                                 const struct pp_diff_part *part);

/* Which passes of two frames are the same pass? Equal ids decide where they are sure. Where several passes
 * look alike, ids contain an ordinal, which a new pass shifts; there an alignment of the two sequences
 * decides, as diff aligns lines. Knows no session and no statistics. See also match.c. */

/** Instead of an index: none. */
#define PP_MATCH_NONE SIZE_MAX

/** Most comparisons of two passes in one alignment. Beyond, only ids decide: about 4,000 passes that look
 * alike. */
#define PP_MATCH_CELLS_MOST ((size_t)16 << 20)

/** Most difference in time between a removed and an added pass that may be one renamed pass. */
#define PP_MATCH_RENAMED_PERCENT 20.0

/** What is known of a pass. Texts are borrowed and never NULL. */
struct pp_match_pass {
    const char *pass_id;     /**< empty: none */
    const char *kind;        /**< render, compute, ... */
    const char *label;       /**< path of label regions; empty: none */
    const char *name;        /**< of the render target */
    const char *attachments; /**< as in passes.csv: `role=format:load/store`, separated by blanks */
    uint32_t width, height;  /**< 0: not known */
    uint32_t samples;        /**< 0: not known */
    double draws;            /**< actions of the pass: draws, or where it has none, dispatches or copies */
    double time;             /**< its cost, in any unit; NaN: not known */
};

/** How a row of a match was found. */
enum pp_match_how {
    PP_MATCH_ID,      /**< both passes have this id */
    PP_MATCH_ALIGNED, /**< the ids differ; the alignment paired the passes. Tables mark such rows with ~ */
    PP_MATCH_REMOVED, /**< only the old frame has the pass */
    PP_MATCH_ADDED,   /**< only the new frame has the pass */
};

/** A pass of one frame or of both. */
struct pp_match_row {
    enum pp_match_how how;
    size_t old_at;  /**< index of the old pass; PP_MATCH_NONE: there is none */
    size_t new_at;  /**< index of the new pass; PP_MATCH_NONE: there is none */
    size_t renamed; /**< of a removed or added pass: index of the row that may be the same pass under another
                       name; PP_MATCH_NONE: no such row */
};

/** All passes of both frames, in the order of the new frame; removed ones are where they were. */
struct pp_match {
    struct pp_match_row *row; /**< owned */
    size_t len;
    bool capped; /**< there were too many passes to align: some rows were matched only by id */
};

/**
 * Match the passes of two frames.
 *
 * A pass whose id both frames have is the same pass, unless one of the frames has several passes with the
 * same kind and label, or without labels with the same kind, name, and formats and roles of attachments. Such
 * passes are aligned: passes of one kind are paired in order so that attachments, sizes, samples, names,
 * labels and draws differ as little as possible; of pairs that are equally good, those with the same id and
 * similar times. Ordinals do not count. Time and memory are bounded by PP_MATCH_CELLS_MOST.
 *
 * @param olds, news  Passes of each frame, in their order in the frame. Either may be empty.
 * @param ret         The caller finishes it; unchanged on failure.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_match_make(const struct pp_match_pass *old_pass, size_t olds,
                                                      const struct pp_match_pass *new_pass, size_t news,
                                                      struct pp_match *ret);

/** Free the memory of a match. The struct is empty afterwards. */
void pp_match_finish(struct pp_match *match);

#endif
