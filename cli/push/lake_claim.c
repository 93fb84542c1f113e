/** @file
 * See lake_claim.h. */
#include "cli/push/lake_claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"
#include "counters/util/sha256.h"

#define DAY   "day="
#define BUILD "build="

/* Bytes of an encoded build; a longer one ends in a hash. Names of files have 255 bytes. */
#define ENCODED_MOST 180U

int
pp_lake_folder(int parent_fd, const char *name, bool make)
{
    if (make && mkdirat(parent_fd, name, 0777) && errno != EEXIST)
        return -errno;
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd >= 0)
        return fd;
    int rc = -errno; /* with O_DIRECTORY, a link is ENOTDIR */
    return fstatat(parent_fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode) ? -ELOOP : rc;
}

int
pp_lake_partition(int lake_fd, const char *table, const struct pp_lake_claim *claim, bool make)
{
    const char *const part[] = {table, claim->day, claim->build};
    int fd = -1;
    for (size_t i = 0; i < 3; i++) {
        int inner = pp_lake_folder(i ? fd : lake_fd, part[i], make);
        if (i)
            close(fd);
        fd = inner;
        if (fd < 0)
            return fd;
    }
    return fd;
}

static bool
is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
}

void
pp_lake_build_folder(const char *build, char *ret)
{
    char text[PP_SHA256_DIGITS + 1];
    struct pp_sha256 hash;
    size_t len =
        (size_t)snprintf(ret, PP_LAKE_PARTITION, BUILD "%s", *build ? "" : "__HIVE_DEFAULT_PARTITION__");
    for (const char *p = build; *p; p++) {
        if (len > ENCODED_MOST) {
            pp_sha256_init(&hash);
            pp_sha256_add_text(&hash, build);
            pp_sha256_end(&hash, text);
            snprintf(ret + len, PP_LAKE_PARTITION - len, "-%.32s", text);
            return;
        }
        len += (size_t)snprintf(ret + len, PP_LAKE_PARTITION - len, is_plain(*p) ? "%c" : "%%%02X",
                                (unsigned char)*p);
    }
}

void
pp_lake_claim_make(const struct pp_lake_session *session, struct pp_lake_claim *ret)
{
    snprintf(ret->content, sizeof(ret->content), "%s", session->content);
    snprintf(ret->day, sizeof(ret->day), DAY "%.10s", session->day);
    pp_lake_build_folder(session->build, ret->build);
}

/* Is this the name of a folder of a partition: a key, and bytes that the other functions write? */
static bool
is_folder(const char *name, const char *key)
{
    size_t len = strlen(key);
    if (strncmp(name, key, len) != 0 || !name[len])
        return false;
    for (name += len; *name; name++)
        if (!is_plain(*name) && *name != '%')
            return false;
    return true;
}

int
pp_lake_claim_read(int own_fd, const char *id, struct pp_lake_claim *ret)
{
    struct pp_lake_claim claim;
    char text[1024];
    int folder = pp_lake_folder(own_fd, "sessions", true);
    int fd = folder < 0 ? folder : pp_open_regular(folder, id, O_RDONLY | O_NOFOLLOW);
    if (folder >= 0)
        close(folder);
    if (fd < 0)
        return fd;
    ssize_t len = pp_read_at(fd, text, sizeof(text) - 1, 0);
    close(fd);
    if (len < 0)
        return (int)len;
    text[len] = '\0';
    _Static_assert(sizeof(claim.build) == 300, "the width below");
    if (sscanf(text, "%64[0-9a-f]\n%15s\n%299s\n", claim.content, claim.day, claim.build) != 3 ||
        !is_folder(claim.day, DAY) || !is_folder(claim.build, BUILD))
        return -EBADMSG;
    *ret = claim;
    return 0;
}

int
pp_lake_claim_write(int own_fd, int work_fd, const char *id, const struct pp_lake_claim *claim)
{
    char text[1024];
    int len = snprintf(text, sizeof(text), "%s\n%s\n%s\n", claim->content, claim->day, claim->build);
    int folder = pp_lake_folder(own_fd, "sessions", true);
    if (folder < 0)
        return folder;
    int rc = pp_write_file(folder, id, work_fd, text, (size_t)len);
    if (rc == 0 && fsync(folder))
        rc = -errno;
    close(folder);
    return rc;
}
