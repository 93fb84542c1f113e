/** @file
 * Folders that exist only in memory, for those who list them. */
#ifndef LAB_FOLDERS_H
#define LAB_FOLDERS_H

/** Open the folder @p path, which has no links. @return A descriptor for openat() and fdopendir(), or -errno.
 */
int lab_folder_open(const char *path);

/** The path of a folder's descriptor; NULL: the descriptor is not of lab_folder_open(). */
const char *lab_folder_path(int fd);

#endif
