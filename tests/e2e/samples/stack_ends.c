/** @file
 * An application that clears from functions whose stacks end in different ways. A debug group around each
 * clear names the way. test_stacks.py compares the stacks. Exit status 77: no EGL, or another processor than
 * x86-64. */
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "samples/egl_open.h"

#define FRAMES 12
#define DEPTH  100
/* What Mesa's software driver needs, and not much more. */
#define SMALL_STACK_BYTES ((size_t)PTHREAD_STACK_MIN + (size_t)112 * 1024)
#define COROUTINE_BYTES   ((size_t)512 * 1024)

static struct egl_open egl;
static volatile int sink; /* keeps calls from being tail calls */

typedef void function_type(void);

static __attribute__((noinline)) void
draw(void)
{
    glClear(GL_COLOR_BUFFER_BIT);
    sink++;
}

/* Call a function in a debug group. */
static __attribute__((noinline)) void
draw_in(const char *group, function_type *function)
{
    glPushDebugGroup(GL_DEBUG_SOURCE_APPLICATION, 1, -1, group);
    function();
    glPopDebugGroup();
}

#ifdef __x86_64__

/* Functions that call draw():
 * without an unwind table;
 * with a table that leads far above the stack, and below it;
 * with a rule that needs a register which the call changed, and one that the call kept;
 * with a base pointer that leads nowhere. */
function_type draw_again, call_without_table, call_too_high, call_too_low, call_by_lost_register;
function_type call_by_kept_register, call_with_bad_pointer;
__asm__(".text\n"
        "call_without_table:\n"
        "  sub $8, %rsp\n"
        "  call draw_again\n"
        "  add $8, %rsp\n"
        "  ret\n"
        "call_too_high:\n"
        "  .cfi_startproc\n"
        "  sub $8, %rsp\n"
        "  .cfi_def_cfa_offset 0x2000000\n"
        "  call draw_again\n"
        "  add $8, %rsp\n"
        "  ret\n"
        "  .cfi_endproc\n"
        "call_too_low:\n"
        "  .cfi_startproc\n"
        "  sub $8, %rsp\n"
        "  .cfi_def_cfa_offset -64\n"
        "  call draw_again\n"
        "  add $8, %rsp\n"
        "  ret\n"
        "  .cfi_endproc\n"
        "call_by_lost_register:\n"
        "  .cfi_startproc\n"
        "  sub $8, %rsp\n"
        "  .cfi_def_cfa %r11, 16\n"
        "  call draw_again\n"
        "  add $8, %rsp\n"
        "  ret\n"
        "  .cfi_endproc\n"
        "call_by_kept_register:\n"
        "  .cfi_startproc\n"
        "  push %r12\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset %r12, -16\n"
        "  mov %rsp, %r12\n"
        "  .cfi_def_cfa %r12, 16\n"
        "  call draw_again\n"
        "  pop %r12\n"
        "  .cfi_restore %r12\n"
        "  .cfi_def_cfa %rsp, 8\n"
        "  ret\n"
        "  .cfi_endproc\n"
        "call_with_bad_pointer:\n"
        "  .cfi_startproc\n"
        "  push %rbp\n"
        "  .cfi_def_cfa_offset 16\n"
        "  .cfi_offset %rbp, -16\n"
        "  mov $12345, %ebp\n"
        "  call draw_again\n"
        "  pop %rbp\n"
        "  .cfi_restore %rbp\n"
        "  .cfi_def_cfa_offset 8\n"
        "  ret\n"
        "  .cfi_endproc\n");

__attribute__((used)) void
draw_again(void)
{
    draw();
    sink++;
}

static function_type *made; /* push rbp; mov rbp, rsp; call rdi; pop rbp; ret */

static void
call_made(void)
{
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
    if (!made) {
        void *place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (place == MAP_FAILED)
            exit(1);
        memcpy(place, code, sizeof(code));
        if (mprotect(place, 4096, PROT_READ | PROT_EXEC))
            exit(1);
        memcpy(&made, &place, sizeof(made));
    }
    ((void (*)(function_type *))made)(draw);
    sink++;
}

static __attribute__((noinline)) void
go_deeper(int depth)
{
    if (depth > 0)
        go_deeper(depth - 1);
    else
        draw();
    sink++;
}

static void
go_deep(void)
{
    go_deeper(DEPTH);
    sink++;
}

static jmp_buf back;

static __attribute__((noinline)) void
jump_out(void)
{
    draw();
    longjmp(back, 1);
}

/* Frames are left without a return; then others are in their place. */
static void
jump(void)
{
    if (setjmp(back) == 0)
        jump_out();
    go_deeper(2);
    sink++;
}

static ucontext_t outside, inside;

static void
run_coroutine(void)
{
    for (;;) {
        draw();
        swapcontext(&inside, &outside);
    }
}

static void
call_coroutine(void)
{
    static char *stack;
    if (!stack) {
        stack = malloc(COROUTINE_BYTES);
        if (!stack || getcontext(&inside))
            exit(1);
        inside.uc_stack.ss_sp = stack;
        inside.uc_stack.ss_size = COROUTINE_BYTES;
        makecontext(&inside, run_coroutine, 0);
    }
    swapcontext(&outside, &inside);
    sink++;
}

static __attribute__((noinline)) void
draw_frame(void)
{
    draw_in("complete", draw);
    draw_in("no_table", call_without_table);
    draw_in("too_high", call_too_high);
    draw_in("too_low", call_too_low);
    draw_in("lost_register", call_by_lost_register);
    draw_in("kept_register", call_by_kept_register);
    draw_in("bad_pointer", call_with_bad_pointer);
    draw_in("made", call_made);
    draw_in("deep", go_deep);
    draw_in("jump", jump);
    draw_in("coroutine", call_coroutine);
    eglSwapBuffers(egl.display, egl.surface);
}

static void *
draw_on_small_stack(void *arg)
{
    bool opened =
        eglBindAPI(EGL_OPENGL_API) && eglMakeCurrent(egl.display, egl.surface, egl.surface, egl.context);
    for (int i = 0; i < FRAMES && opened; i++) {
        draw_in("small", draw);
        eglSwapBuffers(egl.display, egl.surface);
    }
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    return opened ? NULL : arg;
}

int
main(void)
{
    const struct egl_open_want want = {.width = 64, .height = 64};
    pthread_attr_t attr;
    pthread_t thread;
    void *failed = NULL;
    if (egl_open(&egl, &want)) {
        puts("EGL has no pbuffers here");
        return 77;
    }
    for (int i = 0; i < FRAMES; i++)
        draw_frame();
    eglMakeCurrent(egl.display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, SMALL_STACK_BYTES) ||
        pthread_create(&thread, &attr, draw_on_small_stack, &egl) || pthread_join(thread, &failed))
        return 1;
    pthread_attr_destroy(&attr);
    egl_close(&egl);
    printf("%d calls\n", sink);
    return failed != NULL;
}

#else

int
main(void)
{
    puts("stacks are recorded on x86-64 only");
    return 77;
}

#endif
