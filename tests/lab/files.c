/** @file
 * Files in memory; see files.h. A sorted order is not needed: there are some hundred files at most. */
#include "tests/lab/files.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "tests/lab/report.h"

#define MAX_FOLDERS 16
#define MAX_LINKS   16

struct entry {
    struct entry *next;
    enum lab_file_kind kind;
    dev_t device;
    char *path; /* without links */
    char *text; /* content or target; NULL: none */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *entries, **last = &entries;
static const char *hidden[MAX_FOLDERS]; /* written before the application's main() */
static unsigned hidden_folders;
static void (*before_look)(void); /* written before the application's main() */

void
lab_files_before_look(void (*refresh)(void))
{
    before_look = refresh;
}

void
lab_files_hide(const char *path)
{
    if (hidden_folders < MAX_FOLDERS)
        hidden[hidden_folders++] = path;
    else
        LAB_FAULT("more than %d folders in memory", MAX_FOLDERS);
}

/* True if the path is the folder or below it; a folder "/sys/dev/char/226:" is a prefix of names. */
static bool
is_below(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 &&
           (folder[length - 1] == ':' || path[length] == '/' || path[length] == '\0');
}

bool
lab_files_claim(const char *path)
{
    for (unsigned i = 0; path && i < hidden_folders; i++)
        if (is_below(path, hidden[i]))
            return true;
    return false;
}

static struct entry *
find_locked(const char *path)
{
    for (struct entry *entry = entries; entry; entry = entry->next)
        if (strcmp(entry->path, path) == 0)
            return entry;
    return NULL;
}

static struct entry *
make_locked(const char *path, enum lab_file_kind kind)
{
    struct entry *entry = find_locked(path);
    if (!entry) {
        char above[512];
        snprintf(above, sizeof(above), "%s", path);
        char *slash = strrchr(above, '/');
        if (slash && slash != above) {
            *slash = '\0';
            if (lab_files_claim(above) && !find_locked(above))
                (void)make_locked(above, LAB_FOLDER);
        }
        entry = calloc(1, sizeof(*entry));
        if (!entry || !(entry->path = strdup(path)))
            abort();
        *last = entry;
        last = &entry->next;
    }
    entry->kind = kind;
    return entry;
}

static void
set_text(struct entry *entry, const char *text)
{
    free(entry->text);
    entry->text = strdup(text);
}

void
lab_files_text(const char *path, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof(text), format, list);
    va_end(list);
    pthread_mutex_lock(&lock);
    set_text(make_locked(path, LAB_TEXT), text);
    pthread_mutex_unlock(&lock);
}

void
lab_files_link(const char *path, const char *target)
{
    pthread_mutex_lock(&lock);
    set_text(make_locked(path, LAB_LINK), target);
    pthread_mutex_unlock(&lock);
}

void
lab_files_node(const char *path, unsigned major_number, unsigned minor_number)
{
    pthread_mutex_lock(&lock);
    make_locked(path, LAB_NODE)->device = makedev(major_number, minor_number);
    pthread_mutex_unlock(&lock);
}

void
lab_files_folder(const char *path)
{
    pthread_mutex_lock(&lock);
    (void)make_locked(path, LAB_FOLDER);
    pthread_mutex_unlock(&lock);
}

void
lab_files_remove(const char *path)
{
    pthread_mutex_lock(&lock);
    for (struct entry **at = &entries; *at; at = &(*at)->next) {
        struct entry *entry = *at;
        if (strcmp(entry->path, path) != 0)
            continue;
        if (last == &entry->next)
            last = at;
        *at = entry->next;
        free(entry->path);
        free(entry->text);
        free(entry);
        break;
    }
    pthread_mutex_unlock(&lock);
}

/* Append the next name of *rest to the path. "." and ".." are not names. */
static bool
append_name(char path[512], const char **rest)
{
    *rest += strspn(*rest, "/");
    size_t length = strcspn(*rest, "/"), had = strlen(path);
    if (length == 0)
        return false;
    if (length == 2 && strncmp(*rest, "..", 2) == 0) {
        char *slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    } else if (length != 1 || **rest != '.') {
        snprintf(path + had, 512 - had, "/%.*s", (int)length, *rest);
    }
    *rest += length;
    return true;
}

/* The path that a link leads to, in front of what remains. */
static void
follow_link(const char *link, const char *target, const char *rest, char out[1024])
{
    const char *slash = strrchr(link, '/');
    int folder = target[0] == '/' || !slash ? 0 : (int)(slash - link);
    snprintf(out, 1024, "%.*s%s%s%s", folder, link, target[0] == '/' ? "" : "/", target, rest);
}

static void
copy_entry(const struct entry *entry, struct lab_found *found)
{
    found->kind = entry->kind;
    found->device = entry->device;
    snprintf(found->text, sizeof(found->text), "%s", entry->text ? entry->text : "");
}

static int
find_path_locked(const char *path, bool follow, struct lab_found *found)
{
    char whole[1024], next[1024];
    const struct entry *entry = NULL;
    snprintf(whole, sizeof(whole), "%s", path);
    for (unsigned links = 0; links < MAX_LINKS; links++) {
        const char *rest = whole;
        bool again = false;
        found->path[0] = '\0';
        while (!again && append_name(found->path, &rest)) {
            bool end = rest[strspn(rest, "/")] == '\0';
            entry = find_locked(found->path);
            if (!entry || entry->kind != LAB_LINK || (end && !follow))
                continue;
            follow_link(found->path, entry->text, rest, next);
            memcpy(whole, next, sizeof(whole));
            again = true;
        }
        if (again)
            continue;
        if (!lab_files_claim(found->path))
            return -EXDEV;
        if (!entry)
            return -ENOENT;
        copy_entry(entry, found);
        return 0;
    }
    return -ELOOP;
}

int
lab_files_find(const char *path, bool follow, struct lab_found *found)
{
    if (before_look)
        before_look();
    pthread_mutex_lock(&lock);
    int status = find_path_locked(path, follow, found);
    pthread_mutex_unlock(&lock);
    return status;
}

bool
lab_files_name(const char *path, unsigned index, char name[256], enum lab_file_kind *kind)
{
    size_t length = strlen(path);
    bool found = false;
    if (before_look)
        before_look();
    pthread_mutex_lock(&lock);
    for (const struct entry *entry = entries; entry && !found; entry = entry->next) {
        if (strncmp(entry->path, path, length) != 0 || entry->path[length] != '/' ||
            strchr(entry->path + length + 1, '/') || index-- != 0)
            continue;
        snprintf(name, 256, "%s", entry->path + length + 1);
        *kind = entry->kind;
        found = true;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

void
lab_files_stat(const struct lab_found *found, struct stat *st)
{
    static const mode_t mode[] = {S_IFDIR | 0755, S_IFREG | 0644, S_IFLNK | 0777, S_IFCHR | 0666};
    memset(st, 0, sizeof(*st));
    st->st_mode = mode[found->kind];
    st->st_rdev = found->device;
    st->st_nlink = 1;
    st->st_blksize = 4096;
    st->st_size = found->kind == LAB_TEXT || found->kind == LAB_LINK ? (off_t)strlen(found->text) : 0;
    st->st_ino = 1;
    for (const char *c = found->path; *c; c++)
        st->st_ino = st->st_ino * 131 + (unsigned char)*c;
}
