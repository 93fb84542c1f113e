/** @file
 * The DRM node /dev/dri/renderD250, as far as metric sets are registered on it: interposes open() and ioctl()
 * where this library is preloaded. Source of numbers: i915_drm.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fake_perf.h"

#define NODE          "/dev/dri/renderD250"
#define SYSFS         "/sys/class/drm/renderD250/"
#define ADD_CONFIG    0x40486477UL
#define REMOVE_CONFIG 0x40086478UL
#define GETPARAM      0xc0106446UL
#define MDAPI_GUID    "2f01b241-7014-42a7-9eb6-a925cad3daba"

/** struct drm_i915_perf_oa_config. */
struct oa_config {
    char uuid[36];
    uint32_t mux, boolean, flex;
    uint64_t mux_pointer, boolean_pointer, flex_pointer;
};

/** struct drm_i915_getparam. */
struct getparam {
    int32_t param;
    int *value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int node_fd = -1;
static uint64_t next_id = 2, registered_id;
static uint32_t registered; /**< hash of the configuration under MDAPI's GUID */

uint32_t
fp_registered(void)
{
    pthread_mutex_lock(&lock);
    uint32_t hash = registered;
    pthread_mutex_unlock(&lock);
    return hash;
}

static uint32_t
add_hash(uint32_t hash, uint64_t pointer, uint32_t pairs)
{
    const uint32_t *word = (const uint32_t *)(uintptr_t)pointer;
    for (uint32_t i = 0; i < 2 * pairs; i++)
        hash = (hash ^ word[i]) * 16777619U;
    return hash;
}

static int
add_config(const struct oa_config *config)
{
    const char *text = getenv("FAKE_VK_PERF");
    if (text && strstr(text, "config=eacces"))
        return -EACCES;
    if (memcmp(config->uuid, MDAPI_GUID, 36) != 0)
        return -EINVAL;
    if (registered != 0 || (text && strstr(text, "config=eexist")))
        return -EADDRINUSE;
    uint32_t hash = add_hash(2166136261U, config->mux_pointer, config->mux);
    hash = add_hash(hash, config->boolean_pointer, config->boolean);
    registered = add_hash(hash, config->flex_pointer, config->flex) | 1;
    registered_id = next_id++;
    return (int)registered_id;
}

static int
remove_config(uint64_t id)
{
    if (registered == 0 || id != registered_id)
        return -ENOENT;
    registered = 0;
    return 0;
}

/** A Kaby Lake GT2 with half of its units fused off; without the word "fused", a kernel that does not report
 * it. */
static int
get_parameter(const struct getparam *get)
{
    static const struct {
        int32_t param;
        int value;
    } fused[] = {
        {33, 2}, {34, 12}, {46, 1}, {47, 5}}; /* SUBSLICE_TOTAL, EU_TOTAL, SLICE_MASK, SUBSLICE_MASK */
    const char *text = getenv("FAKE_VK_PERF");
    for (size_t i = 0; text && strstr(text, "fused") && i < sizeof(fused) / sizeof(fused[0]); i++)
        if (fused[i].param == get->param) {
            *get->value = fused[i].value;
            return 0;
        }
    return -EINVAL;
}

static int
answer(unsigned long request, void *argument)
{
    if (request == GETPARAM)
        return get_parameter(argument);
    return request == ADD_CONFIG ? add_config(argument) : remove_config(*(const uint64_t *)argument);
}

static int
open_node(void)
{
    pthread_mutex_lock(&lock);
    node_fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
    pthread_mutex_unlock(&lock);
    return node_fd;
}

/** The path of a file of the node's sysfs folder below $FAKE_VK_PERF_SYSFS; other paths are unchanged. */
static const char *
real_path(const char *path, char *place, size_t size)
{
    const char *folder = getenv("FAKE_VK_PERF_SYSFS");
    if (!folder || strncmp(path, SYSFS, strlen(SYSFS)) != 0)
        return path;
    snprintf(place, size, "%s/%s", folder, path + strlen(SYSFS));
    return place;
}

FP_EXPORT int access(const char *path, int mode);
FP_EXPORT int open(const char *path, int flags, ...);
FP_EXPORT int ioctl(int fd, unsigned long request, ...);

FP_EXPORT int
access(const char *path, int mode)
{
    char place[512];
    return (int)syscall(SYS_faccessat, AT_FDCWD, real_path(path, place, sizeof(place)), mode, 0);
}

FP_EXPORT int
open(const char *path, int flags, ...)
{
    va_list args;
    va_start(args, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0;
    va_end(args);
    char place[512];
    if (strcmp(path, NODE) == 0)
        return open_node();
    return (int)syscall(SYS_openat, AT_FDCWD, real_path(path, place, sizeof(place)), flags, mode);
}

FP_EXPORT int
ioctl(int fd, unsigned long request, ...)
{
    va_list args;
    va_start(args, request);
    void *argument = va_arg(args, void *);
    va_end(args);
    if (fd < 0 || fd != node_fd || (request != ADD_CONFIG && request != REMOVE_CONFIG && request != GETPARAM))
        return (int)syscall(SYS_ioctl, fd, request, argument);
    pthread_mutex_lock(&lock);
    int rc = answer(request, argument);
    pthread_mutex_unlock(&lock);
    if (rc < 0) {
        errno = -rc;
        return -1;
    }
    return rc;
}
