/** @file
 * Fuzz target: a session directory's three files, read and printed as `stat` and `report` do. The input is
 * split at its first two bytes 0xff: session.json, frames.csv, passes.csv. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/passes.h"
#include "cli/recording.h"
#include "cli/summary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The part up to the next 0xff. */
static size_t
part_length(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0xff, size) : NULL;
    return end ? (size_t)(end - data) : size;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static FILE *null;
    if (!null)
        null = fopen("/dev/null", "w");
    struct pp_recording rec;
    memset(&rec, 0, sizeof(rec));
    size_t len = part_length(data, size);
    rec.json = json_loadb((const char *)data, len, JSON_REJECT_DUPLICATES, NULL);
    data += len + (len < size);
    size -= len + (len < size);
    len = part_length(data, size);
    if (pp_recording_frames_text(&rec, (const char *)data, len) == 0 && len < size)
        (void)!pp_recording_passes_text(&rec, (const char *)data + len + 1, size - len - 1);
    pp_summary_print(null, &rec, "fuzz", "passprobe.data");
    pp_passes_print_long(null, &rec);
    pp_recording_finish(&rec);
    return 0;
}
