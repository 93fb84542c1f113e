/** @file
 * How to leave a function: finds the caller of an instruction in the unwind tables (.eh_frame) that each
 * loaded object brings. The tables are only read where they are in memory: no file, no lock, no allocation.
 * Knows one instruction, no call stack; see walk.h. Where the tables cannot be read (other processors than
 * x86-64, glibc before 2.35) every rule is PP_RULE_OTHER.
 *
 * Sources: DWARF 4, section 6.4; Linux Standard Base 5.0, "Exception Frames"; System V ABI, AMD64, 3.6. */
#ifndef PP_CORE_STACK_UNWIND_TABLE_H
#define PP_CORE_STACK_UNWIND_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/** What a rule says. The frame's top is the stack pointer after the return to the caller; the return address
 * is in the word below it. */
enum pp_rule_kind {
    PP_RULE_NO_CODE = 0, /**< the address is in no loaded object: made at run time, or not code */
    PP_RULE_NO_TABLE,    /**< the object has no table, or none for this function */
    PP_RULE_POINTER, /**< the same in an object that has tables for few of its functions, as browsers: it was
                        compiled without tables, and may have frame pointers */
    PP_RULE_BROKEN,  /**< the table cannot be understood, or needs a register that calls may change */
    PP_RULE_OTHER,   /**< a rule that is not one of the kinds below; see pp_unwind_leave() */
    PP_RULE_OUTERMOST, /**< the function has no caller: the stack ends here */
    PP_RULE_SP,        /**< top = stack pointer + top_offset */
    PP_RULE_BP,        /**< top = base pointer + top_offset */
    PP_RULE_BP_LOAD,   /**< top = the word at base pointer + top_offset (functions that realign the stack) */
};

/** Where the caller's base pointer is. */
enum pp_rule_base {
    PP_BASE_KEPT = 0, /**< in the register */
    PP_BASE_FROM_TOP, /**< in the word at top + base_offset */
    PP_BASE_FROM_BP,  /**< in the word at base pointer + base_offset */
};

/** How to leave a function at one instruction. */
struct pp_frame_rule {
    uint8_t kind; /**< enum pp_rule_kind */
    uint8_t base; /**< enum pp_rule_base */
    int32_t top_offset;
    int32_t base_offset;
};

/** Can rules be found in this process? If not, pp_unwind_rule() gives PP_RULE_OTHER. */
bool pp_unwind_table_works(void);

/** Find the rule for a call that returns to @p return_address. Any thread; takes no
 * lock. The object must stay loaded meanwhile. */
struct pp_frame_rule pp_unwind_rule(uintptr_t return_address);

struct pp_cfi_memory;
struct pp_cfi_registers;

/** Leave a function by its rule, of any kind; see pp_cfi_leave(). @return enum pp_cfi_end. Any thread;
 * takes no lock. */
int pp_unwind_leave(uintptr_t return_address, const struct pp_cfi_memory *memory,
                    struct pp_cfi_registers *registers);

#endif
