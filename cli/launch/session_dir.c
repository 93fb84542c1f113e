/** @file
 * See session_dir.h. */
#include "cli/launch/session_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/launch/install_paths.h"
#include "cli/session/session_json.h"
#include "cli/text/message.h"
#include "core/config/dir_content.h"
#include "core/config/session_dir.h"
#include "core/config/session_place.h"
#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "pp_texts.h"

/* CSV files that passprobe writes, by the header's begin: an application may write its own into the
 * directory. A file that is listed twice began differently in schema 1. */
static const struct {
    const char *name;
    const char *header;
} written[] = {{"frames.csv", "frame,api,"},
               {"passes.csv", "frame,pass,pass_id,"},
               {"draws.csv", "frame,pass,draw,draw_id,"},
               {"labels.csv", "frame,depth,passes,"},
               {"labels.csv", "frame,label,depth,"},
               {"stacks.csv", "stack,truncated,frames"}};
#define HEADER_MAX 32

size_t
pp_session_mend_whole_rows(const char *text, size_t len, bool *quoted)
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

/* Cut an unfinished last row. @return 1: the row was cut; 0: all rows were whole; -errno. */
static int
mend_file(int fd)
{
    char text[65536];
    off_t at = 0;
    off_t whole = 0;
    bool quoted = false;
    ssize_t got = 0;
    while ((got = read(fd, text, sizeof(text))) > 0) {
        size_t rows = pp_session_mend_whole_rows(text, (size_t)got, &quoted);
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

/* Did passprobe write this file for this user? A file with a second hard link may belong to another user. */
static bool
is_written(int fd, const char *header)
{
    char begin[HEADER_MAX];
    struct stat st;
    size_t len = strlen(header);
    return fstat(fd, &st) == 0 && st.st_nlink == 1 && pp_dir_is_own(fd) &&
           pread(fd, begin, len, 0) == (ssize_t)len && memcmp(begin, header, len) == 0;
}

int
pp_session_mend(int dir_fd)
{
    int cut = 0;
    if (!pp_dir_is_own(dir_fd))
        return -EPERM;
    /* a writer holds this lock (core/config/session_dir.h): a process that CMD left behind still adds rows */
    int lock = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock < 0)
        return -errno;
    if (flock(lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
        close(lock);
        return -EBUSY;
    }
    for (size_t i = 0; i < PP_ARRAY_SIZE(written); i++) {
        int fd = pp_open_regular(dir_fd, written[i].name, O_RDWR | O_NOFOLLOW);
        if (fd < 0)
            continue;
        if (is_written(fd, written[i].header) && mend_file(fd) == 1)
            cut++;
        close(fd);
    }
    close(lock);
    return cut;
}

/* The name of the directory in its parent. */
static const char *
name_in_parent(const struct pp_session_dir *dir)
{
    return strrchr(dir->path, '/') + 1;
}

/* Make the path of @p output absolute. Its last part need not exist. */
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

/* The time that a file would get which is written now. */
static int64_t
file_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Was the file written after the directory was prepared? */
static bool
is_of_run(const struct stat *st, int64_t since_ns)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec >= since_ns;
}

/* Fill in dir->path and dir->parent_fd. */
static int
resolve(const char *output, struct pp_session_dir *dir)
{
    char name[NAME_MAX + 1];
    int rc = absolute(output, dir->path);
    return rc ? rc : pp_dir_parent(dir->path, &dir->parent_fd, name);
}

/* Make dir->path an empty directory of passprobe, and claim it. */
static int
take(struct pp_session_dir *dir, char *why)
{
    char path[PATH_MAX];
    int rc = pp_dir_claim(dir->parent_fd, name_in_parent(dir), dir->path, &dir->fd, path, why);
    if (rc == 0 && strcmp(path, dir->path) != 0) {
        memcpy(dir->wanted, dir->path, sizeof(dir->wanted));
        memcpy(dir->path, path, sizeof(dir->path));
    }
    if (rc == 0 && faccessat(dir->fd, ".", W_OK | X_OK, AT_EACCESS)) {
        rc = -errno;
        close(dir->fd);
        dir->fd = -1;
    }
    return rc;
}

/* Make a directory next to the requested one, which is in use. Other users can guess its name, too, so an
 * existing directory is left alone.
 */
static int
take_other_name(struct pp_session_dir *dir, char *why)
{
    char asked[PATH_MAX];
    int rc = -EBUSY;
    memcpy(asked, dir->path, sizeof(asked));
    for (unsigned n = 0; (rc == -EBUSY || rc == -EEXIST) && n < 100; n++) {
        int len = n ? snprintf(dir->path, sizeof(dir->path), "%s-%ld-%u", asked, (long)getpid(), n)
                    : snprintf(dir->path, sizeof(dir->path), "%s-%ld", asked, (long)getpid());
        why[0] = '\0';
        rc = len < 0 || (size_t)len >= sizeof(dir->path) ? -ENAMETOOLONG : take(dir, why);
    }
    dir->replaces_busy = true;
    return rc;
}

/* Remove the folders that were made for the directory, if they are empty. */
static void
remove_made(const struct pp_session_dir *dir)
{
    char folder[PATH_MAX];
    memcpy(folder, dir->path, sizeof(folder));
    for (unsigned i = 0; i < dir->folders_made; i++) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder)
            return;
        *slash = '\0';
        if (rmdir(folder))
            return;
    }
}

