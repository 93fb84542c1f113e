/** @file
 * A set of numbers, to find out which one comes for the first time. */
#ifndef PP_CLI_PUSH_PUSH_SEEN_H
#define PP_CLI_PUSH_PUSH_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most numbers of a set. A session has some hundred passes. */
#define PP_PUSH_SEEN_MOST 65536U

/** Numbers. Begin with all zero. */
struct pp_push_seen {
    uint64_t *number; /**< owned; open addressing; 0: free */
    size_t slots, len;
    bool zero; /**< the number 0 is in it */
};

/** Add a number. @param ret_new It was not in the set; false, too, if the set is full. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_push_seen_add(struct pp_push_seen *seen, uint64_t number,
                                                         bool *ret_new);

/** Free everything. */
void pp_push_seen_finish(struct pp_push_seen *seen);

#endif
