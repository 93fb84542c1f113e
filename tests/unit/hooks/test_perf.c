/** @file
 * The sources intel and amd pass the conformance suite with the fake driver, keep its limits, and believe
 * nothing that a driver may report wrongly. There is no OpenGL: the tests call the fake driver's functions
 * directly. */
#include "tests/unit/counters/sources/source_conformance.h"

#include <stdlib.h>

#include "hooks/base/context.h"
#include "hooks/counters/perf_ask.h"
#include "hooks/counters/perf_query.h"
#include "hooks/counters/perf_result.h"
#include "hooks/counters/perf_source.h"
#include "hooks/reach/driver_procs.h"
#include "hooks/state/caps.h"
#include "tests/fake/gl_perf/fake.h"

/* Does what hooks/reach/driver_procs.c does in the shim. */

_Atomic(pp_gl_proc) pp_gl_real[PP_HOOK_COUNT];
__thread struct pp_gl_thread pp_gl_tls;

static const char *vendor = "stand-in", *renderer = "stand-in";
static bool has_extension = true;

pp_gl_proc
pp_gl_resolve(int id)
{
    print_error("entry point %d is not in the test's table\n", id);
    abort();
}

bool
pp_gl_has_extension(const struct pp_gl_context *ctx, const char *name)
{
    (void)ctx;
    (void)name;
    return has_extension;
}

static const GLubyte *
get_string(GLenum what)
{
    return (const GLubyte *)(what == GL_VENDOR ? vendor : renderer);
}

/* As in perf_query.c, without the handling of the application's errors. */
bool
pp_gl_perf_try(const struct pp_gl_perf *perf, const struct pp_gl_perf_set *set)
{
    struct fake_context *ctx = fake_current();
    GLuint name = perf->driver->make(set);
    perf->driver->begin(name);
    bool ok = ctx->error == GL_NO_ERROR;
    ctx->error = GL_NO_ERROR;
    if (ok)
        perf->driver->end(name);
    return ok;
}

static pp_gl_proc
function(const char *name)
{
    const struct fake_entry *table[] = {fake_amd_entry, fake_intel_entry, fake_work_entry};
    for (size_t t = 0; t < 3; t++)
        for (const struct fake_entry *at = table[t]; at->name; at++)
            if (strcmp(at->name, name) == 0)
                return at->function;
    return NULL;
}

/* Start the driver with the settings of FAKE_GL and a fresh context. */
static void
play(const char *words)
{
    static int contexts;
    static char handle[64];
    setenv("FAKE_GL", words, 1);
    fake_configure();
    fake_make_current(&handle[contexts++ % 64]);
    has_extension = true;
    vendor = renderer = "stand-in";
#define FILL(name) pp_gl_real[PP_HOOK_##name] = function(#name);
    FILL(glGetPerfMonitorGroupsAMD)
    FILL(glGetPerfMonitorCountersAMD)
    FILL(glGetPerfMonitorGroupStringAMD)
    FILL(glGetPerfMonitorCounterStringAMD)
    FILL(glGetPerfMonitorCounterInfoAMD)
    FILL(glGenPerfMonitorsAMD)
    FILL(glSelectPerfMonitorCountersAMD)
    FILL(glBeginPerfMonitorAMD)
    FILL(glEndPerfMonitorAMD)
    FILL(glGetPerfMonitorCounterDataAMD)
    FILL(glGetFirstPerfQueryIdINTEL)
    FILL(glGetNextPerfQueryIdINTEL)
    FILL(glGetPerfQueryInfoINTEL)
    FILL(glGetPerfCounterInfoINTEL)
    FILL(glCreatePerfQueryINTEL)
    FILL(glBeginPerfQueryINTEL)
    FILL(glEndPerfQueryINTEL)
    FILL(glGetPerfQueryDataINTEL)
#undef FILL
    pp_gl_real[PP_HOOK_glGetString] = (pp_gl_proc)get_string;
}

