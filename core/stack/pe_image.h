/** @file
 * Windows executables and libraries that Wine mapped: the loader does not know them. See also modules.h. */
#ifndef PP_CORE_STACK_PE_IMAGE_H
#define PP_CORE_STACK_PE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

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
