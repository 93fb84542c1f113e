/** @file
 * See perf_result.h. Sources: GL_AMD_performance_monitor ("group ID, followed by counter ID, followed by
 * counter value", unaligned, order free), GL_INTEL_performance_query (offsets and sizes of counters). */
#include "hooks/counters/perf_result.h"

#include <errno.h>
#include <string.h>

/* Write a value into 8 bytes of the row, in the lower bytes. The bits of its pp_field say how many are used.
 */
static void
store(uint8_t *row, uint32_t i, const uint8_t *value, uint32_t bytes)
{
    memset(row + 8 * (size_t)i, 0, 8);
    memcpy(row + 8 * (size_t)i, value, bytes);
}

uint32_t
pp_gl_perf_monitor_bytes(const struct pp_gl_perf_want *want, uint32_t wants)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < wants; i++)
        bytes += 8 + want[i].bytes;
    return bytes;
}

/* Index of a value. Drivers mostly give values in the order of their ids, so the search begins at `from`. */
static uint32_t
find(const struct pp_gl_perf_want *want, uint32_t wants, uint32_t from, const uint32_t *id)
{
    for (uint32_t k = 0; k < wants; k++) {
        uint32_t i = from + k < wants ? from + k : from + k - wants;
        if (want[i].group == id[0] && want[i].counter == id[1])
            return i;
    }
    return wants;
}

int
pp_gl_perf_monitor_parse(const struct pp_gl_perf_want *want, uint32_t wants, const uint8_t *data, size_t size,
                         uint8_t *row)
{
    uint64_t seen[PP_GL_PERF_WANTS / 64] = {0};
    uint32_t found = 0, next = 0;
    if (wants > PP_GL_PERF_WANTS)
        return -EBADMSG;
    for (size_t at = 0; at < size;) {
        uint32_t id[2];
        if (size - at < sizeof(id))
            return -EBADMSG;
        memcpy(id, data + at, sizeof(id));
        at += sizeof(id);
        uint32_t i = find(want, wants, next, id);
        /* The length of an unknown value is not known without its type. */
        if (i == wants || (seen[i / 64] >> i % 64 & 1) || size - at < want[i].bytes)
            return -EBADMSG;
        store(row, i, data + at, want[i].bytes);
        at += want[i].bytes;
        seen[i / 64] |= UINT64_C(1) << i % 64;
        found++;
        next = i + 1 < wants ? i + 1 : 0;
    }
    return found == wants ? 0 : -EBADMSG;
}

int
pp_gl_perf_query_parse(const struct pp_gl_perf_want *want, uint32_t wants, const uint8_t *data, size_t size,
                       uint8_t *row)
{
    for (uint32_t i = 0; i < wants; i++) {
        if (want[i].offset > size || size - want[i].offset < want[i].bytes)
            return -EBADMSG;
        store(row, i, data + want[i].offset, want[i].bytes);
    }
    return 0;
}
