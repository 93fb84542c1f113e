/** @file
 * Edit distance between names; see nearest_name.h. */
#include "counters/util/nearest_name.h"

enum {
    LONGEST_NEAREST = 80, /* longer names are not compared */
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
        .wanted = wanted, .wanted_length = length, .distance = (unsigned)(length + 5) / 3};
}

void
pp_nearest_offer(struct pp_nearest *nearest, const char *text, size_t length)
{
    size_t difference =
        length > nearest->wanted_length ? length - nearest->wanted_length : nearest->wanted_length - length;
    if (length > LONGEST_NEAREST || nearest->wanted_length > LONGEST_NEAREST ||
        difference >= nearest->distance)
        return;
    unsigned distance = edits(nearest->wanted, nearest->wanted_length, text, length);
    if (distance >= nearest->distance)
        return;
    nearest->distance = distance;
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
