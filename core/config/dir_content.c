/** @file
 * See dir_content.h. */
#include "core/config/dir_content.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "counters/util/array_size.h"
#include "counters/util/fd.h"
#include "counters/util/own_fd.h"

static const char *const session_file[] = {
    "session.json", "session.json.new", "frames.csv.new", "modules.csv.new", "symbols.csv", "symbols.csv.new",
#define PP_WRITER(name, file) file,
#include "pp_writers.h"
#undef PP_WRITER
};

/* How the CSV files begin that passprobe writes: labels.csv is a usual name in other programs, too. A session
 * file that is not listed here is recognized by its name alone. A file that is listed twice began differently
 * in schema 1. */
static const struct {
    const char *name;
    const char *begin;
} csv_begin[] = {{"frames.csv", "frame,api,"},
                 {"frames.csv.new", "frame,api,"},
                 {"passes.csv", "frame,pass,pass_id,"},
                 {"draws.csv", "frame,pass,draw,draw_id,"},
                 {"labels.csv", "frame,depth,passes,"},
                 {"labels.csv", "frame,label,depth,"},
                 {"stacks.csv", "stack,truncated,frames"},
                 {"modules.csv", "module,path,build_id,"},
                 {"modules.csv.new", "module,path,build_id,"},
                 {"symbols.csv", "module,offset,function,"},
                 {"symbols.csv.new", "module,offset,function,"}};

#define BEGIN_BYTES 512 /* session.json names passprobe in its first 64 bytes */

int
pp_dir_open_in(int parent_fd, const char *name)
{
    int fd = pp_fd_keep(openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
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

bool
pp_dir_is_session_file(const char *name)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(session_file); i++)
        if (strcmp(name, session_file[i]) == 0)
            return true;
    return false;
}

const char *
pp_dir_session_file(size_t i)
{
    return i < PP_ARRAY_SIZE(session_file) ? session_file[i] : NULL;
}

bool
pp_dir_is_claimed(int fd)
{
    /* a write lock would meet the read lock that a command holds while it fills or reads a session */
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

bool
pp_dir_is_in_use(int fd)
{
    if (flock(fd, LOCK_SH | LOCK_NB))
        return errno == EWOULDBLOCK;
    (void)flock(fd, LOCK_UN);
    return pp_dir_is_claimed(fd);
}

/* Does a session file begin as passprobe writes it? @param text @p len bytes, and a NUL. */
static bool
is_begin(const char *name, const char *text, size_t len)
{
    if (strncmp(name, "session.json", strlen("session.json")) == 0 ||
        strncmp(name, PP_DIR_RUNS_FILE, strlen(PP_DIR_RUNS_FILE)) == 0)
        return *text == '{' && strstr(text, "\"passprobe\"");
    bool listed = false;
    for (size_t i = 0; i < PP_ARRAY_SIZE(csv_begin); i++) {
        size_t wanted = strlen(csv_begin[i].begin);
        if (strcmp(name, csv_begin[i].name) != 0)
            continue;
        if (strncmp(text, csv_begin[i].begin, len < wanted ? len : wanted) == 0)
            return true;
        listed = true;
    }
    return !listed;
}

/* Does a file of a directory begin as passprobe writes it? Also true if the file is empty, or begins with a
 * NUL byte, which a file system writes after a crash. What cannot be read counts as written by others. */
static bool
is_written(int dir_fd, const char *name)
{
    char text[BEGIN_BYTES + 1];
    int fd = pp_open_regular(dir_fd, name, O_RDONLY | O_NOFOLLOW);
    if (fd < 0)
        return fd == -ENOENT; /* deleted meanwhile */
    ssize_t got = read(fd, text, BEGIN_BYTES);
    close(fd);
    if (got <= 0)
        return got == 0;
    text[got] = '\0';
    return !*text || is_begin(name, text, (size_t)got);
}

/* What a directory holds, if it is not the folder of repeated runs. */
static enum pp_dir_content
look_for_session(int fd)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    enum pp_dir_content content = PP_DIR_EMPTY;
    bool session = false;
    bool foreign_file = false;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        bool written = pp_dir_is_session_file(entry->d_name) && is_written(fd, entry->d_name);
        session = session || (written && strcmp(entry->d_name, "session.json") == 0);
        foreign_file = foreign_file || !written;
        content = PP_DIR_FOREIGN;
    }
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    if (!dir)
        return PP_DIR_FOREIGN;
    if (content == PP_DIR_EMPTY)
        return PP_DIR_EMPTY;
    return !foreign_file ? PP_DIR_SESSION : session ? PP_DIR_MIXED : PP_DIR_FOREIGN;
}

/* Call a function for each entry of a directory until it returns another number than 0. @return That number;
 * -errno: the directory cannot be read. */
static int
each_entry(int fd, int (*visit)(int fd, const char *name))
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    int rc = dir ? 0 : -errno;
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry && rc == 0; entry = readdir(dir))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            rc = visit(fd, entry->d_name);
    if (dir)
        closedir(dir);
    else if (copy >= 0)
        close(copy);
    return rc;
}

