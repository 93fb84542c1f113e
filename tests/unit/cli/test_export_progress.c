/** @file
 * Tests of the line that says how far `passprobe export` is: when it is printed, and that it is erased. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/print/export_progress.h"
#include "tests/lib/cmocka_test.h"

/* 60 blanks over the line. */
#define ERASED "\r                                                            \r"
#define SECOND UINT64_C(1000000000)

/* Let stderr be a temporary file. @return The real stderr, to give back. */
static int
catch_stderr(FILE *file)
{
    int usual = dup(STDERR_FILENO);
    assert_true(usual >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    return usual;
}

/* What was printed. @param text 200 bytes. */
static void
give_back(FILE *file, int usual, char *text)
{
    (void)fflush(stderr);
    assert_true(dup2(usual, STDERR_FILENO) >= 0);
    close(usual);
    rewind(file);
    text[fread(text, 1, 199, file)] = '\0';
    (void)fclose(file);
}

static void
test_line_after_two_seconds(void **state)
{
    struct pp_export_progress progress;
    char text[200];
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    int usual = catch_stderr(file);
    pp_export_progress_begin(&progress);
    progress.terminal = true;
    pp_export_progress_print(&progress, 1000, 5000); /* too early */
    bool early = progress.shown;
    progress.begin_ns -= 3 * SECOND;
    pp_export_progress_print(&progress, 2000, 5000);
    pp_export_progress_print(&progress, 3000, 5000); /* too soon after the last line */
    progress.last_ns -= SECOND;
    pp_export_progress_print(&progress, 4000, (double)NAN);
    pp_export_progress_end(&progress);
    pp_export_progress_end(&progress); /* nothing is there any more */
    give_back(file, usual, text);
    assert_false(early);
    assert_string_equal(text, "exporting: 2,000 of 5,000 rows" ERASED "exporting: 4,000 rows" ERASED);
}

static void
test_no_line_without_a_terminal(void **state)
{
    struct pp_export_progress progress;
    char text[200];
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    int usual = catch_stderr(file);
    pp_export_progress_begin(&progress);
    progress.begin_ns -= 3 * SECOND;
    pp_export_progress_print(&progress, 2000, 5000);
    pp_export_progress_end(&progress);
    give_back(file, usual, text);
    assert_string_equal(text, "");
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
