/** @file
 * GL contexts and the surfaces that they draw to, as the application made them current. Only the thread that
 * has a context current touches its state; OpenGL guarantees that this is one thread. The lists of contexts
 * and surfaces have a lock that is taken at make-current, destroy and swap. See also draw.h,
 * readback.h, render_target.h. */
#ifndef PP_HOOKS_BASE_CONTEXT_H
#define PP_HOOKS_BASE_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/engine/look.h"
#include "core/engine/tracker.h"
#include "core/session/session.h"
#include "counters/sources/builtin.h"
#include "hooks/base/display_list.h"
#include "hooks/base/driver_faults.h"
#include "hooks/base/gate.h"
#include "hooks/base/map.h"
#include "hooks/base/measured.h"
#include "hooks/base/perf.h"

/** Window system that a context came from. */
enum pp_gl_winsys { PP_WINSYS_GLX, PP_WINSYS_EGL };

/** State that the contexts of one share group have in common. */
struct pp_gl_share {
    pthread_mutex_t lock;
    uint32_t refs;                  /* guarded by the list lock */
    _Atomic uint32_t epoch;         /* grows when an image was respecified, deleted or named */
    _Atomic uint32_t programs;      /* grows when a shader program was linked or deleted */
    atomic_bool lists_have_queries; /* a display list with query commands exists; set once */
    atomic_bool lists_use_programs; /* a display list with glUseProgram exists; set once */
    atomic_bool lists_set_buffers;  /* a display list that changes draw buffers exists; set once */
    atomic_bool lists_are_open;     /* a display list with an unpaired glBegin or glEnd exists; set once */
    struct pp_gl_map
        images; /* guarded by lock: texture name -> struct pp_gl_image, where the API cannot be asked */
    struct pp_gl_map sources; /* guarded by lock: shader or shader program name -> struct pp_gl_source */
    struct pp_gl_map lists;   /* guarded by lock: display list -> struct pp_gl_list */
};

/** What a context's renderer offers, and its device in core. One per (API, version, renderer). */
struct pp_gl_device {
    struct pp_gl_device *next;
    /* immutable after create */
    struct pp_device *device;
    char key[512];
    struct pp_builtin_sources sources;
    struct pp_device_source source[2];
    struct pp_gl_perf perf[PP_GL_PERFS];
    struct pp_event_source counter[PP_GL_PERFS];
    uint32_t perf_counter[PP_GL_PERFS]; /**< index of each extension's source in counter[]; UINT32_MAX: not
 available */
    bool has_counter_sets;              /**< core has counter sets to measure */
    bool cpu_snapshots;                 /**< brackets also take snapshots by the CPU */
    bool serialize;                     /**< the GPU is idle before and after each bracket; see serialize.h */
    bool whole_frames;                  /**< under `serialize`, for whole frames: counters of the whole GPU
                                       are read there */
    bool has_timestamps;                /**< TIMESTAMP queries work */
    bool is_deferred;                   /**< the renderer is deferred: see deferred_renderer.h */
    struct pp_gl_driver_faults faults;
    struct pp_gl_report_wait report_wait;
    uint32_t statistics;          /**< number of statistics in a bracket */
    uint32_t graphics_statistics; /**< those before compute shader invocations: see statistics.h */
    GLenum statistic_target[PP_PIPELINE_STATISTICS]; /**< in the layout's order */
    _Atomic uint64_t next_sample_ns;                 /**< when to sample the clocks again */
    atomic_bool results_fail;                        /**< results did not come although the GPU was idle */
    atomic_bool reported_apart;                      /**< dispatches without times were reported */
    atomic_bool biased;                              /**< a thread measures or measured the empty bracket */
};

