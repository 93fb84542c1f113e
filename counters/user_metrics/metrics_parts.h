/** @file
 * The parts of a metrics file, for the files of this folder only. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_PARTS_H
#define PP_COUNTERS_USER_METRICS_METRICS_PARTS_H

#include <stdbool.h>

#include "counters/user_metrics/metrics_file.h"

/** A section. The first section holds the lines before any header. Text is borrowed from
 * pp_metrics_file.cells. */
struct pp_metrics_section {
    const char *gpu;               /**< pattern; or the name of the GPU that the section defines */
    const char *like;              /**< the GPU that the new GPU is like; NULL: the section defines no GPU */
    uint32_t line, column, length; /**< of `like`, else of `gpu`, for messages */
    uint32_t product;
    struct pp_mali_config config; /**< members that are 0: as of the GPU that it is like */
};

/** A `counter` line of a section that defines a GPU. */
struct pp_metrics_counter {
    struct pp_mali_counter counter;
    uint32_t section;
};

/** A metric and its section. */
struct pp_metrics_entry {
    struct pp_metrics_item item;
    uint32_t section;
};

/** A GPU that the file defines, with the tables that `gpu` borrows. */
struct pp_metrics_gpu {
    struct pp_mali_gpu gpu;
    struct pp_mali_counter *counter;
    struct pp_mali_metric *metric;
};

/** A growing array. */
struct pp_metrics_array {
    void *data;
    size_t length, capacity;
};

/** A file of metrics. */
struct pp_metrics_file {
    char *name;
    char *text;  /**< the unchanged text, for messages */
    char *cells; /**< a copy of the text, cut into strings */
    size_t size;
    struct pp_metrics_array sections; /**< struct pp_metrics_section */
    struct pp_metrics_array entries;  /**< struct pp_metrics_entry */
    struct pp_metrics_array counters; /**< struct pp_metrics_counter */
    struct pp_metrics_array gpus;     /**< struct pp_metrics_gpu * */
};

/** Append an element of @p size bytes. @return The element, zeroed; NULL: no memory. */
void *pp_metrics_append(struct pp_metrics_array *array, size_t size);

/** Write a message about a place of the file. @return @p code. */
__attribute__((format(printf, 7, 8))) int pp_metrics_fail(const struct pp_metrics_file *file, int code,
                                                          uint32_t line, uint32_t column, uint32_t length,
                                                          struct pp_metrics_error *error, const char *format,
                                                          ...);

/** Does a section apply to a GPU of this name? A section that defines a GPU applies to no other: its metrics
 * belong to that GPU. */
bool pp_metrics_section_applies(const struct pp_metrics_section *section, const char *gpu);

/** The elements of file->sections. */
static inline struct pp_metrics_section *
pp_metrics_sections(const struct pp_metrics_file *file)
{
    return file->sections.data;
}

/** The elements of file->entries. */
static inline struct pp_metrics_entry *
pp_metrics_entries(const struct pp_metrics_file *file)
{
    return file->entries.data;
}

#endif
