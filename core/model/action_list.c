/** @file
 * Memory of recorded programs; see program.h. */
#include "core/model/action_list.h"

#include "core/util/array.h"

#include <stdlib.h>
#include <string.h>

int
pp_program_reserve(struct pp_program *program, uint32_t passes, uint32_t works)
{
    int rc = pp_grow(&program->pass, &program->pass_cap, passes, sizeof(*program->pass));
    return rc ? rc : pp_grow(&program->work, &program->work_cap, works, sizeof(*program->work));
}

void
pp_program_reset(struct pp_program *program)
{
    program->passes = 0;
    program->works = 0;
    program->brackets = 0;
}

void
pp_program_finish(struct pp_program *program)
{
    free(program->pass);
    free(program->work);
    memset(program, 0, sizeof(*program));
}
