/** @file
 * The session directory; see session_dir.h. */
#include "core/config/session_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/dir_content.h"
#include "counters/util/own_fd.h"
#include "pp_texts.h"

#define ERROR_MAX 512
#define TRIES     1000U /* names that may be in use */

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

/* Make the name NAME.old and its path. @return false: it is too long. */
static bool
name_old(const struct place *place, char old[NAME_MAX + 1], char old_path[PATH_MAX])
{
    int len = snprintf(old, NAME_MAX + 1, "%s.old", place->name);
    snprintf(old_path, PATH_MAX, "%.4000s.old", place->path);
    return len >= 0 && len <= NAME_MAX;
}

/* Can a session at this place be moved aside, and the one at NAME.old be deleted? */
static int
check_aside(const struct place *place, char *error)
{
    char old[NAME_MAX + 1];
    char old_path[PATH_MAX];
    if (!name_old(place, old, old_path))
        return fail(-ENAMETOOLONG, place->path, error, NULL);
    int rc = pp_dir_is_removable(place->parent, old);
    if (rc == -ELOOP || rc == -ENOTDIR)
        return fail(rc, old_path, error, PP_TEXT_DIR_OLD_NO_DIR);
    if (rc == -EPERM)
        return fail(rc, old_path, error, PP_TEXT_DIR_OLD_FOREIGN);
    if (rc)
        return fail(rc, old_path, error, rc == -ENOTEMPTY ? PP_TEXT_DIR_OLD_FILES : NULL);
    return 0;
}

static int
move_aside(const struct place *place, char *error)
{
    char old[NAME_MAX + 1];
    char old_path[PATH_MAX];
    int rc = check_aside(place, error);
    if (rc)
        return rc;
    (void)name_old(place, old, old_path); /* check_aside() knows that it fits */
    rc = pp_dir_remove(place->parent, old);
    if (rc)
        return fail(rc, old_path, error, NULL);
    if (renameat(place->parent, place->name, place->parent, old))
        return fail(-errno, place->path, error, NULL);
    return 0;
}

