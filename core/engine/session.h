/** @file
 * The session contains everything in a profiled process: configuration, interned names, devices, timelines of
 * frames, the ring, the collector thread and its writers. This file knows no graphics API.
 *
 * Threads: an "application thread" is any thread of the application, inside a hook. The collector is
 * passprobe's thread. No function here blocks an application thread for longer than a short critical section,
 * at the rate of frames, submissions or object creations. */
#ifndef PP_CORE_ENGINE_SESSION_H
#define PP_CORE_ENGINE_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/clock.h"
#include "core/engine/config.h"
#include "core/model/action.h"
#include "core/model/batch.h"
#include "core/util/log.h"

struct pp_session;

/** Mark of what core exports to the shim, the layer and the public header. */
#define PP_API __attribute__((visibility("default")))

/**
 * The session of this process, made at the first call. Reads the configuration once; starts no thread and
 * opens no file. Any thread. Hot after the first call.
 *
 * @return NULL if profiling is off: disabled, configuration in error (said once on stderr), a forked child,
 * or stopped for good. Borrowed; lives as long as the process.
 */
PP_API struct pp_session *pp_session_get(void);

/** Is profiling active? False from the moment when profiling stopped (error, size limit, process exit).
 * Hooks then only call the real function. Hot. */
PP_API bool pp_session_active(const struct pp_session *session);

/** Configuration of the session; immutable. */
PP_API const struct pp_config *pp_session_config(const struct pp_session *session);

/** Would the kernel's counters of a GPU of this vendor (PP_VENDOR_*) be measured by default, without an
 * event list? Opens them the first time. Any thread; reads files.
 * @param source Name of the source: "oa", "mali". */
PP_API bool pp_session_default_events(struct pp_session *session, const char *source, uint32_t vendor);

/* Names. Interning: a short lock for a new entry, none for a known one. Ids stay valid for the process. */

/** Intern a render target. @return Id of an equal render target; 0 if the table is full. Any thread. */
PP_API pp_render_target_id pp_session_render_target(struct pp_session *session,
                                                    const struct pp_render_target *render_target);

/** Intern a text. @return Id of the text; 0 for "" or NULL, or if the table is full. Any thread. */
PP_API pp_string_id pp_session_string(struct pp_session *session, const char *text);

/** Intern the label path `parent / text`. The text is cut at 256 bytes. @return Id of the path. If the
 * table is full, the parent's id with a depth of one more, so that pp_session_label_parent() leads back
 * to the parent. Any thread. */
PP_API pp_label_id pp_session_label(struct pp_session *session, pp_label_id parent, const char *text);

/** Find the path on which a label was pushed, for pops. @return Id of the parent path; 0 at the top. */
PP_API pp_label_id pp_session_label_parent(struct pp_session *session, pp_label_id label);

/** Make a path that begins outside of a region of @p parent whose begin is not known yet.
 * pp_session_label_inside() later leaves this region out of the outer path. The path stands in front of
 * all other regions. @return Id of the path. Any thread. */
PP_API pp_label_id pp_session_label_up(struct pp_session *session, pp_label_id parent);

/**
 * Put one path inside another: "b/c" inside "a" is "a/b/c".
 *
 * @param shared Begin of @p inner that is not repeated: the part that @p outer begins with is left out; 0:
 * nothing.
 * @return Id of the joined path, without regions that do not fit into the label table. Any thread.
 */
PP_API pp_label_id pp_session_label_inside(struct pp_session *session, pp_label_id outer, pp_label_id inner,
                                           pp_label_id shared);

/** Number of regions of a stack for which the time of opening is stored. Regions inside the last one count
 * as opened together with it. */
#define PP_LABEL_STACK_MAX 64

/** Nested open regions of a thread or a context. Zeroed: none. Only one thread may use a stack at a time. */
struct pp_label_stack {
    pp_label_id label;                   /**< label path of the open regions */
    uint32_t depth;                      /**< regions open */
    uint32_t changes;                    /**< pushes and pops so far: to see whether anything changed */
    uint64_t opened[PP_LABEL_STACK_MAX]; /**< by depth, outermost first: grows through the process */
};

/** Open a region inside the others. */
PP_API void pp_session_label_push(struct pp_session *session, struct pp_label_stack *stack, const char *text);

