/** @file
 * Growing arrays: memory of malloc() that doubles when it is full. For the command; core/util/heap.h has the
 * arrays that count for --max-memory. Knows nothing of the elements. */
#ifndef PP_COUNTERS_UTIL_GROW_ARRAY_H
#define PP_COUNTERS_UTIL_GROW_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Elements of a new array. */
#define PP_GROW_ARRAY_FIRST ((size_t)16)

/**
 * Make an array large enough for @p want elements. New elements are all zero.
 *
 * @param io_array Address of a pointer of any type, to memory of malloc() or NULL; replaced if the array is
 * too small.
 * @param io_cap   Number of elements that fit into the array; updated with the array.
 * @param element  Size of one element, in bytes.
 * @retval 0 The array is large enough.
 * @retval -ENOMEM No memory; the array and its capacity are unchanged.
 */
__attribute__((warn_unused_result)) static inline int
pp_grow_array(void *io_array, size_t *io_cap, size_t want, size_t element)
{
    size_t cap = *io_cap ? *io_cap : PP_GROW_ARRAY_FIRST;
    void *array = NULL;
    if (want <= *io_cap)
        return 0;
    while (cap < want && cap <= SIZE_MAX / 2)
        cap *= 2;
    memcpy(&array, io_array, sizeof(array));
    array = cap < want ? NULL : reallocarray(array, cap, element);
    if (!array)
        return -ENOMEM;
    memset((char *)array + *io_cap * element, 0, (cap - *io_cap) * element);
    memcpy(io_array, &array, sizeof(array));
    *io_cap = cap;
    return 0;
}

/**
 * Make an array of millions of elements large enough, as pp_grow_array() does. The array grows by a half, and
 * new elements are not set, so that memory is not touched before it is needed.
 */
__attribute__((warn_unused_result)) static inline int
pp_grow_large_array(void *io_array, size_t *io_cap, size_t want, size_t element)
{
    size_t cap = *io_cap + *io_cap / 2 + PP_GROW_ARRAY_FIRST;
    void *array = NULL;
    if (want <= *io_cap)
        return 0;
    memcpy(&array, io_array, sizeof(array));
    cap = cap < want ? want : cap;
    array = reallocarray(array, cap, element);
    if (!array)
        return -ENOMEM;
    memcpy(io_array, &array, sizeof(array));
    *io_cap = cap;
    return 0;
}

#endif
