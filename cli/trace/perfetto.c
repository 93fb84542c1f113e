/** @file
 * See perfetto.h. A trace is a row of packets, each with its length, so that a cut-off file still loads up to
 * the cut. */
#include "cli/trace/perfetto.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/symbols/call_stacks.h"
#include "cli/symbols/text_pool.h"
#include "cli/trace/number_text.h"
#include "cli/trace/perfetto_fields.h"
#include "cli/trace/protobuf.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/** Different names at most: a reader holds all of them. Those beyond are written as "(other)". */
#define PP_PERFETTO_NAMES 262144U

/** What was written of call stacks. Begin with perfetto_stacks_begin(). */
struct pp_perfetto_stacks {
    const struct pp_call_stacks *stacks; /**< borrowed */
    bool *stack, *address, *module;      /**< was it written? By index; owned */
};

static void perfetto_stacks_finish(struct pp_perfetto_stacks *of);
static uint64_t perfetto_stacks_iid(const struct pp_perfetto_stacks *of, uint64_t id);

/* The number of a name, from 1. @param ret_new Is the name new, so that it must be written? @return 0: no
 * memory. */
static uint64_t
perfetto_name(struct pp_text_pool *names, const char *name, bool *ret_new)
{
    const char *text = *name ? name : "(no name)";
    const struct pp_name *known = pp_name_table_find(&names->names, text, strlen(text));
    *ret_new = false;
    if (!known && names->len >= PP_PERFETTO_NAMES) {
        text = "(other)";
        known = pp_name_table_find(&names->names, text, strlen(text));
    }
    if (known)
        return (uint64_t)known->index + 1;
    *ret_new = true;
    return pp_text_pool_add(names, text, strlen(text)) ? names->len : 0;
}

/* Write a name into an open message InternedData. @param field Kind of the name. @param iid Its number. */
static void
perfetto_name_write(struct pp_protobuf *out, unsigned field, const struct pp_text_pool *names, uint64_t iid)
{
    const char *text = names->text[iid - 1];
    pp_protobuf_open(out, field);
    pp_protobuf_u64(out, IID, iid);
    pp_protobuf_text(out, INTERNED_TEXT, text, strlen(text));
    pp_protobuf_close(out);
}

/* Begin. @retval 0, -ENOMEM: perfetto_stacks_finish() must be called in any case. */
static int
perfetto_stacks_begin(const struct pp_call_stacks *stacks, struct pp_perfetto_stacks *ret)
{
    ret->stacks = stacks;
    ret->stack = calloc(stacks->stacks + 1, sizeof(*ret->stack));
    ret->address = calloc(stacks->addresses + 1, sizeof(*ret->address));
    ret->module = calloc(stacks->modules + 1, sizeof(*ret->module));
    return ret->stack && ret->address && ret->module ? 0 : -ENOMEM;
}

/* Free everything. */
static void
perfetto_stacks_finish(struct pp_perfetto_stacks *of)
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

/* Write a stack with its functions and files into an open message InternedData. */
static void
perfetto_stacks_write(struct pp_perfetto_stacks *of, uint64_t id, struct pp_protobuf *out)
{
    const struct pp_call_stacks *stacks = of->stacks;
    const struct pp_call_stack *stack = pp_call_stacks_find(stacks, id);
    if (!stack || of->stack[stack - stacks->stack])
        return;
    of->stack[stack - stacks->stack] = true;
    for (size_t i = 0; i < stack->frames; i++)
        put_address(of, stacks->frame[stack->frame + i], out);
    pp_protobuf_open(out, INTERNED_CALLSTACK);
    pp_protobuf_u64(out, IID, perfetto_stacks_iid(of, id));
    for (size_t i = stack->frames; i-- > 0;) { /* the outermost first, inlined functions after their caller */
        size_t address = stacks->frame[stack->frame + i];
        for (size_t k = stacks->address[address].symbols ? stacks->address[address].symbols : 1; k-- > 0;)
            pp_protobuf_u64(out, CALLSTACK_FRAME, frame_iid(stacks, address, k));
    }
    pp_protobuf_close(out);
}

/* The number under which a stack was written; 0: there is no such stack. */
static uint64_t
perfetto_stacks_iid(const struct pp_perfetto_stacks *of, uint64_t id)
{
    const struct pp_call_stack *stack = pp_call_stacks_find(of->stacks, id);
    return stack ? (uint64_t)(stack - of->stacks->stack) + 1 : 0;
}

