/** @file
 * Code with odd unwind tables, odd base pointers and odd stacks, as hand-written assembly, coroutines and
 * signal handlers have them: taking its stacks never crashes, by any method. Each kind of code runs in a
 * child process, each assembly function with many values in the base pointer. */
#include "tests/lib/cmocka_test.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "core/stack/stacks.h"
#include "counters/util/array_size.h"
#include "counters/util/sandbox.h"

#ifdef __x86_64__

#define PAGE   ((size_t)4096)
#define ROUNDS 20

static struct pp_stacks *stacks;
static volatile int sink;
static ucontext_t main_context, coroutine;
static struct pp_walk_registers *noted; /* NULL: stacks are taken */

__attribute__((noinline, used)) void odd_draw(void);
__attribute__((noinline, used)) void
odd_draw(void)
{
    if (noted) {
        const uintptr_t *frame = __builtin_frame_address(0);
        *noted = (struct pp_walk_registers){.ip = frame[1], .sp = (uintptr_t)(frame + 2), .bp = frame[0]};
        swapcontext(&coroutine, &main_context);
    }
    sink = (int)pp_stacks_here(stacks);
}

/* Each function has its argument in the base pointer when it calls odd_draw(). */
typedef void (*odd_function)(uintptr_t base);
void odd_no_table(uintptr_t base), odd_wrong_offset(uintptr_t base), odd_load(uintptr_t base),
    odd_base(uintptr_t base), odd_huge_offset(uintptr_t base), odd_outermost(uintptr_t base),
    odd_load_twice(uintptr_t base), odd_return_place(uintptr_t base), odd_no_frame(uintptr_t base),
    odd_above_no_table(uintptr_t base), odd_sound_expression(uintptr_t base),
    odd_unknown_operation(uintptr_t base), odd_other_register(uintptr_t base),
    odd_empty_expression(uintptr_t base), odd_stack_pointer(uintptr_t base);

/* A function with these lines about its frame. */
#define FUNCTION(name, lines)                                                                                \
    name ":\n.cfi_startproc\npush %rbp\nmov %rdi, %rbp\n" lines "call odd_draw\npop "                        \
         "%rbp\nret\n.cfi_endproc\n"

/* Bytes of .cfi_escape: 0x0f DW_CFA_def_cfa_expression, 0x10 DW_CFA_expression and 0x16
 * DW_CFA_val_expression, then a register, the length and the operations: 0x76 breg6 (rbp), 0x77 breg7 (rsp),
 * 0x73 breg3 (rbx), 0x06 deref, 0x38 lit8, 0x22 plus, 0xe0 one that does not exist. */
__asm__(
    ".text\n"
    "odd_no_table: push %rbp\nmov %rdi, %rbp\ncall odd_draw\npop %rbp\nret\n" FUNCTION(
        "odd_wrong_offset", ".cfi_def_cfa_offset 4096\n") FUNCTION("odd_huge_offset",
                                                                   ".cfi_def_cfa_offset 0x3fffff00\n")
        FUNCTION("odd_no_frame",
                 ".cfi_def_cfa_offset 0\n") FUNCTION("odd_base", ".cfi_offset 6, -16\n.cfi_def_cfa 6, 16\n")
            FUNCTION("odd_outermost", ".cfi_undefined rip\n") FUNCTION("odd_load",
                                                                       ".cfi_escape 0x0f, 3, 0x76, 0, 0x06\n")
                FUNCTION("odd_load_twice", ".cfi_escape 0x0f, 6, 0x76, 0, 0x38, 0x22, 0x06, 0x06\n") FUNCTION(
                    "odd_return_place", ".cfi_escape 0x0f, 2, 0x77, 16\n.cfi_escape 0x10, 16, 2, 0x76, 0\n")
                    FUNCTION("odd_unknown_operation", ".cfi_escape 0x0f, 3, 0x77, 16, 0xe0\n")
                        FUNCTION("odd_other_register", ".cfi_escape 0x0f, 2, 0x73, 16\n")
                            FUNCTION("odd_empty_expression", ".cfi_escape 0x0f, 0\n") FUNCTION(
                                "odd_stack_pointer", ".cfi_def_cfa 7, 16\n.cfi_escape 0x16, 7, 2, 0x76, 0\n")
                                FUNCTION("odd_sound_expression",
                                         ".cfi_escape 0x0f, 2, 0x77, 16\n.cfi_escape 0x10, 6, 2, 0x77, 0\n")
    /* a sound expression below a function without a table */
    "odd_above_no_table: push %rbp\nmov %rdi, %rbp\ncall odd_sound_expression\npop %rbp\nret\n");

