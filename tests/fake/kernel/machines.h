/** @file
 * Machines for an application that the stand-ins were preloaded into, by its environment:
 *
 * FAKE_MALI_ACTIVE=N: a Mali-G76 behind kbase, whose front end counts N clocks of GPU_ACTIVE between any two
 * samples, and what a driver in the process calls fake_kernel_worked() with. FAKE_MALI_ALU=PERCENT: each core
 * executes so many instructions in 100 of the N.
 * FAKE_I915=alone|others|loses|paranoid|busy: a Kaby Lake GT2 at renderD128 whose OA unit ticks with
 * CLOCK_MONOTONIC, as software drivers' timestamps do: every counter counts so much a tick, see work_of() in
 * machines.c, and starts a little before it wraps. "others": of every four slots of 8192 ticks the last is
 * another context's, which does three times as much. "loses": every 8th slot begins with a lost report, every
 * 16th with a lost buffer. "paranoid": only root may. "busy": another has the unit.
 * FAKE_FDINFO=plain|xe|nokeys|noclient|nonsense|notime|gone: the application has a client of renderD128, by
 * two descriptors, whose accounting grows with every reading, says less than it should, or ends after five.
 * FAKE_PERF_STEP=N: a PMU; every reading finds N times the event's number + 1 more.
 *
 * Refusals, E an errno: FAKE_I915=open=E|later=E|set=E|remove=E|rate=HZ (later: once a metric set is wanted),
 * FAKE_MALI=kbase|panfrost[,off|owned|csf|old|nokinstr|setup=E|later=E] (later: once a sample is wanted),
 * FAKE_PERF_REFUSES=paranoid=N|nopmu|error=E|after=N (after: with so many events open),
 * FAKE_SENSOR=open=E|read=E (power1_average of card0), FAKE_NODE=open=E (renderD128).
 *
 * FAKE_KERNEL_ROOT=DIR: what is in DIR/sys, DIR/proc, DIR/dev stands for
 * /sys, /proc, /dev. */
#ifndef PP_TESTS_FAKE_KERNEL_MACHINES_H
#define PP_TESTS_FAKE_KERNEL_MACHINES_H

#include <stdint.h>

/** The Mali's front end counts so many more clocks of GPU_ACTIVE; found by name (dlsym). */
void fake_kernel_worked(uint64_t clocks);

/** Claim what the environment asks for. */
void fake_machines_begin(void);

#endif
