/** @file
 * Files that exist only in memory: the device's nodes and what sysfs and procfs say about it. Links are
 * followed as the kernel follows them. Paths below the folders that lab_files_hide() names exist here or not
 * at all; all other paths are the machine's. Thread-safe. */
#ifndef LAB_FILES_H
#define LAB_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum lab_file_kind { LAB_FOLDER, LAB_TEXT, LAB_LINK, LAB_NODE };

/** What is at a path. */
struct lab_found {
    enum lab_file_kind kind;
    char path[512];  /**< without links */
    char text[1024]; /**< of LAB_TEXT the content, of LAB_LINK its target */
    dev_t device;    /**< of LAB_NODE */
};

/** Everything below the folder @p path comes from memory. The string must stay. At most 16 folders. */
void lab_files_hide(const char *path);

/** Call @p refresh before each look at files: it may make and remove files. At most one; before main(). */
void lab_files_before_look(void (*refresh)(void));

/** Make or replace a file with a text, and the folders above it. */
void lab_files_text(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Make a link. @p target may be relative to the link's folder. */
void lab_files_link(const char *path, const char *target);

/** Make a character device. */
void lab_files_node(const char *path, unsigned major, unsigned minor);

/** Make an empty folder. */
void lab_files_folder(const char *path);

/** Remove one file; nothing happens if there is none. */
void lab_files_remove(const char *path);

/** True if @p path is a path of the lab's. Costs no lock; may be called at any time. */
bool lab_files_claim(const char *path);

/**
 * Find what is at an absolute path.
 *
 * @param follow  false: a link at the path's end is not followed, as with readlink().
 * @retval 0 or -ENOENT; -EXDEV: the path leads out of the lab's files, found->path says where to.
 */
int lab_files_find(const char *path, bool follow, struct lab_found *found);

/** The @p index th name in the folder @p path. @return false: no more. The names' order does not change. */
bool lab_files_name(const char *path, unsigned index, char name[256], enum lab_file_kind *kind);

/** Fill @p st as stat() does. */
void lab_files_stat(const struct lab_found *found, struct stat *st);

#endif
