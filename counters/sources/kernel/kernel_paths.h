/** @file
 * Where the kernel's files are. Tests use other folders. */
#ifndef PP_COUNTERS_SOURCES_KERNEL_KERNEL_PATHS_H
#define PP_COUNTERS_SOURCES_KERNEL_KERNEL_PATHS_H

/** Folders of the kernel's files. */
struct pp_kernel_paths {
    const char *sys;  /**< "/sys" */
    const char *proc; /**< "/proc" */
    const char *dev;  /**< "/dev" */
};

#endif
