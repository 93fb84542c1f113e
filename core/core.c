/** @file
 * What only the shared library has. All other code is in the folders of core/. */
#include "core/load/load.h"

/* The version, for readers of a core dump. */
extern const char pp_core_version[];
const char pp_core_version[] = PP_VERSION;

/* A program that is linked with the core has it open: the tests of the layer. */
bool
pp_core_open(void)
{
    return true;
}
