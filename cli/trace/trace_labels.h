/** @file
 * Regions of debug labels in time: work that follows each other with the same label is one slice. Knows no
 * file. */
#ifndef PP_CLI_TRACE_TRACE_LABELS_H
#define PP_CLI_TRACE_TRACE_LABELS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/trace/trace_format.h"

/** Regions inside of each other that are shown. */
#define PP_TRACE_LABEL_DEPTH 16U

/** A region that is open. */
struct pp_trace_region {
    char *name; /**< owned */
    int64_t start_ns, end_ns;
};

/** Regions. Begin with sink, data and zeros; pp_trace_labels_finish(). */
struct pp_trace_labels {
    /** Takes a region that ended. @param depth From 0. @return 0, -errno. */
    int (*sink)(void *data, size_t depth, const struct pp_trace_slice *region);
    void *data; /**< for sink(); borrowed */
    struct pp_trace_region region[PP_TRACE_LABEL_DEPTH];
    size_t depth;
    int64_t frame; /**< that the open regions are in */
};

/** Work with a label path (docs/formats/session.md), later than all before. @param path "": no region.
 * @retval 0, -ENOMEM, or what sink() returned. */
__attribute__((warn_unused_result)) int pp_trace_labels_add(struct pp_trace_labels *labels, const char *path,
                                                            int64_t frame, int64_t start_ns, int64_t end_ns);

/** End all open regions. @retval 0, or what sink() returned. */
__attribute__((warn_unused_result)) int pp_trace_labels_flush(struct pp_trace_labels *labels);

/** Free everything. */
void pp_trace_labels_finish(struct pp_trace_labels *labels);

#endif