/* Where the numbers of this trace begin, so that other traces can be appended: those of Perfetto's own
 * recordings are small. */
#define SEQUENCE_BASE UINT32_C(0x50500000)

/* The track of the call stacks of passes. */
#define STACKS_TRACK UINT32_MAX

/* From this many bytes on, packets are written to the stream. */
#define MUCH ((size_t)256 << 10)

/* What is known of a slice, at most. */
#define ARGS_MOST 64U

/* Names of args whose numbers are found by the address of the name. */
#define KNOWN_ARGS 256U

/* A name of args that was written; its address does not change. */
struct known_arg {
    const char *name;
    uint64_t iid;
};

struct perfetto {
    struct pp_trace_format format; /* the first member */
    FILE *out;
    struct pp_protobuf packets; /* that are not in the stream yet; the last one is being made */
    struct known_arg known[KNOWN_ARGS];
    struct pp_text_pool events; /* names of slices that were written; the number is the place + 1 */
    struct pp_text_pool args;   /* likewise of what is known of slices */
    struct pp_text_pool queues; /* of queues and stages of the GPU: their number is the place + 1 */
    struct pp_perfetto_stacks stacks;
    uint64_t uuid; /* of the process's track; track N has uuid + N */
    uint32_t sequence;
    int64_t pid;
    uint64_t gpu_events;
    uint32_t *queue_of; /* number of the queue that a track shows, by the track's id; owned */
    size_t queue_cap;
    bool has_stacks_track;
};

static void
begin_packet(struct perfetto *f, unsigned flags)
{
    pp_protobuf_open(&f->packets, TRACE_PACKET);
    pp_protobuf_u64(&f->packets, PACKET_SEQUENCE_ID, f->sequence);
    pp_protobuf_u64(&f->packets, PACKET_SEQUENCE_FLAGS, flags);
}

/* Write all packets to the stream. */
static int
flush_packets(struct perfetto *f)
{
    size_t len = f->packets.len;
    if (f->packets.failed)
        return -ENOMEM;
    pp_protobuf_clear(&f->packets);
    errno = EIO; /* if the system says nothing */
    return !len || fwrite(f->packets.byte, 1, len, f->out) == len ? 0 : -errno;
}

static int
end_packet(struct perfetto *f)
{
    pp_protobuf_close(&f->packets);
    return f->packets.len < MUCH && !f->packets.failed ? 0 : flush_packets(f);
}

static void
put_clock(struct pp_protobuf *out, unsigned id, int64_t ns)
{
    pp_protobuf_open(out, SNAPSHOT_CLOCK);
    pp_protobuf_u64(out, CLOCK_ID_FIELD, id);
    pp_protobuf_i64(out, CLOCK_TIME_FIELD, ns);
    pp_protobuf_close(out);
}

/* The first packet of a sequence says how its times are meant, and what the clocks showed at one moment: a
 * reader drops all times of a clock that it cannot map. */
