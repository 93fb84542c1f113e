/** @file
 * See push_retry.h. */
#include "cli/push/push_retry.h"

#include <errno.h>
#include <time.h>

#include "counters/util/random.h"

#define FIRST_MS 500U
#define MOST_MS  60000U
/* Pieces of a wait, after which `stop` is looked at: a signal may come before the sleep begins. */
#define PIECE_MS 200U

uint64_t
pp_push_wait_ms(unsigned number, uint64_t *random)
{
    uint64_t ms = number > 8 ? MOST_MS : (uint64_t)FIRST_MS << (number ? number - 1 : 0);
    if (ms > MOST_MS)
        ms = MOST_MS;
    return ms - pp_random_below(random, ms / 2 + 1);
}

bool
pp_push_sleep(uint64_t ms, const volatile sig_atomic_t *stop)
{
    while (ms && !(stop && *stop)) {
        uint64_t piece = ms < PIECE_MS ? ms : PIECE_MS;
        const struct timespec wait = {.tv_nsec = (long)(piece * 1000000)};
        (void)nanosleep(&wait, NULL);
        ms -= piece;
    }
    return !(stop && *stop);
}

int
pp_push_with_retry(struct pp_push_target *target, int dir_fd, const struct pp_push_facts *facts,
                   const struct pp_push_retry *retry, struct pp_push_result *ret)
{
    for (unsigned number = 1;; number++) {
        int rc = pp_push_session(target, dir_fd, facts, ret);
        if (rc == 0 || ret->error.failure != PP_PUSH_AGAIN || number > retry->most)
            return rc;
        uint64_t ms = pp_push_wait_ms(number, &target->random);
        if (retry->wait)
            retry->wait(retry->data, &ret->error, ms);
        if (!pp_push_sleep(ms, retry->stop))
            return rc;
    }
}
