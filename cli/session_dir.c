/** @file
 * See session_dir.h. */
#include "cli/session_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/places.h"
#include "core/dir.h"

/* Absolute path of output, whose last part need not exist. */
static int
absolute(const char *output, char ret[PATH_MAX])
{
    char parent[PATH_MAX];
    char real[PATH_MAX];
    size_t len = strlen(output);
    while (len > 1 && output[len - 1] == '/')
        len--;
    if (len == 0 || len >= sizeof(parent))
        return len ? -ENAMETOOLONG : -ENOENT;
    memcpy(parent, output, len);
    parent[len] = '\0';
    char *slash = strrchr(parent, '/');
    const char *name = slash ? slash + 1 : parent;
    if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -EINVAL;
    char last[NAME_MAX + 1];
    if (strlen(name) > NAME_MAX)
        return -ENAMETOOLONG;
    memcpy(last, name, strlen(name) + 1);
    if (slash)
        slash[slash == parent] = '\0';
    if (!realpath(slash ? parent : ".", real))
        return -errno;
    return pp_join(ret, strcmp(real, "/") == 0 ? "" : real, last) ? 0 : -ENAMETOOLONG;
}

/* Does another passprobe command hold this directory? Commands hold a read lock on it, programs core/dir.h's
 * flock(): the two kinds do not see each other. */
static bool
is_claimed(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Hold the directory until the command ends. */
static int
claim(const char *path, int *ret_fd)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (fcntl(fd, F_OFD_SETLK, &lock) == 0 && is_claimed(fd)) {
        close(fd);
        return -EBUSY;
    }
    *ret_fd = fd; /* a filesystem without locks has no claims either */
    return 0;
}

/* Is a command reading or filling what lies there? */
static bool
is_in_use(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool used = fd >= 0 && is_claimed(fd);
    if (fd >= 0)
        close(fd);
    return used;
}

/* Keep other commands out of the directory that path stands in, while one looks, moves, makes and claims
 * there: what one has just made and not yet claimed would else be moved away as an old session by the next.
 * Gives up after two seconds: somebody may hold a lock on that directory for reasons of their own. -1: not
 * kept. */
static int
keep_others_out(const char *path)
{
    char parent[PATH_MAX];
    snprintf(parent, sizeof(parent), "%s", path);
    char *slash = strrchr(parent, '/');
    if (!slash)
        return -1;
    slash[slash == parent] = '\0';
    int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct timespec nap = {.tv_nsec = 10000000};
    for (unsigned tries = 0; fd >= 0 && tries < 200; tries++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
            break;
        nanosleep(&nap, NULL);
    }
    return fd;
}

/* Make dir->path an empty directory of ours. */
static int
take(struct pp_session_dir *dir, char *why)
{
    int others = keep_others_out(dir->path);
    int rc = is_in_use(dir->path) ? -EBUSY : pp_dir_make_room(dir->path, why);
    if (rc == 0 && mkdir(dir->path, 0777) && errno != EEXIST)
        rc = -errno;
    if (rc == 0 && access(dir->path, W_OK | X_OK))
        rc = -errno;
    if (rc == 0)
        rc = claim(dir->path, &dir->claim_fd);
    if (others >= 0)
        close(others);
    return rc;
}

int
pp_session_dir_prepare(const char *output, struct pp_session_dir *ret_dir, char *why)
{
    struct pp_session_dir dir = {.claim_fd = -1};
    char asked[PATH_MAX];
    why[0] = '\0';
    int rc = absolute(output, asked);
    if (rc == 0) {
        memcpy(dir.path, asked, sizeof(asked));
        rc = take(&dir, why);
    }
    if (rc == -EBUSY) {
        int n = snprintf(dir.path, sizeof(dir.path), "%s-%ld", asked, (long)getpid());
        dir.beside = true;
        why[0] = '\0';
        rc = n < 0 || n >= PATH_MAX ? -ENAMETOOLONG : take(&dir, why);
    }
    if (rc) {
        if (!*why && rc == -EINVAL)
            snprintf(
                why, PP_SESSION_DIR_WHY,
                "cannot write to %.300s itself: name a directory in it, which the session gets for its own",
                output);
        else if (!*why)
            snprintf(why, PP_SESSION_DIR_WHY, "cannot write to %.300s: %s", output, strerror(-rc));
        return rc;
    }
    *ret_dir = dir;
    return 0;
}

int
pp_session_dir_temporary(struct pp_session_dir *ret_dir)
{
    const char *tmp = getenv("TMPDIR");
    struct pp_session_dir dir = {.claim_fd = -1};
    if (!pp_join(dir.path, tmp && *tmp == '/' ? tmp : "/tmp", "passprobe-XXXXXX"))
        return -ENAMETOOLONG;
    if (!mkdtemp(dir.path))
        return -errno;
    *ret_dir = dir;
    return 0;
}

size_t
pp_csv_whole_rows(const char *text, size_t len, _Bool *quoted)
{
    const char *end = text + len;
    size_t whole = 0;
    for (const char *at = text; at < end;) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        const char *stop = line ? line : end;
        for (const char *quote = at; (quote = memchr(quote, '"', (size_t)(stop - quote))); quote++)
            *quoted = !*quoted;
        at = line ? line + 1 : end;
        if (line && !*quoted)
            whole = (size_t)(at - text);
    }
    return whole;
}

