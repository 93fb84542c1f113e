/** @file
 * Folders that represent /proc, /sys and /dev. */
#ifndef PP_TESTS_UNIT_COUNTERS_SOURCES_SOURCE_FILES_H
#define PP_TESTS_UNIT_COUNTERS_SOURCES_SOURCE_FILES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/sources/kernel/small_file.h"

/** A folder that source_files_end() removes. */
struct source_files {
    char root[64];
    struct pp_kernel_paths
        paths; /**< the paths of sys, proc and dev in the folder; each exists as soon as it has a file */
};

/** Path of a file in the folder, its parents made. The caller frees it. */
static inline char *
source_files_path(const struct source_files *files, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", files->root, name) < 0)
        abort();
    for (char *slash = path + strlen(files->root); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    return path;
}

static inline void
source_files_begin(struct source_files *files)
{
    snprintf(files->root, sizeof(files->root), "/tmp/pp-source-XXXXXX");
    if (!mkdtemp(files->root))
        abort();
    files->paths.sys = source_files_path(files, "sys");
    files->paths.proc = source_files_path(files, "proc");
    files->paths.dev = source_files_path(files, "dev");
}

/** Write a file. */
static inline void
source_files_write(const struct source_files *files, const char *name, const char *text)
{
    char *path = source_files_path(files, name);
    FILE *file = fopen(path, "we");
    if (!file || fputs(text, file) < 0 || fclose(file))
        abort();
    free(path);
}

/** Make a symbolic link, whether or not its target exists. */
static inline void
source_files_link(const struct source_files *files, const char *name, const char *to)
{
    char *path = source_files_path(files, name);
    (void)unlink(path);
    if (symlink(to, path))
        abort();
    free(path);
}

/** Make @p driver of @p bus the kernel driver of the render node renderD128. */
static inline void
source_files_driver(const struct source_files *files, const char *bus, const char *driver)
{
    char path[100], target[120];
    snprintf(path, sizeof(path), "sys/bus/%s/drivers/%s/bind", bus, driver);
    source_files_write(files, path, "");
    source_files_write(files, "sys/class/drm/renderD128/device/uevent", "");
    snprintf(target, sizeof(target), "../../../../bus/%s/drivers/%s", bus, driver);
    source_files_link(files, "sys/class/drm/renderD128/device/driver", target);
}

/** Remove one file. */
static inline void
source_files_remove(const struct source_files *files, const char *name)
{
    char *path = source_files_path(files, name);
    (void)unlink(path);
    free(path);
}

static inline void
source_files_end(const struct source_files *files)
{
    char *command = NULL;
    if (asprintf(&command, "rm -r '%s'", files->root) < 0 || system(command))
        abort();
    free(command);
    free((char *)(uintptr_t)files->paths.sys);
    free((char *)(uintptr_t)files->paths.proc);
    free((char *)(uintptr_t)files->paths.dev);
}

#endif
