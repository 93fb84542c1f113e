/** @file
 * See diff_output.h. */
#include "cli/commands/diff_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/diff_files.h"
#include "cli/commands/output_file.h"
#include "cli/compare/limit_check.h"
#include "cli/html/html_compare.h"
#include "cli/json/diff_json.h"
#include "cli/json/json_values.h"
#include "cli/print/diff.h"
#include "cli/print/diff_junit.h"
#include "cli/print/diff_limits.h"
#include "cli/print/diff_markdown.h"
#include "cli/print/message.h"
#include "pp_texts.h"

/* Exit statuses, as those of diff(1). */
enum { EXIT_SAME = 0, EXIT_SLOWER = 1, EXIT_INCOMPARABLE = 2 };

/* A comparison that is written. */
struct output {
    const struct pp_diff *diff;
    const struct pp_diff_command *command;
    const struct pp_limit_checks *checks;
    bool refused;    /* the sides are not comparable */
    const char *why; /* the sides could not be read, and there is no comparison; NULL: there is one */
};

/* Writes a comparison in one form. @retval 0, -errno. */
typedef int write_form(const struct output *output, FILE *out);

static int
write_json(const struct output *output, FILE *out)
{
    json_t *json = pp_diff_json_make(output->diff, output->checks);
    int rc = pp_json_write(out, json);
    json_decref(json);
    return rc;
}

static int
write_markdown(const struct output *output, FILE *out)
{
    if (output->why)
        return pp_diff_markdown_not_compared(out, output->why);
    return pp_diff_markdown_write(out, output->diff, output->checks, output->refused);
}

static int
write_junit(const struct output *output, FILE *out)
{
    if (output->why)
        return pp_diff_junit_not_compared(out, output->why);
    return pp_diff_junit_write(out, output->diff, output->checks, output->refused, output->command->strict);
}

static int
write_text(const struct output *output, FILE *out)
{
    const struct pp_diff_look look = {.all = output->command->all, .most = output->command->entries};
    if (output->refused)
        return 0;
    pp_diff_print(out, output->diff, &look);
    pp_diff_limits_print(out, output->checks);
    return 0;
}

/* Write to a stream, and say what went wrong. @return Exit status. */
static int
write_stream(const struct output *output, write_form *form, FILE *out, const char *name)
{
    int rc = form(output, out);
    errno = 0;
    if (rc == 0 && (fflush(out) || ferror(out)))
        rc = errno ? -errno : -EIO;
    if (rc && name)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, strerror(-rc));
    return rc ? pp_fail(PP_FORMAT_REPORT_NOT_WRITTEN, strerror(-rc)) : 0;
}

/* Write to a file, or "-": not here. @return Exit status. */
static int
write_file(const struct output *output, write_form *form, const char *name)
{
    if (!name || strcmp(name, "-") == 0)
        return 0;
    const char *taken = pp_diff_file_taken(output->command, name);
    if (taken)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, taken);
    FILE *out = fopen(name, "we");
    if (!out)
        return pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, strerror(errno));
    int status = write_stream(output, form, out, name);
    if (fclose(out) && status == 0)
        status = pp_fail(PP_FORMAT_FILE_NOT_WRITTEN, name, strerror(errno));
    return status;
}

static int
write_page(FILE *out, const void *data)
{
    return pp_html_compare_write(out, data);
}

/* Write a page of sides that are comparable. @return Exit status. */
static int
write_html(const struct output *output, const char *name)
{
    json_t *data = NULL;
    if (!name || output->refused)
        return 0;
    int rc = pp_html_compare_make(output->diff, output->checks, &output->command->window, &data);
    int status = rc ? pp_output_file_error(name, rc) : pp_output_file_write(name, write_page, data);
    json_decref(data);
    return status;
}

static bool
is_stdout(const char *name)
{
    return name && strcmp(name, "-") == 0;
}

/* Write all that is wanted. @return Exit status. */
static int
write_all(const struct output *output)
{
    const struct pp_diff_command *command = output->command;
    write_form *form = command->json                  ? write_json
                       : is_stdout(command->markdown) ? write_markdown
                       : is_stdout(command->junit)    ? write_junit
                                                      : write_text;
    int status = write_stream(output, form, stdout, NULL);
    status = status ? status : write_file(output, write_markdown, command->markdown);
    status = status ? status : write_file(output, write_junit, command->junit);
    return status ? status : write_html(output, command->html);
}

/* What the limits say; without limits, whether anything is slower. @return Exit status. */
static int
judge(const struct output *output)
{
    bool strict = output->command->strict;
    if (output->refused) {
        pp_diff_print_refusal(output->diff);
        return EXIT_INCOMPARABLE;
    }
    if (output->checks->blunt)
        pp_message(PP_FORMAT_DIFF_FAIL_BLUNT, output->checks->blunt);
    if (output->checks->limits == 0) {
        if (pp_diff_slower(output->diff))
            return EXIT_SLOWER;
        return pp_diff_print_unclear(output->diff) && strict ? EXIT_SLOWER : EXIT_SAME;
    }
    pp_diff_limits_warn(output->checks);
    switch (pp_limit_worst(output->checks)) {
    case PP_LIMIT_FAILED:
        return EXIT_SLOWER;
    case PP_LIMIT_UNCLEAR:
        return strict ? EXIT_SLOWER : EXIT_SAME;
    case PP_LIMIT_NOTHING:
        return EXIT_INCOMPARABLE;
    case PP_LIMIT_PASSED:
        break;
    }
    return EXIT_SAME;
}

int
pp_diff_output(struct pp_diff *diff, const struct pp_diff_command *command)
{
    struct pp_limit_checks checks;
    const struct output output = {.diff = diff,
                                  .command = command,
                                  .checks = &checks,
                                  .refused = diff->incomparable && !command->force};
    int rc = pp_limit_check(command->limit, command->limits, diff, &checks);
    rc = rc ? rc : pp_limit_find_blunt(&checks, diff, command->blunt_most);
    int status = rc ? pp_fail(PP_TEXT_COMMAND_MEMORY) : write_all(&output);
    status = status ? status : judge(&output);
    if (status == EXIT_SAME && checks.blunt && !output.refused)
        status = EXIT_SLOWER;
    pp_limit_checks_finish(&checks);
    return status;
}

int
pp_diff_output_not_compared(const struct pp_diff_command *command, const char *why)
{
    const struct output output = {.command = command, .why = why};
    const bool stdout_markdown = is_stdout(command->markdown), stdout_junit = is_stdout(command->junit);
    if (stdout_markdown || stdout_junit)
        (void)write_stream(&output, stdout_markdown ? write_markdown : write_junit, stdout, NULL);
    (void)write_file(&output, write_markdown, command->markdown);
    (void)write_file(&output, write_junit, command->junit);
    return pp_fail(PP_FORMAT_DIFF_NOT_COMPARED, why);
}
