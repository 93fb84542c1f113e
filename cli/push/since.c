/** @file
 * See since.h. */
#include "cli/push/since.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/array_size.h"

#define NS_PER_S INT64_C(1000000000)
/* The last year that 64 bits of nanoseconds hold is 2262. */
#define YEAR_MAX 2200

/* How long ago: 90m, 12h, 7d. */
static int
read_ago(const char *text, time_t now, int64_t *ret_ns)
{
    static const struct {
        char unit;
        long seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    char *end = NULL;
    errno = 0;
    long long count = isdigit((unsigned char)*text) ? strtoll(text, &end, 10) : -1;
    if (errno || count < 0 || count > 1000000 || !end[0] || end[1])
        return -EINVAL;
    for (size_t i = 0; i < PP_ARRAY_SIZE(units); i++) {
        if (units[i].unit != *end)
            continue;
        int64_t s = (int64_t)now - count * units[i].seconds;
        *ret_ns = s > 0 ? s * NS_PER_S : 0;
        return 0;
    }
    return -EINVAL;
}

int
pp_since_read(const char *text, time_t now, int64_t *ret_ns)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    for (size_t i = 0; i < PP_ARRAY_SIZE(forms); i++) {
        struct tm tm = {.tm_isdst = 0};
        const char *end = strptime(text, forms[i], &tm);
        if (!end || (*end && strcmp(end, "Z") != 0))
            continue;
        time_t s = timegm(&tm);
        if (s < 0 || tm.tm_year + 1900 > YEAR_MAX)
            return -EINVAL;
        *ret_ns = (int64_t)s * NS_PER_S;
        return 0;
    }
    return read_ago(text, now, ret_ns);
}
