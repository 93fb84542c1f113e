/** @file
 * What a call of passprobe/annotate.h costs the application, with or without passprobe in the process. */
#ifndef BENCH_LOAD_ANNOTATE_H
#define BENCH_LOAD_ANNOTATE_H

/** Time a region (push and pop) and a counter by this thread's processor time, the lowest of some repeats,
 * less an empty loop, and print nanoseconds of each as one line of JSON to stdout. Takes some 100 ms. */
void load_annotate_print(void);

#endif
