/** @file
 * Module: what changed between two sides of runs, as plain structs: rows with old, new, change, interval and
 * verdict, and what could not be compared. Prints nothing. docs/internals/statistics.md has the rules. See
 * run.h for a run; print/diff.h and json/diff_json.h write a difference. */
#ifndef PP_CLI_COMPARE_DIFF_H
#define PP_CLI_COMPARE_DIFF_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/compare/run.h"
#include "counters/stats/stats_runs.h"

/* The statistics that a comparison knows. */

/** Which number of a run is compared; the first ones in the order of --stat in docs/options.yaml. */
enum pp_diff_stat {
    PP_DIFF_P5, /**< 5 % of the frames took less: those that nothing disturbed */
    PP_DIFF_P50,
    PP_DIFF_MEAN,
    PP_DIFF_P95,
    PP_DIFF_P99,
    PP_DIFF_MAX,
    PP_DIFF_TOTAL, /**< over all frames, or a frame rate: no statistic of frames */
    PP_DIFF_STATS
};

/** Does a statistic show the time of a usual frame: p50 or p5? Passes that run once in each frame have it. */
bool pp_diff_stat_is_typical(enum pp_diff_stat stat);

/** Name of a statistic: "p50", "mean", ...; static. */
const char *pp_diff_stat_name(enum pp_diff_stat stat);

/** Counts of a row that changed, at most. */
#define PP_DIFF_COUNTS_MOST 4U
/** Frames beyond a percentile that a side needs for it to decide. */
#define PP_DIFF_TAIL_LEAST 100U
/** Passes below both decide nothing: nanoseconds, and a share of the frame's GPU time. */
#define PP_DIFF_MIN_NS    50e3
#define PP_DIFF_MIN_SHARE 0.005
/** Instead of the index of a row: none. */
#define PP_DIFF_NO_ROW SIZE_MAX

/** What a row is about. */
enum pp_diff_kind {
    PP_DIFF_FRAME,   /**< frame rate, or a time or count of frames */
    PP_DIFF_PASS,    /**< a pass */
    PP_DIFF_REST,    /**< what is left of the frame's GPU time: overlaps and gaps of passes */
    PP_DIFF_LABEL,   /**< a label region, with the regions inside */
    PP_DIFF_DRAWS,   /**< draws of one shader program, pipeline or call */
    PP_DIFF_COUNTER, /**< a counter of frames */
    PP_DIFF_METRIC,  /**< a metric of frames */
    PP_DIFF_KINDS
};

/** What the values of a row are. */
enum pp_diff_unit {
    PP_DIFF_NS,         /**< nanoseconds; less is faster */
    PP_DIFF_FPS,        /**< frames per second; more is faster */
    PP_DIFF_COUNT,      /**< a number without a unit; neither is faster */
    PP_DIFF_PER_MINUTE, /**< events a minute; less is faster */
};

/** What can be said of a row. */
enum pp_diff_verdict {
    PP_DIFF_FASTER,
    PP_DIFF_SLOWER,
    PP_DIFF_SAME,     /**< within the margin of equivalence */
    PP_DIFF_UNCLEAR,  /**< none of these; row.runs_needed */
    PP_DIFF_NEW,      /**< only the new side has it */
    PP_DIFF_GONE,     /**< only the old side has it */
    PP_DIFF_FEW_RUNS, /**< too few runs for a verdict; the change may be chance */
    PP_DIFF_EQUAL,    /**< a count that is the same */
    PP_DIFF_CHANGED,  /**< a count that changed: a fact without a test */
    PP_DIFF_MISSING, /**< a figure of frames that one side lacks, for example because it has too few frames */
    PP_DIFF_NO_VERDICT, /**< values are shown only */
    PP_DIFF_VERDICTS
};

/** Why a change from too few runs is not called slower or faster. */
enum pp_diff_no_guess {
    PP_DIFF_GUESSED,      /**< it is, or there are enough runs */
    PP_DIFF_NO_INTERVAL,  /**< too few frames for an interval within a run */
    PP_DIFF_CORRELATED,   /**< the interval within a run is too narrow: neighbouring frames are too alike */
    PP_DIFF_WITHIN_RUN,   /**< below three times the interval within a run */
    PP_DIFF_SMALL_CHANGE, /**< too small to judge without changed counts */
};

/** A count of a pass that changed. Text borrowed. */
struct pp_diff_count {
    const char *name; /**< "draws", or a counter */
    double old_value, new_value;
};

