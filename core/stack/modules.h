/** @file
 * The loaded objects (executable and libraries) in which frames of stacks are. An object that is unloaded
 * keeps its entry, and one that is loaded again at another place has another entry. Reads no file: paths
 * come from the loader, build ids from memory. Windows executables and libraries, which Wine mapped, are the
 * exception: the loader does not know them. */
#ifndef PP_CORE_STACK_MODULES_H
#define PP_CORE_STACK_MODULES_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define PP_BUILD_ID_BYTES 32U

/** Number of no module. */
#define PP_NO_MODULE UINT32_MAX

/** One object. Immutable, except for unloaded_ns. */
struct pp_module {
    char *path; /**< absolute where the loader has it so; "[vdso]" */
    uint8_t build_id[PP_BUILD_ID_BYTES];
    uint32_t build_id_bytes; /**< 0: none */
    uintptr_t load_bias;
    uintptr_t start;
    uintptr_t end;
    const void *identity; /**< the loader's record of the object; NULL: a Windows image, which Wine mapped */
    uint64_t loaded_ns;   /**< CLOCK_MONOTONIC when passprobe first met the object */
    uint64_t unloaded_ns; /**< when passprobe noticed that it was unloaded; 0: it is loaded */
    bool is_own;          /**< part of passprobe, or a library that only forwards calls to it */
};

/** All objects. Zero the struct first. */
struct pp_modules {
    /* atomic */
    _Atomic uint64_t epoch; /**< grows when an object was loaded or unloaded */
    atomic_uint changes;    /**< grows when an entry is new or changed */
    /* immutable after init */
    char executable[PATH_MAX];
    /* guarded by lock */
    pthread_mutex_t lock;
    struct pp_module *module;
    uint32_t count;
    uint32_t cap;
};

/** Prepare. Reads the path of the executable. @retval 0, -errno. */
__attribute__((warn_unused_result)) int pp_modules_init(struct pp_modules *modules);

/** Free all entries. A zeroed struct is fine. */
void pp_modules_finish(struct pp_modules *modules);

/** Ask the loader whether objects were loaded or unloaded, and raise the epoch if so. Takes the loader's
 * short lock. Any thread. */
void pp_modules_look(struct pp_modules *modules);

/**
 * Find the object that contains an address, and add it if it is new.
 *
 * @param ret_bias   Its load bias.
 * @param ret_is_own Is it part of passprobe?
 * @return Its number; PP_NO_MODULE: no object contains the address, or there is no memory. Any thread.
 */
uint32_t pp_modules_find(struct pp_modules *modules, uintptr_t address, uintptr_t *ret_bias,
                         bool *ret_is_own);

/**
 * Find the Windows image under Wine that contains an address in no object of the loader, and add it if it is
 * new. Its load bias is its first address, so offsets are RVAs. Opens a file of /proc: only for stacks that
 * are new. Any thread.
 *
 * @return Its number; PP_NO_MODULE: there is none.
 */
uint32_t pp_modules_find_image(struct pp_modules *modules, uintptr_t address, uintptr_t *ret_bias);

/** A mapped image. */
struct pp_pe_image {
    uintptr_t start, end;
    char *path; /**< of the file; owned by the caller */
};

/**
 * Find the image that contains an address. Reads /proc/self/maps and the head of the image, in processes of
 * Wine only, and never under a seccomp filter. Any thread.
 *
 * @param ret Unchanged if there is none.
 * @return false: there is none, or it cannot be known.
 */
bool pp_pe_image_find(uintptr_t address, struct pp_pe_image *ret);

#endif
