/** @file
 * Waiting for a GPU that does no work. */
#ifndef LAB_NO_WORK_WAIT_H
#define LAB_NO_WORK_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/** Wait for a fence as LAB_MODE says. The caller holds lab_lock, which is free while the function waits.
 * @param deadline_ns  On CLOCK_MONOTONIC; UINT64_MAX: none.
 * @return true: the deadline has passed, and the fence is not signalled. */
bool lab_no_work_wait(uint64_t deadline_ns);

#endif
