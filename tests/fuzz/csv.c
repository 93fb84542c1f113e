/** @file
 * Fuzz target: rows of CSV, as the reader of sessions and as libcsv alone reads them. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/lib/csv_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < ((size_t)1 << 20))
        assert(!pp_csv_reference_differs((const char *)data, size));
    return 0;
}