int
pp_session_dir_prepare(const char *output, const char *program, struct pp_session_dir *ret_dir, char *why)
{
    struct pp_session_dir dir = {.fd = -1, .parent_fd = -1, .since_ns = file_time_ns()};
    char path[PATH_MAX];
    why[0] = '\0';
    int rc = pp_place_expand(output, program, (long)getpid(), time(NULL), path);
    rc = rc ? rc : pp_place_make_folders(path, &dir.folders_made);
    rc = rc ? rc : resolve(path, &dir);
    rc = rc ? rc : take(&dir, why);
    if (rc == -EBUSY)
        rc = take_other_name(&dir, why);
    if (rc) {
        if (!*why && rc == -EINVAL)
            snprintf(why, PP_SESSION_DIR_WHY, PP_FORMAT_DIR_ITSELF, output);
        else if (!*why)
            snprintf(why, PP_SESSION_DIR_WHY, PP_FORMAT_DIR_FAILED, output, strerror(-rc));
        if (dir.parent_fd >= 0)
            close(dir.parent_fd);
        remove_made(&dir);
        return rc;
    }
    *ret_dir = dir;
    return 0;
}

int
pp_session_dir_temporary(struct pp_session_dir *ret_dir)
{
    const char *tmp = getenv("TMPDIR");
    struct pp_session_dir dir = {.fd = -1, .parent_fd = -1, .since_ns = file_time_ns(), .temporary = true};
    char folder[PATH_MAX];
    char why[PP_SESSION_DIR_WHY];
    /* mkdtemp() makes the folder with mode 0700: so no other user puts a directory next to the session's */
    if (!pp_join(folder, tmp && *tmp == '/' ? tmp : "/tmp", "passprobe-XXXXXX") ||
        !pp_join(dir.path, folder, "passprobe.data"))
        return -ENAMETOOLONG;
    if (!mkdtemp(folder))
        return -errno;
    int rc = pp_join(dir.path, folder, "passprobe.data") ? 0 : -ENAMETOOLONG;
    dir.parent_fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir.parent_fd < 0)
        rc = -errno;
    else if (!pp_dir_is_own(dir.parent_fd))
        rc = -EPERM;
    rc = rc ? rc : take(&dir, why);
    if (rc) {
        (void)rmdir(folder);
        if (dir.parent_fd >= 0)
            close(dir.parent_fd);
        return rc;
    }
    *ret_dir = dir;
    return 0;
}

