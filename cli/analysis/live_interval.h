/** @file
 * Module: what the frames of an interval cost, while the application runs, from frames.csv and passes.csv as
 * they grow. Prints nothing. Printed by print/running.h. */
#ifndef PP_CLI_ANALYSIS_LIVE_INTERVAL_H
#define PP_CLI_ANALYSIS_LIVE_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/analysis/frame_table.h"
#include "cli/session/follow.h"

/** Size of a name, and most passes and surfaces of an interval; others do not count. */
#define PP_LIVE_NAME     64U
#define PP_LIVE_PASSES   256U
#define PP_LIVE_SURFACES 8U
/** Passes that the figures name. */
#define PP_LIVE_SHOWN 2U

/** Columns of a file that are read. */
#define PP_LIVE_COLUMNS 5U

/** GPU time of a pass in the interval. */
struct pp_live_interval_pass {
    char id[20];
    char name[PP_LIVE_NAME]; /**< its label, or else its name; as the file has it */
    double gpu_ns;
};

/** A frame of the interval. */
struct pp_live_interval_frame {
    double time_ns, gpu_ns; /**< frame time and GPU busy; NaN: not measured */
    size_t surface;
};

/** A surface, by its name. */
struct pp_live_interval_surface {
    char name[PP_LIVE_NAME];
    double newest_ns; /**< begin of its newest frame */
};

/** A session being read. Begin with all zero. */
struct pp_live_interval {
    struct pp_follow frames_file, passes_file;
    struct pp_live_interval_frame *frame; /**< of this interval; owned */
    size_t frames, frame_cap;
    struct pp_live_interval_surface surface[PP_LIVE_SURFACES];
    size_t surfaces;
    struct pp_live_interval_pass pass[PP_LIVE_PASSES];
    size_t passes;
    double passes_ns;                 /**< GPU time of all passes */
    double newest_pass;               /**< greatest frame number in passes.csv */
    double recent[PP_NEIGHBOURS_MAX]; /**< frame times of the last frames, also of earlier intervals */
    size_t recents;                   /**< frames so far; recent[] is used in turn */
    bool begun;                       /**< there was a frame */
    size_t column[PP_LIVE_COLUMNS];   /* of the file that is read */
};

/** What an interval's frames cost: those of the surface with the most of them. NaN: not measured. */
struct pp_live_interval_figures {
    size_t frames;
    double fps;
    double p99_ns; /**< of frame times, type 7, however few they are */
    double gpu_ns; /**< mean GPU busy */
    size_t slow;   /**< slow frames, by the rule of frame_table.h; neighbours are the last 150 frames */
    struct {
        char name[PP_LIVE_NAME];
        double percent; /**< of the GPU time of all passes */
    } pass[PP_LIVE_SHOWN];
    size_t passes; /**< in pass[] */
};

/** Read the rows that are new in a session directory. Errors of the files are left for the summary.
 * @param passes Read passes, too: not where only some frames have rows of them. */
void pp_live_interval_read(struct pp_live_interval *interval, int dir_fd, bool passes);

/** Compute the figures of all frames since the last call, and begin the next interval. @retval 0, -ENOMEM. */
__attribute__((warn_unused_result)) int pp_live_interval_take(struct pp_live_interval *interval,
                                                              struct pp_live_interval_figures *ret);

/** Free everything; the struct is all zero then. */
void pp_live_interval_finish(struct pp_live_interval *interval);

#endif
