/** @file
 * Reads call frame information; see cfi.h. */
#include "core/stack/cfi.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Numbers of registers. Source: System V ABI, AMD64, figure 3.36. */
enum { REGISTER_BP = 6, REGISTER_SP = 7, REGISTER_RETURN = 16 };

/* Call frame instructions. Source: DWARF 4, figure 40, and LSB 5.0, "DWARF Extensions". */
enum {
    CFA_ADVANCE = 0x40,
    CFA_OFFSET = 0x80,
    CFA_RESTORE = 0xc0,
    CFA_HIGH_BITS = 0xc0,
    CFA_NOP = 0x00,
    CFA_SET_LOC = 0x01,
    CFA_ADVANCE1 = 0x02,
    CFA_ADVANCE2 = 0x03,
    CFA_ADVANCE4 = 0x04,
    CFA_OFFSET_EXTENDED = 0x05,
    CFA_RESTORE_EXTENDED = 0x06,
    CFA_UNDEFINED = 0x07,
    CFA_SAME_VALUE = 0x08,
    CFA_REGISTER = 0x09,
    CFA_REMEMBER = 0x0a,
    CFA_RECALL = 0x0b,
    CFA_DEF_CFA = 0x0c,
    CFA_DEF_CFA_REGISTER = 0x0d,
    CFA_DEF_CFA_OFFSET = 0x0e,
    CFA_DEF_CFA_EXPRESSION = 0x0f,
    CFA_EXPRESSION = 0x10,
    CFA_OFFSET_EXTENDED_SF = 0x11,
    CFA_DEF_CFA_SF = 0x12,
    CFA_DEF_CFA_OFFSET_SF = 0x13,
    CFA_VAL_OFFSET = 0x14,
    CFA_VAL_OFFSET_SF = 0x15,
    CFA_VAL_EXPRESSION = 0x16,
    CFA_GNU_ARGS_SIZE = 0x2e,
    CFA_GNU_NEGATIVE_OFFSET = 0x2f,
};

/* Operations of expressions. Source: DWARF 4, figure 24. */
enum {
    OP_DEREF = 0x06,
    OP_CONST1U = 0x08,
    OP_CONST1S = 0x09,
    OP_CONST2U = 0x0a,
    OP_CONST2S = 0x0b,
    OP_CONST4U = 0x0c,
    OP_CONST4S = 0x0d,
    OP_CONSTU = 0x10,
    OP_CONSTS = 0x11,
    OP_DUP = 0x12,
    OP_DROP = 0x13,
    OP_AND = 0x1a,
    OP_MINUS = 0x1c,
    OP_PLUS = 0x22,
    OP_PLUS_CONST = 0x23,
    OP_SHL = 0x24,
    OP_GE = 0x2a,
    OP_LIT = 0x30,
    OP_LIT_END = 0x50,
    OP_BREG = 0x70,
    OP_BREG_BP = OP_BREG + REGISTER_BP,
    OP_BREG_END = 0x90,
};
/* Values that an expression may stack. */
#define VALUES 8

/* Encodings of pointers. Source: LSB 5.0, "DWARF Exception Header Encoding". */
enum {
    ENCODING_PC_RELATIVE = 0x10,
    ENCODING_RELATION = 0x70,
    ENCODING_INDIRECT = 0x80,
    ENCODING_NONE = 0xff
};

/* Registers that keep their values in calls: rbx, rbp, rsp, r12 to r15. Source: System V ABI, AMD64,
 * figure 3.4. */
#define KEPT_REGISTERS (1U << 3 | 1U << 6 | 1U << 7 | 1U << 12 | 1U << 13 | 1U << 14 | 1U << 15)

/* As many states as compilers put aside at once, and more: gcc uses one. */
#define STATES 3
/* A return address is here, relative to the frame's top. */
#define RETURN_OFFSET (-8)

/* Bytes that are read in order. */
struct bytes {
    const uint8_t *at;
    const uint8_t *end;
    bool bad; /* they ended too early, or cannot be understood */
};

