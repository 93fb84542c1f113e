/** @file
 * See match.h. The steps, from the surest evidence to the weakest:
 *
 *   1. equal ids that are not in doubt; those of them that are in the same order in both frames divide the
 * frames into segments
 *   2. in each segment, the global alignment with the largest sum of gains (Needleman and Wunsch, "A general
 * method applicable to the search for similarities", J. Mol. Biol. 48, 1970); a pass without a partner costs
 * nothing
 *   3. passes that moved: the only ones on both sides with their signature, target and draws
 *
 * What is left was removed or added. */
#include "cli/compare/match.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/match_keys.h"

/* Gain of a pair beyond its likeness: enough that any pair is better than none. */
#define LIKENESS_FREE 0.5
#define GAIN_TIME     0.1
#define GAIN_ID       0.02

/* From where a cell of the alignment was reached. */
enum step { STEP_PAIR, STEP_REMOVED, STEP_ADDED };

/* A match in the making. */
struct matching {
    struct pp_match_key *old_key, *new_key; /* old_key is owned, new_key a part of it */
    size_t olds, news;
    size_t *new_of; /* by old pass: its partner or PP_MATCH_NONE; owned */
    size_t *old_of; /* by new pass; owned */
    size_t budget;  /* comparisons that may still be made */
    bool capped;
};

static void
pair(struct matching *m, size_t old_at, size_t new_at)
{
    m->new_of[old_at] = new_at;
    m->old_of[new_at] = old_at;
}

static int
by_id(const void *a, const void *b)
{
    const struct pp_match_key *x = *(struct pp_match_key *const *)a, *y = *(struct pp_match_key *const *)b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Pair passes with equal ids, where either may have any partner: only those that are not in doubt, or all
 * that have no partner. @retval 0, -ENOMEM. */
static int
pair_ids(struct matching *m, bool in_doubt)
{
    struct pp_match_key **sorted = calloc(m->news + 1, sizeof(struct pp_match_key *));
    size_t len = 0;
    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < m->news; i++)
        if (m->old_of[i] == PP_MATCH_NONE && m->new_key[i].id && m->new_key[i].in_doubt == in_doubt)
            sorted[len++] = &m->new_key[i];
    if (len)
        qsort(sorted, len, sizeof(struct pp_match_key *), by_id);
    for (size_t i = 0; len && i < m->olds; i++) {
        const struct pp_match_key *key = &m->old_key[i];
        if (m->new_of[i] != PP_MATCH_NONE || !key->id || key->in_doubt != in_doubt)
            continue;
        struct pp_match_key **found = bsearch(&key, sorted, len, sizeof(struct pp_match_key *), by_id);
        if (found && m->old_of[*found - m->new_key] == PP_MATCH_NONE)
            pair(m, i, (size_t)(*found - m->new_key));
    }
    free(sorted);
    return 0;
}

/* Find the longest series of pairs that are in the same order in both frames (patience sorting). @param
 * anchor Set to the old passes of the series, in their order; one cell for each old pass. @param scratch
 * Two cells for each old pass. @return Their number. */
static size_t
find_anchors(const struct matching *m, size_t *anchor, size_t *scratch)
{
    size_t *last = scratch, *before = scratch + m->olds,
           len = 0; /* last[k]: of the best series of k + 1 pairs */
    for (size_t i = 0; i < m->olds; i++) {
        if (m->new_of[i] == PP_MATCH_NONE)
            continue;
        size_t from = 0, to = len;
        while (from < to) {
            size_t middle = from + (to - from) / 2;
            if (m->new_of[last[middle]] < m->new_of[i])
                from = middle + 1;
            else
                to = middle;
        }
        before[i] = from ? last[from - 1] : PP_MATCH_NONE;
        last[from] = i;
        len += from == len;
    }
    for (size_t k = len, i = len ? last[len - 1] : 0; k > 0; k--, i = before[i])
        anchor[k - 1] = i;
    return len;
}

/* What a pair adds to the alignment; not positive: it must not be. */
static double
gain_of(const struct pp_match_key *a, const struct pp_match_key *b)
{
    double likeness = pp_match_likeness(a, b);
    if (likeness < PP_MATCH_LEAST_LIKENESS)
        return 0;
    return likeness - LIKENESS_FREE + GAIN_TIME * pp_match_time_ratio(a, b) +
           (a->id && a->id == b->id ? GAIN_ID : 0);
}

/* Collect the passes without a partner in [from, to). */
static size_t
collect(const size_t *partner, size_t from, size_t to, size_t *ret)
{
    size_t len = 0;
    for (size_t i = from; i < to; i++)
        if (partner[i] == PP_MATCH_NONE)
            ret[len++] = i;
    return len;
}

