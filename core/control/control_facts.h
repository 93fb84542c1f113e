/** @file
 * What the control socket must know of the session's files, and what it asks of them: an interface, so that
 * core/control/ does not know core/collect/. */
#ifndef PP_CORE_CONTROL_CONTROL_FACTS_H
#define PP_CORE_CONTROL_CONTROL_FACTS_H

#include <limits.h>
#include <stdint.h>

#include "core/config/config.h"

/** The files of a session at this moment. */
struct pp_control_facts {
    uint64_t frames; /**< with a row in frames.csv */
    uint64_t dropped_frames;
    uint64_t bytes;        /**< of the CSV files */
    uint64_t hooks_ns;     /**< time in passprobe's hooks, on the application's threads */
    uint64_t collector_ns; /**< CPU time of the collector thread */
    const char *ended;     /**< why profiling ended; NULL: it goes on. Valid until the next round */
    char path[PATH_MAX];   /**< absolute path of the session directory; "": not known */
};

/** Interface of the collector. All functions are called on the collector thread. */
struct pp_control_ops {
    /** Mandatory. Fill in the facts. */
    void (*facts)(void *self, struct pp_control_facts *ret);

    /** Mandatory. Make what rows of this level need. @retval 0, -errno: frames keep their level. */
    int (*prepare_level)(void *self, enum pp_level level);

    /** Mandatory. End profiling, as the user wished: the files are written to their end. */
    void (*quit)(void *self);
};

#endif
