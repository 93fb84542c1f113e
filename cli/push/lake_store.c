/** @file
 * See lake_store.h. */
#include "cli/push/lake_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "counters/util/random.h"
#include "counters/util/sha256.h"

/* A note of a session. */
struct pp_lake_claim {
    char content[65];              /**< as in struct pp_lake_session */
    char day[16];                  /**< name of a folder: day=2026-01-31 */
    char build[PP_LAKE_PARTITION]; /**< name of a folder */
};

#define DAY   "day="
#define BUILD "build="

/* Bytes of an encoded build; a longer one ends in a hash. Names of files have 255 bytes. */
#define ENCODED_MOST 180U

/* Open a folder, not through a link. @param make It is made where it is missing. @return Descriptor; -ELOOP
 * (it is a link), -errno. */
static int
lake_folder(int parent_fd, const char *name, bool make)
{
    if (make && mkdirat(parent_fd, name, 0777) && errno != EEXIST)
        return -errno;
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd >= 0)
        return fd;
    int rc = -errno; /* with O_DIRECTORY, a link is ENOTDIR */
    return fstatat(parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) ? -ELOOP : rc;
}

/* Open the folder of a table and a claim, as pp_lake_folder(). */
static int
lake_partition(int lake_fd, const char *table, const struct pp_lake_claim *claim, bool make)
{
    const char *const part[] = {table, claim->day, claim->build};
    int fd = -1;
    for (size_t i = 0; i < 3; i++) {
        int inner = lake_folder(i ? fd : lake_fd, part[i], make);
        if (i)
            close(fd);
        fd = inner;
        if (fd < 0)
            return fd;
    }
    return fd;
}

static bool
is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
}

void
pp_lake_build_folder(const char *build, char *ret)
{
    char text[PP_SHA256_DIGITS + 1];
    struct pp_sha256 hash;
    size_t len =
        (size_t)snprintf(ret, PP_LAKE_PARTITION, BUILD "%s", *build ? "" : "__HIVE_DEFAULT_PARTITION__");
    for (const char *p = build; *p; p++) {
        if (len > ENCODED_MOST) {
            pp_sha256_init(&hash);
            pp_sha256_add_text(&hash, build);
            pp_sha256_end(&hash, text);
            snprintf(ret + len, PP_LAKE_PARTITION - len, "-%.32s", text);
            return;
        }
        len += (size_t)snprintf(ret + len, PP_LAKE_PARTITION - len, is_plain(*p) ? "%c" : "%%%02X",
                                (unsigned char)*p);
    }
}

/* Make the note of a session. */
static void
lake_claim_make(const struct pp_lake_session *session, struct pp_lake_claim *ret)
{
    snprintf(ret->content, sizeof(ret->content), "%s", session->content);
    snprintf(ret->day, sizeof(ret->day), DAY "%.10s", session->day);
    pp_lake_build_folder(session->build, ret->build);
}

/* Is this the name of a folder of a partition: a key, and bytes that the other functions write? */
static bool
is_folder(const char *name, const char *key)
{
    size_t len = strlen(key);
    if (strncmp(name, key, len) != 0 || !name[len])
        return false;
    for (name += len; *name; name++)
        if (!is_plain(*name) && *name != '%')
            return false;
    return true;
}

/* Read the note of a session, which others may have written: names that are no folders of a partition are
 * refused. @param own_fd DIR/.passprobe. @retval 0, -ENOENT (there is none), -EBADMSG (it is no note),
 * -errno. */
static int
lake_claim_read(int own_fd, const char *id, struct pp_lake_claim *ret)
{
    struct pp_lake_claim claim;
    char text[1024];
    int folder = lake_folder(own_fd, "sessions", true);
    int fd = folder < 0 ? folder : pp_open_regular(folder, id, O_RDONLY | O_NOFOLLOW);
    if (folder >= 0)
        close(folder);
    if (fd < 0)
        return fd;
    ssize_t len = pp_read_at(fd, text, sizeof(text) - 1, 0);
    close(fd);
    if (len < 0)
        return (int)len;
    text[len] = '\0';
    _Static_assert(sizeof(claim.build) == 300, "the width below");
    if (sscanf(text, "%64[0-9a-f]\n%15s\n%299s\n", claim.content, claim.day, claim.build) != 3 ||
        !is_folder(claim.day, DAY) || !is_folder(claim.build, BUILD))
        return -EBADMSG;
    *ret = claim;
    return 0;
}

