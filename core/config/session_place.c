/** @file
 * See session_place.h. */
#include "core/config/session_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

/* Is a session to be deleted before the other one? */
static bool
goes_first(const struct old_session *a, const struct old_session *b)
{
    if (a->has_frames != b->has_frames)
        return !a->has_frames;
    if (a->written.tv_sec != b->written.tv_sec)
        return a->written.tv_sec < b->written.tv_sec;
    return a->written.tv_nsec < b->written.tv_nsec;
}

/* Look at a directory. @return false: it is not a session that may be deleted. */
static bool
examine(int folder_fd, const char *name, struct old_session *ret)
{
    int fd = pp_dir_open_in(folder_fd, name);
    struct stat st;
    const char *file = NULL;
    if (fd < 0)
        return false;
    bool is_session = pp_dir_look(fd) == PP_DIR_SESSION && pp_dir_is_own(fd) && !pp_dir_is_in_use(fd) &&
                      fstat(fd, &st) == 0;
    if (is_session) {
        *ret = (struct old_session){.written = st.st_mtim, .has_frames = pp_dir_has_frames(fd)};
        snprintf(ret->name, sizeof(ret->name), "%s", name);
        for (size_t i = 0; (file = pp_dir_session_file(i)); i++) {
            if (fstatat(fd, file, &st, AT_SYMLINK_NOFOLLOW))
                continue;
            ret->bytes += (uint64_t)st.st_size;
            if (st.st_mtim.tv_sec > ret->written.tv_sec)
                ret->written = st.st_mtim;
        }
    }
    close(fd);
    return is_session;
}

/* Find the session that goes first. @return false: what is there is not too much. */
static bool
find_surplus(int folder_fd, struct old_session *ret)
{
    int copy = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct old_session one;
    uint64_t bytes = 0;
    size_t count = 0;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (entry->d_name[0] == '.' || !examine(folder_fd, entry->d_name, &one))
            continue;
        if (count++ == 0 || goes_first(&one, ret))
            *ret = one;
        bytes += one.bytes;
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    return count >= PP_PLACE_SESSIONS || (count && bytes > PP_PLACE_BYTES);
}

size_t
pp_place_prune(const char *folder)
{
    struct old_session oldest = {.bytes = 0};
    size_t deleted = 0;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    /* no endless loop: each turn deletes a session, or ends it */
    while (find_surplus(fd, &oldest) && pp_dir_remove(fd, oldest.name) == 0)
        deleted += oldest.has_frames;
    close(fd);
    return deleted;
}