/* Where the value of a register is. WHERE_LOST: in a register that calls may change. */
enum where {
    WHERE_SAME,
    WHERE_UNDEFINED,
    WHERE_FROM_TOP,   /* in the word at top + offset */
    WHERE_FROM_BP,    /* in the word at base pointer + offset */
    WHERE_TOP,        /* it is top + offset */
    WHERE_AT,         /* in the word at the value of an expression */
    WHERE_EXPRESSION, /* it is the value of an expression */
    WHERE_REGISTER,   /* in the register whose number is the offset */
    WHERE_LOST
};

struct saved {
    enum where where;
    union {
        int64_t offset;
        const uint8_t *expression; /* its length, then its operations */
    };
};

/* Registers that matter: those of a simple rule, then those that keep their values in calls. */
enum slot { SLOT_BP, SLOT_SP, SLOT_RETURN, SLOT_KEPT, SLOTS = SLOT_KEPT + PP_CFI_KEPT };

/* The slot of a register; SLOTS: it does not matter. */
static unsigned
slot_of(uint64_t reg)
{
    static const uint8_t slot[] = {
        [3] = SLOT_KEPT + 1,         [REGISTER_BP] = SLOT_BP + 1,
        [REGISTER_SP] = SLOT_SP + 1, [12] = SLOT_KEPT + 2,
        [13] = SLOT_KEPT + 3,        [14] = SLOT_KEPT + 4,
        [15] = SLOT_KEPT + 5,        [REGISTER_RETURN] = SLOT_RETURN + 1,
    };
    return reg < sizeof(slot) && slot[reg] ? slot[reg] - 1U : SLOTS;
}

/* One row of the table. */
struct row {
    uint64_t cfa_register;
    int64_t cfa_offset;
    bool cfa_loaded; /* the top is the word at that place */
    bool cfa_other;
    const uint8_t *cfa_expression; /* the top is its value; NULL: it is not of this kind */
    struct saved saved[SLOTS];
};

/* What the common entry (CIE) says for its functions. */
struct common {
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding;
    bool augmented; /* entries have a length of additional data */
    bool signal;
    struct bytes instructions;
};

static uint64_t
read_fixed(struct bytes *bytes, unsigned size)
{
    uint64_t value = 0;
    if (bytes->bad || (size_t)(bytes->end - bytes->at) < size) {
        bytes->bad = true;
        return 0;
    }
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes->at[i] << (8 * i);
    bytes->at += size;
    return value;
}

static int64_t
read_signed(struct bytes *bytes, unsigned size)
{
    uint64_t value = read_fixed(bytes, size);
    if (size < 8 && (value >> (8 * size - 1)) & 1)
        value |= UINT64_MAX << (8 * size);
    return (int64_t)value;
}

/* A number in LEB128, as its bits. */
static uint64_t
read_leb(struct bytes *bytes, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
        byte = (uint8_t)read_fixed(bytes, 1);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while ((byte & 0x80) && !bytes->bad && shift < 70);
    if (is_signed && shift < 64 && (byte & 0x40))
        value |= UINT64_MAX << shift;
    return value;
}

static uint64_t
read_unsigned(struct bytes *bytes)
{
    return read_leb(bytes, false);
}

static int64_t
read_offset(struct bytes *bytes)
{
    return (int64_t)read_leb(bytes, true);
}

/* A block of bytes after its length. */
static struct bytes
read_block(struct bytes *bytes)
{
    uint64_t length = read_unsigned(bytes);
    struct bytes block = {bytes->at, bytes->at, true};
    if (bytes->bad || length > (size_t)(bytes->end - bytes->at)) {
        bytes->bad = true;
        return block;
    }
    block = (struct bytes){bytes->at, bytes->at + length, false};
    bytes->at += length;
    return block;
}

/* A pointer in an encoding, without what it is relative to unless @p relative. */
static uint64_t
read_pointer(struct bytes *bytes, uint8_t encoding, bool relative)
{
    uint64_t place = (uint64_t)(uintptr_t)bytes->at, value = 0;
    switch (encoding & 0x0f) {
    case 0x00: /* an address */
    case 0x04: /* udata8 */
    case 0x0c: /* sdata8 */
        value = read_fixed(bytes, 8);
        break;
    case 0x02: /* udata2 */
        value = read_fixed(bytes, 2);
        break;
    case 0x03: /* udata4 */
        value = read_fixed(bytes, 4);
        break;
    case 0x0a: /* sdata2 */
        value = (uint64_t)read_signed(bytes, 2);
        break;
    case 0x0b: /* sdata4 */
        value = (uint64_t)read_signed(bytes, 4);
        break;
    default:
        bytes->bad = true;
    }
    uint8_t relation = encoding & ENCODING_RELATION;
    if ((encoding & ENCODING_INDIRECT) || (relation && relation != ENCODING_PC_RELATIVE))
        bytes->bad = true;
    return relative && relation ? value + place : value;
}

