/** @file
 * What a measured value is. A missing value is not zero: every value carries a status, formulas propagate the
 * status, writers leave the cell empty, and session.json has the reason. Knows no graphics API, no file, no
 * thread. */
#ifndef PP_COUNTERS_SNAPSHOT_VALUE_H
#define PP_COUNTERS_SNAPSHOT_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/** Why a value is, or is not, a number. Ordered from good to bad: the status of a computed value is the
 * largest status of its inputs. A status is stored in one byte. */
enum pp_status {
    PP_OK = 0,        /**< a number */
    PP_SATURATED,     /**< a number, but a lower bound: the counter stopped at its maximum */
    PP_PARTIAL,       /**< a number, but some hardware blocks that should have contributed did not */
    PP_DIV_BY_ZERO,   /**< the formula divides by zero */
    PP_WRAPPED,       /**< the counter may have wrapped more than once */
    PP_NOT_AVAILABLE, /**< the snapshot has not arrived */
    PP_REJECTED, /**< the snapshot contradicts what is known: it is longer than the CPU interval that encloses
                    it */
    PP_LOST,     /**< driver or hardware reported the snapshot lost */
    PP_COUNTED_EARLIER, /**< an earlier row has the count, which may not be counted twice */
    PP_DISABLED,        /**< the block or counter was off, or was not measured in this snapshot */
    PP_UNSUPPORTED,     /**< this hardware, driver or context cannot measure it */
    PP_STATUS_COUNT
};

/** Is there a number to show? Saturated and partial values are numbers with a remark. */
static inline bool
pp_status_has_value(enum pp_status status)
{
    return status <= PP_PARTIAL;
}

/** The worse of two statuses, for propagation through a formula. */
static inline enum pp_status
pp_status_worse(enum pp_status a, enum pp_status b)
{
    return a > b ? a : b;
}

/** Largest whole number that a value may be (as nanoseconds, 292 years). No GPU counts and no clock shows a
 * larger one, and readers with signed integers would take it for a negative number. */
#define PP_VALUE_MAX ((uint64_t)INT64_MAX)

/** Largest real number that a value may be. Readers call a larger one damage: so squares and sums of values
 * are finite. */
#define PP_VALUE_REAL_MAX 1e100

/** May a value be this real number? It is not NaN then. */
static inline bool
pp_value_is_real(double number)
{
    return number >= -PP_VALUE_REAL_MAX && number <= PP_VALUE_REAL_MAX;
}

/** The type of a number. Decoded values hold the 64-bit image of the number: U64, I64 or F64. */
enum pp_number {
    PP_NUMBER_U64 = 0, /**< unsigned, of any width up to 64 bits */
    PP_NUMBER_I64,     /**< two's complement of 64 bits */
    PP_NUMBER_F64,     /**< IEEE 754 double */
    PP_NUMBER_I32,     /**< two's complement of 32 bits; its image is I64 */
    PP_NUMBER_F32,     /**< IEEE 754 single; its image is F64 */
};

/** The type of a number's 64-bit image. */
static inline enum pp_number
pp_number_image(enum pp_number number)
{
    return number == PP_NUMBER_I32 ? PP_NUMBER_I64 : number == PP_NUMBER_F32 ? PP_NUMBER_F64 : number;
}

/** Make the 64-bit image of raw bits: sign-extended, or widened to a double. */
uint64_t pp_number_widen(enum pp_number number, uint64_t raw);

/** Sum of two images of one type (pp_number_image()). */
uint64_t pp_number_add(enum pp_number image, uint64_t a, uint64_t b);

/** Units, which end the names of columns: "ns", "bytes", "percent", "hz". A count has none. */
enum pp_unit {
    PP_UNIT_COUNT = 0,
    PP_UNIT_NS,
    PP_UNIT_BYTES,
    PP_UNIT_PERCENT,
    PP_UNIT_HZ,
    PP_UNIT_CYCLES,
    PP_UNIT_TICKS,
    PP_UNIT_OTHER, /**< a unit that a text names */
    PP_UNIT_KELVIN,
    PP_UNIT_WATTS,
    PP_UNIT_VOLTS,
    PP_UNIT_AMPS,
    PP_UNIT_BYTES_PER_S,
};

/** The suffix with which a name in this unit ends ("_ns"), "" for counts; never NULL. */
const char *pp_unit_suffix(enum pp_unit unit);

#endif
