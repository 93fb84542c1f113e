/** @file
 * See dwarf_lookup.h. Source: Linux Standard Base Core 5.0, section 10.6.2 "The .eh_frame_hdr section". */
#include "cli/symbols/dwarf_lookup.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "counters/util/grow_array.h"

/* Functions that may contain one address: itself, and those inlined into each other. */
#define MAX_SCOPES 64U
/* Bytes of a path. */
#define MAX_PATH 8192U
/* Depth of a tree of debug information. */
#define MAX_DEPTH 256U

/* The functions around one address, the outermost first. */
struct scopes {
    Dwarf_Die die[MAX_SCOPES];
    size_t len;
};

/* A lookup. */
struct lookup {
    Dwfl_Module *module;
    Dwarf_Addr bias; /* of the debug information: address in it + bias = file-relative address */
    const uint64_t *offset;
    size_t count;
    bool *done;   /* of each address: a unit has it */
    void **names; /* tree of struct named */
    pp_found_function *found;
    void *data;
};

/* Addresses of one unit. */
struct unit {
    struct lookup *lookup;
    Dwarf_Die *die;  /* has its addresses and lines */
    Dwarf_Die *code; /* has its functions and language: the same entry, or that of the split part */
    size_t *index;   /* in lookup->offset, ascending */
    size_t len, cap;
    struct scopes *scopes; /* of each of them */
    char path[MAX_PATH];   /* of the source file that is given */
};

/* Index of the first address that is not below @p wanted. */
static size_t
first_from(const struct lookup *l, Dwarf_Addr wanted)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->offset[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int
by_index(const void *a, const void *b)
{
    size_t x = *(const size_t *)a;
    size_t y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Collect the addresses that a unit has. */
static int
collect(struct unit *u)
{
    struct lookup *l = u->lookup;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(u->die, at, &base, &begin, &end)) > 0;) {
        for (size_t i = first_from(l, begin + l->bias); i < l->count && l->offset[i] < end + l->bias; i++) {
            if (l->done[i])
                continue;
            if (pp_grow_array(&u->index, &u->cap, u->len + 1, sizeof(*u->index)))
                return -ENOMEM;
            l->done[i] = true;
            u->index[u->len++] = i;
        }
    }
    if (u->len)
        qsort(u->index, u->len, sizeof(*u->index), by_index);
    return 0;
}

/* Add a function to the scopes of all addresses in its ranges. */
static void
add_function(struct unit *u, Dwarf_Die *die)
{
    const struct lookup *l = u->lookup;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;) {
        size_t low = 0, high = u->len;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (l->offset[u->index[middle]] < begin + l->bias)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < u->len && l->offset[u->index[low]] < end + l->bias; low++) {
            struct scopes *scopes = &u->scopes[low];
            if (scopes->len < MAX_SCOPES)
                scopes->die[scopes->len++] = *die;
        }
    }
}

/* Can code be below an entry of this kind? */
static bool
has_code_below(int tag)
{
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_with_stmt:
    case DW_TAG_call_site: /* clang nests nothing there; a hostile file may */
        return true;
    default:
        return false;
    }
}

/* Walk the children of an entry, parents before children. */
static void
walk(struct unit *u, Dwarf_Die *parent, unsigned depth)
{
    Dwarf_Die die;
    if (depth == MAX_DEPTH || dwarf_child(parent, &die) != 0)
        return;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
            add_function(u, &die);
        if (has_code_below(tag))
            walk(u, &die, depth + 1);
    } while (dwarf_siblingof(&die, &die) == 0);
}

/* The name of a function. */
struct named {
    const void *entry; /* its bytes: offsets are not unique where debug information has several files */
    char *name;        /* owned */
};

static int
by_entry(const void *a, const void *b)
{
    const struct named *x = a;
    const struct named *y = b;
    return ((uintptr_t)x->entry > (uintptr_t)y->entry) - ((uintptr_t)x->entry < (uintptr_t)y->entry);
}

static void
named_free(void *node)
{
    struct named *named = node;
    free(named->name);
    free(named);
}

