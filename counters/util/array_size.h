/** @file
 * Length of an array. */
#ifndef PP_COUNTERS_UTIL_ARRAY_SIZE_H
#define PP_COUNTERS_UTIL_ARRAY_SIZE_H

/** Number of elements of the array @p array, which must not be a pointer. A constant expression. */
#define PP_ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

#endif
