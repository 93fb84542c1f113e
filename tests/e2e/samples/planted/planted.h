/** @file
 * What makes one frame of an application long; see README.md. */
#ifndef PP_TESTS_E2E_SAMPLES_PLANTED_H
#define PP_TESTS_E2E_SAMPLES_PLANTED_H

#include <stdbool.h>

/** Causes. Those with a time last PLANTED_MS, or as many milliseconds as the command line says. */
enum planted_cause {
    PLANTED_DRAWS,  /**< "draws": the pass "shadows" has PLANTED_COUNT more draws */
    PLANTED_STREAM, /**< "stream": a pass of this name with PLANTED_COUNT draws, which each PLANTED_PERIOD-th
                         frame has */
    PLANTED_PIPELINES, /**< "pipelines": shader programs or pipelines are created for a time */
    PLANTED_UPLOADS,   /**< "uploads": for a time (OpenGL), or PLANTED_UPLOADS_MORE of them (Vulkan) */
    PLANTED_SLEEP,     /**< "sleep": the thread sleeps for a time */
    PLANTED_FAULTS,    /**< "faults": memory is touched for the first time, for a time */
    PLANTED_OBJECTS,   /**< "objects": the user counter "objects" is 40, not 4, and the thread computes */
    PLANTED_MARKS,     /**< "marks": the frame is not long; "level begins" is marked in it, and "level ends"
                            PLANTED_MARKED frames later */
    PLANTED_POLLS, /**< "polls": the frame is not longer; the thread asks for the fence again and again, and
                        does not wait in the driver */
    PLANTED_CAUSES
};

enum {
    PLANTED_MS = 200,
    PLANTED_COUNT = 600,
    PLANTED_PERIOD = 25,
    PLANTED_UPLOADS_MORE = 6000, /**< of a megabyte each */
    PLANTED_MARKED = 5,
    PLANTED_DRAWS_USUAL = 3,
    PLANTED_SIZE = 256, /**< width and height of all images */
};

/** What the command line asks for. */
struct planted {
    unsigned frames;             /**< to draw */
    unsigned number;             /**< of the long frame */
    unsigned ms[PLANTED_CAUSES]; /**< 0: not because of this */
};

/** Read `FRAMES [N CAUSE[=MS]...]`. @return false, after a message, for anything else. */
bool planted_read(struct planted *it, int argc, char **argv);

/** For how many milliseconds is a frame longer because of this? 0: it is not. */
unsigned planted_ms(const struct planted *it, unsigned frame, enum planted_cause cause);

/** Begin a frame: set the user counter; sleep, touch memory or compute in the long frame. */
void planted_begin(const struct planted *it, unsigned frame);

/** Has the thread run for less than @p ms since @p *begin_ns, which is set first if it is 0? On a busy
 * machine the work is the same, and takes longer. */
bool planted_lasts(unsigned ms, unsigned long long *begin_ns);

#endif
