/** @file
 * Fuzz target: a CSV file that is read while it grows, is cut and is replaced. The input's parts, which end
 * at bytes from 0xfd on, are appended one after another; 0xff: read then, 0xfe: cut the file in half and
 * read, 0xfd: begin the file anew and read. */
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "cli/session/follow.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file: it is in memory, and is opened by its name in /proc. */
struct file {
    int fd;
    char name[64];
    off_t size;
};

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    size_t *rows = data;
    assert(cells > 0 && cell[0].text);
    *rows += 1;
    return true;
}

/* Read what is new; the bytes that were read are in the file. */
static void
look(const struct file *file, struct pp_follow *follow)
{
    size_t rows = 0;
    const struct pp_csv_reader reader = {.header = on_row, .row = on_row, .data = &rows};
    (void)!pp_follow_read(follow, AT_FDCWD, file->name, &reader);
    assert(follow->at <= (uint64_t)file->size);
    assert(follow->at >= follow->header_len && follow->last_len <= follow->at);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_follow follow = {.header = NULL};
    struct file file = {.fd = memfd_create("follow", MFD_CLOEXEC), .size = 0};
    if (file.fd < 0)
        return 0;
    snprintf(file.name, sizeof(file.name), "/proc/self/fd/%d", file.fd);
    for (size_t i = 0; i < size; i++) {
        if (data[i] < 0xfd) {
            file.size += pwrite(file.fd, &data[i], 1, file.size) == 1;
            continue;
        }
        if (data[i] != 0xff) {
            file.size = data[i] == 0xfe ? file.size / 2 : 0;
            if (ftruncate(file.fd, file.size))
                break;
        }
        look(&file, &follow);
    }
    look(&file, &follow);
    pp_follow_finish(&follow);
    close(file.fd);
    return 0;
}
