/** @file
 * The parts of the interfaces of panfrost and of Arm's kbase driver that passprobe uses, restated: no system
 * has kbase's header, and few have panfrost's. Sources: the kernel's include/uapi/drm/panfrost_drm.h; kbase's
 * mali_kbase_ioctl.h and mali_kbase_hwcnt_reader.h (UK 11.37 and later), as libGPUCounters uses them.
 */
#ifndef PP_COUNTERS_SOURCES_MALI_MALI_UAPI_H
#define PP_COUNTERS_SOURCES_MALI_MALI_UAPI_H

#include <stdint.h>
#include <sys/ioctl.h>

/* panfrost */

struct pp_panfrost_get_param {
    uint32_t param, pad;
    uint64_t value;
};

struct pp_panfrost_perfcnt_enable {
    uint32_t enable, counterset;
};

struct pp_panfrost_perfcnt_dump {
    uint64_t buffer; /**< address; the whole dump is written, of whatever size it is */
};

#define PP_PANFROST_GET_PARAM      _IOWR('d', 0x44, struct pp_panfrost_get_param)
#define PP_PANFROST_PERFCNT_ENABLE _IOW('d', 0x46, struct pp_panfrost_perfcnt_enable)
#define PP_PANFROST_PERFCNT_DUMP   _IOW('d', 0x47, struct pp_panfrost_perfcnt_dump)

enum {
    PP_PANFROST_GPU_PROD_ID = 0,
    PP_PANFROST_SHADER_PRESENT = 2,
    PP_PANFROST_L2_FEATURES = 8,
    PP_PANFROST_MEM_FEATURES = 11,
};

/* kbase */

struct pp_kbase_version {
    uint16_t major, minor;
};

struct pp_kbase_set_flags {
    uint32_t create_flags;
};

struct pp_kbase_get_gpuprops {
    uint64_t buffer;
    uint32_t size, flags; /**< size 0: the ioctl returns how much there is */
};

struct pp_kinstr_enum_info {
    uint32_t item_size, item_count;
    uint64_t list;
};

union pp_kinstr_setup {
    struct {
        uint32_t count, size; /**< with the sentinel; of one */
        uint64_t requests;
    } in;
    struct {
        uint32_t metadata_item_size, mmap_bytes;
    } out;
};

/** One request, 32 bytes. */
struct pp_kinstr_request {
    uint16_t type, version;
    uint32_t pad;
    union {
        struct {
            uint8_t mode, pad[7];
            uint64_t period_ns;
        } mode;
        struct {
            uint8_t block_type, set, pad[6];
            uint64_t mask[2];
        } enable;
    } u;
};

struct pp_kinstr_command {
    uint16_t command, pad[3];
    uint64_t user_data;
};

struct pp_kinstr_access {
    uint64_t sequence, offset;
};

#define PP_KBASE_VERSION_CHECK _IOWR(0x80, 0, struct pp_kbase_version)
#define PP_KBASE_SET_FLAGS     _IOW(0x80, 1, struct pp_kbase_set_flags)
#define PP_KBASE_GET_GPUPROPS  _IOW(0x80, 3, struct pp_kbase_get_gpuprops)
#define PP_KINSTR_ENUM_INFO    _IOWR(0x80, 56, struct pp_kinstr_enum_info)
#define PP_KINSTR_SETUP        _IOWR(0x80, 57, union pp_kinstr_setup)
#define PP_KINSTR_COMMAND      _IOW(0xbf, 0, struct pp_kinstr_command)
#define PP_KINSTR_GET_SAMPLE   _IOR(0xbf, 1, struct pp_kinstr_access)
#define PP_KINSTR_PUT_SAMPLE   _IOW(0xbf, 0x10, struct pp_kinstr_access)

enum {
    PP_KBASE_SYSTEM_MONITOR = 2, /**< create_flags: submits nothing */

    PP_KBASE_PRODUCT_ID = 1,
    PP_KBASE_L2_SLICES = 15,
    PP_KBASE_RAW_L2_FEATURES = 29,
    PP_KBASE_COHERENCY_GROUP_0 = 64,
    PP_KBASE_COHERENCY_GROUPS = 16,

    PP_KINSTR_REQUEST_MODE = 0x1000,
    PP_KINSTR_REQUEST_ENABLE = 0x1001,

    PP_KINSTR_START = 1,
    PP_KINSTR_STOP = 2,
    PP_KINSTR_SAMPLE_SYNC = 3,
};

#endif