/* Open an entry: the bytes after its length. */
static struct bytes
open_entry(const uint8_t *at, const uint8_t *low, const uint8_t *high)
{
    struct bytes entry = {at, high, at < low || at >= high};
    uint64_t length = read_fixed(&entry, 4);
    entry.bad = entry.bad || length == 0 || length == UINT32_MAX || length > (size_t)(high - entry.at);
    entry.end = entry.bad ? entry.at : entry.at + length;
    return entry;
}

/* Read what the letters of a CIE's augmentation announce. */
static bool
read_augmentation(struct bytes *entry, const char *letters, struct common *common)
{
    struct bytes data = {0};
    if (*letters == '\0')
        return true;
    if (*letters++ != 'z')
        return false;
    common->augmented = true;
    data = read_block(entry);
    for (; *letters; letters++) {
        uint8_t encoding = 0;
        switch (*letters) {
        case 'R':
            common->encoding = (uint8_t)read_fixed(&data, 1);
            break;
        case 'P':
            encoding = (uint8_t)read_fixed(&data, 1);
            (void)read_pointer(&data, (uint8_t)(encoding & 0x0f), false);
            break;
        case 'L':
            (void)read_fixed(&data, 1);
            break;
        case 'S':
            common->signal = true;
            break;
        default:
            return false;
        }
    }
    return !data.bad;
}

static bool
read_common(const uint8_t *at, const uint8_t *low, const uint8_t *high, struct common *common)
{
    struct bytes entry = open_entry(at, low, high);
    uint64_t id = read_fixed(&entry, 4), version = read_fixed(&entry, 1);
    if (entry.bad || id != 0 || (version != 1 && version != 3))
        return false;
    const char *letters = (const char *)entry.at;
    const uint8_t *nul = memchr(entry.at, 0, (size_t)(entry.end - entry.at));
    if (!nul)
        return false;
    entry.at = nul + 1;
    common->code_align = read_unsigned(&entry);
    common->data_align = read_offset(&entry);
    uint64_t back = version == 1 ? read_fixed(&entry, 1) : read_unsigned(&entry);
    if (back != REGISTER_RETURN || !read_augmentation(&entry, letters, common))
        return false;
    common->instructions = entry;
    return !entry.bad;
}

/* Does a register keep its value in calls? */
static bool
is_kept(uint64_t reg)
{
    return reg < 32 && (KEPT_REGISTERS >> reg & 1);
}

/* A factored offset. Offsets of broken entries wrap. */
static int64_t
scale(uint64_t factored, const struct common *common)
{
    return (int64_t)(factored * (uint64_t)common->data_align);
}

/* Set where a register is, if it is one of those that matter. */
static void
save_by(struct row *row, uint64_t reg, struct saved saved)
{
    unsigned slot = slot_of(reg);
    if (slot < SLOTS)
        row->saved[slot] = saved;
}

static void
save(struct row *row, uint64_t reg, enum where where, int64_t offset)
{
    save_by(row, reg, (struct saved){.where = where, .offset = offset});
}

static void
restore(struct row *row, const struct row *initial, uint64_t reg)
{
    unsigned slot = slot_of(reg);
    if (slot < SLOTS)
        row->saved[slot] = initial->saved[slot];
}

/* An expression of the form "register bp + offset", with or without a load. @return false: another one. */
static bool
read_expression(struct bytes block, bool load, int64_t *ret_offset)
{
    bool is_bp = read_fixed(&block, 1) == OP_BREG_BP;
    *ret_offset = read_offset(&block);
    bool loads = !load || read_fixed(&block, 1) == OP_DEREF;
    return is_bp && loads && !block.bad && block.at == block.end;
}