/* Open the directory at a place if it is a session of passprobe or empty. Everything else is refused. */
static int
examine(const struct place *place, int *ret_fd, enum pp_dir_content *ret_content, char *error)
{
    int fd = pp_dir_open_in(place->parent, place->name);
    if (fd == -ENOENT)
        return fd;
    if (fd == -ELOOP || fd == -ENOTDIR) {
        struct stat st;
        bool link = fstatat(place->parent, place->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
        return fail(-EEXIST, place->path, error, link ? PP_TEXT_DIR_LINK : PP_TEXT_DIR_NO_DIR);
    }
    if (fd < 0)
        return fail(fd, place->path, error, NULL);
    *ret_content = pp_dir_look(fd);
    const char *why = NULL;
    if (!pp_dir_is_own(fd))
        why = PP_TEXT_DIR_FOREIGN;
    else if (*ret_content == PP_DIR_FOREIGN)
        why = PP_TEXT_DIR_FILES;
    if (why) {
        close(fd);
        return fail(-EEXIST, place->path, error, why);
    }
    *ret_fd = fd;
    return 0;
}

/* Look for an older session at a place: may it be moved away? With @p move, do so. -EAGAIN: another command
 * has changed the place meanwhile, try again. The lock is held until the session has moved. So only one
 * command moves it, and never a claimed one. */
static int
try_to_clear_place(const struct place *place, bool move, bool *ret_holds, char *error)
{
    int fd = -1;
    enum pp_dir_content content = PP_DIR_EMPTY;
    int rc = examine(place, &fd, &content, error);
    if (rc)
        return rc == -ENOENT ? 0 : rc;
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        rc = fail(-EBUSY, place->path, error, PP_TEXT_DIR_WRITTEN);
    else if (pp_dir_is_claimed(fd))
        rc = fail(-EBUSY, place->path, error, PP_TEXT_DIR_CLAIMED);
    else if (!pp_dir_is(place->parent, place->name, fd))
        rc = fail(-EAGAIN, place->path, error, PP_TEXT_DIR_REPLACED);
    else if ((*ret_holds = pp_dir_look(fd) != PP_DIR_EMPTY))
        rc = move ? move_aside(place, error) : check_aside(place, error);
    close(fd);
    return rc;
}

/* Use an existing directory if it is empty and no process holds it. -EBUSY: a process holds it. */
static int
take(const struct place *place, int *ret_fd, char *error)
{
    int fd = -1;
    enum pp_dir_content content = PP_DIR_EMPTY;
    /* independent of the umask: other users must not put files into a session directory */
    if (mkdirat(place->parent, place->name, 0755) && errno != EEXIST)
        return fail(-errno, place->path, error, NULL);
    int rc = examine(place, &fd, &content, error);
    if (rc)
        return rc;
    /* On a filesystem without locks two sessions still cannot share files: those are made with O_EXCL. */
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
    if (!locked || pp_dir_look(fd) != PP_DIR_EMPTY || !pp_dir_is(place->parent, place->name, fd)) {
        close(fd);
        return fail(-EBUSY, place->path, error, PP_TEXT_DIR_TAKEN);
    }
    *ret_fd = fd;
    return 0;
}

static int
clear_place(const struct place *place, bool move, bool *ret_holds, char *error)
{
    int rc = -EAGAIN;
    *ret_holds = false;
    for (unsigned n = 0; rc == -EAGAIN && n < 100; n++)
        rc = try_to_clear_place(place, move, ret_holds, error);
    return rc == -EAGAIN ? -EBUSY : rc;
}

/* Mark a directory as one that waits for its first frame, or take the mark away. The mark is the sticky bit,
 * which has no other effect on a directory that only its owner writes into. It distinguishes such a session
 * from one that the user named NAME.new. */
static void
set_waits(int fd, bool on)
{
    struct stat st;
    mode_t bit = on ? S_ISVTX : 0;
    if (fstat(fd, &st) == 0 && (st.st_mode & S_ISVTX) != bit)
        (void)!fchmod(fd, (st.st_mode & 06777) | bit); /* fails on FAT: there it is not finished later */
}

static bool
waits(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && (st.st_mode & S_ISVTX);
}

/* Rename a directory that waited for its first frame. */
static int
rename_staged(int parent_fd, const char *staged, const char *name)
{
    if (renameat(parent_fd, staged, parent_fd, name))
        return -errno;
    int fd = pp_dir_open_in(parent_fd, name);
    if (fd >= 0) {
        set_waits(fd, false);
        close(fd);
    }
    return 0;
}

/* A process was killed before its session at PLACE.new took the place: let the session take it now. Without
 * frames, remove it. What a process still uses is left alone, and so is a session that the user named so. */
static void
finish_earlier(const struct place *place)
{
    char error[ERROR_MAX];
    char staged[NAME_MAX + 1];
    bool holds = false;
    int len = snprintf(staged, sizeof(staged), "%s.new", place->name);
    int fd = len > NAME_MAX ? -ENAMETOOLONG : pp_dir_open_in(place->parent, staged);
    if (fd < 0)
        return;
    enum pp_dir_content content = pp_dir_look(fd);
    /* an empty one may be another process's, which has just made it and has yet to lock it */
    if ((content == PP_DIR_SESSION || content == PP_DIR_RUNS || content == PP_DIR_MIXED) &&
        pp_dir_is_own(fd) && waits(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0 && !pp_dir_is_claimed(fd)) {
        if (!pp_dir_has_frames(fd))
            (void)!pp_dir_remove(place->parent, staged);
        else if (clear_place(place, true, &holds, error) == 0)
            (void)!rename_staged(place->parent, staged, place->name);
    }
    close(fd);
}

/* Use NAME.new, or NAME.PID if that is in use: other users can guess such names, so a file that exists there,
 * of any owner, is not touched. @param first 0: NAME.new; 1: NAME.PID. @param tries 1: only that. @param
 * ret_path PATH_MAX bytes. */
static int
take_next_to(const struct place *place, unsigned first, unsigned tries, char *ret_path, int *ret_fd,
             char *error)
{
    char name[NAME_MAX + 1];
    int rc = -EBUSY;
    for (unsigned n = first; (rc == -EBUSY || rc == -EEXIST) && n < first + tries; n++) {
        char suffix[48] = ".new";
        if (n)
            snprintf(suffix, sizeof(suffix), n > 1 ? ".%ld.%u" : ".%ld", (long)getpid(), n - 1);
        int len = snprintf(name, sizeof(name), "%s%s", place->name, suffix);
        int path_len = snprintf(ret_path, PATH_MAX, "%s%s", place->path, suffix);
        if (len < 0 || (size_t)len >= sizeof(name) || path_len < 0 || path_len >= PATH_MAX)
            return fail(-ENAMETOOLONG, place->path, error, NULL);
        const struct place next = {.parent = place->parent, .name = name, .path = ret_path};
        rc = take(&next, ret_fd, error);
        if (rc == 0 && n == 0)
            set_waits(*ret_fd, true);
    }
    return rc;
}

/* Hold a directory that take() returned, for a command. */
static int
claim(int fd, const char *path, char *error)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    if (pp_dir_is_claimed(fd)) {
        close(fd);
        return fail(-EBUSY, path, error, PP_TEXT_DIR_CLAIMED);
    }
    (void)fcntl(fd, F_OFD_SETLK, &lock); /* a filesystem without locks has no claims either */
    (void)flock(fd, LOCK_UN);            /* the application takes it */
    return 0;
}

int
pp_dir_claim(int parent_fd, const char *name, const char *path, int *ret_fd, char *ret_path, char *error)
{
    const struct place place = {.parent = parent_fd, .name = name, .path = path};
    bool holds = false;
    int fd = -1;
    finish_earlier(&place);
    int rc = clear_place(&place, false, &holds, error);
    if (rc)
        return rc;
    snprintf(ret_path, PATH_MAX, "%s", path);
    rc = holds ? take_next_to(&place, 0, 1, ret_path, &fd, error) : take(&place, &fd, error);
    rc = rc ? rc : claim(fd, ret_path, error);
    if (rc)
        return holds && rc == -EEXIST ? -EBUSY : rc; /* PATH.new is somebody else's */
    *ret_fd = fd;
    return 0;
}

int
pp_dir_replace_older(int parent_fd, const char *staged, const char *name, const char *path, bool *ret_moved,
                     char *error)
{
    const struct place place = {.parent = parent_fd, .name = name, .path = path};
    int rc = clear_place(&place, true, ret_moved, error);
    if (rc)
        return rc;
    /* fails if a file or a directory that is not empty has come there meanwhile */
    rc = rename_staged(parent_fd, staged, name);
    return rc ? fail(rc, path, error, NULL) : 0;
}

/* Is the descriptor of the folder still that? It is if the session directory is in it. */
static bool
has_parent(const struct pp_dir *dir)
{
    return dir->parent_fd >= 0 && pp_fd_is_own(dir->fd) && pp_dir_is(dir->parent_fd, dir->staged, dir->fd);
}

static void
close_parent(struct pp_dir *dir, bool has)
{
    if (has)
        close(dir->parent_fd);
    dir->parent_fd = -1;
}

int
pp_dir_open_replace_older(struct pp_dir *dir, char *error)
{
    char path[PATH_MAX];
    bool moved = false;
    bool has = has_parent(dir);
    int rc = has ? 0 : fail(-EBADF, dir->path, error, NULL);
    snprintf(path, sizeof(path), "%.*s", (int)(strlen(dir->path) - strlen(dir->staged) + strlen(dir->name)),
             dir->path);
    if (rc == 0 && *dir->name)
        rc = pp_dir_replace_older(dir->parent_fd, dir->staged, dir->name, path, &moved, error);
    if (rc == 0 && *dir->name)
        snprintf(dir->path, sizeof(dir->path), "%s", path);
    close_parent(dir, has);
    return rc;
}

/* Open a session directory as pp_dir_open() does, in an open folder. */
static int
open_in(const struct place *place, bool keep, struct pp_dir *ret_dir, char *error)
{
    bool holds = false;
    if (!keep)
        finish_earlier(place);
    int rc = keep ? 0 : clear_place(place, false, &holds, error);
    if (rc && rc != -EBUSY)
        return rc;
    ret_dir->next_to_requested = false;
    snprintf(ret_dir->path, sizeof(ret_dir->path), "%s", place->path);
    if (rc == 0)
        rc = holds ? take_next_to(place, 0, TRIES, ret_dir->path, &ret_dir->fd, error)
                   : take(place, &ret_dir->fd, error);
    if (rc == 0 && holds &&
        pp_dir_is_claimed(ret_dir->fd)) { /* by a command, for an application that has yet to start */
        close(ret_dir->fd);
        rc = take_next_to(place, 1, TRIES, ret_dir->path, &ret_dir->fd, error);
    } else if (rc == -EBUSY) {
        holds = false;
        rc = take_next_to(place, 1, TRIES, ret_dir->path, &ret_dir->fd, error);
        ret_dir->next_to_requested = true;
    }
    if (rc == 0 && holds) {
        snprintf(ret_dir->name, sizeof(ret_dir->name), "%s", place->name);
        snprintf(ret_dir->staged, sizeof(ret_dir->staged), "%s%s", place->name,
                 ret_dir->path + strlen(place->path));
        ret_dir->parent_fd = pp_fd_keep(fcntl(place->parent, F_DUPFD_CLOEXEC, 3));
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
    ret_dir->parent_fd = -1;
    int rc = len < sizeof(plain) ? pp_dir_parent(path, &parent, name) : -ENAMETOOLONG;
    if (rc)
        return fail(rc, path, error, NULL);
    memcpy(plain, path, len);
    plain[len] = '\0';
    rc = open_in(&(struct place){.parent = parent, .name = name, .path = plain}, keep, ret_dir, error);
    close(parent);
    return rc;
}

int
pp_dir_discard(struct pp_dir *dir)
{
    bool has = has_parent(dir);
    int rc = has ? pp_dir_remove(dir->parent_fd, dir->staged) : -ENOENT;
    close_parent(dir, has);
    return rc;
}

void
pp_dir_discard_without_frames(struct pp_dir *dir)
{
    if (dir->parent_fd >= 0 || pp_dir_parent(dir->path, &dir->parent_fd, dir->staged))
        return;
    dir->name[0] = '\0';
}

void
pp_dir_close(struct pp_dir *dir)
{
    if (dir->parent_fd >= 0)
        close_parent(dir, has_parent(dir));
    pp_fd_close(dir->fd);
    dir->fd = -1;
}