static void
ask(struct pp_gl_perf *amd, struct pp_gl_perf *intel)
{
    *amd = (struct pp_gl_perf){.ops = &pp_gl_source_amd, .trying = true};
    *intel = (struct pp_gl_perf){.ops = &pp_gl_source_intel, .trying = true};
    struct pp_gl_perf_api api;
    pp_gl_perf_driver_api(NULL, &api);
    pp_gl_perf_ask_amd(&api, amd);
    pp_gl_perf_ask_intel(&api, intel);
}

static void
drop(struct pp_gl_perf *amd, struct pp_gl_perf *intel)
{
    pp_gl_perf_finish(amd);
    pp_gl_perf_finish(intel);
}

static uint32_t
find(const struct pp_gl_perf *perf, const char *name)
{
    for (uint32_t i = 0; i < perf->events; i++)
        if (strcmp(perf->event[i].name, name) == 0)
            return i;
    print_error("no event %s\n", name);
    abort();
}

/* Conformance, and the events. */

static void
both_sources_conform(void **state)
{
    static const char *const words[] = {"", "onegroup", "real=1", "hostile=names", "hostile=outside"};
    struct pp_gl_perf amd, intel;
    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        play(words[i]);
        ask(&amd, &intel);
        assert_null(amd.reason);
        assert_null(intel.reason);
        pp_source_conforms(&pp_gl_source_amd, &amd);
        pp_source_conforms(&pp_gl_source_intel, &intel);
        drop(&amd, &intel);
    }
}

static void
events_are_what_the_driver_says(void **state)
{
    struct pp_gl_perf amd, intel;
    struct pp_event event;
    (void)state;
    play("");
    ask(&amd, &intel);
    assert_int_equal(amd.events, 11);
    assert_int_equal(intel.events, 13);
    assert_int_equal(pp_gl_source_amd.event(&amd, find(&amd, "Front End.cycles"), &event), 0);
    assert_string_equal(event.group, "Front End");
    assert_int_equal(event.number, PP_NUMBER_U64);
    assert_false(event.not_additive);
    assert_int_equal(pp_gl_source_amd.event(&amd, find(&amd, "busy"), &event), 0);
    assert_int_equal(event.unit, PP_UNIT_PERCENT);
    assert_int_equal(event.number, PP_NUMBER_F32);
    assert_true(event.not_additive);
    assert_int_equal(pp_gl_source_intel.event(&intel, find(&intel, "GPU Time Elapsed"), &event), 0);
    assert_int_equal(event.unit, PP_UNIT_NS);
    assert_false(event.not_additive);
    assert_int_equal(pp_gl_source_intel.event(&intel, find(&intel, "Vertex Rate"), &event), 0);
    assert_int_equal(event.number, PP_NUMBER_F64);
    assert_true(event.not_additive);
    assert_int_equal(pp_gl_source_intel.event(&intel, find(&intel, "EU Active"), &event), 0);
    assert_int_equal(event.unit, PP_UNIT_PERCENT);
    assert_int_equal(intel.event[find(&intel, "Report Time")].mode, PP_FIELD_GAUGE);
    assert_true(intel.event[find(&intel, "AVG GPU Core Frequency")].not_additive);
    /* The default set is that of one query. */
    uint32_t chosen = UINT32_MAX;
    assert_int_equal(pp_gl_source_intel.default_event(&intel, 0, &chosen), 0);
    assert_string_equal(intel.group[intel.event[chosen].group].name, "Render Basic");
    assert_int_equal(pp_gl_source_intel.default_event(&intel, 9, &chosen), -ENOENT);
    drop(&amd, &intel);
}

/* What fits together. */

static void
groups_have_limits(void **state)
{
    struct pp_gl_perf amd, intel;
    (void)state;
    play("");
    ask(&amd, &intel);
    uint32_t many[] = {find(&amd, "draw calls"), find(&amd, "vertices"), find(&amd, "clears")};
    assert_int_equal(pp_gl_source_amd.fits(&amd, many, 2), 1);
    assert_int_equal(pp_gl_source_amd.fits(&amd, many, 3), 0);
    assert_null(pp_gl_source_amd.layout(&amd, many, 3));
    uint32_t mixed[] = {many[0], many[1], find(&amd, "busy"), find(&amd, "copies")};
    assert_int_equal(pp_gl_source_amd.fits(&amd, mixed, 4), 1);
    uint32_t two[] = {find(&intel, "Draw Calls"), find(&intel, "Dispatches")};
    assert_int_equal(pp_gl_source_intel.fits(&intel, two, 1), 1);
    assert_int_equal(pp_gl_source_intel.fits(&intel, two, 2), 0);
    drop(&amd, &intel);
}