/** Close the innermost region. Does nothing if none is open. */
PP_API void pp_session_label_pop(struct pp_session *session, struct pp_label_stack *stack);

/** Merge the regions of two stacks into one path, in the order in which they were opened. @return Id of
 * the path, without regions that do not fit into the label table. Any thread that may read both stacks. */
PP_API pp_label_id pp_session_label_merged(struct pp_session *session, const struct pp_label_stack *a,
                                           const struct pp_label_stack *b);

/* Devices. */

/** A counter source of a device: the part of a bracket's row that is its snapshot. */
struct pp_device_source {
    const char *name;               /**< "time", "pipeline"; borrowed for the device's life */
    const struct pp_layout *layout; /**< borrowed for the device's life; field names are event names */
};

/** Why a device lacks a source that may be asked for. */
struct pp_source_absent {
    const char *source; /**< "khr" */
    const char *reason; /**< "the driver lacks VK_KHR_performance_query" */
    bool taken; /**< the application uses the source, so the machine's source of that name is not used either
                 */
    bool refused; /**< the source has a default set and the reason prevents it: reported even without an event
                     list */
};

/** What a front end knows of a device (Vulkan) or a context's renderer (OpenGL). Strings are copied. */
struct pp_device_info {
    const char *api;           /**< "gl", "gles", "vulkan" */
    const char *api_version;   /**< as the API reports it: "4.5 (Core Profile) Mesa 22.3.6" */
    const char *name;          /**< renderer, deviceName */
    const char *driver;        /**< driver and its version */
    double tick_ns;            /**< nanoseconds a timestamp tick; 0: no timestamps */
    uint32_t vendor;           /**< PP_VENDOR_* of the GPU or another's number; 0: not known */
    uint32_t gpu;              /**< the vendor's number of it; 0: not known */
    uint32_t timestamp_bits;   /**< 0: no timestamps: CPU times only */
    bool brackets_submissions; /**< at level frame each submission has a bracket of its own (Vulkan), so that
                                  their union is the GPU's busy time; false: one bracket spans the frame, gaps
                                  included */
    const struct pp_device_source *source; /**< sources[0] must be "time" where timestamp_bits is not 0 */
    uint32_t sources;
    const struct pp_event_source
        *counter; /**< further sources; the selected events are measured; borrowed for the device's life */
    uint32_t counters;
    const struct pp_source_absent *absent; /**< sources that the device lacks; borrowed for the call */
    uint32_t absents;
    bool reads;      /**< the device's brackets call pp_device_read() */
    bool reads_idle; /**< only with the GPU idle, under --serialize */
    bool records;    /**< the device's brackets call pp_device_thread_take() while they are recorded */
};

/**
 * Announce a device. The first one starts the collector and opens the session directory.
 *
 * @param ret_device Owned by the session, lives as long as the process.
 * @retval 0       Ready.
 * @retval -errno  The session cannot start (said once on stderr); the application goes on.
 */
PP_API __attribute__((warn_unused_result)) int pp_device_create(struct pp_session *session,
                                                                const struct pp_device_info *info,
                                                                struct pp_device **ret_device);

/** Clock of the device, for samples and bounds. */
PP_API struct pp_clock *pp_device_clock(struct pp_device *device);

/** Session that the device belongs to. Immutable after create. */
PP_API struct pp_session *pp_device_session(const struct pp_device *device);

/** Byte offset of source @p source in a row. Immutable after create. */
PP_API uint32_t pp_device_offset(const struct pp_device *device, uint32_t source);

/* Counters: the events of pp_device_info.counter, packed into sets of which each frame measures one. */

/** Events of one source that are measured together. */
struct pp_device_set {
    const uint32_t *event; /**< indexes of the source's event() */
    uint32_t events;       /**< 0: this set has none of the source */
    const struct pp_layout *layout;
};

/** Number of counter sets in the device's rotation; 0: no counters are measured. Immutable after create. */
PP_API uint32_t pp_device_sets(const struct pp_device *device);

/** What set @p set (< pp_device_sets()) has of pp_device_info.counter[@p counter]. Borrowed for the device's
 * life. */
PP_API const struct pp_device_set *pp_device_set(const struct pp_device *device, uint32_t counter,
                                                 uint32_t set);

/** Number of pp_device_info.counter[@p counter] in a batch's rows, statuses and sets; UINT32_MAX: none of its
 * events is measured. */
