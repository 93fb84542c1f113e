/** @file
 * Edit distance between names; see nearest_name.h. */
#include "counters/util/nearest_name.h"

#include <stdbool.h>

enum {
    LONGEST_NEAREST = 80, /* longer names are not compared */
    /* Costs: an edit costs more than a letter that a longer name has in addition. */
    EDIT = 100,
    CONTAINS = 150, /* the name contains all wanted words */
    BEGINS = 250,   /* the name begins with the wanted letters, but one */
    SHORTEST_WORD = 3,
    SHORTEST_BEGIN = 4,
};

static unsigned
smallest(unsigned a, unsigned b, unsigned c)
{
    unsigned ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static char
lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Levenshtein's distance, computed row by row. */
static unsigned
edits(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned row[LONGEST_NEAREST + 1];
    for (unsigned j = 0; j <= b_length; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a_length; i++) {
        unsigned diagonal = row[0];
        row[0] = i;
        for (unsigned j = 1; j <= b_length; j++) {
            unsigned above = row[j];
            unsigned change = lower(a[i - 1]) != lower(b[j - 1]);
            row[j] = smallest(above + 1, row[j - 1] + 1, diagonal + change);
            diagonal = above;
        }
    }
    return row[b_length];
}

struct pp_nearest
pp_nearest_begin(const char *wanted, size_t length)
{
    return (struct pp_nearest){
        .wanted = wanted, .wanted_length = length, .cost = (unsigned)(length + 5) / 3 * EDIT};
}

static bool
is_letter(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9');
}

/* Does a text contain a word? */
static bool
has_word(const char *text, size_t length, const char *word, size_t word_length)
{
    for (size_t at = 0; at + word_length <= length; at++) {
        size_t i = 0;
        while (i < word_length && lower(text[at + i]) == lower(word[i]))
            i++;
        if (i == word_length)
            return true;
    }
    return false;
}

/* Does a name contain each of the wanted words? Words are separated by what is neither a letter nor a digit.
 */
static bool
has_words(const struct pp_nearest *nearest, const char *text, size_t length)
{
    const char *wanted = nearest->wanted;
    size_t words = 0;
    for (size_t i = 0, end = 0; i < nearest->wanted_length; i = end + 1) {
        for (end = i; end < nearest->wanted_length && is_letter(wanted[end]);)
            end++;
        if (end == i)
            continue;
        if (end - i < SHORTEST_WORD || !has_word(text, length, wanted + i, end - i))
            return false;
        words++;
    }
    return words > 0 && length > nearest->wanted_length;
}

/* How far a name is from the wanted one. */
static unsigned
cost_of(const struct pp_nearest *nearest, const char *text, size_t length)
{
    size_t wanted = nearest->wanted_length;
    unsigned extra = length > wanted ? (unsigned)(length - wanted) : 0;
    unsigned cost = edits(nearest->wanted, wanted, text, length) * EDIT;
    if (has_words(nearest, text, length) && cost > CONTAINS + extra)
        cost = CONTAINS + extra;
    if (wanted >= SHORTEST_BEGIN && extra > 0 && cost > BEGINS + extra &&
        edits(nearest->wanted, wanted, text, wanted) <= 1)
        cost = BEGINS + extra;
    return cost;
}

void
pp_nearest_offer(struct pp_nearest *nearest, const char *text, size_t length)
{
    if (length > LONGEST_NEAREST || nearest->wanted_length > LONGEST_NEAREST)
        return;
    unsigned cost = cost_of(nearest, text, length);
    if (cost >= nearest->cost)
        return;
    nearest->cost = cost;
    nearest->found = text;
    nearest->found_length = length;
}

void
pp_nearest_offer_table(struct pp_nearest *nearest, const struct pp_name_table *names)
{
    for (uint32_t i = 0; i < names->slots; i++)
        if (names->slot[i].text)
            pp_nearest_offer(nearest, names->slot[i].text, names->slot[i].length);
}
