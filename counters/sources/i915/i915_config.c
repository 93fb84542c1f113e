/** @file
 * Metric sets of i915; see i915_config.h. Source: the kernel's i915_drm.h. */
#include "counters/sources/i915/i915_config.h"

#include <errno.h>
#include <string.h>

#include "counters/oa/oa_registers.h"
#include "counters/sources/i915/i915_uapi.h"

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

void
pp_i915_config_remove(int fd, int64_t id)
{
    uint64_t number = (uint64_t)id;
    (void)pp_i915_ioctl(fd, PP_I915_REMOVE_CONFIG, &number);
}
