/** @file
 * See demangle.h; the work is libiberty's. */
#include "cli/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>

const char *
pp_demangle(char *text, size_t size, const char *name)
{
    char *plain = cplus_demangle(name, DMGL_AUTO | DMGL_ANSI);
    snprintf(text, size, "%s", plain ? plain : name);
    free(plain);
    return text;
}