/* Fill the table of an alignment, and pair along its best path. @param best Two rows of @p news + 1 gains,
 * all 0.
 * @param step (@p olds + 1) * (@p news + 1) cells. */
static void
align(struct matching *m, const size_t *old_at, size_t olds, const size_t *new_at, size_t news, double *best,
      unsigned char *step)
{
    size_t width = news + 1;
    for (size_t i = 1; i <= olds; i++) {
        const double *above = best + (i - 1) % 2 * width;
        double *here = best + i % 2 * width;
        here[0] = 0;
        for (size_t k = 1; k <= news; k++) {
            double gain = gain_of(&m->old_key[old_at[i - 1]], &m->new_key[new_at[k - 1]]);
            bool removed = above[k] >= here[k - 1];
            here[k] = removed ? above[k] : here[k - 1];
            step[i * width + k] = removed ? STEP_REMOVED : STEP_ADDED;
            if (gain > 0 && above[k - 1] + gain > here[k]) {
                here[k] = above[k - 1] + gain;
                step[i * width + k] = STEP_PAIR;
            }
        }
    }
    for (size_t i = olds, k = news; i > 0 && k > 0;) {
        enum step taken = step[i * width + k];
        if (taken == STEP_PAIR)
            pair(m, old_at[i - 1], new_at[k - 1]);
        i -= taken != STEP_ADDED;
        k -= taken != STEP_REMOVED;
    }
}

/* Align the passes without a partner of one segment. @param scratch A cell for each pass of both. */
static int
align_segment(struct matching *m, size_t old_from, size_t old_to, size_t new_from, size_t new_to,
              size_t *scratch)
{
    size_t olds = collect(m->new_of, old_from, old_to, scratch);
    size_t news = collect(m->old_of, new_from, new_to, scratch + olds);
    if (olds == 0 || news == 0)
        return 0;
    if (olds > m->budget / news) {
        m->capped = true;
        return 0;
    }
    m->budget -= olds * news;
    double *best = calloc(2 * (news + 1), sizeof(*best));
    unsigned char *step = reallocarray(NULL, olds + 1, news + 1);
    if (best && step)
        align(m, scratch, olds, scratch + olds, news, best, step);
    int rc = best && step ? 0 : -ENOMEM;
    free(step);
    free(best);
    return rc;
}

static int
align_segments(struct matching *m)
{
    size_t *anchor = calloc(4 * (m->olds + 1) + m->news + 1, sizeof(*anchor));
    if (!anchor)
        return -ENOMEM;
    size_t *scratch = anchor + m->olds + 1;
    size_t anchors = find_anchors(m, anchor, scratch), old_from = 0, new_from = 0;
    int rc = 0;
    for (size_t i = 0; i <= anchors && rc == 0; i++) {
        size_t old_to = i < anchors ? anchor[i] : m->olds;
        size_t new_to = i < anchors ? m->new_of[anchor[i]] : m->news;
        rc = align_segment(m, old_from, old_to, new_from, new_to, scratch);
        old_from = old_to + 1;
        new_from = new_to + 1;
    }
    free(anchor);
    return rc;
}

/* May two passes without partners be one pass that moved? */
static bool
may_have_moved(const struct pp_match_key *a, const struct pp_match_key *b)
{
    return a->signature == b->signature && pp_match_same_target(a, b) && pp_match_likeness(a, b) > 0.999;
}

/* Count the passes of @p list that are like @p key. @param ret Set to the last one. */
static size_t
count_like(const struct pp_match_key *key, const struct pp_match_key *list, const size_t *at, size_t len,
           size_t *ret)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        if (may_have_moved(key, &list[at[i]])) {
            *ret = at[i];
            count++;
        }
    return count;
}

/* Pair passes that moved. */
static int
pair_moved(struct matching *m)
{
    size_t *old_at = calloc(m->olds + m->news + 1, sizeof(*old_at)), found = 0;
    if (!old_at)
        return -ENOMEM;
    size_t olds = collect(m->new_of, 0, m->olds, old_at), *new_at = old_at + olds;
    size_t news = collect(m->old_of, 0, m->news, new_at);
    if (olds && news && olds + news > m->budget / (olds > news ? olds : news)) {
        m->capped = true;
        olds = 0;
    }
    for (size_t i = 0; i < olds; i++) {
        const struct pp_match_key *key = &m->old_key[old_at[i]];
        if (count_like(key, m->old_key, old_at, olds, &found) == 1 &&
            count_like(key, m->new_key, new_at, news, &found) == 1 && m->old_of[found] == PP_MATCH_NONE)
            pair(m, old_at[i],
                 found); /* likeness is not transitive: two old passes may be like one new one */
    }
    free(old_at);
    return 0;
}

