/** @file
 * Random bytes of the kernel; see random_id.h. */
#include "counters/util/random_id.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>

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
