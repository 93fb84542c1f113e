/** @file
 * The GPUs of the model "amdgpu", and DRM_IOCTL_AMDGPU_INFO: what the kernel says about them. */
#include <errno.h>
#include <string.h>

#include <amdgpu_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/no_work/amdgpu.h"
#include "tests/lab/report.h"

#define TICKS_PER_S             100000000ull /* of the GPU's clock; 100 MHz on all GPUs of the table */
#define HEAP_BYTES              (4ull << 30)
#define VISIBLE_BYTES           (256ull << 20)
#define REGISTER_GB_ADDR_CONFIG 0x263e

/* The values were read from hardware and published with Mesa 25.0.7, in amdgpu_devices.c. */
static const struct lab_amdgpu gpus[] = {
    {.name = "renoir",
     .pci = 0x15e7,
     .pci_revision = 0xe9,
     .family = AMDGPU_FAMILY_RV,
     .revision = 0xa1,
     .version = 9,
     .address_config = 0x26010042,
     .engines = 1,
     .arrays = 1,
     .units = {0xfe},
     .backends = 0x3,
     .backend_count = 2,
     .cache_blocks = 4,
     .flags = AMDGPU_IDS_FLAGS_FUSION | AMDGPU_IDS_FLAGS_TMZ},
    {.name = "navi10",
     .pci = 0x731f,
     .pci_revision = 0xc1,
     .family = AMDGPU_FAMILY_NV,
     .revision = 0x03,
     .version = 10,
     .address_config = 0x00100044,
     .engines = 2,
     .arrays = 2,
     .units = {0x3ff, 0x3ff},
     .backends = 0xffff,
     .backend_count = 16,
     .cache_blocks = 16,
     .tile_steering = 0x122000},
    {.name = "navi21",
     .pci = 0x73bf,
     .pci_revision = 0xc3,
     .family = AMDGPU_FAMILY_NV,
     .revision = 0x29,
     .version = 10,
     .address_config = 0x00000444,
     .engines = 4,
     .arrays = 2,
     .units = {0x3ff, 0, 0x3ff, 0x3ff},
     .backends = 0xff0f,
     .backend_count = 16,
     .cache_blocks = 16},
};

const struct lab_amdgpu *
lab_amdgpu_named(const char *name)
{
    for (unsigned i = 0; i < sizeof(gpus) / sizeof(*gpus); i++)
        if (strcmp(gpus[i].name, name) == 0)
            return &gpus[i];
    return NULL;
}

static unsigned
bits(uint32_t mask)
{
    return (unsigned)__builtin_popcount(mask);
}

static void
describe_device(const struct lab_amdgpu *gpu, struct drm_amdgpu_info_device *out)
{
    *out = (struct drm_amdgpu_info_device){
        .device_id = gpu->pci,
        .external_rev = gpu->revision,
        .pci_rev = gpu->pci_revision,
        .family = gpu->family,
        .num_shader_engines = gpu->engines,
        .num_shader_arrays_per_engine = gpu->arrays,
        .gpu_counter_freq = TICKS_PER_S / 1000,
        .max_engine_clock = 2000000,
        .max_memory_clock = 1000000,
        .enabled_rb_pipes_mask = gpu->backends,
        .num_rb_pipes = gpu->backend_count,
        .num_hw_gfx_contexts = 8,
        .ids_flags = gpu->flags,
        .virtual_address_offset = 0x200000,
        .virtual_address_max = 0x800000000000,
        .virtual_address_alignment = 4096,
        .pte_fragment_size = 2097152,
        .gart_page_size = 4096,
        .ce_ram_size = 32768,
        .vram_type = AMDGPU_VRAM_TYPE_GDDR6,
        .vram_bit_width = 256,
        .gc_double_offchip_lds_buf = 1,
        .wave_front_size = gpu->version < 10 ? 64 : 32,
        .num_shader_visible_vgprs = gpu->version < 10 ? 256 : 1024,
        .num_cu_per_sh = 10,
        .num_tcc_blocks = gpu->cache_blocks,
        .gs_vgt_table_depth = 32,
        .gs_prim_buffer_depth = 1792,
        .max_gs_waves_per_vgt = 32,
        .high_va_offset = 0xffff800000000000,
        .high_va_max = 0xffffffffffe00000,
        .pa_sc_tile_steering_override = gpu->tile_steering,
    };
    for (uint32_t engine = 0; engine < gpu->engines; engine++) {
        for (uint32_t array = 0; array < gpu->arrays; array++)
            out->cu_bitmap[engine][array] = gpu->units[engine];
        out->cu_active_number += bits(gpu->units[engine]) * gpu->arrays;
    }
}

