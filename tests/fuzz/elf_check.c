/** @file
 * Fuzz target: the first bytes of an executable, as `passprobe stat` and `doctor` read them. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/launch/executable.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_executable_file file;
    memset(&file, 0, sizeof(file));
    pp_executable_classify(data, size, &file);
    if (strlen(file.interpreter) >= sizeof(file.interpreter))
        abort();
    return !pp_executable_obstacle(&file);
}
