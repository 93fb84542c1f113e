/** @file
 * See jit_file.h. */
#include "cli/symbols/jit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/util/fd.h"

#define MAX_BYTES ((off_t)256 << 20)

int
pp_jit_file_read(const char *path, const struct pp_jit_time *time, char **ret, size_t *ret_len)
{
    struct stat st;
    *ret = NULL;
    *ret_len = 0;
    int fd = pp_open_regular(AT_FDCWD, path, O_RDONLY | O_NOFOLLOW);
    if (fd < 0)
        return 0;
    bool ours = fstat(fd, &st) == 0 && (st.st_uid == geteuid() || st.st_uid == 0) &&
                (double)st.st_mtim.tv_sec >= time->from_s && (double)st.st_mtim.tv_sec <= time->to_s &&
                st.st_size <= MAX_BYTES;
    char *text = ours ? malloc((size_t)st.st_size + 1) : NULL;
    size_t used = 0;
    for (ssize_t got = 1; text && got > 0 && used<(size_t)st.st_size; used += got> 0 ? (size_t)got : 0)
        got = read(fd, text + used, (size_t)st.st_size - used);
    close(fd);
    if (text)
        text[used] = '\0';
    *ret = text;
    *ret_len = used;
    return ours && !text ? -ENOMEM : 0;
}
