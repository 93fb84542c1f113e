/** @file
 * Fuzz target: `passprobe decode`, from the file's bytes to the rows. The first byte chooses GPU, layout and
 * options; what follows is the file. With PP_FUZZ_ROWS=1 each input must give rows: the test
 * fuzz_decode_seeds shows so that the corpus leads past the checks of the file. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/decode.h"
#include "counters/util/array_size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct {
    int (*run)(const struct pp_decode *decode);
    struct pp_decode how;
} kind[] = {
    {pp_decode_oa, {.gpu = "kblgt2"}},
    {pp_decode_oa, {.gpu = "kblgt2", .pairs = true}},
    {pp_decode_oa, {.gpu = "kblgt2", .layout = "mdapi-gfx9"}},
    {pp_decode_oa,
     {.gpu = "kblgt2",
      .variables = 1,
      .variable = {{.name = "GpuMaxFrequency", .type = PP_METRIC_U64, .value = {.u = 1050000000}}}}},
    {pp_decode_oa, {.gpu = "hsw"}},
    {pp_decode_oa, {.gpu = "tglgt2"}},
    {pp_decode_mali, {.gpu = NULL}},
    {pp_decode_mali, {.gpu = NULL, .differences = true}},
};

/* What was written: a header, and rows. */
static char written[1 << 20];

/* Rows are written to memory, messages nowhere. */
static void
begin_output(void)
{
    static FILE *out;
    if (!out) {
        out = fmemopen(written, sizeof(written), "w");
        stdout = out;
        stderr = fopen("/dev/null", "w"); /* libFuzzer keeps the stream that was there at the start */
        if (!out || !stderr)
            abort();
    }
    rewind(out);
    clearerr(out);
    written[0] = '\0';
}

/* Is there a row below the header? */
static bool
has_rows(void)
{
    const char *end = strchr(written, '\n');
    return end && strchr(end + 1, '\n');
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    const size_t which = data[0] % PP_ARRAY_SIZE(kind);
    struct pp_decode decode = kind[which].how;
    begin_output();
    decode.path = "file";
    decode.size = size - 1;
    uint8_t *bytes =
        malloc(decode.size + !decode.size); /* of the exact size, so that ASan finds a byte too far */
    if (!bytes)
        return 0;
    memcpy(bytes, data + 1, decode.size);
    decode.bytes = bytes;
    int status = kind[which].run(&decode);
    if (getenv("PP_FUZZ_ROWS") && (status != 0 || !has_rows()))
        abort();
    free(bytes);
    return 0;
}
