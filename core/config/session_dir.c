/** @file
 * The session directory; see session_dir.h. */
#include "core/config/session_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

#define ERROR_MAX 512

enum content { EMPTY, SESSION, MIXED /* a session and other files */, FOREIGN };

static const char *const session_file[] = {
    "session.json",
    "session.json.new",
    "frames.csv.new",
    "stacks.csv",
#define PP_WRITER(name, file) file,
#include "pp_writers.h"
#undef PP_WRITER
};

static int
fail(int rc, const char *path, char *error, const char *why)
{
    snprintf(error, ERROR_MAX, "%.380s: %s", path, why ? why : strerror(-rc));
    return rc;
}

/* A place for a session: a name in a folder that is held open, so that no link in the path is followed twice.
 */
struct place {
    int parent;       /* borrowed */
    const char *name; /* in parent */
    const char *path; /* for messages */
};

static int
open_dir(const struct place *place)
{
    int fd =
        pp_fd_move_high(openat(place->parent, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return fd < 0 ? -errno : fd;
}

bool
pp_dir_is(int parent_fd, const char *name, int fd)
{
    struct stat named;
    struct stat held;
    return fstatat(parent_fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &held) == 0 &&
           named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

/* Does the filesystem keep no owners? Everything on it has the one that the mount says, also what this user
 * makes. Source of the numbers: linux/magic.h; fs/ntfs3/super.c, fs/smb/client/smb2glob.h and
 * fs/vboxsf/super.c for those that older headers lack. FUSE is not among them: any user may mount one. */
static bool
has_no_owners(int fd)
{
    static const unsigned long without[] = {MSDOS_SUPER_MAGIC,        0x2011BAB0UL /* exFAT */,
                                            0x7366746EUL /* NTFS */,  0xFF534D42UL /* CIFS */,
                                            0xFE534D42UL /* SMB 2 */, 0x786F4256UL /* VirtualBox */};
    struct statfs about;
    if (fstatfs(fd, &about))
        return false;
    for (size_t i = 0; i < PP_ARRAY_SIZE(without); i++)
        if (((unsigned long)about.f_type & 0xFFFFFFFFUL) == without[i])
            return true;
    return false;
}

bool
pp_dir_is_own(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_uid == geteuid() || has_no_owners(fd));
}

/* A write lock would meet the read lock that a command holds while it fills or reads a session. */
static bool
is_claimed(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static bool
is_session_file(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(session_file); i++)
        if (strcmp(name, session_file[i]) == 0)
            return true;
    return false;
}

/* A session is what has a session.json, or nothing but session files: one killed at its start has no more. */
static enum content
look_inside(int fd)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    enum content content = EMPTY;
    bool session = false;
    bool foreign_file = false;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        session = session || strcmp(entry->d_name, "session.json") == 0;
        foreign_file = foreign_file || !is_session_file(entry->d_name);
        content = FOREIGN;
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    if (content == EMPTY)
        return EMPTY;
    return !foreign_file ? SESSION : session ? MIXED : FOREIGN;
}

int
pp_dir_remove(int parent_fd, const char *name)
{
    const struct place place = {.parent = parent_fd, .name = name, .path = name};
    int fd = open_dir(&place);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    int rc = 0;
    enum content content = look_inside(fd);
    if (!pp_dir_is_own(fd))
        rc = -EPERM;
    else if (content == FOREIGN || content == MIXED)
        rc = -ENOTEMPTY;
    for (size_t i = 0; rc == 0 && i < PP_ARRAY_SIZE(session_file); i++)
        if (unlinkat(fd, session_file[i], 0) && errno != ENOENT)
            rc = -errno;
    if (rc == 0 && !pp_dir_is(parent_fd, name, fd))
        rc = -ENOTEMPTY; /* another process has put a file there meanwhile */
    close(fd);
    return rc ? rc : unlinkat(parent_fd, name, AT_REMOVEDIR) ? -errno : 0;
}

static int
move_aside(const struct place *place, char *error)
{
    char old[NAME_MAX + 1];
    char old_path[PATH_MAX];
    int len = snprintf(old, sizeof(old), "%s.old", place->name);
    if (len < 0 || (size_t)len >= sizeof(old))
        return fail(-ENAMETOOLONG, place->path, error, NULL);
    snprintf(old_path, sizeof(old_path), "%.4000s.old", place->path);
    int rc = pp_dir_remove(place->parent, old);
    if (rc == -ELOOP || rc == -ENOTDIR)
        return fail(rc, old_path, error, PP_TEXT_DIR_OLD_NO_DIR);
    if (rc == -EPERM)
        return fail(rc, old_path, error, PP_TEXT_DIR_OLD_FOREIGN);
    if (rc)
        return fail(rc, old_path, error, rc == -ENOTEMPTY ? PP_TEXT_DIR_OLD_FILES : NULL);
    if (renameat(place->parent, place->name, place->parent, old))
        return fail(-errno, place->path, error, NULL);
    return 0;
}

/* Open the directory at a place if it is a session of passprobe or empty. Everything else is refused. */
static int
examine(const struct place *place, int *ret_fd, enum content *ret_content, char *error)
{
    int fd = open_dir(place);
    if (fd == -ENOENT)
        return fd;
    if (fd == -ELOOP || fd == -ENOTDIR) {
        struct stat st;
        bool link = fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
        return fail(-EEXIST, place->path, error, link ? PP_TEXT_DIR_LINK : PP_TEXT_DIR_NO_DIR);
    }
    if (fd < 0)
        return fail(fd, place->path, error, NULL);
    *ret_content = look_inside(fd);
    const char *why = NULL;
    if (!pp_dir_is_own(fd))
        why = PP_TEXT_DIR_FOREIGN;
    else if (*ret_content == FOREIGN)
        why = PP_TEXT_DIR_FILES;
    if (why) {
        close(fd);
        return fail(-EEXIST, place->path, error, why);
    }
    *ret_fd = fd;
    return 0;
}

/* Move an older session away from a place. -EAGAIN: another command has changed the place meanwhile, try
 * again. The lock is held until the session has moved. So only one command moves it, and never a claimed one.
 */
static int
try_to_clear_place(const struct place *place, char *error)
{
    int fd = -1;
    enum content content = EMPTY;
    int rc = examine(place, &fd, &content, error);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        rc = fail(-EBUSY, place->path, error, PP_TEXT_DIR_WRITTEN);
    else if (is_claimed(fd))
        rc = fail(-EBUSY, place->path, error, PP_TEXT_DIR_CLAIMED);
    else if (!pp_dir_is(place->parent, place->name, fd))
        rc = fail(-EAGAIN, place->path, error, PP_TEXT_DIR_REPLACED);
    else if (look_inside(fd) != EMPTY)
        rc = move_aside(place, error);
    close(fd);
    return rc;
}

/* Use an existing directory if it is empty and no process holds it. -EBUSY: a process holds it. */
static int
take(const struct place *place, int *ret_fd, char *error)
{
    int fd = -1;
    enum content content = EMPTY;
    /* independent of the umask: other users must not put files into a session directory */
    if (mkdirat(place->parent, place->name, 0755) && errno != EEXIST)
        return fail(-errno, place->path, error, NULL);
    int rc = examine(place, &fd, &content, error);
    if (rc)
        return rc;
    /* On a filesystem without locks two sessions still cannot share files: those are made with O_EXCL. */
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (!locked || look_inside(fd) != EMPTY || !pp_dir_is(place->parent, place->name, fd)) {
        close(fd);
        return fail(-EBUSY, place->path, error, PP_TEXT_DIR_TAKEN);
    }
    *ret_fd = fd;
    return 0;
}

int
pp_dir_parent(const char *path, int *ret_parent_fd, char ret_name[NAME_MAX + 1])
{
    char folder[PATH_MAX];
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    const char *slash = memrchr(path, '/', len);
    const char *name = slash ? slash + 1 : path;
    size_t before = (size_t)(name - path);
    size_t name_len = len - before;
    if (name_len == 0)
        return len ? -EISDIR : -ENOENT;
    if (name_len > NAME_MAX || before >= sizeof(folder))
        return -ENAMETOOLONG;
    memcpy(folder, before ? path : ".", before ? before : 1);
    folder[before ? before : 1] = '\0';
    int fd = pp_fd_move_high(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0)
        return -errno;
    memcpy(ret_name, name, name_len);
    ret_name[name_len] = '\0';
    *ret_parent_fd = fd;
    return 0;
}

static int
clear_place(const struct place *place, char *error)
{
    int rc = -EAGAIN;
    for (unsigned n = 0; rc == -EAGAIN && n < 100; n++)
        rc = try_to_clear_place(place, error);
    return rc == -EAGAIN ? -EBUSY : rc;
}

int
pp_dir_claim(int parent_fd, const char *name, const char *path, int *ret_fd, char *error)
{
    const struct place place = {.parent = parent_fd, .name = name, .path = path};
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int fd = -1;
    int rc = clear_place(&place, error);
    rc = rc ? rc : take(&place, &fd, error);
    if (rc)
        return rc;
    if (is_claimed(fd)) {
        close(fd);
        return fail(-EBUSY, path, error, PP_TEXT_DIR_CLAIMED);
    }
    (void)fcntl(fd, F_OFD_SETLK, &lock); /* a filesystem without locks has no claims either */
    (void)flock(fd, LOCK_UN);            /* the application takes it */
    *ret_fd = fd;
    return 0;
}

/* Open a session directory as pp_dir_open() does, in an open folder. */
static int
open_in(const struct place *place, bool keep, struct pp_dir *ret_dir, char *error)
{
    char name[NAME_MAX + 1];
    int rc = keep ? 0 : clear_place(place, error);
    if (rc && rc != -EBUSY)
        return rc;
    ret_dir->next_to_requested = false;
    snprintf(ret_dir->path, sizeof(ret_dir->path), "%s", place->path);
    rc = rc ? rc : take(place, &ret_dir->fd, error);
    /* Other users can guess such names: a file that exists there, of any owner, is not touched. */
    for (unsigned n = 0; (rc == -EBUSY || (n && rc == -EEXIST)) && n < 1000; n++) {
        char suffix[48];
        snprintf(suffix, sizeof(suffix), n ? ".%ld.%u" : ".%ld", (long)getpid(), n);
        int len = snprintf(name, sizeof(name), "%s%s", place->name, suffix);
        int path_len = snprintf(ret_dir->path, sizeof(ret_dir->path), "%s%s", place->path, suffix);
        if (len < 0 || (size_t)len >= sizeof(name) || path_len < 0 ||
            (size_t)path_len >= sizeof(ret_dir->path))
            return fail(-ENAMETOOLONG, place->path, error, NULL);
        const struct place next = {.parent = place->parent, .name = name, .path = ret_dir->path};
        rc = take(&next, &ret_dir->fd, error);
        ret_dir->next_to_requested = true;
    }
    return rc;
}

int
pp_dir_open(const char *path, bool keep, struct pp_dir *ret_dir, char *error)
{
    char name[NAME_MAX + 1];
    char plain[PATH_MAX];
    int parent = -1;
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    int rc = len < sizeof(plain) ? pp_dir_parent(path, &parent, name) : -ENAMETOOLONG;
    if (rc)
        return fail(rc, path, error, NULL);
    memcpy(plain, path, len);
    plain[len] = '\0';
    rc = open_in(&(struct place){.parent = parent, .name = name, .path = plain}, keep, ret_dir, error);
    close(parent);
    return rc;
}

void
pp_dir_close(struct pp_dir *dir)
{
    if (dir->fd >= 0)
        close(dir->fd);
    dir->fd = -1;
}
