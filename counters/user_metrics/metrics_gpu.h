/** @file
 * The GPUs that a metrics file defines; part of metrics_file.h. */
#ifndef PP_COUNTERS_USER_METRICS_METRICS_GPU_H
#define PP_COUNTERS_USER_METRICS_METRICS_GPU_H

#include "counters/mali/mali_decode.h"

struct pp_metrics_error;
struct pp_metrics_file;

/**
 * Find a Mali GPU and its configuration as users write them ("my-g76:cores=0x7777"): a GPU that the file
 * defines, or a compiled-in GPU with the metrics of the file's sections for it.
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

/* For metrics_file.c only. */

/** Make and check the GPUs that the file defines. @retval 0, -EINVAL, -ENOENT, -ENOMEM. */
int pp_metrics_make_gpus(struct pp_metrics_file *file, struct pp_metrics_error *error);

/** Free the GPUs that the file defines. */
void pp_metrics_free_gpus(struct pp_metrics_file *file);

#endif
