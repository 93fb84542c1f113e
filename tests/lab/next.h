/** @file
 * How a function that the library replaces finds the C library's. Only files that replace functions include
 * this. */
#ifndef LAB_NEXT_H
#define LAB_NEXT_H

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#define LAB_PUBLIC __attribute__((visibility("default")))

/** Declare `next`: the next function of this name. dlsym() gives void *, which ISO C does not turn
 * into a function; so memcpy does. */
#define LAB_NEXT(function)                                                                                   \
    static void *_Atomic known_;                                                                             \
    __typeof__(&function) next;                                                                              \
    void *found_ = atomic_load(&known_);                                                                     \
    if (!found_)                                                                                             \
        atomic_store(&known_, found_ = dlsym(RTLD_NEXT, #function));                                         \
    memcpy(&next, &found_, sizeof(next));

#endif