/* Count the rows of a session's frames.csv. @return false: this run wrote no such file. */
static bool
count_frames(int dir_fd, int64_t since_ns, uint64_t *ret_frames)
{
    char text[65536];
    struct stat st;
    bool quoted = false;
    uint64_t rows = 0;
    ssize_t got = 0;
    int fd = pp_open_regular(dir_fd, "frames.csv", O_RDONLY | O_NOFOLLOW);
    if (fd < 0)
        return false;
    bool recent = fstat(fd, &st) == 0 && is_of_run(&st, since_ns);
    while (recent && (got = read(fd, text, sizeof(text))) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            quoted = quoted != (text[i] == '"');
            rows += text[i] == '\n' && !quoted;
        }
    }
    close(fd);
    *ret_frames = rows ? rows - 1 : 0; /* without the header */
    return recent;
}

/* Is this the name of the session directory with ".PID" after it? */
static bool
is_of_other_process(const char *name, const char *own)
{
    size_t len = strlen(own);
    if (strncmp(name, own, len) != 0 || name[len] != '.' || !name[len + 1])
        return false;
    return strspn(name + len, ".0123456789") == strlen(name + len);
}

/* Visit every directory next to the session's that other processes may have left. @param own Name of the
 * session's own directory, by which they are found. */
static void
visit_other_processes(const struct pp_session_dir *dir, const char *own,
                      void (*visit)(int parent_fd, const char *name, void *data), void *data)
{
    int fd = openat(dir->parent_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *entry = d ? readdir(d) : NULL; entry; entry = readdir(d)) {
        if (is_of_other_process(entry->d_name, own))
            visit(dir->parent_fd, entry->d_name, data);
    }
    if (d)
        closedir(d);
    else if (fd >= 0)
        close(fd);
}

/* A call of rename_other_process(). */
struct renaming {
    const char *staged, *name;
};

/* The number of the process that recorded a session; 0: not known. */
static long
process_of(int dir_fd)
{
    char why[256];
    bool missing = false;
    json_t *about = dir_fd < 0 ? NULL : pp_saved_load_json(dir_fd, why, sizeof(why), &missing);
    long pid = (long)json_integer_value(json_object_get(json_object_get(about, "program"), "pid"));
    json_decref(about);
    return pid > 0 ? pid : 0;
}

/* "data.new.77" becomes "data.77", unless something has that name. So does "data.new", which a later process
 * 77 made after that of the first one had become "data". */
static void
rename_other_process(int parent_fd, const char *name, void *data)
{
    const struct renaming *renaming = data;
    char new_name[NAME_MAX + 1];
    int fd = pp_dir_open_in(parent_fd, name);
    const char *suffix = name + strlen(renaming->staged);
    int len = *suffix ? snprintf(new_name, sizeof(new_name), "%s%s", renaming->name, suffix)
                      : snprintf(new_name, sizeof(new_name), "%s.%ld", renaming->name, process_of(fd));
    if (fd >= 0 && pp_dir_is_own(fd) && len > 0 && (size_t)len < sizeof(new_name))
        (void)renameat2(parent_fd, name, parent_fd, new_name, RENAME_NOREPLACE);
    if (fd >= 0)
        close(fd);
}

/* A call of note_frames(). */
struct noting {
    int64_t since_ns;
    bool any;
};

