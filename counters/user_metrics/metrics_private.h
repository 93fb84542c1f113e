/** @file
 * Inside of metrics_file.h: what a file consists of, and who reads which part of it. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_PRIVATE_H
#define PP_COUNTERS_USER_METRICS_METRICS_PRIVATE_H

#include <stdbool.h>

#include "counters/user_metrics/metrics_file.h"

/** A section; the first one is what stands before any header. Text is borrowed from the file's cells. */
struct pp_metrics_section {
    const char *gpu;               /**< pattern, or the name of a GPU of its own */
    const char *like;              /**< NULL: no GPU of its own */
    uint32_t line, column, length; /**< of `like`, else of `gpu`, for messages */
    uint32_t product;
    struct pp_mali_config config; /**< 0: as the GPU it is like */
};

/** A `counter` line of a GPU of its own. */
struct pp_metrics_counter {
    struct pp_mali_counter counter;
    uint32_t section;
};

/** A metric and where it belongs. */
struct pp_metrics_entry {
    struct pp_metrics_item item;
    uint32_t section;
};

/** A GPU of its own: the tables that `gpu` borrows. */
struct pp_metrics_gpu {
    struct pp_mali_gpu gpu;
    struct pp_mali_counter *counter;
    struct pp_mali_metric *metric;
};

/** A growing array. */
struct pp_metrics_array {
    void *data;
    size_t length, room;
};

struct pp_metrics_file {
    char *name;
    char *text;  /**< as it was, for messages */
    char *cells; /**< the same bytes cut into strings */
    size_t size;
    struct pp_metrics_array sections; /**< struct pp_metrics_section */
    struct pp_metrics_array entries;  /**< struct pp_metrics_entry */
    struct pp_metrics_array counters; /**< struct pp_metrics_counter */
    struct pp_metrics_array gpus;     /**< struct pp_metrics_gpu * */
};

/** Make room for one more element of @p size bytes. @return It, zeroed; NULL: no memory. */
void *pp_metrics_append(struct pp_metrics_array *array, size_t size);

/** Write an error about a place of the file. @return @p code. */
__attribute__((format(printf, 7, 8))) int pp_metrics_fail(const struct pp_metrics_file *file, int code,
                                                          uint32_t line, uint32_t column, uint32_t length,
                                                          struct pp_metrics_error *error, const char *format,
                                                          ...);

/** Does a section hold for a GPU of this name? The metrics of a GPU of its own are that GPU's. */
bool pp_metrics_section_applies(const struct pp_metrics_section *section, const char *gpu);

/** Read the lines of file->cells into sections, entries and counters. @retval 0, -EINVAL, -ENOMEM. */
int pp_metrics_parse_lines(struct pp_metrics_file *file, struct pp_metrics_error *error);

/** Make and check the file's own GPUs. @retval 0, -EINVAL, -ENOENT, -ENOMEM. */
int pp_metrics_make_gpus(struct pp_metrics_file *file, struct pp_metrics_error *error);

/** Free them. */
void pp_metrics_free_gpus(struct pp_metrics_file *file);

static inline struct pp_metrics_section *
pp_metrics_sections(const struct pp_metrics_file *file)
{
    return file->sections.data;
}

static inline struct pp_metrics_entry *
pp_metrics_entries(const struct pp_metrics_file *file)
{
    return file->entries.data;
}

#endif
