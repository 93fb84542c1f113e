/** @file
 * Waiting for a GPU that does no work; see wait.h. */
#include "tests/lab/no_work/wait.h"

#include <time.h>

#include "tests/lab/drm.h"
#include "tests/lab/model.h"
#include "tests/lab/report.h"

bool
lab_no_work_wait(uint64_t deadline_ns)
{
    struct timespec until = {.tv_sec = INT32_MAX};
    if (lab_mode() != LAB_HANG)
        return false;
    if (deadline_ns <= INT64_MAX)
        until = (struct timespec){.tv_sec = (time_t)(deadline_ns / 1000000000),
                                  .tv_nsec = (long)(deadline_ns % 1000000000)};
    if (lab_now_ns() < deadline_ns)
        lab_log("wait");
    while (lab_now_ns() < deadline_ns)
        (void)pthread_cond_clockwait(&lab_changed, &lab_lock, CLOCK_MONOTONIC, &until);
    return true;
}
