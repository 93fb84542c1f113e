/** @file
 * Words for an errno; see errno_text.h. */
#include "counters/util/errno_text.h"
#include "pp_texts.h"

#include <string.h>

const char *
pp_errno_text(int error)
{
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 32)
    const char *text = strerrordesc_np(error);
    return text ? text : PP_TEXT_ERRNO_UNKNOWN;
#else
    return strerror(error); /* musl and old versions of glibc */
#endif
}
