/** @file
 * See function_start.h. Source: Linux Standard Base Core 5.0, section 10.6.2 "The .eh_frame_hdr section". */
#include "cli/symbols/function_start.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdlib.h>

#define HEAD_BYTES  12U /* version, three encodings, address of .eh_frame, number of entries */
#define ENTRY_BYTES 8U  /* begin of a function, its description */

/* A number of the index, which is little-endian. */
static uint32_t
read_u32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The begin of the function of an entry. @param at Address of the index. */
static uint64_t
begin_of(const unsigned char *index, uint64_t at, size_t entry)
{
    return at + (uint64_t)(int64_t)(int32_t)read_u32(index + HEAD_BYTES + ENTRY_BYTES * entry);
}

uint64_t
pp_function_start_find(const unsigned char *index, size_t len, uint64_t at, uint64_t wanted)
{
    if (len < HEAD_BYTES || index[0] != 1 || (index[1] & 0x0f) != DW_EH_PE_sdata4 ||
        index[2] != DW_EH_PE_udata4 || index[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4))
        return 0;
    uint32_t entries = read_u32(index + 8);
    size_t low = 0, high = (len - HEAD_BYTES) / ENTRY_BYTES;
    high = high < entries ? high : entries;
    while (low < high) { /* find the first entry above the address */
        size_t middle = low + (high - low) / 2;
        if (begin_of(index, at, middle) <= wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? begin_of(index, at, low - 1) : 0;
}

/* Does the unwind table have a file-relative address? Between functions there may be gaps. */
static bool
is_covered(Dwfl_Module *module, uint64_t offset)
{
    Dwarf_Addr bias = 0;
    Dwarf_Frame *frame = NULL;
    Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);
    bool covered = cfi && offset >= bias && dwarf_cfi_addrframe(cfi, offset - bias, &frame) == 0;
    free(frame);
    return covered;
}

uint64_t
pp_function_start(Dwfl_Module *module, uint64_t offset)
{
    GElf_Addr bias = 0;
    Elf *elf = dwfl_module_getelf(module, &bias);
    size_t headers = 0;
    const char *ident = elf ? elf_getident(elf, NULL) : NULL;
    if (!ident || ident[EI_DATA] != ELFDATA2LSB || offset < bias || elf_getphdrnum(elf, &headers) ||
        !is_covered(module, offset))
        return 0;
    for (size_t i = 0; i < headers && i <= INT32_MAX; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_GNU_EH_FRAME)
            continue;
        const Elf_Data *data =
            elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE);
        uint64_t start = data && data->d_buf ? pp_function_start_find(data->d_buf, data->d_size,
                                                                      header.p_vaddr, offset - bias)
                                             : 0;
        return start ? start + bias : 0;
    }
    return 0;
}
