/** @file
 * Fuzz target: the files of call stacks, and those of a just-in-time compiler. The input is split at its
 * first bytes 0xff: modules.csv, stacks.csv, symbols.csv, the map, the dump. The dump is also read as the
 * index of an unwind table. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/symbols/call_stacks.h"
#include "cli/symbols/dwarf_lookup.h"
#include "cli/symbols/jit_symbols.h"
#include "cli/symbols/symbols_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The next part of what is left. */
static size_t
take(const uint8_t **data, size_t *size, const char **ret_text)
{
    const uint8_t *end = *size ? memchr(*data, 0xff, *size) : NULL;
    size_t len = end ? (size_t)(end - *data) : *size;
    *ret_text = (const char *)*data;
    *data += len + (len < *size);
    *size -= len + (len < *size);
    return len;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_stack_files files = {.dir_fd = -1, .in_memory = true};
    struct pp_call_stacks stacks = {.modules = 0};
    char why[PP_CALL_STACKS_WHY];
    files.modules_len = take(&data, &size, &files.modules);
    files.stacks_len = take(&data, &size, &files.stacks);
    files.symbols_len = take(&data, &size, &files.symbols);
    const char *text = NULL;
    size_t len = take(&data, &size, &text);
    char *map = malloc(len + 1);
    if (!map)
        return 0;
    if (len)
        memcpy(map, text, len);
    map[len] = '\0';
    if (pp_function_start_find(data, size, 0x1000, 0x2000) > 0x2000)
        abort();
    if (pp_call_stacks_read(&files, &stacks, why) == 0) {
        (void)!pp_symbols_read(&files, &stacks, why);
        (void)!pp_jit_dump_apply(&stacks, (const char *)data, size);
        (void)!pp_perf_map_apply(&stacks, map);
        for (size_t i = 0; i < stacks.frames; i++)
            if (stacks.frame[i] >= stacks.addresses)
                abort();
        for (size_t i = 0; i < stacks.addresses; i++)
            if (stacks.address[i].symbols &&
                stacks.address[i].symbol + stacks.address[i].symbols > stacks.symbols)
                abort();
        pp_call_stacks_finish(&stacks);
    }
    free(map);
    return 0;
}
