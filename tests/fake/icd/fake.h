/** @file
 * A Vulkan driver without a GPU, for tests of the layer. It records the commands that reach it, executes
 * queries as the specification says, and reports, in lines that begin with "fake: VIOLATION", what no
 * application may do. README.md lists the words of the variable FAKE_VK, which change its behaviour. */
#ifndef PP_TESTS_FAKE_ICD_FAKE_H
#define PP_TESTS_FAKE_ICD_FAKE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vk_icd.h>
#include <vulkan/vulkan.h>

#include "fake_stubs.h" /* prototypes of what is written by hand; generated */

#define FAKE_FAMILIES 4U
#define FAKE_QUEUES   3U /**< two, and in the first family a protected one */

/** Settings of FAKE_VK. */
struct fake_config {
    uint32_t bits, families, delay, lag, behind, lost, oom, ooms;
    uint32_t allocations;
    uint64_t largest, start;
    bool nostats, refuse, protects, sparse, single, totals, held, reuse, android, strict;
};

/** State of one query. */
enum fake_query_state { FAKE_UNDEFINED, FAKE_RESET, FAKE_ACTIVE, FAKE_AVAILABLE };

struct fake_pool {
    VkQueryType type;
    uint32_t count, values; /**< values a query */
    uint32_t statistics;
    uint32_t pending; /**< pending executions that use it */
    struct {
        enum fake_query_state state;
        uint64_t value[12];
    } query[];
};

struct fake_buffer {
    uint8_t *memory; /**< bound, at the buffer's offset */
    uint64_t size;
};

enum fake_op_kind {
    FAKE_OP_RESET,
    FAKE_OP_TIME,
    FAKE_OP_BEGIN,
    FAKE_OP_END,
    FAKE_OP_COPY,
    FAKE_OP_DRAW,
    FAKE_OP_DISPATCH,
    FAKE_OP_EXECUTE,
    FAKE_OP_PASS,
    FAKE_OP_PASS_END,
    FAKE_OP_MOVE,   /**< from one buffer to another */
    FAKE_OP_UPDATE, /**< from the command */
    FAKE_OP_OTHER,  /**< an action or synchronization command, which may not be in a suspended pass */
};

#define FAKE_OPS (FAKE_OP_OTHER + 1U)

struct fake_op {
    uint8_t kind;
    uint32_t first, count;
    struct fake_pool *pool;
    struct fake_buffer *buffer;
    uint64_t offset, stride;
    uint32_t flags;
    struct fake_commands *secondary;
    struct fake_buffer *to; /**< of a move or update */
    uint64_t to_offset;
    uint8_t data[16]; /**< of an update: its first bytes */
};

struct fake_commands {
    VK_LOADER_DATA loader;
    struct fake_commands_pool *pool;
    struct fake_commands *next;
    bool secondary, in_pass, simultaneous, recording;
    uint32_t pending;
    struct fake_op *op;
    uint32_t ops, cap;
};

struct fake_commands_pool {
    uint32_t family;
    bool is_protected;
    struct fake_commands *list;
};

struct fake_fence {
    bool signalled;
};

/** A pending submission. */
struct fake_work {
    struct fake_work *next;
    struct fake_commands **commands;
    uint32_t count;
    struct fake_fence *fence;
};

struct fake_queue {
    VK_LOADER_DATA loader;
    uint32_t family;
    bool is_protected;
    struct fake_work *first, *last;
    uint32_t length;
};

struct fake_device {
    VK_LOADER_DATA loader;
    struct fake_queue queue[FAKE_FAMILIES][FAKE_QUEUES];
    uint64_t ticks;
    uint32_t submissions;
    uint32_t buffers, ran[FAKE_OPS]; /**< completed command buffers, and commands by kind */
    _Atomic(uint32_t) states;        /**< commands that were recorded and set states */
    uint32_t late[3]; /**< submissions since the device was lost, buffers in them, commands recorded since */
    _Atomic(bool) lost;
    bool statistics;
};

extern struct fake_config fake_config;
extern struct fake_device *fake_the_device; /**< one at a time is enough */
extern pthread_mutex_t fake_lock;           /**< guards queues and their submissions */

/** Complain. */
__attribute__((format(printf, 1, 2))) void fake_violation(const char *format, ...);

/** Print how much exists, if FAKE_VK has "held". */
void fake_print_held(void);

/** Count a command pool that is made (1) or destroyed (-1). */
void fake_count_pool(int more);

/** A handle that no other object has. */
uint64_t fake_handle(void);

/** That object is destroyed. 0 is fine. */
void fake_handle_free(uint64_t handle);

/** Find a command by name; NULL if unknown. Generated. */
PFN_vkVoidFunction fake_find(const char *name);

/** Find a command by name for a device of version 1.@p minor with these extensions. @p enabled lists them,
 * each with a space in front. NULL if the command is unknown or is not a device's. Generated. */
PFN_vkVoidFunction fake_find_enabled(const char *name, uint32_t minor, const char *enabled);

/** Is an extension of @p length letters in such a list? */
bool fake_is_enabled(const char *enabled, const char *name, size_t length);

/** Device extensions of the registry; NULL after the last. Generated. */
extern const char *const fake_extensions[];

/** Execute a queue's submissions up to and including the one with @p fence; NULL: all. Under the lock. */
void fake_complete(struct fake_queue *queue, const struct fake_fence *fence);

/** Execute the submissions of all queues. Under the lock. */
void fake_complete_all(const struct fake_fence *fence);

#endif