static const struct {
    const char *name;
    odd_function call;
} functions[] = {
    {"no table", odd_no_table},
    {"wrong offset", odd_wrong_offset},
    {"huge offset", odd_huge_offset},
    {"no frame", odd_no_frame},
    {"base pointer that is none", odd_base},
    {"outermost", odd_outermost},
    {"loaded top", odd_load},
    {"top loaded twice", odd_load_twice},
    {"return address at the base pointer", odd_return_place},
    {"unknown operation", odd_unknown_operation},
    {"kept register", odd_other_register},
    {"empty expression", odd_empty_expression},
    {"stack pointer that is none", odd_stack_pointer},
    {"sound expression", odd_sound_expression},
    {"expression below no table", odd_above_no_table},
};

static uintptr_t
place(const void *at)
{
    return (uintptr_t)at;
}

static void
call_with_values(odd_function call)
{
    static int in_data;
    char here[64];
    char *none = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uintptr_t value[] = {
        0,
        1,
        8,
        (uintptr_t)-8,
        (uintptr_t)-1,
        place(none + PAGE),
        place(here),
        place(here) + 1,
        place(here) + 4096,
        place(here) + (1 << 20),
        place(here) + (100 << 20),
        place(__builtin_frame_address(0)),
        place(&environ),
        place(environ),
        place(&in_data),
        (uintptr_t)call,
        0x7fffffffe000,
        0x7ffffffff000,
        0x8000000000000000,
        0xffffffffff600000,
    };
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < PP_ARRAY_SIZE(value); i++)
            call(value[i]);
}

/* Memory for a stack, between two pages that cannot be read. */
static char *
map_stack(size_t bytes)
{
    char *pages = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + PAGE, bytes, PROT_READ | PROT_WRITE), 0);
    return pages + PAGE;
}

static void
run_coroutine(void)
{
    for (;;) {
        odd_draw();
        swapcontext(&coroutine, &main_context);
    }
}

static void
start_coroutine(char *stack, size_t bytes)
{
    assert_int_equal(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = bytes;
    makecontext(&coroutine, run_coroutine, 0);
    swapcontext(&main_context, &coroutine);
}

static void
coroutines_come_and_go(void)
{
    for (int i = 0; i < 5 * ROUNDS; i++) {
        char *stack = map_stack(2 * PAGE);
        start_coroutine(stack, 2 * PAGE);
        munmap(stack - PAGE, 4 * PAGE);
    }
}

/* Pages inside of the thread's own stack, one of which cannot be read: coroutines may be on both sides. */
static void
call_with_unreadable_page(void (*function)(char *unreadable))
{
    char *memory = __builtin_alloca(1 << 20);
    memory[0] = 1;
    char *middle =
        (char *)((place(memory) + (1 << 19)) & ~(PAGE - 1)); /* NOLINT(performance-no-int-to-ptr) */
    assert_int_equal(mprotect(middle, PAGE, PROT_NONE), 0);
    for (int i = 0; i < ROUNDS; i++)
        function(middle);
    assert_int_equal(mprotect(middle, PAGE, PROT_READ | PROT_WRITE), 0);
}

static void
point_into(char *unreadable)
{
    for (size_t i = 0; i < PP_ARRAY_SIZE(functions); i++)
        functions[i].call(place(unreadable) + 64);
}

static void
base_points_to_unreadable_page(void)
{
    call_with_unreadable_page(point_into);
}

static void
start_below(char *unreadable)
{
    start_coroutine(unreadable - 16 * PAGE, 16 * PAGE);
}

static void
coroutine_inside_of_stack(void)
{
    call_with_unreadable_page(start_below);
}

static void
handle(int signal)
{
    (void)signal;
    odd_draw();
}

static sigjmp_buf back;

static void
handle_and_jump(int signal)
{
    (void)signal;
    odd_draw();
    siglongjmp(back, 1);
}

static void
raise_often(void (*handler)(int signal), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    for (volatile int i = 0; i < ROUNDS; i++)
        if (sigsetjmp(back, 1) == 0)
            raise(SIGUSR1);
}

static void
signal_on_own_stack(void)
{
    stack_t alternative = {.ss_sp = map_stack(16 * PAGE), .ss_size = 16 * PAGE};
    assert_int_equal(sigaltstack(&alternative, NULL), 0);
    raise_often(handle, SA_ONSTACK);
}

static void
jump_out_of_handler(void)
{
    raise_often(handle_and_jump, 0);
}

static __attribute__((noinline)) int
go_deeper(int depth)
{
    volatile char local[64];
    local[0] = (char)depth;
    if (depth > 0)
        sink = go_deeper(depth - 1);
    if (depth % 1000 == 0)
        odd_draw();
    return local[0];
}

static void
deep_stack(void)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_STACK, &limit), 0);
    go_deeper(3000);
    if (limit.rlim_cur != RLIM_INFINITY)
        go_deeper((int)((limit.rlim_cur - 65536) / 512));
}

