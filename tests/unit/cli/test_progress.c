/** @file
 * Tests of the line that says how far a command is: when it is printed, and that whatever is printed next
 * erases it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/archive/read_watch.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "tests/lib/cmocka_test.h"

/* Blanks over the line. */
#define TEN    "          "
#define ERASED "\r" TEN TEN TEN TEN TEN TEN TEN "        \r"
#define SECOND UINT64_C(1000000000)

/* Let stderr be a temporary file. @return The real stderr, to give back. */
static int
catch_stderr(FILE *file)
{
    int usual = dup(STDERR_FILENO);
    assert_true(usual >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    return usual;
}

/* What was printed. @param text 800 bytes. */
static void
give_back(FILE *file, int usual, char *text)
{
    (void)fflush(stderr);
    assert_true(dup2(usual, STDERR_FILENO) >= 0);
    close(usual);
    rewind(file);
    text[fread(text, 1, 799, file)] = '\0';
    (void)fclose(file);
}

/* A file of 3 KiB, of which 1 KiB was read. */
static int
read_some(char *path)
{
    char block[1024] = {0};
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(pp_read_watched(fd, block, sizeof(block)), sizeof(block));
    return fd;
}

static void
test_line_after_two_seconds(void **state)
{
    char path[] = "/tmp/passprobe-XXXXXX";
    char text[800], want[800];
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    int usual = catch_stderr(file);
    struct pp_progress *progress = pp_progress_begin("reading");
    progress->terminal = true;
    pp_read_watch_set(pp_progress_note);
    int fd = read_some(path); /* too early */
    bool early = progress->shown;
    progress->begin_ns -= 3 * SECOND;
    pp_progress_note(fd);
    pp_progress_note(fd); /* too soon after the last line */
    bool shown = progress->shown;
    pp_print(stderr, "text");
    progress->line_ns -= SECOND;
    pp_progress_note(fd);
    pp_print_char(stderr, '!');
    pp_print_style(stderr, 1);
    progress->line_ns -= SECOND;
    pp_progress_note(fd);
    pp_progress_erase();
    pp_progress_erase(); /* nothing is there any more */
    progress->line_ns -= SECOND;
    progress->note_ns -= 3 * SECOND; /* other work since then: the time begins anew */
    pp_progress_note(fd);
    give_back(file, usual, text);
    assert_false(early);
    assert_true(shown);
    const char *name = path + strlen("/tmp/");
    snprintf(want, sizeof(want),
             "reading %s: 1.0 KiB of 3.0 KiB" ERASED "text"
             "reading %s: 1.0 KiB of 3.0 KiB" ERASED "!\033[1m"
             "reading %s: 1.0 KiB of 3.0 KiB" ERASED,
             name, name, name);
    assert_string_equal(text, want);
    close(fd);
    unlink(path);
}

static void
test_no_line_without_a_terminal(void **state)
{
    char path[] = "/tmp/passprobe-XXXXXX";
    char text[800];
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    int usual = catch_stderr(file);
    struct pp_progress *progress = pp_progress_begin("reading");
    int fd = read_some(path);
    progress->begin_ns -= 3 * SECOND;
    pp_progress_note(fd);
    progress->terminal = true;
    progress->begin_ns = progress->note_ns - 3 * SECOND;
    pp_progress_stop();
    pp_progress_note(fd);
    give_back(file, usual, text);
    assert_string_equal(text, "");
    close(fd);
    unlink(path);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_line_after_two_seconds),
        cmocka_unit_test(test_no_line_without_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