/* Does a session of another process of this run have a frame? */
static void
note_frames(int parent_fd, const char *name, void *data)
{
    struct noting *noting = data;
    struct stat st;
    int fd = noting->any ? -1 : pp_dir_open_in(parent_fd, name);
    if (fd < 0)
        return;
    noting->any = pp_dir_is_own(fd) && fstatat(fd, "frames.csv", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                  is_of_run(&st, noting->since_ns) && pp_dir_has_frames(fd);
    close(fd);
}

/* Give the directory its path. @return false: not possible now; @p why has the reason. */
static bool
replace_older(struct pp_session_dir *dir, char *why)
{
    bool moved = false;
    int rc = pp_dir_replace_older(dir->parent_fd, name_in_parent(dir), strrchr(dir->wanted, '/') + 1,
                                  dir->wanted, &moved, why);
    if (rc)
        return false;
    memcpy(dir->staged, dir->path, sizeof(dir->staged));
    memcpy(dir->path, dir->wanted, sizeof(dir->path));
    dir->wanted[0] = '\0';
    if (moved)
        snprintf(dir->previous, sizeof(dir->previous), "%.4000s.old", dir->path);
    return true;
}

bool
pp_session_dir_replace_older(struct pp_session_dir *dir, bool last)
{
    char why[PP_SESSION_DIR_WHY];
    if (*dir->wanted) {
        struct noting noting = {.since_ns = dir->since_ns, .any = pp_dir_has_frames(dir->fd)};
        if (!noting.any)
            visit_other_processes(dir, name_in_parent(dir), note_frames, &noting);
        if (noting.any && pp_session_dir_is_there(dir) && !replace_older(dir, why) && last)
            pp_message(PP_FORMAT_DIR_NOT_REPLACED, why, dir->path);
    }
    if (last && *dir->staged) {
        struct renaming renaming = {.staged = strrchr(dir->staged, '/') + 1, .name = name_in_parent(dir)};
        rename_other_process(dir->parent_fd, renaming.staged, &renaming);
        visit_other_processes(dir, renaming.staged, rename_other_process, &renaming);
    }
    return !*dir->wanted;
}

/* A call of pp_session_dir_find(). */
struct finding {
    const struct pp_session_dir *dir;
    struct pp_sessions *ret;
};

/* Note a session that was found. Takes @p fd over. */
static void
find_one(struct finding *f, int fd, const char *name)
{
    struct pp_session_found *list = f->ret->by_frames;
    uint64_t frames = 0;
    if (!pp_dir_is_own(fd) || !count_frames(fd, f->dir->since_ns, &frames)) {
        close(fd);
        return;
    }
    (void)pp_session_mend(fd);
    size_t last = f->ret->found < PP_SESSIONS_NAMED ? f->ret->found : PP_SESSIONS_NAMED;
    size_t at = last;
    f->ret->found++;
    while (at > 0 && list[at - 1].frames < frames)
        at--;
    if (last == PP_SESSIONS_NAMED)
        close(at == last ? fd : list[--last].fd);
    if (at == PP_SESSIONS_NAMED)
        return;
    memmove(&list[at + 1], &list[at], (last - at) * sizeof(*list));
    snprintf(list[at].path, sizeof(list[at].path), "%.*s/%.255s",
             (int)(strrchr(f->dir->path, '/') - f->dir->path), f->dir->path, name);
    list[at].frames = frames;
    list[at].fd = fd;
}

static void
find_other_process(int parent_fd, const char *name, void *data)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0)
        find_one(data, fd, name);
}

void
pp_session_dir_find(const struct pp_session_dir *dir, struct pp_sessions *ret)
{
    memset(ret, 0, sizeof(*ret));
    struct finding f = {.dir = dir, .ret = ret};
    bool there = pp_session_dir_is_there(dir);
    int fd = there ? fcntl(dir->fd, F_DUPFD_CLOEXEC, 3) : -1;
    if (fd >= 0)
        find_one(&f, fd, name_in_parent(dir));
    visit_other_processes(dir, name_in_parent(dir), find_other_process, &f);
    if (ret->found)
        return;
    snprintf(ret->by_frames[0].path, sizeof(ret->by_frames[0].path), "%s", dir->path);
    ret->by_frames[0].fd = there ? fcntl(dir->fd, F_DUPFD_CLOEXEC, 3) : -1;
}

/* A call of pp_session_dir_growing(). */
struct growing {
    int64_t since_ns;
    off_t bytes;
    int fd;
};

