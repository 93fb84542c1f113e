/** @file
 * See pe_image.h. Wine maps the head of an image from its file, and often copies the sections into anonymous
 * memory after it; the head says where the image ends. Source: Microsoft, "PE Format". */
#include "core/stack/pe_image.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/util/wine.h"
#include "counters/util/own_fd.h"
#include "counters/util/sandbox.h"

#define HEAD_BYTES 4096U
#define LINE_BYTES (PATH_MAX + 128)
/* Offsets. */
#define DOS_NEW_HEAD  0x3cU
#define PE_OPTIONAL   24U /* after "PE\0\0" and the file header */
#define PE_IMAGE_SIZE (PE_OPTIONAL + 56U)

/* A search. It is not on the stack, which may be small. */
struct search {
    uintptr_t start; /* of the last mapped file; its mappings follow each other */
    char path[PATH_MAX];
    char line[LINE_BYTES];
    unsigned char head[HEAD_BYTES];
};

/* Read memory that another thread may unmap. @return false: it is not there. */
static bool
read_memory(uintptr_t address, void *bytes, size_t len)
{
    const struct iovec to = {bytes, len};
    const struct iovec from = {(void *)address, len}; /* NOLINT(performance-no-int-to-ptr) */
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)len;
}

/* The size of the image that the mapped file is; 0: it is none. */
static uint32_t
image_size(struct search *s)
{
    const unsigned char *head = s->head;
    uint32_t new_head = 0, size = 0;
    if (!read_memory(s->start, s->head, sizeof(s->head)) || head[0] != 'M' || head[1] != 'Z')
        return 0;
    memcpy(&new_head, head + DOS_NEW_HEAD, sizeof(new_head));
    if (new_head > sizeof(s->head) - PE_IMAGE_SIZE - sizeof(size) || memcmp(head + new_head, "PE\0", 4) != 0)
        return 0;
    memcpy(&size, head + new_head + PE_IMAGE_SIZE, sizeof(size));
    return size;
}

/* Read a line of /proc/self/maps. @return true: this mapping contains the address. */
static bool
read_line(struct search *s, const char *line, uintptr_t address)
{
    unsigned long start = 0, end = 0;
    int path_at = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &path_at) < 2 || !path_at)
        return false;
    if (line[path_at] == '/' && strcmp(line + path_at, s->path) != 0) {
        s->start = start;
        snprintf(s->path, sizeof(s->path), "%s", line + path_at);
    }
    return address >= start && address < end;
}

/* Find the last mapped file at or in front of an address. */
static bool
find_mapped(struct search *s, uintptr_t address)
{
    int fd = pp_fd_keep(open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
    size_t used = 0;
    bool found = false;
    for (ssize_t got = 1; fd >= 0 && !found && got > 0;) {
        got = read(fd, s->line + used, sizeof(s->line) - 1 - used);
        used += got > 0 ? (size_t)got : 0;
        s->line[used] = '\0';
        char *at = s->line;
        for (char *end; !found && (end = strchr(at, '\n')); at = end + 1) {
            *end = '\0';
            found = read_line(s, at, address);
        }
        used -= (size_t)(at - s->line);
        memmove(s->line, at, used);
    }
    if (fd >= 0)
        close(fd);
    return found && *s->path;
}

bool
pp_pe_image_find(uintptr_t address, struct pp_pe_image *ret)
{
    if (!pp_process_has_wine() || pp_sandbox_entered())
        return false;
    struct search *s = calloc(1, sizeof(*s));
    uint32_t size = s && find_mapped(s, address) ? image_size(s) : 0;
    char *path = size && address - s->start < size ? strdup(s->path) : NULL;
    if (path)
        *ret = (struct pp_pe_image){.start = s->start, .end = s->start + size, .path = path};
    free(s);
    return path;
}
