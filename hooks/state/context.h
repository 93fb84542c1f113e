/** @file
 * GL contexts and the surfaces that they draw to, as the application made them current. A context's state
 * is touched only by the thread that has it current, which OpenGL already guarantees to be one; the lists of
 * contexts and surfaces have a lock that is taken at make-current, destroy and swap. See also draw.h,
 * query_readback.h, target.h. */
#ifndef PP_HOOKS_STATE_CONTEXT_H
#define PP_HOOKS_STATE_CONTEXT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/engine/session.h"
#include "core/engine/tracker.h"
#include "hooks/counters/perf.h"
#include "hooks/measure/deferred_renderer.h"
#include "hooks/measure/query_readback.h"
#include "hooks/measure/serialize.h"
#include "hooks/measure/source.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/display_list.h"
#include "hooks/state/map.h"

/** Why work takes the slow path; 0: it does not. Bits of pp_gl_context.gate. */
enum {
    PP_GATE_BATCH = 1U << 0,  /**< the frame has no batch yet */
    PP_GATE_TARGET = 1U << 1, /**< binding or attachments of the draw framebuffer may have changed */
    PP_GATE_DRAW = 1U << 2,   /**< level draw */
    PP_GATE_LIST = 1U << 3,   /**< between glNewList and glEndList: nothing may be injected */
    PP_GATE_BEGIN = 1U << 4,  /**< between glBegin and glEnd: nothing may be injected */
    PP_GATE_SKIP = 1U << 5,   /**< no batch could be had for this frame: pass through until its end */
    PP_GATE_MARKER = 1U << 6, /**< the annotate API may end the frame: look at every action */
    PP_GATE_SCENE =
        1U << 7, /**< the renderer collects scenes, see deferred_renderer.h: all but draws and clears */
    PP_GATE_FIRST = 1U << 8, /**< and nothing was drawn yet into the one to come */
    PP_GATE_SENT = 1U << 9,  /**< work was handed over: another thread may have ended its frame since */
};

/** Window system that a context came from. */
enum pp_gl_winsys { PP_WINSYS_GLX, PP_WINSYS_EGL };

/** State that contexts of one share group see together. */
struct pp_gl_share {
    pthread_mutex_t lock;
    uint32_t refs;           /* guarded by the list lock */
    uint32_t epoch;          /* atomic: grows when an image was respecified, deleted or named */
    uint32_t programs;       /* atomic: grows when an application was linked or deleted */
    bool lists_have_queries; /* a display list with query commands exists; set once */
    bool lists_use_programs; /* a display list with glUseProgram exists; set once */
    bool lists_set_buffers;  /* a display list that changes draw buffers exists; set once */
    bool lists_are_open;     /* a display list with a glBegin or a glEnd alone exists; set once */
    struct pp_gl_map
        images; /* guarded by lock: texture name -> struct pp_gl_image, where the API cannot be asked */
    struct pp_gl_map sources; /* guarded by lock: shader or program name -> struct pp_gl_source */
    struct pp_gl_map lists;   /* guarded by lock: display list -> struct pp_gl_list */
};

/** What a context's renderer offers, and the device that it is to core. One per (API, version, renderer). */
struct pp_gl_device {
    struct pp_gl_device *next;
    /* immutable after create */
    struct pp_device *device;
    char key[512];
    struct pp_gl_sources sources;
    struct pp_device_source source[2];
    struct pp_gl_perf perf[PP_GL_PERFS];
    struct pp_event_source counter[PP_GL_PERFS];
    uint32_t perf_counter[PP_GL_PERFS]; /**< perf's number in counter; UINT32_MAX: it is not there */
    bool counts;                        /**< core has sets of counters to measure */
    bool reads;                         /**< brackets take snapshots by the CPU, too */
    bool serialize;                     /**< the GPU is idle before and after each bracket; see serialize.h */
    bool frames;                        /**< of that, whole frames: what counts the whole GPU is read there */
    bool timer;                         /**< TIMESTAMP queries work */
    bool flushes;                       /**< quirk: see deferred_renderer.h */
    uint32_t statistics;                /**< statistics in a bracket */
    GLenum statistic_target[PP_PIPELINE_STATISTICS]; /**< in the layout's order */
    /* atomic */
    uint64_t next_sample_ns; /**< when to sample the clocks again */
    bool biased;             /**< somebody measures or measured the empty bracket */
};

