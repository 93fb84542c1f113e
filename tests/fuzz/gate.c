/** @file
 * Expressions of limits: any text either gives a mistake with its place, or a limit that is a number. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/gate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pp_gate gate = {.text = NULL};
    struct pp_gate_error error = {.column = 0};
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (pp_gate_parse(text, &gate, &error) == 0) {
        assert(strcmp(gate.text, text) == 0 && *gate.name);
        assert(isfinite(gate.limit) && gate.limit >= 0);
        assert(gate.stat < PP_DIFF_TOTAL || gate.kind == PP_DIFF_FRAME);
        pp_gate_finish(&gate);
    } else {
        assert(!gate.text && error.column >= 1 && error.column <= strlen(text) + 1 && *error.message);
    }
    free(text);
    return 0;
}
