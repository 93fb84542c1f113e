/** @file
 * Reads the call frame information of one function: the entry of .eh_frame that says, for each of its
 * instructions, where the caller's registers are. Knows x86-64's registers and no process. See also
 * unwind_table.h.
 *
 * Sources: DWARF 4, section 6.4 and 7.23; Linux Standard Base 5.0, "Exception Frames". */
#ifndef PP_CORE_STACK_CFI_H
#define PP_CORE_STACK_CFI_H

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

#endif
