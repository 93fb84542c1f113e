/** @file
 * Memory of recorded programs; see program.h. */
#include "core/program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int
grow(void **array, uint32_t *cap, uint32_t want, size_t size)
{
    uint32_t next = *cap ? *cap : 16;
    if (want <= *cap)
        return 0;
    while (next < want) {
        if (next > UINT32_MAX / 2)
            return -ENOMEM;
        next *= 2;
    }
    void *bigger = realloc(*array, next * size);
    if (!bigger)
        return -ENOMEM;
    *array = bigger;
    *cap = next;
    return 0;
}

int
pp_program_reserve(struct pp_program *program, uint32_t passes, uint32_t works)
{
    void *pass = program->pass;
    void *work = program->work;
    int rc = grow(&pass, &program->pass_cap, passes, sizeof(*program->pass));
    program->pass = pass;
    if (rc)
        return rc;
    rc = grow(&work, &program->work_cap, works, sizeof(*program->work));
    program->work = work;
    return rc;
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
