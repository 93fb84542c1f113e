/** @file
 * PIPE_CONTROL, draws and walkers; see draws.h. A draw counts as if each vertex were shaded once, no
 * primitive were culled, and each primitive covered 100 pixels. Blorp, Mesa's code for clears and copies,
 * turns the statistics off for its draws; so such draws are in no counter. */
#include "tests/lab/i915/draws.h"

#include <stdlib.h>

#include "tests/lab/i915/registers.h"
#include "tests/lab/i915/streamer.h"
#include "tests/lab/report.h"

#define DRAW_TICKS   12
#define VERTEX_UNITS 4
#define PIXELS       100

/* The upper halves of commands. */
enum command {
    GPGPU_WALKER = 0x7105,
    COMPUTE_WALKER = 0x7208,
    VF_STATISTICS = 0x680b,
    VF_TOPOLOGY = 0x784b,
    PIPE_CONTROL = 0x7a00,
    PRIMITIVE = 0x7b00,
};

/* 3D_Prim_Topo_Type */
enum topology {
    POINTS = 1,
    LINES = 2,
    LINE_STRIP = 3,
    TRIANGLES = 4,
    TRIANGLE_STRIP = 5,
    TRIANGLE_FAN = 6,
    LINES_ADJACENT = 9,
    LINE_STRIP_ADJACENT = 10,
    TRIANGLES_ADJACENT = 11,
    TRIANGLE_STRIP_ADJACENT = 12,
    RECTANGLES = 15,
    FIRST_PATCH = 32, /* of one point */
};

static uint64_t
primitives_of(unsigned topology, uint64_t vertices)
{
    switch (topology) {
    case POINTS:
        return vertices;
    case LINES:
        return vertices / 2;
    case LINE_STRIP:
        return vertices > 1 ? vertices - 1 : 0;
    case TRIANGLES:
    case RECTANGLES:
        return vertices / 3;
    case TRIANGLE_STRIP:
    case TRIANGLE_FAN:
        return vertices > 2 ? vertices - 2 : 0;
    case LINES_ADJACENT:
        return vertices / 4;
    case LINE_STRIP_ADJACENT:
        return vertices > 3 ? vertices - 3 : 0;
    case TRIANGLES_ADJACENT:
        return vertices / 6;
    case TRIANGLE_STRIP_ADJACENT:
        return vertices > 5 ? (vertices - 4) / 2 : 0;
    default:
        return topology >= FIRST_PATCH ? vertices / (topology - FIRST_PATCH + 1) : 0;
    }
}

static bool
is_predicated_off(const struct i915_streamer *streamer, uint32_t head)
{
    return head >> 8 & 1 && !(i915_register_read(streamer, streamer->base + I915_PREDICATE_RESULT) & 1);
}

/* The time of a draw without its vertices; a walker takes twice as long. LAB_DRAW_TICKS: a slower GPU. */
static uint64_t
draw_units(void)
{
    const char *ticks = getenv("LAB_DRAW_TICKS");
    return 16 * (ticks ? strtoull(ticks, NULL, 0) : DRAW_TICKS);
}

/* Time in which the GPU works. */
static void
work(struct i915_streamer *streamer, uint64_t units)
{
    i915.units += units;
    i915.counts.busy_units += units;
    streamer->context->counts.busy_units += units;
}

static void
count_draw(struct i915_streamer *streamer, uint64_t vertices, uint64_t primitives)
{
    /* Haswell and Broadwell count fragments four times, WaDividePSInvocationCountBy4 */
    uint64_t pixels = primitives * PIXELS, times = i915.gpu->verx10 < 90 ? 4 : 1;
    i915_register_add(streamer, I915_IA_VERTICES, vertices);
    i915_register_add(streamer, I915_IA_PRIMITIVES, primitives);
    i915_register_add(streamer, I915_VS_INVOCATIONS, vertices);
    i915_register_add(streamer, I915_CL_INVOCATIONS, primitives);
    i915_register_add(streamer, I915_CL_PRIMITIVES, primitives);
    i915_register_add(streamer, I915_PS_INVOCATIONS, pixels * times);
    i915_register_add(streamer, I915_PS_DEPTH, pixels);
    i915.counts.vertices += vertices;
    streamer->context->counts.vertices += vertices;
}