/* Take the session if its frames.csv is the largest one so far. Takes @p fd over. */
static void
grow_one(struct growing *g, int fd)
{
    struct stat st;
    bool larger = fd >= 0 && pp_dir_is_own(fd) && fstatat(fd, "frames.csv", &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                  S_ISREG(st.st_mode) && is_of_run(&st, g->since_ns) && st.st_size > g->bytes;
    int unused = larger ? g->fd : fd;
    if (larger) {
        g->bytes = st.st_size;
        g->fd = fd;
    }
    if (unused >= 0)
        close(unused);
}

static void
grow_other_process(int parent_fd, const char *name, void *data)
{
    grow_one(data, openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int
pp_session_dir_growing(const struct pp_session_dir *dir)
{
    struct growing g = {.since_ns = dir->since_ns, .bytes = 0, .fd = -1};
    grow_one(&g, fcntl(dir->fd, F_DUPFD_CLOEXEC, 3));
    visit_other_processes(dir, name_in_parent(dir), grow_other_process, &g);
    if (*dir->staged) { /* sessions of other processes keep their names until CMD ends */
        grow_other_process(dir->parent_fd, strrchr(dir->staged, '/') + 1, &g);
        visit_other_processes(dir, strrchr(dir->staged, '/') + 1, grow_other_process, &g);
    }
    return g.fd;
}

void
pp_sessions_finish(struct pp_sessions *sessions)
{
    size_t kept = sessions->found == 0                  ? 1
                  : sessions->found < PP_SESSIONS_NAMED ? sessions->found
                                                        : PP_SESSIONS_NAMED;
    for (size_t i = 0; i < kept; i++)
        if (sessions->by_frames[i].fd >= 0)
            close(sessions->by_frames[i].fd);
    memset(sessions, 0, sizeof(*sessions));
}

bool
pp_session_dir_is_there(const struct pp_session_dir *dir)
{
    return pp_dir_is(dir->parent_fd, name_in_parent(dir), dir->fd);
}

/* Remove the private folder of a temporary directory, unless something else is in it. */
static void
remove_folder(const struct pp_session_dir *dir)
{
    char folder[PATH_MAX];
    char name[NAME_MAX + 1];
    int parent = -1;
    snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(dir->path, '/') - dir->path), dir->path);
    if (!dir->temporary || pp_dir_parent(folder, &parent, name))
        return;
    if (pp_dir_is(parent, name, dir->parent_fd))
        (void)unlinkat(parent, name, AT_REMOVEDIR);
    close(parent);
}

/* @param data Unused. */
static void
delete_one(int parent_fd, const char *name, void *data)
{
    (void)data;
    (void)!pp_dir_remove(parent_fd, name);
}

void
pp_session_dir_delete(const struct pp_session_dir *dir)
{
    delete_one(dir->parent_fd, name_in_parent(dir), NULL);
    visit_other_processes(dir, name_in_parent(dir), delete_one, NULL);
    remove_folder(dir);
}

void
pp_session_dir_close(struct pp_session_dir *dir)
{
    if (dir->fd >= 0)
        close(dir->fd);
    if (dir->parent_fd >= 0)
        close(dir->parent_fd);
    dir->fd = dir->parent_fd = -1;
}

void
pp_session_dir_drop_empty(const struct pp_session_dir *dir)
{
    struct stat st;
    /* Without frames.csv nothing was profiled, and the reason in session.json has been printed. */
    if (fstatat(dir->fd, "frames.csv", &st, AT_SYMLINK_NOFOLLOW) && errno == ENOENT)
        (void)unlinkat(dir->fd, "session.json", 0);
    if (pp_session_dir_is_there(dir)) /* fails if something is in the directory, as it should */
        (void)unlinkat(dir->parent_fd, name_in_parent(dir), AT_REMOVEDIR);
    remove_folder(dir);
    remove_made(dir);
}
