/** @file
 * Metric sets of i915; see i915_config.h. Source: the kernel's i915_drm.h. */
#include "counters/sources/i915/i915_config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "counters/metric/catalogue.h"
#include "counters/oa/oa_gpu.h"
#include "counters/sources/i915/i915_uapi.h"
#include "counters/sources/kernel/small_file.h"

#define UUID_LENGTH 36
/* Begin of the ids of sets that passprobe adds: "pprb". The rest is that of the public id. */
#define OWN_PREFIX "70707262"

int
pp_i915_ioctl(int fd, unsigned long request, void *arg)
{
    int rc = 0;
    do {
        rc = ioctl(fd, request, arg);
    } while (rc < 0 && (errno == EINTR || (errno == EAGAIN && request == PP_I915_GETPARAM)));
    return rc < 0 ? -errno : rc;
}

int64_t
pp_i915_config_add(int fd, uint32_t set, const char *guid, const struct pp_metric_variable *variable,
                   size_t variables)
{
    struct pp_oa_registers registers;
    int rc = pp_oa_registers_init(&registers, set, variable, variables);
    if (rc)
        return rc;
    struct pp_i915_oa_config config = {
        .mux_regs = registers.count[PP_OA_REGISTER_MUX],
        .boolean_regs = registers.count[PP_OA_REGISTER_BOOLEAN],
        .flex_regs = registers.count[PP_OA_REGISTER_FLEX],
        .mux_ptr = (uintptr_t)(registers.pair + registers.first[PP_OA_REGISTER_MUX]),
        .boolean_ptr = (uintptr_t)(registers.pair + registers.first[PP_OA_REGISTER_BOOLEAN]),
        .flex_ptr = (uintptr_t)(registers.pair + registers.first[PP_OA_REGISTER_FLEX]),
    };
    memcpy(config.uuid, guid, sizeof(config.uuid));
    int64_t id = pp_i915_ioctl(fd, PP_I915_ADD_CONFIG, &config);
    pp_oa_registers_finish(&registers);
    return id;
}

int
pp_i915_config_remove(int fd, int64_t id)
{
    uint64_t number = (uint64_t)id;
    return pp_i915_ioctl(fd, PP_I915_REMOVE_CONFIG, &number);
}

bool
pp_i915_config_is_dynamic(int fd)
{
    return pp_i915_config_remove(fd, -1) == -ENOENT; /* no set has this id */
}

/* @return The kernel's id of a set that it has. */
static int64_t
known(const char *metrics, const char *guid)
{
    char path[PP_PATH_BYTES];
    int64_t id = 0;
    if (snprintf(path, sizeof(path), "%s/%s/id", metrics, guid) >= (int)sizeof(path))
        return -ENAMETOOLONG;
    int rc = pp_file_number(path, &id);
    return rc ? rc : id > 0 ? id : -ENOENT;
}

int
pp_i915_config_use(int fd, const char *metrics, uint32_t set, const struct pp_metric_variable *variable,
                   size_t variables, struct pp_i915_config *ret)
{
    struct pp_catalogue_set about;
    char own[UUID_LENGTH + 1];
    pp_catalogue_intel.set(set, &about);
    *ret = (struct pp_i915_config){.id = -1};
    if (strlen(about.guid) != UUID_LENGTH)
        return -EINVAL;
    snprintf(own, sizeof(own), OWN_PREFIX "%s", about.guid + strlen(OWN_PREFIX));
    int64_t id = known(metrics, about.guid);
    if (id < 0) {
        id = pp_i915_config_add(fd, set, own, variable, variables);
        ret->added = id >= 0;
    }
    if (id == -EADDRINUSE) { /* another process under passprobe has added the set */
        id = known(metrics, own);
        if (id == -ENOENT) /* the other process has removed it again, or it is hidden */
            id = -EADDRINUSE;
    }
    if (id >= 0)
        ret->id = id;
    return id < 0 ? (int)id : 0;
}

void
pp_i915_config_drop(int fd, struct pp_i915_config *config)
{
    if (config->added)
        (void)pp_i915_config_remove(fd, config->id);
    *config = (struct pp_i915_config){.id = -1};
}
