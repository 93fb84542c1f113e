/** @file
 * What the lab reports to a test: broken rules on stderr, executed commands in the log. Knows no device. */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <stdbool.h>

#define LAB_EXIT_STATUS 86 /* of a process that broke a rule and would have ended with 0 or by exit() */

/** Say on stderr which rule was broken, and let the process end with LAB_EXIT_STATUS. The line names the
 * place in the lab that found it. Any thread. */
#define LAB_FAULT(...) lab_fault(__FILE__, __LINE__, __VA_ARGS__)

/** The function of LAB_FAULT. */
void lab_fault(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/** True if a log is asked for (LAB_LOG=FILE): each process writes FILE.PID. */
bool lab_log_wanted(void);

/** Append one line to the log, if there is one. The caller holds lab_lock, so that lines are in the order of
 * what they report. The text has no newline. */
void lab_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