/** Something to draw to: a window, a pbuffer, or a context's own framebuffers where it has neither. */
struct pp_gl_surface {
    /* guarded by the list lock */
    struct pp_gl_surface *next;
    uint32_t refs;  /**< held by the list, contexts that draw to it, threads that presented it, calls under
                         way */
    bool listed;    /**< pp_gl_surface_find() finds it */
    uint32_t looks; /**< how often pp_gl_surface_idle() returned it */
    /* immutable after create */
    enum pp_gl_winsys winsys;
    void *display;
    uintptr_t drawable;                    /**< 0: surfaceless; belongs to one context */
    bool presents;                         /**< a double-buffered window: swaps are its frames */
    const char *kind;                      /**< as in pp_gl_surface_info */
    struct pp_render_target render_target; /**< formats, samples; width and height below */
    struct xcb_connection_t *connection;   /**< to ask the X server for the size (x11.h); NULL: not known */
    uint32_t x_drawable;                   /**< of that connection: the window, or the pixmap */
    bool keeps_size;                       /**< pbuffers, pixmaps of GLX; the connection has ended */
    uint64_t created_ns;
    uint8_t *first_system_counters; /**< pp_session_take_system_counters() at creation; NULL once the timeline
                                       is made */
    /* guarded by lock */
    pthread_mutex_t lock;
    char name[32];                /**< "window 1", in the order of their first work or swap; "" before */
    struct pp_timeline *timeline; /**< NULL until the first work or swap */
    struct pp_gl_device *device;
    uint64_t sync_ns;
    uint32_t pipelines_created;
    uint64_t pipeline_create_ns;
    bool gone;
    _Atomic uint32_t frames;    /**< frames that ended; written under the lock */
    _Atomic uint32_t presented; /**< frames of those that ended with a swap; written under the lock */
    /* belong to the current thread */
    uint32_t width;
    uint32_t height;
    uint32_t version;      /**< grows with every change of size */
    uint32_t sized_frames; /**< frames since the size was asked for */
    uint32_t size_asked;   /**< a question for the size that has no answer yet (x11.h); 0: none */
    bool resize;           /**< a viewport of another size than the known one was set */
    /** Sizes of viewports: the one that set `resize`, the one because of which the server was asked last, and
     * those after which the answer was the known size. */
    struct pp_gl_viewport {
        uint32_t width, height;
    } hint, asked_for, part[4];
    uint8_t parts;       /**< how many parts are noted */
    uint8_t ask_shift;   /**< the server is asked 2^N times less often, because there are many parts */
    bool swapped;        /**< swaps end its frames from now on */
    uint8_t finishes;    /**< waits for a window before its first swap, up to a limit */
    bool marked;         /**< the annotate API's frame ends end its frames from now on */
    bool worked;         /**< there was work since the last frame end */
    bool ended;          /**< the surface has ended a frame itself */
    uint32_t first_swap; /**< pp_gl_thread.swaps at its first work */
};

/** A framebuffer object as last read. */
struct pp_gl_framebuffer {
    GLuint name;
    uint32_t version; /**< grows when the attachments differ */
    uint32_t epoch;   /**< epoch of the share group when it was read */
    bool dirty;       /**< attachments changed since it was read */
    bool checked;     /**< `incomplete` is known */
    bool incomplete;  /**< the driver refuses to draw to the framebuffer */
    pp_render_target_id render_target;
    uint32_t attachments;
    uint32_t role_bit[PP_MAX_ATTACHMENTS]; /**< attachment points in the render target's order */
    uint64_t signature;
};

/** What a context's driver can do. Immutable after pp_gl_context_set_up(). */
struct pp_gl_caps {
    bool es;
    bool compatible; /**< glBegin and display lists exist */
    bool dsa;
    bool separate_draw; /**< DRAW_FRAMEBUFFER is distinct from FRAMEBUFFER */
    bool draw_buffers;
    bool labels;       /**< KHR_debug names objects */
    bool ext_labels;   /**< only EXT_debug_label does */
    bool debug_output; /**< GL_DEBUG_OUTPUT can be switched */
    bool layers;
    bool fences;         /**< glFenceSync */
    bool release_keeps;  /**< KHR_context_flush_control: releasing the context must not flush, so no results
                              are asked for then */
    uint32_t version;    /**< major * 10 + minor */
    uint32_t groups_max; /**< depth of KHR_debug groups that the driver accepts */
    GLsizei message_max; /**< bytes of a group's text from which the driver refuses the group */
};

/** Framebuffer objects of a context. */
struct pp_gl_framebuffers {
    struct pp_gl_map known;         /**< name -> struct pp_gl_framebuffer */
    struct pp_gl_framebuffer *draw; /**< NULL: the surface's */
    GLuint bound;        /**< framebuffer that was bound last for drawing, if the driver accepted it */
    bool bound_known;    /**< false: ask the driver */
    bool set_buffers;    /**< draw buffers were ever set */
    uint32_t discards;   /**< passes that ended with an invalidation */
    uint32_t undefined;  /**< attachment points invalidated since the last action; 0: none */
    GLuint undefined_in; /**< framebuffer of those attachment points */
};

/** Debug groups of a context, and the regions of the annotate API around them. */
struct pp_gl_labels {
    struct pp_label_stack groups; /**< KHR_debug groups that are open in the context */
    const struct pp_label_stack
        *regions;          /**< of the annotate API on the thread that has the context current */
    pp_label_id path;      /**< label path of groups and regions, while groups are open */
    uint32_t path_changes; /**< value of regions->changes that `path` was made from */
};

/** The shader program in use, and the name that was found for it. */
struct pp_gl_programs {
    GLuint used;
    GLuint pipeline;       /**< program pipeline that is bound */
    GLuint named;          /**< shader program whose name is named_as, as long as nothing below changed */
    GLuint named_pipeline; /**< program pipeline at that time */
    bool named_deleted;    /**< glDeleteProgram was called for `named` */
    uint32_t named_epoch;
    uint32_t named_programs;
    pp_string_id named_as;
};

