/** @file
 * See sleep_page.h. */
#include "core/config/sleep_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/random.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES 128
#define FORMAT     "passprobe asleep 1 segment %d number %llx namespace %llu\n"

_Static_assert(sizeof(struct pp_sleep_page) <= PP_SLEEP_PAGE_BYTES, "one page");

/* Numbers of segments belong to an IPC namespace. @return Its number; 0: not known. */
static unsigned long long
ipc_namespace(void)
{
    struct stat about;
    return stat("/proc/self/ns/ipc", &about) ? 0 : (unsigned long long)about.st_ino;
}

/* Attach a segment, if it is one of this user's with this number. */
static int
attach(int segment, uint64_t number, pid_t pid, struct pp_sleep_page **ret)
{
    struct shmid_ds about;
    if (shmctl(segment, IPC_STAT, &about))
        return errno == EINVAL || errno == EIDRM ? -ESRCH : errno == EACCES ? -EBADMSG : -errno;
    if (about.shm_perm.uid != geteuid() || about.shm_perm.cuid != geteuid() ||
        about.shm_segsz != PP_SLEEP_PAGE_BYTES)
        return -EBADMSG;
    struct pp_sleep_page *page = shmat(segment, NULL, 0);
    if (page == (void *)-1)
        return errno == EINVAL || errno == EIDRM ? -ESRCH : -errno;
    *ret = page;
    if (page->number == number && page->pid == pid)
        return 0;
    (void)shmdt(page);
    *ret = NULL;
    return -EBADMSG;
}

/* Read the file. */
static int
read_file(int folder_fd, const char *name, char text[TEXT_BYTES], ino_t *ret_inode)
{
    struct stat about;
    int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ELOOP ? -EBADMSG : -errno;
    int rc = fstat(fd, &about) ? -errno : !S_ISREG(about.st_mode) ? -EBADMSG : 0;
    if (rc == 0 && (about.st_uid != geteuid() || (about.st_mode & 0777) != 0600))
        rc = -EPERM;
    ssize_t got = rc ? 0 : read(fd, text, TEXT_BYTES);
    rc = rc ? rc : got < 0 ? -errno : got == TEXT_BYTES ? -EBADMSG : 0;
    (void)close(fd);
    text[got > 0 && got < TEXT_BYTES ? got : 0] = '\0';
    *ret_inode = rc ? 0 : about.st_ino;
    return rc;
}

int
pp_sleep_open(int folder_fd, pid_t pid, struct pp_sleep_file *ret)
{
    char name[PP_CONTROL_NAME_MAX], text[TEXT_BYTES], again[TEXT_BYTES];
    struct pp_sleep_file file = {.segment = -1};
    unsigned long long number = 0, space = 0;
    pp_control_name(name, pid, PP_CONTROL_ASLEEP);
    int rc = read_file(folder_fd, name, text, &file.inode);
    if (rc)
        return rc;
    if (sscanf(text, FORMAT, &file.segment, &number, &space) != 3) // NOLINT(cert-err34-c)
        return -EBADMSG;
    snprintf(again, sizeof(again), FORMAT, file.segment, number, space);
    if (strcmp(text, again) != 0)
        return -EBADMSG;
    rc = space == ipc_namespace() ? attach(file.segment, number, pid, &file.page) : -EXDEV;
    if (rc == 0 || rc == -ESRCH)
        *ret = file;
    return rc;
}

/* May the file get this name? */
static int
check_name(int folder_fd, pid_t pid)
{
    struct pp_sleep_file old;
    int rc = pp_sleep_open(folder_fd, pid, &old);
    if (rc == 0)
        pp_sleep_close(&old);
    if (rc == -ENOENT || rc == -ESRCH)
        return 0;
    return rc == 0 || rc == -EXDEV ? -EADDRINUSE : -EEXIST;
}

/* Make a file that is whole before it has its name. */
static int
write_file(int folder_fd, pid_t pid, struct pp_sleep_file *file)
{
    char hidden[64], name[PP_CONTROL_NAME_MAX], text[TEXT_BYTES];
    struct stat about = {0};
    snprintf(hidden, sizeof(hidden), ".passprobe-asleep-%ld", (long)pid);
    pp_control_name(name, pid, PP_CONTROL_ASLEEP);
    (void)unlinkat(folder_fd, hidden, 0);
    int fd = openat(folder_fd, hidden, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    int len = snprintf(text, sizeof(text), FORMAT, file->segment, (unsigned long long)file->page->number,
                       ipc_namespace());
    ssize_t wrote = fchmod(fd, 0600) ? -1 : write(fd, text, (size_t)len);
    int rc = wrote < 0 ? -errno : wrote < len ? -ENOSPC : fstat(fd, &about) ? -errno : 0;
    (void)close(fd);
    if (rc == 0 && renameat(folder_fd, hidden, folder_fd, name))
        rc = -errno;
    if (rc)
        (void)unlinkat(folder_fd, hidden, 0);
    else
        file->inode = about.st_ino;
    return rc;
}

int
pp_sleep_make(int folder_fd, const struct pp_sleep_page *page, struct pp_sleep_file *ret)
{
    struct pp_sleep_file file = {.page = NULL};
    uint64_t number = 0;
    int rc = check_name(folder_fd, (pid_t)page->pid);
    if (rc)
        return rc;
    if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
        return -EAGAIN;
    file.segment = shmget(IPC_PRIVATE, PP_SLEEP_PAGE_BYTES, IPC_CREAT | 0600);
    if (file.segment < 0)
        return -errno;
    file.page = shmat(file.segment, NULL, 0);
    rc = file.page == (void *)-1 ? -errno : 0;
    (void)shmctl(file.segment, IPC_RMID, NULL);
    if (rc)
        return rc;
    *file.page = *page; /* the first write gives the page its memory */
    file.page->number = number;
    rc = write_file(folder_fd, (pid_t)page->pid, &file);
    if (rc)
        (void)shmdt(file.page);
    else
        *ret = file;
    return rc;
}

void
pp_sleep_remove(int folder_fd, pid_t pid, const struct pp_sleep_file *file)
{
    char name[PP_CONTROL_NAME_MAX];
    struct stat about;
    pp_control_name(name, pid, PP_CONTROL_ASLEEP);
    if (fstatat(folder_fd, name, &about, AT_SYMLINK_NOFOLLOW) == 0 && about.st_ino == file->inode &&
        S_ISREG(about.st_mode))
        (void)unlinkat(folder_fd, name, 0);
}

bool
pp_sleep_is_shared(const struct pp_sleep_file *file)
{
    struct shmid_ds about;
    return shmctl(file->segment, IPC_STAT, &about) == 0 && about.shm_nattch > 1;
}

void
pp_sleep_close(struct pp_sleep_file *file)
{
    if (file->page)
        (void)shmdt(file->page);
    file->page = NULL;
}
