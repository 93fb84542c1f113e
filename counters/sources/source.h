/** @file
 * The seam of a counter source: whatever can be read at a bracket's two ends. Kernel sources live in
 * counters/source/, API-bound ones beside their API; all pass tests/counters/source_conformance.h. Knows no
 * graphics API. */
#ifndef PP_COUNTERS_SOURCES_SOURCE_H
#define PP_COUNTERS_SOURCES_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/layout.h"

struct pp_metric_program;

/** Makers of GPUs whose kernel drivers count. */
#define PP_VENDOR_INTEL 0x8086U
#define PP_VENDOR_ARM   0x13B5U

/** Room for a reason why something cannot be measured. */
#define PP_REASON_BYTES 320

/** One event that a source offers, or would if it could. Strings are borrowed from the source. */
struct pp_event {
    const char *name;        /**< without the source's prefix: "vertex_shader_invocations" */
    const char *description; /**< one sentence */
    const char *reason;      /**< NULL: available; else why not, and what would help */
    enum pp_unit unit;
    const char *group; /**< the set or group that it belongs to, by which all of it can be asked for; NULL:
                          none */
    enum pp_number number; /**< of its values */
    bool alone;            /**< values of several brackets do not add up: a ratio, a state */
};

/** Who takes a snapshot, and when. */
enum pp_source_reads {
    PP_READ_GPU,    /**< commands of the front end write it */
    PP_READ_THREAD, /**< read() counts what the calling thread did: at a bracket's ends, at a frame's end */
    PP_READ_IDLE,   /**< read() counts the whole GPU: at a bracket's ends, with the GPU idle (--serialize) */
    PP_READ_FRAME,  /**< read() counts the process: by the presenting thread, at a frame's end */
    PP_READ_STREAM, /**< between() looks up what the GPU did between two of its timestamps: by the collector
                     */
    PP_READ_POLL,   /**< read() may block for milliseconds: by the collector, now and then; states only */
};

/** In a snapshot of a PP_READ_POLL source: this one of its states could not be read now. */
#define PP_STATE_NONE ((uint64_t)INT64_MIN)

/** A source. `self` is the implementation's own object. Calls come from one thread at a time unless said
 * otherwise. */
struct pp_source_ops {
    const char *name; /**< prefix of its events: "time", "pipeline", "oa" */

    /** Mandatory. The @p i-th event, available or not. @retval 0 filled. @retval -ENOENT past the last. May
     * not block. */
    int (*event)(void *self, uint32_t i, struct pp_event *ret_event);

    /** NULL: any subset fits. Do these events (indexes of event()) fit into one bracket? @retval 1 yes, 0 no.
     * May not block. */
    int (*fits)(void *self, const uint32_t *event, size_t events);

    /** NULL: none does. Does event @p i fit beside any others, whatever fits() says of these? It is then in
     * every set. May not block. */
    bool (*always_fits)(void *self, uint32_t i);

    /** Mandatory. Layout of one snapshot when exactly these events are measured; owned by the source, valid
     * as long as it lives. NULL: they do not fit. Without formulas() its fields are the events by name. */
    const struct pp_layout *(*layout)(void *self, const uint32_t *event, size_t events);

    /** NULL: nothing is measured unless asked for. The @p i-th event of the set that a session measures by
     * default, the best one for most users. @retval 0 *ret_event is its index. @retval -ENOENT past the last.
     * May not block. */
    int (*preset)(void *self, uint32_t i, uint32_t *ret_event);

    /** NULL: no GPU. May the default set be measured for this GPU, which it counts for sure? Sources of the
     * kernel say so of GPUs that the program's driver may or may not offer counters of.
     * @param vendor PP_VENDOR_*, as PCI and Vulkan have them; 0: not known.
     * @param gpu    The vendor's number of the GPU; 0: not known. */
    bool (*counts)(void *self, uint32_t vendor, uint32_t gpu);

    /** NULL: the snapshot's fields are the events. Else the events are computed, out of sums of the fields:
     * make the program whose inputs are the layout's fields, in order, and whose outputs are these events, in
     * order. Owned by the caller, for pp_metric_destroy(). @retval 0 made. @retval -errno. */
    int (*formulas)(void *self, const uint32_t *event, size_t events, struct pp_metric_program **ret_program);

    /** Mandatory unless reads is PP_READ_GPU. Take a snapshot of these events, layout()->size bytes, as
     * enum pp_source_reads says. PP_READ_THREAD: any thread, several at once; does not allocate after a
     * thread's first call. PP_READ_POLL: fields of 64 bits, PP_STATE_NONE where one alone could not be read.
     * @retval 0 taken. @retval -errno it could not be taken: the value is lost. */
    int (*read)(void *self, const uint32_t *event, size_t events, uint8_t *ret_snapshot);

    /**
     * Mandatory where reads is PP_READ_STREAM, else NULL. What the GPU did between two moments, as a snapshot
     * whose fields are results. The collector's; drains the kernel's stream; does not block.
     *
     * @param begin_ticks,end_ticks The bracket's two timestamps as the GPU wrote them.
     * @param tick_ns Their period as the API says it: often a float, too coarse to compute moments from.
     * @param alone The bracket is serialized: whatever ran around it belongs to it.
     * @param ret_snapshot layout()->size bytes.
     * @param ret_status enum pp_status of all fields; PP_PARTIAL: the edges were shared out by time.
     * @retval 0       Both are set.
     * @retval -EAGAIN Reports up to end_ticks have not arrived: ask again later.
     */
    int (*between)(void *self, const uint32_t *event, size_t events, uint64_t begin_ticks, uint64_t end_ticks,
                   double tick_ns, bool alone, uint8_t *ret_snapshot, uint8_t *ret_status);

    /** NULL: nothing to do. From now on measure these events; 0: none. By the presenting thread, at a frame's
     * end, and before the first; may block for a millisecond. @retval 0, -errno: nothing is measured. */
    int (*select)(void *self, const uint32_t *event, size_t events);

    /** NULL: the C library's words. Why read(), between() or select() failed with this errno, for people:
     * what is missing, and what that would cost. @p text PP_REASON_BYTES. Any thread. */
    void (*explain)(void *self, int error, char *text);

    /* What bounds work, by its events (docs/peaks.md). */

    /** Name of the built-in table of peaks whose quantities are this source's events; NULL: it has none. The
     * maximum of an event, for rows whose peak is "max", is the event of the same group with ".max" behind
     * its name. */
    const char *peaks;
    const char *clocks; /**< the event that counts the GPU's clocks; mandatory with peaks */

    /** NULL: the table has no variables. The @p i-th one's name and value. @retval 0 both are set. @retval
     * -ENOENT past the last. */
    int (*variable)(void *self, uint32_t i, const char **ret_name, double *ret_value);

    uint8_t reads;  /**< enum pp_source_reads */
    bool exclusive; /**< only one bracket may be open at a time: a draw's cannot lie inside a pass's */
};

/** A source that is there. */
struct pp_event_source {
    const struct pp_source_ops *ops;
    void *self;
};

#endif
