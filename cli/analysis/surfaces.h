/** @file
 * Module: which surfaces (windows, pbuffers) of a session are worth a table of their own. Prints nothing.
 * See also print/summary.h, which prints them. */
#ifndef PP_CLI_ANALYSIS_SURFACES_H
#define PP_CLI_ANALYSIS_SURFACES_H

#include <stddef.h>

#include "cli/session/saved_session.h"

/** Most surfaces that matter. */
#define PP_SURFACES_MATTER 4U

/** A surface in the ranking. */
struct pp_surface_rank {
    size_t index;  /**< in rec->surface */
    double gpu_ns; /**< GPU time of its frames without the first one; 0: none was measured */
    double share;  /**< its part of all surfaces' GPU time; NaN: none of them has any */
};

/** Surfaces by GPU time, then by frames, then as they came. Owned; begin with all zero. */
struct pp_surface_ranking {
    struct pp_surface_rank *rank;
    size_t len;    /**< all surfaces of the session */
    size_t matter; /**< this many, from the first on, matter: each has 5 % of all GPU time or, if its own was
                      not measured, 10 % of all frames; 1 at least, where there is a surface,
                      PP_SURFACES_MATTER at most */
};

/** Rank the surfaces of a session. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_surfaces_rank(const struct pp_saved_session *rec,
                                                         struct pp_surface_ranking *ret);

/** Free a ranking. */
void pp_surface_ranking_finish(struct pp_surface_ranking *ranking);

#endif
