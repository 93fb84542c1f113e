/** @file
 * See call_places.h. */
#include "cli/symbols/call_places.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/symbols/call_stacks.h"
#include "cli/symbols/symbols_file.h"

/* Bytes of a place. */
#define MAX_PLACE 8192U

/* Write where the innermost call of a stack is. @return false: the stack has no calls. */
static bool
write_place(const struct pp_call_stacks *s, uint32_t id, char *text, size_t size)
{
    const struct pp_call_stack *stack = pp_call_stacks_find(s, id);
    if (!stack || !stack->frames)
        return false;
    const struct pp_address *address = &s->address[s->frame[stack->frame]];
    const struct pp_symbol *symbol = address->symbols ? &s->symbol[address->symbol] : NULL;
    if (symbol && *symbol->file && symbol->line)
        snprintf(text, size, "%s:%" PRIu32, symbol->file, symbol->line);
    else if (symbol && *symbol->function)
        snprintf(text, size, "%s", symbol->function);
    else if (address->module == PP_SAVED_NO_MODULE)
        snprintf(text, size, "0x%" PRIx64, address->offset);
    else
        snprintf(text, size, "%s+0x%" PRIx64, s->module[address->module].path,
                 symbol && symbol->start ? symbol->start : address->offset);
    return true;
}

/* Find the place of the first stack, and look if another one differs. @retval 0, -ENOMEM. */
static int
find(const struct pp_call_stacks *s, struct pp_saved_calls *calls)
{
    char text[MAX_PLACE];
    for (uint32_t i = 0; i < calls->stacks; i++) {
        if (!write_place(s, calls->stack[i], text, sizeof(text)))
            continue;
        if (calls->at) {
            calls->several = calls->several || strcmp(calls->at, text) != 0;
            continue;
        }
        calls->at = strdup(text);
        if (!calls->at)
            return -ENOMEM;
    }
    return 0;
}

int
pp_call_places_find(struct pp_saved_session *rec)
{
    char why[PP_CALL_STACKS_WHY];
    struct pp_call_stacks stacks = {.modules = 0};
    const struct pp_stack_files files = {.dir_fd = rec->dir_fd};
    int rc = pp_call_stacks_read(&files, &stacks, why);
    if (rc == 0)
        rc = pp_symbols_read(&files, &stacks, why);
    for (size_t i = 0; rc == 0 && i < rec->passes; i++)
        rc = find(&stacks, &rec->pass[i].calls);
    for (size_t i = 0; rc == 0 && i < rec->draws; i++)
        rc = find(&stacks, &rec->draw[i].calls);
    pp_call_stacks_finish(&stacks);
    return rc == -ENOMEM ? rc : 0;
}
