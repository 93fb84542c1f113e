/** @file
 * Every allocation of counters/metric and counters/user_metrics fails once: each call returns -ENOMEM, does
 * not change its result and, under AddressSanitizer, leaks nothing. The linker uses the functions below
 * instead of the C library's. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counters/user_metrics/metrics_file.h"

/* Allocations that still succeed; negative: all. */
static long left = -1;

static bool
fails(void)
{
    if (left < 0)
        return false;
    return left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *
__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *
__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/* Call until no allocation fails any more. @return the number of failed allocations. */
static long
fail_each(int (*call)(void))
{
    for (long n = 0; n < 10000; n++) {
        left = n;
        int r = call();
        bool all = left >= 0;
        left = -1;
        if (all) {
            assert_int_equal(r, 0);
            return n;
        }
        assert_int_equal(r, -ENOMEM);
    }
    fail_msg("no end");
    return 0;
}

static int
compile(void)
{
    static const struct pp_metric_input input[] = {{"A0", PP_METRIC_U64}, {"A1", PP_METRIC_F64}};
    static const struct pp_metric_variable variable[] = {{"N", PP_METRIC_U64, {.u = 24}}};
    static const struct pp_metric_scope scope = {input, 2, variable, 1};
    static const struct pp_metric_def def[] = {
        {.name = "a", .formula = "A0 / A1 + b * 2 / N", .lang = PP_METRIC_INFIX},
        {.name = "b", .formula = "A 0 READ $N UDIV 3 UADD", .lang = PP_METRIC_RPN},
    };
    struct pp_metric_program *program = NULL;
    int r = pp_metric_compile(&scope, def, 2, 0, &program, NULL);
    assert_int_equal(r == 0, program != NULL);
    pp_metric_destroy(program);
    return r;
}

static int
decoder(void)
{
    const struct pp_mali_gpu *gpu = pp_mali_gpu_at(0);
    struct pp_mali_decoder *made = NULL;
    int r = pp_mali_decoder_create(gpu, &gpu->assumed, &made, NULL);
    assert_int_equal(r == 0, made != NULL);
    pp_mali_decoder_destroy(made);
    return r;
}

static int
file(void)
{
    static const char text[] =
        "a = gpu_time_ns / 2\n[gpu x]\nb = a + 1\n"
        "[gpu mine like mali-g76]\ncores 3\ncounter C [cycles] = JM 7 single\nc = C + pixels\n";
    static const struct pp_metric_input input[] = {{"gpu_time_ns", PP_METRIC_U64}};
    static const struct pp_metric_scope scope = {input, 1, NULL, 0};
    struct pp_metrics_file *made = NULL;
    struct pp_metric_program *program = NULL;
    struct pp_metrics_error error;
    int r = pp_metrics_file_parse("f", text, sizeof(text) - 1, &made, &error);
    assert_int_equal(r == 0, made != NULL);
    if (!r)
        r = pp_metrics_file_compile(made, "x", &scope, 0, &program, &error);
    assert_int_equal(r == 0, program != NULL);
    pp_metric_destroy(program);
    pp_metrics_file_destroy(made);
    return r;
}

static int
extended_gpu(void)
{
    static const char text[] = "[gpu mali*]\nmine = pixels + 1\n";
    struct pp_metrics_file *made = NULL;
    struct pp_metrics_error error;
    const struct pp_mali_gpu *gpu = NULL;
    struct pp_mali_config config;
    int r = pp_metrics_file_parse("f", text, sizeof(text) - 1, &made, &error);
    if (!r)
        r = pp_metrics_file_mali(made, "mali-g76", &gpu, &config, &error);
    assert_int_equal(r == 0, gpu != NULL);
    pp_metrics_file_destroy(made);
    return r;
}

static void
every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(fail_each(compile) > 10);
    assert_true(fail_each(decoder) > 10);
    assert_true(fail_each(file) > 20);
    assert_true(fail_each(extended_gpu) > 20);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
