/** @file
 * The fake driver's instance, device, memory and queries; see fake.h. */
#include "tests/fake/icd/fake.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_config fake_config = {
    .bits = 64, .families = 1, .allocations = 4096, .largest = UINT64_MAX, .start = 1000};
struct fake_device *fake_the_device;
pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    VK_LOADER_DATA loader;
} physical;

void
fake_violation(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("fake: VIOLATION: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/** Free handles; when there are more than these, some are forgotten. */
static struct {
    pthread_mutex_t lock;
    uint64_t last, handle[4096];
    uint32_t count;
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER, .last = 0x1000};

uint64_t
fake_handle(void)
{
    pthread_mutex_lock(&handles.lock);
    uint64_t handle = handles.count > 0 ? handles.handle[--handles.count] : (handles.last += 16);
    pthread_mutex_unlock(&handles.lock);
    return handle;
}

void
fake_handle_free(uint64_t handle)
{
    pthread_mutex_lock(&handles.lock);
    if (fake_config.reuse && handle != 0 && handles.count < sizeof(handles.handle) / sizeof(handle))
        handles.handle[handles.count++] = handle;
    pthread_mutex_unlock(&handles.lock);
}

static uint64_t
option(const char *text, const char *name, uint64_t preset)
{
    const char *at = strstr(text, name);
    return !at ? preset : strtoull(at + strlen(name), NULL, 0);
}

static void
read_config(void)
{
    const char *text = getenv("FAKE_VK");
    if (!text)
        return;
    fake_config.bits = (uint32_t)option(text, "bits=", 64);
    fake_config.families = (uint32_t)option(text, "families=", 1);
    fake_config.delay = (uint32_t)option(text, "delay=", 0);
    fake_config.lag = (uint32_t)option(text, "lag=", 0);
    fake_config.behind = (uint32_t)option(text, "behind=", 0);
    fake_config.protects = strstr(text, "protected") != NULL;
    fake_config.single = strstr(text, "single") != NULL;
    fake_config.sparse = strstr(text, "sparse") != NULL;
    fake_config.reuse = strstr(text, "reuse") != NULL;
    fake_config.totals = strstr(text, "totals") != NULL;
    fake_config.held = strstr(text, "held") != NULL;
    fake_config.lost = (uint32_t)option(text, "lost=", 0);
    fake_config.oom = (uint32_t)option(text, "oom=", 0);
    fake_config.ooms = (uint32_t)option(text, "ooms=", 1);
    fake_config.allocations = (uint32_t)option(text, "allocations=", fake_config.allocations);
    fake_config.largest = option(text, "largest=", fake_config.largest);
    fake_config.start = option(text, "start=", 1000);
    fake_config.nostats = strstr(text, "nostats") != NULL;
    fake_config.strict = strstr(text, "strict") != NULL;
    fake_config.android = strstr(text, "android") != NULL;
    fake_config.refuse = strstr(text, "refuse") != NULL;
}

/** A command that no registry knows. */
static VKAPI_ATTR uint64_t VKAPI_CALL
newer_command(VkDevice device, uint64_t number)
{
    (void)device;
    return number * 2;
}

/** Extensions and versions with which instance and device were made. */
static struct {
    uint32_t minor;
    char instance[1024], device[16384];
} enabled;

static void
note_enabled(char *text, size_t size, const char *const *names, uint32_t count)
{
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, " %s", names[i]);
}

bool
fake_is_enabled(const char *text, const char *name, size_t length)
{
    for (const char *at = text; (at = strchr(at, ' '));)
        if (++at, strcspn(at, " ") == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

/** VK_ANDROID_frame_boundary, which the registry lacks, too. */
static VKAPI_ATTR void VKAPI_CALL
frame_boundary(VkDevice device, VkSemaphore semaphore, VkImage image)
{
    (void)device;
    printf("fake: a frame ends, image %d, semaphore %d\n", image != VK_NULL_HANDLE,
           semaphore != VK_NULL_HANDLE);
}

static PFN_vkVoidFunction
find_strict(const char *name)
{
    PFN_vkVoidFunction found = fake_find_enabled(name, enabled.minor, enabled.device);
    return found ? found : fake_find_enabled(name, enabled.minor, enabled.instance);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char *name);

/** Commands of the instance, which the device lacks. */
static PFN_vkVoidFunction
get_proc(const char *name)
{
    if (strcmp(name, "vkNewerCommandFAKE") == 0)
        return (PFN_vkVoidFunction)newer_command;
    if (fake_config.android && strcmp(name, "vkFrameBoundaryANDROID") == 0)
        return (PFN_vkVoidFunction)frame_boundary;
    return strcmp(name, "vkGetDeviceProcAddr") == 0 ? (PFN_vkVoidFunction)get_device_proc : fake_find(name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
get_device_proc(VkDevice device, const char *name)
{
    (void)device;
    return fake_config.strict ? find_strict(name) : get_proc(name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)vk_icdGetInstanceProcAddr;
    (void)instance;
    return get_proc(name);
}

VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    *version = *version < 5 ? *version : 5;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumerateInstanceVersion(uint32_t *pApiVersion)
{
    *pApiVersion = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

static VkResult
list_of(const VkExtensionProperties *offered, uint32_t count, uint32_t *io_count, VkExtensionProperties *list)
{
    if (!list) {
        *io_count = count;
        return VK_SUCCESS;
    }
    uint32_t room = *io_count;
    *io_count = room < count ? room : count;
    memcpy(list, offered, *io_count * sizeof(*list));
    return room < count ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumerateInstanceExtensionProperties(const char *pLayerName, uint32_t *pPropertyCount,
                                          VkExtensionProperties *pProperties)
{
    const VkExtensionProperties offered[2] = {{VK_KHR_SURFACE_EXTENSION_NAME, 25},
                                              {VK_EXT_HEADLESS_SURFACE_EXTENSION_NAME, 1}};
    (void)pLayerName;
    return list_of(offered, 2, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice, const char *pLayerName,
                                        uint32_t *pPropertyCount, VkExtensionProperties *pProperties)
{
    const VkExtensionProperties few[5] = {{VK_KHR_SWAPCHAIN_EXTENSION_NAME, 70},
                                          {VK_KHR_PRESENT_ID_EXTENSION_NAME, 1},
                                          {VK_KHR_PRESENT_WAIT_EXTENSION_NAME, 1},
                                          {VK_EXT_DEBUG_MARKER_EXTENSION_NAME, 4},
                                          {"VK_ANDROID_frame_boundary", 1}};
    (void)physicalDevice;
    (void)pLayerName;
    if (!fake_config.strict)
        return list_of(few, fake_config.android ? 5 : 4, pPropertyCount, pProperties);
    static VkExtensionProperties all[1024];
    uint32_t count = 0;
    for (; count < 1024 && fake_extensions[count]; count++)
        snprintf(all[count].extensionName, sizeof(all[count].extensionName), "%s", fake_extensions[count]);
    return list_of(all, count, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateInstance(const VkInstanceCreateInfo *pCreateInfo, const VkAllocationCallbacks *pAllocator,
                    VkInstance *pInstance)
{
    VK_LOADER_DATA *instance = calloc(1, sizeof(*instance));
    (void)pAllocator;
    read_config();
    note_enabled(enabled.instance, sizeof(enabled.instance), pCreateInfo->ppEnabledExtensionNames,
                 pCreateInfo->enabledExtensionCount);
    enabled.minor =
        !pCreateInfo->pApplicationInfo ? 0 : VK_API_VERSION_MINOR(pCreateInfo->pApplicationInfo->apiVersion);
    set_loader_magic_value(instance);
    set_loader_magic_value(&physical);
    *pInstance = (VkInstance)(void *)instance;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroyInstance(VkInstance instance, const VkAllocationCallbacks *pAllocator)
{
    (void)pAllocator;
    free((void *)instance);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_EnumeratePhysicalDevices(VkInstance instance, uint32_t *pPhysicalDeviceCount,
                              VkPhysicalDevice *pPhysicalDevices)
{
    (void)instance;
    *pPhysicalDeviceCount = 1;
    if (pPhysicalDevices)
        pPhysicalDevices[0] = (VkPhysicalDevice)(void *)&physical;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceFeatures(VkPhysicalDevice physicalDevice, VkPhysicalDeviceFeatures *pFeatures)
{
    (void)physicalDevice;
    memset(pFeatures, 0, sizeof(*pFeatures));
    pFeatures->pipelineStatisticsQuery = !fake_config.nostats;
}

VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceProperties(VkPhysicalDevice physicalDevice, VkPhysicalDeviceProperties *pProperties)
{
    (void)physicalDevice;
    memset(pProperties, 0, sizeof(*pProperties));
    pProperties->apiVersion = VK_API_VERSION_1_3;
    pProperties->vendorID = 0xfa4e;
    pProperties->deviceType = VK_PHYSICAL_DEVICE_TYPE_OTHER;
    pProperties->limits.timestampPeriod = 1;
    pProperties->limits.maxMemoryAllocationCount = fake_config.allocations;
    strcpy(pProperties->deviceName, "fake");
}

VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceProperties2(VkPhysicalDevice physicalDevice, VkPhysicalDeviceProperties2 *pProperties)
{
    fake_GetPhysicalDeviceProperties(physicalDevice, &pProperties->properties);
}

VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physicalDevice,
                                            uint32_t *pQueueFamilyPropertyCount,
                                            VkQueueFamilyProperties *pQueueFamilyProperties)
{
    VkQueueFlags flags[FAKE_FAMILIES] = {VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
                                         VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT, VK_QUEUE_TRANSFER_BIT,
                                         VK_QUEUE_VIDEO_DECODE_BIT_KHR | VK_QUEUE_TRANSFER_BIT};
    flags[0] |= (fake_config.protects ? VK_QUEUE_PROTECTED_BIT : 0) |
                (fake_config.sparse ? VK_QUEUE_SPARSE_BINDING_BIT : 0);
    (void)physicalDevice;
    if (!pQueueFamilyProperties || *pQueueFamilyPropertyCount > fake_config.families)
        *pQueueFamilyPropertyCount = fake_config.families;
    for (uint32_t i = 0; pQueueFamilyProperties && i < *pQueueFamilyPropertyCount; i++)
        pQueueFamilyProperties[i] =
            (VkQueueFamilyProperties){flags[i], fake_config.single ? 1 : 2, fake_config.bits, {1, 1, 1}};
}

VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice physicalDevice,
                                       VkPhysicalDeviceMemoryProperties *pMemoryProperties)
{
    (void)physicalDevice;
    memset(pMemoryProperties, 0, sizeof(*pMemoryProperties));
    pMemoryProperties->memoryTypeCount = pMemoryProperties->memoryHeapCount = 1;
    pMemoryProperties->memoryTypes[0].propertyFlags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                                      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    pMemoryProperties->memoryHeaps[0].size = 1U << 30;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateDevice(VkPhysicalDevice physicalDevice, const VkDeviceCreateInfo *pCreateInfo,
                  const VkAllocationCallbacks *pAllocator, VkDevice *pDevice)
{
    (void)physicalDevice;
    (void)pAllocator;
    bool statistics = pCreateInfo->pEnabledFeatures && pCreateInfo->pEnabledFeatures->pipelineStatisticsQuery;
    for (const VkBaseInStructure *s = pCreateInfo->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
            statistics =
                ((const VkPhysicalDeviceFeatures2 *)(const void *)s)->features.pipelineStatisticsQuery;
    if (statistics && fake_config.nostats)
        fake_violation("a feature was asked for that the device lacks");
    if (statistics && fake_config.refuse)
        return VK_ERROR_FEATURE_NOT_PRESENT;
    struct fake_device *device = calloc(1, sizeof(*device));
    set_loader_magic_value(device);
    device->ticks = fake_config.start;
    device->statistics = statistics;
    note_enabled(enabled.device, sizeof(enabled.device), pCreateInfo->ppEnabledExtensionNames,
                 pCreateInfo->enabledExtensionCount);
    for (uint32_t f = 0; f < FAKE_FAMILIES; f++)
        for (uint32_t i = 0; i < FAKE_QUEUES; i++) {
            set_loader_magic_value(&device->queue[f][i]);
            device->queue[f][i].family = f;
            device->queue[f][i].is_protected = i == 2;
        }
    fake_the_device = device;
    *pDevice = (VkDevice)(void *)device;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroyDevice(VkDevice device, const VkAllocationCallbacks *pAllocator)
{
    (void)pAllocator;
    pthread_mutex_lock(&fake_lock);
    fake_complete_all(NULL);
    pthread_mutex_unlock(&fake_lock);
    const struct fake_device *done = (const struct fake_device *)(void *)device;
    if (fake_config.totals)
        fprintf(stderr,
                "fake: totals: %u buffers, %u resets, %u timestamps, %u queries, %u copies, %u draws, %u "
                "states\n",
                done->buffers, done->ran[FAKE_OP_RESET], done->ran[FAKE_OP_TIME], done->ran[FAKE_OP_BEGIN],
                done->ran[FAKE_OP_COPY], done->ran[FAKE_OP_DRAW], done->states);
    if (fake_config.totals && done->lost)
        fprintf(stderr, "fake: since the loss: %u submissions, %u buffers, %u commands\n", done->late[0],
                done->late[1], done->late[2]);
    free((void *)device);
}

VKAPI_ATTR void VKAPI_CALL
fake_GetDeviceQueue(VkDevice device, uint32_t queueFamilyIndex, uint32_t queueIndex, VkQueue *pQueue)
{
    *pQueue = (VkQueue)(void *)&((struct fake_device *)(void *)device)->queue[queueFamilyIndex][queueIndex];
}

VKAPI_ATTR void VKAPI_CALL
fake_GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *pQueueInfo, VkQueue *pQueue)
{
    uint32_t i = pQueueInfo->flags & VK_DEVICE_QUEUE_CREATE_PROTECTED_BIT ? 2 : pQueueInfo->queueIndex;
    fake_GetDeviceQueue(device, pQueueInfo->queueFamilyIndex, i, pQueue);
}

VKAPI_ATTR void VKAPI_CALL
fake_GetPhysicalDeviceFeatures2(VkPhysicalDevice physicalDevice, VkPhysicalDeviceFeatures2 *pFeatures)
{
    fake_GetPhysicalDeviceFeatures(physicalDevice, &pFeatures->features);
    for (VkBaseOutStructure *s = pFeatures->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES)
            ((VkPhysicalDeviceProtectedMemoryFeatures *)(void *)s)->protectedMemory = fake_config.protects;
}

/* Memory is malloc; images need none. */

static _Atomic(uint32_t) allocations;

/** Counts of existing memory, queries and command pools. */
static struct {
    _Atomic(uint64_t) bytes, queries;
    _Atomic(int) pools;
} held;

void
fake_print_held(void)
{
    if (fake_config.held)
        printf("fake: held: %llu bytes, %llu queries, %d pools\n", (unsigned long long)held.bytes,
               (unsigned long long)held.queries, held.pools);
}

void
fake_count_pool(int more)
{
    held.pools += more;
}

/** The size of an allocation is in front of it. */
enum { MEMORY_HEAD = 64 };

VKAPI_ATTR VkResult VKAPI_CALL
fake_AllocateMemory(VkDevice device, const VkMemoryAllocateInfo *pAllocateInfo,
                    const VkAllocationCallbacks *pAllocator, VkDeviceMemory *pMemory)
{
    (void)device;
    (void)pAllocator;
    if (pAllocateInfo->allocationSize > fake_config.largest)
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    if (atomic_fetch_add(&allocations, 1) >= fake_config.allocations)
        fake_violation("more than %u allocations of memory", fake_config.allocations);
    uint8_t *memory = calloc(1, pAllocateInfo->allocationSize + MEMORY_HEAD);
    memcpy(memory, &pAllocateInfo->allocationSize, sizeof(pAllocateInfo->allocationSize));
    held.bytes += pAllocateInfo->allocationSize;
    *pMemory = (VkDeviceMemory)(uintptr_t)(memory + MEMORY_HEAD);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_FreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks *pAllocator)
{
    (void)device;
    (void)pAllocator;
    if (memory == VK_NULL_HANDLE)
        return;
    uint8_t *start = (uint8_t *)(uintptr_t)memory - MEMORY_HEAD;
    VkDeviceSize bytes;
    memcpy(&bytes, start, sizeof(bytes));
    held.bytes -= bytes;
    atomic_fetch_sub(&allocations, 1);
    free(start);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_MapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
               VkMemoryMapFlags flags, void **ppData)
{
    (void)device;
    (void)size;
    (void)flags;
    *ppData = (uint8_t *)(uintptr_t)memory + offset;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateBuffer(VkDevice device, const VkBufferCreateInfo *pCreateInfo,
                  const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
    struct fake_buffer *buffer = calloc(1, sizeof(*buffer));
    (void)device;
    (void)pAllocator;
    buffer->size = pCreateInfo->size;
    *pBuffer = (VkBuffer)(uintptr_t)buffer;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroyBuffer(VkDevice device, VkBuffer buffer, const VkAllocationCallbacks *pAllocator)
{
    (void)device;
    (void)pAllocator;
    free((void *)(uintptr_t)buffer);
}

VKAPI_ATTR void VKAPI_CALL
fake_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer, VkMemoryRequirements *pMemoryRequirements)
{
    (void)device;
    *pMemoryRequirements = (VkMemoryRequirements){((struct fake_buffer *)(uintptr_t)buffer)->size, 16, 1};
}

VKAPI_ATTR void VKAPI_CALL
fake_GetImageMemoryRequirements(VkDevice device, VkImage image, VkMemoryRequirements *pMemoryRequirements)
{
    (void)device;
    (void)image;
    *pMemoryRequirements = (VkMemoryRequirements){4096, 16, 1};
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_BindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize memoryOffset)
{
    (void)device;
    ((struct fake_buffer *)(uintptr_t)buffer)->memory = (uint8_t *)(uintptr_t)memory + memoryOffset;
    return VK_SUCCESS;
}

/* Objects that are made in arrays */

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateGraphicsPipelines(VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                             const VkGraphicsPipelineCreateInfo *pCreateInfos,
                             const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
    (void)device;
    (void)pipelineCache;
    (void)pCreateInfos;
    (void)pAllocator;
    for (uint32_t i = 0; i < createInfoCount; i++)
        pPipelines[i] = (VkPipeline)fake_handle();
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateComputePipelines(VkDevice device, VkPipelineCache pipelineCache, uint32_t createInfoCount,
                            const VkComputePipelineCreateInfo *pCreateInfos,
                            const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
    (void)pCreateInfos;
    return fake_CreateGraphicsPipelines(device, pipelineCache, createInfoCount, NULL, pAllocator, pPipelines);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateRayTracingPipelinesKHR(VkDevice device, VkDeferredOperationKHR deferredOperation,
                                  VkPipelineCache pipelineCache, uint32_t createInfoCount,
                                  const VkRayTracingPipelineCreateInfoKHR *pCreateInfos,
                                  const VkAllocationCallbacks *pAllocator, VkPipeline *pPipelines)
{
    (void)deferredOperation;
    (void)pCreateInfos;
    return fake_CreateGraphicsPipelines(device, pipelineCache, createInfoCount, NULL, pAllocator, pPipelines);
}

/* Shaders: a module is the sum of its code, which is its identifier, too. */

static uint64_t
sum_of(const VkShaderModuleCreateInfo *info)
{
    uint64_t sum = 1;
    for (size_t i = 0; i < info->codeSize / 4; i++)
        sum = sum * 31 + info->pCode[i];
    return sum;
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateShaderModule(VkDevice device, const VkShaderModuleCreateInfo *pCreateInfo,
                        const VkAllocationCallbacks *pAllocator, VkShaderModule *pShaderModule)
{
    uint64_t *module = malloc(sizeof(*module));
    (void)device;
    (void)pAllocator;
    *module = sum_of(pCreateInfo);
    *pShaderModule = (VkShaderModule)(uintptr_t)module;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroyShaderModule(VkDevice device, VkShaderModule shaderModule,
                         const VkAllocationCallbacks *pAllocator)
{
    (void)device;
    (void)pAllocator;
    free((void *)(uintptr_t)shaderModule);
}

static void
identify(uint64_t sum, VkShaderModuleIdentifierEXT *ret)
{
    ret->identifierSize = sizeof(sum);
    memcpy(ret->identifier, &sum, sizeof(sum));
}

VKAPI_ATTR void VKAPI_CALL
fake_GetShaderModuleIdentifierEXT(VkDevice device, VkShaderModule shaderModule,
                                  VkShaderModuleIdentifierEXT *pIdentifier)
{
    (void)device;
    identify(*(const uint64_t *)(uintptr_t)shaderModule, pIdentifier);
}

VKAPI_ATTR void VKAPI_CALL
fake_GetShaderModuleCreateInfoIdentifierEXT(VkDevice device, const VkShaderModuleCreateInfo *pCreateInfo,
                                            VkShaderModuleIdentifierEXT *pIdentifier)
{
    (void)device;
    identify(sum_of(pCreateInfo), pIdentifier);
}

VKAPI_ATTR VkResult VKAPI_CALL
fake_AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo *pAllocateInfo,
                            VkDescriptorSet *pDescriptorSets)
{
    (void)device;
    for (uint32_t i = 0; i < pAllocateInfo->descriptorSetCount; i++)
        pDescriptorSets[i] = (VkDescriptorSet)fake_handle();
    return VK_SUCCESS;
}

/* Queries */

VKAPI_ATTR VkResult VKAPI_CALL
fake_CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo *pCreateInfo,
                     const VkAllocationCallbacks *pAllocator, VkQueryPool *pQueryPool)
{
    struct fake_pool *pool = calloc(1, sizeof(*pool) + pCreateInfo->queryCount * sizeof(pool->query[0]));
    (void)pAllocator;
    pool->type = pCreateInfo->queryType;
    pool->count = pCreateInfo->queryCount;
    pool->statistics = pCreateInfo->pipelineStatistics;
    pool->values =
        pool->type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? (uint32_t)__builtin_popcount(pool->statistics) : 1;
    if (pool->type == VK_QUERY_TYPE_PIPELINE_STATISTICS &&
        !((struct fake_device *)(void *)device)->statistics)
        fake_violation("a statistics pool without the feature");
    held.queries += pool->count;
    *pQueryPool = (VkQueryPool)(uintptr_t)pool;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
fake_ResetQueryPool(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery, uint32_t queryCount)
{
    struct fake_pool *pool = (struct fake_pool *)(uintptr_t)queryPool;
    (void)device;
    pthread_mutex_lock(&fake_lock);
    if (pool->pending > 0)
        fake_violation("the host resets queries of a pool that %u executions use", pool->pending);
    for (uint32_t q = firstQuery; q < firstQuery + queryCount; q++)
        pool->query[q].state = FAKE_RESET;
    pthread_mutex_unlock(&fake_lock);
}

VKAPI_ATTR void VKAPI_CALL
fake_DestroyQueryPool(VkDevice device, VkQueryPool queryPool, const VkAllocationCallbacks *pAllocator)
{
    struct fake_pool *pool = (struct fake_pool *)(uintptr_t)queryPool;
    (void)device;
    (void)pAllocator;
    pthread_mutex_lock(&fake_lock);
    if (pool && pool->pending > 0)
        fake_violation("a query pool was destroyed while %u executions use it", pool->pending);
    pthread_mutex_unlock(&fake_lock);
    held.queries -= pool ? pool->count : 0;
    free(pool);
}
