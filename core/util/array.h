/** @file
 * Arrays that grow by doubling. */
#ifndef PP_CORE_UTIL_ARRAY_H
#define PP_CORE_UTIL_ARRAY_H

#include "core/engine/session.h"

#include <stddef.h>
#include <stdint.h>

/**
 * Room for @p want elements in an array.
 *
 * @param io_array   A pointer of any type, to memory of malloc's or NULL; replaced where that is too small.
 * @param io_cap     Elements that there is room for.
 * @param element    Size of one, in bytes.
 * @retval 0. @retval -ENOMEM All is unchanged.
 */
PP_API __attribute__((warn_unused_result)) int pp_array_grow(void *io_array, uint32_t *io_cap, size_t want,
                                                             size_t element);

#endif
