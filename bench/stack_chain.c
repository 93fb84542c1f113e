/** @file
 * A chain of functions; see stack_chain.h. */
#include "bench/stack_chain.h"

#include "counters/util/array_size.h"

static volatile int sink; /* keeps calls from being tail calls */
static void (*last)(void);

static void go_down(int frames);

#define LINK(number, bytes)                                                                                  \
    static __attribute__((noinline)) void link_##number(int frames)                                          \
    {                                                                                                        \
        volatile char local[bytes];                                                                          \
        local[0] = 0;                                                                                        \
        go_down(frames);                                                                                     \
        sink += local[0];                                                                                    \
    }

LINK(0, 8)
LINK(1, 24)
LINK(2, 40)
LINK(3, 56)
LINK(4, 72)
LINK(5, 88)
LINK(6, 104)
LINK(7, 120)
LINK(8, 8)
LINK(9, 24)
LINK(10, 40)
LINK(11, 56)
LINK(12, 72)
LINK(13, 88)
LINK(14, 104)
LINK(15, 120)

static void (*const links[])(int frames) = {
    link_0, link_1, link_2,  link_3,  link_4,  link_5,  link_6,  link_7,
    link_8, link_9, link_10, link_11, link_12, link_13, link_14, link_15,
};

/* Two frames for each step: this function and a link. */
static __attribute__((noinline)) void
go_down(int frames)
{
    if (frames <= 0)
        last();
    else
        links[frames / 2 % (int)PP_ARRAY_SIZE(links)](frames - 2);
    sink++;
}

void
stack_chain_call(int frames, void (*function)(void))
{
    last = function;
    go_down(frames);
}
