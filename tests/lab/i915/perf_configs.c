/** @file
 * OA configurations; see perf_configs.h. The answer to a query has the kernel's layout: the registers' struct
 * follows a whole struct drm_i915_query_perf_config. Mesa 22.3.6 expects the struct 4 bytes earlier, takes
 * characters of the UUID for numbers, and allocates 13 GB; LAB_PERF_CONFIG=mesa puts the struct where that
 * Mesa reads. */
#include "tests/lab/i915/perf_configs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <i915_drm.h>

#include "tests/lab/files.h"
#include "tests/lab/i915/perf_refusals.h"
#include "tests/lab/pci.h"
#include "tests/lab/report.h"

#define CONFIGS     512
#define UUID_LENGTH 36
#define KINDS       3 /* mux, boolean, flex */
#define MAX_PAIRS   1024
/* Numbers from here on are out of the application's way. */
#define LOWEST_SHARE 700

/* A configuration; its number is its index. */
struct config {
    bool used;
    char uuid[UUID_LENGTH + 1];
    uint32_t pairs[KINDS];
    uint32_t pair[KINDS][2 * MAX_PAIRS]; /* register and value, each */
};

/* What the kernel knows. With LAB_SHARE, processes share it as a mapped file. */
struct table {
    _Atomic(uint32_t) changes;
    struct config config[CONFIGS];
};

static struct table own_table, *table = &own_table;
static int share = -1; /* descriptor of the shared file; its lock guards the table over processes */
static pthread_mutex_t publish_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t published;     /* table->changes of the files in sysfs; guarded by publish_lock */
static bool has_file[CONFIGS]; /* guarded by publish_lock */
static char file_uuid[CONFIGS][UUID_LENGTH + 1];

static void
lock_table(void)
{
    while (share >= 0 && flock(share, LOCK_EX) && errno == EINTR)
        continue;
}

static void
unlock_table(void)
{
    if (share >= 0)
        (void)flock(share, LOCK_UN);
}

static void
file_of(const char *uuid, char path[256])
{
    snprintf(path, 256, LAB_PCI_PATH "/drm/card0/metrics/%s/id", uuid);
}

/* Make the files of sysfs what the table says, which another process may have changed. */
static void
publish(void)
{
    char path[256];
    pthread_mutex_lock(&publish_lock);
    uint32_t changes = atomic_load(&table->changes);
    for (unsigned i = 2; i < CONFIGS && changes != published; i++) {
        const struct config *config = &table->config[i];
        if (has_file[i] && (!config->used || strcmp(config->uuid, file_uuid[i]) != 0)) {
            file_of(file_uuid[i], path);
            lab_files_remove(path);
            has_file[i] = false;
        }
        if (config->used && !has_file[i]) {
            snprintf(file_uuid[i], sizeof(file_uuid[i]), "%s", config->uuid);
            file_of(file_uuid[i], path);
            lab_files_text(path, "%u\n", i);
            has_file[i] = true;
        }
    }
    published = changes;
    pthread_mutex_unlock(&publish_lock);
}

void
i915_perf_configs_begin(void)
{
    const char *path = getenv("LAB_SHARE");
    lab_files_folder(LAB_PCI_PATH "/drm/card0/metrics");
    if (!path)
        return;
    int low = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    share = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, LOWEST_SHARE);
    if (low >= 0)
        close(low);
    void *shared = share < 0 || ftruncate(share, sizeof(*table)) != 0
                       ? MAP_FAILED
                       : mmap(NULL, sizeof(*table), PROT_READ | PROT_WRITE, MAP_SHARED, share, 0);
    if (shared == MAP_FAILED)
        LAB_FAULT("LAB_SHARE=%s cannot be used", path);
    else
        table = shared;
    lab_files_before_look(publish);
}

bool
i915_perf_config_exists(uint64_t number)
{
    return number > 0 && number < CONFIGS && table->config[number].used;
}

