/** @file
 * Whether Wine runs the application. Knows nothing of Windows images (core/stack/pe_image.h). */
#ifndef PP_CORE_UTIL_WINE_H
#define PP_CORE_UTIL_WINE_H

#include <stdbool.h>

/** Is Wine's ntdll.so in the process? Takes the dynamic loader's lock: keep the answer for the end of the
 * process, where a thread that Wine has killed may still hold that lock. Any thread. */
bool pp_process_has_wine(void);

#endif