static void
promised_sets_are_tried(void **state)
{
    struct pp_gl_perf amd, intel;
    (void)state;
    play("real=1");
    ask(&amd, &intel);
    uint32_t two[] = {find(&amd, "busy cycles"), find(&amd, "workgroups")};
    assert_int_equal(pp_gl_source_amd.fits(&amd, two, 2), 0);
    assert_int_equal(amd.group[amd.event[two[0]].group].max, 1);
    assert_int_equal(pp_gl_source_amd.fits(&amd, two, 1), 1);
    drop(&amd, &intel);
}

static void
intel_measures_one_group_at_once(void **state)
{
    struct pp_gl_perf amd, intel;
    (void)state;
    play("onegroup");
    vendor = "Intel";
    ask(&amd, &intel);
    uint32_t two[] = {find(&amd, "draw calls"), find(&amd, "busy")};
    assert_int_equal(pp_gl_source_amd.fits(&amd, two, 2), 0);
    /* The two events are never measured at the same time, so one column serves both. */
    assert_string_equal(amd.event[0].name, "cycles");
    assert_string_equal(amd.event[4].name, "cycles");
    drop(&amd, &intel);
}

/* Features that a driver lacks, or reports wrongly. */

static void
missing_extensions_have_reasons(void **state)
{
    struct pp_gl_perf amd, intel;
    (void)state;
    play("");
    has_extension = false;
    ask(&amd, &intel);
    assert_string_equal(amd.reason, "the driver lacks GL_AMD_performance_monitor");
    assert_string_equal(intel.reason, "the driver lacks GL_INTEL_performance_query");
    drop(&amd, &intel);
    play("hostile=many");
    ask(&amd, &intel);
    assert_non_null(amd.reason);
    assert_int_equal(intel.groups, 1); /* the driver's list of queries is a circle */
    drop(&amd, &intel);
    play("hostile=long");
    ask(&amd, &intel);
    assert_non_null(intel.reason);
    drop(&amd, &intel);
}

/* Events that cannot be measured have rows, with the reason. */
static void
the_unavailable_is_listed(void **state)
{
    struct pp_gl_perf amd, intel;
    struct pp_gl_perf_api api;
    struct pp_event event;
    uint32_t one;
    (void)state;
    play("hostile=none");
    ask(&amd, &intel);
    assert_int_equal(amd.events, 11);
    one = find(&amd, "copies");
    assert_int_equal(pp_gl_source_amd.event(&amd, one, &event), 0);
    assert_non_null(strstr(event.reason, "no counter of this group"));
    assert_string_equal(event.group, "Memory");
    assert_int_equal(pp_gl_source_amd.fits(&amd, &one, 1), 0);
    drop(&amd, &intel);
    /* A query of the whole GPU, without --serialize and with it. */
    play("global");
    ask(&amd, &intel);
    one = find(&intel, "Copies");
    assert_int_equal(pp_gl_source_intel.event(&intel, one, &event), 0);
    assert_non_null(strstr(event.reason, "needs --serialize"));
    assert_non_null(strstr(event.description, "whole GPU"));
    assert_int_equal(pp_gl_source_intel.event(&intel, find(&intel, "Vertices"), &event), 0);
    assert_null(event.reason);
    drop(&amd, &intel);
    intel = (struct pp_gl_perf){.ops = &pp_gl_source_intel, .serialized = true};
    pp_gl_perf_driver_api(NULL, &api);
    pp_gl_perf_ask_intel(&api, &intel);
    assert_int_equal(pp_gl_source_intel.event(&intel, find(&intel, "Copies"), &event), 0);
    assert_null(event.reason);
    pp_gl_perf_finish(&intel);
}

