/** @file
 * Stacks are right, or end with a reason, whatever applications do: threads, coroutines, longjmp(), libraries
 * that are unloaded, code made at run time, small stacks, memory that looks like a stack, forks. */
#include "tests/lib/cmocka_test.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/unit/core/stack/stack_oracle.h"

#define THREADS 4
#define DRAWS   5000

static struct pp_stacks *stacks;
static _Thread_local volatile int sink; /* keeps calls from being tail calls */

static int
begin(void **state)
{
    void *address[4];
    (void)state;
    (void)backtrace(address, 4); /* loads libgcc the first time */
    return pp_stacks_create(PP_CALL_GRAPH_UNWIND, &stacks);
}

static int
end(void **state)
{
    (void)state;
    pp_stacks_destroy(stacks);
    stacks = NULL;
    return 0;
}

static __attribute__((noinline)) void
go_deeper(struct stack_oracle *oracle, int depth)
{
    if (depth > 0)
        go_deeper(oracle, depth - 1);
    else
        stack_oracle_look(oracle);
    sink++;
}

static void *
draw_on_thread(void *arg)
{
    struct stack_oracle *oracle = arg;
    oracle->stacks = stacks;
    for (int i = 0; i < DRAWS; i++)
        go_deeper(oracle, i % 7);
    return NULL;
}

static void
threads_have_right_stacks(void **state)
{
    (void)state;
    struct stack_oracle oracle[THREADS] = {{0}};
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, draw_on_thread, &oracle[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(oracle[i].wrong, 0);
        assert_int_equal(oracle[i].incomplete, 0);
        assert_int_equal(oracle[i].last, oracle[0].last); /* equal stacks of threads have one number */
    }
    struct pp_stack_counts counts = pp_stacks_counts(stacks); /* of threads that have ended */
    assert_int_equal(counts.hits + counts.misses, THREADS * DRAWS);
    /* a stack may be forgotten when another takes its place */
    assert_in_range(counts.misses, THREADS * 7, THREADS * 14);
    assert_int_equal(counts.checked, THREADS * ((DRAWS - 7) / PP_STACK_CHECK_EVERY));
    assert_int_equal(counts.wrong, 0);
}

static void
small_stacks_suffice(void **state)
{
    (void)state;
    struct stack_oracle oracle = {0};
    pthread_attr_t attr;
    pthread_t thread;
    /* backtrace() of the oracle needs more than the smallest stack, core does not */
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN + 65536), 0);
    assert_int_equal(pthread_create(&thread, &attr, draw_on_thread, &oracle), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(oracle.wrong, 0);
    pthread_attr_destroy(&attr);
}

static ucontext_t main_context, coroutine;
static struct stack_oracle on_coroutine;

static void
run_coroutine(void)
{
    for (;;) {
        go_deeper(&on_coroutine, 3);
        swapcontext(&coroutine, &main_context);
    }
}

static void
coroutines_end_at_their_first_function(void **state)
{
    (void)state;
    static char stack[65536];
    on_coroutine = (struct stack_oracle){.stacks = stacks};
    assert_int_equal(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = sizeof(stack);
    makecontext(&coroutine, run_coroutine, 0);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(swapcontext(&main_context, &coroutine), 0);
    assert_int_equal(on_coroutine.wrong, 0);
    assert_int_equal(on_coroutine.incomplete, 0);
    assert_true(on_coroutine.depth >= 6 && on_coroutine.depth < 10);
    assert_true(pp_stacks_counts(stacks).hits > 2900);
}

static jmp_buf back;

static __attribute__((noinline)) void
jump_out(struct stack_oracle *oracle, int depth)
{
    go_deeper(oracle, depth);
    longjmp(back, 1);
}

static void
jumps_do_not_confuse(void **state)
{
    (void)state;
    static struct stack_oracle oracle;
    static volatile int i;
    oracle = (struct stack_oracle){.stacks = stacks};
    for (i = 0; i < 200; i++) {
        if (setjmp(back) == 0)
            jump_out(&oracle, i % 5);
        go_deeper(&oracle, i % 3);
    }
    assert_int_equal(oracle.compared, 400);
    assert_int_equal(oracle.wrong, 0);
}

static uint32_t number;

static int
take_number(void)
{
    number = pp_stacks_here(stacks);
    return ++sink;
}

/* The caller of the function that took the stack. */
static const struct pp_stack_frame *
caller(void)
{
    const struct pp_stack *stack = pp_stacks_get(stacks, number);
    assert_non_null(stack);
    assert_true(stack->frames >= 2);
    return &stack->frame[1];
}

static void
call_plugin(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*call)(int (*function)(void)) = NULL;
    assert_non_null(library);
    void *symbol = dlsym(library, "pp_plugin_call");
    memcpy(&call, &symbol, sizeof(call));
    for (int i = 0; i < 3; i++)
        sink = call(take_number) & 0xff;
    assert_int_equal(dlclose(library), 0);
}

