/** @file
 * The part of i915's interface that passprobe uses, restated from the kernel's include/uapi/drm/i915_drm.h:
 * older kernel headers lack it. A test compares this file with the system's header. */
#ifndef PP_COUNTERS_SOURCES_I915_I915_UAPI_H
#define PP_COUNTERS_SOURCES_I915_I915_UAPI_H

#include <stdint.h>
#include <sys/ioctl.h>

struct pp_i915_getparam {
    int32_t param;
    int *value;
};

struct pp_i915_perf_open {
    uint32_t flags;
    uint32_t properties;
    uint64_t properties_ptr; /**< pairs of uint64_t: id, value */
};

struct pp_i915_oa_config {
    char uuid[36];
    uint32_t mux_regs, boolean_regs, flex_regs;
    uint64_t mux_ptr, boolean_ptr, flex_ptr; /**< pairs of uint32_t: address, value */
};

struct pp_i915_reg_read {
    uint64_t offset;
    uint64_t value; /**< out */
};

struct pp_i915_context {
    uint32_t number; /**< out */
    uint32_t pad;
};

#define PP_I915_CONTEXT_CREATE _IOWR('d', 0x6d, struct pp_i915_context)
#define PP_I915_GETPARAM       _IOWR('d', 0x46, struct pp_i915_getparam)
#define PP_I915_REG_READ       _IOWR('d', 0x71, struct pp_i915_reg_read)
#define PP_I915_PERF_OPEN      _IOW('d', 0x76, struct pp_i915_perf_open)
#define PP_I915_ADD_CONFIG     _IOW('d', 0x77, struct pp_i915_oa_config)
#define PP_I915_REMOVE_CONFIG  _IOW('d', 0x78, uint64_t)
#define PP_I915_ENABLE         _IO('i', 0x0)
#define PP_I915_DISABLE        _IO('i', 0x1)
#define PP_I915_CONFIG         _IO('i', 0x2)

enum {
    PP_I915_PARAM_REVISION = 32,
    PP_I915_PARAM_SUBSLICE_TOTAL = 33,
    PP_I915_PARAM_EU_TOTAL = 34,
    PP_I915_PARAM_SLICE_MASK = 46,
    PP_I915_PARAM_SUBSLICE_MASK = 47,
    PP_I915_PARAM_CS_TIMESTAMP_FREQUENCY = 51,
    PP_I915_PARAM_OA_TIMESTAMP_FREQUENCY = 57,

    PP_I915_RENDER_TIMESTAMP = 0x2358,
    PP_I915_REG_READ_8B_WA = 1, /* read the two halves of 64 bits one after the other */

    PP_I915_FD_CLOEXEC = 1,
    PP_I915_FD_NONBLOCK = 2,
    PP_I915_DISABLED = 4,

    PP_I915_PROP_CTX_HANDLE = 1,
    PP_I915_PROP_SAMPLE_OA = 2,
    PP_I915_PROP_METRICS_SET = 3,
    PP_I915_PROP_OA_FORMAT = 4,
    PP_I915_PROP_OA_EXPONENT = 5,
    PP_I915_PROP_HOLD_PREEMPTION = 6,

    PP_I915_FORMAT_A45_B8_C8 = 5,
    PP_I915_FORMAT_A32U40_A4U32_B8_C8 = 10,
};

/** The error of a kernel without i915-perf; not in errno.h. */
#define PP_ENOTSUPP 524

#endif
