/** @file
 * Where the functions of an executable without symbols begin: from .eh_frame_hdr, the sorted index of its
 * unwind table. Reads hostile files: only for child processes. */
#ifndef PP_CLI_SYMBOLS_FUNCTION_START_H
#define PP_CLI_SYMBOLS_FUNCTION_START_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

/** Where the function of an address begins. @param offset File-relative. @return File-relative; 0: the unwind
 * table does not have the address. */
uint64_t pp_function_start(Dwfl_Module *module, uint64_t offset);

/** The last address in an index that is not above another one. @param index The bytes of .eh_frame_hdr.
 * @param at Address of its first byte. @return 0: none; or the index has another form than linkers write. */
uint64_t pp_function_start_find(const unsigned char *index, size_t len, uint64_t at, uint64_t wanted);

#endif
