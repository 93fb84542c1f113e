/** @file
 * The list of kernel sources; see sources.h. */
#include "counters/source/sources.h"

size_t
pp_kernel_sources_open(const struct pp_kernel_paths *paths, struct pp_event_source *ret, size_t room)
{
    (void)paths;
    (void)ret;
    (void)room;
    return 0;
}
