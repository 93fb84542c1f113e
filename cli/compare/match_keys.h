/** @file
 * What two passes have in common. Texts become numbers once, so that a comparison of two passes is cheap. A
 * part of match.h, and for its file only. */
#ifndef PP_CLI_COMPARE_MATCH_KEYS_H
#define PP_CLI_COMPARE_MATCH_KEYS_H

#include "cli/compare/match.h"

/** Attachments of a pass that count; the rest is ignored. */
#define PP_MATCH_ATTACHMENTS 12U

/** Passes that are less alike than this are never paired by the alignment. */
#define PP_MATCH_LEAST_LIKENESS 0.7

/** Texts of a pass as numbers: equal numbers are equal texts. 0 is the empty text. */
struct pp_match_key {
    const struct pp_match_pass *pass; /**< borrowed */
    uint32_t id, kind, label, name;
    uint32_t parent; /**< the label path without its last name */
    uint32_t attachments;
    uint32_t role[PP_MATCH_ATTACHMENTS];   /**< of each attachment */
    uint32_t format[PP_MATCH_ATTACHMENTS]; /**< of each attachment */
    uint32_t signature;                    /**< number of what the id is made from, without the ordinal */
    bool in_doubt;                         /**< the id may mean another pass in the other frame */
};

/** Make the keys of @p olds and @p news passes in one array, old ones first. @param ret Owned by the caller,
 * who frees it. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_match_keys_make(const struct pp_match_pass *old_pass, size_t olds,
                                                           const struct pp_match_pass *new_pass, size_t news,
                                                           struct pp_match_key **ret);

/** How much two passes are alike, without their times and ids: 0 not at all, 1 equal. Passes of different
 * kinds, or with different labels, are not alike at all. */
double pp_match_likeness(const struct pp_match_key *a, const struct pp_match_key *b);

/** The smaller one of two times over the larger one; 0 if one is not known or not positive. */
double pp_match_time_ratio(const struct pp_match_key *a, const struct pp_match_key *b);

/** Do two passes have the same attachments (roles and formats), size and samples? */
bool pp_match_same_target(const struct pp_match_key *a, const struct pp_match_key *b);

#endif
