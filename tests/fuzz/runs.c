/** @file
 * Fuzz target: runs.json, the list of repeated runs. A name that leads out of the folder is never taken. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session/runs_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char why[256];
    struct pp_run_list list;
    json_t *json = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    if (pp_run_list_take(json, &list, why) == 0) {
        const struct pp_listed_run *last = pp_run_list_last(&list);
        if (last && (strchr(last->session, '/') || last->session[0] == '.'))
            abort();
        pp_run_list_finish(&list);
    }
    json_decref(json);
    return 0;
}
