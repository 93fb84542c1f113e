/** @file
 * See wine.h. */
#include "core/util/wine.h"

#include <link.h>
#include <string.h>

static int
is_ntdll(struct dl_phdr_info *object, size_t bytes, void *unused)
{
    (void)bytes;
    (void)unused;
    const char *slash = object->dlpi_name ? strrchr(object->dlpi_name, '/') : NULL;
    return slash && (strcmp(slash, "/ntdll.so") == 0 || strcmp(slash, "/ntdll.dll.so") == 0);
}

bool
pp_process_has_wine(void)
{
    return dl_iterate_phdr(is_ntdll, NULL) != 0;
}
