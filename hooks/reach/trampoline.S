/** @file
 * dlsym and dlopen as the application sees them. The real functions look at their return address to answer
 * RTLD_NEXT, RTLD_DEFAULT and $ORIGIN for the object that called. So they must be reached by a jump, with the
 * application's stack frame. C cannot do this, because compilers promise a tail call at no optimisation level. Each
 * trampoline calls its function pp_pick_* with the addresses of the two arguments, which the function may change, and
 * of a result. If the function returns an address, the trampoline jumps there; if it returns 0, the trampoline
 * returns the result. See also dlsym.c. The hook of pthread_exit has a trampoline, too (process.c): pthread_exit
 * unwinds the stack, which must be that of the application. */

#ifdef __CET__
#include <cet.h> /* marks the file as ready for shadow stacks: one file without a mark switches them off */
#endif

#if defined(__x86_64__)
.macro pp_trampoline name, pick
    .globl \name
    .type \name, @function
    .balign 16
\name:
    .cfi_startproc
    endbr64
    subq $24, %rsp
    .cfi_adjust_cfa_offset 24
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    leaq 0(%rsp), %rdi
    leaq 16(%rsp), %rsi
    call \pick
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    addq $24, %rsp
    .cfi_adjust_cfa_offset -24
    testq %rax, %rax
    je 1f
    jmp *%rax
1:  movq %rdx, %rax
    ret
    .cfi_endproc
    .size \name, . - \name
.endm
#elif defined(__i386__)
.macro pp_trampoline name, pick
    .globl \name
    .type \name, @function
    .balign 16
\name:
    .cfi_startproc
    subl $28, %esp
    .cfi_adjust_cfa_offset 28
    leal 32(%esp), %eax
    movl %eax, 0(%esp)
    leal 16(%esp), %eax
    movl %eax, 4(%esp)
    call \pick
    movl 16(%esp), %edx
    addl $28, %esp
    .cfi_adjust_cfa_offset -28
    testl %eax, %eax
    je 1f
    jmp *%eax
1:  movl %edx, %eax
    ret
    .cfi_endproc
    .size \name, . - \name
.endm
#elif defined(__aarch64__)
.macro pp_trampoline name, pick
    .globl \name
    .type \name, %function
    .balign 16
\name:
    .cfi_startproc
    hint #34 /* bti c */
    stp x29, x30, [sp, #-48]!
    .cfi_adjust_cfa_offset 48
    .cfi_rel_offset x29, 0
    .cfi_rel_offset x30, 8
    mov x29, sp
    stp x0, x1, [sp, #16]
    add x0, sp, #16
    add x1, sp, #32
    bl \pick
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldr x17, [sp, #32]
    ldp x29, x30, [sp], #48
    .cfi_adjust_cfa_offset -48
    .cfi_restore x29
    .cfi_restore x30
    cbz x16, 1f
    br x16
1:  mov x0, x17
    ret
    .cfi_endproc
    .size \name, . - \name
.endm
#else
#error "dlsym and dlopen have no trampoline for this architecture: add one here"
#endif

    .text
pp_trampoline pp_dlsym, pp_pick_dlsym
pp_trampoline pp_dlopen, pp_pick_dlopen
pp_trampoline pp_pthread_exit, pp_pick_pthread_exit

/* The symbols here have libc's versions. An application or a preloaded tool with its own dlsym asks
 * dlvsym(RTLD_NEXT, "dlsym", "GLIBC_...") for the next one, and dlvsym skips symbols without a version. */
    .symver pp_dlsym, dlsym@@GLIBC_2.34
    .symver pp_dlopen, dlopen@@GLIBC_2.34
#if defined(__x86_64__)
    .symver pp_dlsym, dlsym@GLIBC_2.2.5
    .symver pp_dlopen, dlopen@GLIBC_2.2.5
    .symver pp_pthread_exit, pthread_exit@@GLIBC_2.2.5
#elif defined(__i386__)
    .symver pp_dlsym, dlsym@GLIBC_2.0
    .symver pp_dlopen, dlopen@GLIBC_2.0
    .symver pp_dlopen, dlopen@GLIBC_2.1
    .symver pp_pthread_exit, pthread_exit@@GLIBC_2.0
#else
    .symver pp_dlsym, dlsym@GLIBC_2.17
    .symver pp_dlopen, dlopen@GLIBC_2.17
    .symver pp_pthread_exit, pthread_exit@@GLIBC_2.17
#endif

    .section .note.GNU-stack, "", %progbits
