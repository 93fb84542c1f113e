/** @file
 * Fuzz target: an archive of a session, unpacked as `passprobe report FILE` does. Nothing but files of a
 * session may be in the directory afterwards, and no more bytes than allowed. */
#include <archive.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/archive/archive_read.h"
#include "core/config/dir_content.h"

#define MOST 65536U

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Delete what was unpacked. @return bytes. */
static uint64_t
clean(int dir_fd)
{
    uint64_t bytes = 0;
    DIR *dir = fdopendir(openat(dir_fd, ".", O_RDONLY | O_DIRECTORY));
    for (struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        struct stat st;
        if (entry->d_name[0] == '.')
            continue;
        if (!pp_dir_is_session_file(entry->d_name) ||
            fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
            abort();
        bytes += (uint64_t)st.st_size;
        unlinkat(dir_fd, entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
    return bytes;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[] = "/tmp/passprobe-fuzz-XXXXXX";
    static int dir_fd = -1;
    char why[256];
    if (dir_fd < 0)
        dir_fd = mkdtemp(path) ? open(path, O_RDONLY | O_DIRECTORY) : -1;
    if (dir_fd < 0)
        abort();
    struct archive *in = pp_archive_reader_new();
    if (in && archive_read_open_memory(in, data, size) == ARCHIVE_OK)
        (void)!pp_archive_unpack_into(in, dir_fd, MOST, why, sizeof(why));
    archive_read_free(in);
    if (clean(dir_fd) > MOST)
        abort();
    return 0;
}
