/** @file
 * See perfetto_stacks.h. */
#include "cli/trace/perfetto_stacks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/trace/perfetto_fields.h"
#include "pp_texts.h"

int
pp_perfetto_stacks_begin(const struct pp_call_stacks *stacks, struct pp_perfetto_stacks *ret)
{
    ret->stacks = stacks;
    ret->stack = calloc(stacks->stacks + 1, sizeof(*ret->stack));
    ret->address = calloc(stacks->addresses + 1, sizeof(*ret->address));
    ret->module = calloc(stacks->modules + 1, sizeof(*ret->module));
    return ret->stack && ret->address && ret->module ? 0 : -ENOMEM;
}

void
pp_perfetto_stacks_finish(struct pp_perfetto_stacks *of)
{
    free(of->stack);
    free(of->address);
    free(of->module);
    memset(of, 0, sizeof(*of));
}

/* Numbers of things in the trace: their index + 1. An address without symbols comes after all symbols. */
static uint64_t
frame_iid(const struct pp_call_stacks *stacks, size_t address, size_t symbol)
{
    const struct pp_address *a = &stacks->address[address];
    return a->symbols ? a->symbol + symbol + 1 : stacks->symbols + address + 1;
}

static uint64_t
mapping_iid(const struct pp_call_stacks *stacks, size_t module)
{
    return (module == PP_SAVED_NO_MODULE ? stacks->modules : module) + 1;
}

static void
put_text(struct pp_protobuf *out, unsigned field, uint64_t iid, const char *text)
{
    pp_protobuf_open(out, field);
    pp_protobuf_u64(out, IID, iid);
    pp_protobuf_text(out, INTERNED_TEXT, text, strlen(text));
    pp_protobuf_close(out);
}

/* The bytes that hexadecimal digits represent. @param ret As many as @p size. @return Number of bytes. */
static size_t
bytes_of(const char *digits, char *ret, size_t size)
{
    size_t len = 0;
    unsigned byte = 0;
    while (len < size && sscanf(digits + 2 * len, "%2x", &byte) == 1 && strlen(digits) >= 2 * len + 2)
        ret[len++] = (char)byte;
    return len;
}

static void
put_mapping(struct pp_perfetto_stacks *of, size_t index, struct pp_protobuf *out)
{
    const struct pp_call_stacks *stacks = of->stacks;
    bool known = index != PP_SAVED_NO_MODULE;
    bool *written = &of->module[known ? index : stacks->modules];
    uint64_t iid = mapping_iid(stacks, index);
    char id[64];
    if (*written)
        return;
    *written = true;
    const struct pp_saved_module *module = known ? &stacks->module[index] : NULL;
    put_text(out, INTERNED_MAPPING_PATH, iid, module ? module->path : PP_TEXT_TRACE_NO_FILE);
    pp_protobuf_open(out, INTERNED_BUILD_ID);
    pp_protobuf_u64(out, IID, iid);
    pp_protobuf_text(out, INTERNED_TEXT, id, module ? bytes_of(module->build_id, id, sizeof(id)) : 0);
    pp_protobuf_close(out);
    pp_protobuf_open(out, INTERNED_MAPPING);
    pp_protobuf_u64(out, IID, iid);
    pp_protobuf_u64(out, MAPPING_BUILD_ID, iid);
    pp_protobuf_u64(out, MAPPING_START, module ? module->start : 0);
    pp_protobuf_u64(out, MAPPING_END, module ? module->end : UINT64_MAX);
    pp_protobuf_u64(out, MAPPING_PATH, iid);
    pp_protobuf_close(out);
}

/* A function without a name is shown by its place in the file. */
static void
put_frame(const struct pp_call_stacks *stacks, size_t address, size_t symbol, struct pp_protobuf *out)
{
    const struct pp_address *a = &stacks->address[address];
    const struct pp_symbol *s = a->symbols ? &stacks->symbol[a->symbol + symbol] : NULL;
    uint64_t iid = frame_iid(stacks, address, symbol);
    char place[32];
    snprintf(place, sizeof(place), "0x%" PRIx64, s && s->start ? s->start : a->offset);
    put_text(out, INTERNED_FUNCTION_NAME, iid, s && *s->function ? s->function : place);
    pp_protobuf_open(out, INTERNED_FRAME);
    pp_protobuf_u64(out, IID, iid);
    pp_protobuf_u64(out, FRAME_FUNCTION, iid);
    pp_protobuf_u64(out, FRAME_MAPPING, mapping_iid(stacks, a->module));
    pp_protobuf_u64(out, FRAME_REL_PC, a->offset);
    pp_protobuf_close(out);
}

static void
put_address(struct pp_perfetto_stacks *of, size_t address, struct pp_protobuf *out)
{
    const struct pp_address *a = &of->stacks->address[address];
    if (of->address[address])
        return;
    of->address[address] = true;
    put_mapping(of, a->module, out);
    for (size_t i = 0; i < (a->symbols ? a->symbols : 1); i++)
        put_frame(of->stacks, address, i, out);
}

void
pp_perfetto_stacks_write(struct pp_perfetto_stacks *of, uint64_t id, struct pp_protobuf *out)
{
    const struct pp_call_stacks *stacks = of->stacks;
    const struct pp_call_stack *stack = pp_call_stacks_find(stacks, id);
    if (!stack || of->stack[stack - stacks->stack])
        return;
    of->stack[stack - stacks->stack] = true;
    for (size_t i = 0; i < stack->frames; i++)
        put_address(of, stacks->frame[stack->frame + i], out);
    pp_protobuf_open(out, INTERNED_CALLSTACK);
    pp_protobuf_u64(out, IID, pp_perfetto_stacks_iid(of, id));
    for (size_t i = stack->frames; i-- > 0;) { /* the outermost first, inlined functions after their caller */
        size_t address = stacks->frame[stack->frame + i];
        for (size_t k = stacks->address[address].symbols ? stacks->address[address].symbols : 1; k-- > 0;)
            pp_protobuf_u64(out, CALLSTACK_FRAME, frame_iid(stacks, address, k));
    }
    pp_protobuf_close(out);
}

uint64_t
pp_perfetto_stacks_iid(const struct pp_perfetto_stacks *of, uint64_t id)
{
    const struct pp_call_stack *stack = pp_call_stacks_find(of->stacks, id);
    return stack ? (uint64_t)(stack - of->stacks->stack) + 1 : 0;
}
