/** @file
 * The list of commands. `passprobe NAME` runs pp_cmd_NAME() of NAME.c. To add a command, add a row here, its
 * file, its texts in docs/messages.yaml and its man page. */
#ifndef PP_CLI_COMMANDS_COMMANDS_H
#define PP_CLI_COMMANDS_COMMANDS_H

#include "pp_texts.h"

/** All commands in the order of --help: name, summary. */
#define PP_COMMANDS(X)                                                                                       \
    X(list, PP_TEXT_MAIN_LIST)                                                                               \
    X(stat, PP_TEXT_MAIN_STAT)                                                                               \
    X(record, PP_TEXT_MAIN_RECORD)                                                                           \
    X(compare, PP_TEXT_MAIN_COMPARE)                                                                         \
    X(top, PP_TEXT_MAIN_TOP)                                                                                 \
    X(report, PP_TEXT_MAIN_REPORT)                                                                           \
    X(annotate, PP_TEXT_MAIN_ANNOTATE)                                                                       \
    X(diff, PP_TEXT_MAIN_DIFF)                                                                               \
    X(sessions, PP_TEXT_MAIN_SESSIONS)                                                                       \
    X(archive, PP_TEXT_MAIN_ARCHIVE)                                                                         \
    X(export, PP_TEXT_MAIN_EXPORT)                                                                           \
    X(push, PP_TEXT_MAIN_PUSH)                                                                               \
    X(ctl, PP_TEXT_MAIN_CTL)                                                                                 \
    X(doctor, PP_TEXT_MAIN_DOCTOR)                                                                           \
    X(decode, PP_TEXT_MAIN_DECODE)

/** Run a command. @param argv argv[0] is the command's name. @return the exit status of passprobe. */
#define PP_COMMAND(name, summary) int pp_cmd_##name(int argc, char **argv);
PP_COMMANDS(PP_COMMAND)
#undef PP_COMMAND

#endif