static void
define_top(struct row *row, uint64_t reg, int64_t offset)
{
    row->cfa_register = reg;
    row->cfa_offset = offset;
    row->cfa_loaded = false;
    row->cfa_other = false;
    row->cfa_expression = NULL;
}

/* Define the top by an expression. */
static void
define_top_by(struct row *row, struct bytes *bytes)
{
    int64_t offset = 0;
    const uint8_t *expression = bytes->at;
    bool loaded = read_expression(read_block(bytes), true, &offset);
    define_top(row, REGISTER_BP, offset);
    row->cfa_loaded = loaded;
    row->cfa_other = !loaded;
    row->cfa_expression = loaded ? NULL : expression;
}

/* An expression says where a register is, or what it is. */
static void
save_expression(struct row *row, bool is_value, struct bytes *bytes)
{
    uint64_t reg = read_unsigned(bytes);
    int64_t offset = 0;
    struct saved saved = {.where = is_value ? WHERE_EXPRESSION : WHERE_AT, .expression = bytes->at};
    if (read_expression(read_block(bytes), false, &offset) && !is_value)
        saved = (struct saved){.where = WHERE_FROM_BP, .offset = offset};
    save_by(row, reg, saved);
}

/* Carry out an instruction that says where a register or the frame's top is. */
static void
carry_out(struct row *row, const struct row *initial, const struct common *common, uint8_t code,
          struct bytes *bytes)
{
    uint64_t reg = 0, other = 0;
    switch (code) {
    case CFA_OFFSET_EXTENDED:
        reg = read_unsigned(bytes);
        save(row, reg, WHERE_FROM_TOP, scale(read_unsigned(bytes), common));
        break;
    case CFA_OFFSET_EXTENDED_SF:
        reg = read_unsigned(bytes);
        save(row, reg, WHERE_FROM_TOP, scale((uint64_t)read_offset(bytes), common));
        break;
    case CFA_GNU_NEGATIVE_OFFSET:
        reg = read_unsigned(bytes);
        save(row, reg, WHERE_FROM_TOP, scale(-read_unsigned(bytes), common));
        break;
    case CFA_RESTORE_EXTENDED:
        reg = read_unsigned(bytes);
        restore(row, initial, reg);
        break;
    case CFA_UNDEFINED:
        save(row, read_unsigned(bytes), WHERE_UNDEFINED, 0);
        break;
    case CFA_SAME_VALUE:
        save(row, read_unsigned(bytes), WHERE_SAME, 0);
        break;
    case CFA_REGISTER:
        reg = read_unsigned(bytes);
        other = read_unsigned(bytes);
        save(row, reg, is_kept(other) ? WHERE_REGISTER : WHERE_LOST, (int64_t)other);
        break;
    case CFA_VAL_OFFSET:
        reg = read_unsigned(bytes);
        save(row, reg, WHERE_TOP, scale(read_unsigned(bytes), common));
        break;
    case CFA_VAL_OFFSET_SF:
        reg = read_unsigned(bytes);
        save(row, reg, WHERE_TOP, scale((uint64_t)read_offset(bytes), common));
        break;
    case CFA_EXPRESSION:
    case CFA_VAL_EXPRESSION:
        save_expression(row, code == CFA_VAL_EXPRESSION, bytes);
        break;
    case CFA_DEF_CFA:
        reg = read_unsigned(bytes);
        define_top(row, reg, (int64_t)read_unsigned(bytes));
        break;
    case CFA_DEF_CFA_SF:
        reg = read_unsigned(bytes);
        define_top(row, reg, scale((uint64_t)read_offset(bytes), common));
        break;
    case CFA_DEF_CFA_REGISTER:
        define_top(row, read_unsigned(bytes), row->cfa_offset);
        break;
    case CFA_DEF_CFA_OFFSET:
        row->cfa_offset = (int64_t)read_unsigned(bytes);
        break;
    case CFA_DEF_CFA_OFFSET_SF:
        row->cfa_offset = scale((uint64_t)read_offset(bytes), common);
        break;
    case CFA_DEF_CFA_EXPRESSION:
        define_top_by(row, bytes);
        break;
    case CFA_GNU_ARGS_SIZE:
        (void)read_unsigned(bytes);
        break;
    case CFA_NOP:
        break;
    default:
        bytes->bad = true;
    }
}

