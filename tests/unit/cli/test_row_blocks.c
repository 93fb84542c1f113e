/** @file
 * Rows of a few frames are found by the blocks of a file: all of them, once each, in whatever order rows and
 * frames are, and without reading the whole file where they are in order. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session/csv_read.h"
#include "cli/session/row_blocks.h"
#include "tests/lib/cmocka_test.h"
#include "tests/lib/random_number.h"

#define ROWS   60000U
#define WANTED 5U

struct reading {
    struct pp_row_blocks *blocks; /* that are made; NULL: none */
    const double *wanted;         /* ascending; NULL: all */
    unsigned char *seen;          /* how often each row of a wanted frame was read; owned by the test */
    size_t rows;                  /* that were read */
};

static bool
on_header(void *data, const struct pp_cell *cell, size_t cells)
{
    (void)data;
    assert_int_equal(cells, 3);
    assert_string_equal(cell[0].text, "frame");
    return true;
}

static bool
on_row(void *data, const struct pp_cell *cell, size_t cells)
{
    struct reading *r = data;
    double frame = strtod(cell[0].text, NULL);
    size_t number = strtoul(cell[1].text, NULL, 10);
    bool wanted = !r->wanted;
    assert_int_equal(cells, 3);
    assert_true(number < ROWS);
    for (size_t i = 0; r->wanted && i < WANTED; i++)
        wanted = wanted || (r->wanted[i] >= frame && r->wanted[i] <= frame);
    r->rows++;
    r->seen[number] = (unsigned char)(r->seen[number] + wanted);
    if (r->blocks)
        assert_int_equal(pp_row_blocks_add(r->blocks, frame), 0);
    return true;
}

/* Write a file whose rows name frames in order, nearly in order, or in none. @param order 0 to 2. */
static void
write_rows(int dir, unsigned order, uint64_t *seed)
{
    int fd = openat(dir, "rows.csv", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    FILE *out = fdopen(fd, "w");
    assert_non_null(out);
    fputs("frame,row,text\r\n", out);
    for (unsigned i = 0; i < ROWS; i++) {
        uint64_t number = random_number(seed);
        unsigned frame = order == 0   ? i / 8
                         : order == 1 ? i / 8 + (unsigned)(number % 40)
                                      : (unsigned)(number % 7500);
        fprintf(out, "%u,%u,%s%.*s\r\n", frame, i, number % 100 ? "" : "\"two\r\n\"\"lines\"\"\"",
                (int)(number % 50),
                number % 100 ? "........................................................." : "");
    }
    assert_int_equal(fclose(out), 0);
}

static void
rows_of_frames_are_found(void **state)
{
    char top[] = "/tmp/row_blocks.XXXXXX", path[64];
    uint64_t seed = 1;
    (void)state;
    assert_non_null(mkdtemp(top));
    int dir = open(top, O_RDONLY | O_DIRECTORY);
    for (unsigned round = 0; round < 9; round++) {
        struct pp_row_blocks blocks = {.len = 0}, none = {.len = 0};
        struct reading all = {.blocks = &blocks, .seen = calloc(ROWS, 1)};
        write_rows(dir, round % 3, &seed);
        const struct pp_csv_reader first = {
            .header = on_header, .row = on_row, .data = &all, .place = &blocks.row};
        assert_int_equal(pp_csv_read(dir, "rows.csv", &first), 0);
        assert_int_equal(all.rows, ROWS);
        assert_true(blocks.len > 10);
        double wanted[WANTED] = {0};
        for (size_t i = 1; i + 1 < WANTED; i++)
            wanted[i] = wanted[i - 1] + 1 + (double)(random_number(&seed) % 2400);
        wanted[WANTED - 1] = 7540;
        struct reading few = {.wanted = wanted, .seen = calloc(ROWS, 1)};
        struct reading whole = {.wanted = wanted, .seen = calloc(ROWS, 1)};
        const struct pp_csv_reader second = {.header = on_header, .row = on_row, .data = &few};
        const struct pp_csv_reader third = {.header = on_header, .row = on_row, .data = &whole};
        assert_int_equal(pp_row_blocks_read(&blocks, dir, "rows.csv", wanted, WANTED, &second), 0);
        assert_int_equal(pp_row_blocks_read(&none, dir, "rows.csv", wanted, WANTED, &third), 0);
        assert_int_equal(whole.rows, ROWS);
        assert_memory_equal(few.seen, whole.seen, ROWS);
        assert_true(round % 3 == 2 || few.rows < ROWS / 2);
        free(all.seen);
        free(few.seen);
        free(whole.seen);
        pp_row_blocks_finish(&blocks);
    }
    close(dir);
    snprintf(path, sizeof(path), "%s/rows.csv", top);
    unlink(path);
    rmdir(top);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_frames_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
