/** @file
 * See cpu_events.h. Source: perf_event_open(2), getrusage(2), proc(5). */
#include "counters/sources/cpu/cpu_events.h"

#define HARDWARE(c)                                                                                          \
    {                                                                                                        \
        PERF_TYPE_HARDWARE, PERF_COUNT_HW_##c, true                                                          \
    }
#define SOFTWARE(c, user)                                                                                    \
    {                                                                                                        \
        PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##c, user                                                          \
    }

const struct pp_cpu_event pp_cpu_event[PP_CPU_EVENTS] = {
    {"cycles", "Clocks of the CPU that the thread ran for, in user space.", HARDWARE(CPU_CYCLES),
     PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"instructions", "Instructions that the thread completed, in user space.", HARDWARE(INSTRUCTIONS),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"ref-cycles", "Clocks at a constant rate that the thread ran for, in user space.",
     HARDWARE(REF_CPU_CYCLES), PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"branches", "Branches that the thread completed, in user space.", HARDWARE(BRANCH_INSTRUCTIONS),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"branch-misses", "Branches that the CPU predicted wrongly, in user space.", HARDWARE(BRANCH_MISSES),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"cache-references", "Accesses that reached the last-level cache, in user space.",
     HARDWARE(CACHE_REFERENCES), PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"cache-misses", "Accesses that missed the last-level cache, in user space.", HARDWARE(CACHE_MISSES),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"stalled-cycles-frontend", "Clocks without an instruction to issue, in user space.",
     HARDWARE(STALLED_CYCLES_FRONTEND), PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"stalled-cycles-backend", "Clocks in which an instruction waited for data or a unit, in user space.",
     HARDWARE(STALLED_CYCLES_BACKEND), PP_UNIT_CYCLES, PP_CPU_BY_NONE},
    {"task-clock", "Time that the thread ran on a CPU, in user space and kernel.", SOFTWARE(TASK_CLOCK, true),
     PP_UNIT_NS, PP_CPU_BY_CLOCK},
    {"page-faults", "Page faults of the thread.", SOFTWARE(PAGE_FAULTS, true), PP_UNIT_COUNT,
     PP_CPU_BY_FAULTS},
    {"minor-faults", "Page faults of the thread that needed no input or output.",
     SOFTWARE(PAGE_FAULTS_MIN, true), PP_UNIT_COUNT, PP_CPU_BY_MINOR},
    {"major-faults", "Page faults of the thread that waited for a disk.", SOFTWARE(PAGE_FAULTS_MAJ, true),
     PP_UNIT_COUNT, PP_CPU_BY_MAJOR},
    {"context-switches", "How often the CPU switched to another thread.", SOFTWARE(CONTEXT_SWITCHES, false),
     PP_UNIT_COUNT, PP_CPU_BY_SWITCHES},
    {"cpu-migrations", "How often the thread was moved to another CPU.", SOFTWARE(CPU_MIGRATIONS, false),
     PP_UNIT_COUNT, PP_CPU_BY_NONE},
    {"run-delay",
     "Time that the thread was ready to run and waited for a CPU.",
     {0},
     PP_UNIT_NS,
     PP_CPU_BY_DELAY},
    {"involuntary-switches",
     "How often the kernel took the CPU from the thread, which could have gone on.",
     {0},
     PP_UNIT_COUNT,
     PP_CPU_BY_INVOLUNTARY},
};
