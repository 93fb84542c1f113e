/** @file
 * A second file of an application that includes the public header. */
#include "tests/unit/annotate/other_file.h"

#include <passprobe/annotate.h>

int
other_file_profiled(void)
{
    return pp_profiled();
}
