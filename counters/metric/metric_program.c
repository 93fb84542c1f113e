/** @file
 * Questions about a compiled program; see metric_program.h. */
#include "counters/metric/metric_program.h"

#include <stdlib.h>

#include "counters/metric/metric_insn.h"

void
pp_metric_destroy(struct pp_metric_program *program)
{
    if (!program)
        return;
    free(program->insn);
    free(program->output);
    free(program->depends);
    free(program->divide);
    free(program->magic);
    free(program);
}

size_t
pp_metric_outputs(const struct pp_metric_program *program)
{
    return program->outputs;
}

enum pp_metric_type
pp_metric_output_type(const struct pp_metric_program *program, size_t output)
{
    return program->output[output].type;
}

bool
pp_metric_output_reads(const struct pp_metric_program *program, size_t output, size_t input)
{
    const struct pp_output *out = &program->output[output];
    for (uint32_t i = 0; i < out->inputs; i++)
        if (program->depends[out->first_input + i] == input)
            return true;
    return false;
}
