/** @file
 * See machine_id.h. */
#include "cli/redact/machine_id.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "counters/util/random.h"
#include "counters/util/sha256.h"

#define SALT_BYTES 64 /* 256 bits as hexadecimal digits */

/* Make a folder, and open it. @return Descriptor, -errno. */
static int
open_folder(int parent_fd, const char *name)
{
    if (mkdirat(parent_fd, name, 0700) && errno != EEXIST)
        return -errno;
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

/* Open the folder of passprobe's state, which is made where it is missing. @return Descriptor, -errno. */
static int
open_state(void)
{
    static const char *const below[] = {".local", "state"};
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool given = state && *state == '/';
    const char *begin = given ? state : home;
    if (!begin || *begin != '/')
        return -ENOENT;
    if (given)
        (void)mkdir(state, 0700);
    int fd = open(begin, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    fd = fd < 0 ? -errno : fd;
    for (size_t i = 0; i < 3 && fd >= 0; i++) {
        if (given && i < 2)
            continue;
        int inner = open_folder(fd, i < 2 ? below[i] : "passprobe");
        close(fd);
        fd = inner;
    }
    return fd;
}

/* Read the salt. @retval 0, -ENOENT, -EPERM, -errno. */
static int
read_salt(int folder_fd, char *ret)
{
    struct stat st;
    int fd = pp_open_regular(folder_fd, "salt", O_RDONLY | O_NOFOLLOW);
    if (fd < 0)
        return fd == -ELOOP ? -EPERM : fd;
    int rc = fstat(fd, &st) ? -errno : st.st_uid != geteuid() || (st.st_mode & 077) ? -EPERM : 0;
    if (rc == 0 && read(fd, ret, SALT_BYTES) != SALT_BYTES)
        rc = -EIO;
    close(fd);
    return rc;
}

/* Make the salt. Of two processes that do so at once, the first one's stays. */
static int
make_salt(int folder_fd)
{
    char text[SALT_BYTES + 1], name[PP_RANDOM_ID_MAX + 8], random[PP_RANDOM_ID_MAX];
    int rc = pp_random_id(text);
    rc = rc ? rc : pp_random_id(text + SALT_BYTES / 2);
    rc = rc ? rc : pp_random_id(random);
    if (rc)
        return rc;
    snprintf(name, sizeof(name), "salt.%s", random);
    int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    rc = write(fd, text, SALT_BYTES) == SALT_BYTES && fsync(fd) == 0 ? 0 : -EIO;
    close(fd);
    if (rc == 0 && linkat(folder_fd, name, folder_fd, "salt", 0) && errno != EEXIST)
        rc = -errno;
    (void)unlinkat(folder_fd, name, 0);
    return rc;
}

int
pp_machine_id(const char *name, char *ret)
{
    char salt[SALT_BYTES + 1] = "", text[PP_SHA256_DIGITS + 1];
    struct pp_sha256 hash;
    int fd = open_state();
    if (fd < 0)
        return fd;
    int rc = read_salt(fd, salt);
    if (rc == -ENOENT) {
        rc = make_salt(fd);
        rc = rc ? rc : read_salt(fd, salt);
    }
    close(fd);
    if (rc)
        return rc;
    pp_sha256_init(&hash);
    pp_sha256_add_text(&hash, "passprobe machine");
    pp_sha256_add_text(&hash, salt);
    pp_sha256_add_text(&hash, name);
    pp_sha256_end(&hash, text);
    memcpy(ret, text, PP_MACHINE_ID_MAX - 1);
    ret[PP_MACHINE_ID_MAX - 1] = '\0';
    return 0;
}
