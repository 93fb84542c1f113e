/** @file
 * The user's metrics and GPUs, from a text file (`--metrics FILE`; docs/formats/metric-language.md). Lines
 * are `name [unit] = formula  # description`, in sections `[gpu PATTERN]` or `[gpu NAME like MALI-GPU]`.
 * Every message about a mistake has file, line, column and the line itself. Knows no graphics API; reads one
 * file.
 *
 * For metrics_file.c only: the grammar of the lines of a metrics file.
 *
 * The text of counters/gpus/generic.metrics that tools/gen_text.py generates, for metrics_file.c.
 *
 * The parts of a metrics file, for the files of this folder only.
 *
 * Messages about a place in a text, in the form that compilers use. Knows no graphics API, no file, no
 * thread. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_FILE_H
#define PP_COUNTERS_USER_METRICS_METRICS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali_decode.h"
#include "counters/metric/metric_eval.h"
#include "counters/snapshot/value.h"
#include "counters/user_metrics/metrics_gpu.h"

/** A mistake in a file. */
struct pp_metrics_error {
    uint32_t line, column; /**< from 1, columns in bytes; 0: the file as a whole */
    char text[640]; /**< "FILE:LINE:COLUMN: what is wrong", then the line and a line that underlines the
                       place; without a final newline */
};

/** One metric of a file. Text is borrowed from the file. */
struct pp_metrics_item {
    const char *name;
    const char *unit;        /**< "" if none was given */
    const char *formula;     /**< infix */
    const char *description; /**< "" if none was given */
    enum pp_unit unit_id;    /**< PP_UNIT_COUNT for ratios ("bytes/cycle") and events */
    uint32_t line;           /**< where it is defined */
    uint32_t column;         /**< where its formula begins */
};

/** A file that was read: immutable, may be shared between threads. */
struct pp_metrics_file;

/**
 * Read metrics from text. Formulas are checked when they are compiled: only then the names are known. The
 * formulas of a GPU that the file defines are checked here.
 *
 * Ownership: *ret_file is the caller's, for pp_metrics_file_destroy(); @p text is copied. Allocates.
 *
 * @param name     What the file is called in messages.
 * @param text     The content; need not be terminated.
 * @param size     Bytes of the text.
 * @param ret_file Set on success.
 * @param error    Filled on -EINVAL and -ENOENT; may be NULL.
 * @retval 0       Read.
 * @retval -EINVAL A mistake in the text.
 * @retval -ENOENT A formula uses an unknown name, or a GPU is like an unknown GPU.
 * @retval -EFBIG  More than 4 MiB.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_metrics_file_parse(const char *name, const char *text, size_t size,
                                                              struct pp_metrics_file **ret_file,
                                                              struct pp_metrics_error *error);

/** Read metrics from a file. As pp_metrics_file_parse(); else -errno of open() or read(), with a message in
 * error->text. */
__attribute__((warn_unused_result)) int
pp_metrics_file_load(const char *path, struct pp_metrics_file **ret_file, struct pp_metrics_error *error);

/** Read the built-in metrics for any GPU: ratios of pipeline statistics (counters/gpus/generic.metrics). As
 * pp_metrics_file_parse(). */
__attribute__((warn_unused_result)) int pp_metrics_file_builtin(struct pp_metrics_file **ret_file);

/** Read the argument of `--metrics`: "generic" is pp_metrics_file_builtin(), any other text
 * pp_metrics_file_load(). */
__attribute__((warn_unused_result)) int
pp_metrics_file_open(const char *text, struct pp_metrics_file **ret_file, struct pp_metrics_error *error);

/** Free the memory of a file; NULL is fine. */
void pp_metrics_file_destroy(struct pp_metrics_file *file);

/**
 * The @p index-th metric of a file, of any section.
 *
 * @param ret_gpu Pattern of the metric's section, or name of the GPU that the section defines; "*" before any
 *                section.
 * @return NULL past the last.
 */
const struct pp_metrics_item *pp_metrics_file_at(const struct pp_metrics_file *file, size_t index,
                                                 const char **ret_gpu);

/**
 * Select the metrics that apply to a GPU: those before any section, and those of sections whose pattern
 * matches. The metrics of a GPU that the file defines belong to that GPU (pp_metrics_file_mali()).
 *
 * @param gpu       Name of the GPU, from a driver or from passprobe; upper and lower case are equal.
 * @param sections  True: leave out the metrics before any section, which use columns of sessions.
 * @param ret_item  Array of borrowed pointers in the order of the file; the caller frees the array.
 * @param ret_items Its length.
 * @retval 0, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_metrics_file_select(const struct pp_metrics_file *file,
                                                               const char *gpu, bool sections,
                                                               const struct pp_metrics_item ***ret_item,
                                                               size_t *ret_items);

/**
 * Compile the metrics that apply to a GPU; the outputs are in the order of pp_metrics_file_select().
 *
 * @param scope All counters and variables of the GPU. A counter that is not measured is a column without
 * values, not a missing name.
 * @param flags As for pp_metric_compile().
 * @param error Filled on -EINVAL, -ENOENT and -ELOOP; may be NULL.
 * @return As pp_metric_compile().
 */
__attribute__((warn_unused_result)) int
pp_metrics_file_compile(const struct pp_metrics_file *file, const char *gpu,
                        const struct pp_metric_scope *scope, unsigned flags,
                        struct pp_metric_program **ret_program, struct pp_metrics_error *error);

/**
 * Check all formulas, by compiling them once. The metrics of a section may use names that only its GPUs have:
 * such names are checked when such a GPU is there. The GPUs that the file defines were checked when the file
 * was read.
 *
 * @return As pp_metrics_file_compile().
 */
__attribute__((warn_unused_result)) int pp_metrics_file_check(const struct pp_metrics_file *file,
                                                              const struct pp_metric_scope *scope,
                                                              unsigned flags, struct pp_metrics_error *error);

/** Write a message about an error of pp_metric_compile() in @p item, with its place in the file. @return @p
 * code.
 */
int pp_metrics_file_error(const struct pp_metrics_file *file, int code, const struct pp_metrics_item *item,
                          const struct pp_metric_error *why, struct pp_metrics_error *error);

extern const char pp_metrics_generic_text[]; /**< counters/gpus/generic.metrics */

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

/** Read the lines of file->cells into sections, entries and counters. @retval 0, -EINVAL, -ENOMEM. */
int pp_metrics_parse_lines(struct pp_metrics_file *file, struct pp_metrics_error *error);

/** A place in a text. */
struct pp_text_place {
    const char *name;      /**< name of the text, such as its file */
    const char *line_text; /**< the whole line, not terminated */
    size_t line_length;
    uint32_t line;   /**< from 1 */
    uint32_t column; /**< from 1, in bytes */
    uint32_t length; /**< bytes to underline; 0: only a caret */
};

/**
 * Write "NAME:LINE:COLUMN: MESSAGE", the line, and a line that underlines the place. Of a long line, only the
 * part around the place is shown. Control characters become blanks.
 *
 * @param buffer Receives the text, cut when too small, always terminated.
 */
void pp_text_place_format(const struct pp_text_place *place, const char *message, char *buffer, size_t size);

#endif
