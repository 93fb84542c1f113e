/** @file
 * OA configurations; see perf_configs.h. The answer to a query has the kernel's layout: the registers' struct
 * follows a whole struct drm_i915_query_perf_config. Mesa 22.3.6 expects the struct 4 bytes earlier, takes
 * characters of the UUID for numbers, and allocates 13 GB; LAB_PERF_CONFIG=mesa puts the struct where that
 * Mesa reads. */
#include "tests/lab/i915/perf_configs.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include <i915_drm.h>

#include "tests/lab/files.h"
#include "tests/lab/pci.h"
#include "tests/lab/report.h"

#define CONFIGS     512
#define UUID_LENGTH 36
#define KINDS       3 /* mux, boolean, flex */
#define MAX_PAIRS   65536

/* A configuration; its number is its index. */
struct config {
    bool used;
    char uuid[UUID_LENGTH + 1];
    uint32_t pairs[KINDS];
    uint32_t *pair[KINDS]; /* register and value, each */
};

static struct config configs[CONFIGS];

static void
file_of(const struct config *config, char path[256])
{
    snprintf(path, 256, LAB_PCI_PATH "/drm/card0/metrics/%s/id", config->uuid);
}

static void
publish(const struct config *config)
{
    char path[256];
    file_of(config, path);
    lab_files_text(path, "%d\n", (int)(config - configs));
}

void
i915_perf_configs_begin(void)
{
    lab_files_folder(LAB_PCI_PATH "/drm/card0/metrics");
}

bool
i915_perf_config_exists(uint64_t number)
{
    return number > 0 && number < CONFIGS && configs[number].used;
}

static struct config *
find(const char *uuid)
{
    for (unsigned i = 1; i < CONFIGS; i++)
        if (configs[i].used && memcmp(configs[i].uuid, uuid, UUID_LENGTH) == 0)
            return &configs[i];
    return NULL;
}

static bool
is_uuid(const char *text)
{
    for (int i = 0; i < UUID_LENGTH; i++)
        if (i == 8 || i == 13 || i == 18 || i == 23 ? text[i] != '-' : !isxdigit((unsigned char)text[i]))
            return false;
    return true;
}

/* Copy the application's registers. */
static int
copy_pairs(struct config *config, const struct drm_i915_perf_oa_config *from)
{
    const uint32_t count[KINDS] = {from->n_mux_regs, from->n_boolean_regs, from->n_flex_regs};
    const uint64_t at[KINDS] = {from->mux_regs_ptr, from->boolean_regs_ptr, from->flex_regs_ptr};
    for (unsigned i = 0; i < KINDS; i++) {
        if (count[i] > MAX_PAIRS || (count[i] && !at[i]))
            return -EINVAL;
        config->pairs[i] = count[i];
        config->pair[i] = calloc(count[i] + 1, 8);
        if (!config->pair[i])
            return -ENOMEM;
        if (count[i])
            memcpy(config->pair[i], (const void *)(uintptr_t)at[i], (size_t)count[i] * 8);
    }
    return 0;
}

static void
empty(struct config *config)
{
    for (unsigned i = 0; i < KINDS; i++)
        free(config->pair[i]);
    memset(config, 0, sizeof(*config));
}

int
i915_perf_add_config(struct lab_client *client, void *arg)
{
    const struct drm_i915_perf_oa_config *ask = arg;
    (void)client;
    if (getenv("LAB_PERF_PARANOID"))
        return -EACCES;
    if (!ask->n_mux_regs && !ask->n_boolean_regs && !ask->n_flex_regs)
        return -EINVAL;
    if (!is_uuid(ask->uuid)) {
        LAB_FAULT("PERF_ADD_CONFIG: '%.36s' is no UUID", ask->uuid);
        return -EINVAL;
    }
    if (find(ask->uuid))
        return -EADDRINUSE;
    struct config *config = &configs[2];
    while (config < configs + CONFIGS && config->used)
        config++;
    if (config == configs + CONFIGS)
        return -ENOSPC;
    int status = copy_pairs(config, ask);
    if (status) {
        empty(config);
        return status;
    }
    config->used = true;
    memcpy(config->uuid, ask->uuid, UUID_LENGTH);
    publish(config);
    lab_log("perf_add_config number=%d uuid=%s", (int)(config - configs), config->uuid);
    return (int)(config - configs);
}