/* The entry that declares a function: in its class or namespace. */
static Dwarf_Die
declaration_of(Dwarf_Die die)
{
    static const unsigned reference[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    for (size_t i = 0; i < 2; i++)
        if (dwarf_attr(&die, reference[i], &attribute) && dwarf_formref_die(&attribute, &next))
            die = next;
    return die;
}

/* Write a name with the namespaces, classes and functions around it. */
static void
write_qualified(char *text, size_t size, Dwarf_Die *declaration)
{
    Dwarf_Die *scope = NULL;
    size_t used = 0;
    int scopes = dwarf_getscopes_die(declaration, &scope);
    for (int i = scopes - 1; i > 0 && used < size; i--) {
        int tag = dwarf_tag(&scope[i]);
        const char *name = dwarf_diename(&scope[i]);
        if (tag == DW_TAG_namespace && !name)
            name = "(anonymous namespace)"; /* as demanglers have it */
        if (name && tag != DW_TAG_compile_unit && tag != DW_TAG_partial_unit && tag != DW_TAG_lexical_block)
            used += (size_t)snprintf(text + used, size - used, "%s::", name);
    }
    const char *name = dwarf_diename(declaration);
    if (used < size)
        snprintf(text + used, size - used, "%s", name ? name : "");
    free(scope);
}

/* The name of a function without a linker's name, which compilers leave out where no other file can call it.
 */
static const char *
qualified_name(const struct unit *u, Dwarf_Die *die)
{
    char text[4096] = "";
    Dwarf_Die declaration = declaration_of(*die);
    struct named wanted = {.entry = declaration.addr};
    struct named **known = tfind(&wanted, u->lookup->names, by_entry);
    if (known)
        return (*known)->name;
    write_qualified(text, sizeof(text), &declaration);
    struct named *named = calloc(1, sizeof(*named));
    if (!named)
        return "";
    *named = (struct named){.entry = wanted.entry, .name = strdup(text)};
    known = named->name ? tsearch(named, u->lookup->names, by_entry) : NULL;
    if (known)
        return named->name;
    named_free(named);
    return "";
}

/* Has a unit's language namespaces or classes? */
static bool
has_scopes(Dwarf_Die *unit)
{
    int language = dwarf_srclang(unit);
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
           language == DW_LANG_Rust || language == DW_LANG_D;
}

/* The name of a function: the linker's name, which has namespaces and classes, or that of the source. */
static const char *
name_of(const struct unit *u, Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    if (!name && has_scopes(u->code))
        return qualified_name(u, die);
    name = name ? name : dwarf_diename(die);
    return name ? name : "";
}

static uint32_t
number_of(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word word = 0;
    return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, &word) == 0 && word < UINT32_MAX
               ? (uint32_t)word
               : 0;
}

/* Remove "." and "..", and the name before "..", from an absolute path. */
static void
normalize(char *path)
{
    char *to = path;
    for (const char *at = path; *at;) {
        size_t len = strcspn(at + 1, "/") + 1; /* a name with its slash */
        if (len == 3 && strncmp(at, "/..", 3) == 0) {
            while (to > path && *--to != '/')
                continue;
        } else if (len > 1 && !(len == 2 && at[1] == '.')) {
            memmove(to, at, len);
            to += len;
        }
        at += len;
    }
    *to = '\0';
}