static void
draw(struct i915_streamer *streamer, const uint32_t *command)
{
    bool indirect = command[0] >> 10 & 1, counted = !streamer->context->uncounted;
    if (i915.gpu->verx10 < 80) /* the draw itself has it */
        streamer->context->topology = command[1] & 0x3f;
    uint64_t each = indirect ? i915_register_read(streamer, I915_DRAW_VERTICES) : command[2];
    uint64_t instances = indirect ? i915_register_read(streamer, I915_DRAW_INSTANCES) : command[4];
    unsigned topology = streamer->context->topology;
    uint64_t vertices = each * instances, primitives = primitives_of(topology, each) * instances;
    uint64_t begin = i915_ticks();
    if (is_predicated_off(streamer, command[0]))
        return;
    work(streamer, draw_units() + (counted ? VERTEX_UNITS * vertices : 0));
    if (counted)
        count_draw(streamer, vertices, primitives);
    lab_log("draw vertices=%llu primitives=%llu instances=%llu topology=%u counted=%d begin=%llu clock=%llu",
            (unsigned long long)vertices, (unsigned long long)primitives, (unsigned long long)instances,
            topology, counted, (unsigned long long)begin, (unsigned long long)i915_ticks());
}

/* Walkers. */

/* Words of a walker. */
struct walker {
    unsigned threads, x, y, z, right_mask; /* threads: 0: the walker has the size of a group itself */
};

static const struct walker gpgpu_walker_7 = {.threads = 2, .x = 4, .y = 6, .z = 8, .right_mask = 9};
static const struct walker gpgpu_walker_8 = {.threads = 4, .x = 7, .y = 10, .z = 12, .right_mask = 13};
static const struct walker compute_walker = {.x = 7, .y = 8, .z = 9};

