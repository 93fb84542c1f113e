/** @file
 * Functions for both drivers of Mali GPUs; see mali_device.h. */
#include "counters/sources/mali/mali_device.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "counters/util/own_fd.h"

int
pp_mali_ioctl(int fd, unsigned long request, void *arg)
{
    int rc = 0;
    if (!pp_fd_is_own(fd))
        return -EBADF;
    do {
        rc = ioctl(fd, request, arg);
    } while (rc < 0 && errno == EINTR);
    return rc < 0 ? -errno : rc;
}

void
pp_mali_device_close(struct pp_mali_device *device)
{
    if (device->driver && device->driver->end)
        device->driver->end(device);
    if (device->map)
        (void)munmap(device->map, device->map_bytes);
    pp_fd_close(device->session);
    pp_fd_close(device->fd);
    free(device->dump);
    *device = (struct pp_mali_device){.fd = -1, .session = -1};
}
