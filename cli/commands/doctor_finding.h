/** @file
 * The findings that `passprobe doctor` prints, a line each. */
#ifndef PP_CLI_COMMANDS_DOCTOR_FINDING_H
#define PP_CLI_COMMANDS_DOCTOR_FINDING_H

/** How a check ended. */
enum pp_doctor_finding { PP_DOCTOR_GOOD, PP_DOCTOR_NOTE, PP_DOCTOR_BAD };

/** Print a finding: what was checked, and the result. */
__attribute__((format(printf, 3, 4))) void pp_doctor_tell(enum pp_doctor_finding finding, const char *what,
                                                          const char *format, ...);

#endif
