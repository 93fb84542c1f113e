/** @file
 * The source "khr": the counters that a driver enumerates for one queue family. See khr_query.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/log.h"
#include "counters/events/event_names.h"
#include "layer/counters/khr_query.h"
#include "layer/counters/perf_layout.h"

/* Events of the default set. */
#define DEFAULT_EVENTS_MAX 64U

/* passprobe's unit for each unit of Vulkan. */
static enum pp_unit
unit_of(VkPerformanceCounterUnitKHR unit)
{
    switch (unit) {
    case VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR:
        return PP_UNIT_COUNT;
    case VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR:
        return PP_UNIT_PERCENT;
    case VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR:
        return PP_UNIT_NS;
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR:
        return PP_UNIT_BYTES;
    case VK_PERFORMANCE_COUNTER_UNIT_HERTZ_KHR:
        return PP_UNIT_HZ;
    case VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR:
        return PP_UNIT_CYCLES;
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_PER_SECOND_KHR:
        return PP_UNIT_BYTES_PER_S;
    case VK_PERFORMANCE_COUNTER_UNIT_KELVIN_KHR:
        return PP_UNIT_KELVIN;
    case VK_PERFORMANCE_COUNTER_UNIT_WATTS_KHR:
        return PP_UNIT_WATTS;
    case VK_PERFORMANCE_COUNTER_UNIT_VOLTS_KHR:
        return PP_UNIT_VOLTS;
    case VK_PERFORMANCE_COUNTER_UNIT_AMPS_KHR:
        return PP_UNIT_AMPS;
    case VK_PERFORMANCE_COUNTER_UNIT_MAX_ENUM_KHR:
    default:
        return PP_UNIT_OTHER;
    }
}

/* Rates, shares and states do not add up over brackets. */
static bool
is_not_additive(VkPerformanceCounterUnitKHR unit)
{
    switch (unit) {
    case VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR:
        return false;
    case VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_HERTZ_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_BYTES_PER_SECOND_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_KELVIN_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_WATTS_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_VOLTS_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_AMPS_KHR:
    case VK_PERFORMANCE_COUNTER_UNIT_MAX_ENUM_KHR:
    default:
        return true;
    }
}

/* How a result is stored. @return Number of bits; 0: unknown. */
static uint8_t
number_of(VkPerformanceCounterStorageKHR storage, uint8_t *ret_number)
{
    switch (storage) {
    case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
        *ret_number = PP_NUMBER_I32;
        return 32;
    case VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR:
        *ret_number = PP_NUMBER_I64;
        return 64;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
        *ret_number = PP_NUMBER_U64;
        return 32;
    case VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR:
        *ret_number = PP_NUMBER_U64;
        return 64;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
        *ret_number = PP_NUMBER_F32;
        return 32;
    case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
        *ret_number = PP_NUMBER_F64;
        return 64;
    case VK_PERFORMANCE_COUNTER_STORAGE_MAX_ENUM_KHR:
    default:
        return 0;
    }
}

static void
learn(struct pp_perf_counter *counter, const VkPerformanceCounterKHR *from,
      const VkPerformanceCounterDescriptionKHR *text, const struct pp_perf_quirk *quirk)
{
    VkPerformanceCounterUnitKHR unit = from->unit;
    pp_event_name_clean(counter->name, VK_MAX_DESCRIPTION_SIZE, text->name, "counter");
    pp_event_name_clean(counter->category, sizeof(counter->category), text->category, "counters");
    pp_event_text_clean(counter->description, sizeof(counter->description),
                        text->description[0] != '\0' ? text->description : "The driver does not say.");
    if (quirk->ratios_are_bytes && unit == VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR &&
        strstr(text->name, "ratio"))
        unit = VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR;
    counter->unit = (uint8_t)unit_of(unit);
    counter->not_additive = is_not_additive(unit);
    counter->bits = number_of(from->storage, &counter->number);
    counter->scope = (uint8_t)from->scope;
    if (quirk->jobs && counter->scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR)
        counter->scope = VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR;
    if (counter->bits == 0)
        counter->reason = PP_TEXT_KHR_STORAGE;
}