/** A row. Numbers that are not known are NaN. */
struct pp_diff_row {
    enum pp_diff_kind kind;
    enum pp_diff_unit unit;
    enum pp_diff_stat stat;
    char *name;     /**< owned */
    const char *id; /**< of a pass: pass_id of the new side, or of the old one if it is gone; else "" */
    bool chosen;    /**< its statistic is the one that is compared: of rows of frames with one name, one is */
    bool aligned;   /**< of a pass: matched by alignment, not by its id */
    const char *label;           /**< of a pass: its label path; else "" */
    bool repeats;                /**< of a label region: it has one pass, whose row says the same */
    bool twin;                   /**< another row of this kind has this name */
    size_t made;                 /**< place when it was made; for diff.c only */
    size_t renamed;              /**< of a new or gone pass: index of the row that may be the same pass */
    double old_value, new_value; /**< geometric mean of the runs' numbers; pp_run_change has it */
    double change;               /**< new - old, with what a side lacks as 0 */
    double percent;              /**< relative change; NaN: a side lacks it, or the old value is 0 */
    double low_percent, high_percent; /**< 95 % interval of the relative change; NaN: none */
    bool interval_of_frames; /**< the interval is from the frames of one run per side: it does not bound how
                                much runs differ */
    double p, q; /**< p value, and after Benjamini and Hochberg over all rows of this kind, with a factor
                    (diff_judge.c); NaN: no test, or for q a counter or metric */
    size_t old_runs, new_runs; /**< with this value; without those left out */
    size_t left_out;           /**< runs whose number is far from all others of their side */
    double visible_percent;    /**< the smallest change that these runs show with a probability of 80 %; NaN:
                                  not known */
    size_t runs_needed;        /**< per side, to decide an unclear change; 0: not known */
    enum pp_diff_no_guess no_guess;
    bool near_threshold;       /**< unclear, because the change is about as large as the threshold */
    bool disturbed;            /**< a figure of the longest frames, of runs that other programs disturbed: its
                                  change is never sure */
    bool small;                /**< below --min-time on both sides: it decides nothing */
    bool decides;              /**< counts for the exit status */
    unsigned limit;            /**< enum pp_limit_state: the worst of the limits about it; pp_limit_check()
                                  sets it */
    struct pp_run_change runs; /**< the comparison of the runs; only where p is known */
    double *value;             /**< of a pass: its number in each run, old ones first; NaN: missing. Owned */
    double relative_percent;   /**< of a pass: its change relative to the other passes of its runs; NaN: not
                                  known, or no surer than percent */
    double relative_low_percent, relative_high_percent; /**< 95 % interval of it */
    double relative_visible_percent; /**< as visible_percent, of a change of this pass and no other one */
    bool relative;                   /**< verdict, p and q belong to relative_percent: percent says less */
    enum pp_diff_verdict verdict;
    struct pp_diff_count count[PP_DIFF_COUNTS_MOST];
    size_t counts;
};

/** Rows of one surface that both sides have, or of the labels. Owned. */
struct pp_diff_part {
    const struct pp_run_surface *old_surface, *new_surface; /**< of each side's first run; borrowed */
    struct pp_diff_row *row; /**< by kind; in a kind by the size of the change, the largest first */
    size_t len, cap;
    double old_gpu_ns, new_gpu_ns; /**< GPU time of the frame: rows of passes and PP_DIFF_REST add up to it */
    bool capped;                   /**< too many passes to align */
    bool disturbed; /**< the usual frame time differs between equal runs: other programs disturbed them */
    double spread;  /**< by so much: a share; NaN: not known */
    double common;  /**< standard deviation, between equal runs, of what the passes of a run have in common: a
                       share; NaN: not known */
    enum pp_diff_stat stat[PP_TIME_KINDS]; /**< of each time of frames, the statistic that is compared */
};

/** Something that was not compared, or that makes a comparison doubtful. */
struct pp_diff_note {
    char *text;   /**< a whole sentence or phrase; owned */
    bool refuses; /**< the sides are not comparable */
};

/** How to compare. */
struct pp_diff_options {
    enum pp_diff_stat stat;
    bool choose_stat; /**< p50 may become p5 in rows whose runs differ less then: diff_steady.c */
    double threshold, equivalence, alpha; /**< shares: 0.03 is 3 % */
    double min_ns;      /**< passes below it decide nothing; NaN: PP_DIFF_MIN_NS, or PP_DIFF_MIN_SHARE of the
                           frame's GPU time if that is less */
    const char *metric; /**< only these counters or times of frames, and passes by this counter; NULL: all,
                           and passes by GPU time. Borrowed */
    bool pairs;         /**< run i of both sides were made one after the other */
};

/** The usual options: p50, 3 %, 2 %, 5 %. */
extern const struct pp_diff_options pp_diff_options_usual;

/** A comparison. Everything in it is owned; begin with all zero. */
struct pp_diff {
    struct pp_diff_options options;
    const struct pp_diff_side *olds, *news; /**< borrowed */
    struct pp_diff_part *part;              /**< surfaces by GPU time of the old side, the largest first */
    size_t parts;
    struct pp_diff_note *note;
    size_t notes, note_cap;
    bool incomparable; /**< a note refuses */
};

/**
 * Compare two sides.
 *
 * @param olds, news  Each has a run. Borrowed until pp_diff_finish().
 * @param options  How.
 * @param ret      Call pp_diff_finish() whatever is returned.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_diff_make(const struct pp_diff_side *olds,
                                                     const struct pp_diff_side *news,
                                                     const struct pp_diff_options *options,
                                                     struct pp_diff *ret);

/** Has any row the metric of the options? */
bool pp_diff_has_metric(const struct pp_diff *diff);

/** Is a row slower that decides? @return The first such row; NULL: none. */
const struct pp_diff_row *pp_diff_slower(const struct pp_diff *diff);

/** Free everything; the struct is all zero then. */
void pp_diff_finish(struct pp_diff *diff);

#endif