/* Write the note of a session, in one step. @param work_fd A folder for the file until it is complete. */
static int
lake_claim_write(int own_fd, int work_fd, const char *id, const struct pp_lake_claim *claim)
{
    char text[1024];
    int len = snprintf(text, sizeof(text), "%s\n%s\n%s\n", claim->content, claim->day, claim->build);
    int folder = lake_folder(own_fd, "sessions", true);
    if (folder < 0)
        return folder;
    int rc = pp_write_file(folder, id, work_fd, text, (size_t)len);
    if (rc == 0 && fsync(folder))
        rc = -errno;
    close(folder);
    return rc;
}

#define OWN ".passprobe"

/* Has the folder nothing but what an empty lake has? */
static int
check_empty(int fd)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *one = NULL;
    int rc = dir ? 0 : -errno;
    while (dir && rc == 0 && (one = readdir(dir)))
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0 && strcmp(one->d_name, OWN) != 0)
            rc = -ENOTEMPTY;
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    return rc;
}

/* Make or open a lake's own folder, which shows that the folder is a lake. */
static int
open_own(int fd)
{
    int own = lake_folder(fd, OWN, false);
    if (own != -ENOENT)
        return own;
    int rc = check_empty(fd);
    if (rc == -ENOTEMPTY) { /* another push may have made the lake, and written to it, in between */
        own = lake_folder(fd, OWN, false);
        return own == -ENOENT ? rc : own;
    }
    return rc ? rc : lake_folder(fd, OWN, true);
}

int
pp_lake_open(const char *path, struct pp_lake *ret)
{
    static const char *const inner[] = {"sessions", "writing"};
    struct pp_lake lake = {.own_fd = -1};
    if (mkdir(path, 0777) && errno != EEXIST)
        return -errno;
    lake.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lake.fd < 0)
        return -errno;
    int rc = lake.own_fd = open_own(lake.fd);
    for (size_t i = 0; i < 2 && rc >= 0; i++) {
        rc = lake_folder(lake.own_fd, inner[i], true);
        if (rc >= 0)
            close(rc);
    }
    if (rc < 0)
        pp_lake_close(&lake);
    else
        *ret = lake;
    return rc < 0 ? rc : 0;
}

void
pp_lake_close(struct pp_lake *lake)
{
    if (lake->own_fd >= 0)
        close(lake->own_fd);
    close(lake->fd);
    *lake = (struct pp_lake){.fd = -1, .own_fd = -1};
}

