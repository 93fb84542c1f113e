/** @file
 * Command line, clock and result of the loads; see load.h. */
#include "bench/load.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "usage: %s [OPTIONS]\n"
    "  --draws N                draws a frame (2000)\n"
    "  --passes N               render passes a frame, 1 to 64 (4)\n"
    "  --frames N               frames to measure, after 8 of warm-up\n"
    "  --seconds S              or seconds to measure (1)\n"
    "  --query none|frame|pass  timestamps and statistics by hand (none)\n"
    "          pass-time        without statistics\n"
    "          draw|draw-time   by hand around each draw, and the passes' times; or without\n"
    "                           statistics\n"
    "  --times                  with a query of counters for each pass: timestamps, too\n"
    "%s";
static const char usage_vulkan[] =
    "  --prerecorded            record command buffers once\n"
    "  --keepable               or anew, without saying that they are submitted once\n"
    "  --query khr|oa           performance queries by hand, each pass, or Intel's\n"
    "          alone            each pass is submitted alone and waited for\n"
    "          draw-count       draw without the draws' times, which say nothing on lavapipe\n"
    "  --node FILE              with oa: where the metric set is registered (the fake's node)\n"
    "  --threads N              N threads record all the draws each, for S seconds;\n"
    "                           nothing is submitted\n"
    "  --work                   dispatches instead of draws, and copies, a pass each by turns\n"
    "  --barriers               each of them waits for the one in front\n"
    "  --begin-barrier          by hand: a barrier between a timestamp and what it is the begin of,\n"
    "                           without which lavapipe takes it later\n";
static const char usage_gl[] =
    "  --flush                  glFlush at the end of each frame, as presenting to a window does\n"
    "  --annotate               then time regions and counters of passprobe/annotate.h\n"
    "  --query amd|intel        a performance monitor or query by hand, each pass\n"
    "          draw-count       draw without the draws' times, which say nothing on llvmpipe\n";

static bool
number(const char *text, double low, double high, double *ret)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno || !(value >= low && value <= high))
        return false;
    *ret = value;
    return true;
}

static bool
parse_query(const char *text, enum load_query *ret)
{
    static const char *const name[] = {"none", "frame",     "pass",       "pass-time", "amd", "intel",
                                       "draw", "draw-time", "draw-count", "khr",       "oa",  "alone"};
    for (int i = LOAD_QUERY_NONE; i <= LOAD_QUERY_ALONE; i++)
        if (strcmp(text, name[i]) == 0) {
            *ret = (enum load_query)i;
            return true;
        }
    return false;
}

static bool
apply(int option, const char *text, struct load_options *ret)
{
    double value = 0;
    switch (option) {
    case 'd':
        if (!number(text, 1, 1e6, &value))
            return false;
        ret->draws = (unsigned)value;
        return true;
    case 'p':
        if (!number(text, 1, LOAD_PASSES_MAX, &value))
            return false;
        ret->passes = (unsigned)value;
        return true;
    case 'f':
        if (!number(text, 1, 1e9, &value))
            return false;
        ret->frames = (unsigned)value;
        return true;
    case 's':
        return number(text, 0.01, 3600, &ret->seconds);
    case 't':
        if (!number(text, 1, LOAD_THREADS_MAX, &value))
            return false;
        ret->threads = (unsigned)value;
        return true;
    case 'w':
        return ret->work = true;
    case 'b':
        return ret->barriers = true;
    case 'e':
        return ret->begin_barrier = true;
    case 'g':
        return ret->flush = true;
    case 'm':
        return ret->times = true;
    case 'n':
        ret->node = text;
        return true;
    case 'k':
        return ret->keepable = true;
    case 'a':
        return ret->annotate = true;
    case 'q':
        return parse_query(text, &ret->query);
    default:
        return ret->prerecorded = true;
    }
}

