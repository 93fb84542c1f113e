/** @file
 * Ioctls of the model "null". */
#ifndef LAB_NULL_H
#define LAB_NULL_H

#include <stdint.h>

#define LAB_NULL_MEMORY 0x00 /**< struct lab_null_memory */
#define LAB_NULL_SUBMIT 0x01 /**< struct lab_null_submit */

/** Make memory. */
struct lab_null_memory {
    uint64_t size;   /**< in: bytes */
    uint64_t offset; /**< out: for mmap() of the node */
    uint32_t handle; /**< out */
    uint32_t zero;   /**< must be 0 */
};

/** Submit work that does nothing. */
struct lab_null_submit {
    uint64_t point;  /**< in: of a timeline, or 0 */
    uint32_t handle; /**< in: the sync object to signal */
    uint32_t zero;   /**< must be 0 */
};

#endif
