/** @file
 * See csv_split.h. Bytes that end cells are found 64 at a time, where the processor has SSE2, else eight at a
 * time. */
#include "cli/session/csv_split.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A text in which marks are looked for: commas, quotes and line ends. */
struct scan {
    const char *text;
    size_t len;
    size_t at;      /* of the bytes that marks describes */
    uint64_t marks; /* a bit of each byte that is a mark, and was not given yet */
};

#ifdef __SSE2__

/* Bytes that marks describe, and bits for each. */
#define MARKED      ((size_t)64)
#define BITS_A_BYTE 1U

static inline uint64_t
marks_of_16(const char *text)
{
    const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)text);
    const __m128i comma = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(',')),
                  quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    const __m128i line = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')),
                  back = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r'));
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(comma, quote), _mm_or_si128(line, back)));
}

static inline uint64_t
marks_of(const char *text)
{
    return marks_of_16(text) | marks_of_16(text + 16) << 16 | marks_of_16(text + 32) << 32 |
           marks_of_16(text + 48) << 48;
}

#else

#define MARKED          sizeof(uint64_t)
#define BITS_A_BYTE     8U
#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* The highest bit of each byte that is zero. Source: Warren, "Hacker's Delight", section 6-1. */
static inline uint64_t
zero_bytes(uint64_t bytes)
{
    const uint64_t low = EACH_BYTE(0x7f);
    return ~(((bytes & low) + low) | bytes | low);
}

static inline uint64_t
marks_of(const char *text)
{
    uint64_t bytes = 0;
    memcpy(&bytes, text, sizeof(bytes));
    uint64_t marks = zero_bytes(bytes ^ EACH_BYTE(',')) | zero_bytes(bytes ^ EACH_BYTE('\n')) |
                     zero_bytes(bytes ^ EACH_BYTE('\r')) | zero_bytes(bytes ^ EACH_BYTE('"'));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    marks = __builtin_bswap64(marks);
#endif
    return marks;
}

#endif

static inline void
scan_from(struct scan *scan, size_t at)
{
    scan->at = at;
    scan->marks = at < scan->len ? marks_of(scan->text + at) : 0;
}

/* The place of the next mark; the text's length: there is none. */
static inline size_t
next_mark(struct scan *scan)
{
    while (!scan->marks) {
        if (scan->at + MARKED >= scan->len)
            return scan->len;
        scan_from(scan, scan->at + MARKED);
    }
    size_t mark = scan->at + (size_t)__builtin_ctzll(scan->marks) / BITS_A_BYTE;
    scan->marks &= scan->marks - 1;
    return mark < scan->len ? mark : scan->len;
}

static inline bool
is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

void
pp_csv_join(char *text, size_t end, const struct pp_cell *cell, size_t cells)
{
    for (size_t i = 0; i < cells; i++) {
        size_t begin = (size_t)((uintptr_t)cell[i].text - (uintptr_t)text), at = begin + cell[i].len;
        if (begin < end) /* not a missing cell */
            text[at] = at + 1 == end ? '\n' : begin && text[begin - 1] == '"' ? '"' : ',';
    }
}

/* Find the end of a cell in quotes, whose first quote is at @p begin. @return What the text begins with, as
 * far as this cell says. */
static enum pp_csv_row_kind
quoted_end(struct scan *scan, size_t begin, size_t *ret_end)
{
    const char *close = memchr(scan->text + begin + 1, '"', scan->len - begin - 1);
    size_t end = close ? (size_t)(close - scan->text) : scan->len;
    if (end + 1 >= scan->len)
        return PP_CSV_OPEN;
    char next = scan->text[end + 1];
    if (next != ',' && next != '\r' && next != '\n')
        return PP_CSV_OTHER;
    *ret_end = end;
    scan_from(scan, end + 1);
    return PP_CSV_PLAIN;
}

enum pp_csv_row_kind
pp_csv_split(char *text, size_t len, struct pp_cell *cell, size_t cells, size_t *ret_size)
{
    struct scan scan = {.text = text, .len = len};
    size_t begin = 0, used = 0;
    scan_from(&scan, 0);
    for (;;) {
        size_t mark = next_mark(&scan), end = mark;
        bool quoted = mark < len && text[mark] == '"';
        enum pp_csv_row_kind kind = mark < len ? PP_CSV_PLAIN : PP_CSV_OPEN;
        if (quoted)
            kind = mark == begin ? quoted_end(&scan, begin++, &end) : PP_CSV_OTHER;
        else if (end > begin && (is_blank(text[begin]) || is_blank(text[end - 1])))
            kind = PP_CSV_OTHER;
        if (kind != PP_CSV_PLAIN) {
            pp_csv_join(text, len + 1, cell, used);
            return kind;
        }
        mark = quoted ? next_mark(&scan) : mark;
        bool last = text[mark] != ',';
        if (used < cells) {
            cell[used++] = (struct pp_cell){text + begin, end - begin, quoted || end > begin};
            text[end] = '\0';
        }
        begin = mark + 1;
        if (last)
            break;
    }
    for (; used < cells; used++)
        cell[used] = (struct pp_cell){.text = "", .len = 0, .present = false};
    *ret_size = begin;
    return PP_CSV_PLAIN;
}
