/** @file
 * Applies the limits of `diff --fail-above` to a comparison: which rows became worse by more than their
 * limit? Prints nothing. See limit.h for a limit, diff.h for a comparison. */
#ifndef PP_CLI_COMPARE_LIMIT_CHECK_H
#define PP_CLI_COMPARE_LIMIT_CHECK_H

#include "cli/compare/diff.h"
#include "cli/compare/limit.h"

/** What a limit says, of a row or in all. */
enum pp_limit_state {
    PP_LIMIT_NOTHING, /**< no row can be judged: none has this name, or a value is missing */
    PP_LIMIT_PASSED,  /**< within the limit */
    PP_LIMIT_UNCLEAR, /**< above the limit, but the interval of the change contains 0 */
    PP_LIMIT_FAILED,  /**< above the limit */
};

/** A row that a limit is about. */
struct pp_limit_finding {
    const struct pp_limit *limit;    /**< borrowed */
    const struct pp_diff_part *part; /**< borrowed, as the row */
    const struct pp_diff_row *row;
    enum pp_limit_state state;
    double worse; /**< how much worse the row became, as the limit counts: a share, or a number in the row's
                     unit; negative: it became better */
};

/** All limits and what they say. */
struct pp_limit_checks {
    const struct pp_limit *limit; /**< borrowed */
    size_t limits;
    enum pp_limit_state *state;       /**< of each limit: the worst of its rows; owned */
    char **note;                      /**< of each limit: what a user must know of it; NULL: nothing. Owned */
    struct pp_limit_finding *finding; /**< by limit, then in the order of the rows; owned */
    size_t findings, cap;
    char
        *blunt; /**< why the comparison is too blunt; NULL: it is not, or --fail-blunt was not given. Owned */
    struct pp_diff other[PP_DIFF_STATS]; /**< the same sides by the statistics that limits ask for; owned */
};

/**
 * Apply limits to a comparison.
 *
 * A row fails if it became worse by more than the limit, and if that is no chance: a count is a fact; else
 * the interval of the change must be above 0, after the correction for the number of passes. With one run a
 * side it is the interval from within the runs; where there is none, the limit alone decides. Passes that are
 * too short to decide (pp_diff_row.small) count only if the limit names them without a pattern. A pass or
 * label region that only the new side has took no time before, so that it is above every percentage. If it
 * may be a pass of the old side by another name, it is compared with that one, and a limit is at most
 * unclear. Rows of the comparison get the worst of their limits (pp_diff_row.limit).
 *
 * A limit has a note where its statistic needs more frames than the runs have, and where the comparison chose
 * p5, because other programs disturbed the runs: a limit that names another statistic has one if it would
 * fail by p5.
 *
 * @param limit  Borrowed until pp_limit_checks_finish(), as @p diff.
 * @param ret   Call pp_limit_checks_finish() whatever is returned.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_limit_check(const struct pp_limit *limit, size_t limits,
                                                       struct pp_diff *diff, struct pp_limit_checks *ret);

/**
 * Find a row that the runs know too badly: of the rows that limits are about, or without limits of those that
 * decide, the one whose smallest visible change is the largest. Passes below 5 % of the GPU time count only
 * if a limit names them without a pattern, or if there are no others. Of a pass the change relative to the
 * others is enough where the whole GPU time is looked at, too. Sets checks->blunt if the change is above the
 * limit, or not known.
 * @param most A share; NaN: do nothing.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_limit_find_blunt(struct pp_limit_checks *checks,
                                                            const struct pp_diff *diff, double most);

/** What all limits say together: failed if one failed, else nothing if one has no row to check, else unclear
 * if one is unclear. */
enum pp_limit_state pp_limit_worst(const struct pp_limit_checks *checks);

/** A word for a state: "failed", "passed", ...; static. */
const char *pp_limit_state_name(enum pp_limit_state state);

/** The row of a limit that became worse by most, of those with the limit's state; NULL: it has no row. */
const struct pp_limit_finding *pp_limit_worst_row(const struct pp_limit_checks *checks, size_t limit);

/** Free everything; the struct is all zero then. */
void pp_limit_checks_finish(struct pp_limit_checks *checks);

#endif
