/** @file
 * Folders that stand for /proc, /sys and /dev. */
#ifndef PP_TESTS_UNIT_COUNTERS_SOURCES_SOURCE_FILES_H
#define PP_TESTS_UNIT_COUNTERS_SOURCES_SOURCE_FILES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** A folder that goes away with source_files_end(). */
struct source_files {
    char root[64];
};

static inline void
source_files_begin(struct source_files *files)
{
    snprintf(files->root, sizeof(files->root), "/tmp/pp-source-XXXXXX");
    if (!mkdtemp(files->root))
        abort();
}

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

/** Make a symbolic link, to whatever. */
static inline void
source_files_link(const struct source_files *files, const char *name, const char *to)
{
    char *path = source_files_path(files, name);
    (void)unlink(path);
    if (symlink(to, path))
        abort();
    free(path);
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
}

#endif
