/** @file
 * The model "nouveau": the kernel driver that nouveau's OpenGL driver needs, for one Maxwell GPU, GM204. Its
 * GPU executes nothing. The application's driver itself looks at its fences in memory, so they are never
 * signalled; with NOUVEAU_DISABLE_FENCES=true that driver takes them as signalled. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <stdint.h>

#include <drm.h>
#include <nouveau_drm.h>

#include "tests/lab/drm.h"
#include "tests/lab/memory.h"
#include "tests/lab/models.h"
#include "tests/lab/pci.h"
#include "tests/lab/report.h"

#define PCI_VENDOR_NVIDIA 0x10de
#define PCI_DEVICE        0x13c0
#define CHIPSET           0x124
#define VRAM_BYTES        (3ull << 30)
#define GART_BYTES        (1ull << 40)
#define FIRST_ADDRESS     0x100000
#define BUS_PCIE          2          /* of NOUVEAU_GETPARAM_BUS_TYPE */
#define GRAPH_UNITS       0x01000101 /* 1 cluster of 1 texture and shader unit, 1 memory partition */

/* The objects that the kernel offers: memory copy, copy engine, 2D, 3D, compute. NVIDIA's class numbers for
 * GM204. */
static const int32_t classes[] = {0xa140, 0xb0b5, 0x902d, 0xb197, 0xb1c0};

/* libdrm's header has the number of this ioctl, but not its structures: nvif/ioctl.h and nvif/cl0080.h of the
 * kernel. */
enum { NVIF_NOP, NVIF_CLASSES, NVIF_NEW, NVIF_DELETE, NVIF_METHOD };
enum { METHOD_DEVICE_INFO };

struct nvif {
    uint8_t version, type, zero[4], owner, route;
    uint64_t token, object;
    uint8_t data[];
};

struct nvif_classes {
    uint8_t version, count, zero[6];
    struct {
        int32_t number;
        int16_t min_version, max_version;
    } class_[];
};

struct nvif_method {
    uint8_t version, method, zero[6];
    uint8_t data[];
};

struct nvif_device_info {
    uint8_t version, platform;
    uint16_t chipset;
    uint8_t revision, family, zero[2];
    uint64_t ram_bytes, user_ram_bytes;
    char chip[16], name[64];
};

static uint64_t next_address = FIRST_ADDRESS;

static bool
begin(const char *device)
{
    if (strcmp(device, "gm204") != 0)
        return false;
    lab_pci_add(
        &(struct lab_pci){
            .vendor = PCI_VENDOR_NVIDIA, .device = PCI_DEVICE, .revision = 0xa1, .driver = "nouveau"},
        &lab_nouveau_model);
    return true;
}

static int
get_parameter(struct drm_nouveau_getparam *ask)
{
    switch (ask->param) {
    case NOUVEAU_GETPARAM_CHIPSET_ID:
        ask->value = CHIPSET;
        return 0;
    case NOUVEAU_GETPARAM_PCI_VENDOR:
        ask->value = PCI_VENDOR_NVIDIA;
        return 0;
    case NOUVEAU_GETPARAM_PCI_DEVICE:
        ask->value = PCI_DEVICE;
        return 0;
    case NOUVEAU_GETPARAM_BUS_TYPE:
        ask->value = BUS_PCIE;
        return 0;
    case NOUVEAU_GETPARAM_FB_SIZE:
        ask->value = VRAM_BYTES;
        return 0;
    case NOUVEAU_GETPARAM_AGP_SIZE:
        ask->value = GART_BYTES;
        return 0;
    case NOUVEAU_GETPARAM_PTIMER_TIME:
        ask->value = lab_now_ns();
        return 0;
    case NOUVEAU_GETPARAM_HAS_BO_USAGE:
        ask->value = 1;
        return 0;
    case NOUVEAU_GETPARAM_GRAPH_UNITS:
        ask->value = GRAPH_UNITS;
        return 0;
    default:
        LAB_FAULT("nouveau: parameter %llu is not known", (unsigned long long)ask->param);
        return -EINVAL;
    }
}

static struct lab_memory *
create_memory(struct lab_client *client, uint64_t bytes, uint64_t alignment, uint32_t *handle)
{
    struct lab_memory *memory = lab_memory_create(bytes);
    if (!memory)
        return NULL;
    if (alignment > 1)
        next_address = (next_address + alignment - 1) / alignment * alignment;
    memory->of_model = next_address;
    next_address += memory->size;
    *handle = lab_handle_add(&client->memory, memory);
    return memory;
}

static void
describe_memory(const struct lab_memory *memory, struct drm_nouveau_gem_info *info)
{
    info->size = memory->size;
    info->offset = memory->of_model;
    info->map_handle = memory->offset;
}

