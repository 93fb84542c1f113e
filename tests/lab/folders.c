/** @file
 * The C library's functions that list folders, replaced; see folders.h. A DIR of the lab's is a struct
 * listing. */
#include "tests/lab/folders.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/lab/descriptors.h"
#include "tests/lab/files.h"
#include "tests/lab/next.h"

struct folder {
    struct lab_object object;
    char path[512];
};

/* An open DIR. */
struct listing {
    struct listing *next; /* in the list of all */
    int fd;               /* of a struct folder */
    unsigned index;       /* of the next name; 0 and 1 are "." and ".." */
    struct dirent entry;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct listing *listings;
static atomic_uint listings_open; /* so that other DIRs cost no lock */

/* Descriptors. */

static int
folder_ioctl(struct lab_object *object, unsigned long request, void *arg)
{
    (void)object;
    (void)request;
    (void)arg;
    return -ENOTTY;
}

static void
folder_stat(struct lab_object *object, struct stat *st)
{
    struct lab_found found;
    if (lab_files_find(((struct folder *)object)->path, true, &found) == 0)
        lab_files_stat(&found, st);
}

static void
folder_release(struct lab_object *object)
{
    free(object);
}

static const struct lab_operations folder_operations = {
    .name = "folder",
    .ioctl = folder_ioctl,
    .stat = folder_stat,
    .release = folder_release,
};

int
lab_folder_open(const char *path)
{
    struct folder *folder = calloc(1, sizeof(*folder));
    if (!folder)
        return -ENOMEM;
    folder->object.operations = &folder_operations;
    snprintf(folder->path, sizeof(folder->path), "%s", path);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fd = fd < 0 ? -errno : lab_descriptor_add(fd, &folder->object);
    if (fd < 0)
        free(folder);
    return fd;
}

const char *
lab_folder_path(int fd)
{
    struct lab_object *object = lab_object_of(fd);
    return object && object->operations == &folder_operations ? ((struct folder *)object)->path : NULL;
}

/* Listings. */

static struct listing *
listing_of(DIR *dir)
{
    struct listing *listing = NULL;
    if (atomic_load(&listings_open) == 0)
        return NULL;
    pthread_mutex_lock(&lock);
    for (listing = listings; listing && (void *)listing != (void *)dir;)
        listing = listing->next;
    pthread_mutex_unlock(&lock);
    return listing;
}

LAB_PUBLIC DIR *
fdopendir(int fd)
{
    LAB_NEXT(fdopendir)
    if (!lab_folder_path(fd))
        return next(fd);
    struct listing *listing = calloc(1, sizeof(*listing));
    if (!listing)
        return NULL;
    listing->fd = fd;
    pthread_mutex_lock(&lock);
    listing->next = listings;
    listings = listing;
    atomic_fetch_add(&listings_open, 1);
    pthread_mutex_unlock(&lock);
    return (DIR *)(void *)listing;
}

LAB_PUBLIC DIR *
opendir(const char *path)
{
    LAB_NEXT(opendir)
    if (!lab_files_claim(path))
        return next(path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = lab_folder_path(fd) ? fdopendir(fd) : NULL;
    if (fd >= 0 && !dir) {
        close(fd);
        errno = ENOTDIR;
    }
    return dir;
}

static struct dirent *
next_name(struct listing *listing)
{
    static const unsigned char type[] = {DT_DIR, DT_REG, DT_LNK, DT_CHR};
    enum lab_file_kind kind = LAB_FOLDER;
    unsigned index = listing->index++;
    struct dirent *entry = &listing->entry;
    if (index < 2)
        snprintf(entry->d_name, sizeof(entry->d_name), "%s", index ? ".." : ".");
    else if (!lab_files_name(lab_folder_path(listing->fd), index - 2, entry->d_name, &kind))
        return NULL;
    entry->d_ino = index + 1;
    entry->d_off = listing->index;
    entry->d_reclen = sizeof(*entry);
    entry->d_type = type[kind];
    return entry;
}

LAB_PUBLIC struct dirent *
readdir(DIR *dir)
{
    struct listing *listing = listing_of(dir);
    LAB_NEXT(readdir)
    return listing ? next_name(listing) : next(dir);
}

LAB_PUBLIC struct dirent64 *
readdir64(DIR *dir)
{
    struct listing *listing = listing_of(dir);
    LAB_NEXT(readdir64)
    return listing ? (struct dirent64 *)(void *)next_name(listing) : next(dir);
}

LAB_PUBLIC void
rewinddir(DIR *dir)
{
    struct listing *listing = listing_of(dir);
    LAB_NEXT(rewinddir)
    if (listing)
        listing->index = 0;
    else
        next(dir);
}

LAB_PUBLIC int
dirfd(DIR *dir)
{
    struct listing *listing = listing_of(dir);
    LAB_NEXT(dirfd)
    return listing ? listing->fd : next(dir);
}

LAB_PUBLIC int
closedir(DIR *dir)
{
    struct listing *listing = listing_of(dir);
    LAB_NEXT(closedir)
    if (!listing)
        return next(dir);
    pthread_mutex_lock(&lock);
    for (struct listing **at = &listings; *at; at = &(*at)->next)
        if (*at == listing) {
            *at = listing->next;
            break;
        }
    atomic_fetch_sub(&listings_open, 1);
    pthread_mutex_unlock(&lock);
    close(listing->fd);
    free(listing);
    return 0;
}

static void *
open_listing(const char *path)
{
    return opendir(path);
}

static struct dirent *
read_listing(void *dir)
{
    return readdir(dir);
}

static void
close_listing(void *dir)
{
    (void)closedir(dir);
}

/* glob() opens folders by functions of the C library that cannot be replaced; it takes others from its
 * argument. */
LAB_PUBLIC int
glob(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob_t *restrict found)
{
    LAB_NEXT(glob)
    if (!lab_files_claim(pattern) || flags & GLOB_ALTDIRFUNC)
        return next(pattern, flags, failed, found);
    found->gl_opendir = open_listing;
    found->gl_readdir = read_listing;
    found->gl_closedir = close_listing;
    found->gl_stat = stat;
    found->gl_lstat = lstat;
    return next(pattern, flags | GLOB_ALTDIRFUNC, failed, found);
}

LAB_PUBLIC int
glob64(const char *restrict pattern, int flags, int (*failed)(const char *, int), glob64_t *restrict found)
{
    return glob(pattern, flags, failed, (glob_t *)found);
}