/** The display list that is compiled or called. */
struct pp_gl_lists {
    bool action;   /**< the list is executed while it is compiled: one action */
    bool executes; /**< the list that is being compiled is also executed */
    bool begun;    /**< the list that is being compiled is inside a glBegin */
    bool ends;     /**< the list that is being called ends the glBegin that is open */
    bool unsure;   /**< glNewList was called inside a glBegin that the driver may have refused: ask
                        after the glEnd */
    GLuint name;   /**< of the list that is being compiled */
    struct pp_gl_list content; /**< what that list contains so far */
    struct pp_gl_list before;  /**< `content` before the glBegin that is open in it */
};

/** glBegin..glEnd. */
struct pp_gl_begin {
    bool unsure; /**< with PP_GATE_BEGIN: a list may have called glBegin, or the driver may have refused
                      it; ask before calls that must not be inside one */
    uint8_t frame_ends;   /**< frame ends since the glBegin that is open */
    bool feedback;        /**< transform feedback is active: the shader program in use may not change */
    GLenum feedback_kind; /**< of primitives, as of the last glBeginTransformFeedback */
};

/** Buffers that the application bound, as far as they change what calls mean. */
struct pp_gl_buffers {
    bool pixel_set;    /**< pixel buffers were ever set */
    bool unpack_bound; /**< a PIXEL_UNPACK_BUFFER is bound */
    bool pack_bound;
    bool query_bound; /**< the application bound a QUERY_BUFFER */
};

/** The open frame of a context. */
struct pp_gl_frame {
    uint32_t number;  /**< frames of its surface when the frame was opened */
    bool close_due;   /**< the frame ended where nothing may be injected: close it as soon as one may */
    uint64_t markers; /**< pp_annotate_frames() last seen */
};

/** Values of pp_gl_context.ends. */
enum {
    PP_GL_ENDS_BY_CLOCK =
        1U << 0, /**< a read-back waits for its data: its brackets end when the data is there */
    PP_GL_ENDS_COLLECTED =
        1U << 1, /**< the driver may keep vertices of glBegin: see pp_gl_submit_collected() */
};

/** One context. */
struct pp_gl_context {
    struct pp_tracker tracker; /* hot: first */
    uint32_t gate;
    bool other_unit;   /**< the active texture unit is not the first one */
    bool only_queries; /**< action brackets of the open frame need only OpenGL queries */
    /* immutable after create */
    enum pp_gl_winsys winsys;
    void *display;
    void *handle;
    uint32_t visual; /**< X visual that the context was made from; 0: not made from a visual */
    uint32_t number; /**< number of the context in the process, from 1 */
    struct pp_gl_share *share;
    struct pp_gl_context *next; /* guarded by the list lock */
    /* the current thread's */
    struct pp_gl_surface *surface; /**< a reference */
    struct pp_gl_surface
        *surfaceless; /**< for work without a surface; NULL until needed; another reference */
    bool set_up;      /**< caps, device and queue are valid */
    bool lost;
    struct pp_gl_caps caps;
    struct pp_gl_device *device;
    pp_string_id queue;
    struct pp_batch *batch; /**< of the open frame; NULL: none */
    struct pp_gl_frame frame;
    struct pp_gl_pool pool;
    struct pp_gl_pending pending;
    struct pp_gl_perf_state perf;
    struct pp_gl_scene scene;
    struct pp_gl_serialize serialize;
    struct pp_gl_framebuffers fb;
    struct pp_gl_labels labels;
    struct pp_gl_programs program;
    struct pp_gl_lists list;
    struct pp_gl_begin begin;
    struct pp_gl_buffers buffers;
    bool action_open;    /**< pp_gl_action_begin() opened one */
    uint8_t ends;        /**< PP_GL_ENDS_*: what the ends of brackets need besides the queries */
    uint64_t wait_ns;    /**< when a call that waits began; 0: none */
    struct pp_look look; /**< by glClientWaitSync() and the like */
    uint64_t look_ns;    /**< when the look under way began */
    uint32_t waits_left; /**< releases at which passprobe may still wait for results */
    /* guarded by the list lock */
    bool current;   /**< current on a thread */
    bool destroyed; /**< freed when released */
};

/** What the shim keeps for each thread: one small block of thread-local storage. */
struct pp_gl_thread {
    struct pp_gl_context *ctx;       /**< context that hooks measure; NULL: pass through */
    struct pp_gl_context *current;   /**< current context */
    uint32_t inside;                 /**< a window-system call is under way: nested calls pass through */
    struct pp_gl_surface *presenter; /**< surface that this thread swapped last, a reference; NULL: none */
    uint32_t swaps;                  /**< swaps of this thread so far */
};

extern __attribute__((visibility("hidden"))) __thread struct pp_gl_thread pp_gl_tls;

#endif