static void
add_row(const struct matching *m, struct pp_match *match, size_t old_at, size_t new_at)
{
    struct pp_match_row *row = &match->row[match->len++];
    *row = (struct pp_match_row){PP_MATCH_REMOVED, old_at, new_at, PP_MATCH_NONE};
    if (old_at == PP_MATCH_NONE)
        row->how = PP_MATCH_ADDED;
    else if (new_at != PP_MATCH_NONE)
        row->how = m->old_key[old_at].id && m->old_key[old_at].id == m->new_key[new_at].id ? PP_MATCH_ID
                                                                                           : PP_MATCH_ALIGNED;
}

/* Add rows for the passes from @p old_at on that were removed, up to the next one that has a partner. */
static void
add_removed(const struct matching *m, struct pp_match *match, size_t old_at)
{
    for (; old_at < m->olds && m->new_of[old_at] == PP_MATCH_NONE; old_at++)
        add_row(m, match, old_at, PP_MATCH_NONE);
}

/* Make the rows, in the order of the new frame. A removed pass follows the pass that it followed. */
static void
make_rows(const struct matching *m, struct pp_match *match)
{
    add_removed(m, match, 0);
    for (size_t i = 0; i < m->news; i++) {
        add_row(m, match, m->old_of[i], i);
        if (m->old_of[i] != PP_MATCH_NONE)
            add_removed(m, match, m->old_of[i] + 1);
    }
}

/* May a removed pass and an added one be one pass that got another name? */
static bool
may_be_renamed(const struct pp_match_key *a, const struct pp_match_key *b)
{
    return a->kind == b->kind && a->parent == b->parent && pp_match_same_target(a, b) &&
           pp_match_time_ratio(a, b) >= 1 - PP_MATCH_RENAMED_PERCENT / 100;
}

/* For each removed pass, find the added one that is most like it in time. */
static void
find_renamed(const struct matching *m, struct pp_match *match)
{
    size_t removed = 0, added = 0;
    for (size_t i = 0; i < match->len; i++) {
        removed += match->row[i].how == PP_MATCH_REMOVED;
        added += match->row[i].how == PP_MATCH_ADDED;
    }
    if (removed == 0 || match->len > m->budget / removed)
        return;
    for (size_t i = 0; i < match->len && added; i++) {
        size_t best = PP_MATCH_NONE;
        double best_ratio = 0;
        for (size_t k = 0; match->row[i].how == PP_MATCH_REMOVED && k < match->len; k++) {
            if (match->row[k].how != PP_MATCH_ADDED || match->row[k].renamed != PP_MATCH_NONE)
                continue;
            const struct pp_match_key *a = &m->old_key[match->row[i].old_at],
                                      *b = &m->new_key[match->row[k].new_at];
            if (may_be_renamed(a, b) && pp_match_time_ratio(a, b) > best_ratio) {
                best_ratio = pp_match_time_ratio(a, b);
                best = k;
            }
        }
        if (best != PP_MATCH_NONE) {
            match->row[i].renamed = best;
            match->row[best].renamed = i;
        }
    }
}

static int
match_all(struct matching *m)
{
    int rc = pair_ids(m, false);
    rc = rc ? rc : align_segments(m);
    if (rc == 0 && m->capped)
        rc = pair_ids(m, true);
    return rc ? rc : pair_moved(m);
}

int
pp_match_make(const struct pp_match_pass *old_pass, size_t olds, const struct pp_match_pass *new_pass,
              size_t news, struct pp_match *ret)
{
    struct matching m = {.olds = olds, .news = news, .budget = PP_MATCH_CELLS_MOST};
    struct pp_match match = {.len = 0};
    int rc = pp_match_keys_make(old_pass, olds, new_pass, news, &m.old_key);
    if (rc)
        return rc;
    m.new_key = m.old_key + olds;
    m.new_of = reallocarray(NULL, olds + 1, sizeof(*m.new_of));
    m.old_of = reallocarray(NULL, news + 1, sizeof(*m.old_of));
    match.row = calloc(olds + news + 1, sizeof(*match.row));
    if (m.new_of && m.old_of && match.row) {
        memset(m.new_of, 0xff, (olds + 1) * sizeof(*m.new_of)); /* PP_MATCH_NONE */
        memset(m.old_of, 0xff, (news + 1) * sizeof(*m.old_of));
        rc = match_all(&m);
    } else {
        rc = -ENOMEM;
    }
    if (rc == 0) {
        make_rows(&m, &match);
        find_renamed(&m, &match);
        match.capped = m.capped;
        *ret = match;
        match.row = NULL;
    }
    free(match.row);
    free(m.old_of);
    free(m.new_of);
    free(m.old_key);
    return rc;
}

void
pp_match_finish(struct pp_match *match)
{
    free(match->row);
    *match = (struct pp_match){.len = 0};
}
