/** @file
 * The command `passprobe`: picks the sub-command. Sets no locale, so that numbers read and print the same
 * everywhere. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/print/message.h"
#include "cli/print/print.h"
#include "counters/util/nearest_name.h"

/** One sub-command. */
struct command {
    const char *name;
    const char *summary; /**< one line for --help; NULL: known, but not in this version */
    int (*run)(int argc, char **argv);
};

static const struct command commands[] = {
    {"list", "events that this machine offers, and why others are missing", pp_cmd_list},
    {"stat", "run a program, print a summary at exit", pp_cmd_stat},
    {"record", "run a program, write a session directory", pp_cmd_record},
    {"report", "what cost what, from a session directory", pp_cmd_report},
    {"doctor", "why is there no data? driver, layer, preload, permissions", pp_cmd_doctor},
    {"decode", "raw hardware reports from a file as CSV", pp_cmd_decode},
    {"annotate", NULL, NULL},
    {"diff", NULL, NULL},
    {"top", NULL, NULL},
    {"ctl", NULL, NULL},
};
#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void
usage(FILE *out)
{
    pp_print(out, "usage: passprobe COMMAND [OPTIONS] [ARGS]\n"
                  "\n"
                  "What each frame and render pass of an OpenGL or Vulkan program costs on the GPU.\n"
                  "\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        if (commands[i].summary)
            pp_print(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    pp_print(out, "\n`passprobe help COMMAND` or `passprobe COMMAND --help` tells more.\n");
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
    struct pp_nearest nearest = pp_nearest_begin(name, strlen(name));
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].run)
            pp_nearest_offer(&nearest, commands[i].name, strlen(commands[i].name));
    if (nearest.found)
        return pp_fail("'%s' is no passprobe command; did you mean '%.*s'?", name, (int)nearest.found_length,
                       nearest.found);
    return pp_fail("'%s' is no passprobe command; see `passprobe --help`", name);
}

/* Text on stdout that could not be written is a failure. */
static int
flushed(int status)
{
    errno = 0;
    bool lost = fflush(stdout) || ferror(stdout);
    if (!lost || status == PP_EXIT_FAILED) /* then it has been said */
        return status;
    return pp_fail("cannot write to standard output: %s", strerror(errno ? errno : EIO));
}

static int
run(const char *name, int argc, char **argv)
{
    const struct command *command = find(name);
    if (!command)
        return unknown(name);
    if (!command->run)
        return pp_fail("`passprobe %s` is not in this version (" PP_VERSION ")", name);
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
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-v") == 0 || strcmp(argv[1], "version") == 0) {
        puts("passprobe version " PP_VERSION);
        return flushed(0);
    }
    if (argv[1][0] == '-')
        return pp_fail("unknown option '%s'; see `passprobe --help`", argv[1]);
    return flushed(run(argv[1], argc - 1, argv + 1));
}