/* Make names unique, because they are column names. A name in several categories gets its category as a
 * prefix. A name that one category has twice gets a number as a suffix. */
static void
make_names_unique(struct pp_perf_khr *khr)
{
    struct pp_event_name *name = calloc((size_t)khr->counters + 1, sizeof(*name));
    for (uint32_t i = 0; name && i < khr->counters; i++)
        name[i] = (struct pp_event_name){.name = khr->counter[i].name,
                                         .group = khr->counter[i].category,
                                         .unit = (enum pp_unit)khr->counter[i].unit};
    if (!name || pp_event_names_distinguish(name, khr->counters) != 0)
        khr->counters = 0; /* no memory: no counters */
    for (uint32_t i = 0; name && i < khr->counters; i++)
        if (name[i].made)
            snprintf(khr->counter[i].name, sizeof(khr->counter[i].name), "%s", name[i].made);
    for (uint32_t i = 0; name && name[i].name; i++)
        free(name[i].made);
    free(name);
}

static bool
fits_one_pass(const struct pp_perf_khr *khr, const uint32_t *event, size_t events)
{
    uint32_t passes = 0;
    const VkQueryPoolPerformanceCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
        .queueFamilyIndex = khr->family,
        .counterIndexCount = (uint32_t)events,
        .pCounterIndices = event,
    };
    khr->passes(khr->physical, &info, &passes);
    return passes == 1;
}

