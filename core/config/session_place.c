/** @file
 * See session_place.h. */
#include "core/config/session_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/dir_content.h"
#include "core/config/session_dir.h"

bool
pp_place_is_template(const char *output)
{
    for (const char *at = output; (at = strchr(at, '%')) && at[1]; at += 2)
        if (strchr("ept", at[1]))
            return true;
    return false;
}

bool
pp_place_is_valid(const char *output)
{
    for (const char *at = output; (at = strchr(at, '%')); at += 2)
        if (!at[1] || !strchr("ept%", at[1]))
            return false;
    return true;
}

/* Write a program's name as a part of a file name. */
static void
plain_name(char *ret, size_t size, const char *program)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    const char *backslash = strrchr(name, '\\'); /* of Wine */
    name = backslash ? backslash + 1 : name;
    size_t len = 0;
    for (; *name && len + 1 < size; name++) {
        unsigned char c = (unsigned char)*name;
        bool plain = c > ' ' && c != 0x7f && (len || c != '.');
        ret[len++] = plain ? (char)c : '_';
    }
    ret[len] = '\0';
    if (len == 0)
        snprintf(ret, size, "unknown");
}

int
pp_place_expand(const char *output, const char *program, long pid, time_t now, char *ret)
{
    char name[65];
    char date[32] = "";
    struct tm tm;
    size_t used = 0;
    plain_name(name, sizeof(name), program);
    if (localtime_r(&now, &tm))
        strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
    for (const char *at = output; *at;) {
        int len = 0;
        size_t left = PATH_MAX - used;
        if (*at != '%')
            len = snprintf(ret + used, left, "%c", *at);
        else if (at[1] == 'e')
            len = snprintf(ret + used, left, "%s", name);
        else if (at[1] == 'p')
            len = snprintf(ret + used, left, "%ld", pid);
        else if (at[1] == 't')
            len = snprintf(ret + used, left, "%s", date);
        else if (at[1] == '%')
            len = snprintf(ret + used, left, "%%");
        else
            return -EINVAL;
        if (len < 0 || (size_t)len >= left)
            return -ENAMETOOLONG;
        used += (size_t)len;
        at += *at == '%' ? 2 : 1;
    }
    ret[used] = '\0';
    return 0;
}

/* The value of a variable, or NULL. */
static const char *
value_of(char *const *env, const char *name)
{
    size_t len = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    return NULL;
}

bool
pp_place_default(char *const *env, char *ret)
{
    const char *data = value_of(env, "XDG_DATA_HOME");
    const char *home = value_of(env, "HOME");
    int len = -1;
    if (data && *data == '/')
        len = snprintf(ret, PATH_MAX, "%s/passprobe", data);
    else if (home && *home == '/')
        len = snprintf(ret, PATH_MAX, "%s/.local/share/passprobe", home);
    return len > 0 && len < PATH_MAX;
}

int
pp_place_make_folders(const char *path, unsigned *ret_made)
{
    char folder[PATH_MAX];
    size_t len = strlen(path);
    *ret_made = 0;
    if (len >= sizeof(folder))
        return -ENAMETOOLONG;
    memcpy(folder, path, len + 1);
    while (len > 1 && folder[len - 1] == '/')
        folder[--len] = '\0';
    for (char *at = folder + 1; len && (at = strchr(at, '/')); at++) {
        *at = '\0';
        if (mkdir(folder, 0755) == 0)
            (*ret_made)++;
        else if (errno != EEXIST)
            return -errno;
        *at = '/';
    }
    return 0;
}

/* A session that may be deleted. */
struct old_session {
    char name[NAME_MAX + 1];
    uint64_t bytes;
    struct timespec written;
    bool has_frames;
};

/* Sessions of a folder. */
struct old_sessions {
    struct old_session *session; /* owned */
    size_t len, cap;
};

/* Compare for qsort(): the session that is to be deleted first comes first. */
static int
first_to_go(const void *a, const void *b)
{
    const struct old_session *x = a;
    const struct old_session *y = b;
    if (x->has_frames != y->has_frames)
        return x->has_frames ? 1 : -1;
    if (x->written.tv_sec != y->written.tv_sec)
        return x->written.tv_sec < y->written.tv_sec ? -1 : 1;
    return (x->written.tv_nsec > y->written.tv_nsec) - (x->written.tv_nsec < y->written.tv_nsec);
}

