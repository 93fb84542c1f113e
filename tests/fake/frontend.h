/** @file
 * A front end without a graphics API. The test advances the clock of its device and sets what its counters
 * count, so every figure in the files is known beforehand. It replaces hooks/ and layer/ above core's
 * interfaces. */
#ifndef PP_TESTS_FAKE_FRONTEND_H
#define PP_TESTS_FAKE_FRONTEND_H

#include "core/engine/tracker.h"
#include "core/session/session.h"

/** Snapshot row of the fake device: a clock and two counters. */
struct fake_row {
    uint64_t ticks;
    uint64_t vertices;
    uint64_t invocations;
};

/** One recorder with its device; all results are available at once. */
struct fake_frontend {
    struct pp_session *session;
    struct pp_device *device;
    struct pp_timeline *timeline;
    struct pp_tracker tracker;
    struct pp_batch *batch; /**< of the open frame; NULL: none yet */
    pp_render_target_id render_target;
    struct fake_row now;   /**< the device's clock and counters */
    enum pp_status status; /**< status of the results of brackets */
    uint32_t room;         /**< passes that a batch can hold */
    unsigned begins;
    unsigned ends;
    uint64_t frame_start_ns;
    bool counts; /**< the device has fake_counters */
    struct {
        uint32_t bracket;  /**< the bracket whose query of khr is open; UINT32_MAX: none */
        uint64_t vertices; /**< at its begin */
        uint64_t draws;
    } query;
    uint64_t draws;  /**< in all */
    unsigned misuse; /**< queries that were begun while another was active */
};

/** Counter sources of the fake device.
 *
 * `khr`: results of queries, at most two at the same time, one bracket at a time: "verts" and "calls" add
 * up, "weight" is a 32-bit float that adds up, "ratio_percent" is a double that does not, "gone" is not
 * there. `oa`: free-running raw counts A0 (32 bits, wraps) and A1, from which "Sum" and "Share" (group
 * "Basic") are computed; its default set is Sum. Group "Bound": what the table intel-oa asks for.
 *
 * `intel`: a stream in which every nanosecond of the GPU's clock counts one: "Ns" and "Twice", one at a time;
 * the first three reads of it fail with -EAGAIN. */
extern const struct pp_event_source fake_counters[3];

/** Start a device with fake_counters, and a timeline. @retval 0, -errno of the session. */
int fake_frontend_init_counters(struct fake_frontend *fake, struct pp_session *session, const char *surface);

/** Start a device and a timeline. @retval 0, -errno of the session. */
int fake_frontend_init(struct fake_frontend *fake, struct pp_session *session, const char *surface);

/** Start a device and the timeline "window 1" in the process's session. Ends the process with status 3 if
 * that fails.
 * @return The session. */
struct pp_session *fake_frontend_start(struct fake_frontend *fake);

/** Record a pass: @p draws draws, each of @p vertices vertices and @p ticks ticks. */
void fake_frontend_draw(struct fake_frontend *fake, uint64_t target, uint32_t draws, uint64_t vertices,
                        uint64_t ticks);

/** Compute work. */
void fake_frontend_dispatch(struct fake_frontend *fake, uint32_t dispatches, uint64_t invocations,
                            uint64_t ticks);

/** Hand the batch on and end the frame. */
void fake_frontend_swap(struct fake_frontend *fake);

/** Hand the batch on (a submission without a frame's end). */
void fake_frontend_flush(struct fake_frontend *fake);

/** The interface, for tests of the tracker only. */
extern const struct pp_frontend_ops fake_frontend_ops;

#endif
