/** @file
 * Files of users' metrics and GPUs: any bytes are read or refused with a message that names a line of the
 * file. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "counters/user_metrics/metrics_file.h"

static const struct pp_metric_input input[] = {{"pipeline:vertices", PP_METRIC_U64}, {"time", PP_METRIC_F64}};
static const struct pp_metric_scope scope = {input, 2, NULL, 0};

static void
check_error(const struct pp_metrics_error *error, const uint8_t *data, size_t size)
{
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    if (error->line < 1 || error->line > lines || error->column < 1 || !strstr(error->text, "fuzz:"))
        abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const gpu[] = {"mali-g76", "llvmpipe (LLVM 15.0.6)"};
    struct pp_metrics_file *file = NULL;
    struct pp_metrics_error error = {.text = ""};
    if (size > 16384)
        return 0;
    int r = pp_metrics_file_parse("fuzz", (const char *)data, size, &file, &error);
    if (r) {
        check_error(&error, data, size);
        return 0;
    }
    for (size_t i = 0; i < 2; i++) {
        struct pp_metric_program *program = NULL;
        r = pp_metrics_file_compile(file, gpu[i], &scope, 0, &program, &error);
        if (r == -EINVAL || r == -ENOENT || r == -ELOOP)
            check_error(&error, data, size);
        pp_metric_destroy(program);
    }
    const struct pp_metrics_gpu *const *own = file->gpus.data;
    for (size_t i = 0; i < file->gpus.length; i++)
        if (own[i]->gpu.counters > PP_MALI_MAX_COUNTERS)
            abort();
    pp_metrics_file_destroy(file);
    return 0;
}
