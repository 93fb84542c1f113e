/** @file
 * See match_keys.h. */
#include "cli/compare/match_keys.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
by_id(const void *a, const void *b)
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

int
pp_match_keys_make(const struct pp_match_pass *old_pass, size_t olds, const struct pp_match_pass *new_pass,
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
        mark_doubt(sorted, len, key + olds, by_id, false);
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

double
pp_match_likeness(const struct pp_match_key *a, const struct pp_match_key *b)
{
    if (a->kind != b->kind || (a->label && b->label && a->label != b->label))
        return 0;
    double draws = ratio(a->pass->draws, b->pass->draws);
    return WEIGHT_ATTACHMENTS * attachment_likeness(a, b) + WEIGHT_DRAWS * (draws >= SAME_DRAWS ? 1 : draws) +
           WEIGHT_SIZE * same_size(a, b) + WEIGHT_NAME * (a->name == b->name) +
           WEIGHT_LABEL * (a->label == b->label) + WEIGHT_SAMPLES * (a->pass->samples == b->pass->samples);
}

double
pp_match_time_ratio(const struct pp_match_key *a, const struct pp_match_key *b)
{
    return a->pass->time > 0 && b->pass->time > 0 ? ratio(a->pass->time, b->pass->time) : 0;
}

bool
pp_match_same_target(const struct pp_match_key *a, const struct pp_match_key *b)
{
    return a->attachments == b->attachments && attachment_likeness(a, b) >= 1 && same_size(a, b) &&
           a->pass->samples == b->pass->samples;
}