/* How far an instruction moves the place in the function; 0: it does something else. */
static uint64_t
read_advance(uint8_t code, const struct common *common, struct bytes *bytes)
{
    uint64_t steps = 0;
    if ((code & CFA_HIGH_BITS) == CFA_ADVANCE)
        steps = code & 0x3f;
    else if (code == CFA_ADVANCE1)
        steps = read_fixed(bytes, 1);
    else if (code == CFA_ADVANCE2)
        steps = read_fixed(bytes, 2);
    else if (code == CFA_ADVANCE4)
        steps = read_fixed(bytes, 4);
    return steps * common->code_align;
}

static bool
is_advance(uint8_t code)
{
    return (code & CFA_HIGH_BITS) == CFA_ADVANCE || (code >= CFA_ADVANCE1 && code <= CFA_ADVANCE4);
}

/* Carry out the instructions up to @p pc. @return false: they cannot be understood. */
static bool
run(struct bytes bytes, const struct common *common, const struct row *initial, uint64_t place, uint64_t pc,
    struct row *row)
{
    struct row kept[STATES];
    unsigned states = 0;
    while (!bytes.bad && bytes.at < bytes.end) {
        uint8_t code = (uint8_t)read_fixed(&bytes, 1);
        uint64_t low = code & 0x3f;
        if (is_advance(code)) {
            place += read_advance(code, common, &bytes);
            if (place > pc)
                break;
        } else if (code == CFA_SET_LOC) {
            place = read_pointer(&bytes, common->encoding, true);
            if (place > pc)
                break;
        } else if ((code & CFA_HIGH_BITS) == CFA_OFFSET) {
            save(row, low, WHERE_FROM_TOP, scale(read_unsigned(&bytes), common));
        } else if ((code & CFA_HIGH_BITS) == CFA_RESTORE) {
            restore(row, initial, low);
        } else if (code == CFA_REMEMBER && states < STATES) {
            kept[states++] = *row;
        } else if (code == CFA_RECALL && states > 0) {
            *row = kept[--states];
        } else {
            carry_out(row, initial, common, code, &bytes);
        }
    }
    return !bytes.bad;
}

/* The kind of rule that a row is. */
static struct pp_frame_rule
judge(const struct row *row)
{
    struct pp_frame_rule rule = {.kind = PP_RULE_OTHER};
    const struct saved bp = row->saved[SLOT_BP], back = row->saved[SLOT_RETURN];
    if (back.where == WHERE_UNDEFINED)
        return (struct pp_frame_rule){.kind = PP_RULE_OUTERMOST};
    if ((!row->cfa_other && !is_kept(row->cfa_register)) || back.where == WHERE_LOST)
        return (struct pp_frame_rule){.kind = PP_RULE_BROKEN};
    if (row->cfa_other || row->saved[SLOT_SP].where != WHERE_SAME || back.where != WHERE_FROM_TOP ||
        back.offset != RETURN_OFFSET || row->cfa_offset < INT32_MIN || row->cfa_offset > INT32_MAX ||
        bp.offset < INT32_MIN || bp.offset > INT32_MAX ||
        (bp.where != WHERE_SAME && bp.where != WHERE_FROM_TOP && bp.where != WHERE_FROM_BP))
        return rule;
    if (row->cfa_register == REGISTER_SP && !row->cfa_loaded)
        rule.kind = PP_RULE_SP;
    else if (row->cfa_register == REGISTER_BP)
        rule.kind = row->cfa_loaded ? PP_RULE_BP_LOAD : PP_RULE_BP;
    rule.top_offset = (int32_t)row->cfa_offset;
    rule.base_offset = (int32_t)bp.offset;
    rule.base = bp.where == WHERE_FROM_TOP  ? PP_BASE_FROM_TOP
                : bp.where == WHERE_FROM_BP ? PP_BASE_FROM_BP
                                            : PP_BASE_KEPT;
    return rule;
}

