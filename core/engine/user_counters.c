/** @file
 * User counters; see user_counters.h. */
#include "core/engine/user_counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_NONE, KIND_SET, KIND_ADD };

static uint64_t
image_of(double value)
{
    uint64_t image = 0;
    memcpy(&image, &value, sizeof(image));
    return image;
}

static double
value_of(uint64_t image)
{
    double value = 0;
    memcpy(&value, &image, sizeof(value));
    return value;
}

int
pp_user_counters_init(struct pp_user_counters *user_counters)
{
    memset(user_counters, 0, sizeof(*user_counters));
    pthread_mutex_init(&user_counters->lock, NULL);
    return pp_intern_init(&user_counters->names, PP_USER_COUNTERS_MAX);
}

void
pp_user_counters_finish(struct pp_user_counters *user_counters)
{
    pp_intern_finish(&user_counters->names);
    pthread_mutex_destroy(&user_counters->lock);
}

/* The counter of a name; NULL if there are too many. */
static struct pp_user_counter *
find(struct pp_user_counters *user_counters, const char *name)
{
    char text[PP_USER_COUNTER_NAME];
    size_t len = strnlen(name, sizeof(text));
    if (len == sizeof(text)) /* do not cut a UTF-8 sequence in the middle */
        for (len--; len > 0 && ((unsigned char)name[len] & 0xC0) == 0x80;)
            len--;
    memcpy(text, name, len);
    text[len] = '\0';
    uint32_t id = pp_intern(&user_counters->names, text, len + 1);
    return id ? &user_counters->counter[id - 1] : NULL;
}

bool
pp_user_counters_set(struct pp_user_counters *user_counters, const char *name, double value)
{
    struct pp_user_counter *counter = find(user_counters, name);
    if (!counter)
        return false;
    atomic_store_explicit(&counter->set, image_of(value), memory_order_relaxed);
    atomic_store_explicit(&counter->kind, KIND_SET, memory_order_release);
    return true;
}

bool
pp_user_counters_add(struct pp_user_counters *user_counters, const char *name, double delta)
{
    struct pp_user_counter *counter = find(user_counters, name);
    if (!counter)
        return false;
    uint64_t old = atomic_load_explicit(&counter->sum, memory_order_relaxed);
    uint64_t grown = 0;
    do
        grown = image_of(value_of(old) + delta);
    while (!atomic_compare_exchange_weak_explicit(&counter->sum, &old, grown, memory_order_relaxed,
                                                  memory_order_relaxed));
    atomic_store_explicit(&counter->kind, KIND_ADD, memory_order_release);
    return true;
}

static void
close_locked(struct pp_user_counters *user_counters)
{
    uint32_t count = atomic_load(&user_counters->names.count);
    for (uint32_t i = 0; i < count; i++) {
        struct pp_user_counter *counter = &user_counters->counter[i];
        counter->closed_kind = atomic_load_explicit(&counter->kind, memory_order_acquire);
        counter->closed_set = value_of(atomic_load_explicit(&counter->set, memory_order_relaxed));
        counter->closed_sum += value_of(atomic_exchange_explicit(&counter->sum, 0, memory_order_relaxed));
    }
}

void
pp_user_counters_close(struct pp_user_counters *user_counters)
{
    pthread_mutex_lock(&user_counters->lock);
    close_locked(user_counters);
    pthread_mutex_unlock(&user_counters->lock);
}

uint32_t
pp_user_counters_take(struct pp_user_counters *user_counters, bool marked, double **ret)
{
    *ret = NULL;
    uint32_t count = atomic_load(&user_counters->names.count);
    double *value = count ? malloc(count * sizeof(*value)) : NULL;
    if (!value)
        return 0;
    pthread_mutex_lock(&user_counters->lock);
    if (!marked)
        close_locked(user_counters);
    for (uint32_t i = 0; i < count; i++) {
        struct pp_user_counter *counter = &user_counters->counter[i];
        value[i] = counter->closed_kind == KIND_SET   ? counter->closed_set
                   : counter->closed_kind == KIND_ADD ? counter->closed_sum
                                                      : (double)NAN;
        counter->closed_sum = 0;
    }
    pthread_mutex_unlock(&user_counters->lock);
    *ret = value;
    return count;
}

bool
pp_user_counter_adds(struct pp_user_counters *user_counters, uint32_t i)
{
    return atomic_load_explicit(&user_counters->counter[i].kind, memory_order_relaxed) == KIND_ADD;
}

const char *
pp_user_counters_name(struct pp_user_counters *user_counters, uint32_t i)
{
    const struct pp_intern_entry *entry = pp_intern_get(&user_counters->names, i + 1);
    return entry ? (const char *)entry->bytes : "";
}