static bool
is_runs_file(const char *name)
{
    return strcmp(name, PP_DIR_RUNS_FILE) == 0 || strcmp(name, PP_DIR_RUNS_FILE ".new") == 0;
}

/* Visit: 1 if this is neither the list of repeated runs nor one of their sessions. */
static int
is_foreign_to_runs(int fd, const char *name)
{
    if (is_runs_file(name))
        return !is_written(fd, name);
    int session = pp_dir_open_in(fd, name);
    if (session < 0)
        return 1;
    enum pp_dir_content content = look_for_session(session);
    bool ours = pp_dir_is_own(session) && (content == PP_DIR_EMPTY || content == PP_DIR_SESSION);
    close(session);
    return !ours;
}

enum pp_dir_content
pp_dir_look(int fd)
{
    enum pp_dir_content content = look_for_session(fd);
    if (content == PP_DIR_FOREIGN && faccessat(fd, PP_DIR_RUNS_FILE, F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
        each_entry(fd, is_foreign_to_runs) == 0)
        content = PP_DIR_RUNS;
    return content;
}

/* Does a session have a row in frames.csv? */
static bool
session_has_frames(int fd)
{
    static const char *const file[] = {"frames.csv", "frames.csv.new"};
    char text[4096];
    size_t lines = 0;
    for (size_t i = 0; i < PP_ARRAY_SIZE(file) && lines < 2; i++) {
        int csv = pp_open_regular(fd, file[i], O_RDONLY | O_NOFOLLOW);
        ssize_t got = 0;
        lines = 0;
        while (csv >= 0 && lines < 2 && (got = read(csv, text, sizeof(text))) > 0)
            for (ssize_t at = 0; at < got; at++)
                lines += text[at] == '\n'; /* names of columns hold no line break */
        if (csv >= 0)
            close(csv);
    }
    return lines >= 2;
}

/* Visit: 1 if this is a session with frames. */
static int
entry_has_frames(int fd, const char *name)
{
    int session = pp_dir_open_in(fd, name);
    if (session < 0)
        return 0;
    bool has = session_has_frames(session);
    close(session);
    return has;
}

bool
pp_dir_has_frames(int fd)
{
    if (faccessat(fd, PP_DIR_RUNS_FILE, F_OK, AT_SYMLINK_NOFOLLOW))
        return session_has_frames(fd);
    return each_entry(fd, entry_has_frames) == 1;
}

/* Open a session directory that may be deleted. @retval fd, or as pp_dir_remove(). */
static int
open_removable(int parent_fd, const char *name)
{
    int fd = pp_dir_open_in(parent_fd, name);
    if (fd < 0)
        return fd;
    int rc = 0;
    enum pp_dir_content content = pp_dir_look(fd);
    if (!pp_dir_is_own(fd))
        rc = -EPERM;
    else if (content == PP_DIR_FOREIGN || content == PP_DIR_MIXED)
        rc = -ENOTEMPTY;
    if (rc)
        close(fd);
    return rc ? rc : fd;
}

int
pp_dir_is_removable(int parent_fd, const char *name)
{
    int fd = open_removable(parent_fd, name);
    if (fd >= 0)
        close(fd);
    return fd < 0 && fd != -ENOENT ? fd : 0;
}

/* Delete the files of a session. */
static int
remove_files(int fd)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < PP_ARRAY_SIZE(session_file); i++)
        if (unlinkat(fd, session_file[i], 0) && errno != ENOENT)
            rc = -errno;
    return rc;
}

/* Visit: delete one session of repeated runs. @retval 0, -errno. */
static int
remove_session(int fd, const char *name)
{
    if (is_runs_file(name))
        return 0;
    int session = pp_dir_open_in(fd, name);
    int rc = session < 0 ? session : remove_files(session);
    if (session >= 0)
        close(session);
    return rc ? rc : unlinkat(fd, name, AT_REMOVEDIR) ? -errno : 0;
}

/* Delete repeated runs. The list of them is deleted last, so that what remains after a failure is known. */
static int
remove_runs(int fd)
{
    int rc = each_entry(fd, remove_session);
    if (rc == 0 && unlinkat(fd, PP_DIR_RUNS_FILE ".new", 0) && errno != ENOENT)
        rc = -errno;
    if (rc == 0 && unlinkat(fd, PP_DIR_RUNS_FILE, 0))
        rc = -errno;
    return rc;
}

int
pp_dir_remove(int parent_fd, const char *name)
{
    int fd = open_removable(parent_fd, name);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    int rc = pp_dir_look(fd) == PP_DIR_RUNS ? remove_runs(fd) : remove_files(fd);
    if (rc == 0 && !pp_dir_is(parent_fd, name, fd))
        rc = -ENOTEMPTY; /* another process has put a file there meanwhile */
    close(fd);
    return rc ? rc : unlinkat(parent_fd, name, AT_REMOVEDIR) ? -errno : 0;
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
    int fd = pp_fd_keep(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd < 0)
        return -errno;
    memcpy(ret_name, name, name_len);
    ret_name[name_len] = '\0';
    *ret_parent_fd = fd;
    return 0;
}