/* Which file a frame is in. */
static const char *
file_of(const struct pp_stack_frame *frame)
{
    assert_int_not_equal(frame->module, PP_NO_MODULE);
    return strrchr(pp_stacks_modules(stacks)->module[frame->module].path, '/') + 1;
}

/* Libraries are mostly mapped where one was unmapped, so the addresses are the same. */
static void
unloaded_libraries_are_told_apart(void **state)
{
    (void)state;
    uint32_t before = 0;
    for (int i = 0; i < 20; i++) {
        call_plugin(i % 2 ? PP_PLUGIN_B : PP_PLUGIN_A);
        assert_string_equal(file_of(caller()), strrchr(i % 2 ? PP_PLUGIN_B : PP_PLUGIN_A, '/') + 1);
        assert_int_not_equal(number, before);
        before = number;
        pp_stacks_look(stacks);
    }
    const struct pp_modules *modules = pp_stacks_modules(stacks);
    unsigned unloaded = 0, with_build_id = 0;
    for (uint32_t i = 0; i < modules->count; i++) {
        unloaded += modules->module[i].unloaded_ns != 0;
        with_build_id += modules->module[i].build_id_bytes == 20;
    }
    assert_true(unloaded >= 20);
    assert_true(with_build_id >= 20);
}

/* Copy a library so that its program headers say that its notes are in memory that it does not have. */
static void
write_without_notes(const char *from, int fd)
{
    static unsigned char bytes[1 << 17];
    ElfW(Ehdr) head;
    ElfW(Phdr) part;
    int in = open(from, O_RDONLY | O_CLOEXEC);
    ssize_t got = read(in, bytes, sizeof(bytes));
    close(in);
    assert_true(got > (ssize_t)sizeof(head) && got < (ssize_t)sizeof(bytes));
    memcpy(&head, bytes, sizeof(head));
    for (size_t i = 0; i < head.e_phnum; i++) {
        unsigned char *at = bytes + head.e_phoff + i * sizeof(part);
        memcpy(&part, at, sizeof(part));
        if (part.p_type == PT_NOTE)
            part.p_vaddr = (ElfW(Addr))1 << 28;
        memcpy(at, &part, sizeof(part));
    }
    assert_int_equal(write(fd, bytes, (size_t)got), got);
}

/* A tool that packs programs may leave such a header: the loader itself does not read these notes. */
static void
notes_are_read_only_where_the_object_has_memory(void **state)
{
    (void)state;
    char path[] = "/tmp/passprobe-notes-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    write_without_notes(PP_PLUGIN_A, fd);
    close(fd);
    call_plugin(path);
    assert_string_equal(file_of(caller()), strrchr(path, '/') + 1);
    assert_int_equal(pp_stacks_modules(stacks)->module[caller()->module].build_id_bytes, 0);
    unlink(path);
}

#ifdef __x86_64__
/* A library without unwind tables is left by its frame pointers, to where the thread began. */
static void
objects_without_tables_have_frame_pointers(void **state)
{
    (void)state;
    call_plugin(PP_PLUGIN_BROWSER);
    const struct pp_stack *stack = pp_stacks_get(stacks, number);
    assert_string_equal(file_of(caller()), strrchr(PP_PLUGIN_BROWSER, '/') + 1);
    assert_int_equal(stack->end, PP_WALK_COMPLETE);
    assert_true(stack->frames > 4);
    assert_true(pp_stacks_counts(stacks).hits > 0);
}

/* A function that calls its argument: push rbp; mov rbp, rsp; call rdi; pop rbp; ret. */
static const unsigned char made_code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};

static void
code_made_at_run_time_ends_a_stack(void **state)
{
    (void)state;
    int (*call)(int (*function)(void)) = NULL;
    void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) {
        printf("skipped: the kernel refuses memory that is writable and executable\n");
        skip();
    }
    memcpy(code, made_code, sizeof(made_code));
    memcpy(&call, &code, sizeof(call));
    for (int i = 0; i < 3000; i++)
        sink = call(take_number) & 0xff;
    const struct pp_stack *stack = pp_stacks_get(stacks, number);
    assert_non_null(stack);
    assert_int_equal(stack->end, PP_WALK_NO_CODE);
    assert_int_equal(stack->frames, 2);
    assert_int_equal(caller()->module, PP_NO_MODULE);
    assert_int_equal(caller()->offset, (uintptr_t)code + 5); /* the call, less one */
    assert_int_equal(pp_stacks_counts(stacks).wrong, 0);
    munmap(code, 4096);
}

