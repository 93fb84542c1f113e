/** @file
 * The list of commands. Each is one file; main.c calls them with argv[0] = the command's name and
 * returns what they return as the exit status. */
#ifndef PP_CLI_COMMANDS_COMMANDS_H
#define PP_CLI_COMMANDS_COMMANDS_H

int pp_cmd_stat(int argc, char **argv);
int pp_cmd_record(int argc, char **argv);
int pp_cmd_report(int argc, char **argv);
int pp_cmd_list(int argc, char **argv);
int pp_cmd_doctor(int argc, char **argv);
int pp_cmd_decode(int argc, char **argv);

#endif