/** Something to draw to: a window, a pbuffer, or a context's own framebuffers where it has neither. */
struct pp_gl_surface {
    /* guarded by the list lock */
    struct pp_gl_surface *next;
    uint32_t refs;  /**< the list, contexts that draw to it, threads that presented it, calls under way */
    bool listed;    /**< pp_gl_surface_find() sees it */
    uint32_t looks; /**< of pp_gl_surface_idle() at it */
    /* immutable after create */
    enum pp_gl_winsys winsys;
    void *display;
    uintptr_t drawable;                    /**< 0: surfaceless; belongs to one context */
    bool presents;                         /**< a double-buffered window: swaps are its frames */
    const char *kind;                      /**< as in pp_gl_surface_info */
    struct pp_render_target render_target; /**< formats, samples; width and height below */
    uint64_t created_ns;
    uint8_t *base; /**< pp_session_base() then; NULL once its timeline is made */
    /* guarded by lock */
    pthread_mutex_t lock;
    char name[32];                /**< "window 1", in the order of their first work or swap; "" before */
    struct pp_timeline *timeline; /**< NULL until the first work or swap */
    struct pp_gl_device *device;
    uint64_t sync_ns;
    uint32_t pipelines_created;
    uint64_t pipeline_create_ns;
    bool gone;
    uint32_t frames;    /**< that ended; atomic: written under the lock */
    uint32_t presented; /**< frames of those that ended with a swap; atomic: written under the lock */
    /* the current thread's */
    uint32_t width;
    uint32_t height;
    uint32_t version;      /**< grows with every change of size */
    uint32_t sized_frames; /**< frames since the size was asked for */
    bool resize;           /**< a viewport larger than the known size was set */
    bool swapped;          /**< swaps are its frames from now on */
    uint8_t finishes;      /**< waits for a window before its first swap, up to a limit */
    bool marked;           /**< the annotate API's frame ends are its frames from now on */
    bool worked;           /**< work since the last frame end */
    bool ended;            /**< it has ended a frame of its own */
    uint32_t first_swap;   /**< pp_gl_thread.swaps at its first work */
};

/** A framebuffer object as last read. */
struct pp_gl_framebuffer {
    GLuint name;
    uint32_t version; /**< grows when the attachments differ */
    uint32_t epoch;   /**< of the share group when it was read */
    bool dirty;       /**< edited since */
    bool checked;     /**< `incomplete` is known */
    bool incomplete;  /**< the driver refuses to draw to it */
    pp_render_target_id render_target;
    uint32_t attachments;
    uint32_t role_bit[PP_MAX_ATTACHMENTS]; /**< attachment points in the shape's order */
    uint64_t signature;
};

/** One context. */
struct pp_gl_context {
    struct pp_tracker tracker; /* hot: first */
    uint32_t gate;
    bool other_unit; /**< the active texture unit is not the first */
    bool plain;      /**< brackets of the open frame's work are OpenGL's queries and nothing else */
    /* immutable after create */
    enum pp_gl_winsys winsys;
    void *display;
    void *handle;
    uint32_t visual; /**< X visual that it was made from, where that is how; else 0 */
    uint32_t number; /**< counts contexts of the process, from 1 */
    struct pp_gl_share *share;
    struct pp_gl_context *next; /* guarded by the list lock */
    /* the current thread's */
    struct pp_gl_surface *surface; /**< a reference */
    struct pp_gl_surface
        *own_surface; /**< for work without a surface; NULL until needed; another reference */
    bool set_up;      /**< what follows is valid */
    bool es;
    bool lost;
    bool compatible; /**< glBegin and display lists are there */
    bool has_dsa;
    bool has_separate_draw; /**< DRAW_FRAMEBUFFER is distinct from FRAMEBUFFER */
    bool has_draw_buffers;
    bool has_labels;     /**< KHR_debug names objects */
    bool has_ext_labels; /**< only EXT_debug_label does */
    bool has_debug;      /**< GL_DEBUG_OUTPUT can be switched */
    bool has_layers;
    bool release_keeps; /**< KHR_context_flush_control: releasing it must not flush, so nothing is asked then
                         */
    uint32_t version;   /**< major * 10 + minor */
    struct pp_gl_device *device;
    pp_string_id queue;
    struct pp_batch *batch; /**< of the open frame; NULL: none */
    uint32_t frames;        /**< of its surface when the frame was opened */
    struct pp_gl_pool pool;
    struct pp_gl_pending pending;
    struct pp_gl_perf_state perf;
    struct pp_gl_scene scene;
    struct pp_gl_alone alone;
    struct pp_gl_map framebuffers;
    struct pp_gl_framebuffer *draw_framebuffer; /**< NULL: the surface's */
    GLuint bound;                               /**< last bound for drawing, if the driver accepted it */
    bool bound_known;                           /**< false: ask */
    uint32_t discards;                          /**< passes that ended with an invalidation */
    uint32_t undefined;           /**< points of attachment invalidated since the last work; 0: none */
    GLuint undefined_in;          /**< framebuffer that they belong to */
    uint32_t groups_max;          /**< groups of KHR_debug that the driver takes */
    GLsizei message_max;          /**< bytes of a group's text from which on it is refused */
    struct pp_label_stack groups; /**< of KHR_debug, open in this context */
    const struct pp_label_stack *regions; /**< of the annotate API on the thread that has it current */
    pp_label_id label;                    /**< of both, while groups are open */
    uint32_t label_changes;               /**< regions->changes that `label` was made from */
    uint64_t marker_frames;               /**< pp_annotate_frames() last seen */
    GLuint program;                       /**< in use */
    GLuint named_program; /**< program whose name is known: named_as, as long as nothing below changed */
    GLuint named_pipeline;
    bool named_deleted; /**< glDeleteProgram was called for it */
    uint32_t named_epoch;
    uint32_t named_programs;
    pp_string_id named_as;
    GLuint pipeline_object; /**< program pipeline bound */
    bool list_work;         /**< a display list is being executed while compiled: one action */
    bool list_executes;     /**< the list that is being compiled is also executed */
    bool list_begun;        /**< the list that is being compiled is inside a glBegin */
    bool list_ends;         /**< the list that is being called ends the glBegin that is open */
    bool list_unsure;       /**< glNewList in what may be a glBegin that was refused: ask behind the glEnd */
    GLuint list_name;       /**< of the list that is being compiled, which is `list` */
    struct pp_gl_list list;
    struct pp_gl_list list_before; /**< the same before the glBegin that is open in it */
    bool may_be_begun;             /**< with PP_GATE_BEGIN: a list may have called glBegin, or not */
    bool close_due;         /**< the frame ended where nothing may be injected: close it as soon as one may */
    bool begin_action;      /**< glBegin opened an action */
    bool action_open;       /**< pp_gl_action_begin() opened one */
    bool fetching;          /**< a read-back that waits for its data: its brackets end when it has them */
    bool set_buffers;       /**< draw buffers were ever set */
    bool set_pixel_buffers; /**< so were buffers of pixels */
    GLenum feedback_kind;   /**< of primitives, as of the last glBeginTransformFeedback */
    bool feedback;          /**< transform feedback is active: the application in use may not change */
    uint8_t ends_inside;    /**< frame ends since the glBegin that is open */
    bool unpack_bound;      /**< a PIXEL_UNPACK_BUFFER is bound */
    bool pack_bound;
    bool query_buffer_bound; /**< the application bound a QUERY_BUFFER */
    uint64_t wait_ns;        /**< when a call that may wait, and does, began; 0: none */
    uint32_t waits_left;     /**< releases at which we may still wait for results */
    /* guarded by the list lock */
    bool current;   /**< on some thread */
    bool destroyed; /**< freed when released */
};

