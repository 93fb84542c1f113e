/** @file
 * The tracks of a trace, and the slices on their way to them: in the order of their begins, for rows of a
 * session come only nearly in order; in lanes where they overlap; and with regions of debug labels, where
 * work that follows each other with the same label is one slice. Knows no file. */
#ifndef PP_CLI_TRACE_TRACE_TRACKS_H
#define PP_CLI_TRACE_TRACE_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/trace/trace_format.h"

struct pp_trace_tracks;
struct pp_trace_waiting;

/** Lanes of a group at most. Slices without a free lane are left out, and counted. */
#define PP_TRACE_LANES 16U

/** A slice that waits, with what decides its turn. */
struct pp_trace_turn {
    int64_t start_ns;
    uint64_t serial; /**< slices with the same begin keep their order */
    struct pp_trace_waiting *waiting;
};

/** Sizes of memory that is used again. */
#define PP_TRACE_SPARE_SIZES 16U

/** The slices of one group, such as a queue. Begin with sink, data and zeros; trace_lanes_finish(). */
struct pp_trace_lanes {
    /** Takes the slices in order. @param lane From 0. @return 0, -errno. */
    int (*sink)(void *data, unsigned lane, const struct pp_trace_slice *slice);
    void *data;                  /**< for sink(); borrowed */
    struct pp_trace_turn *queue; /**< slices that came in order; owned */
    size_t head, tail, cap;      /**< those that wait: from head to tail */
    struct pp_trace_turn *late;  /**< slices that came after later ones: a heap, the earliest first; owned */
    size_t lates, late_cap;
    size_t bytes; /**< of the slices that wait */
    uint64_t serial;
    struct pp_trace_waiting *spare[PP_TRACE_SPARE_SIZES]; /**< unused memory by size; owned */
    size_t spare_bytes;
    int64_t end_ns[PP_TRACE_LANES]; /**< of the last slice of each lane */
    unsigned lanes;
    uint64_t left_out; /**< slices without a free lane */
};

/** Regions inside of each other that are shown. */
#define PP_TRACE_LABEL_DEPTH 16U

/** A region that is open. */
struct pp_trace_region {
    char *name; /**< owned */
    int64_t start_ns, end_ns;
};

/** Regions. Begin with sink, data and zeros; trace_labels_finish(). */
struct pp_trace_labels {
    /** Takes a region that ended. @param depth From 0. @return 0, -errno. */
    int (*sink)(void *data, size_t depth, const struct pp_trace_slice *region);
    void *data; /**< for sink(); borrowed */
    struct pp_trace_region region[PP_TRACE_LABEL_DEPTH];
    size_t depth;
    int64_t frame; /**< that the open regions are in */
};

/** What the tracks of a group show; they are shown in this order. */
enum pp_trace_place {
    PP_TRACE_MARKS,
    PP_TRACE_FRAMES,
    PP_TRACE_CPU,
    PP_TRACE_GPU_FRAMES,
    PP_TRACE_PASSES,
    PP_TRACE_DRAWS,
    PP_TRACE_COUNTERS,
};

/** Slices of one kind, such as the passes of a queue: a track for each lane, and for each depth of labels. */
struct pp_trace_group {
    struct pp_trace_tracks *tracks; /**< borrowed */
    enum pp_trace_place place;
    char *name; /**< owned */
    struct pp_trace_lanes lanes;
    struct pp_trace_labels labels;
    uint32_t track[PP_TRACE_LANES];             /**< ids; 0: there is none yet */
    uint32_t label_track[PP_TRACE_LABEL_DEPTH]; /**< likewise */
};

/** All tracks. Begin with the format and zeros; pp_trace_tracks_finish(). */
struct pp_trace_tracks {
    struct pp_trace_format *format; /**< borrowed */
    struct pp_trace_group **group;  /**< owned */
    size_t groups, cap;
    uint32_t last_id;
};

/** Find a group by what it shows and by its name, or begin it. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_trace_tracks_group(struct pp_trace_tracks *tracks,
                                                              enum pp_trace_place place, const char *name,
                                                              struct pp_trace_group **ret);

/** Begin a track of its own. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_trace_tracks_begin(struct pp_trace_tracks *tracks,
                                                              enum pp_trace_place place, const char *name,
                                                              const char *unit, uint32_t *ret_id);

/** Add a slice to a group. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_trace_group_add(struct pp_trace_group *group,
                                                           const struct pp_trace_slice *slice);

/** Write all slices that wait. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_trace_tracks_flush(struct pp_trace_tracks *tracks);

/** Slices without a free lane, which were left out. */
uint64_t pp_trace_tracks_left_out(const struct pp_trace_tracks *tracks);

/** Free everything, but not the format. */
void pp_trace_tracks_finish(struct pp_trace_tracks *tracks);

#endif
