/** @file
 * What the raw bytes of one snapshot mean. A layout is data: fields with place, width and behaviour. The same
 * few functions decode time, pipeline statistics, an OA report and a Mali dump; a new layout needs no C.
 * Knows no graphics API, no file, no thread.
 *
 * The table of layouts that tools/gen_layouts.py generates, for layout.c. */
#ifndef PP_COUNTERS_SNAPSHOT_LAYOUT_H
#define PP_COUNTERS_SNAPSHOT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/snapshot/value.h"

/** How a field counts, and therefore how two snapshots of it become a difference. */
enum pp_field_mode {
    PP_FIELD_WRAPS,     /**< free running, wraps at 2^bits: (end - begin) mod 2^bits */
    PP_FIELD_SATURATES, /**< stops at 2^bits - 1, cleared when dumped: end is the count; all ones is
                           PP_SATURATED */
    PP_FIELD_CLEARS,    /**< cleared on read, wide enough never to saturate: end is the count */
    PP_FIELD_DELTA,     /**< a query's result, counted between its begin and end: end is the count */
    PP_FIELD_GAUGE,     /**< a state, not a count (a clock, an id): the end value is taken */
};

/** One contiguous run of bits of a field, little endian. A split field has two. */
struct pp_field_part {
    uint32_t offset; /**< bytes from the start of the snapshot */
    uint8_t shift;   /**< bits below the run inside the little-endian word at offset */
    uint8_t bits;    /**< length of the run; 0: part absent */
};

/** One value of a snapshot. The parts are concatenated, part[0] lowest. */
struct pp_field {
    const char *name;             /**< in the source's spelling, without the source's prefix; borrowed */
    struct pp_field_part part[2]; /**< place of the field in the snapshot */
    uint8_t mode;                 /**< enum pp_field_mode */
    uint8_t unit;                 /**< enum pp_unit */
    uint8_t number;    /**< enum pp_number; anything but U64 is a result (DELTA, CLEARS) or a state (GAUGE) */
    bool not_additive; /**< values of several brackets do not add up: a ratio, a percentage, a state */
};

/** What one snapshot of a source looks like. Immutable once shared. The tables are static or belong to a
 * source. */
struct pp_layout {
    const char *name;             /**< "time", "pipeline", "oa-a32u40-a4u32-b8-c8", ...; borrowed */
    uint32_t size;                /**< bytes of one snapshot */
    uint32_t fields;              /**< elements of field[] */
    const struct pp_field *field; /**< borrowed */
};

/**
 * Read one field of one snapshot.
 *
 * Allocates, locks, logs nothing; any thread.
 *
 * @param field    The field; its parts must be inside the snapshot (pp_layout_check()).
 * @param snapshot Bytes of the snapshot, at least layout->size.
 * @return The unsigned value of all parts together.
 */
uint64_t pp_field_read(const struct pp_field *field, const uint8_t *snapshot);

/**
 * Compute the difference of two snapshots of one layout, field by field, by each field's mode.
 *
 * Ownership: borrows all, keeps nothing. Threads: any. Allocates, locks, logs nothing.
 *
 * @param layout The layout of both.
 * @param begin  First snapshot; NULL only if every field is DELTA, CLEARS, SATURATES or GAUGE.
 * @param end    Second snapshot.
 * @param value  layout->fields results, in the order of layout->field: 64-bit images of field->number.
 * @param status layout->fields statuses; value[i] is meaningless unless pp_status_has_value(status[i]).
 */
void pp_layout_delta(const struct pp_layout *layout, const uint8_t *begin, const uint8_t *end,
                     uint64_t *value, uint8_t *status);

/**
 * Check that a layout is well formed: every part is inside `size`; every field has 1 to 64 bits, as many as
 * its type of number; only unsigned numbers have differences; names are unique.
 *
 * @param ret_field Set on -EINVAL to the first offending field; may be NULL.
 * @retval 0       The layout is well formed.
 * @retval -EINVAL It is not.
 */
__attribute__((warn_unused_result)) int pp_layout_check(const struct pp_layout *layout, uint32_t *ret_field);

/** Is every field a 64-bit word that holds the count itself (DELTA, CLEARS), as in the results of queries?
 * Then pp_layout_delta() is a copy of words. */
bool pp_layout_is_words(const struct pp_layout *layout);

/** Index of the field called @p name, or -ENOENT. A linear search: look a name up once, and keep the index.
 */
int pp_layout_field(const struct pp_layout *layout, const char *name);

/**
 * Compute the differences of one field over many pairs of snapshots, as a column: one row per pair, each as
 * pp_layout_delta() computes it. The fast way for whole frames.
 *
 * Ownership: borrows all, keeps nothing. Threads: any. Allocates, locks, logs nothing.
 *
 * @param field        The field; pp_layout_check() must hold for its layout.
 * @param begin        First snapshot of row 0; NULL as in pp_layout_delta().
 * @param begin_stride Bytes from one row's begin to the next row's.
 * @param end          Second snapshot of row 0; may overlap @p begin: each report of a stream ends one pair
 * and begins the next.
 * @param end_stride   Bytes from one row's end to the next row's.
 * @param rows         Pairs.
 * @param value        @p rows results.
 * @return How many of them are PP_SATURATED (all ones in a field that saturates); the others are PP_OK.
 */
size_t pp_field_delta_column(const struct pp_field *field, const uint8_t *begin, size_t begin_stride,
                             const uint8_t *end, size_t end_stride, size_t rows, uint64_t *value);

/** The layout compiled in from counters/snapshot/layouts under this name; NULL when there is none. */
const struct pp_layout *pp_layout_find(const char *name);

extern const struct pp_layout pp_layout_table[]; /**< by name, ascending */
extern const uint32_t pp_layout_table_length;    /**< elements of pp_layout_table */

#endif
