/** @file
 * An application with an allocator of its own, as engines have one: every function that libraries need, but
 * not malloc_usable_size(). In front of each block is a pointer, where the C library's allocator has a size.
 * It presents frames; the allocator stops the process at a block that is not its own. Exit status 77: no EGL.
 */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Libraries find these functions in the executable before those of the C library. */
#pragma GCC visibility push(default)

#define POOL_BYTES ((size_t)2 << 30)

struct head {
    size_t size;
    char *pool;
};

static _Atomic(char *) pool;
static atomic_size_t used;

static char *
find_pool(void)
{
    char *known = atomic_load(&pool);
    if (known)
        return known;
    char *made =
        mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED)
        abort();
    if (atomic_compare_exchange_strong(&pool, &known, made))
        return made;
    munmap(made, POOL_BYTES);
    return known;
}

/* Blocks are never used again. */
static void *
take(size_t align, size_t size)
{
    const size_t least = sizeof(struct head);
    char *from = find_pool();
    align = align < least ? least : align;
    size_t bytes = size + align + 2 * least;
    size_t at = atomic_fetch_add(&used, (bytes + least - 1) & ~(least - 1)) + least;
    if (at + bytes > POOL_BYTES)
        return NULL;
    char *block = from + ((at + align - 1) & ~(align - 1));
    struct head *head = (struct head *)(void *)block - 1;
    *head = (struct head){size, from};
    return block;
}

static struct head *
head_of(void *block)
{
    struct head *head = (struct head *)block - 1;
    if (head->pool != atomic_load(&pool))
        abort();
    return head;
}

void *
malloc(size_t size)
{
    return take(sizeof(struct head), size);
}

void
free(void *block)
{
    if (block)
        (void)head_of(block);
}

void *
calloc(size_t count, size_t size)
{
    return take(sizeof(struct head), count * size); /* fresh memory is 0 */
}

void *
realloc(void *old, size_t size)
{
    void *block = malloc(size);
    size_t before = old ? head_of(old)->size : 0;
    if (block && old)
        memcpy(block, old, before < size ? before : size);
    return block;
}

void *
memalign(size_t align, size_t size)
{
    return take(align, size);
}

int
posix_memalign(void **ret, size_t align, size_t size)
{
    *ret = take(align, size);
    return *ret ? 0 : ENOMEM;
}
