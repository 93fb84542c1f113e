/** @file
 * frame_times.txt: one line for each frame, with its number and its GPU time in nanoseconds, or "-" where the
 * time is missing. An example of docs/internals/howto.md. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/report/writer.h"

struct frame_times {
    FILE *file;
    uint64_t size;
};

static int
frame_times_begin(const struct pp_writer_place *place, void **ret_self)
{
    struct frame_times *self = calloc(1, sizeof(*self));
    int fd = openat(place->dir_fd, "frame_times.txt", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (self && fd >= 0)
        self->file = fdopen(fd, "w");
    if (!self || !self->file) {
        int error = errno ? errno : ENOMEM;
        if (fd >= 0)
            (void)close(fd);
        free(self);
        return -error;
    }
    *ret_self = self;
    return 0;
}

static int
frame_times_frame(void *data, const struct pp_frame_row *frame)
{
    struct frame_times *self = data;
    if (!frame->is_frame)
        return 0;
    int written = frame->gpu_time_ns.status == PP_OK ? fprintf(self->file, "%" PRIu64 " %" PRIu64 "\n",
                                                               frame->frame, frame->gpu_time_ns.value)
                                                     : fprintf(self->file, "%" PRIu64 " -\n", frame->frame);
    if (written < 0)
        return -EIO;
    self->size += (uint64_t)written;
    return 0;
}

static int
frame_times_flush(void *data)
{
    struct frame_times *self = data;
    return fflush(self->file) ? -errno : 0;
}

static uint64_t
frame_times_size(const void *data)
{
    const struct frame_times *self = data;
    return self->size;
}

static void
frame_times_end(void *data)
{
    struct frame_times *self = data;
    if (!self)
        return;
    (void)fclose(self->file);
    free(self);
}

const struct pp_writer_ops pp_writer_frame_times = {
    .begin = frame_times_begin,
    .frame = frame_times_frame,
    .flush = frame_times_flush,
    .size = frame_times_size,
    .end = frame_times_end,
};