/* Wait until no other writer gives names. The lock ends with the process. @return Descriptor, -errno. */
static int
lock_lake(const struct pp_lake *lake)
{
    int fd = openat(lake->own_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    int rc = fd < 0 ? -errno : 0;
    while (rc == 0 && flock(fd, LOCK_EX))
        rc = errno == EINTR ? 0 : -errno;
    if (rc && fd >= 0)
        close(fd);
    return rc ? rc : fd;
}

/* Delete a writer's folder with its files. */
static void
delete_folder(int writing_fd, const char *name)
{
    int fd = lake_folder(writing_fd, name, false);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *one = NULL;
    while (dir && (one = readdir(dir)))
        if (strcmp(one->d_name, ".") != 0 && strcmp(one->d_name, "..") != 0)
            (void)unlinkat(fd, one->d_name, 0);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    (void)unlinkat(writing_fd, name, AT_REMOVEDIR);
}

/* Does a writer hold this folder? */
static bool
is_held(int writing_fd, const char *name)
{
    bool held = false;
    int folder = lake_folder(writing_fd, name, false);
    int fd = folder < 0 ? -1 : pp_open_regular(folder, "lock", O_RDWR | O_NOFOLLOW);
    if (fd >= 0) {
        held = flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
        close(fd);
    }
    if (folder >= 0)
        close(folder);
    return held;
}

/* Delete the folders of writers that were killed. The lake is locked: no writer is between its folder and
 * its lock. */
static void
delete_left(int writing_fd)
{
    int copy = openat(writing_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *one = NULL;
    while (dir && (one = readdir(dir)))
        if (strspn(one->d_name, "0123456789abcdef") == PP_RANDOM_ID_MAX - 1 &&
            !is_held(writing_fd, one->d_name))
            delete_folder(writing_fd, one->d_name);
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
}

/* Make the folder of an entry, and hold its lock. */
static int
make_entry(int writing_fd, struct pp_lake_entry *entry)
{
    int rc = pp_random_id(entry->name);
    entry->fd = rc ? rc : lake_folder(writing_fd, entry->name, true);
    if (entry->fd < 0)
        return entry->fd;
    entry->lock_fd = openat(entry->fd, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (entry->lock_fd >= 0 && flock(entry->lock_fd, LOCK_EX | LOCK_NB) == 0)
        return 0;
    rc = -errno;
    if (entry->lock_fd >= 0)
        close(entry->lock_fd);
    close(entry->fd);
    delete_folder(writing_fd, entry->name);
    return rc;
}

int
pp_lake_entry_begin(const struct pp_lake *lake, struct pp_lake_entry *ret)
{
    *ret = (struct pp_lake_entry){.lake = lake, .fd = -1, .lock_fd = -1};
    int writing = lake_folder(lake->own_fd, "writing", true);
    int lock = writing < 0 ? writing : lock_lake(lake);
    int rc = lock < 0 ? lock : 0;
    if (rc == 0) {
        delete_left(writing);
        rc = make_entry(writing, ret);
        close(lock);
    }
    if (writing >= 0)
        close(writing);
    return rc;
}

/* The name of a table's file in a writer's folder. */
static void
file_name(const char *table, char *ret, size_t size)
{
    snprintf(ret, size, "%s.csv.zst", table);
}

int
pp_lake_entry_file(struct pp_lake_entry *entry, const char *table)
{
    char name[64];
    file_name(table, name, sizeof(name));
    int fd = openat(entry->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return fd < 0 ? -errno : fd;
}

/* Sync a file of the entry, so that a power cut leaves no name without its bytes. */
static int
sync_file(const struct pp_lake_entry *entry, const char *table)
{
    char name[64];
    file_name(table, name, sizeof(name));
    int fd = openat(entry->fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    int rc = fd < 0 || fsync(fd) ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return rc;
}

/* Give the file of a table its name. */
static int
move_file(const struct pp_lake_entry *entry, const char *table, const struct pp_lake_claim *claim,
          const char *id)
{
    char from[64], to[64];
    int fd = lake_partition(entry->lake->fd, table, claim, true);
    if (fd < 0)
        return fd;
    file_name(table, from, sizeof(from));
    file_name(id, to, sizeof(to));
    int rc = renameat(entry->fd, from, fd, to) || fsync(fd) ? -errno : 0;
    close(fd);
    return rc;
}

/* Delete what a push of other content has left, which was cut off before the session was visible. */
static void
delete_files(const struct pp_lake *lake, const struct pp_lake_claim *claim, const char *id,
             const char *const *table, size_t tables)
{
    char name[64];
    file_name(id, name, sizeof(name));
    for (size_t i = 0; i < tables; i++) {
        int fd = lake_partition(lake->fd, table[i], claim, false);
        if (fd < 0)
            continue;
        (void)unlinkat(fd, name, 0);
        close(fd);
    }
}

/* Is the session visible where the claim says? */
static bool
is_visible(const struct pp_lake *lake, const struct pp_lake_claim *claim, const char *id, const char *last)
{
    char name[64];
    struct stat st;
    file_name(id, name, sizeof(name));
    int fd = lake_partition(lake->fd, last, claim, false);
    bool there = fd >= 0 && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode);
    if (fd >= 0)
        close(fd);
    return there;
}

/* With the lake locked: claim the session, and give all files their names. */
static int
publish_locked(struct pp_lake_entry *entry, const struct pp_lake_session *session, const char *const *table,
               size_t tables)
{
    struct pp_lake_claim before, claim;
    int rc = lake_claim_read(entry->lake->own_fd, session->id, &before);
    if (rc == 0 && is_visible(entry->lake, &before, session->id, table[tables - 1]))
        return strcmp(before.content, session->content) == 0 ? 1 : -EEXIST;
    if (rc == 0)
        delete_files(entry->lake, &before, session->id, table, tables);
    else if (rc != -ENOENT)
        return rc;
    lake_claim_make(session, &claim);
    rc = lake_claim_write(entry->lake->own_fd, entry->fd, session->id, &claim);
    for (size_t i = 0; rc == 0 && i < tables; i++)
        rc = move_file(entry, table[i], &claim, session->id);
    return rc;
}

int
pp_lake_entry_publish(struct pp_lake_entry *entry, const struct pp_lake_session *session,
                      const char *const *table, size_t tables)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < tables; i++)
        rc = sync_file(entry, table[i]);
    int lock = rc ? rc : lock_lake(entry->lake);
    if (lock < 0)
        return lock;
    rc = publish_locked(entry, session, table, tables);
    close(lock);
    return rc;
}

void
pp_lake_entry_end(struct pp_lake_entry *entry)
{
    int writing = lake_folder(entry->lake->own_fd, "writing", false);
    close(entry->fd);
    if (writing >= 0) {
        delete_folder(writing, entry->name);
        close(writing);
    }
    close(entry->lock_fd);
    entry->fd = entry->lock_fd = -1;
}

int
pp_lake_write(const struct pp_lake *lake, const char *name, const char *text, size_t len)
{
    return pp_write_file(lake->fd, name, lake->own_fd, text, len);
}
