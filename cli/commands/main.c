/** @file
 * The command `passprobe`: picks the sub-command. Sets no locale, so that numbers read and print the same
 * everywhere; `top` sets the character set of the terminal. */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/archive/read_watch.h"
#include "cli/commands/commands.h"
#include "cli/launch/executable.h"
#include "cli/text/message.h"
#include "cli/text/print.h"
#include "cli/text/terminal.h"
#include "counters/util/array_size.h"
#include "counters/util/nearest_name.h"
#include "pp_texts.h"

/* `record` dies with a stack of 192 kB; the tests of the commands pass with this one. */
#define STACK_BYTES (512U << 10)

/** One command. */
struct command {
    const char *name;
    const char *summary; /**< one line for --help */
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
#define ROW(name, summary) {#name, summary, pp_cmd_##name},
    PP_COMMANDS(ROW)
#undef ROW
};
#define COMMANDS PP_ARRAY_SIZE(commands)

static void
usage(FILE *out)
{
    pp_print(out, PP_TEXT_USAGE "\n");
    for (size_t i = 0; i < COMMANDS; i++)
        pp_print(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    pp_print(out, "\n" PP_TEXT_USAGE_MORE);
}

static const struct command *
find(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    }
    return NULL;
}

static int
unknown(const char *name)
{
    char path[PATH_MAX];
    struct pp_nearest nearest = pp_nearest_begin(name, strlen(name));
    if (strchr(name, '/') && pp_executable_find(name, path) == 0)
        return pp_fail(PP_FORMAT_COMMAND_APPLICATION, name, name);
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].run)
            pp_nearest_offer(&nearest, commands[i].name, strlen(commands[i].name));
    if (nearest.found)
        return pp_fail(PP_FORMAT_COMMAND_NEAR, name, (int)nearest.found_length, nearest.found);
    if (pp_executable_find(name, path) == 0)
        return pp_fail(PP_FORMAT_COMMAND_APPLICATION, name, name);
    return pp_fail(PP_FORMAT_COMMAND_UNKNOWN, name);
}

/* Fail if text on stdout could not be written. */
static int
flushed(int status)
{
    errno = 0;
    pp_progress_erase();
    bool lost = fflush(stdout) || ferror(stdout);
    if (!lost || status == PP_EXIT_FAILED) /* a message was printed already */
        return status;
    return pp_fail(PP_FORMAT_STDOUT, strerror(errno ? errno : EIO));
}

static int
run(const char *name, int argc, char **argv)
{
    const struct command *command = find(name);
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur < STACK_BYTES)
        return pp_fail(PP_FORMAT_COMMAND_STACK, (unsigned long long)stack.rlim_cur >> 10, STACK_BYTES >> 10);
    if (!command)
        return unknown(name);
    return command->run(argc, argv);
}

static int
help(int argc, char **argv)
{
    char option[] = "--help";
    char *help_argv[] = {argc > 1 ? argv[1] : NULL, option, NULL};
    if (argc < 2 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return 0;
    }
    return run(argv[1], 2, help_argv);
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return PP_EXIT_FAILED;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return flushed(help(argc - 1, argv + 1));
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "-V") == 0 ||
        strcmp(argv[1], "version") == 0) {
        puts(PP_TEXT_VERSION " " PP_VERSION);
        return flushed(0);
    }
    if (argv[1][0] == '-')
        return pp_fail(PP_FORMAT_OPTION_UNKNOWN_MAIN, argv[1]);
    (void)pp_progress_begin("reading");
    pp_read_watch_set(pp_progress_note);
    return flushed(run(argv[1], argc - 1, argv + 1));
}
