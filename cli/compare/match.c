/** @file
 * See diff_build.h. The steps, from the surest evidence to the weakest:
 *
 *   1. equal ids that are not in doubt; those of them that are in the same order in both frames divide the
 * frames into segments
 *   2. in each segment, the global alignment with the largest sum of gains (Needleman and Wunsch, "A general
 * method applicable to the search for similarities", J. Mol. Biol. 48, 1970); a pass without a partner costs
 * nothing
 *   3. passes that moved: the only ones on both sides with their signature, target and draws
 *
 * What is left was removed or added. */
#include "cli/compare/diff_build.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* Texts of a pass: id, kind, label, name, parent, and two for each attachment. */
#define TEXTS (5U + 2U * PP_MATCH_ATTACHMENTS)

/* Weights of what two passes have in common; their sum is 1. */
#define WEIGHT_ATTACHMENTS 0.40
#define WEIGHT_DRAWS       0.20
#define WEIGHT_SIZE        0.15
#define WEIGHT_NAME        0.10
#define WEIGHT_LABEL       0.10
#define WEIGHT_SAMPLES     0.05

/* Counts of draws are means over frames: a difference this small is none. */
#define SAME_DRAWS 0.98

/* A text that gets a number. */
struct text {
    const char *at;
    size_t length;
    uint32_t *number;
};

static int
by_text(const void *a, const void *b)
{
    const struct text *x = a, *y = b;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->at, y->at, shorter);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static size_t
add_text(struct text *text, size_t len, const char *at, size_t length, uint32_t *number)
{
    text[len] = (struct text){at, length, number};
    return len + 1;
}

/* Add the texts of attachments: role=format without what is done at load and store. */
static size_t
add_attachments(struct text *text, size_t len, struct pp_match_key *key)
{
    const char *at = key->pass->attachments;
    while (*at && key->attachments < PP_MATCH_ATTACHMENTS) {
        size_t length = strcspn(at, " ");
        size_t shown = strcspn(at, " :"), role = strcspn(at, " :=");
        if (shown > 0) {
            size_t format = role < shown ? role + 1 : shown;
            len = add_text(text, len, at, role, &key->role[key->attachments]);
            len = add_text(text, len, at + format, shown - format, &key->format[key->attachments]);
            key->attachments++;
        }
        at += length + (at[length] == ' ');
    }
    return len;
}

/* The length of a label path without its last name. In a path, '/' divides names, and '\' is before a '/'
 * or '\' that belongs to a name. */
static size_t
parent_length(const char *path)
{
    size_t ret = 0;
    for (size_t i = 0; path[i]; i++) {
        if (path[i] == '\\' && path[i + 1])
            i++;
        else if (path[i] == '/')
            ret = i;
    }
    return ret;
}

static size_t
add_pass(struct text *text, size_t len, struct pp_match_key *key)
{
    const struct pp_match_pass *pass = key->pass;
    len = add_text(text, len, pass->pass_id, strlen(pass->pass_id), &key->id);
    len = add_text(text, len, pass->kind, strlen(pass->kind), &key->kind);
    len = add_text(text, len, pass->label, strlen(pass->label), &key->label);
    len = add_text(text, len, pass->name, strlen(pass->name), &key->name);
    len = add_text(text, len, pass->label, parent_length(pass->label), &key->parent);
    return add_attachments(text, len, key);
}

/* Give each text its number. @retval 0, -ENOMEM. */
static int
number_texts(struct pp_match_key *key, size_t len)
{
    struct text *text = len ? reallocarray(NULL, len, TEXTS * sizeof(*text)) : NULL;
    size_t texts = 0;
    uint32_t number = 0;
    if (len && !text)
        return -ENOMEM;
    for (size_t i = 0; i < len; i++)
        texts = add_pass(text, texts, &key[i]);
    if (texts)
        qsort(text, texts, sizeof(*text), by_text);
    for (size_t i = 0; i < texts; i++) {
        if (text[i].length && (i == 0 || by_text(&text[i - 1], &text[i]) != 0))
            number++;
        *text[i].number = text[i].length ? number : 0;
    }
    free(text);
    return 0;
}

static int
compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* Order by what ids are made from: kind and label, or where there is no label, kind, name and attachments. */
static int
by_signature(const void *a, const void *b)
{
    const struct pp_match_key *x = *(struct pp_match_key *const *)a, *y = *(struct pp_match_key *const *)b;
    int order = compare(x->kind, y->kind);
    order = order ? order : compare(x->label, y->label);
    if (order || x->label)
        return order;
    order = compare(x->name, y->name);
    order = order ? order : compare(x->attachments, y->attachments);
    for (uint32_t i = 0; order == 0 && i < x->attachments; i++) {
        order = compare(x->role[i], y->role[i]);
        order = order ? order : compare(x->format[i], y->format[i]);
    }
    return order;
}

static int
in_order_of_id(const void *a, const void *b)
{
    return compare((*(struct pp_match_key *const *)a)->id, (*(struct pp_match_key *const *)b)->id);
}

/* Mark a group of keys as in doubt if one frame has two of them. @param first_new The first key of the new
 * frame. */