int
load_parse(bool vulkan, int argc, char **argv, struct load_options *ret)
{
    static const struct option table[] = {
        {"draws", required_argument, NULL, 'd'},
        {"passes", required_argument, NULL, 'p'},
        {"frames", required_argument, NULL, 'f'},
        {"seconds", required_argument, NULL, 's'},
        {"query", required_argument, NULL, 'q'},
        {"annotate", no_argument, NULL, 'a'},
        {"help", no_argument, NULL, 'h'},
        {"prerecorded", no_argument, NULL, 'r'},
        {"keepable", no_argument, NULL, 'k'},
        {"threads", required_argument, NULL, 't'},
        {"work", no_argument, NULL, 'w'},
        {"barriers", no_argument, NULL, 'b'},
        {"begin-barrier", no_argument, NULL, 'e'},
        {"times", no_argument, NULL, 'm'},
        {"flush", no_argument, NULL, 'g'},
        {"node", required_argument, NULL, 'n'},
        {NULL, 0, NULL, 0},
    };
    int got;
    *ret = (struct load_options){.draws = 2000, .passes = 4, .seconds = 1, .node = "/dev/dri/renderD250"};
    while ((got = getopt_long(argc, argv, "", table, NULL)) != -1) {
        if (got == 'h') {
            printf(usage, argv[0], vulkan ? usage_vulkan : usage_gl);
            return 0;
        }
        if (got == '?' || (strchr("rktwben", got) && !vulkan) || (strchr("ag", got) && vulkan) ||
            !apply(got, optarg, ret) ||
            (vulkan && (ret->query == LOAD_QUERY_AMD || ret->query == LOAD_QUERY_INTEL)) ||
            (!vulkan && ret->query > LOAD_QUERY_DRAW_COUNT)) {
            fprintf(stderr, usage, argv[0], vulkan ? usage_vulkan : usage_gl);
            return 2;
        }
    }
    return -1;
}

uint64_t
load_now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

bool
load_next(struct load_clock *clock, const struct load_options *options)
{
    if (clock->frame == LOAD_WARM_UP) {
        clock->start_ns = load_now_ns(CLOCK_MONOTONIC);
        clock->start_cpu_ns = load_now_ns(CLOCK_PROCESS_CPUTIME_ID);
        clock->start_overhead_ns = load_now_ns(CLOCK_THREAD_CPUTIME_ID);
        clock->deadline_ns =
            options->frames ? UINT64_MAX : clock->start_ns + (uint64_t)(options->seconds * 1e9);
    }
    if (clock->frame > LOAD_WARM_UP) {
        clock->stop_ns = load_now_ns(CLOCK_MONOTONIC);
        if (options->frames ? clock->frame - LOAD_WARM_UP >= options->frames
                            : clock->stop_ns >= clock->deadline_ns)
            return false;
    }
    clock->frame++;
    return true;
}

unsigned
load_share(const struct load_options *options, unsigned pass)
{
    return options->draws / options->passes + (pass < options->draws % options->passes ? 1 : 0);
}

void
load_print(const struct load_clock *clock, const struct load_options *options)
{
    unsigned frames = clock->frame - LOAD_WARM_UP;
    double ns = (double)(clock->stop_ns - clock->start_ns);
    double cpu_ns = (double)(load_now_ns(CLOCK_PROCESS_CPUTIME_ID) - clock->start_cpu_ns);
    double overhead_ns = (double)(load_now_ns(CLOCK_THREAD_CPUTIME_ID) - clock->start_overhead_ns);
    printf("{\"frames\": %u, \"all_frames\": %u, \"draws\": %u, \"passes\": %u, \"ns_per_frame\": %.1f, "
           "\"ns_per_draw\": %.2f, \"cpu_ns_per_frame\": %.1f, \"own_cpu_ns_per_frame\": %.1f}\n",
           frames, clock->frame, options->draws, options->passes, ns / frames, ns / frames / options->draws,
           cpu_ns / frames, overhead_ns / frames);
}
