/** @file
 * See push_seen.h. */
#include "cli/push/push_seen.h"

#include <errno.h>
#include <stdlib.h>

/* The slot of a number, or the free one where it belongs. The factor is 2^64 divided by the golden ratio,
 * which spreads numbers that are near each other (Knuth, volume 3, section 6.4). */
static uint64_t *
slot_of(uint64_t *numbers, size_t slots, uint64_t number)
{
    size_t at = (size_t)(number * UINT64_C(0x9e3779b97f4a7c15) >> 20) % slots;
    while (numbers[at] && numbers[at] != number)
        at = (at + 1) % slots;
    return &numbers[at];
}

/* Make memory for one more number. */
static int
grow(struct pp_push_seen *seen)
{
    if (2 * seen->len < seen->slots)
        return 0;
    size_t slots = seen->slots ? 2 * seen->slots : 256;
    uint64_t *numbers = calloc(slots, sizeof(*numbers));
    if (!numbers)
        return -ENOMEM;
    for (size_t i = 0; i < seen->slots; i++)
        if (seen->number[i])
            *slot_of(numbers, slots, seen->number[i]) = seen->number[i];
    free(seen->number);
    seen->number = numbers;
    seen->slots = slots;
    return 0;
}

int
pp_push_seen_add(struct pp_push_seen *seen, uint64_t number, bool *ret_new)
{
    *ret_new = false;
    if (!number) {
        *ret_new = !seen->zero;
        seen->zero = true;
        return 0;
    }
    if (seen->len >= PP_PUSH_SEEN_MOST)
        return 0;
    int rc = grow(seen);
    if (rc)
        return rc;
    uint64_t *slot = slot_of(seen->number, seen->slots, number);
    *ret_new = !*slot;
    seen->len += *ret_new;
    *slot = number;
    return 0;
}

void
pp_push_seen_finish(struct pp_push_seen *seen)
{
    free(seen->number);
    *seen = (struct pp_push_seen){.len = 0};
}
