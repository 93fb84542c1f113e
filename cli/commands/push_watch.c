/** @file
 * See push_watch.h. */
#include "cli/commands/push_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/print/format.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "counters/util/grow_array.h"
#include "pp_texts.h"

/* Time between two looks into the folder. */
#define LOOK_MS 2000U
/* A file that changed less than this ago may not be complete. */
#define FRESH_S 10

static const char pushed[] = "pushed";
static const char refused[] = "refused";

/* Does a text end so? */
static bool
ends_with(const char *text, const char *tail)
{
    size_t len = strlen(text), tail_len = strlen(tail);
    return len > tail_len && strcmp(text + len - tail_len, tail) == 0;
}

/* May the name be that of a session in the folder: a directory, or an archive that is complete? Links are
 * none. */
static bool
is_candidate(int folder_fd, const char *name)
{
    struct stat st;
    if (*name == '.' || strcmp(name, pushed) == 0 || strcmp(name, refused) == 0 ||
        fstatat(folder_fd, name, &st, AT_SYMLINK_NOFOLLOW))
        return false;
    if (S_ISDIR(st.st_mode))
        return true;
    return S_ISREG(st.st_mode) && (ends_with(name, ".tar.zst") || ends_with(name, ".tar")) &&
           time(NULL) - st.st_mtime >= FRESH_S;
}

/* Has the directory a session that was not copied a moment ago? Of an archive always. */
static bool
is_complete(int folder_fd, const char *name)
{
    static const char *const files[] = {"session.json", "runs.json"};
    struct stat st;
    int fd = openat(folder_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOTDIR;
    bool found = false;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !found; i++)
        found = fstatat(fd, files[i], &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
                time(NULL) - st.st_mtime >= FRESH_S;
    close(fd);
    return found;
}

/* Move a session into a folder of the spool, under a name that is free there. */
static void
move(int folder_fd, const char *name, const char *where)
{
    char to[NAME_MAX + 64];
    int rc = -EEXIST;
    if (mkdirat(folder_fd, where, 0777) && errno != EEXIST)
        rc = -errno;
    for (unsigned number = 0; rc == -EEXIST && number < 1000; number++) {
        snprintf(to, sizeof(to), number ? "%s/%s.%u" : "%s/%s", where, name, number);
        rc = renameat2(folder_fd, name, folder_fd, to, RENAME_NOREPLACE) ? -errno : 0;
    }
    if (rc)
        (void)pp_fail(PP_FORMAT_PUSH_TROUBLE, name, where, strerror(-rc));
}

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* List what may be a session. @param ret Owned by the caller, like its texts. @return How many; -errno. */
static ssize_t
list_names(int folder_fd, char ***ret)
{
    char **names = NULL;
    size_t len = 0, cap = 0;
    int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    if (!dir) {
        ssize_t rc = -errno;
        if (fd >= 0)
            close(fd);
        return rc;
    }
    for (struct dirent *entry = NULL; (entry = readdir(dir));) {
        if (!is_candidate(folder_fd, entry->d_name))
            continue;
        if (pp_grow_array(&names, &cap, len + 1, sizeof(*names)))
            break;
        names[len] = strdup(entry->d_name);
        if (!names[len])
            break;
        len++;
    }
    closedir(dir);
    if (len)
        qsort(names, len, sizeof(*names), by_name);
    *ret = names;
    return (ssize_t)len;
}

/* What a watch remembers from one look into the folder to the next. */
struct watched {
    char after[NAME_MAX + 1]; /* the session that failed: the next look begins after it */
    bool pushed;              /* this look has pushed a session */
};

/* Push one session, and move it. */
static enum pp_push_path_end
push_name(struct pp_pushing *pushing, const char *folder, int folder_fd, const char *name)
{
    char path[PATH_MAX];
    int bytes = snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (bytes < 0 || (size_t)bytes >= sizeof(path) || !is_complete(folder_fd, name))
        return PP_PATH_IN_USE;
    enum pp_push_path_end end = pp_push_path(pushing, path);
    if (end == PP_PATH_PUSHED || end == PP_PATH_WAS_THERE)
        move(folder_fd, name, pushed);
    else if (end == PP_PATH_REFUSED)
        move(folder_fd, name, refused);
    return end;
}

/* Push what is in the folder, up to the first session that fails. The next look goes on after that one: a
 * session that the server never takes must not keep the others back. @return false: one failed. */
static bool
push_folder(struct pp_pushing *pushing, const char *folder, int folder_fd, struct watched *watched)
{
    char **names = NULL;
    bool good = true;
    ssize_t len = list_names(folder_fd, &names), first = 0;
    while (names && first < len && strcmp(names[first], watched->after) <= 0)
        first++;
    watched->pushed = false;
    for (ssize_t i = 0; names && i < len && good && !*pushing->stop; i++) {
        const char *name = names[(first + i) % len];
        enum pp_push_path_end end = push_name(pushing, folder, folder_fd, name);
        watched->pushed |= end == PP_PATH_PUSHED || end == PP_PATH_WAS_THERE;
        good = end != PP_PATH_FAILED;
        if (!good)
            snprintf(watched->after, sizeof(watched->after), "%s", name);
    }
    for (ssize_t i = 0; names && i < len; i++)
        free(names[i]);
    free(names);
    return good;
}

int
pp_push_watch(struct pp_pushing *pushing, const char *folder)
{
    char told[sizeof(pushing->error.text)] = "";
    unsigned failures = 0;
    struct watched watched = {.pushed = false};
    struct pp_push_options options = *pushing->options;
    int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0)
        return pp_fail(PP_FORMAT_READ_BACK, folder, strerror(errno));
    options.retry = 0; /* the folder is looked at again and again anyway */
    pushing->options = &options;
    pushing->quiet_failure = true;
    pp_print(stderr, PP_FORMAT_PUSH_WATCHING "\n", folder);
    while (!*pushing->stop) {
        uint64_t wait_ms = LOOK_MS;
        bool good = push_folder(pushing, folder, folder_fd, &watched);
        if (good || watched.pushed)
            failures = 0;
        if (good) {
            told[0] = '\0';
        } else if (!*pushing->stop) {
            wait_ms = pp_push_wait_ms(++failures, &pushing->target->random);
            /* a server that is away for a night is one line, not a thousand */
            if (strcmp(told, pushing->error.text) != 0)
                (void)pp_fail(PP_FORMAT_PUSH_FAILED, watched.after, pushing->error.text);
            snprintf(told, sizeof(told), "%s", pushing->error.text);
        }
        (void)pp_push_sleep(wait_ms, pushing->stop);
    }
    close(folder_fd);
    return 0;
}