static int
enumerate_counters(struct pp_perf_khr *khr,
                   PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate,
                   const struct pp_perf_quirk *quirk)
{
    uint32_t count = 0;
    VkResult result = enumerate(khr->physical, khr->family, &count, NULL, NULL);
    if (result != VK_SUCCESS || count == 0)
        return result < VK_SUCCESS ? -EIO : -ENOENT;
    VkPerformanceCounterKHR *list = calloc(count, sizeof(*list));
    VkPerformanceCounterDescriptionKHR *text = calloc(count, sizeof(*text));
    khr->counter = calloc(count, sizeof(*khr->counter));
    bool ok = list && text && khr->counter;
    for (uint32_t i = 0; i < count && ok; i++) {
        list[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR;
        text[i].sType = VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR;
    }
    if (ok)
        result = enumerate(khr->physical, khr->family, &count, list, text);
    if (ok && result >= VK_SUCCESS)
        khr->counters = count;
    for (uint32_t i = 0; ok && i < khr->counters; i++)
        learn(&khr->counter[i], &list[i], &text[i], quirk);
    free(list);
    free(text);
    return !ok ? -ENOMEM : result < VK_SUCCESS ? -EIO : khr->counters == 0 ? -ENOENT : 0;
}

int
pp_perf_khr_open(struct pp_perf_khr *khr, VkPhysicalDevice physical, uint32_t family,
                 PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate,
                 PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes,
                 const struct pp_perf_quirk *quirk)
{
    *khr = (struct pp_perf_khr){.physical = physical, .family = family, .passes = passes};
    int rc = enumerate_counters(khr, enumerate, quirk);
    if (rc != 0) {
        pp_perf_khr_close(khr);
        return rc;
    }
    khr->has_default_events = !quirk->on_request;
    make_names_unique(khr);
    if (khr->counters == 0) {
        pp_perf_khr_close(khr);
        return -ENOMEM;
    }
    for (uint32_t i = 0; i < khr->counters; i++)
        if (!khr->counter[i].reason && !fits_one_pass(khr, &i, 1))
            khr->counter[i].reason = PP_TEXT_KHR_PASSES;
    return 0;
}

void
pp_perf_khr_close(struct pp_perf_khr *khr)
{
    free(khr->counter);
    free(khr->default_event);
    pp_perf_layouts_free(khr->layouts);
    *khr = (struct pp_perf_khr){.counters = 0};
}

VkPerformanceCounterScopeKHR
pp_perf_khr_scope(const struct pp_perf_khr *khr, const uint32_t *event, uint32_t events)
{
    /* A smaller value is a wider scope. */
    uint8_t scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
    for (uint32_t i = 0; i < events; i++)
        if (khr->counter[event[i]].scope < scope)
            scope = khr->counter[event[i]].scope;
    return (VkPerformanceCounterScopeKHR)scope;
}

static int
khr_event(void *self, uint32_t i, struct pp_event *ret_event)
{
    const struct pp_perf_khr *khr = self;
    if (i >= khr->counters)
        return -ENOENT;
    const struct pp_perf_counter *counter = &khr->counter[i];
    *ret_event = (struct pp_event){
        .name = counter->name,
        .description = counter->description,
        .reason = counter->reason,
        .unit = (enum pp_unit)counter->unit,
        .group = counter->category,
        .number = (enum pp_number)counter->number,
        .not_additive = counter->not_additive,
    };
    return 0;
}

/* Events fit if they need one pass and have the same scope: otherwise all would be confined to the widest
 * scope. */
static int
khr_fits(void *self, const uint32_t *event, size_t events)
{
    const struct pp_perf_khr *khr = self;
    for (size_t i = 0; i < events; i++)
        if (event[i] >= khr->counters || khr->counter[event[i]].reason ||
            khr->counter[event[i]].scope != khr->counter[event[0]].scope)
            return 0;
    return events > 0 && fits_one_pass(khr, event, events);
}

static const struct pp_layout *
khr_layout(void *self, const uint32_t *event, size_t events)
{
    struct pp_perf_khr *khr = self;
    const struct pp_layout *known = pp_perf_layout_find(khr->layouts, event, events);
    if (known || khr_fits(self, event, events) == 0)
        return known;
    struct pp_perf_layout *made = pp_perf_layout_add(&khr->layouts, event, events, (uint32_t)events);
    if (!made)
        return NULL;
    for (uint32_t i = 0; i < events; i++) {
        const struct pp_perf_counter *counter = &khr->counter[event[i]];
        made->field[i] = (struct pp_field){
            .name = counter->name,
            .part = {{.offset = i * (uint32_t)sizeof(VkPerformanceCounterResultKHR), .bits = counter->bits}},
            .mode = PP_FIELD_DELTA,
            .unit = counter->unit,
            .number = counter->number,
            .not_additive = counter->not_additive,
        };
    }
    made->layout.name = "khr";
    made->layout.fields = (uint32_t)events;
    made->layout.size = (uint32_t)(events * sizeof(VkPerformanceCounterResultKHR));
    return &made->layout;
}

/* As many counters of command scope as fit into one pass, in the driver's order. */
static void
make_default_events(struct pp_perf_khr *khr)
{
    khr->default_event = calloc(DEFAULT_EVENTS_MAX, sizeof(*khr->default_event));
    for (uint32_t i = 0; khr->default_event && i < khr->counters && khr->default_events < DEFAULT_EVENTS_MAX;
         i++) {
        khr->default_event[khr->default_events] = i;
        if (khr->counter[i].scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR &&
            khr_fits(khr, khr->default_event, khr->default_events + 1))
            khr->default_events++;
    }
}

static int
khr_default_event(void *self, uint32_t i, uint32_t *ret_event)
{
    struct pp_perf_khr *khr = self;
    if (khr->has_default_events && !khr->default_event)
        make_default_events(khr);
    if (!khr->default_event || i >= khr->default_events)
        return -ENOENT;
    *ret_event = khr->default_event[i];
    return 0;
}

const struct pp_source_ops pp_perf_source_khr = {
    .name = "khr",
    .event = khr_event,
    .fits = khr_fits,
    .layout = khr_layout,
    .default_event = khr_default_event,
    .exclusive = true,
};