/* A result with events of both groups, of a driver with settings. */
static int
result_of(const char *words, struct pp_gl_perf *perf, const char *const *name, uint8_t *row)
{
    struct pp_gl_perf other;
    struct pp_gl_perf_set set;
    uint32_t event[3];
    uint8_t scratch[512];
    play(words);
    bool is_amd = perf->ops == &pp_gl_source_amd;
    ask(is_amd ? perf : &other, is_amd ? &other : perf);
    for (uint32_t i = 0; i < 3; i++)
        event[i] = find(perf, name[i]);
    const struct pp_device_set planned = {.event = event, .events = 3};
    assert_int_equal(pp_gl_perf_make_set(perf, &planned, &set), 0);
    GLuint monitor = perf->driver->make(&set);
    perf->driver->begin(monitor);
    fake_current()->work.draws += 3;
    fake_current()->work.vertices += UINT64_C(0x500000001);
    perf->driver->end(monitor);
    assert_int_equal(perf->driver->read(&set, monitor, scratch, row), -EAGAIN);
    fake_current()->frames++;
    int rc = perf->driver->read(&set, monitor, scratch, row);
    assert_int_equal(fake_current()->error, GL_NO_ERROR);
    free(set.want);
    pp_gl_perf_finish(is_amd ? &other : perf);
    pp_gl_perf_finish(is_amd ? perf : &other);
    return rc;
}

static void
results_are_checked(void **state)
{
    static const char *const of_amd[] = {"vertices", "draw calls", "vertices per draw"};
    static const char *const of_intel[] = {"Vertices", "Draw Calls", "Vertex Rate"};
    static const char *const bad_amd[] = {"hostile=short", "hostile=group", "hostile=counter",
                                          "hostile=twice", "hostile=long",  "hostile=bytes"};
    static const char *const bad_intel[] = {"hostile=bytes"};
    struct pp_gl_perf amd = {.ops = &pp_gl_source_amd}, intel = {.ops = &pp_gl_source_intel};
    uint64_t row[3];
    float each;
    (void)state;
    assert_int_equal(result_of("", &amd, of_amd, (uint8_t *)row), 0);
    assert_int_equal(row[0], UINT64_C(0x500000001));
    assert_int_equal(row[1], 3);
    memcpy(&each, &row[2], sizeof(each));
    assert_float_equal(each, (float)UINT64_C(0x500000001) / 3, 0);
    for (size_t i = 0; i < sizeof(bad_amd) / sizeof(bad_amd[0]); i++)
        assert_int_equal(result_of(bad_amd[i], &amd, of_amd, (uint8_t *)row), -EBADMSG);
    intel.ops = &pp_gl_source_intel;
    assert_int_equal(result_of("", &intel, of_intel, (uint8_t *)row), 0);
    assert_int_equal(row[0], UINT64_C(0x500000001));
    assert_int_equal(row[1], 3);
    intel.ops = &pp_gl_source_intel;
    for (size_t i = 0; i < sizeof(bad_intel) / sizeof(bad_intel[0]); i++)
        assert_int_equal(result_of(bad_intel[i], &intel, of_intel, (uint8_t *)row), -EBADMSG);
}

static void
short_structures_are_refused(void **state)
{
    const struct pp_gl_perf_want want[] = {{.offset = 0, .bytes = 8}, {.offset = 12, .bytes = 4}};
    const uint8_t data[16] = {1, 0, 0, 0, 0, 0, 0, 0, 9, 9, 9, 9, 2, 0, 0, 0};
    uint64_t row[2];
    (void)state;
    assert_int_equal(pp_gl_perf_query_parse(want, 2, data, 16, (uint8_t *)row), 0);
    assert_int_equal(row[0], 1);
    assert_int_equal(row[1], 2);
    for (size_t size = 0; size < 16; size++)
        assert_int_equal(pp_gl_perf_query_parse(want, 2, data, size, (uint8_t *)row), -EBADMSG);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sources_conform),
        cmocka_unit_test(events_are_what_the_driver_says),
        cmocka_unit_test(groups_have_limits),
        cmocka_unit_test(promised_sets_are_tried),
        cmocka_unit_test(intel_measures_one_group_at_once),
        cmocka_unit_test(missing_extensions_have_reasons),
        cmocka_unit_test(the_unavailable_is_listed),
        cmocka_unit_test(results_are_checked),
        cmocka_unit_test(short_structures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