/* Find the row for an instruction. @return PP_RULE_SP: it is in @p row; else why there is none. */
static enum pp_rule_kind
find_row(const uint8_t *entry_at, const uint8_t *low, const uint8_t *high, uintptr_t pc, struct row *row,
         bool *ret_signal)
{
    struct bytes entry = open_entry(entry_at, low, high);
    const uint8_t *back = entry.at;
    uint64_t distance = read_fixed(&entry, 4);
    struct common common = {.encoding = 0};
    if (entry.bad || distance == 0 || distance > (size_t)(back - low) ||
        !read_common(back - distance, low, high, &common))
        return PP_RULE_BROKEN;
    uint64_t begin = read_pointer(&entry, common.encoding, true);
    uint64_t length = read_pointer(&entry, (uint8_t)(common.encoding & 0x0f), false);
    if (common.augmented)
        (void)read_block(&entry);
    if (entry.bad)
        return PP_RULE_BROKEN;
    *ret_signal = common.signal;
    if (pc < begin || pc - begin >= length)
        return PP_RULE_NO_TABLE;
    struct row initial = {.cfa_register = REGISTER_SP};
    if (!run(common.instructions, &common, &initial, 0, UINT64_MAX, &initial))
        return PP_RULE_BROKEN;
    *row = initial;
    return run(entry, &common, &initial, begin, pc, row) ? PP_RULE_SP : PP_RULE_BROKEN;
}

struct pp_frame_rule
pp_cfi_rule(const uint8_t *entry, const uint8_t *low, const uint8_t *high, uintptr_t pc)
{
    struct row row;
    bool is_signal = false;
    enum pp_rule_kind kind = find_row(entry, low, high, pc, &row, &is_signal);
    if (kind == PP_RULE_SP && !is_signal)
        return judge(&row);
    return (struct pp_frame_rule){.kind = kind == PP_RULE_SP ? PP_RULE_OTHER : (uint8_t)kind};
}

/* An evaluation of rules. */
struct evaluation {
    const struct pp_cfi_memory *memory;
    struct pp_cfi_registers *registers; /* of the function that is left */
    uintptr_t ip;
    uint64_t value[VALUES];
    unsigned values;
    enum pp_cfi_end end;
};

static void
push(struct evaluation *e, uint64_t value)
{
    if (e->values == VALUES)
        e->end = PP_CFI_OTHER;
    else
        e->value[e->values++] = value;
}

static uint64_t
pop(struct evaluation *e)
{
    if (e->values == 0) {
        e->end = PP_CFI_OTHER;
        return 0;
    }
    return e->value[--e->values];
}

static uint64_t
load(struct evaluation *e, uint64_t place)
{
    uintptr_t value = 0;
    if (e->end == PP_CFI_LEFT && !e->memory->read(e->memory->user, (uintptr_t)place, &value))
        e->end = PP_CFI_UNREADABLE;
    return value;
}

/* The value of a register in the function that is left. */
static uint64_t
value_of(struct evaluation *e, uint64_t reg)
{
    unsigned slot = slot_of(reg);
    if (slot == SLOT_BP)
        return e->memory->base(e->memory->user);
    if (slot == SLOT_SP)
        return e->registers->sp;
    if (slot == SLOT_RETURN)
        return e->ip;
    bool known = slot < SLOTS && e->registers->has_kept;
    if (!known)
        e->end = slot < SLOTS ? PP_CFI_NEEDS_KEPT : PP_CFI_OTHER;
    return known ? e->registers->kept[slot - SLOT_KEPT] : 0;
}

/* Carry out an operation with two operands. @return false: it is none. */
static bool
operate(struct evaluation *e, uint8_t code)
{
    if (code != OP_AND && code != OP_MINUS && code != OP_PLUS && code != OP_SHL && code != OP_GE)
        return false;
    uint64_t b = pop(e), a = pop(e);
    push(e, code == OP_AND     ? a & b
            : code == OP_MINUS ? a - b
            : code == OP_PLUS  ? a + b
            : code == OP_GE    ? (int64_t)a >= (int64_t)b
            : b < 64           ? a << b
                               : 0);
    return true;
}

/* Carry out an operation that pushes a constant or a register. @return false: it is none. */
static bool
push_operand(struct evaluation *e, uint8_t code, struct bytes *bytes)
{
    if (code >= OP_CONST1U && code <= OP_CONST4S) {
        unsigned size = 1U << ((code - OP_CONST1U) / 2);
        push(e, code & 1 ? (uint64_t)read_signed(bytes, size) : read_fixed(bytes, size));
    } else if (code >= OP_LIT && code < OP_LIT_END) {
        push(e, code - OP_LIT);
    } else if (code >= OP_BREG && code < OP_BREG_END) {
        push(e, value_of(e, code - OP_BREG) + (uint64_t)read_offset(bytes));
    } else if (code == OP_CONSTU || code == OP_CONSTS) {
        push(e, read_leb(bytes, code == OP_CONSTS));
    } else {
        return false;
    }
    return true;
}

