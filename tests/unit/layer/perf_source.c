/** @file
 * The sources "khr" and "oa": conformance, unusual enumerations of drivers, sums of results, quirks. */
#include "tests/unit/counters/sources/source_conformance.h"

#include <stdio.h>
#include <stdlib.h>

#include "layer/counters/intel_query.h"
#include "layer/counters/khr_query.h"
#include "layer/counters/perf_layout.h"

/** The counters of the fake driver; the third to fifth share one register, the sixth needs two passes. */
static const struct {
    const char *name, *category;
    VkPerformanceCounterUnitKHR unit;
    VkPerformanceCounterStorageKHR storage;
    VkPerformanceCounterScopeKHR scope;
    uint32_t registers;
} played[] = {
    {"cycles", "GPU", VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR, VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, 0},
    {"busy, \"really\"", "GPU", VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR,
     VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR, VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, 0},
    {"hit ratio", "L2", VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR, VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, 1},
    {"hit ratio", "L1", VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR, VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, 1},
    {"hit ratio", "L1", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, 1},
    {"two passes", "L2", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, VK_PERFORMANCE_COUNTER_STORAGE_INT64_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, 2},
    {"tiles", "L2", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR, 0},
    {"", "", VK_PERFORMANCE_COUNTER_UNIT_WATTS_KHR, VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR, 0},
    {"odd storage", "GPU", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR, (VkPerformanceCounterStorageKHR)77,
     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, 0},
};
#define PLAYED (sizeof(played) / sizeof(played[0]))

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate(VkPhysicalDevice physical, uint32_t family, uint32_t *count, VkPerformanceCounterKHR *list,
          VkPerformanceCounterDescriptionKHR *text)
{
    (void)physical;
    *count = family == 0 ? PLAYED : 0;
    for (uint32_t i = 0; list && i < *count; i++) {
        list[i].unit = played[i].unit;
        list[i].storage = played[i].storage;
        list[i].scope = played[i].scope;
        snprintf(text[i].name, sizeof(text[i].name), "%s", played[i].name);
        snprintf(text[i].category, sizeof(text[i].category), "%s", played[i].category);
        text[i].description[0] = '\0';
    }
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL
enumerate_fails(VkPhysicalDevice physical, uint32_t family, uint32_t *count, VkPerformanceCounterKHR *list,
                VkPerformanceCounterDescriptionKHR *text)
{
    (void)enumerate(physical, family, count, list, text);
    return list || family == 1 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL
passes(VkPhysicalDevice physical, const VkQueryPoolPerformanceCreateInfoKHR *info, uint32_t *ret)
{
    uint32_t registers = 0;
    (void)physical;
    for (uint32_t i = 0; i < info->counterIndexCount; i++)
        registers += played[info->pCounterIndices[i]].registers;
    *ret = registers > 1 ? registers : 1;
}

static void
khr_conforms(void **state)
{
    const struct pp_perf_quirk none = {.note = NULL};
    struct pp_perf_khr khr;
    struct pp_event event;
    (void)state;
    assert_int_equal(pp_perf_khr_open(&khr, VK_NULL_HANDLE, 1, enumerate, passes, &none), -ENOENT);
    for (uint32_t family = 0; family < 2; family++)
        assert_int_equal(pp_perf_khr_open(&khr, VK_NULL_HANDLE, family, enumerate_fails, passes, &none),
                         -EIO);
    assert_int_equal(pp_perf_khr_open(&khr, VK_NULL_HANDLE, 0, enumerate, passes, &none), 0);
    assert_int_equal(pp_perf_source_khr.event(&khr, 7, &event), 0);
    assert_int_equal(event.unit, PP_UNIT_WATTS);
    assert_true(event.not_additive);
    pp_source_conforms(&pp_perf_source_khr, &khr);
    assert_int_equal(pp_perf_source_khr.event(&khr, 1, &event), 0);
    assert_string_equal(event.name, "busy_ _really_");
    assert_true(event.not_additive);
    assert_int_equal(event.number, PP_NUMBER_F32);
    /* Three counters of one name: by category, then by number. */
    static const char *const name[] = {"L2.hit ratio", "L1.hit ratio", "L1.hit ratio 2"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(pp_perf_source_khr.event(&khr, 2 + i, &event), 0);
        assert_string_equal(event.name, name[i]);
        assert_int_equal(event.unit, i == 2 ? PP_UNIT_COUNT : PP_UNIT_BYTES);
    }
    for (uint32_t i = 0; i < PLAYED; i++) {
        assert_int_equal(pp_perf_source_khr.event(&khr, i, &event), 0);
        assert_int_equal(event.reason != NULL, i == 5 || i == 8);
    }
    pp_perf_khr_close(&khr);
}

static void
khr_sets_fit_as_the_driver_says(void **state)
{
    const struct pp_perf_quirk none = {.note = NULL};
    struct pp_perf_khr khr;
    uint32_t event = 0;
    (void)state;
    assert_int_equal(pp_perf_khr_open(&khr, VK_NULL_HANDLE, 0, enumerate, passes, &none), 0);
    const uint32_t together[] = {0, 1, 2}, two[] = {2, 3}, scopes[] = {0, 6}, wide[] = {7}, lacking[] = {99};
    assert_int_equal(pp_perf_source_khr.fits(&khr, together, 3), 1);
    assert_int_equal(pp_perf_source_khr.fits(&khr, two, 2), 0);
    assert_int_equal(pp_perf_source_khr.fits(&khr, scopes, 2), 0);
    assert_int_equal(pp_perf_source_khr.fits(&khr, lacking, 1), 0);
    assert_null(pp_perf_source_khr.layout(&khr, two, 2));
    const struct pp_layout *layout = pp_perf_source_khr.layout(&khr, together, 3);
    assert_non_null(layout);
    assert_int_equal(layout->size, 24);
    assert_ptr_equal(layout, pp_perf_source_khr.layout(&khr, together, 3));
    assert_int_equal(pp_perf_khr_scope(&khr, together, 3), VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR);
    assert_int_equal(pp_perf_khr_scope(&khr, wide, 1), VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR);
    /* The default set: the first counters of commands that fit one pass. */
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(pp_perf_source_khr.default_event(&khr, i, &event), 0);
        assert_int_equal(event, i);
    }
    assert_int_equal(pp_perf_source_khr.default_event(&khr, 3, &event), -ENOENT);
    pp_perf_khr_close(&khr);
}

static struct pp_perf_quirk
quirk_of(VkDriverId driver, uint32_t version, uint32_t pci)
{
    const VkPhysicalDeviceProperties device = {
        .driverVersion = version, .vendorID = PP_VENDOR_INTEL, .deviceID = pci};
    return pp_perf_quirk_find(driver, &device);
}

static void
khr_quirks(void **state)
{
    struct pp_perf_khr khr;
    struct pp_event event;
    uint32_t number;
    (void)state;
    struct pp_perf_quirk quirk = quirk_of(VK_DRIVER_ID_MESA_RADV, VK_MAKE_API_VERSION(0, 22, 3, 6), 0);
    assert_true(quirk.ratios_are_bytes && quirk.zeros_if_lost && quirk.on_request && quirk.note &&
                quirk.refusal);
    assert_int_equal(pp_perf_khr_open(&khr, VK_NULL_HANDLE, 0, enumerate, passes, &quirk), 0);
    assert_int_equal(pp_perf_source_khr.event(&khr, 2, &event), 0);
    assert_int_equal(event.unit, PP_UNIT_PERCENT);
    assert_true(event.not_additive);
    assert_int_equal(pp_perf_source_khr.default_event(&khr, 0, &number), -ENOENT);
    pp_perf_khr_close(&khr);
    quirk = quirk_of(VK_DRIVER_ID_MESA_V3DV, 1, 0);
    assert_int_equal(pp_perf_khr_open(&khr, VK_NULL_HANDLE, 0, enumerate, passes, &quirk), 0);
    const uint32_t first = 0;
    assert_int_equal(pp_perf_khr_scope(&khr, &first, 1), VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR);
    pp_perf_khr_close(&khr);
    quirk = quirk_of(VK_DRIVER_ID_MESA_LLVMPIPE, 1, 0);
    assert_true(!quirk.note && !quirk.refusal && !quirk.on_request && !quirk.jobs);
}

/* Every row of the table, with the versions to which it applies and the version before. */
static void
each_quirk_applies_to_its_versions(void **state)
{
    static const struct {
        VkDriverId driver;
        uint32_t version;
        bool ratios, jobs, on_request;
        const char *note, *refusal; /* words; NULL: none */
    } row[] = {
        {VK_DRIVER_ID_MESA_RADV, VK_MAKE_API_VERSION(0, 22, 3, 6), true, false, true, "profile_peak",
         "as root"},
        {VK_DRIVER_ID_MESA_RADV, UINT32_MAX, true, false, true, "profile_peak", "as root"},
        {VK_DRIVER_ID_MESA_V3DV, 0, false, true, true, "around render passes", NULL},
        {VK_DRIVER_ID_MESA_TURNIP, 0, false, false, true, "wait between", "TU_DEBUG=perfc"},
        {VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, VK_MAKE_API_VERSION(0, 22, 3, 6), false, false, true,
         "loses the device", "perf_stream_paranoid"},
        {VK_DRIVER_ID_AMD_PROPRIETARY, 0, false, false, false, NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct pp_perf_quirk quirk = quirk_of(row[i].driver, row[i].version, 0);
        assert_int_equal(quirk.ratios_are_bytes, row[i].ratios);
        assert_int_equal(quirk.jobs, row[i].jobs);
        assert_int_equal(quirk.on_request, row[i].on_request);
        assert_true(row[i].note ? quirk.note && strstr(quirk.note, row[i].note) : !quirk.note);
        assert_true(row[i].refusal ? quirk.refusal && strstr(quirk.refusal, row[i].refusal) : !quirk.refusal);
    }
}

/* Faults of Mesa's Intel drivers, at the first and last versions that have them, by the GPU. */
static void
mesa_faults(void **state)
{
    enum { KABY_LAKE = 0x5916, BROADWELL = 0x1616, ICE_LAKE = 0x8a52, TIGER_LAKE = 0x9a49, HASWELL = 0x0412 };
    static const struct {
        uint32_t version, pci;
        bool no_khr, no_oa;
    } row[] = {
        {VK_MAKE_API_VERSION(0, 22, 3, 6), KABY_LAKE, false, true},
        {VK_MAKE_API_VERSION(0, 22, 3, 6), 0x1234, false, true},
        {VK_MAKE_API_VERSION(0, 23, 3, 5), TIGER_LAKE, false, true},
        {VK_MAKE_API_VERSION(0, 23, 3, 6), KABY_LAKE, false, false},
        {VK_MAKE_API_VERSION(0, 24, 0, 9), KABY_LAKE, false, false},
        {VK_MAKE_API_VERSION(0, 24, 1, 0), BROADWELL, true, false},
        {VK_MAKE_API_VERSION(0, 25, 0, 7), KABY_LAKE, true, false},
        {VK_MAKE_API_VERSION(0, 25, 0, 7), ICE_LAKE, true, false},
        {VK_MAKE_API_VERSION(0, 25, 0, 7), TIGER_LAKE, false, false},
        {VK_MAKE_API_VERSION(0, 25, 0, 7), HASWELL, false, false},
        {VK_MAKE_API_VERSION(0, 27, 1, 2), KABY_LAKE, true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct pp_perf_quirk quirk =
            quirk_of(VK_DRIVER_ID_INTEL_OPEN_SOURCE_MESA, row[i].version, row[i].pci);
        assert_int_equal(quirk.no_khr != NULL, row[i].no_khr);
        assert_int_equal(quirk.no_oa != NULL, row[i].no_oa);
    }
    const struct pp_perf_quirk other = quirk_of(VK_DRIVER_ID_MESA_RADV, VK_MAKE_API_VERSION(0, 22, 3, 6), 0);
    assert_true(!other.no_khr && !other.no_oa);
}

static void
oa_conforms(void **state)
{
    static const struct {
        uint32_t pci;
        const char *gpu;
    } known[] = {{0x5916, "kblgt2"}, {0x1616, "bdw"}, {0x9a49, "tglgt2"}};
    struct pp_perf_oa oa;
    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const VkPhysicalDeviceProperties device = {.vendorID = PP_VENDOR_INTEL, .deviceID = known[i].pci};
        assert_int_equal(pp_perf_oa_open(&oa, &device, UINT32_MAX), 0);
        assert_string_equal(oa.gpu.name, known[i].gpu);
        pp_source_conforms(&pp_perf_source_oa, &oa);
        uint32_t event = 0;
        struct pp_event about;
        assert_int_equal(pp_perf_source_oa.default_event(&oa, 0, &event), 0);
        assert_int_equal(pp_perf_source_oa.event(&oa, event, &about), 0);
        assert_string_equal(about.group, "RenderBasic");
        assert_int_equal(pp_perf_oa_result_bytes(&oa), i == 1 ? 536 : 672);
        pp_perf_oa_close(&oa);
    }
    const VkPhysicalDeviceProperties unknown = {.vendorID = PP_VENDOR_INTEL, .deviceID = 0x5913},
                                     other = {.vendorID = PP_VENDOR_ARM, .deviceID = 0x5916};
    assert_int_equal(pp_perf_oa_open(&oa, &unknown, UINT32_MAX), -ENOENT);
    assert_int_equal(pp_perf_oa_open(&oa, &other, UINT32_MAX), -ENOENT);
}

/* GPUs whose names in Mesa do not begin with the name of a set: one id of each name in Mesa 22.3.6's
 * PCI ids, and all of Raptor Lake. */
static void
oa_by_id(void **state)
{
    static const struct {
        const char *gpu;
        uint32_t pci[16];
    } row[] = {
        {"adl", {0x468b, 0x4680, 0x46d0}}, /* ADL-S GT0.5, ADL-S GT1, ADL-N */
        {"adl", {0xa780, 0xa781, 0xa782, 0xa783, 0xa788, 0xa789, 0xa78a, 0xa78b}}, /* RPL-S */
        {"adl", {0xa720, 0xa721, 0xa7a0, 0xa7a1, 0xa7a8, 0xa7a9}},                 /* RPL-P */
        {"bxt", {0x5a84, 0x5a85}},                                                 /* APL 3, APL 2 */
        {"cflgt2", {0x87ca, 0x9b41, 0x3ea0}},                      /* AML-CFL, CML GT2, WHL GT2 */
        {"cflgt3", {0x3ea2}},                                      /* WHL GT3 */
        {"ehl", {0x4500, 0x4e55, 0x4e51, 0x4e57, 0x4e61, 0x4e71}}, /* EHL, JSL */
        {"kblgt2", {0x591c, 0x5921}},                              /* AML-KBL, KBL GT2F */
        {"dg1", {0x4907}},                                         /* SG1 */
        {"sklgt2", {0x1913}},                                      /* SKL GT2F */
    };
    struct pp_perf_oa oa;
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        for (size_t k = 0; k < 16 && row[i].pci[k] != 0; k++) {
            const VkPhysicalDeviceProperties device = {.vendorID = PP_VENDOR_INTEL,
                                                       .deviceID = row[i].pci[k]};
            assert_int_equal(pp_perf_oa_open(&oa, &device, UINT32_MAX), 0);
            assert_string_equal(oa.gpu.name, row[i].gpu);
            pp_perf_oa_close(&oa);
        }
}

static void
parts_of_a_result_are_summed(void **state)
{
    static const struct pp_field field[] = {
        {.name = "u32", .part = {{.offset = 0, .bits = 32}}, .mode = PP_FIELD_DELTA},
        {.name = "i64", .part = {{.offset = 8, .bits = 64}}, .mode = PP_FIELD_DELTA, .number = PP_NUMBER_I64},
        {.name = "f32",
         .part = {{.offset = 16, .bits = 32}},
         .mode = PP_FIELD_DELTA,
         .number = PP_NUMBER_F32},
        {.name = "f64",
         .part = {{.offset = 24, .bits = 64}},
         .mode = PP_FIELD_DELTA,
         .number = PP_NUMBER_F64},
        {.name = "ratio",
         .part = {{.offset = 32, .bits = 64}},
         .mode = PP_FIELD_DELTA,
         .number = PP_NUMBER_F64,
         .not_additive = true},
    };
    static const struct pp_layout layout = {.name = "t", .size = 40, .fields = 5, .field = field};
    struct {
        uint32_t u32, pad;
        int64_t i64;
        float f32;
        uint32_t pad2;
        double f64, ratio;
    } a = {4000000000U, 9, -5, 1.5F, 9, 0.25, 50}, b = {4000000000U, 7, 3, 2.25F, 7, 0.5, 70};
    (void)state;
    pp_perf_add(&layout, (uint8_t *)&a, (const uint8_t *)&b);
    assert_int_equal(a.u32, 3705032704U);
    assert_int_equal(a.pad, 9);
    assert_int_equal(a.i64, -2);
    assert_true(a.f32 == 3.75F && a.f64 == 0.75 && a.ratio == 50);
    assert_int_equal(a.pad2, 9);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(khr_conforms), cmocka_unit_test(khr_sets_fit_as_the_driver_says),
        cmocka_unit_test(khr_quirks),   cmocka_unit_test(each_quirk_applies_to_its_versions),
        cmocka_unit_test(oa_conforms),  cmocka_unit_test(oa_by_id),
        cmocka_unit_test(mesa_faults),  cmocka_unit_test(parts_of_a_result_are_summed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