/* The path of a source file, with the folder in which the compiler ran. */
static const char *
full_path(struct unit *u, const char *file)
{
    Dwarf_Attribute attribute;
    const char *folder = dwarf_attr(u->die, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
    if (!*file)
        return "";
    if (*file == '/' || !folder)
        snprintf(u->path, sizeof(u->path), "%s", file);
    else
        snprintf(u->path, sizeof(u->path), "%s/%s", folder, file);
    if (*u->path == '/')
        normalize(u->path);
    return u->path;
}

/* Where an inlined function was called. */
static void
call_place(struct unit *u, Dwarf_Die *inlined, struct pp_found_symbol *ret)
{
    Dwarf_Files *files = NULL;
    size_t count = 0;
    uint32_t number = number_of(inlined, DW_AT_call_file);
    const char *file = dwarf_getsrcfiles(u->code, &files, &count) == 0 && number < count
                           ? dwarf_filesrc(files, number, NULL, NULL)
                           : NULL;
    ret->file = full_path(u, file ? file : "");
    ret->line = file ? number_of(inlined, DW_AT_call_line) : 0;
    ret->column = ret->line ? number_of(inlined, DW_AT_call_column) : 0;
}

/* The line of an address. */
static void
line_place(struct unit *u, Dwarf_Addr address, struct pp_found_symbol *ret)
{
    Dwarf_Line *line = dwarf_getsrc_die(u->die, address);
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0, column = 0;
    ret->file = full_path(u, file ? file : "");
    if (file && dwarf_lineno(line, &number) == 0 && number > 0)
        ret->line = (uint32_t)number;
    if (ret->line && dwarf_linecol(line, &column) == 0 && column > 0)
        ret->column = (uint32_t)column;
}

/* Name of the function of an address in the table of symbols; "": there is none whose size covers it. */
static const char *
symbol_name(const struct lookup *l, uint64_t offset)
{
    GElf_Off into = 0;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(l->module, offset, &into, &symbol, NULL, NULL, NULL);
    return name && into < symbol.st_size ? name : "";
}

/* Give the functions of one address of a unit, the innermost first. */
static bool
give(struct unit *u, size_t i)
{
    const struct lookup *l = u->lookup;
    struct scopes *scopes = &u->scopes[i];
    uint64_t offset = l->offset[u->index[i]];
    struct pp_found_symbol symbol = {.function = "", .file = ""};
    line_place(u, offset - l->bias, &symbol);
    if (!scopes->len) {
        symbol.function = symbol_name(l, offset);
        return (!*symbol.function && !*symbol.file) || l->found(l->data, u->index[i], &symbol);
    }
    for (size_t s = scopes->len; s-- > 0;) {
        Dwarf_Die *die = &scopes->die[s];
        symbol.function = name_of(u, die);
        symbol.inlined = s > 0 && dwarf_tag(die) == DW_TAG_inlined_subroutine;
        if (!l->found(l->data, u->index[i], &symbol))
            return false;
        if (!symbol.inlined)
            break;
        call_place(u, die, &symbol);
    }
    return true;
}

/* Look up the addresses of a unit. */
static int
look_in(struct unit *u)
{
    u->scopes = calloc(u->len, sizeof(*u->scopes));
    if (!u->scopes)
        return -ENOMEM;
    walk(u, u->code, 0);
    for (size_t i = 0; i < u->len; i++)
        if (!give(u, i))
            return -EPIPE;
    return 0;
}

/* Walk all units that have an address. */
static int
walk_units(struct lookup *l, Dwarf *dwarf)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die, split;
    uint8_t type = 0;
    int rc = 0;
    while (rc == 0 && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &die, &split) == 0) {
        struct unit u = {.lookup = l, .die = &die, .code = &die};
        if (type != DW_UT_compile && type != DW_UT_skeleton && type != DW_UT_partial)
            continue;
        rc = collect(&u);
        if (type == DW_UT_skeleton && split.addr)
            u.code = &split;
        if (rc == 0 && u.len)
            rc = look_in(&u);
        free(u.index);
        free(u.scopes);
    }
    return rc;
}

int
pp_dwarf_lookup(struct pp_debug_file *file, const uint64_t *offset, size_t count, pp_found_function *found,
                void *data)
{
    void *names = NULL;
    struct lookup l = {.names = &names,
                       .module = file->module,
                       .offset = offset,
                       .count = count,
                       .found = found,
                       .data = data};
    l.done = calloc(count + 1, sizeof(*l.done));
    if (!l.done)
        return -ENOMEM;
    Dwarf *dwarf = dwfl_module_getdwarf(file->module, &l.bias);
    int rc = dwarf ? walk_units(&l, dwarf) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++) {
        struct pp_found_symbol symbol = {.function = l.done[i] ? "" : symbol_name(&l, offset[i]), .file = ""};
        symbol.start = l.done[i] || *symbol.function ? 0 : pp_function_start(l.module, offset[i]);
        if ((*symbol.function || symbol.start) && !found(data, i, &symbol))
            rc = -EPIPE;
    }
    free(l.done);
    tdestroy(names, named_free);
    return rc;
}

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
