/** @file
 * See decode_oa_job.h. */
#include "cli/commands/decode_oa_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print/message.h"
#include "counters/oa/oa_stream.h"
#include "pp_texts.h"

#define DEFAULT_GPU "kblgt2"
#define DEFAULT_SET "RenderBasic"

static int
pick_set(struct pp_decode_oa_job *job)
{
    const char *set = job->decode->set ? job->decode->set : DEFAULT_SET;
    int64_t index = pp_catalogue_find_set(&pp_catalogue_intel, job->gpu.name, set);
    if (index < 0)
        return pp_fail(PP_FORMAT_DECODE_SET, set, job->gpu.name, job->gpu.name);
    job->index = (uint32_t)index;
    pp_catalogue_intel.set(job->index, &job->about);
    return 0;
}

static int
pick_gpu(struct pp_decode_oa_job *job)
{
    const char *gpu = job->decode->gpu ? job->decode->gpu : DEFAULT_GPU;
    if (pp_oa_gpu_find(gpu, &job->gpu) < 0)
        return pp_fail(PP_FORMAT_DECODE_OA_GPU, gpu);
    if (!job->decode->gpu)
        pp_message(PP_FORMAT_DECODE_OA_DEFAULT, DEFAULT_GPU,
                   job->decode->set ? job->decode->set : DEFAULT_SET);
    job->layout = job->gpu.layout;
    if (job->decode->layout) {
        job->layout = pp_layout_find(job->decode->layout);
        if (!job->layout || job->layout->fields > PP_OA_FIELDS)
            return pp_fail(PP_FORMAT_DECODE_LAYOUT, job->decode->layout);
    }
    job->id = pp_layout_field(job->layout, "RPT_ID");
    job->context = pp_layout_field(job->layout, "CTX_ID");
    job->counted = true;
    for (uint32_t i = 0; i < job->layout->fields; i++)
        job->counted &= job->layout->field[i].mode != PP_FIELD_WRAPS;
    return 0;
}

/** Collect the GPU's variables. Variables of the command line replace those of the same name. */
static void
pick_variables(struct pp_decode_oa_job *job)
{
    job->variables = pp_oa_gpu_variables(&job->gpu, job->variable);
    for (size_t i = 0; i < job->decode->variables; i++) {
        const struct pp_metric_variable *mine = &job->decode->variable[i];
        size_t k = 0;
        while (k < job->variables && strcmp(job->variable[k].name, mine->name) != 0)
            k++;
        job->variable[k] = *mine;
        job->variables += k == job->variables;
    }
}

static int
allocate(struct pp_decode_oa_job *job)
{
    size_t outputs = pp_oa_set_outputs(job->set);
    job->result = calloc(outputs, sizeof(*job->result));
    job->one = calloc(outputs, sizeof(*job->one));
    job->workspace = aligned_alloc(64, (pp_oa_set_workspace_bytes(job->set) + 63) / 64 * 64);
    bool ok = job->result && job->one && job->workspace;
    for (size_t o = 0; ok && o < outputs; o++) {
        job->result[o].value = calloc(PP_DECODE_OA_BATCH, sizeof(uint64_t));
        job->result[o].status = calloc(PP_DECODE_OA_BATCH, 1);
        ok = job->result[o].value && job->result[o].status;
    }
    return ok ? 0 : pp_fail(PP_TEXT_COMMAND_MEMORY);
}

/** Make the metric set, and the metrics of --metrics for this GPU. */
static int
create_set(struct pp_decode_oa_job *job)
{
    struct pp_metric_error why = {.message = PP_TEXT_COMMAND_MEMORY};
    struct pp_metrics_error error;
    struct pp_metrics_file *file = job->decode->metrics_file;
    if (file && pp_metrics_file_select(file, job->gpu.name, true, &job->item, &job->items) < 0)
        return pp_fail(PP_TEXT_COMMAND_MEMORY);
    struct pp_metric_def *def = calloc(job->items + 1, sizeof(*def));
    for (size_t i = 0; i < job->items && def; i++)
        def[i] = (struct pp_metric_def){
            .name = job->item[i]->name, .formula = job->item[i]->formula, .lang = PP_METRIC_INFIX};
    int rc = def ? pp_oa_set_create(job->index, job->layout, job->variable, job->variables, def, job->items,
                                    0, &job->set, &why)
                 : -ENOMEM;
    free(def);
    if (rc == 0)
        return 0;
    if (rc == -ENOMEM || why.def < job->about.metrics || why.def - job->about.metrics >= job->items)
        return pp_fail("%s.%s: %s", job->gpu.name, job->about.symbol, why.message);
    pp_metrics_file_error(file, rc, job->item[why.def - job->about.metrics], &why, &error);
    return pp_fail_text(error.text);
}

int
pp_decode_oa_job_init(struct pp_decode_oa_job *job)
{
    int rc = pick_gpu(job);
    if (rc == 0)
        rc = pick_set(job);
    if (rc)
        return rc;
    pick_variables(job);
    rc = create_set(job);
    return rc ? rc : allocate(job);
}

void
pp_decode_oa_job_finish(struct pp_decode_oa_job *job)
{
    for (size_t o = 0; job->result && o < pp_oa_set_outputs(job->set); o++) {
        free(job->result[o].value);
        free(job->result[o].status);
    }
    free(job->result);
    free(job->one);
    free(job->workspace);
    pp_oa_set_destroy(job->set);
    free(job->item);
}