static int
gem_new(struct lab_client *client, struct drm_nouveau_gem_new *ask)
{
    uint64_t alignment = ask->align > 4096 ? ask->align : 4096;
    const struct lab_memory *memory = create_memory(client, ask->info.size, alignment, &ask->info.handle);
    if (!memory)
        return -ENOMEM;
    describe_memory(memory, &ask->info);
    return 0;
}

static int
gem_info(const struct lab_client *client, struct drm_nouveau_gem_info *ask)
{
    const struct lab_memory *memory = lab_memory_of(client, ask->handle, "nouveau: GEM_INFO");
    if (!memory)
        return -ENOENT;
    describe_memory(memory, ask);
    return 0;
}

static int
allocate_channel(struct lab_client *client, struct drm_nouveau_channel_alloc *ask)
{
    ask->channel = 1;
    ask->pushbuf_domains = NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_GART;
    ask->nr_subchan = 0;
    return create_memory(client, 4096, 4096, &ask->notifier_handle) ? 0 : -ENOMEM;
}

static int
submit(const struct lab_client *client, struct drm_nouveau_gem_pushbuf *ask)
{
    const struct drm_nouveau_gem_pushbuf_bo *buffer = (const void *)(uintptr_t)ask->buffers;
    const struct drm_nouveau_gem_pushbuf_push *push = (const void *)(uintptr_t)ask->push;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < ask->nr_buffers; i++)
        if (!lab_memory_of(client, buffer[i].handle, "nouveau: GEM_PUSHBUF"))
            return -ENOENT;
    for (uint32_t i = 0; i < ask->nr_push; i++) {
        if (push[i].bo_index >= ask->nr_buffers) {
            LAB_FAULT("nouveau: GEM_PUSHBUF: %u of %u buffers", push[i].bo_index, ask->nr_buffers);
            return -EINVAL;
        }
        bytes += push[i].length & 0x7fffff; /* the bits above are flags: NOUVEAU_GEM_PUSHBUF_NO_PREFETCH */
    }
    lab_log("PUSHBUF buffers %u bytes %llu", ask->nr_buffers, (unsigned long long)bytes);
    ask->vram_available = VRAM_BYTES;
    ask->gart_available = GART_BYTES;
    return 0;
}

static void
list_classes(struct nvif_classes *ask)
{
    unsigned room = ask->count, count = sizeof(classes) / sizeof(*classes);
    ask->count = (uint8_t)count;
    for (unsigned i = 0; i < room && i < count; i++) {
        ask->class_[i].number = classes[i];
        ask->class_[i].min_version = ask->class_[i].max_version = -1;
    }
}

static int
handle_nvif(struct nvif *ask)
{
    struct nvif_method *method = (void *)ask->data;
    struct nvif_device_info *info = (void *)method->data;
    switch (ask->type) {
    case NVIF_NOP:
    case NVIF_NEW:
    case NVIF_DELETE:
        return 0;
    case NVIF_CLASSES:
        list_classes((void *)ask->data);
        return 0;
    case NVIF_METHOD:
        if (method->method == METHOD_DEVICE_INFO) {
            info->chipset = CHIPSET;
            info->platform = 3; /* PCI Express */
            info->ram_bytes = info->user_ram_bytes = VRAM_BYTES;
        }
        return 0;
    default:
        LAB_FAULT("nouveau: NVIF: type %u is not known", ask->type);
        return -ENOTTY;
    }
}

static int
command(struct lab_client *client, unsigned number, void *arg, size_t size)
{
    (void)size;
    switch (number) {
    case DRM_NOUVEAU_GETPARAM:
        return get_parameter(arg);
    case DRM_NOUVEAU_CHANNEL_ALLOC:
        return allocate_channel(client, arg);
    case DRM_NOUVEAU_NVIF:
        return handle_nvif(arg);
    case DRM_NOUVEAU_GEM_NEW:
        return gem_new(client, arg);
    case DRM_NOUVEAU_GEM_INFO:
        return gem_info(client, arg);
    case DRM_NOUVEAU_GEM_PUSHBUF:
        return submit(client, arg);
    case DRM_NOUVEAU_CHANNEL_FREE:
    case DRM_NOUVEAU_GROBJ_ALLOC:
    case DRM_NOUVEAU_NOTIFIEROBJ_ALLOC:
    case DRM_NOUVEAU_GPUOBJ_FREE:
    case DRM_NOUVEAU_GEM_CPU_PREP:
    case DRM_NOUVEAU_GEM_CPU_FINI:
        return 0;
    default:
        return -ENOTTY;
    }
}

const struct lab_model lab_nouveau_model = {
    .driver = "nouveau",
    .date = "20120801",
    .description = "nVidia Riva/TNT/GeForce/Quadro/Tesla/Tegra K1+",
    .version = {1, 3, 1},
    .begin = begin,
    .command = command,
};
