/** @file
 * Fuzz target: the text of an fdinfo file, whose form depends on the graphics driver. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/sources/kernel/drm.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_fdinfo info;
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (pp_fdinfo_read(text, &info) != (info.driver[0] != '\0') || info.values > PP_FDINFO_KEYS)
        abort();
    for (size_t i = 0; i < info.values; i++) {
        if (info.value[i].name[0] == '\0' || strpbrk(info.value[i].name, ",:{}\" \t"))
            abort();
        for (size_t j = 0; j < i; j++)
            if (strcmp(info.value[i].name, info.value[j].name) == 0)
                abort();
    }
    free(text);
    return 0;
}
