/** @file
 * Room: users' own metrics and GPUs, from a text file (`--metrics FILE`; docs/metric-language.md). Lines are
 * `name [unit] = formula  # description`, in sections `[gpu PATTERN]` or `[gpu NAME like MALI-GPU]`. Every
 * mistake is named with file, line, column and the line itself. Knows no graphics API; reads one file. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_FILE_H
#define PP_COUNTERS_USER_METRICS_METRICS_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/mali/mali.h"
#include "counters/metric/metric.h"
#include "counters/snapshot/value.h"

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
 * Read metrics from text. Formulas are checked when they are compiled, since only then the names are known;
 * those of a GPU of its own are checked here.
 *
 * Ownership: *ret_file is the caller's, for pp_metrics_file_destroy(); @p text is copied. Allocates.
 *
 * @param name     What the file is called in messages.
 * @param text     Its content; need not be terminated.
 * @param size     Bytes of it.
 * @param ret_file Set on success.
 * @param error    Filled on -EINVAL and -ENOENT; may be NULL.
 * @retval 0       Read.
 * @retval -EINVAL The text is no such file.
 * @retval -ENOENT A formula uses an unknown name, or a GPU is like one that is unknown.
 * @retval -EFBIG  More than 4 MiB.
 * @retval -ENOMEM No memory.
 */
__attribute__((warn_unused_result)) int pp_metrics_file_parse(const char *name, const char *text, size_t size,
                                                              struct pp_metrics_file **ret_file,
                                                              struct pp_metrics_error *error);

/** Read metrics from a file. As pp_metrics_file_parse(); else -errno of open() or read(), with error->text
 * saying so. */
__attribute__((warn_unused_result)) int
pp_metrics_file_load(const char *path, struct pp_metrics_file **ret_file, struct pp_metrics_error *error);

/** The metrics that passprobe brings itself, for any GPU: ratios of pipeline statistics
 * (counters/gpus/generic.metrics). As pp_metrics_file_parse(). */
__attribute__((warn_unused_result)) int pp_metrics_file_builtin(struct pp_metrics_file **ret_file);

/** What `--metrics` takes: "generic" is pp_metrics_file_builtin(), all else pp_metrics_file_load(). */
__attribute__((warn_unused_result)) int
pp_metrics_file_open(const char *text, struct pp_metrics_file **ret_file, struct pp_metrics_error *error);

/** Free a file; NULL is fine. */
void pp_metrics_file_destroy(struct pp_metrics_file *file);

/**
 * The @p index-th metric of a file, whatever it is for.
 *
 * @param ret_gpu Pattern of the section it stands in, or name of the GPU it belongs to; "*" before any
 * section.
 * @return NULL past the last.
 */
const struct pp_metrics_item *pp_metrics_file_at(const struct pp_metrics_file *file, size_t index,
                                                 const char **ret_gpu);

/**
 * The metrics that apply to a GPU: those before any section and those of sections whose pattern matches.
 * Metrics of a GPU of its own are the GPU's (pp_metrics_file_mali()).
 *
 * @param gpu       Name of the GPU, as a driver or passprobe calls it; upper and lower case are equal.
 * @param sections  Leave out those before any section, which use columns of sessions.
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
 * @param scope All counters and variables that the GPU has. What is not measured this time is a column
 * without values, not a missing name.
 * @param flags As for pp_metric_compile().
 * @param error Filled on -EINVAL, -ENOENT and -ELOOP; may be NULL.
 * @return As pp_metric_compile().
 */
__attribute__((warn_unused_result)) int
pp_metrics_file_compile(const struct pp_metrics_file *file, const char *gpu,
                        const struct pp_metric_scope *scope, unsigned flags,
                        struct pp_metric_program **ret_program, struct pp_metrics_error *error);

/**
 * Compile everything once without keeping it: are all formulas right? The metrics of a section may use names
 * that only its GPUs have; these are checked when such a GPU is there. GPUs of their own were checked when
 * the file was read.
 *
 * @return As pp_metrics_file_compile().
 */
__attribute__((warn_unused_result)) int pp_metrics_file_check(const struct pp_metrics_file *file,
                                                              const struct pp_metric_scope *scope,
                                                              unsigned flags, struct pp_metrics_error *error);

/** Write an error of pp_metric_compile() about @p item of the file, with the place in it. @return @p code. */
int pp_metrics_file_error(const struct pp_metrics_file *file, int code, const struct pp_metrics_item *item,
                          const struct pp_metric_error *why, struct pp_metrics_error *error);

/**
 * Find a Mali GPU and its configuration as users write them ("my-g76:cores=0x7777"): a GPU of the file's own,
 * or one that is compiled in, with the metrics of the file's sections for it.
 *
 * @param file       NULL: only the GPUs compiled in. May grow; one thread.
 * @param ret_gpu    Borrowed from @p file.
 * @param ret_config Its configuration.
 * @param error      Filled on -EINVAL, -ENOENT and -ELOOP.
 * @retval 0, -EINVAL, -ENOENT, -ELOOP, -ENOMEM.
 */
__attribute__((warn_unused_result)) int pp_metrics_file_mali(struct pp_metrics_file *file, const char *text,
                                                             const struct pp_mali_gpu **ret_gpu,
                                                             struct pp_mali_config *ret_config,
                                                             struct pp_metrics_error *error);

#endif
