/** @file
 * See random.h. SplitMix64;
 *
 * Random bytes of the kernel; */
#include "counters/util/random.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

#include "counters/util/mul128.h"

uint64_t
pp_splitmix64(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
}

uint64_t
pp_random_below(uint64_t *state, uint64_t n)
{
    return pp_mul128(pp_splitmix64(state), n).high;
}

int
pp_random_bytes(void *ret, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = getrandom((char *)ret + done, size - done, GRND_NONBLOCK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got ? -errno : -EIO;
        done += (size_t)got;
    }
    return 0;
}

int
pp_random_id(char *ret)
{
    uint8_t byte[(PP_RANDOM_ID_MAX - 1) / 2];
    int rc = pp_random_bytes(byte, sizeof(byte));
    ret[0] = '\0';
    for (size_t i = 0; rc == 0 && i < sizeof(byte); i++)
        snprintf(ret + 2 * i, 3, "%02x", byte[i]);
    return rc;
}