static void
mark_group(struct pp_match_key *const *key, size_t len, const struct pp_match_key *first_new)
{
    size_t news = 0;
    for (size_t i = 0; i < len; i++)
        news += key[i] >= first_new;
    for (size_t i = 0; i < len && (news > 1 || len - news > 1); i++)
        key[i]->in_doubt = true;
}

/* Sort the keys, and mark groups of equal ones; @p signature: number the groups, too. */
static void
mark_doubt(struct pp_match_key **sorted, size_t len, const struct pp_match_key *first_new,
           int (*order)(const void *, const void *), bool signature)
{
    uint32_t groups = 0;
    if (len)
        qsort(sorted, len, sizeof(struct pp_match_key *), order);
    for (size_t from = 0, to; from < len; from = to, groups++) {
        for (to = from; to < len && order(&sorted[from], &sorted[to]) == 0; to++)
            if (signature)
                sorted[to]->signature = groups;
        mark_group(sorted + from, to - from, first_new);
    }
}

/* Make the keys of @p olds and @p news passes in one array, old ones first. @param ret Owned by the caller,
 * who frees it. @retval 0, -ENOMEM. */
static int
match_keys_make(const struct pp_match_pass *old_pass, size_t olds, const struct pp_match_pass *new_pass,
                size_t news, struct pp_match_key **ret)
{
    size_t len = olds + news;
    struct pp_match_key *key = calloc(len + 1, sizeof(*key));
    struct pp_match_key **sorted = calloc(len + 1, sizeof(struct pp_match_key *));
    int rc = key && sorted ? 0 : -ENOMEM;
    for (size_t i = 0; rc == 0 && i < len; i++) {
        key[i].pass = i < olds ? &old_pass[i] : &new_pass[i - olds];
        sorted[i] = &key[i];
    }
    rc = rc ? rc : number_texts(key, len);
    if (rc == 0) {
        mark_doubt(sorted, len, key + olds, by_signature, true);
        mark_doubt(sorted, len, key + olds, in_order_of_id, false);
        for (size_t i = 0; i < len; i++)
            key[i].in_doubt = key[i].in_doubt || !key[i].id;
        *ret = key;
        key = NULL;
    }
    free(sorted);
    free(key);
    return rc;
}

/* Smaller over larger number; 1 if both are 0. */
static double
ratio(double a, double b)
{
    if (!(a >= 0) || !(b >= 0))
        return 0;
    return a > b ? b / a : b > 0 ? a / b : 1;
}

/* How many attachments are alike: one counts fully if role and format agree, half if only the role does. */
static double
attachment_likeness(const struct pp_match_key *a, const struct pp_match_key *b)
{
    uint32_t more = a->attachments > b->attachments ? a->attachments : b->attachments;
    double same = 0;
    for (uint32_t i = 0; i < a->attachments; i++)
        for (uint32_t k = 0; k < b->attachments; k++)
            if (a->role[i] == b->role[k]) {
                same += a->format[i] == b->format[k] ? 1 : 0.5;
                break;
            }
    return more ? fmin(same / more, 1) : 1;
}

static bool
same_size(const struct pp_match_key *a, const struct pp_match_key *b)
{
    return a->pass->width == b->pass->width && a->pass->height == b->pass->height;
}

/* How much two passes are alike, without their times and ids: 0 not at all, 1 equal. Passes of different
 * kinds, or with different labels, are not alike at all. */
static double
match_likeness(const struct pp_match_key *a, const struct pp_match_key *b)
{
    if (a->kind != b->kind || (a->label && b->label && a->label != b->label))
        return 0;
    double draws = ratio(a->pass->draws, b->pass->draws);
    return WEIGHT_ATTACHMENTS * attachment_likeness(a, b) + WEIGHT_DRAWS * (draws >= SAME_DRAWS ? 1 : draws) +
           WEIGHT_SIZE * same_size(a, b) + WEIGHT_NAME * (a->name == b->name) +
           WEIGHT_LABEL * (a->label == b->label) + WEIGHT_SAMPLES * (a->pass->samples == b->pass->samples);
}

/* The smaller one of two times over the larger one; 0 if one is not known or not positive. */
static double
match_time_ratio(const struct pp_match_key *a, const struct pp_match_key *b)
{
    return a->pass->time > 0 && b->pass->time > 0 ? ratio(a->pass->time, b->pass->time) : 0;
}

/* Do two passes have the same attachments (roles and formats), size and samples? */
static bool
match_same_target(const struct pp_match_key *a, const struct pp_match_key *b)
{
    return a->attachments == b->attachments && attachment_likeness(a, b) >= 1 && same_size(a, b) &&
           a->pass->samples == b->pass->samples;
}

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
    double likeness = match_likeness(a, b);
    if (likeness < PP_MATCH_LEAST_LIKENESS)
        return 0;
    return likeness - LIKENESS_FREE + GAIN_TIME * match_time_ratio(a, b) +
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
    return a->signature == b->signature && match_same_target(a, b) && match_likeness(a, b) > 0.999;
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
    return a->kind == b->kind && a->parent == b->parent && match_same_target(a, b) &&
           match_time_ratio(a, b) >= 1 - PP_MATCH_RENAMED_PERCENT / 100;
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
            if (may_be_renamed(a, b) && match_time_ratio(a, b) > best_ratio) {
                best_ratio = match_time_ratio(a, b);
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
    int rc = match_keys_make(old_pass, olds, new_pass, news, &m.old_key);
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