/* 1: was cut, 0: was whole. */
static int
mend_file(int fd)
{
    char text[65536];
    off_t at = 0;
    off_t whole = 0;
    bool quoted = false;
    ssize_t got = 0;
    while ((got = read(fd, text, sizeof(text))) > 0) {
        size_t rows = pp_csv_whole_rows(text, (size_t)got, &quoted);
        if (rows)
            whole = at + (off_t)rows;
        at += got;
    }
    if (got < 0)
        return -errno;
    if (whole == at)
        return 0;
    return ftruncate(fd, whole) ? -errno : 1;
}

int
pp_session_dir_mend(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir)
        return -errno;
    /* a writer holds this lock (core/dir.h): a process that CMD left behind still adds rows */
    if (flock(dirfd(dir), LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        closedir(dir);
        return -EBUSY;
    }
    int cut = 0;
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        size_t len = strlen(entry->d_name);
        if (len < 4 || strcmp(entry->d_name + len - 4, ".csv") != 0)
            continue;
        int fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (mend_file(fd) == 1)
            cut++;
        close(fd);
    }
    closedir(dir);
    return cut;
}

/* Rows of a session's frames.csv. @return false: it has none, or an older one. */
static bool
count_frames(const char *path, int64_t since_s, uint64_t *ret_frames)
{
    char text[65536];
    struct stat st;
    bool quoted = false;
    uint64_t rows = 0;
    ssize_t got = 0;
    if (!pp_join(text, path, "frames.csv") || lstat(text, &st) || !S_ISREG(st.st_mode) ||
        st.st_mtim.tv_sec < since_s)
        return false;
    int fd = open(text, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    while (fd >= 0 && (got = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            quoted = quoted != (text[i] == '"');
            rows += text[i] == '\n' && !quoted;
        }
    }
    if (fd >= 0)
        close(fd);
    *ret_frames = rows ? rows - 1 : 0; /* without the header */
    return true;
}

/* Is this name the directory's own with ".PID" behind it? */
static bool
stands_beside(const char *name, const char *own)
{
    size_t len = strlen(own);
    if (strncmp(name, own, len) != 0 || name[len] != '.' || !name[len + 1])
        return false;
    return strspn(name + len, ".0123456789") == strlen(name + len);
}

/* Every session that stands beside the directory, as other processes leave them. */
static void
visit_beside(const struct pp_session_dir *dir, void (*visit)(const char *path, void *data), void *data)
{
    char parent[PATH_MAX];
    char path[PATH_MAX];
    snprintf(parent, sizeof(parent), "%s", dir->path);
    char *slash = strrchr(parent, '/');
    if (!slash)
        return;
    slash[slash == parent] = '\0';
    DIR *d = opendir(parent);
    for (struct dirent *entry = d ? readdir(d) : NULL; entry; entry = readdir(d)) {
        if (stands_beside(entry->d_name, strrchr(dir->path, '/') + 1) && pp_join(path, parent, entry->d_name))
            visit(path, data);
    }
    if (d)
        closedir(d);
}

/* pp_session_dir_find() under way. */
struct finding {
    struct pp_sessions *ret;
    int64_t since_s;
};

static void
find_one(const char *path, void *data)
{
    struct finding *f = data;
    struct pp_session_found *list = f->ret->by_frames;
    uint64_t frames = 0;
    if (!count_frames(path, f->since_s, &frames))
        return;
    (void)pp_session_dir_mend(path);
    size_t last = f->ret->found < PP_SESSIONS_NAMED ? f->ret->found : PP_SESSIONS_NAMED;
    size_t at = last;
    f->ret->found++;
    while (at > 0 && list[at - 1].frames < frames)
        at--;
    if (at == PP_SESSIONS_NAMED)
        return;
    last -= last == PP_SESSIONS_NAMED;
    memmove(&list[at + 1], &list[at], (last - at) * sizeof(*list));
    snprintf(list[at].path, sizeof(list[at].path), "%s", path);
    list[at].frames = frames;
}

void
pp_session_dir_find(const struct pp_session_dir *dir, int64_t since_s, struct pp_sessions *ret)
{
    memset(ret, 0, sizeof(*ret));
    struct finding f = {.ret = ret, .since_s = since_s};
    find_one(dir->path, &f);
    visit_beside(dir, find_one, &f);
    if (!ret->found)
        snprintf(ret->by_frames[0].path, sizeof(ret->by_frames[0].path), "%s", dir->path);
}

/* Data: unused. */
static void
delete_one(const char *path, void *data)
{
    (void)data;
    DIR *d = opendir(path);
    for (struct dirent *entry = d ? readdir(d) : NULL; entry; entry = readdir(d)) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(d), entry->d_name, 0);
    }
    if (d)
        closedir(d);
    rmdir(path);
}

void
pp_session_dir_delete(const struct pp_session_dir *dir)
{
    delete_one(dir->path, NULL);
    visit_beside(dir, delete_one, NULL); /* its name is ours alone */
}

void
pp_session_dir_drop_empty(const struct pp_session_dir *dir)
{
    char json[PATH_MAX];
    char frames[PATH_MAX];
    struct stat st;
    /* A session.json alone: nothing was profiled, and its reason has been said. */
    if (pp_join(json, dir->path, "session.json") && pp_join(frames, dir->path, "frames.csv") &&
        lstat(frames, &st) && errno == ENOENT)
        unlink(json);
    rmdir(dir->path); /* fails, as it should, where something is in it */
}
