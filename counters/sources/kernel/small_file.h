/** @file
 * Small files of /proc and /sys, and the folders where the kernel's files are. Tests use other folders. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_SMALL_FILE_H
#define PP_COUNTERS_SOURCES_KERNEL_SMALL_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/source.h"

/** Folders of the kernel's files. */
struct pp_kernel_paths {
    const char *sys;  /**< "/sys" */
    const char *proc; /**< "/proc" */
    const char *dev;  /**< "/dev" */
};

/** Bytes of the longest path that the sources make. */
#define PP_PATH_BYTES 512

/**
 * Read a whole small file as text.
 *
 * @param text Receives at most size - 1 bytes and a final 0; further bytes are left out.
 * @return Bytes read. @retval -errno.
 */
__attribute__((warn_unused_result)) int pp_file_text(const char *path, char *text, size_t size);

/** Read the number in a file: decimal or 0x, with or without a line break. @retval 0 *ret is set. @retval
 * -EBADMSG The text is no number. @retval -errno. */
__attribute__((warn_unused_result)) int pp_file_number(const char *path, int64_t *ret);

/** Write "FOLDER/NAME" to @p ret, PP_PATH_BYTES. @retval 0. @retval -ENAMETOOLONG. */
__attribute__((warn_unused_result)) int pp_path_join(char *ret, const char *folder, const char *name);

#endif