/* Does a name end as those that passprobe chooses in the default folder: "-20260131-235959", and then at most
 * two numbers, ".77.1"? What the user named is never deleted. */
static bool
is_chosen_name(const char *name)
{
    static const char pattern[] = "-dddddddd-dddddd";
    static const char digits[] = "0123456789";
    size_t end = strlen(name);
    for (unsigned suffixes = 0; suffixes < 2; suffixes++) {
        size_t at = end;
        while (at > 0 && memchr(digits, name[at - 1], sizeof(digits) - 1))
            at--;
        if (at > 0 && at < end && name[at - 1] == '.')
            end = at - 1;
    }
    if (end <= sizeof(pattern) - 1)
        return false;
    const char *tail = name + end - (sizeof(pattern) - 1);
    for (size_t i = 0; i + 1 < sizeof(pattern); i++)
        if (pattern[i] == 'd' ? tail[i] < '0' || tail[i] > '9' : tail[i] != pattern[i])
            return false;
    return true;
}

/* Open and lock a session that may be deleted. On a filesystem without locks nothing may: a process could use
 * it. @retval fd, -errno. */
static int
open_unused(int folder_fd, const char *name)
{
    int fd = pp_dir_open_in(folder_fd, name);
    if (fd < 0)
        return fd;
    int rc = 0;
    if (flock(fd, LOCK_EX | LOCK_NB) || pp_dir_is_claimed(fd))
        rc = -EBUSY;
    else if (!pp_dir_is_own(fd) || pp_dir_look(fd) != PP_DIR_SESSION)
        rc = -EPERM;
    if (rc)
        close(fd);
    return rc ? rc : fd;
}

/* Look at a directory. @return false: it is not a session that may be deleted. */
static bool
examine(int folder_fd, const char *name, struct old_session *ret)
{
    struct stat st;
    const char *file = NULL;
    int fd = is_chosen_name(name) ? open_unused(folder_fd, name) : -EPERM;
    if (fd < 0)
        return false;
    bool known = fstat(fd, &st) == 0;
    if (known) {
        *ret = (struct old_session){.written = st.st_mtim, .has_frames = pp_dir_has_frames(fd)};
        snprintf(ret->name, sizeof(ret->name), "%s", name);
    }
    for (size_t i = 0; known && (file = pp_dir_session_file(i)); i++) {
        if (fstatat(fd, file, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        ret->bytes += (uint64_t)st.st_size;
        if (st.st_mtim.tv_sec > ret->written.tv_sec)
            ret->written = st.st_mtim;
    }
    close(fd);
    return known;
}

/* Make memory for one more session. @return false: there is none. */
static bool
reserve(struct old_sessions *old)
{
    size_t cap = old->cap ? 2 * old->cap : 32;
    if (old->len < old->cap)
        return true;
    struct old_session *more = realloc(old->session, cap * sizeof(*more));
    if (!more)
        return false;
    old->session = more;
    old->cap = cap;
    return true;
}

/* Find the sessions of a folder that may be deleted; without memory, some of them. */
static void
find_old(int folder_fd, struct old_sessions *ret)
{
    int copy = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct old_session one;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (!examine(folder_fd, entry->d_name, &one))
            continue;
        if (!reserve(ret))
            break;
        ret->session[ret->len++] = one;
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
}

/* Delete a session, unless a process has begun to use it. */
static bool
delete_unused(int folder_fd, const char *name)
{
    int fd = open_unused(folder_fd, name);
    if (fd < 0)
        return false;
    bool deleted = pp_dir_is(folder_fd, name, fd) && pp_dir_remove(folder_fd, name) == 0;
    close(fd);
    return deleted;
}

size_t
pp_place_prune(const char *folder)
{
    struct old_sessions old = {.len = 0};
    uint64_t bytes = 0;
    size_t deleted = 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    find_old(fd, &old);
    size_t count = old.len;
    for (size_t i = 0; i < old.len; i++)
        bytes += old.session[i].bytes;
    if (old.len)
        qsort(old.session, old.len, sizeof(*old.session), first_to_go);
    for (size_t i = 0; i < old.len && (count >= PP_PLACE_SESSIONS || bytes > PP_PLACE_BYTES); i++) {
        if (!delete_unused(fd, old.session[i].name))
            continue;
        count--;
        bytes -= old.session[i].bytes;
        deleted += old.session[i].has_frames;
    }
    free(old.session);
    close(fd);
    return deleted;
}