static void *
draw_on_thread(void *arg)
{
    for (int i = 0; i < ROUNDS; i++)
        go_deeper(i % 4);
    return arg;
}

static void
small_thread(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN), 0);
    assert_int_equal(pthread_create(&thread, &attr, draw_on_thread, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static __attribute__((noinline)) void
overwritten_return_address(void)
{
    volatile uintptr_t *frame = __builtin_frame_address(0);
    const uintptr_t saved[2] = {frame[0], frame[1]};
    char *none = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const uintptr_t value[] = {place(none), 0x4141414141414141, 0x10, (uintptr_t)handle, 0};
    for (size_t i = 0; i < PP_ARRAY_SIZE(value); i++) {
        frame[0] = place(none);
        frame[1] = value[i];
        odd_draw();
    }
    frame[0] = saved[0];
    frame[1] = saved[1];
}

static void (*const kinds[])(void) = {
    coroutines_come_and_go,
    base_points_to_unreadable_page,
    coroutine_inside_of_stack,
    signal_on_own_stack,
    jump_out_of_handler,
    deep_stack,
    small_thread,
    overwritten_return_address,
};

static void
set_filter(const struct sock_filter *code, size_t len)
{
    const struct sock_fprog program = {.len = (unsigned short)len,
                                       .filter = (struct sock_filter *)(uintptr_t)code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(77);
}

/* A filter that kills at the system call that asks whether memory can be read. */
static void
forbid_questions(void)
{
    pp_sandbox_watch();
    odd_draw();
    const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, UINT32_MAX /* see probe() in walk.c */, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    set_filter(code, PP_ARRAY_SIZE(code));
}

/* Run a kind of code in a child process. */
static void
run(enum pp_call_graph method, bool sandbox, size_t kind)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (pp_stacks_create(method, &stacks))
            _exit(1);
        odd_draw();
        if (sandbox)
            forbid_questions();
        if (kind < PP_ARRAY_SIZE(functions))
            call_with_values(functions[kind].call);
        else
            kinds[kind - PP_ARRAY_SIZE(functions)]();
        odd_draw();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (status && !(WIFEXITED(status) && WEXITSTATUS(status) == 77))
        fail_msg("kind %zu (%s), method %d: status %#x", kind,
                 kind < PP_ARRAY_SIZE(functions) ? functions[kind].name : "see kinds[]", (int)method,
                 (unsigned)status);
}

static void
run_all(enum pp_call_graph method, bool sandbox)
{
    for (size_t kind = 0; kind < PP_ARRAY_SIZE(functions) + PP_ARRAY_SIZE(kinds); kind++)
        run(method, sandbox, kind);
}

static void
unwind_tables(void **state)
{
    (void)state;
    run_all(PP_CALL_GRAPH_UNWIND, false);
}

static void
frame_pointers(void **state)
{
    (void)state;
    run_all(PP_CALL_GRAPH_FP, false);
}

/* The kernel is not asked any more. */
static void
unwind_tables_after_a_filter(void **state)
{
    (void)state;
    run_all(PP_CALL_GRAPH_UNWIND, true);
}

/* A container refuses the system calls of debuggers, from the start: the stack is found all the same. */
static void
stacks_of_a_container(void **state)
{
    (void)state;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        const struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        set_filter(code, PP_ARRAY_SIZE(code));
        if (pp_stacks_create(PP_CALL_GRAPH_UNWIND, &stacks))
            _exit(1);
        odd_sound_expression(5);
        _exit(pp_stacks_get(stacks, (uint32_t)sink)->end == PP_WALK_COMPLETE ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77);
}

static uint32_t on_coroutine;

static void
draw_by_expression(void)
{
    odd_sound_expression(5);
    on_coroutine = (uint32_t)sink;
    swapcontext(&coroutine, &main_context);
}

/* An expression is followed to the first function, and the stack is remembered, also on a coroutine. */
static void
expressions_are_followed(void **state)
{
    (void)state;
    assert_int_equal(pp_stacks_create(PP_CALL_GRAPH_UNWIND, &stacks), 0);
    for (int i = 0; i < 10; i++)
        odd_sound_expression(5);
    assert_int_equal(pp_stacks_get(stacks, (uint32_t)sink)->end, PP_WALK_COMPLETE);
    assert_true(pp_stacks_get(stacks, (uint32_t)sink)->frames > 4);
    assert_int_equal(pp_stacks_counts(stacks).misses, 1);
    assert_int_equal(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = map_stack(16 * PAGE);
    coroutine.uc_stack.ss_size = 16 * PAGE;
    makecontext(&coroutine, draw_by_expression, 0);
    swapcontext(&main_context, &coroutine);
    assert_int_equal(pp_stacks_get(stacks, on_coroutine)->end, PP_WALK_COMPLETE);
    pp_stacks_destroy(stacks);
    stacks = NULL;
}

/* What a stack needs of the application's own stack: a coroutine of 4 kB suffices. */
static void
small_coroutines_suffice(void **state)
{
    (void)state;
    assert_int_equal(pp_stacks_create(PP_CALL_GRAPH_UNWIND, &stacks), 0);
    char *stack = map_stack(PAGE);
    for (int i = 0; i < 3; i++)
        start_coroutine(stack, PAGE);
    assert_int_equal(pp_stacks_get(stacks, (uint32_t)sink)->end, PP_WALK_COMPLETE);
    pp_stacks_destroy(stacks);
    stacks = NULL;
}

static void
need_register(void)
{
    odd_other_register(0);
}

/* The second walk, with all registers, begins on another stack, and never comes to the function whose frame
 * needs them: what the first walk has found is kept, with its reason. */
static void
half_a_walk_is_kept(void **state)
{
    static struct pp_walk_rules rules;
    static struct pp_walk walk;
    struct pp_walk_registers from = {.ip = 0};
    struct pp_walk_bounds bounds = {.low = 0};
    (void)state;
    noted = &from;
    assert_int_equal(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = map_stack(16 * PAGE);
    coroutine.uc_stack.ss_size = 16 * PAGE;
    makecontext(&coroutine, need_register, 0);
    swapcontext(&main_context, &coroutine);
    noted = NULL;
    pp_walk_tables(&rules, &bounds, &from, &walk);
    assert_int_equal(walk.frames, 1);
    assert_true(walk.ip[0] == from.ip);
    assert_int_equal(walk.end, PP_WALK_OTHER_RULE);
}

int
main(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    printf("skipped: sanitizers take unreadable pages in stacks, and return addresses that change, for "
           "faults\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unwind_tables),
        cmocka_unit_test(frame_pointers),
        cmocka_unit_test(unwind_tables_after_a_filter),
        cmocka_unit_test(stacks_of_a_container),
        cmocka_unit_test(expressions_are_followed),
        cmocka_unit_test(small_coroutines_suffice),
        cmocka_unit_test(half_a_walk_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int
main(void)
{
    return 77; /* no stacks on this processor */
}

#endif
