/** @file
 * Pushes a session again after a failure that may pass, and waits longer each time. */
#ifndef PP_CLI_PUSH_PUSH_RETRY_H
#define PP_CLI_PUSH_PUSH_RETRY_H

#include <signal.h>

#include "cli/push/push_session.h"

/** How often, and until when. */
struct pp_push_retry {
    unsigned most;                     /**< tries after the first one */
    const volatile sig_atomic_t *stop; /**< not 0: no more tries; NULL: nothing ends them */
    /** Called before each wait; NULL: not called. */
    void (*wait)(void *data, const struct pp_push_error *error, uint64_t wait_ms);
    void *data;
};

/** The wait before the try with this number, from 1, in milliseconds: twice as long each time, at most a
 * minute, and up to a half less by chance, so that many machines do not come back at the same moment. @param
 * random State of pp_splitmix64(). */
uint64_t pp_push_wait_ms(unsigned number, uint64_t *random);

/** Sleep. @return false: @p stop was set. */
bool pp_push_sleep(uint64_t ms, const volatile sig_atomic_t *stop);

/** Push a session as pp_push_session() does, with further tries. */
__attribute__((warn_unused_result)) int pp_push_with_retry(struct pp_push_target *target, int dir_fd,
                                                           const struct pp_push_facts *facts,
                                                           const struct pp_push_retry *retry,
                                                           struct pp_push_result *ret);

#endif