PP_API uint32_t pp_device_counter(const struct pp_device *device, uint32_t counter);

/** Does pp_device_read() have anything to do? Immutable after create. Hot. */
PP_API bool pp_device_reads(const struct pp_device *device);

/**
 * Take the snapshots that the CPU reads, for a bracket's begin (@p end 0) or end (1). Front ends whose
 * brackets are in the application's stream of calls (OpenGL) call it at each begin and end. With @p idle
 * false it is called directly before and after the work, for sources that count the calling thread. Under
 * --serialize it is also called with @p idle true while the GPU is idle, for sources that count the whole
 * GPU.
 *
 * @param batch   Must be large enough for @p bracket.
 * @param set     Counter set of the open frame, pp_timeline_turn().
 * @param idle    Which sources: PP_READ_THREAD, or PP_READ_IDLE because all earlier work has ended on the
 * GPU.
 */
PP_API void pp_device_read(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket,
                           unsigned end, uint8_t set, bool idle);

/** Does pp_device_read() with @p idle true have anything to do? Immutable after create. Hot. */
PP_API bool pp_device_reads_idle(const struct pp_device *device);

/** Mark a bracket as a sum: what the sources read with @p idle true count in it is the sum of its actions,
 * which are read. */
PP_API void pp_device_sums(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket);

/** Bytes of a snapshot of the sources that threads read; 0: there are none. Immutable after create. */
PP_API size_t pp_device_thread_bytes(const struct pp_device *device);

/** Front ends that record work before it is submitted (Vulkan): what the calling thread has counted, of set
 * @p set. @p ret_snapshot pp_device_thread_bytes(), aligned to 8. Any thread. */
PP_API void pp_device_thread_take(const struct pp_device *device, uint8_t set, uint8_t *ret_snapshot);

/** Write the snapshots of a bracket's two ends into its batch, which must be large enough for the bracket. */
PP_API void pp_device_thread_put(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket,
                                 uint8_t set, const uint8_t *begin, const uint8_t *end);

/** Mark as lost what the sources read with @p idle true counted in a bracket, because the GPU was not idle
 * at the bracket's end. */
PP_API void pp_device_unread(const struct pp_device *device, struct pp_batch *batch, uint32_t bracket);

/** Report why a selected event is not measured on this device. Repeats are ignored. Any thread. */
PP_API void pp_device_missing(struct pp_device *device, const char *event, const char *reason);

/** Report how measuring changes this device, for session.json and the summary: for example, a profiling
 * lock pins the clocks. Repeats are ignored. Any thread. */
PP_API void pp_device_note(struct pp_device *device, const char *text);

/** Maximum bytes of a note, including its NUL. */
#define PP_NOTE_BYTES 1024U

/** Like pp_device_note(), once for each device and id. Call it as pp_note_once(device, PP_MSG_x, ...). Any
 * thread; further calls cost one read. */
PP_API __attribute__((format(printf, 3, 4))) void pp_note_once(struct pp_device *device, enum pp_message id,
                                                               const char *format, ...);

/** Add the lengths of empty brackets, from which the resolution of a time is estimated. @p scope "pass" or
 * "draw". Any thread. */
PP_API void pp_device_bias(struct pp_device *device, const char *scope, const uint64_t *length_ns,
                           uint32_t count);

/* Frames. */

/**
 * Take a snapshot of the selected system counters of the calling thread, the process and the machine. Used if
 * a device's first frame begins before its timeline can be made (pp_timeline_info.base). Opens the kernel's
 * counters. Any thread.
 *
 * @return NULL: no system counter is selected, or no memory. Free it with free() or give it to a timeline.
 */
PP_API uint8_t *pp_session_base(struct pp_session *session);

/** One series of frames: a window, a swapchain's device, a surfaceless context. */
struct pp_timeline_info {
    struct pp_device *device;
    const char *surface; /**< what tells it apart, stable from run to run: "window 1"; copied */
    uint64_t start_ns;   /**< CLOCK_MONOTONIC when its first frame began */
    uint8_t *base;       /**< of pp_session_base() then, taken over; NULL: it begins now */
};

/** Make a timeline; its first frame is open. @return NULL: no memory or stopped. Owned by the session. Any
 * thread. */
PP_API struct pp_timeline *pp_timeline_create(struct pp_session *session,
                                              const struct pp_timeline_info *info);