static void
describe_engine(const struct lab_amdgpu *gpu, uint32_t type, struct drm_amdgpu_info_hw_ip *out)
{
    if (type == AMDGPU_HW_IP_GFX || type == AMDGPU_HW_IP_COMPUTE)
        *out = (struct drm_amdgpu_info_hw_ip){
            .hw_ip_version_major = gpu->version,
            .ib_start_alignment = 32,
            .ib_size_alignment = 32,
            .available_rings = type == AMDGPU_HW_IP_GFX ? 0x1 : 0xf,
        };
}

static void
describe_memory(struct drm_amdgpu_memory_info *out)
{
    out->vram = (struct drm_amdgpu_heap_info){HEAP_BYTES, HEAP_BYTES, 0, HEAP_BYTES};
    out->gtt = out->vram;
    out->cpu_accessible_vram = (struct drm_amdgpu_heap_info){VISIBLE_BYTES, VISIBLE_BYTES, 0, VISIBLE_BYTES};
}

/* Registers that the GPUs of the table lack are 0. */
static void
read_registers(const struct lab_amdgpu *gpu, const struct drm_amdgpu_info *ask, uint32_t *out, unsigned count)
{
    for (uint32_t i = 0; i < ask->read_mmr_reg.count && i < count; i++)
        out[i] = ask->read_mmr_reg.dword_offset + i == REGISTER_GB_ADDR_CONFIG ? gpu->address_config : 0;
}

int
lab_amdgpu_info(const struct lab_amdgpu *gpu, const struct drm_amdgpu_info *ask)
{
    union {
        struct drm_amdgpu_info_device device;
        struct drm_amdgpu_info_hw_ip engine;
        struct drm_amdgpu_info_firmware firmware;
        struct drm_amdgpu_memory_info memory;
        struct drm_amdgpu_info_vram_gtt sizes;
        struct drm_amdgpu_info_video_caps video;
        uint32_t word[64];
        uint64_t ticks;
    } out;
    memset(&out, 0, sizeof(out));
    switch (ask->query) {
    case AMDGPU_INFO_ACCEL_WORKING:
        out.word[0] = 1;
        break;
    case AMDGPU_INFO_DEV_INFO:
        describe_device(gpu, &out.device);
        break;
    case AMDGPU_INFO_HW_IP_INFO:
        describe_engine(gpu, ask->query_hw_ip.type, &out.engine);
        break;
    case AMDGPU_INFO_FW_VERSION:
        out.firmware = (struct drm_amdgpu_info_firmware){.ver = 100, .feature = gpu->version < 10 ? 53 : 42};
        break;
    case AMDGPU_INFO_READ_MMR_REG:
        read_registers(gpu, ask, out.word, sizeof(out.word) / sizeof(*out.word));
        break;
    case AMDGPU_INFO_MEMORY:
        describe_memory(&out.memory);
        break;
    case AMDGPU_INFO_VRAM_GTT:
        out.sizes = (struct drm_amdgpu_info_vram_gtt){HEAP_BYTES, VISIBLE_BYTES, HEAP_BYTES};
        break;
    case AMDGPU_INFO_VIDEO_CAPS:
        break;
    case AMDGPU_INFO_TIMESTAMP:
        out.ticks = lab_now_ns() / (1000000000 / TICKS_PER_S);
        break;
    default:
        LAB_FAULT("amdgpu: query %#x is not known", ask->query);
        return -EINVAL;
    }
    memcpy((void *)(uintptr_t)ask->return_pointer, &out,
           ask->return_size < sizeof(out) ? ask->return_size : sizeof(out));
    return 0;
}
