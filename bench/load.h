/** @file
 * What the call-bound loads share: command line, clock, and one line of result. Knows no graphics API. See
 * also load_gl.c, load_vk.c. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define LOAD_SIZE        16 /**< width and height of the render target: almost no pixel cost */
#define LOAD_WARM_UP     8  /**< frames before the clock starts */
#define LOAD_PASSES_MAX  64
#define LOAD_THREADS_MAX 64
#define LOAD_STATISTICS  11 /**< pipeline statistics that --query pass and draw count */

/** Queries that a load makes itself, to compare them with passprobe's. */
enum load_query {
    LOAD_QUERY_NONE,       /**< no queries */
    LOAD_QUERY_FRAME,      /**< timestamps around each frame */
    LOAD_QUERY_PASS,       /**< timestamps and statistics around each pass */
    LOAD_QUERY_PASS_TIME,  /**< timestamps around each pass */
    LOAD_QUERY_AMD,        /**< OpenGL: a performance monitor for each pass */
    LOAD_QUERY_INTEL,      /**< OpenGL: a performance query for each pass */
    LOAD_QUERY_DRAW,       /**< timestamps and statistics around each draw, as passprobe takes them */
    LOAD_QUERY_DRAW_TIME,  /**< timestamps around each draw */
    LOAD_QUERY_DRAW_COUNT, /**< statistics of each draw, as passprobe takes them if times mean nothing */
    LOAD_QUERY_KHR,        /**< Vulkan: a performance query of Khronos for each pass */
    LOAD_QUERY_OA,         /**< Vulkan: a performance query of Intel for each pass */
    LOAD_QUERY_ALONE       /**< Vulkan: each pass is submitted by itself and waited for */
};

/** Options of the command line. */
struct load_options {
    unsigned draws;  /**< a frame */
    unsigned passes; /**< passes of a frame; draws are divided among them */
    unsigned frames; /**< frames to measure; 0: as many as take the given seconds */
    double seconds;
    enum load_query query;
    bool times;         /**< with a performance query or monitor for each pass: timestamps around it, too */
    const char *node;   /**< Vulkan: the kernel's device node, where Intel's query registers its metric set */
    bool flush;         /**< OpenGL: glFlush at the end of each frame, as presenting to a window does */
    bool annotate;      /**< OpenGL: then time the calls of passprobe/annotate.h */
    bool prerecorded;   /**< Vulkan: record command buffers once, not for each frame */
    bool keepable;      /**< Vulkan: without VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT */
    bool work;          /**< Vulkan: dispatches and copies outside of render passes, by turns of passes */
    bool barriers;      /**< with work: each action waits for the one before it */
    bool begin_barrier; /**< with work: a barrier after each begin timestamp, so that the timestamp is taken
                           there */
    unsigned threads;   /**< Vulkan: number of threads that only record, and nothing is submitted; 0: no such
                           threads */
};

/** The clock of a run. */
struct load_clock {
    unsigned frame;             /**< frames begun, warm-up included */
    uint64_t start_ns;          /**< CLOCK_MONOTONIC when warm-up ended */
    uint64_t stop_ns;           /**< when the last frame began */
    uint64_t start_cpu_ns;      /**< processor time of all threads at start_ns */
    uint64_t start_overhead_ns; /**< processor time of the calling thread at start_ns */
    uint64_t deadline_ns;       /**< UINT64_MAX when frames are counted */
};

/**
 * Read the command line.
 *
 * @param vulkan Accept the options that only Vulkan has.
 * @return -1: go on; else exit with this status.
 */
int load_parse(bool vulkan, int argc, char **argv, struct load_options *ret);

/** Begin a frame. @return false when it is time to stop; the clock then holds the time taken. */
bool load_next(struct load_clock *clock, const struct load_options *options);

/** Draws of pass @p pass, so that all passes together draw options->draws. */
unsigned load_share(const struct load_options *options, unsigned pass);

/** The time of a clock of the system. */
uint64_t load_now_ns(clockid_t clock);

/** Print frames, draws and nanoseconds per frame and draw as one line of JSON to stdout. */
void load_print(const struct load_clock *clock, const struct load_options *options);

#endif