int
i915_perf_remove_config(struct lab_client *client, void *arg)
{
    char path[256];
    uint64_t number = *(const uint64_t *)arg;
    (void)client;
    if (getenv("LAB_PERF_PARANOID"))
        return -EACCES;
    if (number < 2 || !i915_perf_config_exists(number))
        return -ENOENT;
    file_of(&configs[number], path);
    lab_files_remove(path);
    empty(&configs[number]);
    lab_log("perf_remove_config number=%llu", (unsigned long long)number);
    return 0;
}

/* Queries. */

static int
list(const struct drm_i915_query_item *item)
{
    struct drm_i915_query_perf_config *answer = (void *)(uintptr_t)item->data_ptr;
    uint64_t number = 0, count = 0;
    for (unsigned i = 1; i < CONFIGS; i++)
        count += configs[i].used;
    int size = (int)(sizeof(*answer) + sizeof(uint64_t) * count);
    if (item->length == 0)
        return size;
    if (item->length < size)
        return -EINVAL;
    answer->n_configs = count;
    uint8_t *at = (uint8_t *)answer + sizeof(*answer);
    for (number = 1; number < CONFIGS; number++)
        if (configs[number].used) {
            memcpy(at, &number, sizeof(number));
            at += sizeof(number);
        }
    return size;
}

/* As the kernel's copy_to_user(): a bad address is no crash. */
static bool
copy_to_user(uint64_t to, const void *from, size_t size)
{
    struct iovec source = {.iov_len = size}, target = {.iov_base = (void *)(uintptr_t)to, .iov_len = size};
    memcpy(&source.iov_base, &from, sizeof(from));
    return size == 0 || process_vm_writev(getpid(), &source, 1, &target, 1, 0) == (ssize_t)size;
}

/* As query_perf_config_data() of the kernel: numbers that are not 0 say how much memory is there. */
static int
give_data(const struct config *config, uint8_t *at)
{
    struct drm_i915_perf_oa_config user;
    memcpy(&user, at, sizeof(user));
    uint32_t *count[KINDS] = {&user.n_mux_regs, &user.n_boolean_regs, &user.n_flex_regs};
    const uint64_t to[KINDS] = {user.mux_regs_ptr, user.boolean_regs_ptr, user.flex_regs_ptr};
    for (unsigned i = 0; i < KINDS; i++)
        if (*count[i] != 0 && *count[i] < config->pairs[i])
            return -EINVAL;
    for (unsigned i = 0; i < KINDS; i++) {
        bool wanted = *count[i] != 0;
        *count[i] = config->pairs[i];
        if (wanted && !copy_to_user(to[i], config->pair[i], (size_t)config->pairs[i] * 8))
            return -EFAULT;
    }
    memcpy(user.uuid, config->uuid, UUID_LENGTH);
    memcpy(at, &user, sizeof(user));
    return 0;
}

static int
data(const struct drm_i915_query_item *item)
{
    struct drm_i915_query_perf_config *ask = (void *)(uintptr_t)item->data_ptr;
    const char *layout = getenv("LAB_PERF_CONFIG");
    bool mesa = layout && strcmp(layout, "mesa") == 0;
    int size = (int)(sizeof(*ask) + sizeof(struct drm_i915_perf_oa_config));
    if (item->length == 0)
        return size;
    if (item->length < size || ask->flags)
        return -EINVAL;
    const struct config *config = NULL;
    if (item->flags == DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID)
        config = find(ask->uuid);
    else if (i915_perf_config_exists(ask->config))
        config = &configs[ask->config];
    if (!config)
        return -ENOENT;
    size_t offset = mesa ? offsetof(struct drm_i915_query_perf_config, data) : sizeof(*ask);
    int status = give_data(config, (uint8_t *)ask + offset);
    return status ? status : size;
}

int
i915_perf_query(struct drm_i915_query_item *item)
{
    switch (item->flags) {
    case DRM_I915_QUERY_PERF_CONFIG_LIST:
        return list(item);
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_UUID:
    case DRM_I915_QUERY_PERF_CONFIG_DATA_FOR_ID:
        return data(item);
    default:
        return -EINVAL;
    }
}