/* Map the head of a Windows image from a file, and its code into the page after it, as Wine does. @param
 * image_bytes What the head says of its size. @return Its code. */
static unsigned char *
map_image(const char *path, uint32_t image_bytes)
{
    const uint32_t new_head = 0x80;
    unsigned char head[4096] = {'M', 'Z'};
    memcpy(head + 0x3c, &new_head, sizeof(new_head));
    memcpy(head + new_head, "PE\0", 4);
    memcpy(head + new_head + 80, &image_bytes, sizeof(image_bytes));
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, head, sizeof(head)), sizeof(head));
    unsigned char *image = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(image != MAP_FAILED);
    assert_true(mmap(image, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == image);
    close(fd);
    if (mprotect(image + 4096, 4096, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        printf("skipped: the kernel refuses memory that is writable and executable\n");
        skip();
    }
    memcpy(image + 4096, made_code, sizeof(made_code));
    return image + 4096;
}

/* Call code in an image of this size. @return The frame of its call. */
static struct pp_stack_frame
call_in_image(const char *path, uint32_t image_bytes)
{
    int (*call)(int (*function)(void)) = NULL;
    unsigned char *code = map_image(path, image_bytes);
    memcpy(&call, &code, sizeof(call));
    for (int i = 0; i < 3; i++)
        sink = call(take_number) & 0xff;
    assert_int_equal(pp_stacks_get(stacks, number)->end, PP_WALK_NO_CODE);
    struct pp_stack_frame frame = *caller();
    unlink(path); /* the image stays mapped, so that the next one has another address */
    return frame;
}

/* Only in a process that has Wine's ntdll.so, and only inside the image. */
static void
windows_images_of_wine_have_modules(void **state)
{
    (void)state;
    char path[] = "/tmp/passprobe-image-XXXXXX/game of test.exe";
    char *slash = strrchr(path, '/');
    *slash = '\0';
    assert_non_null(mkdtemp(path));
    *slash = '/';
    assert_int_equal(call_in_image(path, 0x3000).module, PP_NO_MODULE);
    void *wine = dlopen(PP_PLUGIN_NTDLL, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(wine);
    const struct pp_stack_frame inside = call_in_image(path, 0x3000);
    assert_string_equal(file_of(&inside), "game of test.exe");
    assert_int_equal(inside.offset, 4096 + 5); /* an RVA: the call, less one */
    pp_stacks_look(stacks);
    assert_int_equal(pp_stacks_modules(stacks)->module[inside.module].unloaded_ns, 0);
    assert_int_equal(call_in_image(path, 4096).module, PP_NO_MODULE); /* the code is after the image */
    dlclose(wine);
    *slash = '\0';
    rmdir(path);
}
#endif

#define SHIFT 512U
#define LOCAL 64U

/* Two stacks that only a base pointer distinguishes: both have the same stack pointer where they are looked
 * at. Where the first has the frames of look_from() and first_caller(), the second has local memory with a
 * copy of them. */
static struct {
    struct stack_oracle oracle;
    unsigned char copy[LOCAL + SHIFT];
    unsigned char *memory;
    bool same_place;
} deception;

static __attribute__((noinline, no_sanitize_address)) void
look_from(bool is_first)
{
    size_t bytes = is_first ? LOCAL : LOCAL + SHIFT;
    unsigned char *memory = __builtin_alloca(bytes);
    if (is_first)
        for (size_t i = 0; i < sizeof(deception.copy); i++)
            deception.copy[i] = ((volatile unsigned char *)memory)[i];
    else
        for (size_t i = 0; i < sizeof(deception.copy); i++)
            ((volatile unsigned char *)memory)[i] = deception.copy[i];
    deception.same_place = memory == deception.memory;
    deception.memory = memory;
    stack_oracle_look(&deception.oracle);
    sink++;
}

static __attribute__((noinline)) void
first_caller(void)
{
    look_from(true);
    sink++;
}

static __attribute__((noinline)) void
second_caller(void)
{
    look_from(false);
    sink += 2;
}

static __attribute__((noinline)) void
call_below(size_t shift, void (*function)(void))
{
    volatile unsigned char *memory = __builtin_alloca(shift);
    memory[0] = 1;
    function();
    sink += memory[0];
}

static void
memory_that_looks_like_a_stack_does_not_deceive(void **state)
{
    (void)state;
    deception.oracle.stacks = stacks;
    /* volatile: one call for both, because its return address is on the stack, too */
    static void (*volatile const function[])(void) = {first_caller, second_caller};
    static const volatile size_t shift[] = {16 + SHIFT, 16};
    for (int i = 0; i < 4; i++)
        call_below(shift[i % 2], function[i % 2]);
    assert_true(deception.same_place);
    assert_int_equal(deception.oracle.compared, 4);
    assert_int_equal(deception.oracle.wrong, 0);
}

static void
deep_stacks_are_cut(void **state)
{
    (void)state;
    struct stack_oracle oracle = {.stacks = stacks};
    for (int i = 0; i < 3; i++)
        go_deeper(&oracle, 500);
    const struct pp_stack *stack = pp_stacks_get(stacks, oracle.last);
    assert_int_equal(oracle.wrong, 0);
    assert_int_equal(stack->end, PP_WALK_DEPTH);
    assert_int_equal(stack->frames, PP_STACK_FRAMES);
    assert_int_equal(pp_stacks_counts(stacks).hits, 2);
}

static volatile uint32_t in_handler = 99;

static void
handle(int signal)
{
    (void)signal;
    in_handler = pp_stacks_here(stacks);
}

static void
signal_handlers_have_stacks(void **state)
{
    (void)state;
#ifdef __SANITIZE_THREAD__
    printf("skipped: ThreadSanitizer reports memory from malloc() in signal handlers\n");
    skip();
#endif
    struct sigaction action = {.sa_handler = handle}, before;
    assert_int_equal(sigaction(SIGUSR1, &action, &before), 0);
    (void)pp_stacks_here(stacks);
    raise(SIGUSR1);
    sigaction(SIGUSR1, &before, NULL);
    const struct pp_stack *stack = pp_stacks_get(stacks, in_handler);
    assert_non_null(stack);
    /* a signal's frame is followed */
    assert_true(stack->frames > 4);
    assert_int_equal(stack->end, PP_WALK_COMPLETE);
}

static void
forked_processes_have_stacks(void **state)
{
    (void)state;
    int status = 0;
    struct stack_oracle oracle = {.stacks = stacks};
    go_deeper(&oracle, 3);
    pid_t child = fork();
    if (child == 0) {
        go_deeper(&oracle, 3);
        go_deeper(&oracle, 4);
        _exit(oracle.wrong != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static atomic_bool storm_ends;

static void *
load_and_unload(void *arg)
{
    (void)arg;
    while (!atomic_load(&storm_ends)) {
        void *library = dlopen(PP_PLUGIN_A, RTLD_NOW | RTLD_LOCAL);
        if (library)
            dlclose(library);
    }
    return NULL;
}

static void
libraries_come_and_go_meanwhile(void **state)
{
    (void)state;
    struct stack_oracle oracle = {.stacks = stacks};
    pthread_t thread;
    atomic_store(&storm_ends, false);
    assert_int_equal(pthread_create(&thread, NULL, load_and_unload, NULL), 0);
    for (int i = 0; i < 20000; i++) {
        if (i % 64 == 0)
            pp_stacks_look(stacks);
        go_deeper(&oracle, i % 13);
    }
    atomic_store(&storm_ends, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(oracle.wrong, 0);
    assert_int_equal(pp_stacks_counts(stacks).wrong, 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_have_right_stacks, begin, end),
        cmocka_unit_test_setup_teardown(small_stacks_suffice, begin, end),
        cmocka_unit_test_setup_teardown(coroutines_end_at_their_first_function, begin, end),
        cmocka_unit_test_setup_teardown(jumps_do_not_confuse, begin, end),
        cmocka_unit_test_setup_teardown(unloaded_libraries_are_told_apart, begin, end),
        cmocka_unit_test_setup_teardown(notes_are_read_only_where_the_object_has_memory, begin, end),
#ifdef __x86_64__
        cmocka_unit_test_setup_teardown(objects_without_tables_have_frame_pointers, begin, end),
        cmocka_unit_test_setup_teardown(code_made_at_run_time_ends_a_stack, begin, end),
        cmocka_unit_test_setup_teardown(windows_images_of_wine_have_modules, begin, end),
#endif
        cmocka_unit_test_setup_teardown(memory_that_looks_like_a_stack_does_not_deceive, begin, end),
        cmocka_unit_test_setup_teardown(deep_stacks_are_cut, begin, end),
        cmocka_unit_test_setup_teardown(signal_handlers_have_stacks, begin, end),
        cmocka_unit_test_setup_teardown(forked_processes_have_stacks, begin, end),
        cmocka_unit_test_setup_teardown(libraries_come_and_go_meanwhile, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