static unsigned
bits_of(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

/* Invocations of a work group: all threads are full but the last of each row, whose lanes the right mask
 * names. */
static uint64_t
group_size_of_threads(const uint32_t *command, const struct walker *place)
{
    uint32_t threads = command[place->threads];
    uint64_t lanes = UINT64_C(8) << (threads >> 30), width = (threads & 63) + 1;
    uint64_t rows = ((threads >> 8 & 63) + 1) * ((threads >> 16 & 63) + 1);
    uint32_t full = lanes == 32 ? UINT32_MAX : (1u << lanes) - 1;
    return ((width - 1) * lanes + bits_of(command[place->right_mask] & full)) * rows;
}

static uint64_t
group_size(const uint32_t *command, const struct walker *place)
{
    if (place->threads)
        return group_size_of_threads(command, place);
    return ((command[6] & 0x3ff) + 1ull) * ((command[6] >> 10 & 0x3ff) + 1) *
           ((command[6] >> 20 & 0x3ff) + 1);
}

static void
walk(struct i915_streamer *streamer, const uint32_t *command)
{
    const struct walker *place = command[0] >> 16 == COMPUTE_WALKER ? &compute_walker
                                 : i915.gpu->verx10 < 80            ? &gpgpu_walker_7
                                                                    : &gpgpu_walker_8;
    uint64_t x = command[place->x], y = command[place->y], z = command[place->z];
    uint64_t begin = i915_ticks();
    if (is_predicated_off(streamer, command[0]))
        return;
    if (command[0] >> 10 & 1) {
        x = i915_register_read(streamer, I915_WALK_X);
        y = i915_register_read(streamer, I915_WALK_Y);
        z = i915_register_read(streamer, I915_WALK_Z);
    }
    work(streamer, 2 * draw_units());
    uint64_t invocations = x * y * z * group_size(command, place);
    i915_register_add(streamer, I915_CS_INVOCATIONS, invocations);
    lab_log("walk groups=%llu,%llu,%llu invocations=%llu begin=%llu clock=%llu", (unsigned long long)x,
            (unsigned long long)y, (unsigned long long)z, (unsigned long long)invocations,
            (unsigned long long)begin, (unsigned long long)i915_ticks());
}

/* Bits of PIPE_CONTROL in Mesa's genxml, of generations 8 to 12. */
enum pipe_bits {
    SCOREBOARD_STALL = 1u << 1,
    DEPTH_STALL = 1u << 13,
    CS_STALL = 1u << 20,
    STALLS = SCOREBOARD_STALL | DEPTH_STALL | CS_STALL,
    /* depth cache, data port, pipe control flush, render target cache, LLC, tile cache */
    WRITE_BACKS = 1u << 0 | 1u << 5 | 1u << 7 | 1u << 12 | 1u << 26 | 1u << 28,
    /* state, constant, vertex, texture and instruction cache, TLB */
    INVALIDATES = 1u << 2 | 1u << 3 | 1u << 4 | 1u << 10 | 1u << 11 | 1u << 18,
    HDC_FLUSH = 1u << 9, /* of the first word, from generation 12 on */
};

static void
count_pipe_control(struct i915_batch_counts *counts, const uint32_t *command)
{
    bool data_port = i915.gpu->verx10 >= 120 && command[0] & HDC_FLUSH;
    counts->pipe_controls++;
    counts->stalls += (command[1] & STALLS) != 0;
    counts->flushes += (command[1] & (WRITE_BACKS | INVALIDATES)) != 0 || data_port;
}

/* What is written after the work before. */
static void
pipe_control(struct i915_streamer *streamer, const uint32_t *command)
{
    enum { NOTHING, IMMEDIATE, DEPTH, TIMESTAMP } what = command[1] >> 14 & 3;
    bool long_address = i915.gpu->verx10 >= 80;
    uint64_t to = (command[2] & ~3u) | (long_address ? (uint64_t)(command[3] & 0xffff) << 32 : 0);
    const uint32_t *data = command + (long_address ? 4 : 3);
    uint64_t value = data[0] | (uint64_t)data[1] << 32;
    if (what == DEPTH)
        value = i915_register_read64(streamer, I915_PS_DEPTH);
    if (what == TIMESTAMP)
        value = i915_ticks() & I915_TIMESTAMP_MASK;
    if (what != NOTHING && to & 7)
        i915_streamer_fail(streamer, "PIPE_CONTROL: a write is not aligned to 8 bytes", to);
    else if (what != NOTHING)
        i915_streamer_store(streamer, to, value, 8);
    if (what == TIMESTAMP)
        lab_log("time address=0x%llx clock=%llu", (unsigned long long)to, (unsigned long long)i915_ticks());
    else if (what == NOTHING)
        lab_log("pipe flags=0x%x", command[1]);
    else
        lab_log("pipe flags=0x%x address=0x%llx value=%llu", command[1], (unsigned long long)to,
                (unsigned long long)value);
}

void
i915_draws_execute(struct i915_streamer *streamer, const uint32_t *command, unsigned length)
{
    switch (command[0] >> 16) {
    case VF_STATISTICS:
        streamer->context->uncounted = !(command[0] & 1);
        break;
    case VF_TOPOLOGY:
        streamer->context->topology = command[1] & 0x3f;
        break;
    case PIPE_CONTROL:
        if (length < (i915.gpu->verx10 < 80 ? 5 : 6))
            i915_streamer_fail(streamer, "PIPE_CONTROL is too short", length);
        else {
            count_pipe_control(&streamer->counts, command);
            pipe_control(streamer, command);
        }
        break;
    case PRIMITIVE:
        draw(streamer, command);
        break;
    case GPGPU_WALKER:
    case COMPUTE_WALKER:
        walk(streamer, command);
        break;
    default:
        break;
    }
}
