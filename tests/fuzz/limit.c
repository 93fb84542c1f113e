/** @file
 * Expressions of limits: any text either gives a mistake with its place, or a limit that is a number. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/limit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_limit limit = {.text = NULL};
    struct pp_limit_error error = {.column = 0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (pp_limit_parse(text, &limit, &error) == 0) {
        assert(strcmp(limit.text, text) == 0 && *limit.name);
        assert(isfinite(limit.most) && limit.most >= 0);
        assert(limit.stat < PP_DIFF_TOTAL || limit.kind == PP_DIFF_FRAME);
        pp_limit_finish(&limit);
    } else {
        assert(!limit.text && error.column >= 1 && error.column <= strlen(text) + 1 && *error.message);
    }
    free(text);
    return 0;
}