static struct config *
find(const char *uuid)
{
    for (unsigned i = 1; i < CONFIGS; i++)
        if (table->config[i].used && memcmp(table->config[i].uuid, uuid, UUID_LENGTH) == 0)
            return &table->config[i];
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
        if (count[i])
            memcpy(config->pair[i], (const void *)(uintptr_t)at[i], (size_t)count[i] * 8);
    }
    return 0;
}

static int
add_locked(const struct drm_i915_perf_oa_config *ask)
{
    if (find(ask->uuid))
        return -EADDRINUSE;
    struct config *config = &table->config[2];
    while (config < table->config + CONFIGS && config->used)
        config++;
    if (config == table->config + CONFIGS)
        return -ENOSPC;
    int status = copy_pairs(config, ask);
    if (status)
        return status;
    memcpy(config->uuid, ask->uuid, UUID_LENGTH);
    config->used = true;
    atomic_fetch_add(&table->changes, 1);
    return (int)(config - table->config);
}

int
i915_perf_add_config(struct lab_client *client, void *arg)
{
    const struct drm_i915_perf_oa_config *ask = arg;
    (void)client;
    int refused = i915_perf_refusal("ADD_CONFIG");
    if (refused || getenv("LAB_PERF_PARANOID"))
        return refused ? -refused : -EACCES;
    if (!ask->n_mux_regs && !ask->n_boolean_regs && !ask->n_flex_regs)
        return -EINVAL;
    if (!is_uuid(ask->uuid)) {
        LAB_FAULT("PERF_ADD_CONFIG: '%.36s' is no UUID", ask->uuid);
        return -EINVAL;
    }
    lock_table();
    int number = add_locked(ask);
    unlock_table();
    if (number < 0)
        return number;
    publish();
    lab_log("perf_add_config number=%d uuid=%.36s", number, ask->uuid);
    return number;
}

int
i915_perf_remove_config(struct lab_client *client, void *arg)
{
    uint64_t number = *(const uint64_t *)arg;
    (void)client;
    int refused = i915_perf_refusal("REMOVE_CONFIG");
    if (refused || getenv("LAB_PERF_PARANOID"))
        return refused ? -refused : -EACCES;
    lock_table();
    bool there = number >= 2 && i915_perf_config_exists(number);
    if (there) {
        table->config[number].used = false;
        atomic_fetch_add(&table->changes, 1);
    }
    unlock_table();
    if (!there)
        return -ENOENT;
    publish();
    lab_log("perf_remove_config number=%llu", (unsigned long long)number);
    return 0;
}

int
i915_perf_take_unit(void)
{
    static const struct flock unit = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    return share >= 0 && fcntl(share, F_SETLK, &unit) ? -EBUSY : 0;
}

void
i915_perf_give_unit(void)
{
    static const struct flock unit = {.l_type = F_UNLCK, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1};
    if (share >= 0)
        (void)fcntl(share, F_SETLK, &unit);
}

/* Queries. */

static int
list(const struct drm_i915_query_item *item)
{
    struct drm_i915_query_perf_config *answer = (void *)(uintptr_t)item->data_ptr;
    uint64_t number = 0, count = 0;
    for (unsigned i = 1; i < CONFIGS; i++)
        count += table->config[i].used;
    int size = (int)(sizeof(*answer) + sizeof(uint64_t) * count);
    if (item->length == 0)
        return size;
    if (item->length < size)
        return -EINVAL;
    answer->n_configs = count;
    uint8_t *at = (uint8_t *)answer + sizeof(*answer);
    for (number = 1; number < CONFIGS; number++)
        if (table->config[number].used) {
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
        config = &table->config[ask->config];
    if (!config)
        return -ENOENT;
    size_t offset = mesa ? offsetof(struct drm_i915_query_perf_config, data) : sizeof(*ask);
    int status = give_data(config, (uint8_t *)ask + offset);
    return status ? status : size;
}

int
i915_perf_query(struct drm_i915_query_item *item)
{
    int refused = i915_perf_refusal("QUERY");
    if (refused)
        return -refused;
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
