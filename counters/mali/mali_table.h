/** @file
 * The tables that tools/gen_mali.py generates, for mali_gpu.c only. */
#ifndef PP_COUNTERS_MALI_MALI_TABLE_H
#define PP_COUNTERS_MALI_MALI_TABLE_H

#include "counters/mali/mali_gpu.h"

extern const struct pp_mali_gpu pp_mali_table[]; /**< as in devices.csv */
extern const uint32_t pp_mali_table_length;      /**< elements of pp_mali_table */

#endif