static int
write_clocks(struct perfetto *f, const struct pp_trace_process *process)
{
    begin_packet(f, SEQUENCE_CLEARED);
    pp_protobuf_open(&f->packets, PACKET_DEFAULTS);
    pp_protobuf_u64(&f->packets, DEFAULTS_CLOCK_ID, PERFETTO_MONOTONIC);
    pp_protobuf_close(&f->packets);
    pp_protobuf_open(&f->packets, PACKET_CLOCK_SNAPSHOT);
    put_clock(&f->packets, PERFETTO_BOOTTIME, process->boottime_ns);
    put_clock(&f->packets, PERFETTO_MONOTONIC, process->monotonic_ns);
    put_clock(&f->packets, PERFETTO_REALTIME, process->realtime_ns);
    pp_protobuf_u64(&f->packets, SNAPSHOT_PRIMARY, PERFETTO_BOOTTIME);
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

static int
write_process(struct pp_trace_format *format, const struct pp_trace_process *process)
{
    struct perfetto *f = (struct perfetto *)format;
    f->pid = process->pid;
    f->sequence = SEQUENCE_BASE | ((uint32_t)process->pid & 0xfffff);
    f->uuid = ((uint64_t)process->monotonic_ns * UINT64_C(0x9e3779b97f4a7c15)) ^ (uint64_t)process->pid << 32;
    int rc = write_clocks(f, process);
    if (rc)
        return rc;
    begin_packet(f, SEQUENCE_NEEDS_STATE);
    pp_protobuf_open(&f->packets, PACKET_TRACK_DESCRIPTOR);
    pp_protobuf_u64(&f->packets, TRACK_UUID, f->uuid);
    pp_protobuf_u64(&f->packets, TRACK_CHILD_ORDERING, CHILDREN_BY_RANK);
    pp_protobuf_open(&f->packets, TRACK_PROCESS);
    pp_protobuf_i64(&f->packets, PROCESS_PID, process->pid);
    pp_protobuf_text(&f->packets, PROCESS_COMMAND, process->command, strlen(process->command));
    pp_protobuf_text(&f->packets, PROCESS_NAME, process->name, strlen(process->name));
    pp_protobuf_close(&f->packets);
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

static unsigned
unit_of(const char *unit)
{
    return strcmp(unit, "ns") == 0      ? UNIT_NS
           : strcmp(unit, "bytes") == 0 ? UNIT_BYTES
           : *unit                      ? 0
                                        : UNIT_COUNT;
}

/* A queue of the GPU has no descriptor: its name is among the interned data. */
static int
write_queue(struct perfetto *f, const struct pp_trace_track *track)
{
    bool is_new = false;
    if (pp_grow_array(&f->queue_of, &f->queue_cap, (size_t)track->id + 1, sizeof(*f->queue_of)))
        return -ENOMEM;
    uint64_t iid = perfetto_name(&f->queues, track->name, &is_new);
    if (!iid)
        return -ENOMEM;
    f->queue_of[track->id] = (uint32_t)iid;
    if (!is_new)
        return 0;
    begin_packet(f, SEQUENCE_NEEDS_STATE);
    pp_protobuf_open(&f->packets, PACKET_INTERNED_DATA);
    perfetto_name_write(&f->packets, INTERNED_GPU_SPECIFICATION, &f->queues, iid);
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

static int
write_track(struct pp_trace_format *format, const struct pp_trace_track *track)
{
    struct perfetto *f = (struct perfetto *)format;
    if (track->kind == PP_TRACE_QUEUE)
        return write_queue(f, track);
    begin_packet(f, SEQUENCE_NEEDS_STATE);
    pp_protobuf_open(&f->packets, PACKET_TRACK_DESCRIPTOR);
    pp_protobuf_u64(&f->packets, TRACK_UUID, f->uuid + track->id);
    pp_protobuf_u64(&f->packets, TRACK_PARENT, f->uuid);
    pp_protobuf_text(&f->packets, TRACK_NAME, track->name, strlen(track->name));
    pp_protobuf_u64(&f->packets, TRACK_RANK, track->rank);
    if (track->kind == PP_TRACE_COUNTER) {
        pp_protobuf_open(&f->packets, TRACK_COUNTER);
        if (unit_of(track->unit))
            pp_protobuf_u64(&f->packets, COUNTER_UNIT, unit_of(track->unit));
        else
            pp_protobuf_text(&f->packets, COUNTER_UNIT_NAME, track->unit, strlen(track->unit));
        pp_protobuf_close(&f->packets);
    }
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

/* Numbers of the names of an event, as they were found; 0: none. */
struct names {
    uint64_t event, stage, arg[ARGS_MOST];
};

/* Find the number of a name of args, and write the name into the packet if it is new. @return 0: no memory.
 */
static uint64_t
arg_name(struct perfetto *f, const char *name)
{
    struct known_arg *known = &f->known[((uintptr_t)name >> 4) % KNOWN_ARGS];
    bool is_new = false;
    if (known->name == name)
        return known->iid;
    uint64_t iid = perfetto_name(&f->args, name, &is_new);
    if (is_new && iid)
        perfetto_name_write(&f->packets, INTERNED_ANNOTATION_NAME, &f->args, iid);
    if (iid)
        *known = (struct known_arg){name, iid};
    return iid;
}

/* Write the names and call stacks of an event that are new into the packet. @retval 0, -ENOMEM. */
static int
put_event_names(struct perfetto *f, const struct pp_trace_slice *slice, struct names *ret)
{
    bool is_new = false;
    ret->event = 0;
    if (!slice->unique) {
        ret->event = perfetto_name(&f->events, slice->name, &is_new);
        if (!ret->event)
            return -ENOMEM;
        if (is_new)
            perfetto_name_write(&f->packets, INTERNED_EVENT_NAME, &f->events, ret->event);
    }
    perfetto_stacks_write(&f->stacks, slice->stack, &f->packets);
    for (size_t i = 0; i < slice->args && i < ARGS_MOST; i++) {
        ret->arg[i] = arg_name(f, slice->arg[i].name);
        if (!ret->arg[i])
            return -ENOMEM;
    }
    return 0;
}

/* Likewise of a slice of a queue. */
static int
put_stage_names(struct perfetto *f, const struct pp_trace_slice *slice, struct names *ret)
{
    bool is_new = false;
    ret->stage = perfetto_name(&f->queues, slice->category, &is_new);
    if (!ret->stage)
        return -ENOMEM;
    if (is_new)
        perfetto_name_write(&f->packets, INTERNED_GPU_SPECIFICATION, &f->queues, ret->stage);
    if (!f->gpu_events) {
        pp_protobuf_open(&f->packets, INTERNED_GRAPHICS_CONTEXT);
        pp_protobuf_u64(&f->packets, IID, 1);
        pp_protobuf_i64(&f->packets, CONTEXT_PID, f->pid);
        pp_protobuf_close(&f->packets);
    }
    return 0;
}

/* Write what is new into the packet. @retval 0, -ENOMEM. */
static int
put_names(struct perfetto *f, const struct pp_trace_slice *slice, bool gpu, struct names *ret)
{
    size_t before = f->packets.len;
    pp_protobuf_open(&f->packets, PACKET_INTERNED_DATA);
    size_t begin = f->packets.len;
    int rc = gpu ? put_stage_names(f, slice, ret) : put_event_names(f, slice, ret);
    bool none = f->packets.len == begin;
    pp_protobuf_close(&f->packets);
    if (none)
        f->packets.len = before;
    return rc;
}

/* Longer messages are written by the functions of protobuf.h. */
#define SHORT_MESSAGE 0x7fU

/* Bytes of a short message without its texts: two keys, two lengths, two numbers. */
#define AROUND_TEXTS ((size_t)6 * PP_PROTOBUF_VARINT_MAX)

static void
put_long_annotation(struct pp_protobuf *out, const struct pp_trace_arg *arg, uint64_t iid)
{
    pp_protobuf_open(out, EVENT_ANNOTATION);
    pp_protobuf_u64(out, ANNOTATION_NAME_IID, iid);
    pp_protobuf_text(out, ANNOTATION_TEXT, arg->text, arg->len);
    pp_protobuf_close(out);
}

/* Write what is known of a slice, of which a trace has hundreds of millions. */
static void
put_annotation(struct pp_protobuf *out, const struct pp_trace_arg *arg, uint64_t iid)
{
    size_t text = arg->kind == PP_TRACE_ARG_TEXT ? arg->len : 0;
    if (text + AROUND_TEXTS > SHORT_MESSAGE) {
        put_long_annotation(out, arg, iid);
        return;
    }
    unsigned char *begin = pp_protobuf_reserve(out, AROUND_TEXTS + text);
    if (!begin)
        return;
    unsigned char *message = pp_protobuf_key_at(begin, EVENT_ANNOTATION, PP_PROTOBUF_BYTES) + 1;
    unsigned char *at = pp_protobuf_key_at(message, ANNOTATION_NAME_IID, PP_PROTOBUF_VARINT);
    at = pp_protobuf_varint_at(at, iid);
    if (arg->kind == PP_TRACE_ARG_INTEGER) {
        at = pp_protobuf_key_at(at, ANNOTATION_INT, PP_PROTOBUF_VARINT);
        at = pp_protobuf_varint_at(at, (uint64_t)arg->integer);
    } else if (arg->kind == PP_TRACE_ARG_REAL) {
        at = pp_protobuf_key_at(at, ANNOTATION_DOUBLE, PP_PROTOBUF_EIGHT_BYTES);
        at = pp_protobuf_double_at(at, arg->real);
    } else {
        at = pp_protobuf_key_at(at, ANNOTATION_TEXT, PP_PROTOBUF_BYTES);
        at = pp_protobuf_text_at(at, arg->text, text);
    }
    message[-1] = (unsigned char)(at - message);
    out->len += (size_t)(at - begin);
}

static void
put_extra(struct pp_protobuf *out, const struct pp_trace_arg *arg)
{
    char number[PP_NUMBER_TEXT_MAX];
    const char *text = arg->kind == PP_TRACE_ARG_TEXT ? arg->text : number;
    size_t name_len = strlen(arg->name);
    size_t len = arg->kind == PP_TRACE_ARG_INTEGER ? pp_number_text_i64(arg->integer, number)
                 : arg->kind == PP_TRACE_ARG_REAL  ? pp_number_text_double(arg->real, number)
                                                   : arg->len;
    unsigned char *begin = NULL;
    if (name_len + len + AROUND_TEXTS > SHORT_MESSAGE) {
        pp_protobuf_open(out, STAGE_EXTRA);
        pp_protobuf_text(out, EXTRA_NAME, arg->name, name_len);
        pp_protobuf_text(out, EXTRA_VALUE, text, len);
        pp_protobuf_close(out);
        return;
    }
    begin = pp_protobuf_reserve(out, AROUND_TEXTS + name_len + len);
    if (!begin)
        return;
    unsigned char *message = pp_protobuf_key_at(begin, STAGE_EXTRA, PP_PROTOBUF_BYTES) + 1;
    unsigned char *at = pp_protobuf_key_at(message, EXTRA_NAME, PP_PROTOBUF_BYTES);
    at = pp_protobuf_text_at(at, arg->name, name_len);
    at = pp_protobuf_key_at(at, EXTRA_VALUE, PP_PROTOBUF_BYTES);
    at = pp_protobuf_text_at(at, text, len);
    message[-1] = (unsigned char)(at - message);
    out->len += (size_t)(at - begin);
}

static int
write_gpu_event(struct perfetto *f, const struct pp_trace_slice *slice)
{
    struct names names;
    begin_packet(f, SEQUENCE_NEEDS_STATE);
    int rc = put_names(f, slice, true, &names);
    if (rc)
        return rc;
    pp_protobuf_i64(&f->packets, PACKET_TIMESTAMP, slice->start_ns);
    pp_protobuf_open(&f->packets, PACKET_GPU_RENDER_STAGE);
    pp_protobuf_u64(&f->packets, STAGE_EVENT_ID, f->gpu_events++);
    pp_protobuf_i64(&f->packets, STAGE_DURATION, slice->duration_ns);
    pp_protobuf_u64(&f->packets, STAGE_CONTEXT, 1);
    pp_protobuf_u64(&f->packets, STAGE_QUEUE_IID, f->queue_of[slice->track]);
    pp_protobuf_u64(&f->packets, STAGE_STAGE_IID, names.stage);
    pp_protobuf_text(&f->packets, STAGE_NAME, slice->name, strlen(slice->name));
    for (size_t i = 0; i < slice->args; i++)
        put_extra(&f->packets, &slice->arg[i]);
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

static void
put_event(struct perfetto *f, uint32_t track, int64_t at_ns, unsigned type)
{
    pp_protobuf_i64(&f->packets, PACKET_TIMESTAMP, at_ns);
    pp_protobuf_open(&f->packets, PACKET_TRACK_EVENT);
    pp_protobuf_u64(&f->packets, EVENT_TYPE, type);
    pp_protobuf_u64(&f->packets, EVENT_TRACK, f->uuid + track);
}

/* Write the begin of a slice, or a moment. */
static int
write_event(struct perfetto *f, const struct pp_trace_slice *slice, unsigned type)
{
    struct names names;
    begin_packet(f, SEQUENCE_NEEDS_STATE);
    int rc = put_names(f, slice, false, &names);
    if (rc)
        return rc;
    uint64_t stack = perfetto_stacks_iid(&f->stacks, slice->stack);
    put_event(f, slice->track, slice->start_ns, type);
    if (names.event)
        pp_protobuf_u64(&f->packets, EVENT_NAME_IID, names.event);
    else
        pp_protobuf_text(&f->packets, EVENT_NAME, slice->name, strlen(slice->name));
    pp_protobuf_text(&f->packets, EVENT_CATEGORY, slice->category, strlen(slice->category));
    for (size_t i = 0; i < slice->args && i < ARGS_MOST; i++)
        put_annotation(&f->packets, &slice->arg[i], names.arg[i]);
    if (slice->begins)
        pp_protobuf_fixed64(&f->packets, EVENT_FLOW, f->uuid + slice->begins);
    if (slice->ends)
        pp_protobuf_fixed64(&f->packets, EVENT_TERMINATING_FLOW, f->uuid + slice->ends);
    if (stack)
        pp_protobuf_u64(&f->packets, EVENT_CALLSTACK_IID, stack);
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

/* Write a slice of a queue. Such a slice has no call stack, so the stack is a moment of a track of its own.
 */
static int
write_gpu_slice(struct perfetto *f, const struct pp_trace_slice *slice)
{
    static const struct pp_trace_track track = {.id = STACKS_TRACK,
                                                .kind = PP_TRACE_SLICES,
                                                .name = PP_TEXT_TRACE_STACKS,
                                                .unit = "",
                                                .rank = 0xffff};
    const struct pp_trace_slice moment = {.track = STACKS_TRACK,
                                          .start_ns = slice->start_ns,
                                          .name = slice->name,
                                          .category = "call",
                                          .stack = slice->stack};
    int rc = write_gpu_event(f, slice);
    if (rc || !slice->stack || !perfetto_stacks_iid(&f->stacks, slice->stack))
        return rc;
    if (!f->has_stacks_track)
        rc = write_track(&f->format, &track);
    f->has_stacks_track = true;
    return rc ? rc : write_event(f, &moment, TYPE_INSTANT);
}

static int
write_slice(struct pp_trace_format *format, const struct pp_trace_slice *slice)
{
    struct perfetto *f = (struct perfetto *)format;
    format->events++;
    if (slice->track < f->queue_cap && f->queue_of[slice->track])
        return write_gpu_slice(f, slice);
    int rc = write_event(f, slice, TYPE_BEGIN);
    if (rc)
        return rc;
    begin_packet(f, SEQUENCE_NEEDS_STATE);
    put_event(f, slice->track, slice->start_ns + slice->duration_ns, TYPE_END);
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

static int
write_moment(struct pp_trace_format *format, const struct pp_trace_slice *moment)
{
    format->events++;
    return write_event((struct perfetto *)format, moment, TYPE_INSTANT);
}

static int
write_value(struct pp_trace_format *format, uint32_t track, int64_t at_ns, double value)
{
    struct perfetto *f = (struct perfetto *)format;
    format->events++;
    begin_packet(f, SEQUENCE_NEEDS_STATE);
    put_event(f, track, at_ns, TYPE_COUNTER);
    pp_protobuf_double(&f->packets, EVENT_DOUBLE_VALUE, value);
    pp_protobuf_close(&f->packets);
    return end_packet(f);
}

static int
end(struct pp_trace_format *format)
{
    struct perfetto *f = (struct perfetto *)format;
    int rc = flush_packets(f);
    errno = EIO; /* if the system says nothing */
    return rc ? rc : fflush(f->out) || ferror(f->out) ? -errno : 0;
}

static void
destroy(struct pp_trace_format *format)
{
    struct perfetto *f = (struct perfetto *)format;
    pp_protobuf_finish(&f->packets);
    pp_text_pool_finish(&f->events);
    pp_text_pool_finish(&f->args);
    pp_text_pool_finish(&f->queues);
    perfetto_stacks_finish(&f->stacks);
    free(f->queue_of);
    free(f);
}

int
pp_trace_perfetto_create(FILE *out, const struct pp_call_stacks *stacks, struct pp_trace_format **ret)
{
    static const struct pp_trace_ops ops = {.process = write_process,
                                            .track = write_track,
                                            .slice = write_slice,
                                            .moment = write_moment,
                                            .value = write_value,
                                            .end = end,
                                            .destroy = destroy};
    struct perfetto *f = calloc(1, sizeof(*f));
    if (!f)
        return -ENOMEM;
    f->format.ops = &ops;
    f->out = out;
    if (perfetto_stacks_begin(stacks, &f->stacks)) {
        destroy(&f->format);
        return -ENOMEM;
    }
    *ret = &f->format;
    return 0;
}
