/** @file
 * Reads the call frame information of one function: the entry of .eh_frame that says, for each of its
 * instructions, where the caller's registers are. Knows x86-64's registers and no process. See also
 * unwind_table.h.
 *
 * Sources: DWARF 4, section 6.4 and 7.23; Linux Standard Base 5.0, "Exception Frames". */
#ifndef PP_CORE_STACK_CFI_H
#define PP_CORE_STACK_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "core/stack/unwind_table.h"

/**
 * Find the rule for an instruction in an entry (FDE).
 *
 * @param entry  The entry's length field, in memory.
 * @param low    First byte of the object that contains entry and function; nothing outside of
 *               [@p low, @p high) is read.
 * @param pc     Address of the instruction.
 * @return PP_RULE_NO_TABLE if the entry is for another function.
 */
struct pp_frame_rule pp_cfi_rule(const uint8_t *entry, const uint8_t *low, const uint8_t *high, uintptr_t pc);

/** How pp_cfi_leave() ended. */
enum pp_cfi_end {
    PP_CFI_LEFT = 0,   /**< the caller is known */
    PP_CFI_OTHER,      /**< the rule needs another register, or an operation that is not known here */
    PP_CFI_NEEDS_KEPT, /**< the rule needs one of pp_cfi_registers.kept, which are not known */
    PP_CFI_UNREADABLE, /**< the rule needs memory that cannot be read */
};

/** What pp_cfi_leave() asks of its caller. Mandatory. */
struct pp_cfi_memory {
    bool (*read)(void *user, uintptr_t place, uintptr_t *ret_value); /**< @return false: not readable */
    uintptr_t (*base)(void *user); /**< the base pointer; before any word is read that it leads to */
    void *user;
};

/** Registers other than base pointer and stack pointer that keep their values in calls: rbx, r12 to r15. */
#define PP_CFI_KEPT 5

/** Registers of a function, and then of its caller. */
struct pp_cfi_registers {
    uintptr_t ip; /**< out */
    uintptr_t sp;
    uintptr_t bp;                /**< out, unless bp_is_same */
    uintptr_t kept[PP_CFI_KEPT]; /**< with has_kept */
    bool has_kept;
    bool bp_is_same;      /**< out: the caller has the same base pointer */
    bool was_interrupted; /**< out: by a signal; `ip` is the next instruction, and no call is before it */
};

/** Leave a function by a rule of any kind. @p registers change only with PP_CFI_LEFT. Other parameters as
 * those of pp_cfi_rule(). */
enum pp_cfi_end pp_cfi_leave(const uint8_t *entry, const uint8_t *low, const uint8_t *high, uintptr_t pc,
                             const struct pp_cfi_memory *memory, struct pp_cfi_registers *registers);

#endif