/** The open frame's level. Any thread. */
PP_API enum pp_level pp_timeline_level(const struct pp_timeline *timeline);

/** Finest level that the open frame, or one of the next @p frames frames, may have. Used to decide now
 * what a later frame needs. In doubt it is the level that the user asked for; slow frames (--slower-than)
 * are not predicted. Any thread. */
PP_API enum pp_level pp_timeline_level_ahead(struct pp_timeline *timeline, uint64_t frames);

/** How many frame numbers have been given out. Any thread. Hot. */
PP_API uint64_t pp_session_frames(const struct pp_session *session);

/** Rotation of the open frame: what the frame measures. */
struct pp_rotation {
    uint8_t set;  /**< of pp_device_sets() */
    bool actions; /**< sources of which one bracket at a time may be open measure actions, not passes.
                   At level draw every other frame, in random order; never at other levels */
};

/** Rotation of the open frame. Any thread. Hot. */
PP_API struct pp_rotation pp_timeline_turn(const struct pp_timeline *timeline);

/** How sure the end of a frame is. */
enum pp_frame_end {
    PP_END_SURE, /**< the application presented, or never can, or the user said what ends a frame */
    PP_END_WAIT, /**< the application waited, submitted or marked a frame, and may still present: a frame ends
                    here unless it presents later. Then the frame of the first present holds all that came
                    before */
};

/** What the CPU saw of a frame; all CLOCK_MONOTONIC or lengths in nanoseconds. */
struct pp_frame_times {
    uint64_t present_begin_ns; /**< the application called present (swap, submit, ...) */
    uint64_t present_end_ns;   /**< it returned; the next frame begins here */
    uint64_t sync_ns;    /**< the application waited for the GPU meanwhile: finish, fence and idle waits */
    uint64_t acquire_ns; /**< it waited for an image to render to */
    uint32_t pipelines_created;
    uint64_t pipeline_create_ns;
    bool marked; /**< it ended where the application called pp_annotate_frame(), which was noticed only now:
                    the application may have begun the next one */
    uint8_t end; /**< enum pp_frame_end */
    uint16_t waits_min; /**< of PP_END_WAIT: with fewer of them it is not taken for an application that never
                           presents */
};

/** End the open frame and begin the next. All batches of the frame must have been got (not put) before. The
 * calls of one timeline come one at a time. */
PP_API void pp_timeline_end_frame(struct pp_timeline *timeline, const struct pp_frame_times *times);

/** End a timeline whose surface is gone. Its open frame never ended and is not a frame: its rows are
 * written without a frame. */
PP_API void pp_timeline_destroy(struct pp_timeline *timeline);

/* Batches. */

/**
 * Get a batch for the timeline's open frame. The frame's row is written when all its batches have come back.
 *
 * @return NULL: too many batches are in use; then the frame is dropped and counted. Owned by the caller until
 * pp_batch_put() or pp_batch_cancel().
 */
PP_API struct pp_batch *pp_batch_get(struct pp_timeline *timeline);

/** Hand a batch to the collector when its snapshots are available or lost; the statuses say which. Any
 * thread; never blocks. */
PP_API void pp_batch_put(struct pp_batch *batch);

/** Give back a batch that holds nothing. */
PP_API void pp_batch_cancel(struct pp_batch *batch);

/** Add CPU time that a hook took outside of any batch, in nanoseconds. Any thread. */
PP_API void pp_session_overhead(struct pp_session *session, uint64_t ns);

/* The annotate API: entry points that the public header looks up; what front ends read. */

PP_API void pp_annotate_push(const char *text);
PP_API void pp_annotate_pop(void);
PP_API void pp_annotate_mark(const char *text);
PP_API void pp_annotate_frame(void);
PP_API void pp_annotate_set(const char *name, double value);
PP_API void pp_annotate_add(const char *name, double delta);

/** Label path that the annotate API has open on this thread; 0: none. */
PP_API pp_label_id pp_annotate_label(void);

/** Label regions that the annotate API has open, for code that checks them at every draw. Valid only for
 * the calling thread, until it ends. */
PP_API const struct pp_label_stack *pp_annotate_regions(void);

/** Number of pp_annotate_frame() calls so far in the process: front ends under --frame-on marker compare it.
 * Hot. */
PP_API uint64_t pp_annotate_frames(void);

#endif
