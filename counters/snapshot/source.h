/** @file
 * The interface of a counter source: whatever can be read at a bracket's two ends. The sources of the kernel
 * are in counters/sources/, those of a graphics API in hooks/ and layer/; all pass
 * tests/unit/counters/sources/source_conformance.h. Knows no graphics API. */
#ifndef PP_COUNTERS_SNAPSHOT_SOURCE_H
#define PP_COUNTERS_SNAPSHOT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

struct pp_metric_program;

/** Vendors of GPUs that sources of the kernel count. Numbers as in PCI and Vulkan. */
#define PP_VENDOR_INTEL 0x8086U
#define PP_VENDOR_ARM   0x13B5U

/** Bytes of a reason why something cannot be measured. */
#define PP_REASON_BYTES 320

/** One event of a source, available or not. Strings are borrowed from the source. */
struct pp_event {
    const char *name;        /**< without the source's prefix: "vertex_shader_invocations" */
    const char *description; /**< one sentence */
    const char *reason;      /**< NULL: the event is available; else why it is not, and what would help */
    enum pp_unit unit;
    const char *group; /**< the group that the event belongs to, by which the user can ask for all its events;
                          NULL: none */
    enum pp_number number; /**< type of its values */
    bool not_additive;     /**< values of several brackets may not be summed: a ratio, a state */
};

/** Who reads a source, and when. */
enum pp_source_reads {
    PP_READ_GPU,    /**< commands of the front end write snapshots */
    PP_READ_THREAD, /**< read() returns what the calling thread did: at a bracket's ends, at a frame's end */
    PP_READ_IDLE,   /**< read() returns what the whole GPU did: at a bracket's ends, with the GPU idle
                       (--serialize) */
    PP_READ_FRAME,  /**< read() returns what the process did: the presenting thread calls it at a frame's end
                     */
    PP_READ_STREAM, /**< between() looks up what the GPU did between two of its timestamps: the collector
                       calls it */
    PP_READ_POLL, /**< read() may block for milliseconds: the collector calls it now and then; states only */
};

/** In a snapshot of a PP_READ_POLL source: this state could not be read now. */
#define PP_STATE_NONE ((uint64_t)INT64_MIN)

/** The functions of a source. `self` is the implementation's object. Calls come from one thread at a time,
 * unless the function's comment says otherwise. */
struct pp_source_ops {
    const char *name; /**< prefix of its events: "time", "pipeline", "oa" */

    /** Mandatory. The @p i-th event, available or not. @retval 0 filled. @retval -ENOENT past the last. May
     * not block. */
    int (*event)(void *self, uint32_t i, struct pp_event *ret_event);

    /** NULL: any subset of the events fits. Do these events (indexes of event()) fit into one bracket?
     * @retval 1 yes, 0 no. May not block. */
    int (*fits)(void *self, const uint32_t *event, size_t events);

    /** NULL: no event does. Does event @p i fit together with any others, whatever fits() says of the others?
     * Such an event is in every set. May not block. */
    bool (*always_fits)(void *self, uint32_t i);

    /** Mandatory. Layout of one snapshot when exactly these events are measured. The layout belongs to the
     * source and lives as long. NULL: the events do not fit. Without formulas(), its fields are the events,
     * by name. */
    const struct pp_layout *(*layout)(void *self, const uint32_t *event, size_t events);

    /** NULL: the source measures nothing by default. The @p i-th default event: what a session measures
     * without -e.
     * @retval 0 *ret_event is its index. @retval -ENOENT past the last. May not block. */
    int (*default_event)(void *self, uint32_t i, uint32_t *ret_event);

    /** NULL: no. Does the source certainly count this GPU, so that its default events may be measured? For
     * sources of the kernel: the application's driver may or may not offer counters of this GPU itself.
     * @param vendor PP_VENDOR_*; 0: not known.
     * @param gpu    The GPU's PCI device id; 0: not known. */
    bool (*counts)(void *self, uint32_t vendor, uint32_t gpu);

    /** NULL: the snapshot's fields are the events. Else the events are computed from sums of the fields: make
     * the program whose inputs are the layout's fields, in order, and whose outputs are these events, in
     * order. The program is the caller's, for pp_metric_destroy(). @retval 0 made. @retval -errno. */
    int (*formulas)(void *self, const uint32_t *event, size_t events, struct pp_metric_program **ret_program);

    /** Mandatory unless reads is PP_READ_GPU. Take a snapshot of these events, layout()->size bytes, as
     * enum pp_source_reads says. PP_READ_THREAD: any thread, several at once; does not allocate after a
     * thread's first call. PP_READ_POLL: fields of 64 bits; PP_STATE_NONE in a field that could not be read.
     * @retval 0 taken. @retval -errno the snapshot could not be taken: the value is lost. */
    int (*read)(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot);

    /**
     * Mandatory where reads is PP_READ_STREAM, else NULL. Look up what the GPU did between two timestamps, as
     * a snapshot whose fields are results. The collector calls it. Drains the kernel's stream; does not
     * block.
     *
     * @param begin_ticks,end_ticks The bracket's two timestamps as the GPU wrote them.
     * @param tick_ns Their period as the API has it: often a float, too coarse to compute times from.
     * @param serialized The bracket is serialized: a whole segment around an end belongs to it.
     * @param ret_snapshot layout()->size bytes.
     * @param ret_status enum pp_status of all fields; PP_PARTIAL: the ends were divided in proportion to
     * time.
     * @retval 0       Both are set.
     * @retval -EAGAIN Reports up to end_ticks have not arrived: ask again later.
     */
    int (*between)(void *self, const uint32_t *event, size_t events, uint64_t begin_ticks, uint64_t end_ticks,
                   double tick_ns, bool serialized, uint8_t *ret_snapshot, uint8_t *ret_status);

    /** NULL: sets may change from frame to frame. Why only one set may be measured in a process; returns NULL
     * if that is not so. Static text. */
    const char *(*one_set)(void *self);

    /** NULL: nothing to do. From now on measure these events; 0 events: none. The presenting thread calls it
     * at a frame's end, and before the first frame. May block for a millisecond. @retval 0 done. @retval
     * -errno nothing is measured. */
    int (*select)(void *self, const uint32_t *event, size_t events);

    /** NULL: the text of the C library. Explain to the user why read(), between() or select() failed with
     * this errno: what is missing, and what granting it would cost. @p text PP_REASON_BYTES. Any thread. */
    void (*explain)(void *self, int error, char *text);

    /** NULL: none. What measuring with this source changes for the user or the machine, as a note in
     * session.json. */
    const char *note;

    /* Members for finding the unit that bounds a pass or action (docs/formats/peaks.md). */

    /** Name of the built-in table of peaks whose quantities are this source's events; NULL: there is none.
     * For rows whose peak is "max", the maximum of an event is the event of the same group with ".max" after
     * its name. */
    const char *peaks;
    const char *clocks; /**< the event that counts the GPU's clocks; mandatory with peaks */

    /** NULL: the table has no variables. The @p i-th one's name and value. @retval 0 both are set. @retval
     * -ENOENT past the last. */
    int (*variable)(void *self, uint32_t i, const char **ret_name, double *ret_value);

    uint8_t reads;  /**< enum pp_source_reads */
    bool exclusive; /**< only one bracket may be open at a time: a draw's bracket cannot be inside a pass's */
};

/** An open source. */
struct pp_event_source {
    const struct pp_source_ops *ops;
    void *self;
};

#endif
