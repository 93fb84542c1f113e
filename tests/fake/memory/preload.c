/** @file
 * A library to preload: allocations of passprobe's libraries fail where the test says; those of the
 * application, the loader and the driver never fail. The caller's address shows who allocates.
 * FAKE_MEMORY_FAIL=N: the N-th allocation fails, counted from 1; N-: all from the N-th on.
 * FAKE_MEMORY_COUNT=FILE: the number of allocations is appended to FILE, as a line, when the process exits.
 * FAKE_MEMORY_BYTES=FILE: likewise the most bytes that passprobe's libraries held at once. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

#define EXPORT __attribute__((visibility("default")))

static _Atomic(uint64_t) counted;
static _Atomic(uint64_t) first;
static _Atomic(bool) all;
static _Atomic(uint64_t) held;
static _Atomic(uint64_t) most_held;

static int
look(struct dl_phdr_info *info, size_t size, void *user)
{
    uintptr_t address = *(const uintptr_t *)user;
    const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || address < from ||
            address >= from + info->dlpi_phdr[i].p_memsz)
            continue;
        return strncmp(name, "libVkLayer_passprobe", 20) == 0 || strncmp(name, "libpassprobe-", 13) == 0 ? 1
                                                                                                         : 2;
    }
    return 0;
}

/** Addresses that were looked up: pages of code, and whose they are. */
static _Atomic(uintptr_t) seen[1U << 16];

static bool
is_ours(const void *caller)
{
    uintptr_t address = (uintptr_t)caller, page = address >> 12;
    _Atomic(uintptr_t) *slot = &seen[page % (sizeof(seen) / sizeof(seen[0]))];
    uintptr_t known = atomic_load(slot);
    if (known >> 2 != page) {
        static __thread bool inside __attribute__((tls_model("initial-exec")));
        if (inside)
            return false;
        inside = true;
        int is = dl_iterate_phdr(look, &address);
        inside = false;
        known = page << 2 | (uintptr_t)(is == 1);
        atomic_store(slot, known);
    }
    return known & 1;
}

/** Does this allocation fail? */
static bool
fails(const void *caller)
{
    uint64_t begin = atomic_load_explicit(&first, memory_order_relaxed);
    if (!is_ours(caller))
        return false;
    uint64_t number = atomic_fetch_add(&counted, 1) + 1;
    bool failed = begin > 0 && (number == begin || (number > begin && atomic_load(&all)));
    if (failed)
        errno = ENOMEM;
    return failed;
}

/** An allocator has this function, too: passprobe asks no other allocator's. */
EXPORT size_t
malloc_usable_size(void *block)
{
    static _Atomic(uintptr_t) next;
    if (atomic_load(&next) == 0)
        atomic_store(&next, (uintptr_t)dlsym(RTLD_NEXT, "malloc_usable_size"));
    return ((size_t(*)(void *))atomic_load(&next))(block);
}

/** Count a block that @p caller has got. */
static void *
add(void *block, const void *caller)
{
    if (!block || !is_ours(caller))
        return block;
    uint64_t bytes = malloc_usable_size(block), now = bytes + atomic_fetch_add(&held, bytes);
    uint64_t before = atomic_load(&most_held);
    while ((int64_t)now > (int64_t)before && !atomic_compare_exchange_weak(&most_held, &before, now))
        ;
    return block;
}

/** The block of @p caller does not count any more. */
static void
subtract(void *block, const void *caller)
{
    if (block && is_ours(caller))
        atomic_fetch_sub(&held, malloc_usable_size(block));
}

EXPORT void *
malloc(size_t size)
{
    const void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : add(__libc_malloc(size), caller);
}

EXPORT void *
calloc(size_t count, size_t size)
{
    const void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : add(__libc_calloc(count, size), caller);
}

EXPORT void *
realloc(void *old, size_t size)
{
    const void *caller = __builtin_return_address(0);
    if (fails(caller))
        return NULL;
    subtract(old, caller);
    return add(__libc_realloc(old, size), caller);
}

EXPORT void *
aligned_alloc(size_t alignment, size_t size)
{
    const void *caller = __builtin_return_address(0);
    return fails(caller) ? NULL : add(__libc_memalign(alignment, size), caller);
}

EXPORT void
free(void *block)
{
    subtract(block, __builtin_return_address(0));
    __libc_free(block);
}

EXPORT int
posix_memalign(void **ret_memory, size_t alignment, size_t size)
{
    void *memory = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
    if (!memory)
        return ENOMEM;
    *ret_memory = memory;
    return 0;
}

EXPORT char *
strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    const void *caller = __builtin_return_address(0);
    char *copy = fails(caller) ? NULL : add(__libc_malloc(size), caller);
    return !copy ? NULL : memcpy(copy, text, size);
}

EXPORT int
pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *user)
{
    static _Atomic(uintptr_t) next;
    if (fails(__builtin_return_address(0)))
        return EAGAIN;
    if (atomic_load(&next) == 0)
        atomic_store(&next, (uintptr_t)dlsym(RTLD_NEXT, "pthread_create"));
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))atomic_load(&next);
    return real(thread, attr, run, user);
}

__attribute__((constructor)) static void
open_preload(void)
{
    const char *text = getenv("FAKE_MEMORY_FAIL");
    if (!text)
        return;
    atomic_store(&all, text[0] != '\0' && text[strlen(text) - 1] == '-');
    atomic_store(&first, strtoull(text, NULL, 10));
}

/** Append a number to the file that a variable names. */
static void
append(const char *variable, uint64_t number)
{
    const char *name = getenv(variable);
    char line[32];
    int fd = name ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (fd < 0)
        return;
    int size = snprintf(line, sizeof(line), "%llu\n", (unsigned long long)number);
    if (write(fd, line, (size_t)size) != size)
        _exit(3);
    close(fd);
}

__attribute__((destructor)) static void
close_preload(void)
{
    append("FAKE_MEMORY_COUNT", atomic_load(&counted));
    append("FAKE_MEMORY_BYTES", atomic_load(&most_held));
}