/* The value of an expression. */
static uint64_t
evaluate(struct evaluation *e, const uint8_t *expression, const uint8_t *high)
{
    struct bytes bytes = {expression, high, false};
    bytes = read_block(&bytes);
    while (e->end == PP_CFI_LEFT && bytes.at < bytes.end && !bytes.bad) {
        uint8_t code = (uint8_t)read_fixed(&bytes, 1);
        if (push_operand(e, code, &bytes) || operate(e, code))
            continue;
        uint64_t top = pop(e);
        if (code == OP_DEREF)
            push(e, load(e, top));
        else if (code == OP_PLUS_CONST)
            push(e, top + read_unsigned(&bytes));
        else if (code == OP_DUP)
            push(e, top), push(e, top);
        else if (code != OP_DROP)
            e->end = PP_CFI_OTHER;
    }
    if (bytes.bad)
        e->end = PP_CFI_OTHER;
    uint64_t value = pop(e);
    e->values = 0;
    return value;
}

/* The caller's value of a register. @param same What it is if nothing says another. */
static uint64_t
restored(struct evaluation *e, struct saved saved, uint64_t top, uint64_t same, const uint8_t *high)
{
    uint64_t value = 0;
    switch (saved.where) {
    case WHERE_SAME:
        return same;
    case WHERE_UNDEFINED:
        return 0;
    case WHERE_FROM_TOP:
        return load(e, top + (uint64_t)saved.offset);
    case WHERE_FROM_BP:
        return load(e, value_of(e, REGISTER_BP) + (uint64_t)saved.offset);
    case WHERE_TOP:
        return top + (uint64_t)saved.offset;
    case WHERE_AT:
    case WHERE_EXPRESSION:
        /* An expression that says where a register is begins with the frame's top on its stack. */
        push(e, top);
        value = evaluate(e, saved.expression, high);
        return saved.where == WHERE_AT ? load(e, value) : value;
    case WHERE_REGISTER:
        return value_of(e, (uint64_t)saved.offset);
    case WHERE_LOST:
    default:
        e->end = PP_CFI_OTHER;
        return 0;
    }
}

enum pp_cfi_end
pp_cfi_leave(const uint8_t *entry, const uint8_t *low, const uint8_t *high, uintptr_t pc,
             const struct pp_cfi_memory *memory, struct pp_cfi_registers *registers)
{
    struct row row;
    struct pp_cfi_registers caller = {.has_kept = registers->has_kept};
    struct evaluation e = {.memory = memory, .registers = registers, .ip = pc, .end = PP_CFI_LEFT};
    if (find_row(entry, low, high, pc, &row, &caller.was_interrupted) != PP_RULE_SP ||
        row.saved[SLOT_RETURN].where == WHERE_SAME)
        return PP_CFI_OTHER;
    uint64_t top = row.cfa_expression ? evaluate(&e, row.cfa_expression, high)
                                      : value_of(&e, row.cfa_register) + (uint64_t)row.cfa_offset;
    if (row.cfa_loaded)
        top = load(&e, top);
    caller.ip = (uintptr_t)restored(&e, row.saved[SLOT_RETURN], top, 0, high);
    caller.sp = (uintptr_t)restored(&e, row.saved[SLOT_SP], top, top, high);
    caller.bp_is_same = row.saved[SLOT_BP].where == WHERE_SAME;
    if (!caller.bp_is_same)
        caller.bp = (uintptr_t)restored(&e, row.saved[SLOT_BP], top, 0, high);
    for (unsigned i = 0; i < PP_CFI_KEPT && caller.has_kept; i++)
        caller.kept[i] = (uintptr_t)restored(&e, row.saved[SLOT_KEPT + i], top, registers->kept[i], high);
    if (e.end == PP_CFI_LEFT)
        *registers = caller;
    return e.end;
}
