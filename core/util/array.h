/** @file
 * Arrays that grow by doubling. */
#ifndef PP_CORE_UTIL_ARRAY_H
#define PP_CORE_UTIL_ARRAY_H

#include <stddef.h>
#include <stdint.h>

#include "core/util/compiler.h"

/**
 * Make an array large enough for @p want elements. The capacity doubles as often as needed.
 *
 * @param io_array   Address of a pointer of any type, to memory from malloc() or NULL; replaced if the array
 * is too small.
 * @param io_cap     Number of elements that fit into the array; updated with the array.
 * @param element    Size of one element, in bytes.
 * @retval 0 The array is large enough.
 * @retval -ENOMEM No memory; the array and its capacity are unchanged.
 */
PP_API __attribute__((warn_unused_result)) int pp_array_grow(void *io_array, uint32_t *io_cap, size_t want,
                                                             size_t element);

/** pp_array_grow() for results of the application's work, which may take much and without which the
 * application runs: not beyond --max-memory (pp_heap_fits()). */
PP_API __attribute__((warn_unused_result)) int pp_array_grow_within(void *io_array, uint32_t *io_cap,
                                                                    size_t want, size_t element);

#endif
