/** @file
 * Stubs of the core's functions, for the shim and the layer, which are not linked with the core: each jumps to where its
 * slot points. All slots point to a function that returns 0 until load.c has opened the core and filled them. A stub
 * keeps the stack and all argument registers, so that functions with variable arguments work, too. */
#include "core_interface.h"

#ifdef __CET__
#include <cet.h> /* marks the file as ready for shadow stacks: one file without a mark switches them off */
#endif

/* Below each stub's slot, in the order of core/interface.txt. */
    .data
#if defined(__i386__)
    .balign 4
#else
    .balign 8
#endif
    .globl pp_core_slot
    .hidden pp_core_slot
    .type pp_core_slot, %object
pp_core_slot:
    .text

#if defined(__x86_64__)
.macro pp_stub name
    .data
1:  .quad pp_core_absent
    .text
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 16
\name:
    .cfi_startproc
    endbr64
    jmp *1b(%rip)
    .cfi_endproc
    .size \name, . - \name
.endm
    .type pp_core_absent, @function
pp_core_absent:
    .cfi_startproc
    endbr64
    xorl %eax, %eax
    ret
    .cfi_endproc
    .size pp_core_absent, . - pp_core_absent
#elif defined(__i386__)
.macro pp_stub name
    .data
1:  .long pp_core_absent
    .text
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 16
\name:
    .cfi_startproc
    call pp_stub_pc
    addl $_GLOBAL_OFFSET_TABLE_, %ecx
    jmp *1b@GOTOFF(%ecx)
    .cfi_endproc
    .size \name, . - \name
.endm
    .type pp_stub_pc, @function
pp_stub_pc:
    .cfi_startproc
    movl (%esp), %ecx
    ret
    .cfi_endproc
    .size pp_stub_pc, . - pp_stub_pc
    .type pp_core_absent, @function
pp_core_absent:
    .cfi_startproc
    xorl %eax, %eax
    xorl %edx, %edx
    ret
    .cfi_endproc
    .size pp_core_absent, . - pp_core_absent
#elif defined(__aarch64__)
.macro pp_stub name
    .data
1:  .quad pp_core_absent
    .text
    .globl \name
    .hidden \name
    .type \name, %function
    .balign 16
\name:
    .cfi_startproc
    hint #34 /* bti c */
    adrp x16, 1b
    ldr x16, [x16, #:lo12:1b]
    br x16
    .cfi_endproc
    .size \name, . - \name
.endm
    .type pp_core_absent, %function
pp_core_absent:
    .cfi_startproc
    hint #34 /* bti c */
    mov x0, #0
    ret
    .cfi_endproc
    .size pp_core_absent, . - pp_core_absent
#else
#error "the core's functions have no stubs for this architecture: add one here"
#endif

#define FUNCTION(name) pp_stub name;
PP_CORE_INTERFACE(FUNCTION)

    .section .note.GNU-stack, "", %progbits
