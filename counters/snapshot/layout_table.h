/** @file
 * The table of layouts that tools/gen_layouts.py generates, for layout.c. */
#ifndef PP_COUNTERS_SNAPSHOT_LAYOUT_TABLE_H
#define PP_COUNTERS_SNAPSHOT_LAYOUT_TABLE_H

#include "counters/snapshot/layout.h"

extern const struct pp_layout pp_layout_table[]; /**< by name, ascending */
extern const uint32_t pp_layout_table_length;    /**< elements of pp_layout_table */

#endif