/** What a thread knows. One small block of TLS. */
struct pp_gl_thread {
    struct pp_gl_context *ctx;       /**< what hooks act on; NULL: pass through */
    struct pp_gl_context *current;   /**< what is current */
    uint32_t inside;                 /**< a window-system call is under way: nested calls pass through */
    struct pp_gl_surface *presenter; /**< what this thread swapped last, a reference; NULL: nothing yet */
    uint32_t swaps;                  /**< swaps of this thread */
};

extern PP_HIDDEN __thread struct pp_gl_thread pp_gl_tls;

/**
 * A window-system call begins: hooks pass through until pp_gl_leave().
 *
 * @return The session; NULL: profiling is off or the call is nested: call the real function and nothing else.
 */
struct pp_session *pp_gl_enter(void);
void pp_gl_leave(void);

/** The application makes a context current, or none, in a call that pp_gl_enter() passed through: if that is
 * because this is a child of a profiled process, say so, once. */
void pp_gl_passed_through(const void *context);

/** Say in this process's session.json if one that was forked from it drew. */
void pp_gl_note_children(void);

/** The context of a handle, made if unknown. @p share_handle is the context that it shares with (may be
 * NULL).
 * @return NULL: no memory. */
struct pp_gl_context *pp_gl_context_find(enum pp_gl_winsys winsys, void *display, void *handle,
                                         void *share_handle);

/** The same for a handle that was just created: what was known under it is forgotten. */
struct pp_gl_context *pp_gl_context_created(enum pp_gl_winsys winsys, void *display, void *handle,
                                            void *share_handle);

/** The application is about to make something else current here: close what is open. @p release nothing
 * follows.
 */
void pp_gl_context_detach(bool release);

/** A context became current on this thread; @p surface, whose reference it takes over, may be NULL
 * (surfaceless). */
void pp_gl_context_attach(struct pp_gl_context *ctx, struct pp_gl_surface *surface);

/** Nothing is current any more. */
void pp_gl_context_none(void);

/** Does a context that is about to be destroyed, and that nobody has current, still wait for results that
 * could be read in it? @return It; NULL: no. */
struct pp_gl_context *pp_gl_context_waits(enum pp_gl_winsys winsys, void *display, void *handle);

/** Read them. On a thread of ours, on which the context has been made current for that; waits a second at
 * most. */
void pp_gl_context_read_last(struct pp_gl_context *ctx);

/** The application destroys a context (before the real call). */
void pp_gl_context_destroy(enum pp_gl_winsys winsys, void *display, void *handle);

/** A display was closed or terminated: its handles may come back as others. @p lost its contexts are gone
 * with it, even the current ones, and must not be touched again. */
void pp_gl_display_closed(void *display, bool lost);

/** Read the context's abilities and announce its device, once. Outside glBegin..glEnd. @return false:
 * profiling stopped. */
bool pp_gl_context_set_up(struct pp_gl_context *ctx);

/** Does the current context have an extension? Full name. */
bool pp_gl_has_extension(const struct pp_gl_context *ctx, const char *name);

#endif
