/** @file
 * Counts what this library allocates. Linked into the core, the shim and the layer with the linker's option
 * --wrap, which sends their calls of malloc() and the like here: see pp_counted_heap in core/CMakeLists.txt.
 * A function of the C library that returns a block which the caller frees must be wrapped, too. A block of
 * another library, such as a reply of libxcb, must be freed by that library: free() here would subtract it.
 */
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util/compiler.h"
#include "core/util/heap.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_reallocarray(void *block, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t size);
char *__real_realpath(const char *path, char *buffer);
char *__real___realpath_chk(const char *path, char *buffer, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_reallocarray(void *block, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t size);
int __wrap_asprintf(char **ret, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
char *__wrap_realpath(const char *path, char *buffer);
char *__wrap___realpath_chk(const char *path, char *buffer, size_t size);
void __wrap_free(void *block);

/* The object that defines a function. @return NULL: not known; an executable may have a stub of a function
 * whose address it takes. */
static const void *
find_object(uintptr_t function)
{
    Dl_info info;
    const ElfW(Sym) *symbol = NULL;
    /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
    if (!dladdr1((const void *)function, &info, (void **)(void *)&symbol, RTLD_DL_SYMENT) || !symbol ||
        symbol->st_shndx == SHN_UNDEF)
        return NULL;
    return info.dli_fbase;
}

enum { UNKNOWN, NO, YES };

/* Does a function belong to the allocator that malloc() belongs to? An application may have an allocator of
 * its own without it. @param state Of the function; threads that come here at the same time find the same. */
static bool
is_of_allocator(uintptr_t function, atomic_int *state)
{
    int now = atomic_load_explicit(state, memory_order_relaxed);
    if (PP_UNLIKELY(now == UNKNOWN)) {
        const void *given = find_object((uintptr_t)__real_malloc), *other = find_object(function);
        now = given && other && given != other ? NO : YES;
        atomic_store_explicit(state, now, memory_order_relaxed);
    }
    return now == YES;
}

/* May malloc_usable_size() be asked? The C library's would take what is in front of another allocator's block
 * for a head of its own. */
static bool
may_ask(void)
{
    static atomic_int state;
    return is_of_allocator((uintptr_t)malloc_usable_size, &state);
}

/* Bytes of a block; 0: none, or not known. */
static size_t
size_of(void *block)
{
    return block && may_ask() ? malloc_usable_size(block) : 0;
}

static void *
add(void *block)
{
    atomic_fetch_add_explicit(&pp_heap_own, size_of(block), memory_order_relaxed);
    return block;
}

/* Note that a block has become another one. @param before Bytes of the old one; 0: there was none. */
static void *
exchange(size_t before, void *block)
{
    if (block)
        atomic_fetch_add_explicit(&pp_heap_own, size_of(block) - before, memory_order_relaxed);
    return block;
}

void *
__wrap_malloc(size_t size)
{
    return add(__real_malloc(size));
}

void *
__wrap_calloc(size_t count, size_t size)
{
    return add(__real_calloc(count, size));
}

void *
__wrap_realloc(void *block, size_t size)
{
    size_t before = size_of(block);
    return exchange(before, __real_realloc(block, size));
}

void *
__wrap_reallocarray(void *block, size_t count, size_t size)
{
    size_t before = size_of(block);
    return exchange(before, __real_reallocarray(block, count, size));
}

/* The application's free() could not free a block of the C library's aligned_alloc(). Without lines of the
 * cache of its own a block is only slower. */
void *
__wrap_aligned_alloc(size_t alignment, size_t size)
{
    static atomic_int state;
    if (!is_of_allocator((uintptr_t)__real_aligned_alloc, &state))
        return add(__real_malloc(size));
    return add(__real_aligned_alloc(alignment, size));
}

char *
__wrap_strdup(const char *text)
{
    return add(__real_strdup(text));
}

char *
__wrap_strndup(const char *text, size_t size)
{
    return add(__real_strndup(text, size));
}

char *
__wrap_realpath(const char *path, char *buffer)
{
    char *real = __real_realpath(path, buffer);
    return buffer ? real : add(real);
}

char *
__wrap___realpath_chk(const char *path, char *buffer, size_t size)
{
    char *real = __real___realpath_chk(path, buffer, size);
    return buffer ? real : add(real);
}

int
__wrap_asprintf(char **ret, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vasprintf(ret, format, args);
    va_end(args);
    if (length >= 0)
        add(*ret);
    return length;
}

/* What asprintf() is with _FORTIFY_SOURCE. */
int
__wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
{
    va_list args;
    (void)flag;
    va_start(args, format);
    int length = vasprintf(ret, format, args);
    va_end(args);
    if (length >= 0)
        add(*ret);
    return length;
}

void
__wrap_free(void *block)
{
    atomic_fetch_sub_explicit(&pp_heap_own, size_of(block), memory_order_relaxed);
    __real_free(block);
}
